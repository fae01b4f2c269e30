package memory

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/llm"
)

const (
	quiet     = 2 * time.Minute  // after which a model sums up fewer than six messages
	retry     = 20 * time.Second // after which what failed is tried again
	endTime   = 5 * time.Second  // for the end of a session when the program ends
	depth     = 100              // messages that are counted while they wait
	conflicts = 16               // how often another window may be quicker, one time after the other
)

// Recorder records the conversations of one memory behind the chat: it is the
// memory's worker. Wake, Await and Status may be called from any goroutine.
type Recorder struct {
	cfg     Config
	invoker *Invoker
	wake    chan struct{}
	asked   chan request
	ended   chan struct{}   // closed when Run has returned
	open    map[string]bool // conversations whose session is to be ended; of Run
	plain   bool            // no model is asked; of Run

	mu     sync.Mutex
	status Status
}

// Status is what the worker is doing.
type Status struct {
	Memory    core.Memory
	Waiting   int       // messages without an entry yet; 100: or more
	NextFlush int       // messages until the context is written anew
	Flushed   time.Time // when it was last
	Failure   string    // why the last try failed; empty: it did not
}

// NewRecorder returns a recorder. Nothing is recorded before Run, which may be
// called once.
func NewRecorder(cfg Config) *Recorder {
	cfg = cfg.complete()
	r := &Recorder{
		wake: make(chan struct{}, 1), asked: make(chan request), ended: make(chan struct{}), open: map[string]bool{},
		status: Status{Memory: cfg.Memory, NextFlush: cfg.Every},
	}
	model := cfg.Model
	cfg.Model = func() llm.Model {
		if r.plain {
			return nil
		}
		return model()
	}
	r.cfg, r.invoker = cfg, NewInvoker(NewAgent(cfg))
	return r
}

// Wake tells that something was said. It never blocks.
func (r *Recorder) Wake() { wake(r.wake) }

// wake never blocks: who is to wake has work until it has looked.
func wake(sleeper chan<- struct{}) {
	select {
	case sleeper <- struct{}{}:
	default:
	}
}

// Status returns what the worker is doing.
func (r *Recorder) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

// Run records until ctx ends, and then ends the sessions within 5 s. What is
// not done by then is taken up at the next start: the messages are stored. It
// is then made without a model, so that the first question of the user, who may
// ask about just that, does not have to wait for one.
func (r *Recorder) Run(ctx context.Context) error {
	defer close(r.ended)
	r.plain = true
	if err := r.safely(func() error { return r.invoker.CatchUp(ctx) }); err != nil {
		r.cfg.Log.Warn("end_session", "err", err)
	}
	var late <-chan time.Time
	take := func(all bool) {
		switch left, err := r.take(ctx, all, 0); {
		case err != nil:
			late = time.After(retry)
		case left > 0:
			late = time.After(quiet)
		default:
			late = nil
		}
	}
	take(true)
	r.plain = false
	for {
		select {
		case <-r.wake:
			take(false)
		case <-late:
			take(true)
		case q := <-r.asked:
			_, err := r.take(ctx, true, q.messages)
			q.done <- err
			take(false) // what came meanwhile
		case <-ctx.Done():
			r.end(context.WithoutCancel(ctx))
			return nil
		}
	}
}

// end takes what waits and ends the sessions, for as long as there is time.
func (r *Recorder) end(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, endTime)
	defer stop()
	_, _ = r.take(ctx, true, 0) // it has told what failed
	for thread := range r.open {
		var err error
		for range conflicts { // what was under way when the program was ended, say, has come first
			err = r.safely(func() error { return r.invoker.EndSession(ctx, thread) })
			if core.CodeOf(err) != core.CodeConflict {
				break
			}
		}
		if err != nil {
			r.cfg.Log.Warn("end_session", "thread_id", thread, "err", err)
		}
	}
}

// take records what waits, or so many messages of it when enough is not 0. A
// model sums up six messages at once: fewer are left waiting unless all is to be
// taken. It returns how many are left.
func (r *Recorder) take(ctx context.Context, all bool, enough int) (left int, err error) {
	for done, quicker := 0, 0; ctx.Err() == nil; {
		var n int
		err := r.safely(func() (err error) {
			n, left, err = r.batch(ctx, all)
			return err
		})
		switch {
		case err == nil:
			quicker = 0
		case core.CodeOf(err) == core.CodeConflict && quicker < conflicts:
			quicker++ // another window has recorded some of it
			continue
		default:
			return left, r.fail(ctx, err)
		}
		if done += n; n == 0 || enough > 0 && done >= enough {
			return left, nil
		}
	}
	return left, ctx.Err()
}

// batch records the messages that have waited longest, and returns how many
// these were and how many were left waiting. A model is asked once for all that
// lead to the next context.
func (r *Recorder) batch(ctx context.Context, all bool) (recorded, left int, err error) {
	waiting, err := r.waiting(ctx)
	if err != nil || len(waiting) == 0 {
		return 0, 0, err
	}
	ready := map[string]bool{}
	for _, w := range waiting {
		if err := r.invoker.Begin(ctx, w.Thread); err != nil {
			return 0, len(waiting), err
		}
		r.open[w.Thread], ready[w.Thread] = true, true
	}
	n := len(waiting)
	if !all && r.cfg.Model() != nil {
		if n = r.invoker.NextFlush(waiting[0].Thread); n > len(waiting) {
			return 0, len(waiting), nil
		}
	}
	// What another window recorded before the states of these sessions were read
	// does not wait any more; what it records after that is a conflict.
	if waiting, err = r.waiting(ctx); err != nil {
		return 0, n, err
	}
	waiting = slices.DeleteFunc(waiting, func(w core.Unrecorded) bool { return !ready[w.Thread] })
	return n, 0, r.record(ctx, waiting[:min(n, len(waiting))])
}

// waiting returns the messages that have waited longest.
func (r *Recorder) waiting(ctx context.Context) ([]core.Unrecorded, error) {
	waiting, err := r.cfg.Store.Unrecorded(ctx, r.cfg.Memory.ID, max(depth, r.cfg.Every))
	if err != nil {
		return nil, err
	}
	r.note(func(s *Status) { s.Waiting = min(depth, len(waiting)) })
	return waiting[:min(r.cfg.Every, len(waiting))], nil
}

// record records messages of sessions that were started, those of one
// conversation together.
func (r *Recorder) record(ctx context.Context, waiting []core.Unrecorded) error {
	for len(waiting) > 0 {
		thread := waiting[0].Thread
		var messages []core.Message
		rest := waiting[:0:0]
		for _, w := range waiting {
			if w.Thread == thread {
				messages = append(messages, w.Message)
			} else {
				rest = append(rest, w)
			}
		}
		waiting = rest
		if err := r.invoker.Process(ctx, thread, messages...); err != nil {
			return err
		}
		if r.cfg.Sink != nil {
			r.cfg.Sink.Emit(core.Scope{Thread: thread}, core.MemoryOperation{Operation: core.MemoryRecord, Status: "end", Messages: len(messages), Noted: noted(messages)})
		}
		next := r.invoker.NextFlush(thread)
		r.note(func(s *Status) {
			s.Failure, s.NextFlush = "", next
			if next == r.cfg.Every {
				s.Flushed = r.cfg.Now()
			}
		})
	}
	return nil
}

// noted are the runs of what the user said that is worth keeping.
func noted(messages []core.Message) (runs []string) {
	for _, m := range messages {
		if m.Role == core.RoleUser && m.Run != "" && len(lang.Notes(core.WithoutAttached(m.Text))) > 0 {
			runs = append(runs, m.Run)
		}
	}
	return runs
}

// safely makes a panic a failure: the worker goes on.
func (r *Recorder) safely(do func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = core.Fail(core.CodeInternal, fmt.Sprintf("this is a fault of yaap: %v", fault), "what was said is kept; look into yaap.log")
		}
	}()
	return do()
}

func (r *Recorder) note(change func(*Status)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.status)
}

// fail says once that nothing is remembered at the moment; the chat goes on.
// That the program ends is no failure.
func (r *Recorder) fail(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	before := r.Status().Failure
	r.note(func(s *Status) { s.Failure = err.Error() })
	r.cfg.Log.Error("memory", "memory_id", r.cfg.Memory.ID, "err", err)
	if before == "" && r.cfg.Sink != nil {
		r.cfg.Sink.Emit(core.Scope{}, core.Notice{
			Level: "warn", Text: "nothing is remembered at the moment: " + err.Error(),
			Hint: "what you say is kept, and taken up when it works again", Command: "/memory",
		})
	}
	return err
}
