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
		"one": {96, 100, 27, 0}, "two": {92, 93, 27, 0}, "four": {92, 92, 29, 2}, "five": {93, 90, 25, 0}, "seven": {88, 93, 22, 2},
		"eight": {79, 73, 21, 1}, "nine": {79, 76, 22, 5},
		"three": {89, 93, 28, 1}, "six": {79, 66, 19, 2}, "ten": {85, 85, 21, 2}, "eleven": {81, 81, 19, 4},
	}
	s := filled(t, eval.Set{})
	for _, w := range weeks {
		kept := must.Get(eval.Play(t.Context(), s, w, nil))(t)
		t.Log("\n" + eval.WeekResults{kept}.String())
		f, ok := floors[w.Name]
		if !ok || 100*kept.Wanted < f.wanted*kept.Lines || 100*kept.Present < f.present*kept.Facts || kept.Right < f.right || kept.Contradicting > f.contradicting {
			t.Errorf("week %s: less than %+v", w.Name, f)
			for _, wrong := range kept.Wrong {
				t.Log(wrong)
			}
		}
	}
}
