package storetest

import (
	"context"
	"slices"
	"sync"

	"github.com/yaap-chat/yaap/core"
)

// List is a [core.Journal] for the tests of what puts rows and loads them
// again: a list, without the rules and the queries of a store. A row that is
// there already changes nothing, but that a run takes the state put last.
type List struct {
	mu       sync.Mutex
	runs     map[string]core.RunRow
	messages []core.MessageRow
	steps    []core.Checkpoint
	pauses   []core.Pause
	answers  []core.Answer
}

var _ core.Journal = (*List)(nil)

// Put implements [core.Journal].
func (l *List) Put(ctx context.Context, rows ...core.Row) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, row := range rows {
		switch row := row.(type) {
		case core.RunRow:
			l.putRun(row)
		case core.MessageRow:
			addNew(&l.messages, row, func(old core.MessageRow) bool { return old.Message.ID == row.Message.ID })
		case core.Checkpoint:
			addNew(&l.steps, row, func(old core.Checkpoint) bool { return old.Run == row.Run && old.Step == row.Step })
		case core.Pause:
			addNew(&l.pauses, row, func(old core.Pause) bool { return old.ID == row.ID })
		case core.Answer:
			addNew(&l.answers, row, func(old core.Answer) bool { return old.Pause == row.Pause })
		default: // is not loaded again
		}
	}
	return nil
}

// addNew appends a row that is not there.
func addNew[T any](rows *[]T, row T, same func(old T) bool) {
	if !slices.ContainsFunc(*rows, same) {
		*rows = append(*rows, row)
	}
}

func (l *List) putRun(row core.RunRow) {
	if l.runs == nil {
		l.runs = map[string]core.RunRow{}
	}
	if old, known := l.runs[row.ID]; known {
		old.State, old.Code, old.Time = row.State, row.Code, row.Time
		row = old
	}
	l.runs[row.ID] = row
}

// Load implements [core.Journal].
func (l *List) Load(ctx context.Context, run string) (core.Saved, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	saved := core.Saved{
		Run:    l.runs[run],
		Steps:  those(l.steps, func(c core.Checkpoint) bool { return c.Run == run }),
		Pauses: those(l.pauses, func(p core.Pause) bool { return p.Run == run }),
	}
	slices.SortFunc(saved.Steps, func(a, b core.Checkpoint) int { return a.Step - b.Step })
	for _, row := range l.messages {
		if row.Message.Run == run {
			saved.Messages = append(saved.Messages, row.Message)
		}
	}
	for _, p := range saved.Pauses {
		saved.Answers = append(saved.Answers, those(l.answers, func(a core.Answer) bool { return a.Pause == p.ID })...)
	}
	return saved, ctx.Err()
}

// Messages returns what was said in a thread by runs that are below no other.
func (l *List) Messages(ctx context.Context, thread string) (all []core.Message, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, row := range l.messages {
		if row.Thread == thread && l.runs[row.Message.Run].Parent == "" {
			all = append(all, row.Message)
		}
	}
	return all, ctx.Err()
}

// Pauses returns the questions of a thread that nobody has answered.
func (l *List) Pauses(ctx context.Context, thread string) ([]core.Pause, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return those(l.pauses, func(p core.Pause) bool {
		answered := slices.ContainsFunc(l.answers, func(a core.Answer) bool { return a.Pause == p.ID })
		return p.Thread == thread && !answered
	}), ctx.Err()
}

// those returns the rows that are of a kind.
func those[T any](rows []T, is func(T) bool) (some []T) {
	for _, row := range rows {
		if is(row) {
			some = append(some, row)
		}
	}
	return some
}
