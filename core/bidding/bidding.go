// Package bidding asks a room what its experts read in a text, and remembers what
// their bids were worth.
//
// It is the Contract Net (Smith, 1980): the room announces texts, experts bid, the
// one whose bid is worth most is called. A bid is a claim: how the calls ended that
// were awarded on it decides how much the next ones count.
package bidding

import (
	"context"
	"slices"
	"time"

	"github.com/yaap-chat/yaap/core"
)

const ownTime = time.Second // for the bids of the room's own tools: a machine may be busy

// Bidders are the experts that bid. hub.Hub is one.
type Bidders interface {
	// Bids asks them all, or the one called only, and blocks for wait, where somebody is late
	// and nobody reads one of the texts whole for a second longer; 0 is 100 ms.
	Bids(ctx context.Context, texts []string, said []core.Message, only string, wait time.Duration) []core.Bids
	// Experts are all that are in the room, those that do not bid too.
	Experts() []core.Expert
	// DepartedExperts are those who were in the room, the last that left first.
	DepartedExperts() []core.Expert
}

// RoomTool is a tool of the room itself that bids in the room's own process.
type RoomTool struct {
	Tool string
	Bid  func(ctx context.Context, text string, said []core.Message) core.Bid
}

// Collector collects the bids of who is in the room. Its methods may be called from any goroutine.
type Collector struct {
	Experts   Bidders
	RoomTools []RoomTool
	Ledger    *Ledger // may be nil
	Sink      core.Sink
	Wait      time.Duration // for bids; 0 is 100 ms
}

// Bids asks everybody what they read in the texts. It blocks for Wait, where nobody reads one
// of them whole or the room's own tools are slow for a second longer at most, and reports the bids as an event of the run.
func (r *Collector) Bids(ctx context.Context, scope core.Scope, texts []string, said []core.Message) []core.Bids {
	own := make(chan []core.Bids, 1)
	go func() { own <- r.roomToolBids(ctx, texts, said) }() // it ends within Wait
	var all []core.Bids
	for _, made := range r.Experts.Bids(ctx, texts, said, "", r.Wait) {
		made.Credit = 1
		if r.Ledger != nil {
			r.Ledger.NoteBids(made)
			made.Credit = r.Ledger.Credit(made.Expert)
		}
		all = append(all, made)
	}
	all = append(<-own, all...)
	if len(all) > 0 {
		r.Sink.Emit(scope, core.BidsMade{Texts: slices.Clone(texts), Experts: all})
	}
	return all
}

// roomToolBids are the bids of the room's own tools. Those that would come too late are
// none.
func (r *Collector) roomToolBids(ctx context.Context, texts []string, said []core.Message) (all []core.Bids) {
	ctx, cancel := context.WithTimeout(ctx, max(r.Wait, ownTime))
	defer cancel()
	for _, own := range r.RoomTools {
		start := time.Now()
		made := core.Bids{Expert: own.Tool, Tool: own.Tool, Bids: make([]core.Bid, len(texts)), Credit: 1}
		for i, text := range texts {
			if ctx.Err() != nil {
				made.Bids, made.Failed = nil, "it made no bid in time"
				break
			}
			made.Bids[i] = own.Bid(ctx, text, said)
		}
		made.Took = time.Since(start)
		all = append(all, made)
	}
	return all
}

// DepartedExperts are those who were in the room, the last that left first.
func (r *Collector) DepartedExperts() []core.Expert { return r.Experts.DepartedExperts() }

// Learned are questions that the expert has answered here.
func (r *Collector) Learned(expert string) []string {
	if r.Ledger == nil {
		return nil
	}
	return r.Ledger.Learned(expert)
}
