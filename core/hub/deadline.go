package hub

import (
	"context"
	"sync"
	"time"
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
	over  bool
}

func newDeadline(life, caller context.Context, limit time.Duration) *deadline {
	ctx, cancel := context.WithCancel(caller)
	stop := context.AfterFunc(life, cancel)
	d := &deadline{ctx: ctx, limit: limit, start: time.Now(), until: limit}
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
	if d.over || until <= d.until || !d.timer.Stop() {
		return
	}
	d.until = until
	d.timer.Reset(until - time.Since(d.start))
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
