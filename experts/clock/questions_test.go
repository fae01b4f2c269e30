package clock_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"yaap/core"
	"yaap/experts"
	"yaap/experts/clock"
)

// heldOutFloors are how many of the held-out questions of a table are right at least.
var heldOutFloors = map[string]int{"questions.txt": 98, "typed.txt": 45, "asked.txt": 54}

var bold = regexp.MustCompile(`\*\*(.+?)\*\*`)

// table returns the lines of a file in testdata that are no comments.
func table(t *testing.T, name string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// wrong says how the answer to a line of questions.txt is wrong, "" if it is
// not.
func wrong(t *testing.T, line string) string {
	t.Helper()
	prompt, want, _ := strings.Cut(line, " | ")
	var said []core.Message
	if first, second, ok := strings.Cut(prompt, " // "); ok {
		said = []core.Message{{Role: core.RoleUser, Text: first}, {Role: core.RoleAssistant, Text: ask(t, first).Message}}
		prompt = second
	}
	bid := expert.Bid(t.Context(), prompt, said)
	reply, err := expert.Answer(t.Context(), experts.Question{Prompt: prompt, Context: said})
	if err != nil {
		t.Fatal(err)
	}
	got := prompt + ": bids " + bid.Reads + ", answers " + string(reply.Status) + " " + reply.Message
	kind, words, _ := strings.Cut(want, " ")
	status := map[string]core.Status{"refused": core.StatusFailure, "asked": core.StatusClarification}[kind]
	switch {
	case status != "":
		if bid.Declines() || reply.Status != status || !strings.Contains(reply.Message, words) {
			return got
		}
	case reply.Status != core.StatusSuccess || bid.Score <= 0.5 || bid.Reads == "":
		return got
	default:
		var marked []string
		for _, m := range bold.FindAllStringSubmatch(reply.Message, -1) {
			marked = append(marked, m[1])
		}
		want, also, _ := strings.Cut(want, " & ")
		if m := strings.Join(marked, ", "); m != want || !strings.Contains(reply.Message, also) {
			return got
		}
	}
	return ""
}

func TestAQuestionIsReadAndAnswered(t *testing.T) {
	for name := range heldOutFloors {
		for i, line := range table(t, name) {
			if i%2 == 0 {
				if got := wrong(t, line); got != "" {
					t.Errorf("%s\n got %s", line, got)
				}
			}
		}
	}
}

func TestQuestionsThatNothingWasTunedToAreMostlyAnswered(t *testing.T) {
	for name, floor := range heldOutFloors {
		right, all := 0, 0
		for i, line := range table(t, name) {
			if i%2 == 1 {
				all++
				if wrong(t, line) == "" {
					right++
				}
			}
		}
		t.Logf("%s: %d of %d", name, right, all)
		if right < floor {
			t.Errorf("%s: %d of %d are right, want %d", name, right, all, floor)
		}
	}
}

func TestATextForOthersIsDeclined(t *testing.T) {
	for _, line := range table(t, "others.txt") {
		if bid := expert.Bid(t.Context(), line, nil); bid.Score >= 0.3 {
			t.Errorf("%q: bids %v on %q", line, bid.Score, bid.Reads)
		}
	}
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
		if reply := ask(t, fmt.Sprintf("when is Easter %d", year)); !strings.Contains(reply.Message, "Sunday "+want) {
			t.Errorf("%d: got %s, want %s", year, reply.Message, want)
		}
	}
}

func BenchmarkABid(b *testing.B) {
	e := clock.New(time.Now, time.UTC)
	const size = 500 // what is read at most
	for name, text := range map[string]string{
		"plain":    "what time is it in Tokyo?",
		"german":   "wie viele Tage bis Weihnachten",
		"convert":  "15:00 Berlin in New York and Tokyo",
		"prose":    strings.Repeat("the build of main is red again since ", size/37),
		"words":    strings.Repeat("what time ", size/10),
		"places":   strings.Repeat("Paris ", size/6),
		"dates":    strings.Repeat("2026-11-21 ", size/11),
		"spans":    strings.Repeat("1 day ", size/6),
		"digits":   strings.Repeat("9", size),
		"brackets": strings.Repeat("(", size),
		"long":     strings.Repeat("what time ", 800),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				e.Bid(b.Context(), text, nil)
			}
		})
	}
}
