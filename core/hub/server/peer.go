package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/yaap"
)

const (
	lostAfter = 2 * time.Second // after its last poll ended
	maxPolls  = 2               // at the same time
)

var (
	errLost   = errors.New("its connection ended")
	errClosed = errors.New("it said goodbye or was taken out")
)

// peer is the link to an expert that connected by itself. Calls go out as
// events of its long poll and come back as its calls of the tool reply.
type peer struct {
	in      yaap.Introduction
	done    chan struct{}
	signals chan hub.Signal

	mu    sync.Mutex
	queue []yaap.Event // not delivered yet, or to be delivered again
	wake  chan struct{}
	calls map[string]*pending
	next  int   // numbers the calls
	seq   int64 // numbers what polls took
	polls int
	quiet *time.Timer // runs while nobody polls: to suspect, then to lost
	doubt bool        // it is suspect
	err   error       // set before done is closed
	ended bool
}

// pending is a call that was not answered yet.
type pending struct {
	n        int // which call of the lease it is
	answer   chan core.ToolResult
	progress func(core.ToolProgress)
	event    yaap.Event
	until    time.Time // its deadline, if it has one
	seq      int64     // of the poll that took it last; 0 before any
}

var (
	_ hub.Link            = (*peer)(nil)
	_ hub.OutcomeNotifier = (*peer)(nil)
	_ hub.SuspectReporter = (*peer)(nil)
)

func newPeer(in yaap.Introduction) *peer {
	p := &peer{
		in: in, done: make(chan struct{}), signals: make(chan hub.Signal, 1), wake: make(chan struct{}, 1), calls: map[string]*pending{},
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	// It has lostAfter to begin polling.
	p.quiet = time.AfterFunc(lostAfter/2, p.missed)
	return p
}

// missed is called when nobody has polled for half of the time, and again
// after the other half.
func (p *peer) missed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.polls > 0 || p.ended: // it came back at the last moment
	case p.doubt:
		p.finish(errLost)
	default:
		p.suspect(true)
		p.quiet.Reset(lostAfter / 2)
	}
}

// suspect notes whether the peer is heard of; p.mu is held.
func (p *peer) suspect(doubt bool) {
	if p.doubt == doubt {
		return
	}
	p.doubt = doubt
	select {
	case p.signals <- hub.SuspectChanged:
	default: // the hub has yet to look
	}
}

// Suspect implements [hub.SuspectReporter].
func (p *peer) Suspect() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.doubt
}

// Tools implements [hub.Link].
func (p *peer) Tools(context.Context) ([]core.ToolSpec, error) {
	schema := p.in.InputSchema
	if len(schema) == 0 {
		schema = core.PromptSchema()
	}
	return []core.ToolSpec{{Name: p.in.Name, Description: p.in.Description, Schema: schema, Examples: p.in.Examples}}, nil
}

// Call implements [hub.Link].
func (p *peer) Call(ctx context.Context, c core.Call) (core.ToolResult, error) {
	id, waiting, err := p.send(ctx, c)
	if err != nil {
		return core.ToolResult{}, err
	}
	select {
	case result := <-waiting.answer:
		return result, nil
	case <-p.done:
		return core.ToolResult{}, hub.ErrGone
	case <-ctx.Done():
		p.cancel(id)
		return core.ToolResult{}, ctx.Err()
	}
}

func (p *peer) send(ctx context.Context, c core.Call) (string, *pending, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return "", nil, hub.ErrGone
	}
	p.next++
	id := c.Key
	if _, taken := p.calls[id]; taken || id == "" { // the one before is being given up
		id = fmt.Sprint(c.Key, "c", p.next)
	}
	waiting := &pending{
		n: p.next, answer: make(chan core.ToolResult, 1), progress: c.Progress,
		event: yaap.Event{Type: yaap.EventCall, CallID: id, Arguments: c.Args, Context: hub.Recent(c.Context), Depth: c.Scope.Depth + 1},
	}
	if c.Tool == yaap.ToolBid {
		var request yaap.BidRequest
		if err := json.Unmarshal(c.Args, &request); err != nil {
			return "", nil, err
		}
		waiting.event.Type, waiting.event.Arguments, waiting.event.Depth = yaap.EventBid, nil, 0
		waiting.event.Texts, waiting.event.Context = request.Texts, request.Context
	}
	waiting.until, _ = ctx.Deadline()
	p.calls[id] = waiting
	p.push(waiting.event)
	return id, waiting, nil
}

// push queues an event for the next poll; p.mu is held.
func (p *peer) push(e yaap.Event) {
	p.queue = append(p.queue, e)
	p.rouse()
}

// rouse lets a poll look at the queue.
func (p *peer) rouse() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// cancel gives up a call; what comes for it now is not accepted.
func (p *peer) cancel(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting := p.calls[id]
	if delete(p.calls, id); waiting != nil && waiting.seq > 0 { // else the peer does not know of it
		p.push(yaap.Event{Type: yaap.EventCancel, CallID: id})
	}
}

// poll returns what there is to tell the peer, after wait at most. conn ends
// with the peer's connection. ack is the last answer that the peer has; nil
// when it does not say.
func (p *peer) poll(conn context.Context, wait time.Duration, ack *int64) (yaap.Events, error) {
	if err := p.begin(ack); err != nil {
		return yaap.Events{}, err
	}
	defer p.rest()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-p.wake:
		case <-timer.C:
			return yaap.Events{Events: []yaap.Event{}}, nil
		case <-conn.Done():
			return yaap.Events{}, conn.Err()
		case <-p.done:
			return yaap.Events{Events: []yaap.Event{{Type: yaap.EventBye, Reason: p.Err().Error()}}}, nil
		}
		if conn.Err() != nil { // nobody is there to read what would be taken
			p.rouse()
			return yaap.Events{}, conn.Err()
		}
		if taken := p.take(); len(taken.Events) > 0 {
			return taken, nil
		}
	}
}

func (p *peer) begin(ack *int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ended:
		return yaap.Refuse(yaap.Gone, "this lease has ended: say hello again")
	case p.polls == maxPolls:
		return yaap.Refuse(yaap.TooMany, "%d polls of this lease are open already", maxPolls)
	}
	p.polls++
	p.quiet.Stop()
	p.suspect(false)
	if ack != nil {
		p.repeat(*ack)
	}
	return nil
}

// repeat queues the calls again that were taken after ack; p.mu is held.
func (p *peer) repeat(ack int64) {
	var again []*pending
	for _, waiting := range p.calls {
		if waiting.seq > ack && !slices.ContainsFunc(p.queue, func(e yaap.Event) bool { return e.CallID == waiting.event.CallID }) {
			again = append(again, waiting)
		}
	}
	slices.SortFunc(again, func(a, b *pending) int { return cmp.Compare(a.n, b.n) }) // as they were made
	for _, waiting := range again {
		p.push(waiting.event)
	}
}

// rest starts the clock when the last poll has ended.
func (p *peer) rest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.polls--; p.polls == 0 && !p.ended {
		p.quiet.Reset(lostAfter / 2)
	}
}

// take empties the queue. A call that was answered or given up meanwhile is
// left out.
func (p *peer) take() yaap.Events {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := yaap.Events{Seq: p.seq + 1}
	for _, e := range p.queue {
		if e.Type == yaap.EventCall || e.Type == yaap.EventBid {
			waiting := p.calls[e.CallID]
			if waiting == nil {
				continue
			}
			waiting.seq = taken.Seq
			if !waiting.until.IsZero() {
				e.DeadlineMS = max(1, time.Until(waiting.until).Milliseconds())
			}
		}
		taken.Events = append(taken.Events, e)
	}
	p.queue = nil
	if len(taken.Events) > 0 {
		p.seq = taken.Seq
	}
	return taken
}

// reply takes an answer; it reports false for a call that is not waiting.
func (p *peer) reply(r yaap.Reply) bool {
	result := core.ToolResult{Status: core.ToolSuccess, Text: r.Text, Data: r.Data}
	if !r.OK {
		result.Status, result.Code = core.ToolError, core.ToolCodeExecutionFailed
	}
	return p.settle(r.CallID, result)
}

// settle ends a call; it reports false for one that is not waiting.
func (p *peer) settle(call string, result core.ToolResult) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting := p.calls[call]
	if waiting == nil {
		return false
	}
	delete(p.calls, call)
	waiting.answer <- result
	return true
}

func (p *peer) progressed(r yaap.Progress) bool {
	p.mu.Lock()
	waiting := p.calls[r.CallID]
	p.mu.Unlock()
	if waiting == nil {
		return false
	}
	if waiting.progress != nil {
		progress := core.ToolProgress{Message: r.Message, Fraction: -1}
		if r.Fraction != nil {
			progress.Fraction = min(max(*r.Fraction, 0), 1)
		}
		waiting.progress(progress)
	}
	return true
}

// end closes the link once, for one reason.
func (p *peer) end(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finish(why)
}

// finish is what end does; p.mu is held.
func (p *peer) finish(why error) {
	if p.ended {
		return
	}
	p.ended, p.err = true, why
	p.quiet.Stop()
	close(p.done)
}

// Signals implements [hub.Link]. What a peer has to say it says by calls.
func (p *peer) Signals() <-chan hub.Signal { return p.signals }

// Done implements [hub.Link].
func (p *peer) Done() <-chan struct{} { return p.done }

// Err implements [hub.Link].
func (p *peer) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// Close implements [hub.Link].
func (p *peer) Close() error {
	p.end(errClosed)
	return nil
}

// Welcome implements [hub.OutcomeNotifier]; hello's answer is the welcome.
func (p *peer) Welcome(string) {}

// Bye implements [hub.OutcomeNotifier].
func (p *peer) Bye(reason string) { p.end(errors.New(reason)) }
