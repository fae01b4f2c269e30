package store

import (
	"slices"
	"sync"

	"github.com/yaap-chat/yaap/core"
)

// put is one call of [Store.Put] on its way through the writer.
type put struct {
	records []record
	settled chan struct{} // closed when err says what became of it
	err     error
}

func newPut(records []record) *put { return &put{records: records, settled: make(chan struct{})} }

// writes reports whether something of the memory is among the records.
func (p *put) writes(memory string) bool {
	return slices.ContainsFunc(p.records, func(r record) bool {
		of, ok := r.memoryOf()
		return ok && of == memory
	})
}

// maxFailures is how many failed writes of a memory are remembered.
const maxFailures = 256

// queue hands Puts to the writer, in the order they came. Its length is bounded
// by the goroutines that wait in Put: one that gives up takes its put out again.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond // signalled when anything below changes
	pending []*put
	taken   []*put                    // those that the writer has, and settled ones of its last batch
	failed  map[string][]core.Failure // entries and contexts by their memory that nobody has been told of
	closing bool                      // takes no more
	running bool                      // a Run is draining it
	over    bool                      // shut has been called
}

func newQueue() *queue {
	q := &queue{failed: map[string][]core.Failure{}}
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
func (q *queue) withdraw(p *put, why error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.pending, p); i >= 0 {
		q.pending = slices.Delete(q.pending, i, i+1)
		q.settled(p, why)
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
	q.taken = slices.Clone(q.pending[:min(limit, len(q.pending))])
	q.pending = slices.Delete(q.pending, 0, len(q.taken))
	return q.taken
}

// settle tells everybody who waits for p what became of it.
func (q *queue) settle(p *put, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.settled(p, err)
}

func (q *queue) settled(p *put, err error) {
	p.err = err
	close(p.settled)
	if err == nil || core.CodeOf(err) == core.CodeConflict { // somebody else was quicker: nothing is lost
		return
	}
	for _, r := range p.records {
		if memory, ok := r.memoryOf(); ok && r.kind != kindState && len(q.failed[memory]) < maxFailures {
			id, _ := r.args[0].(string)
			q.failed[memory] = append(q.failed[memory], core.Failure{ID: id, Reason: err.Error()})
		}
	}
}

// memoryOf returns the memory of what belongs to one.
func (r record) memoryOf() (memory string, ok bool) {
	switch r.kind {
	case kindEntry, kindContext, kindState:
		memory, ok = r.args[1].(string)
	}
	return memory, ok
}

// writing returns the Puts that write to a memory and may not be settled.
func (q *queue) writing(memory string) (puts []*put) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, p := range slices.Concat(q.taken, q.pending) {
		if p.writes(memory) {
			puts = append(puts, p)
		}
	}
	return puts
}

// failures returns the writes to a memory that failed and that nobody has been
// told of.
func (q *queue) failures(memory string) []core.Failure {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.failed[memory])
}

// told forgets failures, and returns those of them that nobody else was told
// meanwhile.
func (q *queue) told(memory string, failures []core.Failure) (mine []core.Failure) {
	q.mu.Lock()
	defer q.mu.Unlock()
	rest := slices.DeleteFunc(slices.Clone(q.failed[memory]), func(f core.Failure) bool {
		known := slices.Contains(failures, f)
		if known {
			mine = append(mine, f)
		}
		return known
	})
	if len(rest) == 0 {
		delete(q.failed, memory)
	} else {
		q.failed[memory] = rest
	}
	return mine
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
		q.settled(p, errClosed())
	}
	q.pending = nil
	return true
}
