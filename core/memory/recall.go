package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
)

// Recall is what is known, as messages for an agent's instructions: the context
// and the recent entries. There is none where nothing is known.
func (r *Recorder) Recall(ctx context.Context) ([]core.Message, error) {
	known, err := NewAgent(r.cfg).recall(ctx)
	if err != nil {
		return nil, err
	}
	var out []core.Message
	for _, m := range known {
		if _, text, ok := strings.Cut(m.Text, ":\n"); ok && strings.TrimSpace(text) != "" {
			out = append(out, m)
		}
	}
	return out, nil
}

// SearchName is the tool with which a model searches what was said.
const SearchName = "search_memories"

// Kept is what the description of the tool that searches ends with where what is
// said is remembered. A model may only then tell the user so.
const Kept = " No message of this room is left out."

// SearchTool lets an agent look for what was said in earlier conversations.
func (r *Recorder) SearchTool() core.Tool { return searchTool{r.cfg} }

type searchTool struct{ cfg Config }

// Spec implements [core.Tool].
func (t searchTool) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name: SearchName,
		Description: "Looks up what came up before, today or long ago: what the user or an assistant mentioned, discussed, settled, picked, chose, " +
			"called or named something, asked for, wanted, planned, promised, suggested, concluded or complained about; " +
			"preferences, decisions, answers, reasons, numbers and dates that somebody gave. Give the words to look for." + Kept,
		Examples: []string{ // the name is what anything may stand for
			"do you remember Falcon?", "what did I say about Falcon?", "what did we decide?", "what did you tell me?",
			"did I tell you?", "did I ever mention Falcon?", "when did we talk about Falcon?", "which one did we pick?",
			"what did we agree on?", "the name we agreed on", "the name I gave you", "what did you recommend?",
			"remind me what I told you", "remind me of Falcon", "what was our decision on Falcon?", "what do you know about our Falcon?", "do you recall?",
			"find the conversation about Falcon", "what is my favourite?", "what is our Falcon?",
		},
		Schema: json.RawMessage(`{"type":"object","required":["query"],"properties":{
			"query":{"type":"string","description":"Words that the earlier message holds. ` + core.SearchFilters + `."},
			"top_ke":{"type":"integer","minimum":1,"maximum":20,"description":"How many entries."}}}`),
	}
}

// Call implements [core.Tool].
func (t searchTool) Call(ctx context.Context, c core.Call) (core.ToolResult, error) {
	var args struct {
		Query string `json:"query"`
		Top   int    `json:"top_ke"`
	}
	if err := json.Unmarshal(c.Args, &args); err != nil || strings.TrimSpace(args.Query) == "" {
		return core.ToolFailure(core.ToolValidationError, core.ToolCodeInvalidInput, "query must be words to look for"), nil
	}
	top := min(max(args.Top, 5), 20)
	found, err := t.cfg.Store.Search(ctx, core.SearchQuery{Text: args.Query, Memories: []string{t.cfg.Memory.ID}, Limit: core.MaxEntries})
	if ctx.Err() != nil {
		return core.ToolResult{}, ctx.Err()
	}
	if err != nil {
		return core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, strings.TrimSuffix(err.Error()+"; "+core.HintOf(err), "; ")), nil
	}
	least := 0.
	if len(found) > 0 {
		least = found[0].Score / 2
	}
	found = slices.DeleteFunc(found, func(f core.Found) bool {
		// Without any of the words only what means the same is worth telling, and
		// what was said right beside: an answer to a question that has them.
		_, meant := f.Parts["vector"]
		return !strings.Contains(f.Match, "\x02") && !meant && f.Score < least ||
			f.Entry.Tags[core.TagStatus] != "" || strings.EqualFold(strings.TrimSpace(f.Entry.Raw), strings.TrimSpace(args.Query))
	})
	asks := func(f core.Found) bool { return lang.IsOnlyQuestions(f.Entry.Raw) }
	questions := slices.DeleteFunc(slices.Clone(found), func(f core.Found) bool { return !asks(f) })
	found = append(slices.DeleteFunc(found, asks), questions...) // which come last
	found = found[:min(len(found), top)]
	var b strings.Builder
	entries := make([]any, len(found))
	for i, f := range found {
		role := speaker(f.Entry)
		if f.Entry.Corrected != "" {
			role += ", corrected since"
		}
		fmt.Fprintf(&b, "- %s, %s: %s\n", f.Entry.Created.Format("2006-01-02 15:04"), role, f.Entry.Summary)
		entries[i] = map[string]any{"entry_id": f.Entry.ID, "role": string(f.Entry.Role), "time": f.Entry.Created, "raw_entry": shown(f.Entry.Raw), "score": f.Score}
	}
	text := b.String()
	switch {
	case len(found) == 0:
		text = "Nothing that was said holds these words."
	case asks(found[0]):
		text = "Only questions about it were found:\n" + text
	}
	return core.ToolResult{Status: core.ToolSuccess, Text: text, Data: map[string]any{"entries": entries}}, nil
}
