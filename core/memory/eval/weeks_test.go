package eval_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core/memory/eval"
)

func TestTheContextsOfScriptedWeeksSayWhatIsWanted(t *testing.T) {
	weeks, err := eval.Weeks()
	if err != nil {
		t.Fatal(err)
	}
	s := filled(t, eval.Set{})
	for _, w := range weeks {
		kept, err := eval.Play(t.Context(), s, w, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Log("\n" + eval.KeptWeeks{kept}.String())
		for _, wrong := range kept.Wrong {
			t.Log(wrong)
		}
	}
}
