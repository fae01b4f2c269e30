package bidding

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
)

const (
	firstPrior  = 0.9  // what the bids of an expert count that bids on nothing of other experts, and of one that was not probed yet
	priorWeight = 2    // bids that the prior counts as much as
	forgetting  = 0.99 // what a sum keeps per question of the user
	askedBack   = 0.5  // the most that a question back delivers
	failedAlone = 0.4  // the share of a bid that a failure delivers, where nobody else answered either
)

// Outcome says how a call ended that was awarded on a bid.
type Outcome int

// How an awarded call may end.
const (
	Unclear   Outcome = iota // nobody's fault: the expert left, the user stopped it or did not allow it, or it waits
	Answered                 //
	AskedBack                // it needs to know more
	Failed
)

// Award is a question that was put to an expert.
type Award struct {
	Scope    core.Scope // the run that asked
	Call     string     // of the run; one that is made again counts once
	Expert   string
	Origin   string
	Question string
	Bid      *core.Bid // on which it was awarded; nil where the expert's words decided, or the user
}

// Store keeps standings and questions. store.Store is one.
type Store interface {
	BidHistories(ctx context.Context) ([]core.BidHistory, error)
	PutBidHistories(ctx context.Context, list ...core.BidHistory) error
	// ForgetBidHistory removes what is kept of the expert, however it is reached.
	ForgetBidHistory(ctx context.Context, expert string) (forgotten bool, err error)
	// Learned are the questions of all experts, the oldest first.
	Learned(ctx context.Context) ([]core.Learned, error)
	Learn(ctx context.Context, l core.Learned) error
	Unlearn(ctx context.Context, l core.Learned) error
}

// Ledger knows what the bids of experts were worth, and which questions they have
// answered here. All methods may be called from any goroutine.
//
// The credit of an expert is
//
//	c = (2·p0 + Σ delivered) / (2 + Σ claimed)    kept between 0 and 1
//
// over the bids that it was awarded a call on. Claimed is the bid. Delivered is
// the bid where it answered, the smaller of the bid and 0.5 where it asked back, 0
// where it failed and another expert answered in its place, 0.4 times the bid where
// nobody did (that there is no such file is no lie, and below what is called), and
// minus the bid where the user put the same question to another expert next. Bids that cannot be read claim 1 and deliver nothing; late
// ones count nothing. Both sums shrink by 1 % with each question of the user, so
// that a liar may mend its ways. p0 is 0.9 times the share of probes that a
// newcomer lets pass ([Collector.Probe]), and 0.9 before it was probed.
//
// A Ledger is loaded once and written at each change: of two rooms that know the
// same expert the one that wrote last is believed. Learned questions are read anew
// with each question of the user, so that what was forgotten elsewhere is gone.
type Ledger struct {
	store Store
	log   *slog.Logger

	saving sync.Mutex // of standings, so that none is overwritten by an earlier one

	mu      sync.Mutex
	turn    int // questions of the user so far
	known   map[identity]*account
	reached map[string]string        // how the expert of that name is reached now
	threads map[string]*conversation // by their ids
}

// identity tells experts apart.
type identity struct{ expert, origin string }

// account is a standing, with the turn that its sums are of.
type account struct {
	core.BidHistory
	turn    int
	bidTurn int  // when it bid last
	changed bool // since it was stored
	learned []core.Learned
}

// NewLedger reads what is known. What cannot be read or stored later is logged,
// and is not known.
func NewLedger(ctx context.Context, store Store, log *slog.Logger) (*Ledger, error) {
	l := &Ledger{store: store, log: log, known: map[identity]*account{}, reached: map[string]string{}, threads: map[string]*conversation{}}
	standings, err := store.BidHistories(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range standings {
		l.known[identity{s.Expert, s.Origin}] = &account{BidHistory: s, bidTurn: -1}
	}
	return l, l.read(ctx)
}

// Credit is from 0 to 1: what a bid of the expert counts.
func (l *Ledger) Credit(expert string) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a := l.account(expert); a != nil {
		return a.credit(l.turn)
	}
	return firstPrior
}

// Record is what people see of an expert that is reached like that; it is zero for
// one that never bid and has learned nothing.
func (l *Ledger) Record(expert, origin string) core.BidRecord {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.known[identity{expert, origin}]
	if a == nil {
		return core.BidRecord{}
	}
	r := core.BidRecord{Bids: a.Bids, Awards: a.Awards, Learned: a.questions()}
	if a.Bids > 0 {
		r.Credit = a.credit(l.turn)
	}
	return r
}

// Settle notes how a call ended. Without a bid only what was learned counts.
func (l *Ledger) Settle(ctx context.Context, a Award, how Outcome) {
	if how == Unclear {
		return
	}
	l.mu.Lock()
	account := l.open(a.Expert, a.Origin)
	c := l.conversation(a.Scope.Thread)
	entry, again := c.enter(a, l.turn)
	if a.Bid != nil {
		bid := claim(*a.Bid)
		if !again {
			account.Awards++
			account.count(l.turn, bid, 0)
		}
		delivered := 0.0
		switch how {
		case Answered:
			delivered = bid
		case AskedBack:
			delivered = min(bid, askedBack)
		case Failed:
			delivered = bid * failedAlone
		case Unclear:
		}
		account.count(l.turn, 0, delivered-entry.delivered)
		entry.delivered, entry.failed = delivered, how == Failed
	}
	if how == Answered {
		l.answeredInstead(c, entry)
	}
	account.changed = account.changed || a.Bid != nil
	lesson := how == Answered && asks(c.said, a.Question)
	l.mu.Unlock()
	l.save(ctx)
	if lesson {
		l.learn(ctx, core.Learned{Expert: a.Expert, Origin: a.Origin, Question: a.Question, Thread: a.Scope.Thread, Run: a.Scope.Run, Time: time.Now()})
	}
}

// answeredInstead takes back what was delivered by those who failed on the question
// that another has answered now.
func (l *Ledger) answeredInstead(c *conversation, by *entry) {
	for _, e := range c.awards {
		a := l.known[identity{e.Expert, e.Origin}]
		if e.failed && a != nil && e.turn == by.turn && e.Expert != by.Expert && fold(e.Question) == fold(by.Question) {
			a.count(l.turn, 0, -e.delivered)
			e.delivered, a.changed = 0, true
		}
	}
}

// Forget removes what is known of the expert of that name, and reports whether
// there was something.
func (l *Ledger) Forget(ctx context.Context, expert string) (bool, error) {
	l.saving.Lock()
	defer l.saving.Unlock()
	forgotten, err := l.store.ForgetBidHistory(ctx, expert)
	if err != nil {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.known {
		if strings.EqualFold(id.expert, expert) {
			delete(l.known, id)
		}
	}
	for _, c := range l.threads {
		c.awards = slices.DeleteFunc(c.awards, func(e *entry) bool { return strings.EqualFold(e.Expert, expert) })
	}
	return forgotten, nil
}

// NoteBids notes who made bids, how it is reached, and whether they could be read. It
// does not wait for the disk: that somebody has bid is stored with what comes of it.
func (l *Ledger) NoteBids(made core.Bids) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.open(made.Expert, made.Origin)
	if a.bidTurn != l.turn && slices.ContainsFunc(made.Bids, func(b core.Bid) bool { return !b.Declines() }) {
		a.bidTurn, a.changed = l.turn, true
		a.Bids++
	}
	if made.Broken {
		a.changed = true
		a.count(l.turn, 1, 0)
	}
}

// probed notes the share of probes that a newcomer wants to answer.
func (l *Ledger) probed(ctx context.Context, expert, origin string, share float64) {
	l.mu.Lock()
	a := l.open(expert, origin)
	a.Prior, a.changed = firstPrior*(1-share), true
	l.mu.Unlock()
	l.save(ctx)
}

// account is of the expert that bears the name now, or nil.
func (l *Ledger) account(expert string) *account {
	return l.known[identity{expert, l.reached[expert]}]
}

// open is the account of an expert that is reached like that; it is made where
// there is none.
func (l *Ledger) open(expert, origin string) *account {
	l.reached[expert] = origin
	id := identity{expert, origin}
	if l.known[id] == nil {
		l.known[id] = newAccount(id, l.turn)
	}
	return l.known[id]
}

func newAccount(id identity, turn int) *account {
	return &account{BidHistory: core.BidHistory{Expert: id.expert, Origin: id.origin, Prior: firstPrior}, turn: turn, bidTurn: -1}
}

// save stores the standings that have changed, as they are now.
func (l *Ledger) save(ctx context.Context) {
	l.saving.Lock()
	defer l.saving.Unlock()
	var changed []core.BidHistory
	l.mu.Lock()
	for _, a := range l.known {
		if a.changed {
			a.count(l.turn, 0, 0)
			a.changed, a.Time = false, time.Now()
			changed = append(changed, a.BidHistory)
		}
	}
	l.mu.Unlock()
	if len(changed) == 0 {
		return
	}
	if err := l.store.PutBidHistories(context.WithoutCancel(ctx), changed...); err != nil {
		l.log.Warn("what bids were worth is not stored", "err", err)
	}
}

// credit is what a bid counts in a turn.
func (a *account) credit(turn int) float64 {
	keep := math.Pow(forgetting, float64(turn-a.turn))
	c := (priorWeight*a.Prior + keep*a.Delivered) / (priorWeight + keep*a.Claimed)
	return min(max(c, 0), 1)
}

// count adds to the sums in a turn.
func (a *account) count(turn int, claimed, delivered float64) {
	keep := math.Pow(forgetting, float64(turn-a.turn))
	a.Claimed, a.Delivered, a.turn = keep*a.Claimed+claimed, keep*a.Delivered+delivered, turn
}

// claim is a bid as a number that can be counted with.
func claim(b core.Bid) float64 {
	if math.IsNaN(b.Score) {
		return 1
	}
	return min(max(b.Score, 0), 1)
}
