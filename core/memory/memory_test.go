package memory_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
)

// room is a memory with a conversation that is recorded in it.
type room struct {
	t     *testing.T
	store *store.Store
	cfg   memory.Config
	said  int
}

func newRoom(t *testing.T, model llm.Model) *room {
	t.Helper()
	r := &room{t: t, store: openStore(t, t.TempDir())}
	vault := core.Vault{ID: "v", Title: "default"}
	mem := core.Memory{ID: "m", Vault: "v", Title: "here", Kind: "chat"}
	r.cfg = memory.Config{
		Store: searched{r.store}, Checkpoints: r.store, Vault: vault, Memory: mem, Backoff: llm.Backoff{Base: time.Nanosecond},
		Prompts: memory.Prompts{EntryCapture: "CAPTURE", Summary: "SUMMARY", Context: "CONTEXT"},
		Model:   func() llm.Model { return model },
	}
	if model == nil {
		r.cfg.Model = nil
	}
	r.put(vault, mem)
	r.open("t")
	return r
}

func (r *room) put(rows ...core.Row) {
	r.t.Helper()
	must.Do(r.t, r.store.Put(r.t.Context(), rows...))
}

// searched is a store whose search looks for one word; the real one is tested
// where it is.
type searched struct{ *store.Store }

func (s searched) Search(ctx context.Context, q core.SearchQuery) ([]core.Found, error) {
	entries, err := s.Entries(ctx, q.Memories[0], core.EntryQuery{Limit: 50})
	var found []core.Found
	for _, e := range entries {
		if strings.Contains(e.Raw, q.Text) {
			found = append(found, core.Found{Entry: e, Match: "\x02" + q.Text + "\x03"})
		}
	}
	return found, err
}

// open begins a conversation that is recorded.
func (r *room) open(thread string) {
	r.t.Helper()
	r.put(core.Thread{ID: thread}, core.RunRow{ID: thread + "/run", Thread: thread, Runner: "agent/yaap", State: core.RunCompleted},
		core.Recording{Thread: thread, Memory: "m"})
}

// say stores messages as the orchestrator does.
func (r *room) say(thread string, texts ...string) []core.Message {
	r.t.Helper()
	var list []core.Message
	for _, text := range texts {
		r.said++
		role := core.RoleUser
		if r.said%2 == 0 {
			role = core.RoleAssistant
		}
		m := core.Message{
			ID: fmt.Sprintf("m%02d", r.said), Run: thread + "/run", Role: role, Text: text,
			Time: time.Date(2026, 11, 21, 12, r.said, 0, 0, time.UTC),
		}
		r.put(core.MessageRow{Thread: thread, Message: m})
		list = append(list, m)
	}
	return list
}

func (r *room) entries() []core.Entry {
	r.t.Helper()
	list := must.Get(r.store.Entries(r.t.Context(), "m", core.EntryQuery{Limit: 50}))(r.t)
	return list
}

func (r *room) contexts() []core.ContextDoc {
	r.t.Helper()
	list := must.Get(r.store.Contexts(r.t.Context(), "m", 10))(r.t)
	return list
}

// writes is a turn of a model that sums up messages.
func writes(summaries ...string) llmtest.Turn {
	var turn llmtest.Turn
	for i, s := range summaries {
		raw, _ := json.Marshal(map[string]any{"message": i + 1, "summary": s, "tags": map[string]string{"topic": "birds"}})
		turn.Calls = append(turn.Calls, core.Call{Tool: "add_entry", Args: raw})
	}
	return turn
}

func puts(content string) llmtest.Turn {
	raw, _ := json.Marshal(map[string]string{"content": content})
	return llmtest.Turn{Calls: []core.Call{{Tool: "put_context", Args: raw}}}
}

const document = "## Now\nherons\n\n## Open\n\n## Decisions\n\n## Facts\n- Ann likes herons\n\n## History\n"

func TestSixMessagesAreOneEntryEachAndOneContext(t *testing.T) {
	model := llmtest.New(t, writes("one", "two", "three", "four", "five", "six"), puts(document))
	r := newRoom(t, model)
	inv := memory.NewInvoker(memory.NewAgent(r.cfg))
	must.Do(t, inv.StartSession(t.Context(), "t"))
	messages := r.say("t", "a", "b", "c", "d", "e", "f")
	must.Do(t, inv.Process(t.Context(), "t", messages...))
	var got []string
	for _, e := range r.entries() {
		got = append(got, e.Raw+" "+e.Summary)
	}
	must.Equal(t, []string{"f six", "e five", "d four", "c three", "b two", "a one"}, got)
	if docs := r.contexts(); len(docs) != 1 || docs[0].Content != strings.TrimSpace(document) {
		t.Errorf("got the contexts %+v", docs)
	}
	must.Equal(t, 2, len(model.Requests()))
	add := model.Requests()[0].System
	for _, part := range []string{"PROCESS_MESSAGE", "Vault ID: v", "Memory ID: m", "Previous session context", "CAPTURE", "SUMMARY", "Content: f"} {
		if !strings.Contains(add, part) {
			t.Errorf("the prompt of add_entry has no %q", part)
		}
	}
	put := model.Requests()[1].System
	if !strings.Contains(put, "CONTEXT_SYNTHESIS") || !strings.Contains(put, "CONTEXT") || strings.Contains(put, "three") {
		t.Errorf("the prompt of put_context is\n%s", put)
	}
}

func TestWithoutAModelEverythingIsAnExtract(t *testing.T) {
	r := newRoom(t, nil)
	inv := memory.NewInvoker(memory.NewAgent(r.cfg))
	must.Do(t, inv.StartSession(t.Context(), "t"))
	for i := range 7 {
		must.Do(t, inv.Process(t.Context(), "t", r.say("t", fmt.Sprintf("We decided to use port %d.", 8000+i))...))
	}
	if docs := r.contexts(); len(docs) != 1 || !strings.Contains(docs[0].Content, "8004") || strings.Contains(docs[0].Content, "8006") {
		t.Errorf("after seven messages the contexts are %+v", docs)
	}
	must.Do(t, inv.EndSession(t.Context(), "t"))
	if docs := r.contexts(); len(docs) != 2 || !strings.Contains(docs[0].Content, "8006") {
		t.Errorf("after the session the contexts are %+v", docs)
	}
	must.Do(t, inv.EndSession(t.Context(), "t"))
	if docs := r.contexts(); len(docs) != 2 {
		t.Error("a context was written although nothing was new")
	}
}

func TestALongMessageBecomesSeveralEntriesAndLosesNoByte(t *testing.T) {
	r := newRoom(t, nil)
	a := memory.NewAgent(r.cfg)
	text := strings.Repeat("ein Wörtchen\n", 2000)
	must.Do(t, a.Invoke(t.Context(), memory.ProcessMessage, "t", r.say("t", text)...))
	entries := r.entries()
	var whole string
	for i := range entries {
		e := entries[len(entries)-1-i]
		if e.Part != i+1 || e.Message != "m01" {
			t.Errorf("got part %d of %s", e.Part, e.Message)
		}
		whole += e.Raw
	}
	if whole != text || len(entries) < 3 {
		t.Errorf("%d entries hold %d bytes of %d", len(entries), len(whole), len(text))
	}
}

func TestSecretsAreNotRemembered(t *testing.T) {
	r := newRoom(t, nil)
	secret := "Zx8Qw3Er5T" + "y7Ui9Op1As2Df4"
	must.Do(t, memory.NewAgent(r.cfg).Invoke(t.Context(), memory.ProcessMessage, "t", r.say("t", "Use api_key="+secret+" for now.")...))
	e := r.entries()[0]
	if strings.Contains(e.Raw+e.Summary, secret) || !strings.Contains(e.Raw, "[secret:") {
		t.Errorf("got %q, %q", e.Raw, e.Summary)
	}
}

func TestNoMessageIsAnError(t *testing.T) {
	r := newRoom(t, nil)
	if err := memory.NewAgent(r.cfg).Invoke(t.Context(), memory.ProcessMessage, "t"); err == nil {
		t.Error("nothing was recorded without an error")
	}
}

func TestTheLaneTakesUpWhatWasLeftAndEndsTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, nil)
		r.say("t", "I prefer tabs.", "Noted.")
		var told records
		r.cfg.Sink = &told
		rec := memory.NewRecorder(r.cfg)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- rec.Run(ctx) }()
		synctest.Wait()
		must.Equal(t, 2, len(r.entries()))
		r.say("t", "And spaces in YAML.")
		rec.Wake()
		synctest.Wait()
		if s := rec.Status(); s.Waiting != 0 || s.NextFlush != 3 || s.Failure != "" {
			t.Errorf("got %+v", s)
		}
		stop()
		must.Report(t, <-done)
		must.Equal(t, "t 1 of 2, t 0 of 1", strings.Join(told, ", "))
		if docs := r.contexts(); len(docs) != 1 || !strings.Contains(docs[0].Content, "tabs") {
			t.Errorf("got the contexts %+v", docs)
		}
		known, err := rec.Recall(t.Context())
		if err != nil || len(known) != 2 || !strings.Contains(known[0].Text, "tabs") || !strings.Contains(known[1].Text, "YAML") {
			t.Errorf("got %+v, %v", known, err)
		}
	})
}

func TestAModelIsAskedOnlyWhenSixMessagesWaitOrItIsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := llmtest.New(t, writes("one", "two"), puts(document))
		r := newRoom(t, model)
		rec := memory.NewRecorder(r.cfg)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- rec.Run(ctx) }()
		synctest.Wait()
		r.say("t", "a", "b")
		rec.Wake()
		synctest.Wait()
		if s := rec.Status(); s.Waiting != 2 || len(model.Requests()) != 0 {
			t.Errorf("got %+v after %d requests", s, len(model.Requests()))
		}
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		must.Equal(t, 2, len(r.entries()))
		stop()
		must.Report(t, <-done)
	})
}

// broken is a store whose disk is full.
type broken struct{ searched }

func (broken) Put(context.Context, ...core.Row) error { return errors.New("the disk is full") }

func TestAFailureIsToldOnceAndTheChatGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, nil)
		r.say("t", "a")
		sink := &notices{}
		r.cfg.Store, r.cfg.Sink = broken{searched{r.store}}, sink
		rec := memory.NewRecorder(r.cfg)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- rec.Run(ctx) }()
		synctest.Wait()
		rec.Wake()
		synctest.Wait()
		stop()
		must.Report(t, <-done)
		if len(*sink) != 1 || !strings.Contains((*sink)[0], "the disk is full") || rec.Status().Failure == "" {
			t.Errorf("got the notices %q", *sink)
		}
	})
}

// records are how many prompts of how many messages are told to be noted.
type records []string

func (r *records) Emit(s core.Scope, b core.Body) core.Event {
	if told, ok := b.(core.MemoryOperation); ok && told.Operation == core.MemoryRecord {
		*r = append(*r, fmt.Sprintf("%s %d of %d", s.Thread, len(told.Noted), told.Messages))
	}
	return core.Event{Body: b}
}

type notices []string

func (n *notices) Emit(_ core.Scope, b core.Body) core.Event {
	if notice, ok := b.(core.Notice); ok {
		*n = append(*n, notice.Text)
	}
	return core.Event{Body: b}
}

func TestAnAgentFindsWhatWasSaid(t *testing.T) {
	r := newRoom(t, nil)
	a := memory.NewAgent(r.cfg)
	must.Do(t, a.Invoke(t.Context(), memory.ProcessMessage, "t", r.say("t", "The boiler is a Vaillant of 2019.", "Noted.")...))
	tool := memory.NewRecorder(r.cfg).SearchTool()
	result, err := tool.Call(t.Context(), core.Call{Args: json.RawMessage(`{"query":"boiler"}`)})
	if err != nil || !result.OK() || !strings.Contains(result.Text, "Vaillant") {
		t.Errorf("got %+v, %v", result, err)
	}
	question := r.say("t", "boiler")
	answer := core.Message{ID: "again", Role: core.RoleAssistant, Reply: &core.Reply{
		Status: core.StatusSuccess, Message: "You said boiler.", Data: map[string]any{"tool_used": []any{"search_memories"}},
	}}
	must.Do(t, a.Invoke(t.Context(), memory.ProcessMessage, "t", question[0], answer))
	if again, err := tool.Call(t.Context(), core.Call{Args: json.RawMessage(`{"query":"boiler"}`)}); err != nil || again.Text != result.Text {
		t.Errorf("the question and the answer to it are found, too: %s", again.Text)
	}
	asked := append(r.say("t", "How old is the boiler?", "Ask the one who sold it."), r.say("t", "The boiler was mended in May.", "Noted.")...)
	must.Do(t, a.Invoke(t.Context(), memory.ProcessMessage, "t", asked...))
	result, err = tool.Call(t.Context(), core.Call{Args: json.RawMessage(`{"query":"boiler"}`)})
	if err != nil || !strings.Contains(result.Text, "May") || strings.Index(result.Text, "How old") < strings.Index(result.Text, "May") {
		t.Errorf("a question comes before what was said: %s", result.Text)
	}
	if strings.Contains(result.Text, "Only questions") {
		t.Errorf("what was said is told as a question: %s", result.Text)
	}
	must.Do(t, a.Invoke(t.Context(), memory.ProcessMessage, "t", r.say("t", "so what became of the gnome", "Nobody knows.")...))
	result, err = tool.Call(t.Context(), core.Call{Args: json.RawMessage(`{"query":"gnome"}`)})
	if err != nil || !strings.HasPrefix(result.Text, "Only questions about it were found:\n- ") {
		t.Errorf("a question is told as something that was said: %s, %v", result.Text, err)
	}
	if result, _ := tool.Call(t.Context(), core.Call{Args: json.RawMessage(`{"query":" "}`)}); result.OK() {
		t.Errorf("got %+v", result)
	}
}

func TestWhatWasCorrectedIsNotToldAnyMore(t *testing.T) {
	r := newRoom(t, nil)
	inv := memory.NewInvoker(memory.NewAgent(r.cfg))
	begin(t, inv, "t")
	process(t, inv, "t", r.say("t", "Our boiler is a Zanzibarix 831.", "I see.", "My cat is called Tibbles.")...)
	old := r.entries()[2]
	r.put(core.Entry{
		ID: "right", Memory: "m", Thread: "t", Role: core.RoleUser, Raw: "Our boiler is a Bosch 4000.",
		Summary: "Our boiler is a Bosch 4000.", Corrects: old.ID, Created: time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC),
	})
	known := must.Get(memory.NewRecorder(r.cfg).Recall(t.Context()))(t)
	if all := fmt.Sprint(known); strings.Contains(all, "Zanzibarix") || !strings.Contains(all, "user, correcting what was said before: Our boiler is a Bosch") {
		t.Errorf("recalled is %s", all)
	}
	must.Do(t, inv.EndSession(t.Context(), "t"))
	if got := r.contexts()[0].Content; strings.Contains(got, "Zanzibarix") || !strings.Contains(got, "Bosch") || !strings.Contains(got, "Tibbles") {
		t.Errorf("the context is\n%s", got)
	}
}
