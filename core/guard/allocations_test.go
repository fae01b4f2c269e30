// Under the race detector regular expressions keep nothing for the next time.

//go:build !race

package guard

import (
	"slices"
	"testing"
)

func TestTextWithoutFindingsIsNotAllocated(t *testing.T) {
	var clean []string
	for _, s := range slices.Concat(falseCases(), notPersonal(), talk(), []string{prose}) {
		if _, hits := redactAll().Text(s); hits == nil && !mayHideLetters(s) {
			clean = append(clean, s)
		}
	}
	if allocs := testing.AllocsPerRun(10, func() {
		for _, s := range clean {
			Mask(s)
			redactAll().Text(s)
		}
	}); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
}
