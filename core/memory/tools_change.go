package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// never is an expiration_time that is none.
const never = "never"

// consentSchema is what the user of a program fills in.
const consentSchema = `{"type":"object","required":["allow"],"properties":{"allow":{"type":"boolean","title":"Allow it","default":false}}}`

// consent asks whether a program may do what the question says: its own user
// where it can ask, or else who sits at the room.
func (o open) consent(ctx context.Context, tool, question string) error {
	question = "A program that is connected to this room wants to " + question
	if own := core.AskerOf(ctx); own != nil {
		answer, err := own.Ask(ctx, core.Pause{Kind: core.PauseElicitation, From: "the memory", Question: question, Schema: json.RawMessage(consentSchema)})
		var said struct{ Allow bool }
		switch {
		case err != nil:
			return err
		case answer.ID != core.Accept || json.Unmarshal(answer.Data, &said) != nil || !said.Allow:
			return errSaidNo
		}
		return nil
	}
	answer, err := o.Asker.Ask(ctx, core.Pause{
		Kind: core.PauseApproval, Question: question, Call: &core.Call{ID: newID(), Tool: tool, Args: json.RawMessage("{}")},
	})
	switch {
	case err != nil:
		return told(err, "the user has to be asked: use a program that can ask (MCP elicitation), or have the user open yaap in this directory")
	case answer.ID != core.AllowOnce && answer.ID != core.AllowSession:
		return errSaidNo
	}
	return nil
}

var errSaidNo = core.Fail(core.CodeRefused, "the user said no", "go on without it")

// changing is the entry that a call wants to change: one that is there, with
// its words.
func (o open) changing(ctx context.Context, a oneEntry) (core.Entry, error) {
	if err := o.writable(); err != nil {
		return core.Entry{}, err
	}
	m, err := o.find(ctx, a.place)
	if err != nil {
		return core.Entry{}, err
	}
	e, err := o.entry(ctx, m, a.Entry)
	if err == nil && !e.Redacted.IsZero() {
		err = core.Fail(core.CodeConflict, "the words of this entry were removed", "add what is right with add_entry")
	}
	return e, err
}

// entry is that of the id in a memory.
func (o open) entry(ctx context.Context, m core.Memory, id string) (core.Entry, error) {
	e, err := o.Store.Entry(ctx, id)
	if core.CodeOf(err) == core.CodeNotFound || err == nil && e.Memory != m.ID {
		err = core.Fail(core.CodeNotFound, fmt.Sprintf("there is no entry %q in this memory", short(id)),
			"list_entries and search_memories tell what there is; name the memory_id where it is not the room's")
	}
	return e, err
}

type correction struct {
	oneEntry
	Text   string `json:"text"`
	Reason string `json:"reason"`
}

func (o open) correct(ctx context.Context, a correction) (map[string]any, error) {
	e, err := o.changing(ctx, a.oneEntry)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(a.Text) == "" {
		return nil, core.Fail(core.CodeInvalid, "text is blank", "say what is right, or use forget_entry")
	}
	done, err := Correct(ctx, o.Store, e, a.Text, a.Reason, map[string]string{tagSource: fromMCP})
	if err != nil {
		return nil, told(err, "read the entry again with get_entry")
	}
	return masked(map[string]any{"entry_id": done.New.ID, "seq": done.New.Seq, "corrects": done.Old.ID}, done.Masked), nil
}

type newTags struct {
	oneEntry
	Tags map[string]string `json:"tags"`
}

func (o open) tag(ctx context.Context, a newTags) (map[string]any, error) {
	e, err := o.changing(ctx, a.oneEntry)
	if err != nil {
		return nil, err
	}
	clean, secrets, err := tagged(a.Tags)
	if err != nil {
		return nil, err
	}
	var rows []core.Row
	for key := range a.Tags {
		row := core.Tag{Entry: e.ID, Key: key, Value: clean[key], Time: o.Now()}
		if err := row.Check(); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	if err := o.Store.Put(ctx, rows...); err != nil {
		return nil, told(err, "use fewer tags")
	}
	if e, err = o.Store.Entry(ctx, e.ID); err != nil {
		return nil, err
	}
	return masked(map[string]any{"entry_id": e.ID, "tags": e.Tags}, secrets), nil
}

type newExpiry struct {
	oneEntry
	At string `json:"expiration_time"`
}

func (o open) expire(ctx context.Context, a newExpiry) (map[string]any, error) {
	e, err := o.changing(ctx, a.oneEntry)
	if err != nil {
		return nil, err
	}
	x := core.Expiry{Entry: e.ID, Time: o.Now()}
	if a.At != never {
		if x.At, err = toCome(a.At, x.Time); err != nil {
			return nil, err
		}
		if err := o.mayTake(ctx, "expire_entry", "have the memory forget at "+x.At.Local().Format("15:04 on 2 January 2006"), e); err != nil {
			return nil, err
		}
	}
	if err := o.Store.Put(ctx, x); err != nil {
		return nil, err
	}
	answer := map[string]any{"entry_id": e.ID, "expiration_time": never}
	if !x.At.IsZero() {
		answer["expiration_time"] = x.At
	}
	return answer, nil
}

// toCome reads a time after now.
func toCome(text string, now time.Time) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || !at.After(now) {
		return at, core.Fail(core.CodeInvalid, fmt.Sprintf("%q is not a time that is to come", short(text)), "write it like 2027-01-31T12:00:00Z")
	}
	return at, nil
}

// mayTake asks the user whether an entry may be taken away. What a program added
// itself, and nobody corrected since, programs may take away.
func (o open) mayTake(ctx context.Context, tool, wish string, e core.Entry) error {
	if e.Tags[tagSource] == fromMCP && e.Corrects == "" && e.Corrected == "" {
		return nil
	}
	return o.consent(ctx, tool, fmt.Sprintf("%s what was said on %s: %q", wish, e.Created.Local().Format("2 January 2006 at 15:04"), short(strings.Join(strings.Fields(e.Raw), " "))))
}

func (o open) forget(ctx context.Context, a oneEntry) (map[string]any, error) {
	e, err := o.changing(ctx, a)
	if err != nil {
		return nil, err
	}
	if err := o.mayTake(ctx, "forget_entry", "remove for good, from every file,", e); err != nil {
		return nil, err
	}
	much, err := o.Directory.Forget(ctx, core.ForgetQuery{Entry: e.ID})
	if err != nil {
		return nil, told(err, "try again when no run is going on")
	}
	return map[string]any{"entry_id": e.ID, "forgotten": much}, nil
}

// changes are the tools that change what is remembered.
func (o open) changes() []core.Tool {
	const entry = whereSchema + `,"entry_id":{"type":"string","minLength":1,"maxLength":256}`
	takes := func(destroys, idempotent bool, t handled) core.Tool {
		t = writing(t)
		t.spec.Claims.Destructive, t.spec.Claims.Idempotent = &destroys, &idempotent
		return t
	}
	return []core.Tool{
		takes(false, false, tool("correct_entry", "Says what is right in place of an entry. The entry stays as it was said; the correction is another one, linked to it, and is found first. Secrets in it are masked.",
			`"required":["entry_id","text"],"properties":{`+entry+`,"text":{"type":"string","minLength":1,"maxLength":`+fmt.Sprint(core.MaxRaw)+`},
			"reason":{"type":"string","maxLength":`+fmt.Sprint(core.MaxReason)+`,"description":"Why it was wrong."}}`, o.correct)),
		takes(true, true, tool("tag_entry", "Sets tags of an entry; an empty value removes one.",
			`"required":["entry_id","tags"],"properties":{`+entry+`,"tags":{"type":"object","minProperties":1,"maxProperties":29,"additionalProperties":{"type":"string","maxLength":1024}}}`, o.tag)),
		takes(true, true, tool("expire_entry", "Says how long an entry is remembered, with what it corrects and what corrects it. For what the user said the user is asked first.",
			`"required":["entry_id","expiration_time"],"properties":{`+entry+`,"expiration_time":{"type":"string","description":"Such as 2027-01-31T12:00:00Z, or never."}}`, o.expire)),
		takes(true, true, tool("forget_entry", "Removes the words of an entry, and of what it corrects and what corrects it, from every file, for good. For what the user said the user is asked first.",
			`"required":["entry_id"],"properties":{`+entry+`}`, o.forget)),
	}
}

// find returns the memory of a place. For another than that of the room the
// user is asked once.
func (o open) find(ctx context.Context, p place) (core.Memory, error) {
	m, err := o.locate(ctx, p)
	if err != nil || m.ID == o.Memory.ID {
		return m, err
	}
	o.others.Lock() // one question at a time
	defer o.others.Unlock()
	if slices.Contains(o.others.allowed, m.ID) {
		return m, nil
	}
	if err := o.consent(ctx, "get_memory", fmt.Sprintf("use the memory %q, which is not that of this directory, until the room closes.", m.Title)); err != nil {
		return core.Memory{}, err
	}
	o.others.allowed = append(o.others.allowed, m.ID)
	return m, nil
}
