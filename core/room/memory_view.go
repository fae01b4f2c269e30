package room

import (
	"context"
	"slices"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/store"
)

// Memory returns what is remembered.
func (w *Window) Memory(ctx context.Context, q core.MemoryQuery) (v core.MemoryView, err error) {
	if w.memory == nil {
		v.Off = true
		return v, nil
	}
	if v, err = viewed(ctx, w.store.Store, w.memory.memory, w.memory.meaning.Search, q); err != nil {
		return v, err
	}
	status := w.memory.Status()
	v.Waiting, v.NextFlush, v.Flushed, v.Failure, v.Off = status.Waiting, status.NextFlush, status.Flushed, status.Failure, w.memory.off.Load()
	v.Mode, v.Broken = w.memory.meaning.Mode(), w.memory.meaning.WordsOnlyReason() // of the search
	return v, nil
}

// viewed is what is stored of the memory that is asked for, or else of one that is
// the room's own.
func viewed(ctx context.Context, s *store.Store, own core.Memory, search func(context.Context, core.SearchQuery) ([]core.Found, error), q core.MemoryQuery) (v core.MemoryView, err error) {
	v.Chosen = own
	if v.Vaults, err = s.Vaults(ctx); err != nil {
		return v, err
	}
	for _, vault := range v.Vaults {
		memories, err := s.Memories(ctx, vault.ID)
		if err != nil {
			return v, err
		}
		v.Memories = append(v.Memories, memories...)
	}
	if q.Memory != "" {
		if v.Chosen, err = s.Memory(ctx, q.Memory); err != nil {
			return v, err
		}
	}
	if v.Contexts, err = s.Contexts(ctx, v.Chosen.ID, 20); err != nil {
		return v, err
	}
	if q.Sources && len(v.Contexts) > 0 {
		if v.Sources, err = memory.Sources(ctx, s, v.Chosen.ID, v.Contexts[0].Content); err != nil {
			return v, err
		}
	}
	if q.Search != "" {
		if v.Found, err = search(ctx, core.SearchQuery{Text: q.Search, Memories: []string{v.Chosen.ID}, Limit: 50}); err != nil {
			return v, err
		}
	}
	if q.Before == 0 {
		if v.Messages, err = unrecorded(ctx, s, v.Chosen.ID); err != nil {
			return v, err
		}
	}
	v.Entries, err = s.Entries(ctx, v.Chosen.ID, core.EntryQuery{Limit: 50, Before: q.Before})
	return v, err
}

func unrecorded(ctx context.Context, s *store.Store, memory string) ([]core.Entry, error) {
	waiting, err := s.Unrecorded(ctx, memory, 50)
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
