package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/yaap"
)

const (
	bidTime  = 100 * time.Millisecond
	maxText  = 8 << 10                // bytes of a text that is bid on
	patience = 900 * time.Millisecond // for who is late, where nobody else reads a text whole
	overtime = 2 * time.Second
)

// errBusyBidding says that an expert has not answered the last request yet.
var errBusyBidding = errors.New("it is still at work on the bids before")

// Bids asks every expert that bids, or the one called only, what it reads in the
// texts, all at the same time, and returns what came within 100 ms, sorted by the
// experts' names; wait sets another limit when it is positive. Where nobody reads one of
// the texts whole, those who are late are waited for up to a second: a machine may be busy,
// and who reads half of a question shall not take it from who reads all. said is
// the recent conversation, for those who asked for it. An expert whose bids were late or cannot
// be read is there with the reason and without bids. texts are cut to [yaap.MaxTexts].
func (h *Hub) Bids(ctx context.Context, texts []string, said []core.Message, only string, wait time.Duration) []core.Bids {
	if wait <= 0 {
		wait = bidTime
	}
	texts = slices.Clone(texts[:min(len(texts), yaap.MaxTexts)])
	for i, text := range texts {
		texts[i] = strings.ToValidUTF8(text[:min(len(text), maxText)], "")
	}
	bidders := h.bidders(only)
	answers := make(chan core.Bids, len(bidders))
	limit, enough := context.WithTimeout(ctx, wait+patience)
	defer enough()
	for _, m := range bidders {
		go func() { answers <- m.bid(ctx, limit, texts, said, wait) }() // it ends with limit
	}
	var all []core.Bids
	waited := time.After(wait)
	for isLate := false; len(all) < len(bidders); {
		select {
		case made := <-answers:
			all = append(all, made)
		case <-waited:
			isLate = true
		}
		if isLate && everyTextIsReadWhole(all, len(texts)) {
			enough()
		}
	}
	slices.SortFunc(all, func(a, b core.Bids) int { return strings.Compare(a.Expert, b.Expert) })
	return all
}

// everyTextIsReadWhole reports whether somebody reads all of each of so many texts.
func everyTextIsReadWhole(all []core.Bids, texts int) bool {
	for i := range texts {
		if !slices.ContainsFunc(all, func(b core.Bids) bool { return i < len(b.Bids) && b.Bids[i].Score >= core.ReadWhole }) {
			return false
		}
	}
	return true
}

// bidders are the members that bid and can be called, or the one called only.
func (h *Hub) bidders(only string) (list []*member) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.state.members {
		if m.in.Bids && len(m.offers) > 0 && (only == "" || m.key() == yaap.Canonical(only)) {
			list = append(list, m)
		}
	}
	return list
}

// bid asks one member, when it has answered those who asked before. The link may be
// deaf: it is not waited for past limit, and one that has not answered within wait is not
// asked again before it has.
func (m *member) bid(ctx, limit context.Context, texts []string, said []core.Message, wait time.Duration) core.Bids {
	start := time.Now()
	answered := make(chan result[[]core.Bid], 1)
	if due := m.bidDue.Load(); due > 0 && start.UnixNano() >= due {
		answered <- result[[]core.Bid]{err: errBusyBidding}
	} else {
		go func() { answered <- m.bidInTurn(ctx, limit, texts, said, wait) }() // it ends within wait and overtime
	}
	made := core.Bids{Expert: m.in.Name, Tool: m.first, Origin: m.origin()}
	select {
	case a := <-answered:
		if made.Bids = a.value; a.err != nil {
			made.Failed = safe.Cut(safe.Line(a.err.Error()), maxReason)
			made.Broken = errors.As(a.err, new(unreadableError))
		}
	case <-limit.Done():
		made.Failed = fmt.Sprintf("it made no bid within %s", time.Since(start).Round(wait/10))
		if err := ctx.Err(); err != nil {
			made.Failed = err.Error()
		}
	}
	made.Took = time.Since(start)
	return made
}

// bidInTurn asks for bids when those who asked before have been answered, unless
// limit ends before.
func (m *member) bidInTurn(ctx, limit context.Context, texts []string, said []core.Message, wait time.Duration) result[[]core.Bid] {
	select {
	case m.bidding <- struct{}{}:
	case <-limit.Done():
		return result[[]core.Bid]{err: errBusyBidding}
	}
	defer func() { <-m.bidding }()
	m.bidDue.Store(time.Now().Add(wait).UnixNano())
	defer m.bidDue.Store(0)
	bids, err := m.askForBids(ctx, texts, said, wait)
	return result[[]core.Bid]{bids, err}
}

// unreadableError says that bids came, and are none.
type unreadableError struct{ error }

type result[T any] struct {
	value T
	err   error
}

func (m *member) askForBids(ctx context.Context, texts []string, said []core.Message, wait time.Duration) ([]core.Bid, error) {
	ctx, cancel := context.WithTimeout(ctx, wait+overtime) // a late answer frees the way for the next request
	defer cancel()
	stop := context.AfterFunc(m.life, cancel) //nolint:contextcheck // the member's life ends its bids, too
	defer stop()
	request := yaap.BidRequest{Texts: texts}
	if m.in.Context {
		request.Context = Recent(said)
	}
	args, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	answer, err := m.link.Call(ctx, core.Call{Tool: yaap.ToolBid, Args: args})
	if err != nil {
		return nil, err
	}
	if !answer.OK() {
		return make([]core.Bid, len(texts)), nil // it declines
	}
	read, err := yaap.ReadBids(answer.Data, len(texts))
	if err != nil {
		return nil, unreadableError{err}
	}
	bids := make([]core.Bid, len(read))
	for i, bid := range read {
		if bid != nil {
			bids[i] = core.Bid{Score: bid.Score, Reads: line(bid.Reads), Needs: needs(bid.Needs)}
		}
	}
	return bids, nil
}

// line makes what an expert says of its reading safe and short.
func line(s string) string {
	return safe.Cut(safe.Line(s[:min(len(s), 16*yaap.MaxReads)]), yaap.MaxReads)
}

func needs(list []string) (short []string) {
	for _, need := range list[:min(len(list), yaap.MaxNeeds)] {
		if need = line(need); need != "" {
			short = append(short, need)
		}
	}
	return short
}
