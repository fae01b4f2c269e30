package extract_test

import (
	_ "embed"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"yaap/core/memory/extract"
)

//go:embed testdata/messages.txt
var messages string

type message struct{ role, title, text string }

// developerMessages returns the messages in testdata: a line "=== role title"
// begins each.
func developerMessages(t testing.TB) []message {
	t.Helper()
	var all []message
	for part := range strings.SplitSeq("\n"+messages, "\n=== ") {
		head, text, ok := strings.Cut(part, "\n")
		if !ok || head == "" {
			continue
		}
		role, title, _ := strings.Cut(head, " ")
		all = append(all, message{role, title, text})
	}
	if len(all) < 40 {
		t.Fatalf("%d messages are not enough", len(all))
	}
	return all
}

// truncated is what a summary is measured against.
func truncated(text string, max int) string {
	r := []rune(strings.Join(strings.Fields(text), " "))
	return string(r[:min(max, len(r))])
}

func TestASummaryKeepsTheFactsThatTruncationLoses(t *testing.T) {
	var ours, plain float64
	all := developerMessages(t)
	for _, m := range all {
		if utf8.RuneCountInString(m.text) <= extract.DefaultSummary {
			t.Errorf("%s: fits as it is", m.title)
		}
		summary := extract.Summary(m.role, m.text, 0)
		kept, cut := extract.Kept(m.text, summary), extract.Kept(m.text, truncated(m.text, extract.DefaultSummary))
		t.Logf("%-22s %4d characters, %2d facts: summary keeps %3.0f %%, truncation %3.0f %%",
			m.title, utf8.RuneCountInString(m.text), len(extract.Facts(m.text)), 100*kept, 100*cut)
		ours += kept
		plain += cut
		if os.Getenv("SHOW") != "" {
			t.Logf("%s\n%q\n", summary, extract.Facts(m.text))
		}
	}
	ours, plain = ours/float64(len(all)), plain/float64(len(all))
	t.Logf("%d messages at %d characters: summaries keep %.1f %% of the facts, truncation %.1f %%", len(all), extract.DefaultSummary, 100*ours, 100*plain)
	if ours < 0.9 || plain > ours-0.2 {
		t.Errorf("summaries keep %.3f of the facts, truncation %.3f", ours, plain)
	}
}
