package main

import (
	"testing"

	"yaap/core/config"
)

func TestTheStatusTellsWhichNamesToAskAboutNobodyHas(t *testing.T) {
	a := &app{cfg: config.Config{Approve: config.Value[[]string]{V: []string{"git", "stroe", "store", "store__delete", "all"}}, Allow: []string{"fs"}}}
	asked, allowed := a.trustWords([]string{"git", "store", "store__delete"})
	if want := "git, stroe (nobody here has it), store, store__delete, all"; asked != want || allowed != "fs (nobody here has it)" {
		t.Errorf("got %q and %q, want %q", asked, allowed, want)
	}
}
