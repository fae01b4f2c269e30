package eval_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core/memory/eval"
	"github.com/yaap-chat/yaap/core/must"
)

func TestTheContextsOfScriptedWeeksSayWhatIsWanted(t *testing.T) {
	weeks := must.Get(eval.Weeks())(t)
	type least struct{ wanted, present, right, contradicting int } // percent of the lines and the facts, answers; and at most
	floors := map[string]least{
		"one": {100, 100, 29, 0}, "two": {100, 100, 29, 0}, "four": {96, 90, 30, 1}, "five": {95, 94, 25, 1}, "seven": {95, 95, 24, 0},
		"eight": {76, 69, 17, 4}, "nine": {73, 66, 13, 9},
		"three": {89, 93, 26, 2}, "six": {75, 66, 18, 6},
	}
	s := filled(t, eval.Set{})
	for _, w := range weeks {
		kept := must.Get(eval.Play(t.Context(), s, w, nil))(t)
		t.Log("\n" + eval.KeptWeeks{kept}.String())
		f, ok := floors[w.Name]
		if !ok || 100*kept.Wanted < f.wanted*kept.Lines || 100*kept.Present < f.present*kept.Facts || kept.Right < f.right || kept.Contradicting > f.contradicting {
			t.Errorf("week %s: less than %+v", w.Name, f)
			for _, wrong := range kept.Wrong {
				t.Log(wrong)
			}
		}
	}
}
