package memory

import (
	"context"
	"sync"
	"time"

	"yaap/core"
)

const (
	quiet   = 20 * time.Second // after which a model sums up fewer than six messages
	endTime = 5 * time.Second  // for the end of a session when the program ends
)

// Recorder records the conversations of one memory behind the chat: it is the
// memory's lane. Wake and Status may be called from any goroutine.
type Recorder struct {
	cfg     Config
	invoker *Invoker
	wake    chan struct{}

	mu     sync.Mutex
	status Status
}

// Status is what the lane is doing.
type Status struct {
	Memory    core.Memory
	Waiting   int       // messages without an entry yet
	NextFlush int       // messages until the context is written anew
	Flushed   time.Time // when it was last
	Failure   string    // why the last try failed; empty: it did not
}

// NewRecorder returns a recorder. Nothing is recorded before Run.
func NewRecorder(cfg Config) *Recorder {
	cfg = cfg.complete()
	r := &Recorder{cfg: cfg, invoker: NewInvoker(NewAgent(cfg)), wake: make(chan struct{}, 1)}
	r.status = Status{Memory: cfg.Memory, NextFlush: flushEvery}
	return r
}

// Wake tells that something was said. It never blocks.
func (r *Recorder) Wake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Status returns what the lane is doing.
func (r *Recorder) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

// Run records until ctx ends, and then ends the sessions within 5 s. What is
// not done by then is taken up at the next start: the messages are stored.
func (r *Recorder) Run(ctx context.Context) error {
	threads := map[string]bool{}
	if err := r.invoker.EndSession(ctx, ""); err != nil { // of a program that was killed
		r.cfg.Log.Warn("end_session", "err", err)
	}
	r.take(ctx, threads, true)
	var late <-chan time.Time
	for {
		select {
		case <-r.wake:
			if r.take(ctx, threads, false) > 0 {
				late = time.After(quiet)
			}
		case <-late:
			late = nil
			r.take(ctx, threads, true)
		case <-ctx.Done():
			ending, stop := context.WithTimeout(context.WithoutCancel(ctx), endTime)
			defer stop()
			r.take(ending, threads, true)
			for thread := range threads {
				if err := r.invoker.EndSession(ending, thread); err != nil {
					r.cfg.Log.Warn("end_session", "thread", thread, "err", err)
				}
			}
			return nil
		}
	}
}

// take records what waits. A model sums up six messages at once: fewer are left
// waiting unless all is to be taken. It returns how many are left.
func (r *Recorder) take(ctx context.Context, threads map[string]bool, all bool) int {
	for ctx.Err() == nil {
		waiting, err := r.cfg.Store.Unrecorded(ctx, r.cfg.Memory.ID, flushEvery)
		if err != nil {
			r.fail(err)
			return 0
		}
		left := len(waiting)
		r.note(func(s *Status) { s.Waiting = left })
		if left == 0 || left < flushEvery && !all && r.cfg.Model() != nil {
			return left
		}
		if err := r.record(ctx, waiting, threads); err != nil {
			r.fail(err)
			return 0
		}
	}
	return 0
}

// record records messages, those of one conversation together.
func (r *Recorder) record(ctx context.Context, waiting []core.Unrecorded, threads map[string]bool) error {
	for len(waiting) > 0 {
		thread := waiting[0].Thread
		if !r.invoker.Started(thread) {
			if err := r.invoker.StartSession(ctx, thread); err != nil {
				return err
			}
			threads[thread] = true
		}
		var messages []core.Message
		rest := waiting[:0:0]
		for _, w := range waiting {
			if w.Thread == thread {
				messages = append(messages, w.Message)
			} else {
				rest = append(rest, w)
			}
		}
		if err := r.invoker.Process(ctx, thread, messages...); err != nil {
			return err
		}
		next := r.invoker.NextFlush(thread)
		r.note(func(s *Status) {
			s.Failure, s.NextFlush = "", next
			if next == flushEvery {
				s.Flushed = r.cfg.Now()
			}
		})
		waiting = rest
	}
	return nil
}

func (r *Recorder) note(change func(*Status)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.status)
}

// fail says once that nothing is remembered at the moment; the chat goes on.
func (r *Recorder) fail(err error) {
	before := r.Status().Failure
	r.note(func(s *Status) { s.Failure = err.Error() })
	r.cfg.Log.Error("memory", "err", err)
	if before == "" && r.cfg.Sink != nil {
		r.cfg.Sink.Emit(core.Scope{}, core.Notice{
			Level: "warn", Text: "nothing is remembered at the moment: " + err.Error(),
			Hint: "what you say is kept, and taken up when it works again", Command: "/memory",
		})
	}
}
