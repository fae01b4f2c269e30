package bench

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core/must"
)

// measured are the figures of some areas, each of a few times only: their times say
// nothing, and what they allocate is always the same.
func measured(t *testing.T, names ...string) map[string]Figure {
	t.Helper()
	all := map[string]Figure{}
	for _, a := range areas() {
		if !slices.Contains(names, a.name) {
			continue
		}
		measure := a.measure
		if a.name == "screen" { // without a stored conversation of 100 000 messages
			measure = drawing
		}
		figures, err := measure(t.Context(), time.Millisecond)
		if err != nil {
			t.Fatalf("%s: %v", a.name, err)
		}
		for _, f := range figures {
			if f.Times != 1 && (f.Times < 20 || f.P50 <= 0) || f.P99 < f.P50 {
				t.Errorf("%s: %+v is no figure", a.name, f)
			}
			all[f.What] = f
		}
	}
	return all
}

func TestNothingAllocatesMuchMoreWhereThereIsMoreOfIt(t *testing.T) {
	all := measured(t, "turn", "chain", "stream", "screen", "room", "store")
	for _, c := range []struct {
		little, much string
		most         float64 // how often
	}{
		{"a node of 10", "a node of 1000", 1.2},
		{"40 bytes of 10 KB", "40 bytes of 100 KB", 1.5},
		{"processor: a frame of 40 messages", "processor: a frame of 10000 messages", 1.5},
		{"hello to callable among 10", "hello to callable among 100", 20},
		{"the bids of 10", "the bids of 100", 12},
		{"a search of 1000 entries", "a search of 10000 entries", 2},
	} {
		if little, much := all[c.little].Allocs, all[c.much].Allocs; much > c.most*little {
			t.Errorf("%s allocates %.0f, and %s %.0f, which is more than %.1f of it", c.little, little, c.much, much, c.most)
		}
	}
	if got := all["a turn with one call"].Allocs; got > 130 {
		t.Errorf("a turn allocates %.0f", got)
	}
	if got := all["a key at rest"].Allocs; got > 4000 {
		t.Errorf("a key allocates %.0f", got)
	}
}

func TestOpeningALongConversationAllocatesNoMore(t *testing.T) {
	figures := must.Get(opening(t.Context(), 100, 2000))(t)
	var frames []Figure
	for _, f := range figures {
		if strings.Contains(f.What, "first frame") {
			frames = append(frames, f)
		}
	}
	if len(frames) != 2 || frames[1].Allocs > 1.2*frames[0].Allocs {
		t.Errorf("the first frame of 2000 messages allocates more than that of 100: %+v", frames)
	}
}

func TestAReportIsComparedWithAnEarlierOne(t *testing.T) {
	r := Report{Version: "v2", Cores: 1, Figures: []Figure{{Area: "turn", What: "a turn", P50: 30, P99: 2000, Times: 20}, {Area: "turn", What: "new", P50: 1, P99: 1}}}
	before := Report{Figures: []Figure{{Area: "turn", What: "a turn", P50: 20}, {Area: "chain", What: "a turn", P50: 1}}}
	got := r.Text(&before)
	for _, want := range []string{"1 core,", "30 µs", "2.0 ms", "1.50 of before"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Count(got, "of before") != 1 {
		t.Errorf("what is new is compared, too:\n%s", got)
	}
}

func TestWhatIsNotNamedIsNotMeasured(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := Run(ctx, "v1", []string{"no such area"})
	if err != nil || len(r.Figures) != 0 || r.Fsync <= 0 {
		t.Errorf("got %+v, %v", r, err)
	}
}
