package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"yaap/core"
	"yaap/core/llm"
	"yaap/core/memory/extract"
)

// note is what is written about a message.
type note struct {
	Summary string            `json:"summary"`
	Tags    map[string]string `json:"tags"`
}

// Tags that code sets.
const (
	tagBy      = "summary_by" // model, or extract
	tagStatus  = "status"     // of a reply that was no success
	byExtract  = "extract"
	maxTags    = 8
	maxTagText = 64
)

func extracted(role core.Role, text string) note {
	return note{Summary: extract.Summary(string(role), text, MaxSummary), Tags: map[string]string{tagBy: byExtract}}
}

// summaries writes the notes of all messages that are to be processed: with a
// model in one request, and one more for those it left out or got wrong. What
// is still missing then is extracted.
func (a *Agent) summaries(ctx context.Context, s *State) []note {
	notes := make([]note, len(s.ToProcess))
	if model := a.cfg.Model(); model != nil {
		missing := all(len(notes))
		for try := 0; try < 2 && len(missing) > 0 && ctx.Err() == nil; try++ {
			for i, n := range a.askNotes(ctx, model, s, missing) {
				notes[i] = n
			}
			missing = missing[:0]
			for i := range notes {
				if notes[i].Summary == "" {
					missing = append(missing, i)
				}
			}
		}
	}
	for i, m := range s.ToProcess {
		if notes[i].Summary == "" {
			notes[i] = extracted(m.Role, m.Text)
		}
	}
	return notes
}

func all(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// addEntryTool is what a model is offered. Ids and the message itself are not
// its business.
func addEntryTool() core.ToolSpec {
	return core.ToolSpec{
		Name: "add_entry", Description: "Records one message in the memory.",
		Schema: json.RawMessage(`{"type":"object","required":["message","summary"],"properties":{
			"message":{"type":"integer","description":"The number of the message."},
			"summary":{"type":"string","description":"At most 512 characters."},
			"tags":{"type":"object","additionalProperties":{"type":"string"}}}}`),
	}
}

// askNotes asks a model for the notes of some messages. What it does not
// answer, or answers wrongly, is left out.
func (a *Agent) askNotes(ctx context.Context, model llm.Model, s *State, which []int) map[int]note {
	prompt, err := a.addEntryPrompt(s, which)
	if err != nil {
		return nil
	}
	calls := a.ask(ctx, model, llm.Request{
		System: prompt, Messages: []core.Message{{Role: core.RoleUser, Text: "Execute the required operation."}},
		Tools: []core.ToolSpec{addEntryTool()},
	})
	notes := map[int]note{}
	for _, c := range calls {
		var args struct {
			Message int               `json:"message"`
			Summary string            `json:"summary"`
			Tags    map[string]string `json:"tags"`
		}
		if c.Tool != "add_entry" || json.Unmarshal(c.Args, &args) != nil {
			continue
		}
		if len(which) == 1 && args.Message == 0 {
			args.Message = which[0] + 1
		}
		i := args.Message - 1
		if i < 0 || i >= len(s.ToProcess) || strings.TrimSpace(args.Summary) == "" {
			continue
		}
		notes[i] = a.checked(s.ToProcess[i], args.Summary, args.Tags)
	}
	return notes
}

// checked bounds what a model wrote. A summary that loses the numbers and names
// of a message is worse than an extract of it.
func (a *Agent) checked(m core.Message, summary string, tags map[string]string) note {
	summary = strings.Join(strings.Fields(strings.ToValidUTF8(summary, "")), " ")
	plain := extracted(m.Role, m.Text)
	if utf8.RuneCountInString(summary) > MaxSummary || extract.Kept(m.Text, summary) < extract.Kept(m.Text, plain.Summary)/2 {
		return plain
	}
	n := note{Summary: summary, Tags: map[string]string{tagBy: "model"}}
	for key, value := range tags {
		if len(n.Tags) <= maxTags && key != "" && len(key) <= maxTagText && len(value) <= maxTagText && key != tagBy {
			n.Tags[strings.ToValidUTF8(key, "")] = strings.ToValidUTF8(value, "")
		}
	}
	return n
}

const agentPrefix = "You are yaap's memory agent. Your job is to observe a conversation between a user and an assistant, and to store, retrieve and manage memories accurately."

// addEntryPrompt is the prompt of process_message. Without anything said before
// it is an error: the session was not started.
func (a *Agent) addEntryPrompt(s *State, which []int) (string, error) {
	if len(s.History) == 0 {
		return "", fmt.Errorf("the session was not started")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nCurrent operation: PROCESS_MESSAGE\nVault ID: %s\nMemory ID: %s\n\n", agentPrefix, a.cfg.Vault.ID, a.cfg.Memory.ID)
	b.WriteString("Previous conversation context (including retrieved context from previous sessions):\n")
	b.WriteString(formatted(s.History))
	b.WriteString("\nMessages to process:\n")
	for _, i := range which {
		m := s.ToProcess[i]
		fmt.Fprintf(&b, "--- message %d\nRole: %s\nContent: %s\n", i+1, m.Role, shown(m.Text))
	}
	b.WriteString("\nINSTRUCTION: Call the add_entry tool once for each of these messages, following the rules below.\n\n---\nENTRY CAPTURE RULES:\n")
	b.WriteString(a.cfg.Prompts.EntryCapture)
	b.WriteString("\n---\nSUMMARY GENERATION RULES:\n")
	b.WriteString(a.cfg.Prompts.Summary)
	return b.String(), nil
}

// contextPrompt is the prompt of put_context: built from the messages and the
// previous context, never from summaries.
func (a *Agent) contextPrompt(previous string, fresh []core.Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nCurrent operation: CONTEXT_SYNTHESIS\nVault ID: %s\nMemory ID: %s\n\n", agentPrefix, a.cfg.Vault.ID, a.cfg.Memory.ID)
	b.WriteString("Previous context:\n" + previous + "\n\nFull conversation to synthesize into context:\n")
	for _, e := range fresh {
		fmt.Fprintf(&b, "%s %s: %s\n", e.Created.Format("2006-01-02 15:04"), e.Role, shown(e.Raw))
	}
	b.WriteString("\nINSTRUCTION: Call the put_context tool to save a synthesized context document following the rules below.\n\n---\nCONTEXT MAINTENANCE RULES:\n")
	b.WriteString(a.cfg.Prompts.Context)
	return b.String()
}

// formatted is the end of a conversation, bounded.
func formatted(messages []core.Message) string {
	var b strings.Builder
	for _, m := range messages[max(0, len(messages)-historyShown):] {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, shown(m.Text))
	}
	return b.String()
}

func shown(text string) string {
	if r := []rune(text); len(r) > messageShown {
		return string(r[:messageShown]) + " …"
	}
	return text
}

// contextOf writes a context: a model's where it fits, after one more try; else
// it is cut to its limit, the durable sections last; else it is an extract.
func (a *Agent) contextOf(ctx context.Context, previous string, fresh []core.Entry) string {
	if model := a.cfg.Model(); model != nil {
		content := a.askContext(ctx, model, previous, fresh)
		switch {
		case content == "":
		case utf8.RuneCountInString(content) > MaxContext:
			return extract.Trim(content, MaxContext)
		default:
			return content
		}
	}
	turns := make([]extract.Turn, len(fresh))
	for i, e := range fresh {
		turns[i] = extract.Turn{Role: string(e.Role), Text: e.Raw, Time: e.Created}
	}
	return extract.Context(previous, turns, MaxContext)
}

func (a *Agent) askContext(ctx context.Context, model llm.Model, previous string, fresh []core.Entry) string {
	tool := core.ToolSpec{
		Name: "put_context", Description: "Saves the context document of the memory.",
		Schema: json.RawMessage(`{"type":"object","required":["content"],"properties":{"content":{"type":"string","description":"At most 5000 characters of Markdown."}}}`),
	}
	request := llm.Request{
		System: a.contextPrompt(previous, fresh), Messages: []core.Message{{Role: core.RoleUser, Text: "Execute the required operation."}},
		Tools: []core.ToolSpec{tool},
	}
	var content string
	for try := 0; try < 2 && ctx.Err() == nil; try++ {
		for _, c := range a.ask(ctx, model, request) {
			var args struct{ Content string }
			if c.Tool == "put_context" && json.Unmarshal(c.Args, &args) == nil && strings.TrimSpace(args.Content) != "" {
				content = strings.TrimSpace(strings.ToValidUTF8(args.Content, ""))
			}
		}
		n := utf8.RuneCountInString(content)
		if content != "" && n <= MaxContext && len(extract.Sections(content)) > 0 {
			return content
		}
		problem := "You did not call put_context with a document that has the sections."
		if n > MaxContext {
			problem = fmt.Sprintf("The document had %d characters; at most %d are allowed.", n, MaxContext)
		}
		request.Messages = append(request.Messages, core.Message{Role: core.RoleUser, Text: problem + " Call put_context again."})
	}
	return content
}

// ask makes a request and returns the calls that the model wants made. What
// may pass is tried again; a failure gives none.
func (a *Agent) ask(ctx context.Context, model llm.Model, req llm.Request) []core.Call {
	for attempt := 1; ; attempt++ {
		a.cfg.Log.Info("llm_call", "model", model.Name(), "attempt", attempt)
		var calls []core.Call
		var failed error
		for chunk, err := range model.Stream(ctx, req) {
			if err != nil {
				failed = err
				break
			}
			calls = append(calls, chunk.Calls...)
		}
		if failed == nil {
			a.cfg.Log.Info("llm_tool_call", "calls", len(calls))
			return calls
		}
		delay, again := a.cfg.Backoff.Next(attempt, failed)
		a.cfg.Log.Warn("llm_retry", "err", failed, "again", again)
		if !again || llm.Sleep(ctx, delay) != nil {
			return nil
		}
	}
}
