package main

import (
	"context"
	"encoding/json"

	"yaap/core"
	"yaap/core/guard"
	"yaap/core/store"
)

// journal is the store as runs see it: what is secret is masked in what goes to
// the audit log, which is kept for ever, and conversations are recorded in the
// memory of the room.
type journal struct {
	*store.Store
	memory *recording // nil: nothing is remembered
}

// Put implements [core.Journal].
func (j journal) Put(ctx context.Context, rows ...core.Row) error {
	var said bool
	more := make([]core.Row, 0, len(rows)+1)
	for _, row := range rows {
		switch r := row.(type) {
		case core.AuditRow:
			row = masked(r)
		case core.MessageRow:
			said = true
		case core.Thread:
			if j.memory != nil {
				more = append(more, j.memory.of(r))
			}
		default:
		}
		more = append(more, row)
	}
	err := j.Store.Put(ctx, more...)
	if err == nil && said && j.memory != nil {
		j.memory.Wake()
	}
	return err
}

func masked(a core.AuditRow) core.AuditRow {
	a.Thought, _ = guard.Mask(a.Thought)
	a.Message, _ = guard.Mask(a.Message)
	var data any
	if json.Unmarshal([]byte(a.Data), &data) != nil {
		a.Data, _ = guard.Mask(a.Data)
		return a
	}
	clean, n := guard.MaskValue(data)
	if n == 0 {
		return a
	}
	raw, err := json.Marshal(clean)
	if err != nil {
		raw = []byte("{}")
	}
	a.Data = string(raw)
	return a
}
