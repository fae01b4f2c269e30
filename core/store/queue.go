package store

import (
	"slices"
	"sync"
)

// put is one call of [Store.Put] on its way through the writer.
type put struct {
	records []record
	done    chan error // takes one value, without blocking
}

// queue hands Puts to the writer. Its length is bounded by the goroutines that
// wait in Put: one that gives up takes its put out again.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond // signalled when anything below changes
	pending []*put
	closing bool // takes no more
	running bool // a Run is draining it
	over    bool // shut has been called
}

func newQueue() *queue {
	q := &queue{}
	q.changed.L = &q.mu
	return q
}

// add reports whether the queue took p.
func (q *queue) add(p *put) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closing {
		return false
	}
	q.pending = append(q.pending, p)
	q.changed.Broadcast()
	return true
}

// withdraw takes p out again, unless the writer has it.
func (q *queue) withdraw(p *put) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.pending, p); i >= 0 {
		q.pending = slices.Delete(q.pending, i, i+1)
	}
}

// take waits for Puts and returns at most limit of them, oldest first. It
// returns none when the queue is closing and empty.
func (q *queue) take(limit int) []*put {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.pending) == 0 && !q.closing {
		q.changed.Wait()
	}
	batch := slices.Clone(q.pending[:min(limit, len(q.pending))])
	q.pending = slices.Delete(q.pending, 0, len(batch))
	return batch
}

// start reports whether a Run may begin, for there is no other; it ends with
// stop.
func (q *queue) start() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running {
		return false
	}
	q.running = true
	return true
}

func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running = false
	q.changed.Broadcast()
}

// close lets nothing more in; what is in is still taken.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closing = true
	q.changed.Broadcast()
}

func (q *queue) closed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closing
}

// shut closes the queue, waits for the Run that drains it and fails what is
// left. It reports false when it has been called before.
func (q *queue) shut() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.over {
		return false
	}
	q.over, q.closing = true, true
	q.changed.Broadcast()
	for q.running {
		q.changed.Wait()
	}
	for _, p := range q.pending {
		p.done <- errClosed("put")
	}
	q.pending = nil
	return true
}
