package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"

	"github.com/yaap-chat/yaap/core"
)

func stateRecord(s core.MemoryState) (record, error) {
	if err := s.Check(); err != nil {
		return record{}, err
	}
	ids := make([]string, len(s.Process))
	for i, m := range s.Process {
		ids[i] = m.ID
	}
	lists := make([]string, 2)
	for i, list := range [][]string{ids, append([]string{}, s.Tools...)} {
		var err error
		if lists[i], err = encode(list); err != nil {
			return record{}, fmt.Errorf("checkpoint %s: %w", s.ID, err)
		}
	}
	return record{kind: kindState, args: []any{
		s.ID, s.Memory, s.Thread, s.Step, s.Control, s.Count, lists[0], lists[1], s.Context, s.Upto, s.Time.UnixMicro(),
	}}, nil
}

// storeState stores the next step of a conversation. Two windows that go on
// from the same one do not overwrite each other.
func (s *Store) storeState(ctx context.Context, tx *sql.Tx, r record) error {
	var known bool
	var last int
	err := tx.QueryRowContext(ctx, `SELECT EXISTS(SELECT 1 FROM memory_state WHERE id = ?1),
		(SELECT coalesce(max(step), 0) FROM memory_state WHERE memory = `+memoryNo("?2")+` AND thread = ?3)`, r.args...).Scan(&known, &last)
	switch {
	case err != nil || known:
		return err
	case r.args[3] != last+1:
		return core.Fail(core.CodeConflict, fmt.Sprintf("step %d of this conversation does not follow step %d", r.args[3], last),
			"another window went on with it; read it again and go on from there")
	}
	return s.storeIn(ctx, tx, r)
}

// States returns the checkpoints of a conversation in a memory up to a step, in
// order; up to the last one when upto is 0. Messages that were forgotten are
// missing in them.
func (s *Store) States(ctx context.Context, memory, thread string, upto int) ([]core.MemoryState, error) {
	upto = cmp.Or(upto, math.MaxInt32)
	return s.states(ctx, "read the checkpoints of conversation "+thread,
		"memory_state.memory = "+memoryNo("?1")+" AND memory_state.thread = ?2 AND step <= ?3 ORDER BY step", memory, thread, upto)
}

// LastStates returns the last checkpoint of every conversation in a memory, the
// newest first, at most limit of them; a limit below 1 is none.
func (s *Store) LastStates(ctx context.Context, memory string, limit int) ([]core.MemoryState, error) {
	return s.states(ctx, "list the checkpoints of memory "+memory,
		"memory_state.memory = "+memoryNo("?1")+` AND NOT EXISTS (SELECT 1 FROM memory_state AS later
			WHERE later.memory = memory_state.memory AND later.thread = memory_state.thread AND later.step > memory_state.step)
		ORDER BY at_us DESC, memory_state.id DESC LIMIT ?2`, memory, bound(limit))
}

// states returns the checkpoints that a condition chooses.
func (s *Store) states(ctx context.Context, op, where string, args ...any) ([]core.MemoryState, error) {
	return list(ctx, s, op, func(rows *sql.Rows) (st core.MemoryState, err error) {
		var messages, tools string
		if err := rows.Scan(&st.ID, &st.Memory, &st.Thread, &st.Step, &st.Control, &st.Count, &messages, &tools,
			&st.Context, &st.Content, &st.Upto, stamp{&st.Time}); err != nil {
			return st, err
		}
		if st.Tools, err = decoded[[]string](s, "checkpoint "+st.ID, tools); err != nil {
			return st, err
		}
		st.Process, err = decoded[[]core.Message](s, "the messages of checkpoint "+st.ID, messages)
		return st, err
	}, `
		SELECT memory_state.id, memory.id, memory_state.thread, step, control, count,
			(SELECT json_group_array(json(message.body) ORDER BY ids.key) FROM json_each(messages) AS ids JOIN message ON message.id = ids.value),
			tools, context, coalesce((SELECT content FROM context WHERE context.seq = memory_state.context), ''), upto, at_us
		FROM memory_state JOIN memory ON memory.no = memory_state.memory WHERE `+where, args...)
}

// DeleteStates removes the checkpoints of a conversation in a memory: its
// session begins anew. What was said, and what is remembered of it, stays. It
// fails with [core.CodeNotFound] when there are none.
func (s *Store) DeleteStates(ctx context.Context, memory, thread string) error {
	done, err := s.writer.ExecContext(ctx, "DELETE FROM memory_state WHERE memory = "+memoryNo("?1")+" AND thread = ?2", memory, thread)
	if err != nil {
		return s.fail("delete the checkpoints of conversation "+thread, err)
	}
	if n, err := done.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return core.Fail(core.CodeNotFound, fmt.Sprintf("there are no checkpoints of a conversation %q", thread),
		"yaap threads list shows those that there are")
}
