package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/memory/extract"
)

const (
	maxParts  = 32 // entries that one message may become
	tagSource = "source"
	tagRole   = "role"
	fromMCP   = "mcp"
	chatType  = "chat"
	awaitTime = 10 * time.Second
)

// approved asks the user whether something may be made, and returns the title
// that it is to have: the user may have changed it.
func (o open) approved(ctx context.Context, tool, question, title string) (string, error) {
	args := newVault{Title: title}
	raw, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	answer, err := o.Asker.Ask(ctx, core.Pause{
		Kind: core.PauseApproval, Question: "A program that is connected to this room wants to " + question,
		Call: &core.Call{ID: newID(), Tool: tool, Args: raw},
	})
	switch {
	case err != nil:
		return "", err
	case answer.ID != core.AllowOnce && answer.ID != core.AllowSession:
		return "", core.Fail(core.CodeRefused, "the user said no", "go on without it, or use what list_vaults and list_memories tell")
	case len(answer.Data) > 0 && json.Unmarshal(answer.Data, &args) != nil:
		return "", core.Fail(core.CodeInvalid, "what the user wants instead cannot be understood", "ask the user which title it is to have")
	}
	return args.Title, nil
}

type newVault struct {
	Title string `json:"title"`
}

func (o open) createVault(ctx context.Context, a newVault) (map[string]any, error) {
	if err := o.writable(); err != nil {
		return nil, err
	}
	v := core.Vault{ID: newID(), Title: a.Title, Created: o.Now()}
	if err := v.Check(); err != nil {
		return nil, err
	}
	vaults, err := o.Directory.Vaults(ctx)
	if err != nil {
		return nil, err
	}
	for _, other := range vaults {
		if other.Title == v.Title {
			return nil, core.Fail(core.CodeConflict, fmt.Sprintf("there is a vault %q already", v.Title), "use it: its vault_id is "+other.ID)
		}
	}
	if v.Title, err = o.approved(ctx, "create_vault", fmt.Sprintf("make the vault %q.", v.Title), v.Title); err != nil {
		return nil, err
	}
	if err := o.Store.Put(ctx, v); err != nil {
		return nil, told(err, "list_vaults tells what there is")
	}
	return map[string]any{"vault": v}, nil
}

func (o open) listVaults(ctx context.Context, _ struct{}) (map[string]any, error) {
	vaults, err := o.Directory.Vaults(ctx)
	room := place{Vault: o.Memory.Vault, Memory: o.Memory.ID}
	return map[string]any{"vaults": list(vaults), "room": room}, err
}

// list is never null on the wire.
func list[T any](all []T) []T { return append([]T{}, all...) }

type newMemory struct {
	Vault string `json:"vault_id"`
	Title string `json:"title"`
}

func (o open) createMemory(ctx context.Context, a newMemory) (map[string]any, error) {
	if err := o.writable(); err != nil {
		return nil, err
	}
	v, err := o.vault(ctx, a.Vault)
	if err != nil {
		return nil, err
	}
	m := core.Memory{ID: newID(), Vault: v.ID, Title: a.Title, Kind: chatType, Created: o.Now()}
	if err := m.Check(); err != nil {
		return nil, err
	}
	memories, err := o.Directory.Memories(ctx, v.ID)
	if err != nil {
		return nil, err
	}
	for _, other := range memories {
		if other.Title == m.Title {
			return nil, core.Fail(core.CodeConflict, fmt.Sprintf("there is a memory %q in this vault already", m.Title), "use it: its memory_id is "+other.ID)
		}
	}
	question := fmt.Sprintf("make the memory %q in the vault %q.", m.Title, v.Title)
	if m.Title, err = o.approved(ctx, "create_memory_in_vault", question, m.Title); err != nil {
		return nil, err
	}
	if err := o.Store.Put(ctx, m); err != nil {
		return nil, told(err, "list_memories tells what there is")
	}
	o.others.Lock()
	defer o.others.Unlock()
	o.others.allowed = append(o.others.allowed, m.ID)
	return map[string]any{"memory": m}, nil
}

type ofVault struct {
	Vault string `json:"vault_id"`
}

func (o open) listMemories(ctx context.Context, a ofVault) (map[string]any, error) {
	v, err := o.vault(ctx, a.Vault)
	if err != nil {
		return nil, err
	}
	memories, err := o.Directory.Memories(ctx, v.ID)
	return map[string]any{"vault": v, "memories": list(memories)}, err
}

func (o open) getMemory(ctx context.Context, p place) (map[string]any, error) {
	m, err := o.locate(ctx, p)
	return map[string]any{"memory": m}, err
}

// newEntry are the arguments of add_entry.
type newEntry struct {
	place
	Raw     string            `json:"raw_entry"`
	Summary string            `json:"summary"`
	Tags    map[string]string `json:"tags"`
	Expires string            `json:"expiration_time"`
	Key     string            `json:"idempotency_key"`
}

// into is the memory that text is written into. name is the argument that holds the text.
func (o open) into(ctx context.Context, p place, text, name, hint string) (core.Memory, error) {
	if err := o.writable(); err != nil {
		return core.Memory{}, err
	}
	if strings.TrimSpace(text) == "" {
		return core.Memory{}, core.Fail(core.CodeInvalid, name+" is blank", hint)
	}
	return o.find(ctx, p)
}

func (o open) addEntry(ctx context.Context, a newEntry) (map[string]any, error) {
	m, err := o.into(ctx, a.place, a.Raw, "raw_entry", "give the words that are to be remembered")
	if err != nil {
		return nil, err
	}
	entries, secrets, err := o.entries(m, a)
	if err != nil {
		return nil, err
	}
	kept, err := o.kept(ctx, entries)
	if core.CodeOf(err) == core.CodeNotFound {
		if err := o.Store.Put(ctx, rowsOf(entries)...); err != nil {
			return nil, err
		}
		if kept, err = o.kept(ctx, entries); core.CodeOf(err) == core.CodeNotFound {
			err = core.Fail(core.CodeConflict, "what was added under this idempotency_key has expired", "use a key of its own for each message")
		}
	}
	if err != nil {
		return nil, err
	}
	answer := map[string]any{"entry_id": kept[0].ID, "seq": kept[len(kept)-1].Seq, "summary": kept[0].Summary}
	if len(kept) > 1 {
		ids := make([]string, len(kept))
		for i, e := range kept {
			ids[i] = e.ID
		}
		answer["entry_ids"] = ids
	}
	return masked(answer, secrets), nil
}

func rowsOf(entries []core.Entry) []core.Row {
	rows := make([]core.Row, len(entries))
	for i, e := range entries {
		rows[i] = e
	}
	return rows
}

// kept returns entries as they are stored. It fails with [core.CodeNotFound]
// where they are not, and with [core.CodeConflict] where others are, under the
// same key.
func (o open) kept(ctx context.Context, entries []core.Entry) ([]core.Entry, error) {
	kept := make([]core.Entry, len(entries))
	for i, e := range entries {
		var err error
		kept[i], err = o.Store.Entry(ctx, e.ID)
		switch missing := core.CodeOf(err) == core.CodeNotFound; {
		case err != nil && (!missing || i == 0):
			return nil, err
		case missing || kept[i].Raw != e.Raw || kept[i].Part != e.Part:
			return nil, core.Fail(core.CodeConflict, "another message was added under this idempotency_key", "use a key of its own for each message")
		}
	}
	return kept, nil
}

// entries are what a message becomes, and how many secrets were masked in it.
func (o open) entries(m core.Memory, a newEntry) ([]core.Entry, int, error) {
	tags, secrets, err := tagged(a.Tags)
	if err != nil {
		return nil, 0, err
	}
	mask := func(text string) string {
		text, n := guard.Mask(text)
		secrets += n
		return text
	}
	e := core.Entry{Memory: m.ID, Role: core.Role(cmp.Or(tags[tagRole], string(core.RoleUser))), Created: o.Now()}
	if a.Expires != "" {
		if e.Expires, err = toCome(a.Expires, e.Created); err != nil {
			return nil, 0, err
		}
	}
	base := uuid.Must(uuid.NewV7())
	if a.Key != "" {
		base = uuid.NewSHA1(uuid.NameSpaceURL, []byte("yaap:entry:"+m.ID+":"+a.Key))
	}
	parts := split(mask(a.Raw))
	if len(parts) > maxParts {
		return nil, 0, core.Fail(core.CodeInvalid, "raw_entry is too long", "add it in several calls")
	}
	summary := strings.Join(strings.Fields(mask(a.Summary)), " ")
	entries := make([]core.Entry, len(parts))
	for i, raw := range parts {
		part := e
		part.ID, part.Raw, part.Summary, part.Tags = base.String(), raw, summary, maps.Clone(tags)
		if len(parts) > 1 { // they are linked by the message that they are parts of
			part.Message, part.Part = base.String(), i+1
		}
		if i > 0 {
			part.ID = uuid.NewSHA1(base, fmt.Append(nil, part.Part)).String()
		}
		if i > 0 || summary == "" {
			part.Summary, part.Tags[tagBy] = extract.Summary(string(e.Role), raw, core.MaxSummary), byExtract
		}
		if err := part.Check(); err != nil {
			return nil, 0, err
		}
		entries[i] = part
	}
	return entries, secrets, nil
}

// tagged are the tags of an entry of another program, and how many secrets were
// masked in them.
func tagged(tags map[string]string) (map[string]string, int, error) {
	for _, key := range []string{tagSource, tagBy, core.TagStatus} {
		if _, ok := tags[key]; ok {
			return nil, 0, core.Fail(core.CodeInvalid, fmt.Sprintf("the tag %s is set by the room", key), "leave it out, or give it another name")
		}
	}
	out := map[string]string{tagSource: fromMCP}
	clean, n := guard.Clean(tags)
	maps.Copy(out, clean)
	return out, n, nil
}

type page struct {
	place
	Limit  *number `json:"limit"`
	Before number  `json:"before"`
	After  number  `json:"after"`
}

func (o open) listEntries(ctx context.Context, a page) (map[string]any, error) {
	limit, err := most("limit", a.Limit, 1, 10, core.MaxEntries)
	if err != nil {
		return nil, err
	}
	m, err := o.find(ctx, a.place)
	if err != nil {
		return nil, err
	}
	entries, err := o.Store.Entries(ctx, m.ID, core.EntryQuery{Limit: limit, Before: int64(a.Before), After: int64(a.After)})
	answer := map[string]any{"entries": list(entries)}
	if len(entries) == limit {
		answer["next_before"] = entries[limit-1].Seq // for the page after this one
	}
	return answer, err
}

// most is a number that says how many are wanted.
func most(name string, n *number, low, usual, high int) (int, error) {
	if n == nil {
		return usual, nil
	}
	if *n < number(low) || *n > number(high) {
		return 0, core.Fail(core.CodeInvalid, fmt.Sprintf("%s is %d", name, *n), fmt.Sprintf("use %d to %d, or leave it out", low, high))
	}
	return int(*n), nil
}

type oneEntry struct {
	place
	Entry string `json:"entry_id"`
}

func (o open) getEntry(ctx context.Context, a oneEntry) (map[string]any, error) {
	m, err := o.find(ctx, a.place)
	if err != nil {
		return nil, err
	}
	e, err := o.entry(ctx, m, a.Entry)
	return map[string]any{"entry": e}, err
}

type patience struct {
	place
	Timeout int `json:"timeout_ms"`
}

func (o open) await(ctx context.Context, a patience) (map[string]any, error) {
	m, err := o.locate(ctx, a.place)
	if err != nil {
		return nil, err
	}
	limit := awaitTime
	if a.Timeout > 0 {
		limit = time.Duration(min(a.Timeout, math.MaxInt32)) * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var c core.Consistency
	if m.ID == o.Memory.ID && o.Await != nil {
		c, err = o.Await(ctx)
	} else {
		c, err = o.Store.Await(ctx, core.AwaitQuery{Memory: m.ID})
	}
	return map[string]any{"durable_seq": c.Durable, "failed": list(c.Failed), "waited_ms": c.WaitedMS}, err
}

func (o open) prompts(context.Context, struct{}) (map[string]any, error) {
	return map[string]any{"memory_type": chatType, "prompts": o.Prompts.ByName()}, nil
}

// ByName returns the prompts under the names that they are asked for by.
func (p Prompts) ByName() map[string]string {
	return map[string]string{"entry_capture_prompt": p.EntryCapture, "summary_prompt": p.Summary, "context_prompt": p.Context}
}
