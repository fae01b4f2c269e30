package main

import (
	"context"
	"fmt"
	"slices"
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
	s := shelf{store: b.store, memory: b.memory.memory, meaning: b.memory.meaning}
	text, err := b.memoryText(ctx, s, args)
	return tui.Output{Text: safe.Text(text)}, err
}

func (b *backend) memoryText(ctx context.Context, s shelf, args []string) (string, error) {
	what, rest := "", []string(nil)
	if len(args) > 0 {
		what, rest = args[0], args[1:]
	}
	switch {
	case what == "", what == "show" && len(rest) == 0:
		text, err := s.show(ctx, 10, false)
		return b.memoryStatus() + "\n\n" + text, err
	case what == "list" && len(rest) == 0:
		return s.list(ctx)
	case what == "show" && len(rest) == 1:
		return s.showEntry(ctx, rest[0])
	case what == "search" && len(rest) > 0:
		return s.search(ctx, strings.Join(rest, " "))
	case what == "correct" && len(rest) > 1:
		text, reason := rest[1:], []string(nil)
		if i := slices.Index(text, "--reason"); i >= 0 {
			text, reason = text[:i], text[i+1:]
		}
		return s.correct(ctx, rest[0], strings.Join(text, " "), strings.Join(reason, " "))
	case what == "tag" && len(rest) > 1:
		return s.tag(ctx, rest[0], rest[1:])
	case what == "expire" && len(rest) == 2:
		return s.expire(ctx, rest[0], rest[1])
	case what == "forget" && len(rest) == 2 && rest[0] == "--of":
		return s.forget(ctx, core.ForgetQuery{Thread: rest[1]})
	case (what == "forget" || what == "redact") && len(rest) == 1:
		return s.forget(ctx, core.ForgetQuery{Entry: rest[0]})
	case what == "stats" && len(rest) == 0:
		return s.counted(ctx)
	case what == "off":
		b.memory.off.Store(true)
		return "From the next prompt on nothing is remembered. `/memory on` remembers again.", nil
	case what == "on":
		b.memory.off.Store(false)
		return "What is said from the next prompt on is remembered.", nil
	}
	return "", memoryUsage(what)
}

// memoryUsage says what /memory takes, or one of its words does.
func memoryUsage(what string) error {
	takes := map[string]string{
		"list": "nothing after it", "show": "nothing, or one ENTRY", "search": "WORDS", "correct": "ENTRY TEXT [--reason WHY]",
		"tag": "ENTRY KEY=VALUE", "expire": "ENTRY and a time such as 30d", "forget": "ENTRY, or --of CONVERSATION", "redact": "ENTRY", "stats": "nothing after it",
	}
	e := &core.Error{
		Code: core.CodeInvalid, Op: "memory", Message: "that is not something to do with the memory",
		Hint: "type /memory list, show [ENTRY], search WORDS, correct ENTRY TEXT [--reason WHY], tag ENTRY KEY=VALUE, expire ENTRY 30d, forget ENTRY or --of CONVERSATION, redact ENTRY, stats, off or on",
	}
	if takes[what] != "" {
		e.Message = "/memory " + what + " takes " + takes[what]
		e.Hint = "an ENTRY is its place, such as 12: /memory show and /memory search tell it"
	}
	return e
}

func (b *backend) memoryStatus() string {
	s := b.memory.Status()
	line := fmt.Sprintf("%d waiting, the context is written anew in %d messages", s.Waiting, s.NextFlush)
	if !s.Flushed.IsZero() {
		line += ", last at " + s.Flushed.Local().Format("15:04:05")
	}
	line += "; searches go by " + safe.Line(b.memory.meaning.Mode())
	if s.Failure != "" {
		line += "; **" + safe.Line(s.Failure) + "**"
	}
	return line
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
		if v.Found, err = b.memory.meaning.Search(ctx, core.SearchQuery{Text: q.Search, Memories: []string{v.Chosen.ID}, Limit: 50}); err != nil {
			return v, err
		}
	}
	v.Mode = b.memory.meaning.Mode() // of the search
	if q.Before == 0 {
		if v.Messages, err = b.unrecorded(ctx, v.Chosen.ID); err != nil {
			return v, err
		}
	}
	v.Entries, err = b.store.Entries(ctx, v.Chosen.ID, core.EntryQuery{Limit: 50, Before: q.Before})
	return v, err
}

// unrecorded are the messages that wait for their entries, the newest first.
func (b *backend) unrecorded(ctx context.Context, memory string) ([]core.Entry, error) {
	waiting, err := b.store.Unrecorded(ctx, memory, 50)
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
