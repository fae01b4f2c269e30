package bidding_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/bidding"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/must"
)

// bidders are experts that bid on some texts.
type bidders struct {
	wants map[string]func(text string) float64

	mu    sync.Mutex
	asked map[string][]string
}

func (b *bidders) Bids(_ context.Context, texts []string, _ []core.Message, only string, _ time.Duration) (all []core.Bids) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, wants := range b.wants {
		if only != "" && only != name {
			continue
		}
		b.asked[name] = append(b.asked[name], texts...)
		made := core.Bids{Expert: name, Tool: name, Origin: peer, Broken: wants == nil}
		for _, text := range texts {
			if wants != nil {
				made.Bids = append(made.Bids, core.Bid{Score: wants(text)})
			}
		}
		all = append(all, made)
	}
	return all
}

func (b *bidders) probed() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.asked)
}

func (*bidders) DepartedExperts() []core.Expert { return nil }

func (b *bidders) Experts() (all []core.Expert) {
	for _, name := range []string{"calc", "clock", "liar"} {
		e := core.Expert{Name: name, State: core.ExpertReady}
		for i := range 30 {
			e.Examples = append(e.Examples, fmt.Sprint("ask ", name, " about ", i))
		}
		all = append(all, e)
	}
	return append(all, core.Expert{Name: "gone", State: core.ExpertGone, Examples: []string{"ask somebody who left"}})
}

func newRoom(t *testing.T) (*bidding.Collector, *bidders) {
	t.Helper()
	b := &bidders{asked: map[string][]string{}, wants: map[string]func(string) float64{
		"calc": func(text string) float64 { return map[bool]float64{true: 0.95}[strings.Contains(text, "calc")] },
		"liar": func(string) float64 { return 1 },
		"half": func(text string) float64 {
			return map[bool]float64{true: 0.5, false: 0.4}[strings.Contains(text, "clock")]
		},
		"broken": nil,
	}}
	return &bidding.Collector{Experts: b, Ledger: newLedger(t), Sink: new(event.Bus)}, b
}

func TestANewcomerIsProbedWithTheOthersExamplesAndWithNonsense(t *testing.T) {
	r, b := newRoom(t)
	for name, want := range map[string]float64{"calc": 0.9, "liar": 0, "half": 0.9 * (1 - 13.0/45), "broken": 0, "silent": 0.9} {
		r.Probe(t.Context(), name)
		if name != "silent" {
			r.Ledger.NoteBids(core.Bids{Expert: name, Origin: peer})
		}
		if got := r.Ledger.Credit(name); math.Abs(got-want) > 0.01 {
			t.Errorf("the credit of %s is %v, want %v", name, got, want)
		}
	}
	must.Equal(t, 45, len(b.asked["liar"]))
	for _, text := range b.asked["liar"] {
		if strings.Contains(text, "liar") || strings.Contains(text, "left") {
			t.Errorf("it was asked its own, or that of somebody who left: %q", text)
		}
	}
	first := b.asked["liar"][40:45]
	r.Probe(t.Context(), "liar")
	if again := b.asked["liar"][85:]; slices.Equal(first, again) {
		t.Errorf("the nonsense is the same again: %q", again)
	}
}

func TestNobodyIsProbedWithWhatTheUserAsked(t *testing.T) {
	r, b := newRoom(t)
	r.Ledger.UserSaid(t.Context(), "t", "what do herons eat?")
	ask(t, bidding.RecordToolOutcomes(heron(answered), r.Ledger), "what do herons eat?", nil)
	r.Probe(t.Context(), "liar")
	if slices.Contains(b.asked["liar"], "what do herons eat?") {
		t.Error("a question of the user's was handed on")
	}
}

func TestWhoJoinsIsProbedInTheBackgroundWhenTheOthersAreThere(t *testing.T) {
	r, b := newRoom(t)
	synctest.Test(t, func(t *testing.T) {
		bus := new(event.Bus)
		r.Ledger = open(t, memoryStore{})
		feed := bus.Feed()
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- r.Run(ctx, feed.Next) }()
		for _, name := range []string{"calc", "liar"} {
			bus.Emit(core.Scope{}, core.ExpertJoined{Name: name})
			time.Sleep(100 * time.Millisecond)
		}
		if b.probed() > 0 {
			t.Error("somebody is probed while others join")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		must.Equal(t, 2, b.probed())
		stop()
		must.Report(t, <-done)
	})
}

func TestAProbeIsNoAwardAndNoBid(t *testing.T) {
	r, _ := newRoom(t)
	r.Probe(t.Context(), "liar")
	if got := r.Ledger.Record("liar", peer); got.Bids != 0 || got.Awards != 0 {
		t.Errorf("%+v", got)
	}
	r.Bids(t.Context(), core.Scope{}, []string{"a", "b"}, nil)
	r.Bids(t.Context(), core.Scope{}, []string{"a b"}, nil)
	if got := r.Ledger.Record("liar", peer); got.Bids != 1 {
		t.Errorf("two rounds for one question are %d bids", got.Bids)
	}
}
