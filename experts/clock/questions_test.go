package clock_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts"
	"github.com/yaap-chat/yaap/experts/expertstest"
)

func TestAQuestionIsReadAndAnswered(t *testing.T) {
	expertstest.Answers(t, expert, "questions.txt", 98)
	expertstest.Answers(t, expert, "typed.txt", 45)
	expertstest.Answers(t, expert, "asked.txt", 54)
}

func TestATextForOthersIsDeclined(t *testing.T) {
	expertstest.Declines(t, expert, "others.txt", 78)
}

func TestABidSaysWhatWasReadAndWhatIsMissing(t *testing.T) {
	said := []core.Message{{Role: core.RoleUser, Text: "what time is it in Tokyo?"}, {Role: core.RoleAssistant, Text: "**09:12** in Tokyo"}}
	told := []core.Message{{Role: core.RoleUser, Text: "release is on 2025-06-12 at 17:00 UTC"}}
	for _, c := range []struct {
		text string
		said []core.Message
		want core.Bid
	}{
		{"what time is it in Tokyo?", nil, core.Bid{Score: experts.ReadAll, Reads: "the time in Tokyo"}},
		{"what time is that in Tokyo?", nil, core.Bid{Score: 0.7, Reads: "the time in Tokyo", Needs: []string{"Which moment do you mean?"}}},
		{"what time is that in Tokyo?", told, core.Bid{Score: experts.ReadAll, Reads: "17:00 UTC in Tokyo"}},
		{"days until Christmas", nil, core.Bid{Score: experts.ReadAll, Reads: "days until 25 December 2026"}},
		{"15:00 Berlin in New York", nil, core.Bid{Score: experts.ReadAll, Reads: "15:00 Berlin in New York"}},
		{"and in Paris?", said, core.Bid{Score: experts.ReadAll, Reads: "the time in Paris"}},
		{"and in Paris?", nil, core.Bid{Score: experts.ReadShape, Reads: "the time in Paris"}},
		{"Tokyo", nil, core.Bid{Score: experts.ReadShape, Reads: "the time in Tokyo"}},
		{"and this week?", nil, core.Bid{}},
		{"und letzte Woche?", []core.Message{{Role: core.RoleUser, Text: "Wie viele Eier hatten wir heute?"}}, core.Bid{}},
		{"and tomorrow?", []core.Message{{Role: core.RoleUser, Text: "what day is today?"}}, core.Bid{Score: experts.ReadAll, Reads: "the date 22 November 2026"}},
		{"first Tuesday of next month", []core.Message{{Role: core.RoleUser, Text: "how old is someone born on 1990-06-15?"}}, core.Bid{Score: experts.ReadAll, Reads: "the date 1 December 2026"}},
		{"what day is 10000-01-01", nil, core.Bid{Score: experts.Understood, Reads: "a date", Needs: []string{"That is beyond the years 1 to 9999, which is as far as I count."}}},
		{"03/04/2026", nil, core.Bid{Score: experts.Understood, Reads: "a date", Needs: []string{"Is 03/04/2026 day or month first? Say 3 April 2026 or 4 March 2026."}}},
		{"it is 15:00 in Paris", nil, core.Bid{}},
		{"the sun is shining", nil, core.Bid{}},
		{"what time is it in Tokyo and who wrote parse.go", nil, core.Bid{}},
		{strings.Repeat("(", 10_000), nil, core.Bid{}},
	} {
		if diff := cmp.Diff(c.want, expert.Bid(t.Context(), c.text, c.said)); diff != "" {
			t.Errorf("%.60q (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestEasterIsThatOfTheTables(t *testing.T) {
	for year, want := range map[int]string{
		1818: "22 March 1818", 1961: "2 April 1961", 1943: "25 April 1943", 2000: "23 April 2000", 2024: "31 March 2024", 2038: "25 April 2038", 2285: "22 March 2285",
	} {
		if reply := expertstest.Ask(t, expert, fmt.Sprintf("when is Easter %d", year)); !strings.Contains(reply.Message, "Sunday "+want) {
			t.Errorf("%d: got %s, want %s", year, reply.Message, want)
		}
	}
}

func BenchmarkABid(b *testing.B) {
	const size = 500 // what is read at most
	expertstest.Bids(b, expert, []string{
		strings.Repeat("the build of main is red again since ", size/37),
		strings.Repeat("what time ", size/10),
		strings.Repeat("Paris ", size/6),
		strings.Repeat("2026-11-21 ", size/11),
		strings.Repeat("1 day ", size/6),
		strings.Repeat("9", size),
		strings.Repeat("(", size),
		strings.Repeat("what time ", 800),
	})
}
