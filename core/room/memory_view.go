package room

import (
	"context"
	"slices"

	"github.com/yaap-chat/yaap/core"
)

// Memory implements [tui.Look].
func (w *Window) Memory(ctx context.Context, q core.MemoryQuery) (v core.MemoryView, err error) {
	if w.memory == nil {
		v.Off = true
		return v, nil
	}
	status := w.memory.Status()
	v.Waiting, v.NextFlush, v.Flushed, v.Failure, v.Off = status.Waiting, status.NextFlush, status.Flushed, status.Failure, w.memory.off.Load()
	v.Chosen = w.memory.memory
	if v.Vaults, err = w.store.Vaults(ctx); err != nil {
		return v, err
	}
	for _, vault := range v.Vaults {
		memories, err := w.store.Memories(ctx, vault.ID)
		if err != nil {
			return v, err
		}
		v.Memories = append(v.Memories, memories...)
	}
	if q.Memory != "" {
		if v.Chosen, err = w.store.Memory(ctx, q.Memory); err != nil {
			return v, err
		}
	}
	if v.Contexts, err = w.store.Contexts(ctx, v.Chosen.ID, 20); err != nil {
		return v, err
	}
	if q.Search != "" {
		if v.Found, err = w.memory.meaning.Search(ctx, core.SearchQuery{Text: q.Search, Memories: []string{v.Chosen.ID}, Limit: 50}); err != nil {
			return v, err
		}
	}
	v.Mode = w.memory.meaning.Mode() // of the search
	if q.Before == 0 {
		if v.Messages, err = w.unrecorded(ctx, v.Chosen.ID); err != nil {
			return v, err
		}
	}
	v.Entries, err = w.store.Entries(ctx, v.Chosen.ID, core.EntryQuery{Limit: 50, Before: q.Before})
	return v, err
}

// unrecorded are the messages that wait for their entries, the newest first.
func (w *Window) unrecorded(ctx context.Context, memory string) ([]core.Entry, error) {
	waiting, err := w.store.Unrecorded(ctx, memory, 50)
	if err != nil {
		return nil, err
	}
	var list []core.Entry
	for _, w := range slices.Backward(waiting) {
		m := w.Message
		if m.Reply != nil {
			m.Text = m.Reply.Message
		}
		list = append(list, core.Entry{ID: m.ID, Memory: memory, Thread: w.Thread, Message: m.ID, Role: m.Role, Raw: m.Text, Created: m.Time})
	}
	return list, nil
}
