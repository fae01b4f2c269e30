package memory

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// request asks the worker to record so many of the messages that wait.
type request struct {
	messages int
	done     chan error // takes one value, without blocking
}

// Await is await_consistency: it returns when everything that was accepted for
// the memory before the call is on disk and can be searched, or has failed;
// that includes the messages that wait for their entry. What failed is named,
// with the reason, once; a message that failed still waits, and is tried again.
//
// When ctx ends first, Await fails with [core.CodeTimedOut] or ctx's error. It
// needs Run; after that has ended the messages that wait count as failed.
func (r *Recorder) Await(ctx context.Context) (c core.Consistency, err error) {
	begun := time.Now()
	waiting, err := r.cfg.Store.Unrecorded(ctx, r.cfg.Memory.ID, 0)
	if err != nil {
		return c.Waited(begun), late(ctx, err)
	}
	reason, err := r.recorded(ctx, len(waiting))
	if err != nil {
		return c.Waited(begun), late(ctx, err)
	}
	if c, err = r.cfg.Store.Await(ctx, core.AwaitQuery{Memory: r.cfg.Memory.ID}); err != nil {
		return c.Waited(begun), late(ctx, err)
	}
	if reason != "" {
		still, err := r.cfg.Store.Unrecorded(ctx, r.cfg.Memory.ID, 0)
		if err != nil {
			return c.Waited(begun), late(ctx, err)
		}
		for _, u := range waiting {
			id := u.Message.ID
			waits := slices.ContainsFunc(still, func(s core.Unrecorded) bool { return s.Message.ID == id })
			named := slices.ContainsFunc(c.Failed, func(f core.Failure) bool { return strings.HasPrefix(f.ID, id+"/") })
			if waits && !named {
				c.Failed = append(c.Failed, core.Failure{ID: id, Reason: reason})
			}
		}
	}
	return c.Waited(begun), nil
}

// recorded waits until the worker has recorded so many messages, and says why it
// could not.
func (r *Recorder) recorded(ctx context.Context, messages int) (reason string, err error) {
	if messages == 0 {
		return "", nil
	}
	q := request{messages: messages, done: make(chan error, 1)}
	const over = "the program ends; it is taken up at the next start"
	select {
	case r.asked <- q:
	case <-r.ended:
		return over, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
	select {
	case err := <-q.done:
		switch {
		case err == nil:
			return "", nil
		case errors.Is(err, context.Canceled):
			return over, nil
		}
		return err.Error(), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// late says in words that a context ended; other errors stay as they are.
func late(ctx context.Context, err error) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) || core.HintOf(err) != "" {
		return err
	}
	return core.Fail(core.CodeTimedOut, "what is being remembered takes longer than that", "nothing is lost; ask again in a moment").Because(err)
}
