package memory_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/linear"
	"github.com/yaap-chat/yaap/core/linear/lineartest"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/memory/eval"
	"github.com/yaap-chat/yaap/core/memory/extract"
	"github.com/yaap-chat/yaap/core/must"
)

var fit = flag.Bool("fit", false, "write the weights anew")

// asked is a question with the statements that may answer it.
type asked struct {
	eval.Asked
	candidates []memory.Candidate
}

// askedOf are the questions of some weeks that are looked for by their words.
func askedOf(weeks []eval.Week, held bool) (all []asked) {
	for _, w := range weeks {
		if w.HeldOut() != held || w.Name == "anew" { // what is corrected there is not among the notes here
			continue
		}
		for _, p := range w.People {
			notes := &extract.Notes{}
			var said []string
			for i, m := range p.Turns {
				if m.Role != core.RoleUser {
					continue
				}
				said = append(said, m.Text)
				for _, n := range extract.NotesWithPassing(m.Text, m.Time, fmt.Sprint(i), i+1) {
					notes.AddNote(n)
				}
			}
			for _, q := range p.Questions {
				if candidates, ok := memory.Candidates(q.Text, notes, said); ok {
					all = append(all, asked{q, candidates})
				}
			}
		}
	}
	return all
}

// answersTo is how many of some questions are answered rightly, how many have an answer, and
// the same of those that nothing answers.
func answersTo(t *testing.T, all []asked, w linear.Weights) (right, with, told, without int) {
	t.Helper()
	for _, a := range all {
		best, text := memory.LeastScore, ""
		for _, c := range a.candidates {
			if score := w.Score(c.Features); score > best {
				best, text = score, c.Text
			}
		}
		switch {
		case a.Nothing:
			if without++; text == "" {
				told++
				continue
			}
		default:
			if with++; text != "" && a.Right(text) {
				right++
				continue
			}
		}
		if testing.Verbose() {
			t.Logf("%s: %.1f %q", a.Text, best, text)
		}
	}
	return right, with, told, without
}

// The people of the questions, and those who wrote them, knew neither the features nor the
// words of package lang. What is held out is not fitted to.
func TestTheStatementIsFoundThatAnswersAQuestion(t *testing.T) {
	questions, weeks := must.Get(eval.Questions())(t), must.Get(eval.Weeks())(t)
	fitted, weights := append(askedOf(questions, false), askedOf(weeks, false)...), memory.MatchWeights()
	if *fit {
		var choices [][]lineartest.Example
		for _, a := range fitted {
			var examples []lineartest.Example
			for _, c := range a.candidates {
				examples = append(examples, lineartest.Example{Features: c.Features, Yes: !a.Nothing && a.Right(c.Text)})
			}
			choices = append(choices, examples)
		}
		weights = lineartest.FitChoice(choices, 1)
		must.Do(t, os.WriteFile("match.txt", []byte(lineartest.Text(weights)), 0o600))
	}
	for _, set := range []struct {
		name       string
		all        []asked
		right, not float64
	}{{"fitted", fitted, 0.72, 0.66}, {"held out", askedOf(questions, true), 0.64, 0.66}, {"weeks held out", askedOf(weeks, true), 0.57, 0.7}} {
		right, with, told, without := answersTo(t, set.all, weights)
		t.Logf("%s: %d of %d, nothing %d of %d", set.name, right, with, told, without)
		if float64(right) < set.right*float64(with) || float64(told) < set.not*float64(without) {
			t.Errorf("%s: less than %.2f and %.2f", set.name, set.right, set.not)
		}
	}
	t.Log(strings.Count(lineartest.Text(weights), "\n"), "weights")
}

func FuzzAnyQuestionIsLookedForInWhateverWasSaid(f *testing.F) {
	f.Add("who owns the search service?", "Mara owns the payments service")
	f.Add("what is Ada's port?", "’s 80 … 's")
	f.Add("¿cuántos hay?", "\xff — 3")
	f.Fuzz(func(t *testing.T, question, said string) {
		notes := &extract.Notes{}
		for _, n := range extract.NotesWithPassing(said, time.Now(), "e", 1) {
			notes.AddNote(n)
		}
		memory.Candidates(question, notes, []string{said})
	})
}
