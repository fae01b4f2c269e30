package calc_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/calc"
	"github.com/yaap-chat/yaap/experts/expertstest"
)

var expert = calc.New()

// plain are calculations in plain language, what is read in them and the answer.
var plain = []struct{ prompt, expression, want string }{
	{"what is 12% of 840?", "12% of 840", "100.8"},
	{"12% of 840", "12% of 840", "100.8"},
	{"What's 12 % of 840", "12% of 840", "100.8"},
	{"12 percent of 840", "12% of 840", "100.8"},
	{"how much is twelve percent of 840?", "12% of 840", "100.8"},
	{"please calculate 2+2", "2 + 2", "4"},
	{"2 + 2 =", "2 + 2", "4"},
	{"2+2=?", "2 + 2", "4"},
	{"two plus two", "2 + 2", "4"},
	{"what is 7 times 8?", "7 * 8", "56"},
	{"7 x 8", "7 * 8", "56"},
	{"7×8", "7 * 8", "56"},
	{"17x23", "17 * 23", "391"},
	{"halve 391", "1/2 of 391", "195.5"},
	{"triple 5", "3 * 5", "15"},
	{"convert 100.8 from miles to km", "100.8 mi", "162.2218752 km"},
	{"convert 100.8 to km from miles", "100.8 mi", "162.2218752 km"},
	{"360 from minutes to hours", "360 min", "6 h"},
	{"5 km: in miles", "5 km", "3.10685596119 mi"},
	{"5 km: miles", "5 km", "3.10685596119 mi"},
	{"convert 5 km to: miles", "5 km", "3.10685596119 mi"},
	{"100 divided by 8", "100 / 8", "12.5"},
	{"100 ÷ 8", "100 / 8", "12.5"},
	{"100 minus 8", "100 - 8", "92"},
	{"0.1 + 0.2", "0.1 + 0.2", "0.3"},
	{"1/3 + 1/6", "1 / 3 + 1 / 6", "0.5"},
	{"what is 1/3 plus 1/6?", "1 / 3 + 1 / 6", "0.5"},
	{"10/3", "10 / 3", "3.33333333333"},
	{"2/6", "2 / 6", "0.333333333333"},
	{"3 1/2 + 1 1/4", "3 1/2 + 1 1/4", "4.75"},
	{"3½ + 1", "3 1/2 + 1", "4.5"},
	{"(1 + 2) * 3", "(1 + 2) * 3", "9"},
	{"(1+2)(3+4)", "(1 + 2) * (3 + 4)", "21"},
	{"2(3+4)", "2 * (3 + 4)", "14"},
	{"-2^2", "-2^2", "-4"},
	{"(-2)^2", "(-2)^2", "4"},
	{"2^3^2", "2^3^2", "512"},
	{"2**10", "2^10", "1024"},
	{"2 to the power of 10", "2^10", "1024"},
	{"2 raised to the power of -2", "2^-2", "0.25"},
	{"5 squared", "5^2", "25"},
	{"5²", "5^2", "25"},
	{"3 cubed plus 1", "3^3 + 1", "28"},
	{"square root of 144", "sqrt(144)", "12"},
	{"what is the square root of 16 + 9", "sqrt(16) + 9", "13"},
	{"square root of (16 + 9)", "sqrt(16 + 9)", "5"},
	{"square root of 2", "sqrt(2)", "1.41421356237"},
	{"√2 to 20 decimals", "sqrt(2)", "1.41421356237309504880"},
	{"sqrt(2.25)", "sqrt(2.25)", "1.5"},
	{"cube root of 27", "cbrt(27)", "3"},
	{"fourth root of 81", "4th root of 81", "3"},
	{"4^0.5", "4^0.5", "2"},
	{"8^(2/3)", "8^(2 / 3)", "4"},
	{"half of 90", "1/2 of 90", "45"},
	{"a quarter of 100", "1/4 of 100", "25"},
	{"two thirds of 90", "2/3 of 90", "60"},
	{"three quarters of 12", "3/4 of 12", "9"},
	{"increase 840 by 12%", "840 + 12%", "940.8"},
	{"decrease 50 by 10%", "50 - 10%", "45"},
	{"add 20% VAT to 50", "50 + 20%", "60"},
	{"50 + 20%", "50 + 20%", "60"},
	{"15% off 80", "80 - 15%", "68"},
	{"take 15% off 80", "80 - 15%", "68"},
	{"subtract 1/2 from 3 1/2", "3 1/2 - (1 / 2)", "3"},
	{"15% tip on $42.50", "15% of 42.50", "6.375"},
	{"subtract 5 from 20", "20 - 5", "15"},
	{"multiply 3 by 4", "3 * 4", "12"},
	{"divide 10 by 4", "10 / 4", "2.5"},
	{"add 3 and 4", "sum(3, 4)", "7"},
	{"17 mod 5", "17 mod 5", "2"},
	{"17 % 5", "17 mod 5", "2"},
	{"17%5", "17 mod 5", "2"},
	{"remainder of 17 divided by 5", "17 mod 5", "2"},
	{"what percent of 80 is 20?", "20 / 80", "25%"},
	{"20 is what percent of 80", "20 / 80", "25%"},
	{"20 as a percentage of 80", "20 / 80", "25%"},
	{"percentage change from 80 to 100", "(100 - 80) / 80", "25%"},
	{"0.75 as a percentage", "0.75", "75%"},
	{"0.75 as a fraction", "0.75", "3/4"},
	{"2^200", "2^200", "1606938044258990275541962092341162602522202993782792835301376"},
	{"50!", "50!", "30414093201713378043612608166064768844377641568960512000000000000"},
	{"factorial of 5", "5!", "120"},
	{"gcd of 12 and 18", "gcd(12, 18)", "6"},
	{"gcd(12,18)", "gcd(12, 18)", "6"},
	{"lcm of 4, 6 and 10", "lcm(4, 6, 10)", "60"},
	{"1,234.5 + 1", "1234.5 + 1", "1235.5"},
	{"1 234 + 1", "1234 + 1", "1235"},
	{"1,000,000 / 4", "1000000 / 4", "250000"},
	{"1e6 * 3", "1e6 * 3", "3000000"},
	{"2.5e-3 * 2", "2.5e-3 * 2", "0.005"},
	{"3,5 * 2", "3.5 * 2", "7"},
	{"255 in hex", "255", "0xff"},
	{"0xff in decimal", "0xff", "255"},
	{"convert 10 to binary", "10", "0b1010"},
	{"0b1010 to octal", "0b1010", "0o12"},
	{"binary 1010 to decimal", "0b1010", "10"},
	{"0xff + 1", "0xff + 1", "256"},
	{"average of 3, 4 and 8", "average(3, 4, 8)", "5"},
	{"mean of 1 2 3 4", "average(1, 2, 3, 4)", "2.5"},
	{"sum of 1, 2, 3", "sum(1, 2, 3)", "6"},
	{"max(3,5,2)", "max(3, 5, 2)", "5"},
	{"what is the smallest of 3, 5 and 2", "min(3, 5, 2)", "2"},
	{"difference between 4 and 10", "difference(4, 10)", "6"},
	{"remainder of 1/2 divided by 3.5", "(1 / 2) mod 3.5", "0.5"},
	{"1'000'000 * 2", "1000000 * 2", "2000000"},
	{"10 000,50 + 1", "10000.50 + 1", "10001.5"},
	{"1.000,00 € * 2", "1000.00 * 2", "2000"},
	{"what's 2+2, thanks!", "2 + 2", "4"},
	{"1.234,56 + 1", "1234.56 + 1", "1235.56"},
	{"1.234.567,89 * 2", "1234567.89 * 2", "2469135.78"},
	{"split 100 between 3", "100 / 3", "33.3333333333"},
	{"1h30m in minutes", "1 h 30 min", "90 min"},
	{"remainder of 10 / 4", "10 mod 4", "2"},
	{"round 2.567 to 1 decimal", "2.567", "2.6"},
	{"3 * 1e-100", "3 * 1e-100", "3e-100"},
	{"20% more than 150, please", "150 + 20%", "180"},
	{"what is 15% off 80 plus 5", "(80 - 15%) + 5", "73"},
	{"difference between 10 and 4", "difference(10, 4)", "6"},
	{"product of 3, 4 and 5", "product(3, 4, 5)", "60"},
	{"2 million divided by 7 thousand", "2000000 / 7000", "285.714285714"},
	{"pi", "pi", "3.14159265359"},
	{"pi to 50 digits", "pi", "3.14159265358979323846264338327950288419716939937511"},
	{"2pi", "2 * pi", "6.28318530718"},
	{"10/3 rounded to 2 decimals", "10 / 3", "3.33"},
	{"round 3.14159 to 2 decimal places", "3.14159", "3.14"},
	{"split 156 by 4 people", "156 / 4", "39"},
	{"how much is 3 dozen", "36", "36"},
	{"2 to the 64th power", "2^64", "18446744073709551616"},
	{"5 to the third power", "5^3", "125"},
	{"what is FF in decimal", "0xff", "255"},
	{"20% more than 150", "150 + 20%", "180"},
	{"2.5% interest on 12000", "2.5% of 12000", "300"},
	{"1/2 mile in m", "1 / 2 mi", "804.672 m"},
	{"tip of 18% on 64.50", "18% of 64.50", "11.61"},
	{"what is negative 8 + 3", "-8 + 3", "-5"},
	{"5 miles in km", "5 mi", "8.04672 km"},
	{"convert 72 F to celsius", "72 °F", "22.2222222222 °C"},
	{"convert 72°F to °C", "72 °F", "22.2222222222 °C"},
	{"98.6 degrees fahrenheit in celsius", "98.6 °F", "37 °C"},
	{"-40 F in C", "-40 °F", "-40 °C"},
	{"0 K in C", "0 K", "-273.15 °C"},
	{"how many bytes are 3 GiB?", "3 GiB", "3221225472 B"},
	{"3 GB in GiB", "3 GB", "2.793967723846435546875 GiB"},
	{"1500 kB in MB", "1500 kB", "1.5 MB"},
	{"3 h 25 min in minutes", "3 h 25 min", "205 min"},
	{"3 hours and 25 minutes in seconds", "3 h 25 min", "12300 s"},
	{"how many seconds in a day", "1 d", "86400 s"},
	{"how many seconds are there in an hour?", "1 h", "3600 s"},
	{"what is a mile in km", "1 mi", "1.609344 km"},
	{"km in miles", "1 km", "0.621371192237 mi"},
	{"seconds in a week", "1 week", "604800 s"},
	{"how many feet in 2 miles", "2 mi", "10560 ft"},
	{"5 ft 11 in in cm", "5 ft 11 inch", "180.34 cm"},
	{"5 ft 11 in cm", "5 ft 11 inch", "180.34 cm"},
	{"5'11\" in cm", "5 ft 11 inch", "180.34 cm"},
	{"12 in to cm", "12 inch", "30.48 cm"},
	{"3 km + 200 m", "3 km + 200 m", "3.2 km"},
	{"60 mph in km/h", "60 mph", "96.56064 km/h"},
	{"10 acres in square metres", "10 acre", "40468.564224 m²"},
	{"2 cups in ml", "2 cup", "473.176473 ml"},
	{"150 lbs to kg", "150 lb", "68.0388555 kg"},
	{"half an hour in minutes", "1/2 h", "30 min"},
	{"squre root of 196", "sqrt(196)", "14"},
	{"15 is 20% of what", "15 / 20%", "75"},
	{"20% of what is 15", "15 / 20%", "75"},
	{"5²³", "5^23", "11920928955078125"},
	{"what is 10 divided by 3 rounded", "10 / 3", "3"},
	{"50 cents in dollars", "50 / 100", "0.5"},
	{"1e3 in binary", "1e3", "0b1111101000"},
	{"drei Viertel von 200", "3 * 1/4 of 200", "150"},
	{"erhöhe 100 um 10%", "100 + 10%", "110"},
	{"100 entre 3 personas", "100 / 3", "33.3333333333"},
	{"days in year", "1 year", "365.2425 d"},
	{"0xCAFE xor 0xFF", "0xcafe xor 0xff", "51713"},
	{"1 << 10", "1 << 10", "1024"},
	{"119 including 19% vat, what is the net price", "119 / (1 + 19%)", "100"},
	{"net price of 119 incl 19% vat", "119 / (1 + 19%)", "100"},
	{"two-thirds of 90", "2/3 of 90", "60"},
	{"e^pi", "e^pi", "23.1406926328"},
	{"$3.5m / 7", "3500000 / 7", "500000"},
	{"twenty-five times four", "25 * 4", "100"},
	{"86.40 + 15% split by 4", "(86.40 + 15%) / 4", "24.84"},
	{"split the bill of 86.40 among 4 with 15% tip", "(86.40 + 15%) / 4", "24.84"},
	{"tip on 45 at 20%", "20% of 45", "9"},
	{"20% of 30% of 500", "20% of 30% of 500", "30"},
	{"what % is 5 of 20", "5 / 20", "25%"},
	{"log base 3 of 81", "log(81, base 3)", "4"},
	{"log(8, 2)", "log(8, base 2)", "3"},
	{"1.000.000 / 4", "1000000 / 4", "250000"},
	{"round 3.567 to 2", "3.567", "3.57"},
	{"round 1234 to the nearest 100", "1234", "1200"},
	{"round to 2 decimals 3.14159", "3.14159", "3.14"},
	{"how long to drive 300 km at 100 km/h", "300 km / 100 km/h", "3 h"},
	{"100 Mbps in MB/s", "100 Mbit/s", "12.5 MB/s"},
	{"2.4 * 3 GHz in MHz", "2.4 * 3 GHz", "7200 MHz"},
	{"5 m * 3 m", "5 m * 3 m", "15 m²"},
	{"100 km / 2 h", "100 km / 2 h", "50 km/h"},
	{"60 km/h * 2 h", "60 km/h * 2 h", "120 km"},
	{"I drove 350 km in 4 hours, what is my average speed", "350 km / 4 h", "87.5 km/h"},
	{"100 W for 5 h in kWh", "100 W of 5 h", "0.5 kWh"},
	{"daily rate 780 for 17 days plus 19%", "780 per d of 17 d + 19%", "15779.4"},
	{"2 GB per day for 30 days", "2 GB per d of 30 d", "60 GB"},
	{"5 l/100km * 300 km", "5 l / 100 km * 300 km", "15 l"},
	{"45 per hour for 8 hours a day for 5 days", "45 per h of 8 h per d of 5 d", "1800"},
	{"3 boxes of 12 bottles at 0.89 each", "3 boxes of 12 bottles * 0.89", "32.04"},
	{"3 Kisten zu je 12 Flaschen", "3 Kisten * 12 Flaschen", "36"},
	{"how many bottles are in 3 boxes of 12", "3 boxes of 12", "36"},
	{"7 apples at 1.35 per apple", "7 apples * 1.35", "9.45"},
	{"47 tests passed of 52 in percent", "47 tests passed / 52", "90.3846153846%"},
	{"3 apples plus 4 apples", "3 apples + 4 apples", "7"},
	{"what share is 37 of 412 in percent", "37 / 412", "8.98058252427%"},
	{"80 is what percent more than 64", "(80 - 64) / 64", "25%"},
	{"the price before a 20% discount if it is now 80", "80 / (1 - 20%)", "100"},
	{"119 Euro ohne 19 % MwSt", "119 / (1 + 19%)", "100"},
	{"12 percent from 350", "12% of 350", "42"},
	{"Wie viel ist 3/8 als Dezimalzahl?", "3 / 8", "0.375"},
	{"123456 in scientific notation", "123456", "1.23456 × 10^5"},
	{"zweihundertfünfzig durch fünf", "250 / 5", "50"},
	{"doscientos treinta más uno", "230 + 1", "231"},
	{"Quersumme von 1234", "digits(1234)", "10"},
	{"the sum of 5 and 9 divided by 2", "sum(5, 9) / 2", "7"},
	{"sum of 5 and (3 plus 4)", "sum(5, (3 + 4))", "12"},
	{"teile 144 durch 16", "144 / 16", "9"},
	{"what's the mean of these: 12, 15, 20", "average(12, 15, 20)", "15.6666666667"},
	{"what is the total of 12, 15 and 20", "sum(12, 15, 20)", "47"},
	{"how much more is 120 than 85", "120 - 85", "35"},
	{"log of 8 to base 2", "log(8, base 2)", "3"},
	{"1 atm in bar", "1 atm", "1.01325 bar"},
	{"net of 119 at 19%", "119 / (1 + 19%)", "100"},
	{"45 with 20% discount", "45 - 20%", "36"},
	{"50 um 20 % erhöhen", "50 + 20%", "60"},
	{"86.40 with 15% tip divided by 4", "(86.40 + 15%) / 4", "24.84"},
	{"17 div 5", "17 div 5", "3"},
	{"simplify 18/24", "18 / 24", "3/4"},
	{"8 of 20 is what percent", "8 / 20", "40%"},
	{"runde 347 auf 10", "347", "350"},
	{"1000 at 5% compound interest for 3 years", "1000 * (1 + 5%)^3", "1157.625"},
	{"simple interest on 1000 at 5% for 6 months", "1000 * 5% * (1/2)", "25"},
}

func TestACalculationInPlainLanguageIsAnswered(t *testing.T) {
	for _, c := range plain {
		reply := expertstest.Ask(t, expert, c.prompt)
		got := bold.FindStringSubmatch(reply.Message)
		if got == nil || got[1] != c.want || reply.Data["expression"] != c.expression {
			t.Errorf("%q\n got %s %q of %v\nwant %q of %q", c.prompt, reply.Status, reply.Message, reply.Data["expression"], c.want, c.expression)
		}
		if bid := expert.Bid(t.Context(), c.prompt, nil); bid.Score < experts.ReadOperand {
			t.Errorf("%q: bids %v on %q", c.prompt, bid.Score, bid.Reads)
		}
	}
}

func TestAnAnswerSaysHowAQuestionWithTwoMeaningsWasRead(t *testing.T) {
	for _, c := range []struct{ prompt, want string }{
		{"what does 7 % 3 give?", "**1** = 7 mod 3, read as the remainder"},
		{"10 %4", "**2** = 10 mod 4, read as the remainder"},
		{"I bought for 42 and sell for 63, what is my margin in percent", "**33.3333333333%** ≈ (63 − 42) ÷ 63, the margin on the selling price"},
		{"bought at 42, sold at 63, markup?", "**50%** = (63 − 42) ÷ 42, the markup on the cost"},
		{"compound interest on 1000 at 5% for 3 years", "**157.625** = 1000 × (1 + 5%)^3 − 1000, compounded once a year"},
		{"wie oft passt 7 in 100", "**14** = floor(100 ÷ 7), and 2 is left"},
	} {
		if reply := expertstest.Ask(t, expert, c.prompt); reply.Message != c.want {
			t.Errorf("%q\n got %s %q\nwant %q", c.prompt, reply.Status, reply.Message, c.want)
		}
	}
}

func TestAQuestionAboutAWholeNumberIsAnsweredWithItsReason(t *testing.T) {
	for _, c := range []struct{ prompt, want string }{
		{"is 221 divisible by 13", "**Yes**: 221 ÷ 13 = 17"},
		{"ist 222 durch 13 teilbar?", "**No**: 222 ÷ 13 leaves 1"},
		{"is 97 a prime number?", "**Yes**: 97 is prime"},
		{"es 91 un número primo", "**No**: 91 = 7 × 13"},
		{"prime factors of 360", "**2^3 × 3^2 × 5** = 360"},
		{"factorise 9223372036854775807", "**7^2 × 73 × 127 × 337 × 92737 × 649657** = 9223372036854775807"},
		{"factorise 1000036000099", "That number has two prime factors above a million, which is further than I look."},
		{"is 1001 odd?", "**Yes**: 1001 is odd"},
		{"is 3/4 greater than 2/3", "**Yes**: 3 / 4 > 2 / 3"},
		{"is 3 km longer than 2 miles", "**No**: 3 km < 2 mi"},
		{"is 1.5 prime", "I find the prime factors of whole numbers from 2 to 9223372036854775807."},
	} {
		if reply := expertstest.Ask(t, expert, c.prompt); reply.Message != c.want {
			t.Errorf("%q\n got %s %q\nwant %q", c.prompt, reply.Status, reply.Message, c.want)
		}
	}
}

func TestAFollowUpOfOneKindTakesThePlaceOfThatInTheLastQuestion(t *testing.T) {
	for _, c := range []struct{ first, second, want string }{
		{"72 km/h in m/s", "and 90 km/h", "25 m/s"},
		{"12% of 840", "and 15%?", "126"},
		{"12% of 840", "and of 900?", "108"},
		{"Rechnung von 312,60 durch 4 teilen", "und durch 6", "52.1"},
		{"12 * 85", "and divided by 4?", "255"},
		{"3 sprints * 2 weeks * 5 days", "minus 4", "26 d"},
		{"5 miles in km", "and 10?", "16.09344 km"},
		{"12% of 840", "what about 15%", "126"},
		{"cube root of 27", "squared", "9"},
		{"10/3", "to 2 decimals", "3.33"},
		{"100000 seconds in hours and minutes", "half of that", "13.8888888889 h"},
	} {
		said := expertstest.Said(c.first, expertstest.Ask(t, expert, c.first).Message)
		reply := expertstest.Ask(t, expert, c.second, said...)
		if !strings.HasPrefix(reply.Message, "**"+c.want+"**") {
			t.Errorf("%q, %q: got %q, want %q", c.first, c.second, reply.Message, c.want)
		}
	}
}

func TestWhatCannotBeComputedIsRefusedInWords(t *testing.T) {
	for _, c := range []struct{ prompt, want string }{
		{"1/0", "Division by zero"},
		{"5 mod 0", "Division by zero"},
		{"0^-1", "Division by zero"},
		{"9^9^9^9", "10000 digits"},
		{"100000!", "10000 digits"},
		{"9^9^9", "10000 digits"},
		{"2^100000", "10000 digits"},
		{"1e999999999", "10000 digits"},
		{"10^-20000", "10000 digits"},
		{"0.5^1000000", "10000 digits"},
		{strings.Repeat("1", 1<<20), "too long"},
		{strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300), "nested"},
		{strings.Repeat("-", 700) + "1", "nested"},
		{"1" + strings.Repeat("+1", 1000), "steps"},
		{"square root of -4", "no real"},
		{"0.5!", "whole number"},
		{"gcd of 1.5 and 3", "whole numbers"},
		{"5 km in kg", "length"},
		{"5 minus 3 kg", "bring a bare number and kg (mass) together"},
		{"19% of 1.000 €", "Write 1000"},
		{"3 kg + 2 m", "together"},
		{"1.500 + 500", "Write 1500"},
		{"5 dollars in euros", "between dollars and euros"},
		{"100 yen to pounds", "between yen and pounds"},
		{"20 C + 5 F", "Temperatures"},
	} {
		reply := expertstest.Ask(t, expert, c.prompt)
		if reply.Status != core.StatusFailure || !strings.Contains(reply.Message, c.want) {
			t.Errorf("%.40q\n got %s %q\nwant failure with %q", c.prompt, reply.Status, reply.Message, c.want)
		}
	}
}

func TestWhatIsNotArithmeticIsAskedBack(t *testing.T) {
	for _, prompt := range []string{
		"", "?", "hello", "what time is it in Tokyo?", "who wrote parse.go?", "tell me a joke",
		"what weekday was 1969-07-20", "how many days until Christmas", "30 days from today",
		"days between 2026-03-01 and 2026-12-25", "convert 14:30 UTC to Tokyo time", "42", "what is 42?", "3 +", "* 3", "(1 + 2",
		"what is the population of France minus 5", "5 + the number of people in Rome", "192.168.1.1", "1.2.3 €", "20% battery left", "hey, my rent is going up: what is 12% of 840 for a tenant?",
		"(3+4i)", "blub 8 + 3", "3y + 2y", "\x00\xff", "))((", "area of a 3 m by 4 m room", "12% of 840 weather", "solve 3x = 12", "2 + 2 = 5", "C(10,3)", "12% of 840 the weather", "12% of 5 files the weather + 3", "3 men of 12 people", "how many commits in 2 weeks", "5 files in percent",
		"100 / 2 h", "3 + 4, times 2", "divide 144 by 12 and then add 5", "3 apples plus 4 pears", "increase 50 to 60", "average of 1200 and 20%", "difference between 12 and 20%", "of of of", "to km", "in in in", "%%%", "how many", "how many km",
	} {
		if reply := expertstest.Ask(t, expert, prompt); reply.Status != core.StatusClarification || !strings.Contains(reply.Message, "12% of 840") {
			t.Errorf("%q: got %s %q, want to be asked back with an example", prompt, reply.Status, reply.Message)
		}
	}
}

func TestAMeasureAloneIsAskedBackForTheOtherUnit(t *testing.T) {
	for _, prompt := range []string{"convert 5 miles", "5 miles"} {
		if reply := expertstest.Ask(t, expert, prompt); reply.Status != core.StatusClarification || !strings.Contains(reply.Message, "Into what shall I convert 5 mi?") {
			t.Errorf("%q: got %s %q", prompt, reply.Status, reply.Message)
		}
	}
}

func TestItAndThatAreTheLastResultOfTheConversation(t *testing.T) {
	conversation := expertstest.Said("what is 12% of 840?", "**100.8**", "times 1000, I mean")
	for _, c := range []struct{ prompt, want string }{
		{"add 5 to it", "**105.8**"},
		{"half of that", "**50.4**"},
		{"double the result", "**201.6**"},
		{"that in percent", "**10080%**"},
	} {
		reply := expertstest.Ask(t, expert, c.prompt, conversation...)
		if !strings.HasPrefix(reply.Message, c.want+" = ") {
			t.Errorf("%q: got %q, want %q", c.prompt, reply.Message, c.want)
		}
	}
	if reply := expertstest.Ask(t, expert, "add 5 to it"); reply.Status != core.StatusClarification {
		t.Errorf("with nothing before it: got %s %q", reply.Status, reply.Message)
	}
}

func TestDataHoldsTheResultForPrograms(t *testing.T) {
	for _, c := range []struct {
		prompt string
		want   map[string]any
	}{
		{"12% of 840", map[string]any{"expression": "12% of 840", "result": 100.8, "decimal": "100.8", "exact": true}},
		{"10/3", map[string]any{"expression": "10 / 3", "result": "10/3", "decimal": "3.33333333333", "exact": true}},
		{"sqrt 2", map[string]any{"expression": "sqrt(2)", "result": 1.41421356237, "decimal": "1.41421356237", "exact": false}},
		{"2^64", map[string]any{"expression": "2^64", "result": "18446744073709551616", "decimal": "18446744073709551616", "exact": true}},
		{"5 miles in km", map[string]any{"expression": "5 mi", "result": 8.04672, "decimal": "8.04672", "exact": true, "unit": "km"}},
		{"1/3 to 2 decimals", map[string]any{"expression": "1 / 3", "result": 0.33, "decimal": "0.33", "exact": false}},
	} {
		if diff := cmp.Diff(c.want, expertstest.Ask(t, expert, c.prompt).Data); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.prompt, diff)
		}
	}
	if thought := expertstest.Ask(t, expert, "12% of 840").Thought; thought != "computed in exact fractions" {
		t.Errorf("thought %q", thought)
	}
}

func TestALongResultIsShortenedInTheMessageAndWholeInData(t *testing.T) {
	for bits, cut := range map[uint]bool{2000: false, 9000: true} {
		reply := expertstest.Ask(t, expert, fmt.Sprintf("2^%d", bits))
		want := new(big.Int).Lsh(big.NewInt(1), bits).String()
		if reply.Data["result"] != want {
			t.Errorf("data has %v", reply.Data["result"])
		}
		if short := strings.Contains(reply.Message, fmt.Sprintf("(%d digits)", len(want))); short != cut || strings.Contains(reply.Message, want) == cut {
			t.Errorf("2^%d: message %q", bits, reply.Message)
		}
	}
}

// tree writes a random expression, in signs or in words, and computes it.
func tree(r *rand.Rand, depth int) (string, *big.Rat) {
	if depth == 0 || r.IntN(4) == 0 {
		whole, cents := r.IntN(1000), r.IntN(100)
		text := fmt.Sprintf("%d.%02d", whole, cents)
		n, _ := new(big.Rat).SetString(text)
		return text, n
	}
	a, x := tree(r, depth-1)
	b, y := tree(r, depth-1)
	ops := []string{"+", "plus", "-", "minus", "*", "times", "/", "divided by"}
	i := r.IntN(len(ops))
	n := new(big.Rat)
	switch i / 2 {
	case 0:
		n.Add(x, y)
	case 1:
		n.Sub(x, y)
	case 2:
		n.Mul(x, y)
	case 3:
		if y.Sign() == 0 {
			return a, x
		}
		n.Quo(x, y)
	}
	return "(" + a + ") " + ops[i] + " (" + b + ")", n
}

func TestRandomExpressionsAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		text, want := tree(r, 4)
		reply := expertstest.Ask(t, expert, "what is "+text+" as a fraction?")
		if got := reply.Data["decimal"]; got != want.RatString() {
			t.Fatalf("%s\n got %v (%s)\nwant %s", text, got, reply.Message, want.RatString())
		}
	}
}

func TestPrecedenceIsThatOfSchool(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		a, b, c, d := int64(r.IntN(99)+1), int64(r.IntN(99)+1), int64(r.IntN(99)+1), int64(r.IntN(4))
		text := fmt.Sprintf("%d - %d * %d^%d + %d", a, b, c, d, a)
		want := new(big.Int).Exp(big.NewInt(c), big.NewInt(d), nil)
		want.Mul(want, big.NewInt(-b)).Add(want, big.NewInt(2*a))
		if got := expertstest.Ask(t, expert, text).Data["decimal"]; got != want.String() {
			t.Fatalf("%s: got %v, want %s", text, got, want)
		}
	}
}

func TestAConversionThereAndBackIsTheSame(t *testing.T) {
	for _, pair := range [][2]string{{"km", "miles"}, {"kg", "pounds"}, {"celsius", "fahrenheit"}, {"GB", "GiB"}, {"litres", "gallons"}, {"m", "feet"}, {"days", "weeks"}} {
		there := expertstest.Ask(t, expert, "5/7 "+pair[0]+" in "+pair[1]).Data
		back := expertstest.Ask(t, expert, fmt.Sprintf("%v %s in %s", there["decimal"], pair[1], pair[0])).Data
		got, err := strconv.ParseFloat(fmt.Sprint(back["decimal"]), 64)
		if err != nil || math.Abs(got-5.0/7) > 1e-9 {
			t.Errorf("5/7 %s in %s and back: %v by way of %v", pair[0], pair[1], back["decimal"], there["decimal"])
		}
	}
}

func TestACancelledQuestionEnds(t *testing.T) {
	expertstest.Cancelled(t, expert, "1 + 1")
}

func TestManyListsAreReadInTimeThatGrowsWithTheirLength(t *testing.T) {
	if reply := expertstest.Ask(t, expert, strings.Repeat("sum(", 1000)+strings.Repeat(",", 4000)); reply.Status == core.StatusSuccess {
		t.Errorf("got %s", reply.Message)
	}
}

func TestTheIntroductionIsWithinItsBounds(t *testing.T) {
	expertstest.Introduction(t, expert, "calc")
}

func FuzzEveryPromptGetsALegalReply(f *testing.F) {
	expertstest.Fuzz(f, expert, 2000, "12% of 840", "5 ft 11 in cm", "9^9^9^9", "1e9999!", "gcd(12,18)", "how many seconds in a day", "√-2", "2^0.5", "0.5^2147483647", "1.5^-999999999", "1/3^7000 + 1/7^4000")
}
