package main

import "testing"

func TestTheStatusTellsWhichNamesToAskAboutNobodyHas(t *testing.T) {
	a := &approvals{names: []string{"git", "stroe", "store", "store__delete", "all"}}
	if got, want := a.describe([]string{"git", "store", "store__delete"}), "git, stroe (nobody here has it), store, store__delete, all"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
