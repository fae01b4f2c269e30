package memory

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"yaap/core"
	"yaap/core/guard"
	"yaap/core/llm"
)

// State is what the agent knows of one conversation. History grows; the other
// fields are those of the present invocation and replace what was there.
type State struct {
	History     []core.Message // the conversation, and what was found at its start
	ToProcess   []core.Message
	ToolHistory []string // the tools that were used
	Control     Control
}

// Agent is the memory agent of one memory. It may be invoked for several
// conversations, but not at the same time.
type Agent struct {
	cfg    Config
	states map[string]*State
}

// NewAgent returns an agent. It starts nothing.
func NewAgent(cfg Config) *Agent {
	return &Agent{cfg: cfg.complete(), states: map[string]*State{}}
}

func (c Config) complete() Config {
	if c.Model == nil {
		c.Model = func() llm.Model { return nil }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Invoke does what a control state asks for:
//
//	start_session              get_context, list_entries
//	process_message            add_entry
//	process_message_and_flush  add_entry, await_consistency, put_context
//	end_session                await_consistency, put_context
//
// Several messages are summed up in one request to the model and become one
// entry each, in order.
func (a *Agent) Invoke(ctx context.Context, control Control, thread string, messages ...core.Message) error {
	s := a.state(thread)
	s.Control, s.ToProcess, s.ToolHistory = control, read(messages), nil
	a.cfg.Log.Info("agent_invoke", "control", control, "thread", thread, "messages", len(messages))
	var err error
	switch control {
	case StartSession:
		err = a.startSession(ctx, s)
	case ProcessMessage:
		err = a.addEntries(ctx, s, thread)
	case ProcessMessageAndFlush:
		if err = a.addEntries(ctx, s, thread); err == nil {
			err = a.flush(ctx, s)
		}
	case EndSession:
		err = a.flush(ctx, s)
	default:
		err = fmt.Errorf("there is no control state %q", control)
	}
	a.cfg.Log.Info("agent_complete", "control", control, "thread", thread, "tools", s.ToolHistory, "err", err)
	return err
}

// read makes messages what their reader saw: of a reply, its message. What is
// secret is masked: it is of no use in half a year, and would be told to models.
func read(messages []core.Message) []core.Message {
	out := make([]core.Message, 0, len(messages))
	for _, m := range messages {
		if m.Reply != nil {
			m.Text = m.Reply.Message
		}
		if m.Text, _ = guard.Mask(m.Text); m.Text != "" {
			out = append(out, m)
		}
	}
	return out
}

func (a *Agent) state(thread string) *State {
	s := a.states[thread]
	if s == nil {
		s = &State{}
		a.states[thread] = s
	}
	return s
}

// used notes a tool that was used directly or by the model.
func (a *Agent) used(s *State, tool string) {
	s.ToolHistory = append(s.ToolHistory, tool)
	a.cfg.Log.Info("tool", "name", tool)
}

// startSession looks up what is known. It is the same however often it is done.
func (a *Agent) startSession(ctx context.Context, s *State) error {
	known, err := a.recall(ctx)
	if err != nil {
		return err
	}
	a.used(s, "get_context")
	a.used(s, "list_entries")
	s.History = known
	return nil
}

// recall is what is known, as two messages of the system.
func (a *Agent) recall(ctx context.Context) ([]core.Message, error) {
	previous, err := a.context(ctx)
	if err != nil {
		return nil, err
	}
	entries, err := a.cfg.Store.Entries(ctx, a.cfg.Memory.ID, core.EntryQuery{Limit: recentShown})
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for i := len(entries) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "- %s %s: %s\n", entries[i].Created.Format("2006-01-02"), entries[i].Role, entries[i].Summary)
	}
	return []core.Message{
		{Role: core.RoleSystem, Text: "Previous session context:\n" + previous.Content},
		{Role: core.RoleSystem, Text: "Recent entries:\n" + b.String()},
	}, nil
}

// context is the newest context; the default one counts as none.
func (a *Agent) context(ctx context.Context) (core.ContextDoc, error) {
	docs, err := a.cfg.Store.Contexts(ctx, a.cfg.Memory.ID, 1)
	if err != nil || len(docs) == 0 {
		return core.ContextDoc{}, err
	}
	if strings.TrimSpace(docs[0].Content) == NoContext {
		docs[0].Content = ""
	}
	return docs[0], nil
}

// addEntries adds one entry for each message. Its words and ids are copied by
// code; only the summary and the tags may be a model's.
func (a *Agent) addEntries(ctx context.Context, s *State, thread string) error {
	if len(s.ToProcess) == 0 {
		return &core.Error{Code: core.CodeInvalid, Op: "memory: process", Message: "there is no message to remember"}
	}
	notes := a.summaries(ctx, s)
	var rows []core.Row
	for i, m := range s.ToProcess {
		for part, raw := range split(m.Text) {
			note := notes[i]
			if part > 0 {
				note = extracted(m.Role, raw)
			}
			note.Tags = withStatus(note.Tags, m)
			e := core.Entry{
				ID: m.ID + "/" + fmt.Sprint(part+1), Memory: a.cfg.Memory.ID, Thread: thread, Message: m.ID, Part: part + 1,
				Role: m.Role, Raw: raw, Summary: note.Summary, Tags: note.Tags, Created: m.Time,
			}
			rows = append(rows, e)
		}
		a.used(s, "add_entry")
	}
	if err := a.cfg.Store.Put(ctx, rows...); err != nil {
		return err
	}
	s.History = append(s.History, s.ToProcess...)
	return nil
}

// withStatus tags what was no answer, or one that only repeated what was
// remembered: neither is worth finding again.
func withStatus(tags map[string]string, m core.Message) map[string]string {
	if m.Reply == nil {
		return tags
	}
	if m.Reply.Status != core.StatusSuccess && m.Reply.Status != core.StatusCompleted {
		tags[tagStatus] = string(m.Reply.Status)
	}
	used, _ := m.Reply.Data["tool_used"].([]any)
	for _, tool := range used {
		if tool == SearchName {
			tags[tagStatus] = "recalled"
		}
	}
	return tags
}

// split cuts a text into pieces that an entry can hold, at a line or a word
// where there is one.
func split(text string) []string {
	var parts []string
	for utf8.RuneCountInString(text) > MaxRaw {
		end := 0
		for i := range text {
			if end++; end > MaxRaw {
				end = i
				break
			}
		}
		if i := strings.LastIndexAny(text[:end], "\n"); i > end/2 {
			end = i + 1
		} else if i := strings.LastIndexByte(text[:end], ' '); i > end/2 {
			end = i + 1
		}
		parts = append(parts, text[:end])
		text = text[end:]
	}
	return append(parts, text)
}

// flush writes the context anew from the messages since the last one. The Puts
// of entries have returned, so that they are durable and can be searched.
func (a *Agent) flush(ctx context.Context, s *State) error {
	a.used(s, "await_consistency")
	now := a.cfg.Now() // what is forgotten from here on, the context must not know
	entries, err := a.cfg.Store.Entries(ctx, a.cfg.Memory.ID, core.EntryQuery{Limit: 50})
	if err != nil {
		return err
	}
	previous, err := a.context(ctx)
	if err != nil {
		return err
	}
	fresh := entries[:0:0]
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Seq > previous.Upto {
			fresh = append(fresh, entries[i])
		}
	}
	if len(fresh) == 0 {
		return nil // nothing is new
	}
	content := a.contextOf(ctx, previous.Content, fresh)
	err = a.cfg.Store.Put(ctx, core.ContextDoc{
		ID: uuid.Must(uuid.NewV7()).String(), Memory: a.cfg.Memory.ID, Upto: fresh[len(fresh)-1].Seq, Content: content, Created: now,
	})
	if err == nil {
		a.used(s, "put_context")
	}
	return err
}
