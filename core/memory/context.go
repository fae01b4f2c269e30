package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/memory/extract"
	"github.com/yaap-chat/yaap/core/text"
)

// contextPrompt is the prompt of put_context: built from the messages and the
// previous context, never from summaries.
func (i *invocation) contextPrompt(previous string, fresh []core.Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nCurrent operation: CONTEXT_SYNTHESIS\nVault ID: %s\nMemory ID: %s\n\n", agentPrefix, i.cfg.Vault.ID, i.cfg.Memory.ID)
	b.WriteString("Previous context:\n" + previous + "\n\nFull conversation to synthesize into context:\n")
	for _, e := range fresh {
		fmt.Fprintf(&b, "%s %s: %s\n", e.Created.Format("2006-01-02 15:04"), speaker(e), text.Cut(e.Raw, min(messageShown, promptRoom/len(fresh)), " …"))
	}
	b.WriteString("\nINSTRUCTION: Call the put_context tool to save a synthesized context document following the rules below.\n\n---\nCONTEXT MAINTENANCE RULES:\n")
	b.WriteString(i.cfg.Prompts.Context)
	return b.String()
}

// contextOf writes a context: a model's, or its second try where the first one
// did not fit, cut to the limit, the durable sections last. Where a model gives
// none, or one that forgot most of what was to be kept, it is an extract.
func (i *invocation) contextOf(ctx context.Context, previous string, fresh []core.Entry) string {
	if model := i.cfg.Model(); model != nil {
		content, before := i.askContext(ctx, model, previous, fresh), extract.Sections(previous)
		switch fits := utf8.RuneCountInString(content) <= core.MaxContext; {
		case content == "" || extract.FactCoverage(before["Decisions"]+"\n"+before["Facts"], content) < 0.5:
		case fits && sectioned(content):
			return content
		default:
			return extract.Trim(content, core.MaxContext)
		}
	}
	turns := make([]extract.Turn, len(fresh))
	for n, e := range fresh {
		turns[n] = extract.Turn{Role: string(e.Role), Text: e.Raw, Time: e.Created, Answered: e.Answered}
	}
	return cmp.Or(extract.Context(previous, turns, core.MaxContext), NoContext)
}

// sectioned reports whether a context has its sections.
func sectioned(content string) bool {
	for heading := range extract.Sections("") {
		if !strings.Contains(content, "## "+heading) {
			return false
		}
	}
	return true
}

// askContext asks a model for a context, and once more where it did not fit. It
// returns what has at least something of the form.
func (i *invocation) askContext(ctx context.Context, model llm.Model, previous string, fresh []core.Entry) string {
	tool := core.ToolSpec{
		Name: "put_context", Description: "Saves the context document of the memory.",
		Schema: json.RawMessage(`{"type":"object","required":["content"],"properties":{"content":{"type":"string","description":"At most 5000 characters of Markdown."}}}`),
	}
	request := llm.Request{
		System: i.contextPrompt(previous, fresh), Messages: []core.Message{{Role: core.RoleUser, Text: "Execute the required operation."}},
		Tools: []core.ToolSpec{tool},
	}
	var content string
	for range 2 {
		calls, err := i.ask(ctx, model, request)
		if err != nil {
			break
		}
		for _, c := range calls {
			var args struct{ Content string }
			if c.Tool == "put_context" && json.Unmarshal(c.Args, &args) == nil && strings.Contains(args.Content, "## ") {
				content = strings.TrimSpace(readable(args.Content))
			}
		}
		n := utf8.RuneCountInString(content)
		if n <= core.MaxContext && sectioned(content) {
			break
		}
		problem := "You did not call put_context with a document that has the sections."
		if n > core.MaxContext {
			problem = fmt.Sprintf("The document had %d characters; at most %d are allowed.", n, core.MaxContext)
		}
		request.Messages = append(request.Messages, core.Message{Role: core.RoleUser, Text: problem + " Call put_context again."})
	}
	return content
}

// flush writes the context anew from the messages since the last one, once what
// was written to the memory can be relied upon. Where nothing is new nothing is
// written. What was corrected since does not count. Of very many messages the oldest are left out.
func (i *invocation) flush(ctx context.Context) error {
	i.observe()
	i.use("await_consistency")
	written, err := i.cfg.Store.Await(ctx, core.AwaitQuery{Memory: i.cfg.Memory.ID, Keep: true})
	if err != nil {
		return err
	}
	for _, f := range written.Failed {
		i.log.Warn("await_consistency", "entry_id", f.ID, "err", f.Reason)
	}
	now := i.cfg.Now() // what is forgotten from here on, the context must not know
	previous, err := i.context(ctx)
	if err != nil {
		return err
	}
	fresh, err := i.fresh(ctx, previous.Upto)
	if err != nil {
		return err
	}
	step := core.MemoryState{Count: i.Count}
	telling := slices.DeleteFunc(slices.Clone(fresh), func(e core.Entry) bool { return !holds(e) })
	if len(telling) == 0 {
		if !i.before.going() {
			return nil
		}
		return i.commit(ctx, step, nil)
	}
	i.observe()
	doc := core.ContextDoc{
		ID: newID(), Memory: i.cfg.Memory.ID, Upto: fresh[len(fresh)-1].Seq,
		Content: i.contextOf(ctx, previous.Content, telling), Created: now,
	}
	i.use("put_context", "context_id", doc.ID)
	return i.commit(ctx, step, nil, doc)
}

// fresh returns the entries since a place, the oldest first; of very many the
// newest.
func (i *invocation) fresh(ctx context.Context, since int64) ([]core.Entry, error) {
	var all []core.Entry
	for before := int64(0); len(all) < freshMost; {
		page, err := i.cfg.Store.Entries(ctx, i.cfg.Memory.ID, core.EntryQuery{Limit: core.MaxEntries, After: since, Before: before})
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < core.MaxEntries {
			break
		}
		before = page[len(page)-1].Seq
	}
	slices.Reverse(all)
	return all, nil
}
