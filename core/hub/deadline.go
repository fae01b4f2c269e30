package hub

import (
	"context"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

// deadline bounds one call: the caller's context, the expert's life, and a
// time limit that progress moves on, at most to twice its length in all.
type deadline struct {
	ctx    context.Context
	cancel context.CancelFunc
	limit  time.Duration

	mu    sync.Mutex
	timer *time.Timer
	start time.Time
	until time.Duration // after start
	held  int           // how many wait for the user
	since time.Time     // the first of them did
	over  bool
}

func newDeadline(life, caller context.Context, limit time.Duration) *deadline {
	ctx, cancel := context.WithCancel(caller)
	stop := context.AfterFunc(life, cancel)
	start := time.Now()
	d := &deadline{ctx: limited{ctx, start.Add(limit)}, limit: limit, start: start, until: limit}
	d.cancel = func() { stop(); cancel() }
	d.timer = time.AfterFunc(limit, d.expire)
	return d
}

func (d *deadline) expire() {
	d.mu.Lock()
	d.over = true
	d.mu.Unlock()
	d.cancel()
}

// extend gives the call its full limit again from now.
func (d *deadline) extend() {
	d.mu.Lock()
	defer d.mu.Unlock()
	until := min(time.Since(d.start)+d.limit, 2*d.limit)
	if d.over || d.held > 0 || until <= d.until || !d.timer.Stop() {
		return
	}
	d.until = until
	d.timer.Reset(until - time.Since(d.start))
}

// hold stops the time until resume is called.
func (d *deadline) hold() (resume func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.held++; d.held == 1 {
		d.timer.Stop()
		d.since = time.Now()
	}
	return sync.OnceFunc(func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.held--; d.held == 0 && !d.over {
			d.start = d.start.Add(time.Since(d.since))
			d.timer.Reset(d.until - time.Since(d.start))
		}
	})
}

func (d *deadline) expired() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.over
}

func (d *deadline) allowed() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.until.Round(time.Millisecond)
}

func (d *deadline) stop() {
	d.timer.Stop()
	d.cancel()
}

// limited is a context that tells a link how long the call may take. Its end
// is the deadline's: progress may move it on.
type limited struct {
	context.Context
	until time.Time
}

// Deadline implements [context.Context].
func (l limited) Deadline() (time.Time, bool) {
	if until, ok := l.Context.Deadline(); ok && until.Before(l.until) {
		return until, true
	}
	return l.until, true
}

const maxReports = 20 // of one call in a second

// reports hands on what a call says of its progress: no more than maxReports a
// second, and nothing once the call has ended.
type reports struct {
	mu    sync.Mutex
	over  bool
	since time.Time // the present second began
	count int       // in it
}

func (r *reports) hand(p core.ToolProgress, on func(core.ToolProgress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); now.Sub(r.since) >= time.Second {
		r.since, r.count = now, 0
	}
	if r.count++; r.over || r.count > maxReports {
		return
	}
	p.Message = safe.Cut(p.Message, 200)
	on(p)
}

func (r *reports) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
}
