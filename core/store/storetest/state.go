package storetest

import (
	"context"
	"slices"
	"time"

	"yaap/core"
)

// fail notes the entries of a Put that was accepted and failed.
func (m *Memory) fail(rows []core.Row, err error) {
	var failed []core.Entry
	for _, row := range rows {
		if e, ok := row.(core.Entry); ok {
			failed = append(failed, e)
		}
		if c, ok := row.(interface{ Check() error }); ok && c.Check() != nil {
			return // it was refused
		}
	}
	for _, e := range failed {
		m.kept.failed = append(m.kept.failed, failure{e.Memory, core.Failure{ID: e.ID, Reason: err.Error()}})
	}
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
		there := slices.ContainsFunc(m.kept.entries, func(e core.Entry) bool { return e.ID == f.ID })
		if f.memory == q.Memory && !there {
			c.Failed = append(c.Failed, f.Failure)
		}
	}
	if !q.Keep {
		m.kept.failed = slices.DeleteFunc(m.kept.failed, func(f failure) bool { return f.memory == q.Memory })
	}
	return c.Waited(time.Now()), ctx.Err()
}
