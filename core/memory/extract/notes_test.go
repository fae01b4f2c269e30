package extract_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core/memory/extract"
	"github.com/yaap-chat/yaap/core/must"
)

func TestWhatIsToldAnewReplacesWhatWasToldOfTheSameThing(t *testing.T) {
	raw := must.Get(os.ReadFile("testdata/replaced.txt"))(t)
	right, all := 0, 0
	for line := range strings.Lines(string(raw)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 3 {
			continue
		}
		all++
		notes := &extract.Notes{}
		notes.Add(cells[0], day, "a", 1)
		notes.Add(cells[1], day.Add(24*time.Hour), "b", 2)
		got := "not noted"
		if len(notes.List) > 0 {
			got = map[bool]string{true: "over", false: "holds"}[notes.List[0].Over]
		}
		if got == cells[2] {
			right++
		} else {
			t.Logf("%q, then %q: the first %s, want %s", cells[0], cells[1], got, cells[2])
		}
	}
	t.Logf("%d of %d", right, all)
	if right < all-3 {
		t.Errorf("%d of %d", right, all)
	}
}
