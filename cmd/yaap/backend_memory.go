package main

import (
	"context"
	"fmt"
	"strings"

	"yaap/core"
	"yaap/core/safe"
	"yaap/tui"
)

// changeMemory does what /memory asks for.
func (b *backend) changeMemory(ctx context.Context, args []string) (tui.Output, error) {
	if b.memory == nil {
		return tui.Output{}, &core.Error{
			Code: core.CodeNotFound, Op: "memory", Message: "nothing is remembered in this room", Hint: "take memory: false out of " + b.cfg.File,
		}
	}
	mem := b.memory.memory
	switch {
	case len(args) == 0:
		text, err := showMemory(ctx, b.store, mem, 10, false)
		return tui.Output{Text: b.memoryStatus() + "\n\n" + safe.Text(text)}, err
	case args[0] == "search" && len(args) > 1:
		return b.searchMemory(ctx, mem, strings.Join(args[1:], " "))
	case args[0] == "forget" && len(args) == 2:
		if _, err := b.store.Forget(ctx, core.ForgetQuery{Entry: args[1]}); err != nil {
			return tui.Output{}, err
		}
		return tui.Output{Text: "The words of that entry were removed everywhere."}, nil
	case args[0] == "off":
		b.memory.off.Store(true)
		return tui.Output{Text: "From the next prompt on nothing is remembered. `/memory on` remembers again."}, nil
	case args[0] == "on":
		b.memory.off.Store(false)
		return tui.Output{Text: "What is said from the next prompt on is remembered."}, nil
	}
	return tui.Output{}, &core.Error{
		Code: core.CodeInvalid, Op: "memory", Message: "that is not something to do with the memory",
		Hint: "type /memory, /memory search WORDS, /memory forget ENTRY, /memory off or /memory on",
	}
}

func (b *backend) memoryStatus() string {
	s := b.memory.Status()
	line := fmt.Sprintf("%d waiting, the context is written anew in %d messages", s.Waiting, s.NextFlush)
	if !s.Flushed.IsZero() {
		line += ", last at " + s.Flushed.Local().Format("15:04:05")
	}
	if s.Failure != "" {
		line += "; **" + safe.Line(s.Failure) + "**"
	}
	return line
}

func (b *backend) searchMemory(ctx context.Context, mem core.Memory, words string) (tui.Output, error) {
	found, err := b.store.Search(ctx, core.SearchQuery{Text: words, Memories: []string{mem.ID}})
	if err != nil {
		return tui.Output{}, err
	}
	if len(found) == 0 {
		return tui.Output{Text: "Nothing that was said here holds these words."}, nil
	}
	var s strings.Builder
	for _, f := range found {
		match := strings.NewReplacer("\x02", "**", "\x03", "**").Replace(f.Match)
		fmt.Fprintf(&s, "- %s %s (%.2f): %s\n  `%s`\n", f.Entry.Created.Local().Format("2006-01-02 15:04"), f.Entry.Role, f.Score, safe.Line(match), f.Entry.ID)
	}
	return tui.Output{Text: s.String()}, nil
}

// Memory implements [tui.Look].
func (b *backend) Memory(ctx context.Context, q tui.MemoryQuery) (v tui.MemoryView, err error) {
	if b.memory == nil {
		v.Off = true
		return v, nil
	}
	status := b.memory.Status()
	v.Waiting, v.NextFlush, v.Flushed, v.Failure, v.Off = status.Waiting, status.NextFlush, status.Flushed, status.Failure, b.memory.off.Load()
	v.Chosen = b.memory.memory
	if v.Vaults, err = b.store.Vaults(ctx); err != nil {
		return v, err
	}
	for _, vault := range v.Vaults {
		memories, err := b.store.Memories(ctx, vault.ID)
		if err != nil {
			return v, err
		}
		v.Memories = append(v.Memories, memories...)
	}
	if q.Memory != "" {
		if v.Chosen, err = b.store.Memory(ctx, q.Memory); err != nil {
			return v, err
		}
	}
	if v.Contexts, err = b.store.Contexts(ctx, v.Chosen.ID, 20); err != nil {
		return v, err
	}
	if q.Search != "" {
		if v.Found, err = b.store.Search(ctx, core.SearchQuery{Text: q.Search, Memories: []string{v.Chosen.ID}, Limit: 50}); err != nil {
			return v, err
		}
	}
	v.Entries, err = b.store.Entries(ctx, v.Chosen.ID, core.EntryQuery{Limit: 50, Before: q.Before})
	return v, err
}
