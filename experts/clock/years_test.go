package clock_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts/expertstest"
)

const beyond = "beyond the years 1 to 9999"

// civil is a day of the proleptic Gregorian calendar.
type civil struct{ y, m, d int }

func (c civil) String() string { return fmt.Sprintf("%04d-%02d-%02d", c.y, c.m, c.d) }

// number counts days by Fliegel and van Flandern's formula, which knows nothing
// of this program's.
func (c civil) number() int {
	a := (c.m - 14) / 12
	return (1461*(c.y+4800+a))/4 + (367*(c.m-2-12*a))/12 - (3*((c.y+4900+a)/100))/4 + c.d - 32075
}

// anyDay is some day of the years 1 to 9999.
func anyDay(r *rand.Rand) civil { return civil{1 + r.IntN(9999), 1 + r.IntN(12), 1 + r.IntN(28)} }

func TestDaysAreCountedRightOverAllYears(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pairs := [][2]civil{{{1, 1, 1}, {9999, 12, 31}}, {{1500, 1, 1}, {2026, 1, 1}}, {{2026, 1, 1}, {2318, 4, 12}}}
	for range 500 {
		pairs = append(pairs, [2]civil{anyDay(r), anyDay(r)})
	}
	weekdays := strings.Fields("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
	for _, p := range pairs {
		n := p[1].number() - p[0].number()
		for prompt, want := range map[string]any{
			fmt.Sprintf("days between %s and %s", p[0], p[1]):  float64(n),
			fmt.Sprintf("hours between %s and %s", p[0], p[1]): float64(24 * n),
			fmt.Sprintf("what weekday was %s", p[1]):           p[1].String(),
		} {
			if got := expertstest.Ask(t, expert, prompt); got.Status != core.StatusSuccess || got.Data["result"] != want || got.Data["weekday"] != weekdays[p[1].number()%7] {
				t.Fatalf("%s: want %v, %s: got %s %v", prompt, want, weekdays[p[1].number()%7], got.Message, got.Data)
			}
		}
		if got := expertstest.Ask(t, expert, fmt.Sprintf("what weekday was %s", p[1])).Data["days_from_today"]; got != float64(p[1].number()-civil{2026, 11, 21}.number()) {
			t.Fatalf("%s is %v days from today", p[1], got)
		}
		way := "after"
		if n < 0 {
			way = "before"
		}
		if got := expertstest.Ask(t, expert, fmt.Sprintf("%d days %s %s", max(n, -n), way, p[0])).Data["date"]; got != p[1].String() {
			t.Fatalf("%d days %s %s: got %v, want %s", max(n, -n), way, p[0], got, p[1])
		}
	}
}

func TestAYearThatIsNotCountedIsRefused(t *testing.T) {
	for _, prompt := range []string{
		"what weekday is 10000-01-01", "days until 10000-01-01", "days between 0000-01-01 and 2026-01-01", "days since 15 march 44 BC",
		"how many days until 1 january 20000", "is 10000 a leap year", "is year 12345 a leap year",
		"1000000000000 days from now", "1,000,000,000,000 days from now", "in 123456789 days", "3652059 days after 0001-01-01", "1 day before 0001-01-01",
		"10000000000000000 minutes ago", "99999999999999999999999 hours from now", "10000 years from now", "2026 years ago",
		"999999999999 weeks ago", "9999999999999999999 months from now",
		"5:00 0001-01-01 Tokyo in New York", "23:00 9999-12-31 New York in Tokyo",
	} {
		if reply := expertstest.Ask(t, expert, prompt); reply.Status != core.StatusFailure || !strings.Contains(reply.Message, beyond) {
			t.Errorf("%q: got %s %q", prompt, reply.Status, reply.Message)
		}
	}
}

func TestSpansOfAnyLengthAndEarlyYearsAreRead(t *testing.T) {
	for prompt, want := range map[string]any{
		"days between 1500-01-01 and 2026-01-01":                  192118.0,
		"1,000,000 days from now":                                 "4764-10-18",
		"100000000000 seconds from now":                           "5195-10-06T11:58:40+02:00",
		"10000000 hours from now":                                 "3167-09-07T18:12:00+02:00",
		"999999 hours and 999999 hours and 999999 hours from now": "2369-02-15T22:12:00+01:00",
		"hours until 5pm on 2500-01-01":                           248834388.0,
		"how many seconds since 1066-10-14":                       -504966305.0,
		"what weekday was 25 december 800":                        "0800-12-25",
		"what weekday was july 4 476":                             "0476-07-04",
		"what weekday was 15 march 44 ad":                         "0044-03-15",
		"is the year 4 a leap year":                               366.0,
		"2 may 100 days later":                                    "2027-08-10",
		"1234567890":                                              "2009-02-13T23:31:30Z",
	} {
		if reply := expertstest.Ask(t, expert, prompt); reply.Status != core.StatusSuccess || reply.Data["result"] != want {
			t.Errorf("%q: got %s %q %v, want %v", prompt, reply.Status, reply.Message, reply.Data["result"], want)
		}
	}
}
