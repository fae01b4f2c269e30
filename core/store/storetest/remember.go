package storetest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"yaap/core"
)

// kept is what is remembered.
type kept struct {
	vaults     []core.Vault
	memories   []core.Memory
	recordings []core.Recording
	entries    []core.Entry
	tags       []core.Tag
	expiries   []core.Expiry
	contexts   []core.ContextDoc
	unrecorded []unrecorded // those that have an entry by now included
	states     []core.MemoryState
	failed     []failure // that nobody has been told of
}

type unrecorded struct {
	memory string
	core.Unrecorded
}

func (m *Memory) putVault(row core.Vault) error {
	if err := row.Check(); err != nil || m.hasVault(row.ID) {
		return err
	}
	if slices.ContainsFunc(m.kept.vaults, func(v core.Vault) bool { return v.Title == row.Title }) {
		return taken("vault", row.Title)
	}
	row.Created = instant(row.Created)
	add(m, &m.kept.vaults, row)
	return nil
}

func (m *Memory) putMemory(row core.Memory) error {
	if err := row.Check(); err != nil || m.hasMemory(row.ID) {
		return err
	}
	if !m.hasVault(row.Vault) {
		return missing("vault", row.Vault)
	}
	if slices.ContainsFunc(m.kept.memories, func(o core.Memory) bool { return o.Vault == row.Vault && o.Title == row.Title }) {
		return taken("memory", row.Title)
	}
	row.Created, row.Kind = instant(row.Created), cmp.Or(row.Kind, "chat")
	add(m, &m.kept.memories, row)
	return nil
}

func (m *Memory) putRecording(row core.Recording) error {
	if err := row.Check(); err != nil {
		return err
	}
	if err := m.refers(row.Thread, ""); err != nil {
		return err
	}
	if row.Memory != "" && !m.hasMemory(row.Memory) {
		return missing("memory", row.Memory)
	}
	row.Time = instant(row.Time)
	for _, r := range m.kept.recordings {
		if r.Thread == row.Thread && r.Time.Equal(row.Time) {
			return nil
		}
	}
	last := m.recording(row.Thread)
	if last.Thread != "" && last.Memory == row.Memory {
		return nil
	}
	if last.Thread == "" && row.Memory != "" {
		for _, msg := range m.messages[row.Thread] {
			m.remember(row.Memory, row.Thread, msg)
		}
	}
	add(m, &m.kept.recordings, row)
	return nil
}

// remember notes that a message is to be recorded, if it is of that kind.
func (m *Memory) remember(memory, thread string, msg core.Message) {
	said := (msg.Role == core.RoleUser || msg.Role == core.RoleAssistant) && strings.TrimSpace(msg.Text) != ""
	if said && m.runs[msg.Run].Parent == "" {
		add(m, &m.kept.unrecorded, unrecorded{memory, core.Unrecorded{Thread: thread, Message: msg}})
	}
}

func (m *Memory) putEntry(row core.Entry) error {
	if err := row.Check(); err != nil {
		return err
	}
	if !m.hasMemory(row.Memory) {
		return missing("memory", row.Memory)
	}
	for _, e := range m.kept.entries {
		if e.ID == row.ID || e.Message != "" && e.Message == row.Message && e.Part == row.Part {
			return nil
		}
	}
	row.Seq, row.Created, row.Fate = int64(len(m.kept.entries)+1), instant(row.Created), core.Fate{}
	if !row.Expires.IsZero() {
		row.Expires = instant(row.Expires)
	}
	add(m, &m.kept.entries, row)
	return nil
}

func (m *Memory) putTag(row core.Tag) error {
	if err := row.Check(); err != nil {
		return err
	}
	e, ok := m.entry(row.Entry)
	if !ok {
		return missing("entry", row.Entry)
	}
	if _, known := e.Tags[row.Key]; row.Value != "" && !known && len(e.Tags) >= core.MaxTags {
		return &core.Error{Code: core.CodeInvalid, Message: "the entry has no room for another tag", Hint: "remove one first"}
	}
	add(m, &m.kept.tags, row)
	return nil
}

func (m *Memory) putExpiry(row core.Expiry) error {
	if err := row.Check(); err != nil {
		return err
	}
	if _, ok := m.entry(row.Entry); !ok {
		return missing("entry", row.Entry)
	}
	if !row.At.IsZero() {
		row.At = instant(row.At)
	}
	add(m, &m.kept.expiries, row)
	return nil
}

func (m *Memory) entry(id string) (core.Entry, bool) {
	i := slices.IndexFunc(m.kept.entries, func(e core.Entry) bool { return e.ID == id })
	if i < 0 {
		return core.Entry{}, false
	}
	return m.told(m.kept.entries[i]), true
}

// told is an entry with what is said about it beside it.
func (m *Memory) told(e core.Entry) core.Entry {
	e.Tags = maps.Clone(e.Tags)
	for _, t := range slices.SortedStableFunc(slices.Values(m.kept.tags), func(a, b core.Tag) int { return a.Time.Compare(b.Time) }) {
		switch {
		case t.Entry != e.ID:
		case t.Value == "":
			delete(e.Tags, t.Key)
		default:
			if e.Tags == nil {
				e.Tags = map[string]string{}
			}
			e.Tags[t.Key] = t.Value
		}
	}
	if len(e.Tags) == 0 {
		e.Tags = nil
	}
	family, last := m.family(e.ID), time.Time{}
	for _, x := range m.kept.expiries {
		if family[x.Entry] && x.Time.After(last) {
			e.Expires, last = x.At, x.Time
		}
	}
	for _, later := range m.kept.entries {
		if later.Corrects == e.ID {
			e.Corrected = later.ID
		}
	}
	return e
}

// family is an entry, what it corrects and what corrects it.
func (m *Memory) family(id string) map[string]bool {
	all := map[string]bool{id: true}
	for n := 0; n < len(all); { // until none is added
		n = len(all)
		for _, e := range m.kept.entries {
			if e.Corrects != "" && (all[e.ID] || all[e.Corrects]) {
				all[e.ID], all[e.Corrects] = true, true
			}
		}
	}
	return all
}

// entries are those of a kind, with what is said about them.
func (m *Memory) entries(is func(core.Entry) bool) (some []core.Entry) {
	for _, e := range m.kept.entries {
		if e = m.told(e); is(e) {
			some = append(some, e)
		}
	}
	return some
}

func (m *Memory) putContext(row core.ContextDoc) error {
	if err := row.Check(); err != nil {
		return err
	}
	if !m.hasMemory(row.Memory) {
		return missing("memory", row.Memory)
	}
	if slices.ContainsFunc(m.kept.contexts, func(c core.ContextDoc) bool { return c.ID == row.ID }) {
		return nil
	}
	row.Seq, row.Created = int64(len(m.kept.contexts)+1), instant(row.Created)
	add(m, &m.kept.contexts, row)
	return nil
}

func (m *Memory) hasVault(id string) bool {
	return slices.ContainsFunc(m.kept.vaults, func(v core.Vault) bool { return v.ID == id })
}

func (m *Memory) hasMemory(id string) bool {
	return slices.ContainsFunc(m.kept.memories, func(v core.Memory) bool { return v.ID == id })
}

// recording is the last one of a thread.
func (m *Memory) recording(thread string) core.Recording {
	for _, r := range slices.Backward(m.kept.recordings) {
		if r.Thread == thread {
			return r
		}
	}
	return core.Recording{}
}

func taken(what, title string) error {
	return &core.Error{Code: core.CodeConflict, Message: fmt.Sprintf("there is a %s %q already", what, title), Hint: "use that one, or choose another title"}
}

func missing(what, id string) error {
	return &core.Error{Code: core.CodeNotFound, Message: fmt.Sprintf("there is no %s %q", what, id), Hint: "/memory list shows what there is"}
}

// Vaults returns the vaults by their titles.
func (m *Memory) Vaults(ctx context.Context) ([]core.Vault, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := slices.Clone(m.kept.vaults)
	slices.SortFunc(all, func(a, b core.Vault) int { return strings.Compare(a.Title, b.Title) })
	return all, ctx.Err()
}

// Memories returns the memories of a vault by their titles.
func (m *Memory) Memories(ctx context.Context, vault string) ([]core.Memory, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := those(m.kept.memories, func(memory core.Memory) bool { return memory.Vault == vault })
	slices.SortFunc(all, func(a, b core.Memory) int { return strings.Compare(a.Title, b.Title) })
	return all, ctx.Err()
}

// Memory returns the memory of that id.
func (m *Memory) Memory(ctx context.Context, id string) (core.Memory, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := those(m.kept.memories, func(memory core.Memory) bool { return memory.ID == id })
	if len(found) == 0 {
		return core.Memory{}, missing("memory", id)
	}
	return found[0], ctx.Err()
}

// FindMemory returns the memory of these titles.
func (m *Memory) FindMemory(ctx context.Context, vault, title string) (core.Memory, error) {
	vaults, err := m.Vaults(ctx)
	if err != nil {
		return core.Memory{}, err
	}
	for _, v := range vaults {
		memories, err := m.Memories(ctx, v.ID)
		if err != nil {
			return core.Memory{}, err
		}
		for _, memory := range memories {
			if v.Title == vault && memory.Title == title {
				return memory, nil
			}
		}
	}
	return core.Memory{}, missing("memory", vault+"/"+title)
}

// Entries returns entries of a memory, the newest first.
func (m *Memory) Entries(ctx context.Context, memory string, q core.EntryQuery) ([]core.Entry, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	all := m.entries(func(e core.Entry) bool {
		return e.Memory == memory && (q.Before == 0 || e.Seq < q.Before) && (q.After == 0 || e.Seq > q.After) &&
			(q.Thread == "" || e.Thread == q.Thread) && (q.IncludeExpired || !e.Expired(now))
	})
	slices.Reverse(all)
	return atMost(cmp.Or(q.Limit, 10), all), ctx.Err()
}

// Entry returns the entry of that id.
func (m *Memory) Entry(ctx context.Context, id string) (core.Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.entries(func(e core.Entry) bool { return e.ID == id && !e.Expired(time.Now()) })
	if len(found) == 0 {
		return core.Entry{}, missing("entry", id)
	}
	return found[0], ctx.Err()
}

// Contexts returns the versions of a memory's context, the newest first.
func (m *Memory) Contexts(ctx context.Context, memory string, limit int) ([]core.ContextDoc, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := those(m.kept.contexts, func(c core.ContextDoc) bool { return c.Memory == memory })
	slices.Reverse(all)
	return atMost(limit, all), ctx.Err()
}

// Unrecorded returns the messages that are to be remembered in a memory and
// have no entry yet, in the order they were put.
func (m *Memory) Unrecorded(ctx context.Context, memory string, limit int) ([]core.Unrecorded, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []core.Unrecorded
	for _, u := range m.kept.unrecorded {
		if u.memory == memory && !slices.ContainsFunc(m.kept.entries, func(e core.Entry) bool { return e.Message == u.Message.ID }) {
			all = append(all, u.Unrecorded)
		}
	}
	return atMost(limit, all), ctx.Err()
}

// those returns the ones that are of a kind.
func those[T any](all []T, is func(T) bool) (some []T) {
	for _, v := range all {
		if is(v) {
			some = append(some, v)
		}
	}
	return some
}
