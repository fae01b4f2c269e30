package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/sacp"
)

// Agent is the memory agent of one memory. It may be invoked for several
// conversations, but not at the same time.
type Agent struct {
	cfg    Config
	states map[string]State // of the sessions that go on
	init   sync.Once
}

// NewAgent returns an agent. It starts nothing.
func NewAgent(cfg Config) *Agent {
	return &Agent{cfg: cfg.complete(), states: map[string]State{}}
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
	if c.Every <= 0 {
		c.Every = flushEvery
	}
	return c
}

// invocation is one invocation of an agent for a conversation.
type invocation struct {
	*Agent
	State
	before State // this invocation
	stored State // as of the last step that was stored
	thread string
	log    *slog.Logger
}

// Invoke does what a control state asks for:
//
//	start_session              get_context, list_entries
//	process_message            add_entry
//	process_message_and_flush  add_entry, await_consistency, put_context
//	end_session                await_consistency, put_context
//
// Several messages are summed up in one request to the model and become one
// entry each, in order. What a step made and the checkpoint of the step are
// stored together. Where another window has resumed the conversation,
// Invoke fails with [core.CodeConflict] and has stored nothing of that step;
// the next invocation goes on from there.
func (a *Agent) Invoke(ctx context.Context, control Control, thread string, messages ...core.Message) error {
	a.init.Do(func() {
		a.cfg.Log.Info("agent_init", "vault_id", a.cfg.Vault.ID, "memory_id", a.cfg.Memory.ID, "every", a.cfg.Every)
	})
	begun := a.cfg.Now()
	if len(messages) > 0 && a.cfg.Checkpoints != nil && a.cfg.Model() != nil {
		delete(a.states, thread) // what was forgotten meanwhile is not told to the model
	}
	s, err := a.state(ctx, thread)
	i := &invocation{
		Agent: a, State: s, before: s, stored: s, thread: thread,
		log: a.cfg.Log.With("vault_id", a.cfg.Vault.ID, "memory_id", a.cfg.Memory.ID, "thread_id", thread, "invocation_id", newID()),
	}
	i.log.Info("agent_invoke", "control", control, "messages", len(messages))
	i.Control, i.ToProcess, i.ToolHistory = control, read(messages), nil
	if err == nil {
		err = i.run(ctx)
	}
	switch {
	case err == nil && i.going():
		a.states[thread] = i.State
	case err != nil && a.cfg.Checkpoints == nil:
		a.states[thread] = i.stored
	default:
		delete(a.states, thread) // it has ended, or what is on disk counts
	}
	done := []any{"control", control, "tools", i.ToolHistory, "took_ms", a.cfg.Now().Sub(begun).Milliseconds()}
	level := slog.LevelInfo
	if err != nil {
		done = append(done, "err", err)
		if ctx.Err() == nil && core.CodeOf(err) != core.CodeConflict { // these two are gone on from
			level = slog.LevelError
		}
	}
	i.log.Log(ctx, level, "agent_complete", done...)
	return err
}

// behind reports whether there is something that the context does not know.
func (a *Agent) behind(ctx context.Context) (bool, error) {
	previous, err := a.context(ctx)
	if err != nil {
		return false, err
	}
	fresh, err := a.cfg.Store.Entries(ctx, a.cfg.Memory.ID, core.EntryQuery{Limit: 1, After: previous.Upto})
	return len(fresh) > 0, err
}

// newID returns an id that sorts by time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

func (i *invocation) run(ctx context.Context) error {
	switch i.Control {
	case StartSession:
		return i.startSession(ctx)
	case ProcessMessage:
		return i.addEntries(ctx)
	case ProcessMessageAndFlush:
		if err := i.addEntries(ctx); err != nil {
			return err
		}
		return i.flush(ctx)
	case EndSession:
		return i.flush(ctx)
	}
	return fmt.Errorf("there is no control state %q", i.Control)
}

// state is what is known of a conversation; of none, when it has no name.
func (a *Agent) state(ctx context.Context, thread string) (State, error) {
	s, ok := a.states[thread]
	if ok || a.cfg.Checkpoints == nil || thread == "" {
		return s, nil
	}
	s, err := NewCheckpointer(a.cfg.Checkpoints, a.cfg.Memory.ID).Load(ctx, thread, 0)
	if err == nil && s.going() {
		a.states[thread] = s
	}
	return s, err
}

// observe begins a step: it is decided by what was done last.
func (i *invocation) observe() {
	last := ""
	if n := len(i.ToolHistory); n > 0 {
		last = i.ToolHistory[n-1]
	}
	i.log.Info("observe_start", "control", i.Control, "last_tool", last)
}

// use notes that a tool is used, by code or because the model asked for it.
func (i *invocation) use(tool string, ids ...any) {
	i.ToolHistory = append(i.ToolHistory, tool)
	i.log.Info("creating_tool_call", append([]any{"tool", tool}, ids...)...)
}

// commit stores what a step made, and its checkpoint.
func (i *invocation) commit(ctx context.Context, step core.MemoryState, found []core.Message, rows ...core.Row) error {
	step.ID, step.Memory, step.Thread, step.Step, step.Time = newID(), i.cfg.Memory.ID, i.thread, i.Step+1, i.cfg.Now()
	step.Control, step.Process, step.Tools = string(i.Control), i.ToProcess, slices.Clone(i.ToolHistory)
	if i.cfg.Checkpoints != nil && i.thread != "" {
		rows = append(rows, step)
	}
	if len(rows) > 0 {
		if err := i.cfg.Store.Put(ctx, rows...); err != nil {
			return err
		}
	}
	i.State = i.after(step, found)
	i.stored = i.State
	return nil
}

// read makes messages what their reader saw: of a reply, its message. What is
// secret is masked: it is of no use in half a year, and would be told to models.
// Bytes that are no text become signs that say so.
func read(messages []core.Message) []core.Message {
	out := make([]core.Message, 0, len(messages))
	for _, m := range messages {
		m.Text = said(m)
		m.Text = strings.ReplaceAll(strings.ToValidUTF8(m.Text, "\uFFFD"), "\x00", "\uFFFD")
		if m.Text, _ = guard.Mask(m.Text); m.Text != "" {
			out = append(out, m)
		}
	}
	return out
}

// said is the text of a message without what its agent thought. It is not empty:
// each message that waits for its entry gets one.
func said(m core.Message) string {
	switch {
	case m.Role != core.RoleAssistant:
		return core.WithoutAttached(m.Text)
	case m.Reply == nil:
		return cmp.Or(sacp.VisibleText(m.Text), "(only thoughts)")
	case strings.TrimSpace(m.Reply.Message) != "":
		return m.Reply.Message
	case m.Reply.Thought == "":
		return m.Text
	}
	reply := *m.Reply
	reply.Thought = ""
	raw, err := json.Marshal(reply)
	if err != nil {
		return "(only thoughts)"
	}
	return string(raw)
}

// startSession looks up what is known, and counts the messages anew. Done again
// before anything was said, it changes nothing.
func (i *invocation) startSession(ctx context.Context) error {
	i.observe()
	i.use("get_context")
	previous, err := i.context(ctx)
	if err != nil {
		return err
	}
	i.use("list_entries")
	recent, err := i.recent(ctx)
	if err != nil {
		return err
	}
	if i.before.Control == StartSession {
		return nil
	}
	step := core.MemoryState{Context: previous.Seq}
	if len(recent) > 0 {
		step.Upto = recent[0].Seq
	}
	return i.commit(ctx, step, known(previous.Content, recent))
}

// recall is what is known, as two messages of the system.
func (a *Agent) recall(ctx context.Context) ([]core.Message, error) {
	previous, err := a.context(ctx)
	if err != nil {
		return nil, err
	}
	recent, err := a.recent(ctx)
	if err != nil {
		return nil, err
	}
	return known(previous.Content, recent), nil
}

// recent is the newest entries.
func (a *Agent) recent(ctx context.Context) ([]core.Entry, error) {
	return a.cfg.Store.Entries(ctx, a.cfg.Memory.ID, core.EntryQuery{Limit: recentShown})
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
func (i *invocation) addEntries(ctx context.Context) error {
	if len(i.ToProcess) == 0 {
		return core.Fail(core.CodeInvalid, "there is no message to remember", "give a message that says something")
	}
	i.observe()
	notes := i.summaries(ctx)
	var rows []core.Row
	for n, m := range i.ToProcess {
		for part, raw := range split(m.Text) {
			note := notes[n]
			if part > 0 {
				note = extracted(m.Role, raw)
			}
			note.Tags = withStatus(note.Tags, m)
			rows = append(rows, core.Entry{
				ID: m.ID + "/" + fmt.Sprint(part+1), Memory: i.cfg.Memory.ID, Thread: i.thread, Message: m.ID, Part: part + 1,
				Role: m.Role, Raw: raw, Summary: note.Summary, Tags: note.Tags, Created: m.Time,
			})
		}
		i.use("add_entry", "message_id", m.ID, "summary_by", notes[n].Tags[tagBy])
	}
	if err := i.commit(ctx, core.MemoryState{Count: i.Count + len(i.ToProcess)}, nil, rows...); err != nil {
		return err
	}
	return i.amend(ctx)
}

// withStatus tags what was no answer, or one that only repeated what was
// remembered: neither is worth finding again.
func withStatus(tags map[string]string, m core.Message) map[string]string {
	if m.Reply == nil {
		return tags
	}
	if m.Reply.Status != core.StatusSuccess && m.Reply.Status != core.StatusCompleted {
		tags[core.TagStatus] = string(m.Reply.Status)
	}
	if lang.IsPhrase("room noted", m.Reply.Message) {
		tags[core.TagStatus] = "noted"
	}
	used, _ := m.Reply.Data["tool_used"].([]any)
	for _, tool := range used {
		if tool == SearchName {
			tags[core.TagStatus] = "recalled"
		}
	}
	return tags
}

// split cuts a text into pieces that an entry can hold, at a line or a word
// where there is one.
func split(text string) []string {
	var parts []string
	for utf8.RuneCountInString(text) > core.MaxRaw {
		end := 0
		for i := range text {
			if end++; end > core.MaxRaw {
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
