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

func TestACalculationInPlainLanguageIsAnswered(t *testing.T) {
	for _, line := range expertstest.Lines(t, "plain.txt") {
		row := strings.Split(line, " => ")
		reply := expertstest.Ask(t, expert, row[0])
		got := bold.FindStringSubmatch(reply.Message)
		if got == nil || got[1] != row[2] || reply.Data["expression"] != row[1] {
			t.Errorf("%s\n got %s %q of %v", line, reply.Status, reply.Message, reply.Data["expression"])
		}
		if bid := expert.Bid(t.Context(), row[0], nil); bid.Score < experts.ReadOperand {
			t.Errorf("%q: bids %v on %q", row[0], bid.Score, bid.Reads)
		}
	}
}

func TestAnAnswerSaysHowTheQuestionWasReadAndItsReason(t *testing.T) {
	expertstest.Messages(t, expert, "messages.txt")
}

func TestAFollowUpGoesOnFromTheLastResult(t *testing.T) {
	for _, line := range expertstest.Lines(t, "followups.txt") {
		before, prompt, want := expertstest.Cut(line)
		said := expertstest.Said(before[0], expertstest.Ask(t, expert, before[0]).Message)
		if reply := expertstest.Ask(t, expert, prompt, said...); !strings.HasPrefix(reply.Message, want) {
			t.Errorf("%s: got %q", line, reply.Message)
		}
	}
}

func TestWhatCannotBeComputedIsRefusedInWords(t *testing.T) {
	expertstest.Status(t, expert, core.StatusFailure, "refused.txt",
		strings.Repeat("1", 1<<20)+" => too long",
		strings.Repeat("(", 300)+"1"+strings.Repeat(")", 300)+" => nested",
		strings.Repeat("-", 700)+"1 => nested",
		"1"+strings.Repeat("+1", 1000)+" => steps")
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

func TestAnOlderResultIsNotTakenForWhatWasToldSince(t *testing.T) {
	said := expertstest.Said("what is 5+5?", "**10**", "Joan's quote is 640", "Noted.")
	if bid := expert.Bid(t.Context(), "times 3", said); bid.Score > 0 {
		t.Errorf("it reads %q", bid.Reads)
	}
	said = expertstest.Said("what is 5+5?", "**10**", "thanks", "You are welcome.")
	if bid := expert.Bid(t.Context(), "times 3", said); bid.Score == 0 {
		t.Error("it goes on with nothing")
	}
}
