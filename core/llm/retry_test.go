package llm_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
)

func TestBackoffDecidesByErrorAndAttempt(t *testing.T) {
	fail := func(code core.Code) error { return &core.Error{Code: code, Message: "failed"} }
	busy := func(after time.Duration) error {
		return &core.Error{Code: core.CodeRateLimited, Message: "busy", Err: &llm.BusyError{After: after, Err: errors.New("503")}}
	}
	low := func() float64 { return 0 }
	high := func() float64 { return 1 }
	for _, test := range []struct {
		name    string
		backoff llm.Backoff
		attempt int
		err     error
		delay   time.Duration
		again   bool
	}{
		{"first failure, low", llm.Backoff{Rand: low}, 1, fail(core.CodeUnreachable), 250 * time.Millisecond, true},
		{"first failure, high", llm.Backoff{Rand: high}, 1, fail(core.CodeUnreachable), 500 * time.Millisecond, true},
		{"second failure", llm.Backoff{Rand: high}, 2, fail(core.CodeModelBehavior), time.Second, true},
		{"third failure", llm.Backoff{Rand: high}, 3, fail(core.CodeModelBehavior), 0, false},
		{"late failure is capped", llm.Backoff{Rand: high, Attempts: 1000}, 900, fail(core.CodeTimedOut), 10 * time.Second, true},
		{"base over max", llm.Backoff{Rand: high, Base: time.Minute, Max: time.Second}, 1, fail(core.CodeTimedOut), time.Second, true},
		{"no model", llm.Backoff{Rand: high}, 1, fail(core.CodeNoModel), 0, false},
		{"context full", llm.Backoff{Rand: high}, 1, fail(core.CodeContextFull), 0, false},
		{"cancelled", llm.Backoff{Rand: high}, 1, context.Canceled, 0, false},
		{"fault of the program", llm.Backoff{Rand: high}, 1, errors.New("nil map"), 0, false},
		{"busy with a time", llm.Backoff{Rand: high}, 1, busy(7 * time.Second), 7 * time.Second, true},
		{"busy without a time", llm.Backoff{Rand: high}, 1, busy(0), 500 * time.Millisecond, true},
		{"busy too long", llm.Backoff{Rand: high}, 1, busy(11 * time.Second), 0, false},
		{"busy, wrapped", llm.Backoff{Rand: high}, 2, fmt.Errorf("call: %w", busy(time.Second)), time.Second, true},
		{"busy to the end", llm.Backoff{Rand: high}, 3, busy(time.Second), 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			delay, again := test.backoff.Next(test.attempt, test.err)
			if delay != test.delay || again != test.again {
				t.Errorf("Next(%d, %v) = %v, %v; want %v, %v", test.attempt, test.err, delay, again, test.delay, test.again)
			}
		})
	}
}

func TestBackoffVariesItsDelays(t *testing.T) {
	seen := make(map[time.Duration]bool)
	for range 100 {
		d, again := llm.Backoff{}.Next(1, &core.Error{Code: core.CodeUnreachable, Message: "failed"})
		if !again || d < 250*time.Millisecond || d > 500*time.Millisecond {
			t.Fatalf("Next = %v, %v", d, again)
		}
		seen[d] = true
	}
	if len(seen) < 50 {
		t.Errorf("%d different delays of 100", len(seen))
	}
}

func TestSleepLastsAsLongAsItIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := llm.Sleep(t.Context(), time.Hour); err != nil || time.Since(start) != time.Hour {
			t.Errorf("error %v after %v", err, time.Since(start))
		}
	})
}

func TestSleepEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := llm.Sleep(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("error %v after %v", err, time.Since(start))
		}
	})
}
