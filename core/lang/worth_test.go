package lang_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// said are the messages of some people of testdata/persons of a language, of some kinds. Those
// of yes are meant.
func said(t *testing.T, dir, id, kinds, yes string) (all []lineartest.Example) {
	t.Helper()
	line := regexp.MustCompile(`^\d+ ([ktdcq])[^|]* \| (.*)$`)
	for _, file := range must.Get(filepath.Glob("testdata/persons/" + dir + id + "-*.txt"))(t) {
		for row := range strings.Lines(string(must.Get(os.ReadFile(file))(t))) {
			if cells := line.FindStringSubmatch(strings.TrimSpace(row)); cells != nil && strings.Contains(kinds, cells[1]) {
				for _, sentence := range lang.Sentences(cells[2]) {
					all = append(all, lineartest.Example{Features: lang.WorthFeatures(id, sentence), Yes: strings.Contains(yes, cells[1])})
				}
			}
		}
	}
	return all
}

// The sentences and the people were written by those who knew neither the features nor the
// weeks of package eval. The sentences of a language are half worth keeping, half not.
func TestWhatIsWorthKeepingIsToldFromChatter(t *testing.T) {
	for _, c := range []struct {
		id                string
		sentences, people float64
	}{{"en", 0.85, 0.84}, {"de", 0.82, 0.82}, {"es", 0.80, 0.82}} {
		fitted, held := sentences(t, c.id)
		fitted = append(fitted, said(t, "", c.id, "ktcq", "kt")...)
		people := said(t, "held/", c.id, "ktcq", "kt")
		weights := lang.Weights("worth", c.id)
		if *fit {
			weights = lineartest.Fit(fitted, 1)
			must.Do(t, os.WriteFile("words/worth_"+c.id+".txt", []byte(lineartest.Text(weights)), 0o600))
		}
		t.Logf("%s: %.3f of %d, held out %.3f of %d sentences, %.3f of %d of people, %d weights", c.id, lineartest.Right(weights, fitted), len(fitted),
			lineartest.Right(weights, held), len(held), lineartest.Right(weights, people), len(people), len(weights))
		if lineartest.Right(weights, held) < c.sentences || lineartest.Right(weights, people) < c.people {
			t.Errorf("%s: of those held out less than %.2f and %.2f are told right", c.id, c.sentences, c.people)
		}
	}
}

func TestWhatIsToBeDoneIsToldFromFactsAndOrders(t *testing.T) {
	for _, c := range []struct {
		id          string
		found, sure float64
	}{{"en", 0.55, 0.95}, {"de", 0.5, 0.95}, {"es", 0.7, 0.95}} {
		weights := lang.Weights("task", c.id)
		if *fit {
			weights = lineartest.Fit(append(said(t, "", c.id, "ktdcq", "t"), said(t, "orders/", c.id, "ktdcq", "t")...), 0.5)
			must.Do(t, os.WriteFile("words/task_"+c.id+".txt", []byte(lineartest.Text(weights)), 0o600))
		}
		held := append(said(t, "held/", c.id, "ktdcq", "t"), said(t, "orders/held/", c.id, "ktdcq", "t")...)
		tasks := slices.DeleteFunc(slices.Clone(held), func(e lineartest.Example) bool { return !e.Yes })
		taken := slices.DeleteFunc(held, func(e lineartest.Example) bool { return weights.Score(e.Features) <= 0 })
		found, sure := lineartest.Right(weights, tasks), lineartest.Right(weights, taken)
		t.Logf("%s: of %d tasks held out %.2f are found, of %d that are taken for one %.2f are, %d weights", c.id, len(tasks), found, len(taken), sure, len(weights))
		if found < c.found || sure < c.sure {
			t.Errorf("%s: less than %.2f are found, or %.2f of those that are taken for one are", c.id, c.found, c.sure)
		}
	}
}
