package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"yaap/core"
)

// fail notes the entries and contexts of a Put that was accepted and failed.
func (m *Memory) fail(rows []core.Row, err error) {
	if core.CodeOf(err) == core.CodeConflict { // somebody else was quicker: nothing is lost
		return
	}
	var failed []failure
	note := func(memory, id string) {
		failed = append(failed, failure{memory, core.Failure{ID: id, Reason: err.Error()}})
	}
	for _, row := range rows {
		if c, ok := row.(interface{ Check() error }); ok && c.Check() != nil {
			return // it was refused
		}
		switch row := row.(type) {
		case core.Entry:
			note(row.Memory, row.ID)
		case core.ContextDoc:
			note(row.Memory, row.ID)
		default:
		}
	}
	m.kept.failed = append(m.kept.failed, failed...)
}

// failure is a write to a memory that failed.
type failure struct {
	memory string
	core.Failure
}

// Await returns what became of the entries that were put into a memory.
func (m *Memory) Await(ctx context.Context, q core.AwaitQuery) (c core.Consistency, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.hasMemory(q.Memory) {
		return c, missing("memory", q.Memory)
	}
	for _, e := range m.kept.entries {
		if e.Memory == q.Memory {
			c.Durable = e.Seq
		}
	}
	for _, f := range m.kept.failed {
		there := slices.ContainsFunc(m.kept.entries, func(e core.Entry) bool { return e.ID == f.ID }) ||
			slices.ContainsFunc(m.kept.contexts, func(c core.ContextDoc) bool { return c.ID == f.ID })
		if f.memory == q.Memory && !there {
			c.Failed = append(c.Failed, f.Failure)
		}
	}
	if !q.Keep {
		m.kept.failed = slices.DeleteFunc(m.kept.failed, func(f failure) bool { return f.memory == q.Memory })
	}
	return c.Waited(time.Now()), ctx.Err()
}

func (m *Memory) putState(row core.MemoryState) error {
	if err := row.Check(); err != nil {
		return err
	}
	if !m.hasMemory(row.Memory) {
		return missing("memory", row.Memory)
	}
	last := 0
	for _, s := range m.kept.states {
		if s.ID == row.ID {
			return nil
		}
		if s.Memory == row.Memory && s.Thread == row.Thread {
			last = s.Step
		}
	}
	if row.Step != last+1 {
		return &core.Error{
			Code: core.CodeConflict, Message: fmt.Sprintf("step %d of this conversation does not follow step %d", row.Step, last),
			Hint: "read it again and go on from there",
		}
	}
	row.Time = instant(row.Time)
	add(m, &m.kept.states, row)
	return nil
}

// States returns the checkpoints of a conversation in order, up to a step.
func (m *Memory) States(ctx context.Context, memory, thread string, upto int) ([]core.MemoryState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	states := those(m.kept.states, func(s core.MemoryState) bool {
		return s.Memory == memory && s.Thread == thread && (upto == 0 || s.Step <= upto)
	})
	for i := range states {
		m.fill(&states[i])
	}
	return states, ctx.Err()
}

// LastStates returns the last checkpoint of every conversation, the newest
// first.
func (m *Memory) LastStates(ctx context.Context, memory string, limit int) ([]core.MemoryState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var last []core.MemoryState
	for _, s := range slices.Backward(m.kept.states) {
		if s.Memory == memory && !slices.ContainsFunc(last, func(l core.MemoryState) bool { return l.Thread == s.Thread }) {
			m.fill(&s)
			last = append(last, s)
		}
	}
	slices.SortStableFunc(last, func(a, b core.MemoryState) int {
		return cmp.Or(b.Time.Compare(a.Time), strings.Compare(b.ID, a.ID))
	})
	return atMost(limit, last), ctx.Err()
}

// fill gives a checkpoint the words that it refers to.
func (m *Memory) fill(s *core.MemoryState) {
	var messages []core.Message
	for _, p := range s.Process {
		for _, msg := range m.messages[s.Thread] {
			if msg.ID == p.ID {
				messages = append(messages, msg)
			}
		}
	}
	s.Process, s.Content = messages, ""
	for _, c := range m.kept.contexts {
		if c.Seq == s.Context {
			s.Content = c.Content
		}
	}
}

// DeleteStates removes the checkpoints of a conversation.
func (m *Memory) DeleteStates(ctx context.Context, memory, thread string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.kept.states)
	m.kept.states = slices.DeleteFunc(m.kept.states, func(s core.MemoryState) bool { return s.Memory == memory && s.Thread == thread })
	if n == len(m.kept.states) {
		return missing("checkpoint of conversation", thread)
	}
	return ctx.Err()
}
