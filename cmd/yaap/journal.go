package main

import (
	"context"
	"encoding/json"
	"slices"

	"yaap/core"
	"yaap/core/guard"
	"yaap/core/store"
)

// journal is the store, with what is secret masked in what goes to the audit
// log: that is kept for ever.
type journal struct{ *store.Store }

// Put implements [core.Journal].
func (j journal) Put(ctx context.Context, rows ...core.Row) error {
	if slices.ContainsFunc(rows, func(r core.Row) bool { _, ok := r.(core.AuditRow); return ok }) {
		rows = slices.Clone(rows)
	}
	for i, row := range rows {
		if a, ok := row.(core.AuditRow); ok {
			rows[i] = masked(a)
		}
	}
	return j.Store.Put(ctx, rows...)
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
