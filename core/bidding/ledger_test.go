package bidding_test

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/bidding"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
)

func openStore(t *testing.T, dir string) *store.Store {
	t.Helper()
	s := must.Get(store.Open(t.Context(), dir))(t)
	t.Cleanup(func() {
		must.Report(t, s.Close())
	})
	return s
}

func open(t *testing.T, s bidding.Store) *bidding.Ledger {
	t.Helper()
	l := must.Get(bidding.NewLedger(t.Context(), s, slog.New(slog.DiscardHandler)))(t)
	return l
}

func newLedger(t *testing.T) *bidding.Ledger {
	t.Helper()
	return open(t, openStore(t, t.TempDir()))
}

const peer = "peer"

// award is a call of the last run in conversation t.
func award(expert, call, question string, score float64) bidding.Award {
	return bidding.Award{
		Scope: core.Scope{Thread: "t", Run: "r/" + call}, Call: call, Expert: expert, Origin: peer, Question: question, Bid: &core.Bid{Score: score},
	}
}

func met(l *bidding.Ledger, names ...string) {
	for _, name := range names {
		l.NoteBids(core.Bids{Expert: name, Origin: peer})
	}
}

// room is one in which every question goes to the bid that is worth most, and on
// to the next one where that fails.
type room struct {
	*bidding.Ledger
	awards map[string]int
}

func (r room) ask(t *testing.T, turn int, bids map[string]float64, answers func(expert string) bidding.Outcome) {
	t.Helper()
	r.UserSaid(t.Context(), "t", fmt.Sprint("question ", turn))
	for len(bids) > 0 {
		best, value := "", -1.0
		for name, bid := range bids {
			if v := bid * r.Credit(name); v > value || v == value && name < best {
				best, value = name, v
			}
		}
		how := answers(best)
		r.awards[best]++
		r.Settle(t.Context(), award(best, fmt.Sprint(turn, best), "", bids[best]), how)
		delete(bids, best)
		if how == bidding.Answered {
			return
		}
	}
}

// memoryStore keeps nothing: the disk is not what is measured.
type memoryStore struct{}

func (memoryStore) BidHistories(context.Context) ([]core.BidHistory, error)   { return nil, nil }
func (memoryStore) PutBidHistories(context.Context, ...core.BidHistory) error { return nil }
func (memoryStore) ForgetBidHistory(context.Context, string) (bool, error)    { return false, nil }
func (memoryStore) Learned(context.Context) ([]core.Learned, error)           { return nil, nil }
func (memoryStore) Learn(context.Context, core.Learned) error                 { return nil }
func (memoryStore) Unlearn(context.Context, core.Learned) error               { return nil }

func TestAnExpertThatAlwaysBidsOneAndFailsIsSeldomAsked(t *testing.T) {
	for _, bid := range []float64{0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1} {
		r := room{open(t, memoryStore{}), map[string]int{}}
		met(r.Ledger, "liar", "honest")
		for turn := range 300 {
			r.ask(t, turn, map[string]float64{"liar": 1, "honest": bid}, func(expert string) bidding.Outcome {
				if expert == "liar" {
					return bidding.Failed
				}
				return bidding.Answered
			})
		}
		t.Logf("beside bids of %v: awards %v, credit of the liar %.2f, of the honest one %.2f", bid, r.awards, r.Credit("liar"), r.Credit("honest"))
		if r.awards["liar"] > 17 || r.awards["honest"] != 300 {
			t.Errorf("of 300 questions the liar was asked %d, the honest one, who bids %v, %d; want at most 17 and all", r.awards["liar"], bid, r.awards["honest"])
		}
	}
}

func TestAGoodNewcomerIsAskedNearlyAlways(t *testing.T) {
	r := room{open(t, memoryStore{}), map[string]int{}}
	met(r.Ledger, "good", "honest")
	for turn := range 300 {
		bids := map[string]float64{"good": 1, "honest": 0.5} // what it reads wholly, the other reads half
		r.ask(t, turn, bids, func(string) bidding.Outcome { return bidding.Answered })
	}
	if r.awards["good"] < 290 {
		t.Errorf("of 300 questions it was asked %d", r.awards["good"])
	}
}

func TestCreditStaysBetween0And1WhateverHappens(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same every time
	l := open(t, memoryStore{})
	scores := []float64{0, 0.3, 0.5, 0.95, 1, -1, 7, math.NaN(), math.Inf(1), math.Inf(-1)}
	for turn := range 2000 {
		question := fmt.Sprint("what do herons eat on day ", random.IntN(5))
		if random.IntN(3) == 0 {
			l.UserSaid(t.Context(), "t", []string{"@crane ", ""}[random.IntN(2)]+question)
		}
		l.NoteBids(core.Bids{Expert: "heron", Origin: peer, Broken: random.IntN(20) == 0})
		l.Settle(t.Context(), award("heron", fmt.Sprint(turn-random.IntN(2)), question, scores[random.IntN(len(scores))]), bidding.Outcome(random.IntN(4)))
		if c := l.Credit("heron"); math.IsNaN(c) || c < 0 || c > 1 {
			t.Fatalf("after %d calls the credit is %v", turn, c)
		}
	}
}

func TestCreditIsWhatWasDeliveredOfWhatWasClaimed(t *testing.T) {
	const unknown = 2 * 0.9
	for name, c := range map[string]struct {
		how  bidding.Outcome
		want float64
	}{
		"answered":   {bidding.Answered, (unknown + 0.8) / 2.8},
		"asked back": {bidding.AskedBack, (unknown + 0.5) / 2.8},
		"failed":     {bidding.Failed, (unknown + 0.4*0.8) / 2.8}, // and nobody else answered
		"unclear":    {bidding.Unclear, 0.9},
	} {
		l := newLedger(t)
		l.Settle(t.Context(), award("heron", "1", "what do herons eat?", 0.8), c.how)
		met(l, "heron")
		if got := l.Credit("heron"); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: the credit is %v, want %v", name, got, c.want)
		}
	}
}

func TestAFailureCostsTheWholeBidWhereAnotherExpertAnswered(t *testing.T) {
	for question, want := range map[string]float64{
		"What do herons eat": 2 * 0.9 / 2.8,           // the same
		"what do crows eat?": (2*0.9 + 0.4*0.8) / 2.8, // another one
	} {
		l := newLedger(t)
		met(l, "heron", "crane")
		l.UserSaid(t.Context(), "t", "what do herons eat? what do crows eat?")
		l.Settle(t.Context(), award("heron", "1", "what do herons eat?", 0.8), bidding.Failed)
		l.Settle(t.Context(), award("crane", "2", question, 0.8), bidding.Answered)
		if got := l.Credit("heron"); math.Abs(got-want) > 1e-9 {
			t.Errorf("crane answered %q, and the credit of heron is %v, want %v", question, got, want)
		}
	}
}

func TestWhatIsMadeAgainCountsOnce(t *testing.T) {
	l := newLedger(t)
	l.Settle(t.Context(), award("heron", "1", "what do herons eat?", 0.8), bidding.Failed)
	l.Settle(t.Context(), award("heron", "1", "what do herons eat?", 0.8), bidding.Answered)
	if got, want := l.Credit("heron"), (2*0.9+0.8)/2.8; math.Abs(got-want) > 1e-9 {
		t.Errorf("the credit is %v, want %v", got, want)
	}
	if r := l.Record("heron", peer); r.Awards != 1 {
		t.Errorf("it was awarded %d times, want once", r.Awards)
	}
}

func TestBidsThatCannotBeReadClaimOneAndLateOnesNothing(t *testing.T) {
	l := newLedger(t)
	l.NoteBids(core.Bids{Expert: "heron", Origin: peer, Failed: "it made no bid within 100ms"})
	must.Equal(t, 0.9, l.Credit("heron"))
	l.NoteBids(core.Bids{Expert: "heron", Origin: peer, Failed: "bids are no list", Broken: true})
	if got, want := l.Credit("heron"), 2*0.9/3; math.Abs(got-want) > 1e-9 {
		t.Errorf("a broken bid left a credit of %v, want %v", got, want)
	}
}

func TestCreditComesBackWithTime(t *testing.T) {
	l := newLedger(t)
	for i := range 5 {
		l.Settle(t.Context(), award("heron", fmt.Sprint(i), "q", 1), bidding.Failed)
	}
	low := l.Credit("heron")
	for range 200 {
		l.UserSaid(t.Context(), "t", "something else")
	}
	if high := l.Credit("heron"); low > 0.55 || high < 0.6 || high > 0.9 {
		t.Errorf("the credit was %v, and is %v after 200 questions", low, high)
	}
}

func TestTheSameQuestionToAnotherExpertCorrectsTheLastAward(t *testing.T) {
	const corrected, kept = (2*0.9*1.0 - 0.8) / 2.8, (2*0.9 + 0.8) / 2.8
	for name, c := range map[string]struct {
		then []string
		want float64
	}{
		"at once":                  {[]string{"@crane  What do HERONS eat"}, corrected},
		"a tool of another":        {[]string{"@crane__ask what do herons eat?"}, corrected},
		"two turns later":          {[]string{"how deep is it?", "@crane what do herons eat?"}, corrected},
		"three turns later":        {[]string{"how deep is it?", "and wide?", "@crane what do herons eat?"}, kept},
		"to the same":              {[]string{"@heron what do herons eat?"}, kept},
		"to nobody by name":        {[]string{"what do herons eat?"}, kept},
		"another question":         {[]string{"@crane what do cranes eat?"}, kept},
		"the whole of what I said": {[]string{"@crane so what do herons eat?"}, corrected},
		"twice":                    {[]string{"@crane what do herons eat?", "@crane what do herons eat?"}, corrected},
	} {
		l := newLedger(t)
		l.UserSaid(t.Context(), "t", "so what do herons eat?")
		l.Settle(t.Context(), award("heron", "1", "what do herons eat?", 0.8), bidding.Answered)
		for _, text := range c.then {
			l.UserSaid(t.Context(), "elsewhere", "@crane what do herons eat?")
			l.UserSaid(t.Context(), "t", text)
		}
		if got := l.Credit("heron"); math.Abs(got-c.want) > 0.02 { // some turns are forgotten
			t.Errorf("%s: the credit is %v, want about %v", name, got, c.want)
		}
	}
}

func TestALedgerIsTheSameAfterItIsOpenedAgain(t *testing.T) {
	dir := t.TempDir()
	l := open(t, openStore(t, dir))
	l.NoteBids(core.Bids{Expert: "heron", Origin: peer, Bids: []core.Bid{{Score: 1}}})
	l.UserSaid(t.Context(), "t", "what do herons eat?")
	l.Settle(t.Context(), award("heron", "1", "what do herons eat?", 0.8), bidding.Answered)
	l.Settle(t.Context(), award("heron", "2", "and cranes?", 1), bidding.Failed)
	again := open(t, openStore(t, dir))
	if got, want := fmt.Sprint(again.Record("heron", peer)), fmt.Sprint(l.Record("heron", peer)); got != want || !strings.Contains(want, "{1 2 0.") {
		t.Errorf("it is %s, was %s", got, want)
	}
	if r := again.Record("heron", "child:another"); r.Bids != 0 || r.Learned != nil {
		t.Errorf("another program of the same name has %+v", r)
	}
}

func TestAnExpertThatIsForgottenBeginsAnew(t *testing.T) {
	dir := t.TempDir()
	l := open(t, openStore(t, dir))
	l.UserSaid(t.Context(), "t", "what do herons eat?")
	l.Settle(t.Context(), award("heron", "1", "what do herons eat?", 0.8), bidding.Answered)
	for _, want := range []bool{true, false} {
		if forgotten, err := l.Forget(t.Context(), "Heron"); err != nil || forgotten != want {
			t.Errorf("forgotten: %v, %v; want %v", forgotten, err, want)
		}
	}
	if l.Credit("heron") != 0.9 || len(l.Learned("heron")) != 0 || len(open(t, openStore(t, dir)).Learned("heron")) != 0 {
		t.Errorf("credit %v, learned %v", l.Credit("heron"), l.Learned("heron"))
	}
}

func TestALedgerMayBeUsedFromEverywhereAtOnce(t *testing.T) {
	l := newLedger(t)
	var everybody sync.WaitGroup
	for i := range 8 {
		everybody.Go(func() {
			name := fmt.Sprint("heron", i%2)
			for j := range 5 {
				l.UserSaid(t.Context(), name, "@crane what do herons eat?")
				l.NoteBids(core.Bids{Expert: name, Origin: peer, Bids: []core.Bid{{Score: 1}}})
				l.Settle(t.Context(), award(name, fmt.Sprint(i, j), "what do herons eat?", 0.9), bidding.Answered)
				l.Credit(name)
				l.Learned(name)
				l.Record(name, peer)
				if _, err := l.Forget(t.Context(), "heron0"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	everybody.Wait()
	if r := l.Record("heron1", peer); r.Awards != 20 {
		t.Errorf("of 20 awards %d are noted", r.Awards)
	}
}

// countingStore counts how often it is written to.
type countingStore struct {
	memoryStore
	puts *int
}

func (s countingStore) PutBidHistories(context.Context, ...core.BidHistory) error {
	*s.puts++
	return nil
}

func TestBidsDoNotWaitForTheDisk(t *testing.T) {
	puts := 0
	l := open(t, countingStore{puts: &puts})
	for _, name := range []string{"heron", "crane"} {
		l.NoteBids(core.Bids{Expert: name, Origin: peer, Bids: []core.Bid{{Score: 1}}})
	}
	if puts != 0 {
		t.Errorf("bids were stored %d times before anything came of them", puts)
	}
	l.Settle(t.Context(), award("heron", "1", "what do herons eat?", 1), bidding.Answered)
	if puts != 1 {
		t.Errorf("what came of them was stored in %d transactions", puts)
	}
}
