package room

import "testing"

func TestABranchHasTheTitleOfTheOtherAndANumberOfItsOwn(t *testing.T) {
	for old, want := range map[string]string{
		"":                       "",
		"herons":                 "herons (2)",
		"herons (2)":             "herons (3)",
		"herons (2) (9)":         "herons (2) (10)",
		"what is f(3) here?":     "what is f(3) here? (2)",
		"é(2)":                   "é(2) (2)",
		"(2)":                    "(2) (2)",
		"since 1 (999999999999)": "since 1 (999999999999) (2)",
	} {
		if got := branchTitle(old); got != want {
			t.Errorf("%q: got %q, want %q", old, got, want)
		}
	}
}
