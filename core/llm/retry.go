package llm

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// Backoff says whether and when a failed request is sent again. The zero
// Backoff is ready to use.
type Backoff struct {
	Attempts int            // tries in all; default 3
	Base     time.Duration  // the longest wait after the first try, doubled after each further one; default 500 ms
	Max      time.Duration  // the longest wait of all; default 10 s
	Rand     func() float64 // from [0,1), for the jitter; default math/rand/v2
}

// Next decides after the attempt-th try (from 1) has failed with err. It says
// again when attempts are left and err is retryable. The delay is between half
// of the longest wait and all of it, or what a [BusyError] in err asks for;
// where that is more than Max there is no further try.
func (b Backoff) Next(attempt int, err error) (delay time.Duration, again bool) {
	b.Attempts = cmp.Or(b.Attempts, 3)
	b.Base = cmp.Or(b.Base, 500*time.Millisecond)
	b.Max = cmp.Or(b.Max, 10*time.Second)
	if b.Rand == nil {
		b.Rand = rand.Float64
	}
	if attempt >= b.Attempts || !core.Retryable(err) {
		return 0, false
	}
	var busy *BusyError
	if errors.As(err, &busy) && busy.After > 0 {
		if busy.After > b.Max {
			return 0, false
		}
		return busy.After, true
	}
	d := b.Base
	for range attempt - 1 {
		if d *= 2; d >= b.Max {
			break
		}
	}
	d = min(d, b.Max)
	return d/2 + time.Duration(b.Rand()*float64(d/2)), true
}

// BusyError is the cause in a [core.Error] when a provider said how long to
// wait before the next try.
type BusyError struct {
	After time.Duration
	Err   error
}

// Error returns the cause's message.
func (e *BusyError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *BusyError) Unwrap() error { return e.Err }

// Sleep waits for d. It returns early, with the context's error, when ctx ends.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return ctx.Err()
}
