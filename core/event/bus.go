// Package event carries what happens to those who look on.
//
// A [Bus] gives every event its number and hands it to every [Feed] in one
// total order. Emit never blocks and never drops: what a reader has not taken
// yet waits for it. While it waits, adjacent deltas of the same stream become
// one, so a slow reader costs memory in proportion to the text, not to the
// number of its pieces. A reader takes all that is pending in one batch.
//
// Nothing may be decided by an event and nobody waits for one: requests are
// plain calls.
package event

import (
	"context"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// Bus is one room's sequence of events. The zero value is ready. All methods
// may be called from any goroutine.
type Bus struct {
	mu    sync.Mutex
	seq   uint64
	feeds []*Feed
}

// Emit implements [core.Sink].
func (b *Bus) Emit(s core.Scope, body core.Body) core.Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seq++
	e := core.Event{Seq: b.seq, Time: time.Now(), Scope: s, Body: body}
	for _, f := range b.feeds {
		f.add(e)
	}
	return e
}

// Feed returns a new reader of everything that is emitted from now on. Close
// it when it is not read any more.
func (b *Bus) Feed() *Feed {
	f := &Feed{bus: b, ready: make(chan struct{}, 1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	// Emit ranges over the slice under the same lock; appending to it is safe.
	b.feeds = append(b.feeds, f)
	return f
}

// Feed is one reader's view of a [Bus]. Next is for one goroutine at a time.
type Feed struct {
	bus     *Bus
	ready   chan struct{} // holds a token while pending is not empty
	pending []entry       // guarded by bus.mu
}

// entry is an event that waits, with the text of the deltas merged into it.
type entry struct {
	event core.Event
	text  *strings.Builder // nil unless deltas were merged
	last  uint64
}

// Next returns all events since the last call, in order, and blocks until
// there is at least one or ctx ends.
func (f *Feed) Next(ctx context.Context) ([]core.Event, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-f.ready:
		}
		if events := f.Pending(); len(events) > 0 {
			return events, nil
		}
	}
}

// All gives the events one by one, as [Feed.Next] does, until ctx ends.
func (f *Feed) All(ctx context.Context) iter.Seq[core.Event] {
	return func(yield func(core.Event) bool) {
		for {
			events, err := f.Next(ctx)
			if err != nil {
				return
			}
			for _, e := range events {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// Pending returns what is pending, which may be nothing, and does not block.
func (f *Feed) Pending() []core.Event {
	f.bus.mu.Lock()
	pending := f.pending
	f.pending = nil
	f.bus.mu.Unlock()
	events := make([]core.Event, len(pending))
	for i, p := range pending {
		events[i] = p.merged()
	}
	return events
}

// Close ends the feed; what is pending is forgotten.
func (f *Feed) Close() {
	f.bus.mu.Lock()
	defer f.bus.mu.Unlock()
	for i, g := range f.bus.feeds {
		if g == f {
			f.bus.feeds = append(f.bus.feeds[:i:i], f.bus.feeds[i+1:]...)
			return
		}
	}
}

// add appends e; bus.mu is held.
func (f *Feed) add(e core.Event) {
	if d, ok := e.Body.(core.Delta); ok && f.merge(e, d) {
		return
	}
	f.pending = append(f.pending, entry{event: e, last: e.Seq})
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// merge puts d into the delta that waits last, if it continues that one.
func (f *Feed) merge(e core.Event, d core.Delta) bool {
	if len(f.pending) == 0 {
		return false
	}
	p := &f.pending[len(f.pending)-1]
	first, ok := p.event.Body.(core.Delta)
	if !ok || first.Stream != d.Stream || first.Field != d.Field || p.event.Scope != e.Scope {
		return false
	}
	if p.text == nil {
		p.text = new(strings.Builder)
		p.text.WriteString(first.Text)
	}
	if d.Reset {
		p.text.Reset()
		first.Reset = true
		p.event.Body = first
	}
	p.text.WriteString(d.Text)
	p.last = e.Seq
	return true
}

func (p entry) merged() core.Event {
	if p.text == nil {
		return p.event
	}
	d := p.event.Body.(core.Delta)
	d.Text = p.text.String()
	d.FirstSeq, d.LastSeq = p.event.Seq, p.last
	p.event.Body = d
	return p.event
}
