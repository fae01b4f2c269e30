package clock_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"yaap/core"
	"yaap/experts"
	"yaap/experts/clock"
)

// expert answers on Saturday, 21 November 2026, at 00:12 UTC, in Berlin.
var expert = func() experts.Expert {
	local, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	return clock.New(func() time.Time { return time.Date(2026, 11, 21, 0, 12, 0, 0, time.UTC) }, local)
}()

func ask(t *testing.T, prompt string) core.Reply {
	t.Helper()
	reply, err := expert.Answer(t.Context(), experts.Question{Prompt: prompt})
	if err != nil {
		t.Fatalf("%q: %v", prompt, err)
	}
	return reply
}

// plain are questions in plain language, and their answers.
var plain = []struct{ prompt, want string }{
	{"what time is it in Tokyo?", "In Tokyo it is 09:12 on Saturday, 21 November 2026."},
	{"What time is it in Tokyo", "In Tokyo it is 09:12 on Saturday, 21 November 2026."},
	{"time in Tokyo", "In Tokyo it is 09:12 on Saturday, 21 November 2026."},
	{"tokyo time", "In Tokyo it is 09:12 on Saturday, 21 November 2026."},
	{"Tokyo", "In Tokyo it is 09:12 on Saturday, 21 November 2026."},
	{"and in Paris?", "In Paris it is 01:12 on Saturday, 21 November 2026."},
	{"and Paris?", "In Paris it is 01:12 on Saturday, 21 November 2026."},
	{"what's the time in São Paulo", "In São Paulo it is 21:12 on Friday, 20 November 2026."},
	{"time in Zürich", "In Zurich it is 01:12 on Saturday, 21 November 2026."},
	{"current time in san francisco", "In San Francisco it is 16:12 on Friday, 20 November 2026."},
	{"what time is it right now in New York City?", "In New York City it is 19:12 on Friday, 20 November 2026."},
	{"could you please tell me the current local time in Mumbai?", "In Mumbai it is 05:42 on Saturday, 21 November 2026."},
	{"what time is it in Asia/Kolkata", "In Kolkata it is 05:42 on Saturday, 21 November 2026."},
	{"current time in UTC+5:30", "In UTC+5:30 it is 05:42 on Saturday, 21 November 2026."},
	{"time at GMT-3", "In UTC-3 it is 21:12 on Friday, 20 November 2026."},
	{"what time is it in EST", "In EST (UTC-5) it is 19:12 on Friday, 20 November 2026."},
	{"time in IST", "In IST (UTC+5:30) it is 05:42 on Saturday, 21 November 2026. (IST taken as that of India, not of Ireland or Israel.)"},
	{"UTC time", "In UTC it is 00:12 on Saturday, 21 November 2026."},
	{"time in the UK", "In UK it is 00:12 on Saturday, 21 November 2026."},
	{"what time is it in Germany now", "In Germany it is 01:12 on Saturday, 21 November 2026."},
	{"time in Australia", "Australia has several times: Sydney 11:12, Brisbane 10:12, Adelaide 10:42, Darwin 09:42, Perth 08:12."},
	{"time in Tokyo and London", "In Tokyo it is 09:12 on Saturday, 21 November 2026. In London it is 00:12 on Saturday, 21 November 2026."},
	{"now", "It is 01:12 on Saturday, 21 November 2026 (Europe/Berlin)."},
	{"what time is it?", "It is 01:12 on Saturday, 21 November 2026 (Europe/Berlin)."},
	{"date today", "Today is Saturday, 21 November 2026."},
	{"what's today's date?", "Today is Saturday, 21 November 2026."},
	{"what is the date?", "It is 01:12 on Saturday, 21 November 2026 (Europe/Berlin)."},
	{"what day is it in Auckland", "In Auckland it is 13:12 on Saturday, 21 November 2026."},
	{"what day is it", "It is 01:12 on Saturday, 21 November 2026 (Europe/Berlin)."},

	{"3pm London in New York", "15:00 in London on Saturday, 21 November 2026 is 10:00 in New York."},
	{"when it is 9:00 in Paris what time is it in Sydney?", "09:00 in Paris on Saturday, 21 November 2026 is 19:00 in Sydney."},
	{"what time will it be in London at 5pm Tokyo time", "17:00 in Tokyo on Saturday, 21 November 2026 is 08:00 in London."},
	{"2026-07-01T12:00:00+02:00 in New York", "12:00 in UTC+2 on Wednesday, 1 July 2026 is 06:00 in New York."},
	{"time in +02:00", "In UTC+2 it is 02:12 on Saturday, 21 November 2026."},
	{"time in Etc/GMT+5", "In Etc/GMT+5 it is 19:12 on Friday, 20 November 2026."},
	{"TIME IN CYPRUS PLEASE", "In Cyprus it is 02:12 on Saturday, 21 November 2026."},
	{"what time is it in Sydney when it is 9:00 in Paris?", "09:00 in Paris on Saturday, 21 November 2026 is 19:00 in Sydney."},
	{"convert 14:30 UTC to Tokyo time", "14:30 in UTC on Saturday, 21 November 2026 is 23:30 in Tokyo."},
	{"3:30 pm PST to CET", "15:30 in PST (UTC-8) on Friday, 20 November 2026 is 00:30 on Saturday, 21 November 2026 in CET (UTC+1)."},
	{"what is 3pm in Tokyo", "15:00 in Europe/Berlin on Saturday, 21 November 2026 is 23:00 in Tokyo."},
	{"3pm Tokyo time", "15:00 in Tokyo on Saturday, 21 November 2026 is 07:00 in Europe/Berlin."},
	{"if it's 3pm in Tokyo, what time is it here?", "15:00 in Tokyo on Saturday, 21 November 2026 is 07:00 in Europe/Berlin."},
	{"noon in London in Los Angeles and Tokyo", "12:00 in London on Saturday, 21 November 2026 is 04:00 in Los Angeles, 21:00 in Tokyo."},
	{"my flight leaves London at 3pm, what time is that in New York", "15:00 in London on Saturday, 21 November 2026 is 10:00 in New York."},
	{"2026-07-01 12:00 UTC in Berlin", "12:00 in UTC on Wednesday, 1 July 2026 is 14:00 in Berlin."},
	{"2026-07-01T12:00:00Z in New York", "12:00 in UTC on Wednesday, 1 July 2026 is 08:00 in New York."},
	{"midnight in Tokyo to London time", "00:00 in Tokyo on Saturday, 21 November 2026 is 15:00 on Friday, 20 November 2026 in London."},
	{"1500 UTC in Berlin", "15:00 in UTC on Saturday, 21 November 2026 is 16:00 in Berlin."},
	{"tomorrow 9am in Tokyo in Berlin time", "09:00 in Tokyo on Sunday, 22 November 2026 is 01:00 in Berlin."},

	{"time difference between Berlin and Tokyo", "Tokyo is 8 hours ahead of Berlin: 01:12 in Berlin is 09:12 in Tokyo."},
	{"what is the time difference between London and New York?", "New York is 5 hours behind London: 00:12 in London is 19:12 in New York."},
	{"how many hours ahead is Kathmandu of London", "London is 5 hours 45 minutes behind Kathmandu: 05:57 in Kathmandu is 00:12 in London."},
	{"how far behind is New York from Paris", "Paris is 6 hours ahead of New York: 19:12 in New York is 01:12 in Paris."},
	{"what time zone is Tokyo in", "In Tokyo it is 09:12 on Saturday, 21 November 2026 (Asia/Tokyo, UTC+9)."},

	{"30 days from today", "30 days after 21 November 2026 is Monday, 21 December 2026."},
	{"what date is 30 days from now?", "30 days after 21 November 2026 is Monday, 21 December 2026."},
	{"what date is 3 weeks after 2026-01-15", "3 weeks after 15 January 2026 is Thursday, 5 February 2026."},
	{"2 months before 30 April 2026", "2 months before 30 April 2026 is Saturday, 28 February 2026."},
	{"90 days ago", "90 days before 21 November 2026 is Sunday, 23 August 2026."},
	{"in 2 weeks", "2 weeks after 21 November 2026 is Saturday, 5 December 2026."},
	{"one year from tomorrow", "1 year after 22 November 2026 is Monday, 22 November 2027."},
	{"what time will it be in 3 hours?", "It will be 04:12 on Saturday, 21 November 2026 (Europe/Berlin)."},
	{"what time will it be in Tokyo in 90 minutes", "It will be 10:42 on Saturday, 21 November 2026 (Tokyo)."},
	{"2 hours after 14:30", "It will be 16:30 on Saturday, 21 November 2026 (Europe/Berlin)."},
	{"2026-03-01 plus 30 days", "30 days after 1 March 2026 is Tuesday, 31 March 2026."},
	{"today - 90 days", "90 days before 21 November 2026 is Sunday, 23 August 2026."},
	{"today -3 days", "3 days before 21 November 2026 is Wednesday, 18 November 2026."},
	{"now -2 hours", "It was 23:12 on Friday, 20 November 2026 (Europe/Berlin)."},
	{"now +2 hours", "It will be 03:12 on Saturday, 21 November 2026 (Europe/Berlin)."},
	{"2026-12-25 - 2026-01-01", "1 January 2026 is 358 days before 25 December 2026."},
	{"how many seconds until midnight", "00:00 on Sunday, 22 November 2026 is 22 hours 48 minutes away."},
	{"January 31, 2026 + 1 month", "1 month after 31 January 2026 is Saturday, 28 February 2026."},

	{"days between 2026-03-01 and 2026-12-25", "From 1 March 2026 to 25 December 2026 it is 299 days."},
	{"how many days are between March 1 2026 and December 25 2026?", "From 1 March 2026 to 25 December 2026 it is 299 days."},
	{"how many days until Christmas", "Friday, 25 December 2026 is 34 days away."},
	{"days until 25 December", "Friday, 25 December 2026 is 34 days away."},
	{"how long until new year's eve?", "Thursday, 31 December 2026 is 40 days away."},
	{"how many weeks until 2027-01-02", "Saturday, 2 January 2027 is 6 weeks away."},
	{"how many days since 2026-01-01", "Thursday, 1 January 2026 was 324 days ago."},
	{"how old is someone born on 1990-05-17", "Since 17 May 1990 it has been 36 years, 6 months and 4 days."},
	{"how many days in February 2028", "February 2028 has 29 days."},
	{"how many days are in 2028?", "2028 has 366 days. It is a leap year."},
	{"what weekday was 1969-07-20", "20 July 1969 was a Sunday, 20943 days ago."},
	{"what day of the week was July 20, 1969?", "20 July 1969 was a Sunday, 20943 days ago."},
	{"which weekday is 24.12.2026", "24 December 2026 is a Thursday, 33 days from today."},
	{"which weekday is 12/25/2026", "25 December 2026 is a Friday, 34 days from today."},
	{"which weekday is 25/12/2026", "25 December 2026 is a Friday, 34 days from today."},
	{"next friday", "27 November 2026 is a Friday, 6 days from today."},
	{"what date is tomorrow", "22 November 2026 is a Sunday, 1 day from today."},
	{"is 2028 a leap year", "2028 has 366 days. It is a leap year."},
	{"is 1900 a leap year?", "1900 has 365 days. It is not a leap year."},
	{"ISO week of 2026-12-31", "Thursday, 31 December 2026 is in ISO week 53 of 2026."},
	{"what week is it?", "Saturday, 21 November 2026 is in ISO week 47 of 2026."},
	{"unix time of 2026-01-01", "The Unix time of 2026-01-01 00:00:00 UTC is 1767225600."},
	{"what is 1700000000 as a date", "1700000000 is 22:13:20 on Tuesday, 14 November 2023 (UTC)."},
	{"unix timestamp now", "The Unix time of 2026-11-21 01:12:00 CET is 1795219920."},
	{"convert unix timestamp 1700000000 to Tokyo time", "1700000000 is 07:13:20 on Wednesday, 15 November 2023 (Tokyo)."},

	{"3 p.m. Eastern in Central European Time", "15:00 in Eastern on Friday, 20 November 2026 is 21:00 in CET (UTC+1)."},
	{"whats the time in nyc rn", "In NYC it is 19:12 on Friday, 20 November 2026."},
	{"time in Portland, Oregon", "In Portland it is 16:12 on Friday, 20 November 2026."},
	{"what's 9am Pacific in London?", "09:00 in Pacific on Friday, 20 November 2026 is 17:00 in London."},
	{"what's the time in Seoul when it's 8 in the morning in Chicago", "08:00 in Chicago on Friday, 20 November 2026 is 23:00 in Seoul."},
	{"what day was Christmas last year", "25 December 2025 was a Thursday, 331 days ago."},
	{"when is 29 February", "29 February 2028 is a Tuesday, 465 days from today."},
	{"9 in the evening in Paris in Tokyo", "21:00 in Paris on Saturday, 21 November 2026 is 05:00 on Sunday, 22 November 2026 in Tokyo."},
	{"what day of the week will Christmas be in 2030", "25 December 2030 is a Wednesday, 1495 days from today."},
	{"how many days left in this year", "Thursday, 31 December 2026 is 40 days away."},
	{"what's the utc offset of Nepal", "In Nepal it is 05:57 on Saturday, 21 November 2026 (Asia/Kathmandu, UTC+5:45)."},
	{"how many hours until midnight", "00:00 on Sunday, 22 November 2026 is 22 hours 48 minutes away."},
	{"how many days in next month", "December 2026 has 31 days."},
	{"is this year a leap year", "2026 has 365 days. It is not a leap year."},
	{"add 45 days to 2026-02-10", "45 days after 10 February 2026 is Friday, 27 March 2026."},
	{"how many hours until new year", "00:00 on Friday, 1 January 2027 is 982 hours 48 minutes away."},
	{"hours since 2026-11-20", "00:00 on Friday, 20 November 2026 was 25 hours 12 minutes ago."},
	{"how many hours between 2026-11-20 and 2026-11-22", "From 20 November 2026 to 22 November 2026 it is 48 hours."},
	{"how long till 2027", "Friday, 1 January 2027 is 41 days away."},
	{"how many days does april have", "April 2027 has 30 days."},
}

func TestAQuestionAboutTimeInPlainLanguageIsAnswered(t *testing.T) {
	for _, c := range plain {
		reply := ask(t, c.prompt)
		if reply.Message != c.want || reply.Status != core.StatusSuccess {
			t.Errorf("%q\n got %s %q\nwant %q", c.prompt, reply.Status, reply.Message, c.want)
		}
	}
}

func TestWhatIsNotUnderstoodIsAskedBack(t *testing.T) {
	for _, c := range []struct{ prompt, want string }{
		{"", "For example"},
		{"hello", "For example"},
		{"what is 12% of 840?", "For example"},
		{"who is the mayor of Paris", "For example"},
		{"population of Tokyo", "For example"},
		{"5 miles in km", "For example"},
		{"what time is it in Atlantis", "\"atlantis\""},
		{"time in Middle Earth?", "\"middle earth\""},
		{"how many days until ragnarok", "\"ragnarok\""},
		{"3pm in Australia in Tokyo", "Name a city"},
		{"time difference between Russia and Japan", "Name a city"},
		{"what weekday is 03/04/2026", "2026-04-03"},
		{"3pm", "At which place"},
		{"10:00-12:00", "For example"},
		{"2:30 on 2026-10-25 in Berlin in UTC", "comes twice"},
		{"time in Tokyo tomorrow", "For example"},
		{"unix time in 2 hours", "For example"},
		{"day of year", "For example"},
		{"9am London in Central Narnian time", "For example"},
		{"9am Narnia in London", "For example"},
		{"remind me in 10 minutes", "For example"},
		{"best time to eat", "For example"},
		{"best time to visit Tokyo", "For example"},
		{"how many weekends until Christmas", "For example"},
		{"working days between 2026-11-02 and 2026-11-13", "For example"},
		{"10 business days from today", "For example"},
		{"1.5 days from now", "For example"},
		{"half past three pm in Paris in New York", "For example"},
		{"10pm tomorrow evening in Paris", "For example"},
		{"at 10 at night in Paris", "For example"},
		{"when do the clocks change in London?", "For example"},
		{"is it daylight saving time in Sydney", "For example"},
		{"when is Easter 2027", "For example"},
		{"what day is halloween", "For example"},
		{"first monday of next month", "For example"},
		{"second monday of december", "For example"},
		{"last friday of the month", "For example"},
		{"last day of the month", "For example"},
		{"days between 1 March and last day of May", "For example"},
		{"how long until 3pm in Australia", "Name a city"},
		{"is my flight on time?", "For example"},
		{"is March 2028 a leap year", "Which year"},
		{"when was the last leap year", "Which year"},
		{"when is the next leap year", "Which year"},
		{"how many weeks are in 2028", "For example"},
		{"\x00\xff\xfe", "For example"},
	} {
		reply := ask(t, c.prompt)
		if reply.Status != core.StatusClarification || !strings.Contains(reply.Message, c.want) {
			t.Errorf("%q: got %s %q, want to be asked back with %q", c.prompt, reply.Status, reply.Message, c.want)
		}
	}
}

func TestWhatHasNoAnswerIsRefusedInWords(t *testing.T) {
	for _, c := range []struct{ prompt, want string }{
		{"what weekday is 2026-02-30", "no day 30"},
		{"weekday of 2026-13-01", "no day 1"},
		{"999999 years from today", "beyond"},
		{"2:30 on 2027-03-28 in Berlin in Tokyo", "does not exist"},
		{"31 june", "no day 31"},
		{strings.Repeat("Tokyo ", 1000), "too long"},
	} {
		reply := ask(t, c.prompt)
		if reply.Status != core.StatusFailure || !strings.Contains(reply.Message, c.want) {
			t.Errorf("%q: got %s %q, want a refusal with %q", c.prompt, reply.Status, reply.Message, c.want)
		}
	}
}

func TestDataHoldsTheMomentForPrograms(t *testing.T) {
	want := map[string]any{
		"result": "2026-11-21T09:12:00+09:00", "place": "Tokyo", "zone": "Asia/Tokyo", "time": "2026-11-21T09:12:00+09:00", "date": "2026-11-21", "clock": "09:12",
		"weekday": "Saturday", "offset": "UTC+9", "iso_week": "2026-W47",
	}
	if diff := cmp.Diff(want, ask(t, "time in Tokyo").Data); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if days := ask(t, "days until Christmas").Data["days"]; days != 34.0 {
		t.Errorf("days %v", days)
	}
}

func TestEveryPlaceOfTheTableHasRules(t *testing.T) {
	text, err := os.ReadFile("places.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		zones, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if strings.HasPrefix(line, "#") {
			continue
		}
		for zone := range strings.SplitSeq(zones, ",") {
			if !strings.Contains(zone, "/") {
				continue // an offset
			}
			if reply := ask(t, "what time is it in "+zone); reply.Data["zone"] != zone {
				t.Errorf("%s: %s", zone, reply.Message)
			}
		}
		names, _, _ = strings.Cut(names, "; ")
		for name := range strings.SplitSeq(names, " | ") {
			if reply := ask(t, "what time is it in "+name); reply.Status != core.StatusSuccess {
				t.Errorf("%s: %s", name, reply.Message)
			}
		}
	}
}

func TestACityThatAZoneIsNamedAfterIsKnown(t *testing.T) {
	for name, zone := range map[string]string{
		"los angeles": "America/Los_Angeles", "Dar es Salaam": "Africa/Dar_es_Salaam", "port-au-prince": "America/Port-au-Prince",
		"isle of man": "Europe/Isle_of_Man", "Ulaanbaatar": "Asia/Ulaanbaatar", "honolulu": "Pacific/Honolulu", "Nairobi": "Africa/Nairobi",
		"ushuaia": "America/Argentina/Ushuaia", "Perth": "Australia/Perth", "america/argentina/buenos_aires": "America/Argentina/Buenos_Aires",
		"US/Pacific": "US/Pacific", "la paz": "America/La_Paz", "HO CHI MINH": "Asia/Ho_Chi_Minh", "etc/utc": "Etc/UTC",
	} {
		if reply := ask(t, "time in "+name); reply.Data["zone"] != zone {
			t.Errorf("%s: %s %v", name, reply.Message, reply.Data["zone"])
		}
	}
}

func TestDaysThereAndBackAreTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		start := time.Date(1900+r.IntN(300), time.Month(1+r.IntN(12)), 1+r.IntN(28), 0, 0, 0, 0, time.UTC)
		n := r.IntN(100_000)
		end, _ := ask(t, fmt.Sprintf("%d days after %s", n, start.Format(time.DateOnly))).Data["date"].(string)
		if end != start.AddDate(0, 0, n).Format(time.DateOnly) {
			t.Fatalf("%d days after %s: %s", n, start.Format(time.DateOnly), end)
		}
		days := ask(t, fmt.Sprintf("days between %s and %s", start.Format(time.DateOnly), end)).Data["days"]
		if days != float64(n) {
			t.Fatalf("between %s and %s: %v, want %d", start.Format(time.DateOnly), end, days, n)
		}
	}
}

func TestTheIntroductionIsWithinItsBounds(t *testing.T) {
	e := clock.New(time.Now, time.UTC)
	if e.Name != "clock" || len(e.Description) > 1024 || len(e.Examples) > 5 {
		t.Errorf("%q, %d characters, %d examples", e.Name, len(e.Description), len(e.Examples))
	}
	for _, example := range e.Examples {
		if reply := ask(t, example); reply.Status != core.StatusSuccess {
			t.Errorf("example %q: %s", example, reply.Message)
		}
	}
}

func FuzzEveryPromptGetsALegalReply(f *testing.F) {
	for _, seed := range []string{"time in Tokyo", "3pm London in New York", "days until 29 February", "9999-12-31 + 999999 years", "12/31/2026", "@1700000000", "utc+99:99"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		reply, err := expert.Answer(t.Context(), experts.Question{Prompt: prompt})
		if err != nil {
			t.Fatal(err)
		}
		switch reply.Status {
		case core.StatusSuccess, core.StatusFailure, core.StatusClarification:
		default:
			t.Fatalf("status %q", reply.Status)
		}
		if reply.Message == "" || len(reply.Message) > 16<<10 {
			t.Fatalf("message of %d bytes", len(reply.Message))
		}
		if _, err := json.Marshal(reply); err != nil {
			t.Fatal(err)
		}
	})
}
