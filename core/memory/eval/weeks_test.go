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
		"one": {94, 100, 27, 0}, "two": {92, 93, 27, 0}, "four": {92, 92, 29, 2}, "five": {90, 90, 24, 2}, "seven": {88, 93, 22, 2},
		"eight": {79, 74, 20, 1}, "nine": {77, 79, 22, 7},
		"three": {89, 95, 28, 1}, "six": {77, 66, 19, 3}, "ten": {85, 85, 21, 2}, "eleven": {79, 81, 19, 7},
		"twelve": {67, 80, 18, 5}, "thirteen": {82, 86, 14, 4},
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
