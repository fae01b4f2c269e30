package memory

import (
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

// note is what is written about a message.
type note struct {
	Summary string            `json:"summary"`
	Tags    map[string]string `json:"tags"`
}

// Tags that code sets.
const (
	tagBy      = "summary_by" // model, or extract
	byExtract  = "extract"
	maxTags    = 8
	maxTagText = 64
)

func extracted(role core.Role, text string) note {
	return note{Summary: extract.Summary(string(role), text, core.MaxSummary), Tags: map[string]string{tagBy: byExtract}}
}

// summaries writes the notes of all messages that are to be processed: with a
// model in one request, and one more for those it left out or got wrong. What
// is still missing then is extracted.
func (i *invocation) summaries(ctx context.Context) []note {
	notes := make([]note, len(i.ToProcess))
	if model := i.cfg.Model(); model != nil {
		var missing []int
		for n := range notes {
			missing = append(missing, n)
		}
		for try := 0; try < 2 && len(missing) > 0; try++ {
			answered, err := i.askNotes(ctx, model, missing)
			if err != nil { // it was tried again already
				break
			}
			for n, note := range answered {
				notes[n] = note
			}
			missing = slices.DeleteFunc(missing, func(n int) bool { return notes[n].Summary != "" })
		}
	}
	for n, m := range i.ToProcess {
		if notes[n].Summary == "" {
			notes[n] = extracted(m.Role, m.Text)
		}
	}
	return notes
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
func (i *invocation) askNotes(ctx context.Context, model llm.Model, which []int) (map[int]note, error) {
	prompt, err := i.addEntryPrompt(which)
	if err != nil {
		return nil, err
	}
	calls, err := i.ask(ctx, model, llm.Request{
		System: prompt, Messages: []core.Message{{Role: core.RoleUser, Text: "Execute the required operation."}},
		Tools: []core.ToolSpec{addEntryTool()},
	})
	if err != nil {
		return nil, err
	}
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
		n := args.Message - 1
		if slices.Contains(which, n) && strings.TrimSpace(args.Summary) != "" {
			notes[n] = checked(i.ToProcess[n], args.Summary, args.Tags)
		}
	}
	return notes, nil
}

// checked bounds what a model wrote. A summary that loses the numbers and names
// of a message is worse than an extract of it.
func checked(m core.Message, summary string, tags map[string]string) note {
	summary = strings.Join(strings.Fields(readable(summary)), " ")
	plain := extracted(m.Role, m.Text)
	if utf8.RuneCountInString(summary) > core.MaxSummary || extract.FactCoverage(m.Text, summary) < extract.FactCoverage(m.Text, plain.Summary)/2 {
		return plain
	}
	n := note{Summary: summary, Tags: map[string]string{tagBy: "model"}}
	for key, value := range tags {
		key, value = readable(key), readable(value)
		if len(n.Tags) <= maxTags && key != "" && len(key) <= maxTagText && len(value) <= maxTagText && key != tagBy && key != core.TagStatus {
			n.Tags[key] = value
		}
	}
	return n
}

// readable is what a model wrote without the bytes that are none.
func readable(s string) string { return strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\x00", "") }

const agentPrefix = "You are yaap's memory agent. Your job is to observe a conversation between a user and an assistant, and to store, retrieve and manage memories accurately."

// addEntryPrompt is the prompt of process_message. Without anything said before
// it is an error: the session was not started.
func (i *invocation) addEntryPrompt(which []int) (string, error) {
	if len(i.History) == 0 {
		return "", fmt.Errorf("the session was not started")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nCurrent operation: PROCESS_MESSAGE\nVault ID: %s\nMemory ID: %s\n\n", agentPrefix, i.cfg.Vault.ID, i.cfg.Memory.ID)
	b.WriteString("Previous conversation context (including retrieved context from previous sessions):\n")
	b.WriteString(formatted(i.History))
	b.WriteString("\nMessages to process:\n")
	for _, n := range which {
		m := i.ToProcess[n]
		fmt.Fprintf(&b, "--- message %d\nRole: %s\nContent: %s\n", n+1, m.Role, shown(m.Text))
	}
	b.WriteString("\nINSTRUCTION: Call the add_entry tool once for each of these messages, following the rules below.\n\n---\nENTRY CAPTURE RULES:\n")
	b.WriteString(i.cfg.Prompts.EntryCapture)
	b.WriteString("\n---\nSUMMARY GENERATION RULES:\n")
	b.WriteString(i.cfg.Prompts.Summary)
	return b.String(), nil
}

// formatted is what was found at the start of the session and the end of the
// conversation, bounded.
func formatted(history []core.Message) string {
	var found, lines []string
	room := promptRoom
	for _, m := range slices.Backward(history) {
		if m.Role == core.RoleSystem {
			if len(found) < 2 { // those of the last start
				found = append(found, string(m.Role)+": "+m.Text+"\n")
			}
			continue
		}
		line := string(m.Role) + ": " + shown(m.Text) + "\n"
		if room -= len(line); len(lines) == historyShown || room < 0 && len(lines) > 0 {
			room = 0
			continue
		}
		lines = append(lines, line)
	}
	slices.Reverse(found)
	slices.Reverse(lines)
	return strings.Join(found, "") + strings.Join(lines, "")
}

func shown(s string) string { return text.Cut(s, messageShown, " …") }

// ask makes a request and returns the calls that the model wants made. What
// may pass is tried again, after a while.
func (i *invocation) ask(ctx context.Context, model llm.Model, req llm.Request) ([]core.Call, error) {
	for attempt := 1; ; attempt++ {
		i.log.Info("llm_call", "model", model.Name(), "tool", req.Tools[0].Name, "attempt", attempt)
		calls, err := answer(ctx, model, req)
		if err == nil {
			for _, c := range calls {
				i.log.Info("llm_tool_call", "tool", text.Cut(c.Tool, maxTagText, " …"), "call_id", text.Cut(c.ID, maxTagText, " …"))
			}
			return calls, nil
		}
		delay, again := i.cfg.Backoff.Next(attempt, err)
		if !again {
			i.log.Warn("llm_failed", "attempt", attempt, "err", err)
			return nil, err
		}
		i.log.Warn("llm_retry", "attempt", attempt, "delay_ms", delay.Milliseconds(), "err", err)
		if err := llm.Sleep(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// answer reads a model's answer, as far as it is bounded in size and time.
func answer(ctx context.Context, model llm.Model, req llm.Request) (calls []core.Call, err error) {
	ctx, stop := context.WithTimeout(ctx, answerTime)
	defer stop()
	defer func() {
		if fault := recover(); fault != nil {
			err = core.Fail(core.CodeNoModel, fmt.Sprintf("the model %s failed: %v", model.Name(), fault), "choose another one with /model")
		}
	}()
	size := 0
	for chunk, err := range model.Stream(ctx, req) {
		if err != nil {
			return nil, err
		}
		size += len(chunk.Text) + len(chunk.Thinking)
		for _, c := range chunk.Calls {
			size += len(c.Args)
			calls = append(calls, c)
		}
		if chunk.Done != nil && chunk.Done.Reason == llm.ReasonLength {
			return nil, core.Fail(core.CodeCutOff, "cut off: the reply of "+model.Name()+" reached its limit", "choose another one with /model")
		}
		if size > answerMost {
			return nil, nil // what does not stop is as good as nothing
		}
	}
	return calls, nil
}
