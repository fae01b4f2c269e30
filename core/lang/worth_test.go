package lang_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/linear/lineartest"
	"github.com/yaap-chat/yaap/core/must"
)

var fit = flag.Bool("fit", false, "write the weights anew")

// sentences are those of a language, labelled; every fifth is held out.
func sentences(t *testing.T, id string) (fitted, held []lineartest.Example) {
	t.Helper()
	n := 0
	for line := range strings.Lines(string(must.Get(os.ReadFile("testdata/worth/" + id + ".txt"))(t))) {
		label, text, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			t.Fatalf("%s: %q cannot be read", id, line)
		}
		e := lineartest.Example{Features: lang.WorthFeatures(id, text), Yes: label == "+"}
		if n++; n%5 == 0 {
			held = append(held, e)
		} else {
			fitted = append(fitted, e)
		}
	}
	return fitted, held
}

// The sentences were written by people who knew neither the features nor the weeks of
// package eval. Those of a language are half worth keeping, half not.
func TestWhatIsWorthKeepingIsToldFromChatter(t *testing.T) {
	for id, least := range map[string]float64{"en": 0.85, "de": 0.84, "es": 0.80} {
		fitted, held := sentences(t, id)
		weights := lang.WorthWeights(id)
		if *fit {
			weights = lineartest.Fit(fitted, 1)
			must.Do(t, os.WriteFile("words/worth_"+id+".txt", []byte(lineartest.Text(weights)), 0o600))
		}
		t.Logf("%s: %.3f of %d, held out %.3f of %d, %d weights", id, lineartest.Right(weights, fitted), len(fitted), lineartest.Right(weights, held), len(held), len(weights))
		if right := lineartest.Right(weights, held); right < least {
			t.Errorf("%s: %.3f of those held out are told right", id, right)
		}
	}
}
