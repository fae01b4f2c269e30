package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// Await returns when every entry and context of a memory that this window had
// accepted before the call is on disk, and found by searches, or has failed. It
// names those that failed since the last Await, once, unless q says that they
// are to be named again. What is there by now has not failed, nor has what
// conflicts with something that was there. What other windows write is not
// waited for.
//
// When ctx ends first, Await fails with [core.CodeTimedOut] or ctx's error. It
// fails with [core.CodeNotFound] when there is no such memory.
func (s *Store) Await(ctx context.Context, q core.AwaitQuery) (c core.Consistency, err error) {
	begun := time.Now()
	for _, p := range s.queue.writing(q.Memory) {
		select {
		case <-p.settled:
		case <-ctx.Done():
			return c.Waited(begun), late(ctx.Err())
		}
	}
	failures := s.queue.failures(q.Memory)
	known := make([]string, len(failures))
	for i, f := range failures {
		known[i] = f.ID
	}
	asked, err := json.Marshal(known)
	if err != nil {
		return c, s.fail("await", err)
	}
	var there string
	err = s.reader.QueryRowContext(ctx, `
		SELECT (SELECT coalesce(max(seq), 0) FROM entry WHERE memory = memory.no),
			(SELECT json_group_array(id) FROM (SELECT id FROM entry UNION ALL SELECT id FROM context) WHERE id IN (SELECT value FROM json_each(?2)))
		FROM memory WHERE id = ?1`, q.Memory, string(asked)).Scan(&c.Durable, &there)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return c, noMemory(q.Memory)
	case err == nil:
		err = json.Unmarshal([]byte(there), &known)
	case ctx.Err() != nil:
		return c.Waited(begun), late(ctx.Err())
	}
	if err != nil {
		return c, s.fail("await", err)
	}
	if !q.Keep {
		failures = s.queue.told(q.Memory, failures)
	}
	c.Failed = slices.DeleteFunc(failures, func(f core.Failure) bool { return slices.Contains(known, f.ID) })
	return c.Waited(begun), nil
}

// late says that a context ended before the writes were done.
func late(err error) error {
	if !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return core.Fail(core.CodeTimedOut, "what is written to this memory takes longer than that", "nothing is lost; ask again in a moment").Because(fmt.Errorf("await: %w", err))
}
