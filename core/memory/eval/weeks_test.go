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
		"one": {100, 100, 28, 0}, "two": {96, 100, 27, 0}, "four": {94, 90, 28, 1}, "five": {98, 94, 25, 1}, "seven": {92, 95, 22, 0},
		"eight": {77, 73, 19, 3}, "nine": {76, 78, 18, 8},
		"three": {89, 93, 27, 2}, "six": {74, 68, 18, 6}, "ten": {83, 86, 22, 3}, "eleven": {75, 81, 17, 8},
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
