package calc_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"yaap/core"
	"yaap/experts"
	"yaap/experts/calc"
)

// heldOutFloors are how many of the held-out questions of a table are right at least.
var heldOutFloors = map[string]int{"questions.txt": 107, "typed.txt": 39, "asked.txt": 49}

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
	if i := strings.LastIndex(line, " | "); strings.Count(line, "|") > 1 {
		prompt, want = line[:i], line[i+3:]
	}
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
	case reply.Status != core.StatusSuccess || bid.Score <= experts.Understood || bid.Reads == "":
		return got
	default:
		if m := bold.FindStringSubmatch(reply.Message); m == nil || m[1] != want {
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
	said := []core.Message{{Role: core.RoleAssistant, Text: "**100.8**"}}
	for _, c := range []struct {
		text string
		said []core.Message
		want core.Bid
	}{
		{"12% of 840", nil, core.Bid{Score: experts.ReadAll, Reads: "12% × 840"}},
		{"5 miles in km", nil, core.Bid{Score: experts.ReadAll, Reads: "5 mi in km"}},
		{"255 in hex", nil, core.Bid{Score: experts.ReadAll, Reads: "255 in hex"}},
		{"17.5%", nil, core.Bid{Score: experts.ReadShape, Reads: "an operand", Needs: []string{"Of what shall I take 17.5%?"}}},
		{"half of that", nil, core.Bid{Score: experts.ReadShape, Reads: "an operand", Needs: []string{"I have no number that \"it\" could be. Say it in digits."}}},
		{"half of that", said, core.Bid{Score: experts.ReadAll, Reads: "1/2 × 100.8"}},
		{"plus 10", said, core.Bid{Score: experts.ReadAll, Reads: "100.8 + 10"}},
		{"plus 10", nil, core.Bid{}},
		{"5 dollars in euros", nil, core.Bid{Score: experts.Understood, Reads: "a calculation", Needs: []string{"I cannot convert between dollars and euros: exchange rates change daily. Tell me the rate and I can multiply."}}},
		{"5 km in kg", nil, core.Bid{Score: experts.Understood, Reads: "a calculation", Needs: []string{"I cannot bring km (length) and kg (mass) together."}}},
		{"sin 45", nil, core.Bid{Score: experts.Understood, Reads: "a calculation", Needs: []string{"Degrees or radians? Say sin 45° or sin 45 rad."}}},
		{"convert 5 miles", nil, core.Bid{Score: experts.Understood, Reads: "a calculation", Needs: []string{"Into what shall I convert 5 mi? Say for example \"5 mi in\" and the other unit."}}},
		{"2^(2^(2^100)) - 9999!", nil, core.Bid{Score: experts.ReadAll, Reads: "2^(2^(2^100)) − 9999!"}}, // what it comes to is not asked
		{"42", nil, core.Bid{}},
		{"12% of 840 and the weather", nil, core.Bid{}},
		{strings.Repeat("(", 10_000), nil, core.Bid{}},
	} {
		if diff := cmp.Diff(c.want, expert.Bid(t.Context(), c.text, c.said)); diff != "" {
			t.Errorf("%.60q (-want +got):\n%s", c.text, diff)
		}
	}
}

// hostile are texts that cost the most.
func hostile() map[string]string {
	const size = 8 << 10
	return map[string]string{
		"brackets":   strings.Repeat("(", size),
		"digits":     strings.Repeat("9", size),
		"sums":       strings.Repeat("1+", size/2-1) + "1",
		"numbers":    strings.Repeat("1234 ", size/5),
		"powers":     strings.Repeat("9^", size/2-1) + "9",
		"factorials": "9" + strings.Repeat("!", size-1),
		"words":      strings.Repeat("what is the number of ", size/22),
		"slips":      strings.Repeat("sqare ", size/6),
		"prose":      strings.Repeat("the build of main is red again since ", size/37),
		"groups":     strings.Repeat("1,234", size/5),
		"lists":      strings.Repeat("sum(", size/4),
	}
}

func BenchmarkABid(b *testing.B) {
	e := calc.New()
	texts := hostile()
	texts["plain"] = "what is 12% of 840?"
	texts["german"] = "wie viele Minuten hat ein Tag"
	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				e.Bid(b.Context(), text, nil)
			}
		})
	}
}
