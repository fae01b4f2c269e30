package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"yaap/core"
	"yaap/core/hub"
	"yaap/core/yaap"
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
	in   yaap.Introduction
	done chan struct{}

	mu    sync.Mutex
	queue []yaap.Event // not delivered yet
	wake  chan struct{}
	calls map[string]*pending
	next  int
	polls int
	lost  *time.Timer // runs while nobody polls
	err   error       // set before done is closed
	ended bool
}

// pending is a call that was not answered yet.
type pending struct {
	answer   chan core.ToolResult
	progress func(core.ToolProgress)
}

var (
	_ hub.Link    = (*peer)(nil)
	_ hub.Greeter = (*peer)(nil)
)

func newPeer(in yaap.Introduction) *peer {
	p := &peer{in: in, done: make(chan struct{}), wake: make(chan struct{}, 1), calls: map[string]*pending{}}
	p.mu.Lock()
	defer p.mu.Unlock()
	// It has lostAfter to begin polling.
	p.lost = time.AfterFunc(lostAfter, func() { p.end(errLost) })
	return p
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
	id := fmt.Sprint("c", p.next)
	waiting := &pending{answer: make(chan core.ToolResult, 1), progress: c.Progress}
	p.calls[id] = waiting
	e := yaap.Event{Type: yaap.EventCall, CallID: id, Arguments: c.Args, Context: hub.Recent(c.Context), Depth: c.Scope.Depth + 1}
	if deadline, ok := ctx.Deadline(); ok {
		e.DeadlineMS = time.Until(deadline).Milliseconds()
	}
	p.push(e)
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
	if _, ok := p.calls[id]; !ok {
		return
	}
	delete(p.calls, id)
	for i, e := range p.queue {
		if e.CallID == id { // it was never delivered
			p.queue = slices.Delete(p.queue, i, i+1)
			return
		}
	}
	p.push(yaap.Event{Type: yaap.EventCancel, CallID: id})
}

// poll returns what there is to tell the peer, after wait at most. conn ends
// with the peer's connection.
func (p *peer) poll(conn context.Context, wait time.Duration) ([]yaap.Event, error) {
	if err := p.begin(); err != nil {
		return nil, err
	}
	defer p.rest()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-p.wake:
		case <-timer.C:
			return []yaap.Event{}, nil
		case <-conn.Done():
			return nil, conn.Err()
		case <-p.done:
			return []yaap.Event{{Type: yaap.EventBye, Reason: p.Err().Error()}}, nil
		}
		if conn.Err() != nil { // nobody is there to read what would be taken
			p.rouse()
			return nil, conn.Err()
		}
		if events := p.take(); len(events) > 0 {
			return events, nil
		}
	}
}

func (p *peer) begin() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ended:
		return yaap.Refuse(yaap.Gone, "this lease has ended: say hello again")
	case p.polls == maxPolls:
		return yaap.Refuse(yaap.TooMany, "%d polls of this lease are open already", maxPolls)
	}
	p.polls++
	p.lost.Stop()
	return nil
}

// rest starts the clock when the last poll has ended.
func (p *peer) rest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.polls--; p.polls == 0 && !p.ended {
		p.lost.Reset(lostAfter)
	}
}

func (p *peer) take() []yaap.Event {
	p.mu.Lock()
	defer p.mu.Unlock()
	events := p.queue
	p.queue = nil
	return events
}

// reply takes an answer; it reports false for a call that is not waiting.
func (p *peer) reply(r yaap.Reply) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting := p.calls[r.CallID]
	if waiting == nil {
		return false
	}
	delete(p.calls, r.CallID)
	result := core.ToolResult{Status: core.ToolSuccess, Text: r.Text, Data: r.Data}
	if !r.OK {
		result.Status, result.Code = core.ToolError, core.ToolCodeExecutionFailed
	}
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
	if p.ended {
		return
	}
	p.ended, p.err = true, why
	p.lost.Stop()
	close(p.done)
}

// Signals implements [hub.Link]: what a peer has to say it says by calls.
func (p *peer) Signals() <-chan hub.Signal { return nil }

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

// Welcome implements [hub.Greeter]; hello's answer is the welcome.
func (p *peer) Welcome(string) {}

// Bye implements [hub.Greeter].
func (p *peer) Bye(reason string) { p.end(errors.New(reason)) }
