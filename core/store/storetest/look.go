package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"yaap/core"
)

// Load implements [core.Journal].
func (m *Memory) Load(ctx context.Context, run string) (core.Saved, error) {
	if err := ctx.Err(); err != nil {
		return core.Saved{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	saved := core.Saved{Run: m.runs[run], Steps: slices.Clone(m.steps[run])}
	for _, msg := range m.messages[saved.Run.Thread] {
		if msg.Run == run {
			saved.Messages = append(saved.Messages, msg)
		}
	}
	for _, p := range m.pauses {
		if p.Run != run {
			continue
		}
		saved.Pauses = append(saved.Pauses, p)
		if a, ok := m.answers[p.ID]; ok {
			saved.Answers = append(saved.Answers, a)
		}
	}
	return saved, nil
}

// Messages returns the messages of a thread in order: those of its root runs
// and those of no run.
func (m *Memory) Messages(ctx context.Context, thread string) ([]core.Message, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.shown(thread), nil
}

func (m *Memory) shown(thread string) []core.Message {
	return slices.DeleteFunc(slices.Clone(m.messages[thread]), func(msg core.Message) bool {
		return m.runs[msg.Run].Parent != ""
	})
}

// Threads returns the threads with the newest activity first, at most limit of
// them; a limit below 1 is none.
func (m *Memory) Threads(ctx context.Context, limit int) ([]core.Thread, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	threads := make([]core.Thread, 0, len(m.threads))
	for id, t := range m.threads {
		t.Count = len(m.shown(id))
		threads = append(threads, t)
	}
	slices.SortFunc(threads, func(a, b core.Thread) int {
		if c := b.Updated.Compare(a.Updated); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	return atMost(limit, threads), nil
}

// atMost returns the first of all; a limit below 1 is none.
func atMost[T any](limit int, all []T) []T {
	if limit < 1 {
		return all
	}
	return all[:min(limit, len(all))]
}

// FindRun returns the run of that id, or the only root run whose id begins with
// it when at least 6 characters are given.
func (m *Memory) FindRun(ctx context.Context, id string) (core.RunRow, error) {
	if err := ctx.Err(); err != nil {
		return core.RunRow{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if run, ok := m.runs[id]; ok {
		return run, nil
	}
	var found []core.RunRow
	for _, run := range m.runs {
		if run.Parent == "" && len(id) >= 6 && strings.HasPrefix(run.ID, id) {
			found = append(found, run)
		}
	}
	switch len(found) {
	case 0:
		return core.RunRow{}, &core.Error{Code: core.CodeNotFound, Message: fmt.Sprintf("there is no run %q", id), Hint: "give its whole id"}
	case 1:
		return found[0], nil
	}
	return core.RunRow{}, &core.Error{Code: core.CodeInvalid, Message: fmt.Sprintf("several runs begin with %q", id), Hint: "type more of it"}
}

// Runs returns the root runs whose runner begins with prefix, the last begun
// first, at most limit of them; a limit below 1 is none.
func (m *Memory) Runs(ctx context.Context, prefix string, limit int) ([]core.RunRow, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var runs []core.RunRow
	for _, id := range slices.Backward(m.begun) {
		if run := m.runs[id]; run.Parent == "" && strings.HasPrefix(run.Runner, prefix) {
			runs = append(runs, run)
		}
	}
	return atMost(limit, runs), nil
}

// Pause returns the question of that id, answered or not.
func (m *Memory) Pause(ctx context.Context, id string) (core.Pause, error) {
	if err := ctx.Err(); err != nil {
		return core.Pause{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.pause(id)
	if !ok {
		return p, noPause(id)
	}
	return p, nil
}

func (m *Memory) pause(id string) (core.Pause, bool) {
	i := slices.IndexFunc(m.pauses, func(p core.Pause) bool { return p.ID == id })
	if i < 0 {
		return core.Pause{}, false
	}
	return m.pauses[i], true
}

// Pauses returns the questions of a thread that are open, or those of all
// threads when none is given, in the order they were asked: nobody has
// answered them, and their root runs are interrupted.
func (m *Memory) Pauses(ctx context.Context, thread string) (open []core.Pause, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.pauses {
		_, answered := m.answers[p.ID]
		waits := m.runs[cmp.Or(p.Root, p.Run)].State == core.RunInterrupted
		if waits && !answered && (thread == "" || thread == p.Thread) {
			open = append(open, p)
		}
	}
	return open, nil
}

// Audit returns the newest entries of the audit log that q asks for, oldest
// first.
func (m *Memory) Audit(ctx context.Context, q core.AuditQuery) (entries []core.AuditEntry, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, row := range m.audit {
		if e := (core.AuditEntry{Seq: int64(i + 1), Row: row}); q.Matches(e) {
			entries = append(entries, e)
		}
	}
	slices.Reverse(entries)
	entries = atMost(q.Limit, entries)
	slices.Reverse(entries)
	return entries, nil
}
