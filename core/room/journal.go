package room

import (
	"context"

	"github.com/yaap-chat/yaap/core"
)

// journal is the store as runs see it: conversations are recorded in the memory of the room.
type journal struct {
	maskedStore
	memory *recording // nil: nothing is remembered
}

// Put implements [core.Journal].
func (j journal) Put(ctx context.Context, rows ...core.Row) error {
	var said bool
	more := make([]core.Row, 0, len(rows)+1)
	for _, row := range rows {
		switch r := row.(type) {
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
	err := j.maskedStore.Put(ctx, more...)
	if err == nil && said && j.memory != nil {
		j.memory.Wake()
	}
	return err
}
