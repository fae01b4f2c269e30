package lang_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/lang"
)

func TestWhatOpensARequestIsTakenOff(t *testing.T) {
	raw, err := os.ReadFile("testdata/openings.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		said, want, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok {
			continue
		}
		var asked []string
		for _, piece := range lang.Pieces(said) {
			if piece.Trim(); len(piece.Tokens) > 0 {
				asked = append(asked, piece.Text(said))
			}
		}
		if got := strings.Join(asked, ", "); got != want {
			t.Errorf("%q asks %q, want %q", said, got, want)
		}
	}
}

func TestAClauseStandsForDirectQuestions(t *testing.T) {
	for clause, want := range map[string]string{
		"who the author of it is":               "who is the author of it",
		"which day of the week 15 August was":   "which day of the week was 15 August",
		"welcher Wochentag der 15. August war":  "welcher Wochentag war der 15. August",
		"what time it is in Oslo":               "what time is it in Oslo",
		"which of the first two rows is longer": "which is of the first two rows longer",
	} {
		if got := lang.DirectQuestions(clause); !slices.Contains(got, want) {
			t.Errorf("%q stands for %q, not for %q", clause, got, want)
		}
	}
	for _, question := range []string{"who is the author", "what 3 + 4", "is it late", ""} {
		if got := lang.DirectQuestions(question); len(got) > 0 {
			t.Errorf("%q stands for %q", question, got)
		}
	}
}

func TestADayOfAMonthPartsNoPrompt(t *testing.T) {
	for prompt, want := range map[string]int{"Am 10. Dezember kommt der Vertreter": 1, "Das war am 10. Danach kam nichts": 2, "my rent is 10. What is 2+2?": 2} {
		if pieces := lang.Pieces(prompt); len(pieces) != want {
			t.Errorf("%q has %d pieces, not %d", prompt, len(pieces), want)
		}
	}
}
