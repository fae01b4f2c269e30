package memory_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/must"
)

// logged lets a room write its log as lines of JSON, and returns what reads
// them since the last time.
func logged(r *room) func() []map[string]any {
	var lines bytes.Buffer
	r.cfg.Log = slog.New(slog.NewJSONHandler(&lines, nil))
	return func() (all []map[string]any) {
		r.t.Helper()
		for line := range bytes.Lines(lines.Bytes()) {
			var record map[string]any
			must.Do(r.t, json.Unmarshal(line, &record))
			all = append(all, record)
		}
		lines.Reset()
		return all
	}
}

func of(records []map[string]any, msg, key string) (values []string) {
	for _, r := range records {
		if r["msg"] == msg {
			values = append(values, fmt.Sprint(r[key]))
		}
	}
	return values
}

func TestEveryControlStateUsesItsToolsAndNoOthers(t *testing.T) {
	model := llmtest.New(t,
		writes("one"), writes("one", "two"), // process_message
		writes("one"), puts(document), // and flush
		writes("one"), puts(document)) // process_message, end_session
	r := newRoom(t, model)
	read := logged(r)
	a := memory.NewAgent(r.cfg)
	for n, step := range []struct {
		control memory.Control
		say     []string
		tools   string
		asked   string
	}{
		{memory.StartSession, nil, "get_context list_entries", ""},
		{memory.ProcessMessage, []string{"a"}, "add_entry", "add_entry"},
		{memory.ProcessMessage, []string{"b", "c"}, "add_entry add_entry", "add_entry"},
		{memory.ProcessMessageAndFlush, []string{"d"}, "add_entry await_consistency put_context", "add_entry put_context"},
		{memory.ProcessMessage, []string{"e"}, "add_entry", "add_entry"},
		{memory.EndSession, nil, "await_consistency put_context", "put_context"},
		{memory.StartSession, nil, "get_context list_entries", ""},
		{memory.EndSession, nil, "await_consistency", ""}, // nothing is new
	} {
		must.Do(t, a.Invoke(t.Context(), step.control, "t", r.say("t", step.say...)...))
		records := read()
		if got := strings.Join(of(records, "creating_tool_call", "tool"), " "); got != step.tools {
			t.Errorf("%d %s used %q, want %q", n, step.control, got, step.tools)
		}
		if got := strings.Join(of(records, "llm_call", "tool"), " "); got != step.asked {
			t.Errorf("%d %s asked the model for %q, want %q", n, step.control, got, step.asked)
		}
	}
	if err := a.Invoke(t.Context(), "dance", "t"); err == nil {
		t.Error("there is a fifth control state")
	}
}

func TestTheLogTellsEveryStepInOrderWithIDsAndWithoutWords(t *testing.T) {
	busy := &core.Error{Code: core.CodeRateLimited, Message: "too many requests"}
	r := newRoom(t, llmtest.New(t, llmtest.Turn{Err: busy}, writes("it flies"), puts(document)))
	read := logged(r)
	a := memory.NewAgent(r.cfg)
	must.Do(t, a.Invoke(t.Context(), memory.StartSession, "t"))
	_ = read()
	a = memory.NewAgent(r.cfg)
	must.Do(t, a.Invoke(t.Context(), memory.ProcessMessageAndFlush, "t", r.say("t", "a marsh harrier")...))
	records := read()
	var got []string
	invocation := records[1]["invocation_id"]
	for i, record := range records {
		line := fmt.Sprint(record["msg"])
		if tool, ok := record["tool"]; ok {
			line += " " + fmt.Sprint(tool)
		}
		got = append(got, line)
		if record["memory_id"] != "m" || record["vault_id"] != "v" || i > 0 && (record["thread_id"] != "t" || record["invocation_id"] != invocation) {
			t.Errorf("the ids are missing in %v", record)
		}
		if text := fmt.Sprint(record); strings.Contains(text, "harrier") || strings.Contains(text, "flies") {
			t.Errorf("words were logged: %s", text)
		}
	}
	want := []string{
		"agent_init", "agent_invoke",
		"observe_start", "llm_call add_entry", "llm_retry", "llm_call add_entry", "llm_tool_call add_entry", "creating_tool_call add_entry",
		"observe_start", "creating_tool_call await_consistency",
		"observe_start", "llm_call put_context", "llm_tool_call put_context", "creating_tool_call put_context",
		"agent_complete",
	}
	must.Equal(t, want, got)
	if diff := cmp.Diff([]string{"", "add_entry", "await_consistency"}, of(records, "observe_start", "last_tool")); diff != "" {
		t.Errorf("what was observed (-want +got)\n%s", diff)
	}
}

// stream is a model that is a function.
type stream func(ctx context.Context, yield func(llm.Chunk, error) bool)

func (stream) Name() string { return "stream" }

func (s stream) Stream(ctx context.Context, _ llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) { s(ctx, yield) }
}

// args is a call with arguments.
func args(tool string, arguments map[string]any) llmtest.Turn {
	raw, _ := json.Marshal(arguments)
	return llmtest.Turn{Calls: []core.Call{{Tool: tool, Args: raw}}}
}

// limited is turn, cut off by the limit of a reply.
func limited(turn llmtest.Turn) llmtest.Turn {
	turn.Reason = llm.ReasonLength
	return turn
}

func TestAModelThatMisbehavesLosesNothing(t *testing.T) {
	down := &core.Error{Code: core.CodeUnreachable, Message: "down"}
	busy := &core.Error{Code: core.CodeRateLimited, Message: "too many requests"}
	script := func(turns ...llmtest.Turn) func(testing.TB) llm.Model {
		return func(t testing.TB) llm.Model { return llmtest.New(t, turns...) }
	}
	same := func(turn llmtest.Turn) func(testing.TB) llm.Model { return script(turn, turn) }
	for name, model := range map[string]func(testing.TB) llm.Model{
		"it calls nothing":             script(llmtest.Turn{Text: "Sure!"}, llmtest.Turn{Text: "Done!"}),
		"it calls something else":      same(args("delete_everything", nil)),
		"it calls the other tool":      same(args("put_context", map[string]any{"content": document})),
		"it is empty":                  same(writes("")),
		"it names a wrong message":     same(args("add_entry", map[string]any{"message": 7, "summary": "seven"})),
		"its arguments are of no form": same(args("add_entry", map[string]any{"message": "one", "summary": []int{1}})),
		"its summary does not stop":    script(writes(strings.Repeat("word ", 500))),
		"it loses the numbers":         script(writes("Something was said.")),
		"it has no key":                script(llmtest.Turn{Err: &core.Error{Code: core.CodeNoModel, Message: "no key"}}),
		"it reaches its limit":         script(limited(args("add_entry", map[string]any{"summary": "45 s, 2026-11-20, core/hub, but"}))),
		"it is down":                   script(llmtest.Turn{Err: down}, llmtest.Turn{Err: down}, llmtest.Turn{Err: down}),
		"it is busy":                   script(llmtest.Turn{Err: busy}, llmtest.Turn{Err: busy}, llmtest.Turn{Err: busy}),
		"it breaks off":                script(llmtest.Turn{Truncate: true}, llmtest.Turn{Truncate: true}, llmtest.Turn{Truncate: true}),
		"it hangs": func(testing.TB) llm.Model {
			return stream(func(ctx context.Context, yield func(llm.Chunk, error) bool) {
				<-ctx.Done()
				yield(llm.Chunk{}, ctx.Err())
			})
		},
		"it never stops talking": func(testing.TB) llm.Model {
			return stream(func(_ context.Context, yield func(llm.Chunk, error) bool) {
				for yield(llm.Chunk{Text: strings.Repeat("bla ", 1000)}, nil) {
				}
			})
		},
		"it never stops calling": func(testing.TB) llm.Model {
			return stream(func(_ context.Context, yield func(llm.Chunk, error) bool) {
				for yield(llm.Chunk{Calls: []core.Call{{Tool: "add_entry", Args: json.RawMessage(`{"message":9,"summary":"nine"}`)}}}, nil) {
				}
			})
		},
		"it panics": func(testing.TB) llm.Model {
			return stream(func(context.Context, func(llm.Chunk, error) bool) { panic("oh") })
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRoom(t, model(t))
				a := memory.NewAgent(r.cfg)
				must.Do(t, a.Invoke(t.Context(), memory.StartSession, "t"))
				text := "The lease is 45 s, decided on 2026-11-20 by Ann for core/hub."
				must.Do(t, a.Invoke(t.Context(), memory.ProcessMessage, "t", r.say("t", text)...))
				entries := r.entries()
				if len(entries) != 1 || entries[0].Raw != text || !strings.Contains(entries[0].Summary, "45 s") || entries[0].Tags["summary_by"] != "extract" {
					t.Errorf("got %+v", entries)
				}
			})
		})
	}
}

func TestWhatAModelWroteIsBoundedAndItsIDsAreForced(t *testing.T) {
	tags := map[string]any{
		"topic": "bi\x00rds", "summary_by": "me", "status": "recalled", "": "nothing",
		strings.Repeat("k", 1000): "v", "long": strings.Repeat("v", 100_000),
	}
	for n := range 50 {
		tags[fmt.Sprint("t", n)] = "x"
	}
	r := newRoom(t, llmtest.New(t, args("add_entry", map[string]any{
		"summary": " It\x00 was\n\nsaid. ", "tags": tags, "entry_id": "mine", "memory_id": "other", "vault_id": "other", "raw_entry": "something else",
	})))
	a := memory.NewAgent(r.cfg)
	must.Do(t, a.Invoke(t.Context(), memory.StartSession, "t"))
	must.Do(t, a.Invoke(t.Context(), memory.ProcessMessage, "t", r.say("t", "hello")...))
	e := r.entries()[0]
	if e.ID != "m01/1" || e.Memory != "m" || e.Raw != "hello" || e.Summary != "It was said." || e.Tags["summary_by"] != "model" || e.Tags["status"] != "" {
		t.Errorf("got %+v", e)
	}
	if err := e.Check(); err != nil || len(e.Tags) > 9 {
		t.Errorf("%d tags, %v", len(e.Tags), err)
	}
}

func TestAContextThatAModelGotWrongIsMadeByCode(t *testing.T) {
	down := llmtest.Turn{Err: &core.Error{Code: core.CodeNoModel, Message: "down"}}
	long := strings.Replace(document, "## History\n", "## History\n"+strings.Repeat("- an old story\n", 600), 1)
	previous := "## Now\n\n## Open\n\n## Decisions\n- 2026-11-19 port 8080, by Ann\n\n## Facts\n- Bob owns core/hub since 2024\n\n## History\n"
	kept := strings.Replace(previous, "## Now\n", "## Now\nrates\n", 1)
	for name, c := range map[string]struct {
		turns []llmtest.Turn
		model bool // something of what it wrote is kept
	}{
		"it calls nothing":        {[]llmtest.Turn{{Text: "Sure!"}, {Text: "Done!"}}, false},
		"it writes no sections":   {[]llmtest.Turn{puts("Sure!"), puts("We spoke.")}, false},
		"it reaches its limit":    {[]llmtest.Turn{limited(puts(kept))}, false},
		"it is down":              {[]llmtest.Turn{down}, false},
		"it forgets what it knew": {[]llmtest.Turn{puts(strings.Replace(document, "herons", "rates", 1))}, false},
		"it is too long twice":    {[]llmtest.Turn{puts(long + previous), puts(long + previous)}, true},
		"it is right at last":     {[]llmtest.Turn{puts("rates"), puts(kept)}, true},
		"it is right":             {[]llmtest.Turn{puts(kept)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t, llmtest.New(t, append([]llmtest.Turn{writes("It is 7 %.")}, c.turns...)...))
			r.put(core.ContextDoc{ID: "c", Memory: "m", Content: previous})
			a := memory.NewAgent(r.cfg)
			must.Do(t, a.Invoke(t.Context(), memory.StartSession, "t"))
			must.Do(t, a.Invoke(t.Context(), memory.ProcessMessageAndFlush, "t", r.say("t", "The rate is 7 %.")...))
			got := r.contexts()[0].Content
			for _, part := range []string{"## Now", "## Open", "## Decisions", "port 8080", "## Facts", "Bob owns core/hub", "## History"} {
				if !strings.Contains(got, part) {
					t.Errorf("there is no %q in\n%s", part, got)
				}
			}
			if utf8.RuneCountInString(got) > core.MaxContext || !c.model && !strings.Contains(got, "7 %") {
				t.Errorf("got %d characters\n%s", utf8.RuneCountInString(got), got)
			}
		})
	}
}

func TestABusyModelIsAskedAgainAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := llmtest.Turn{Err: &core.Error{Code: core.CodeRateLimited, Message: "too many requests"}}
		r := newRoom(t, llmtest.New(t, busy, busy, writes("two tries")))
		r.cfg.Backoff = llm.Backoff{Base: 4 * time.Second, Rand: func() float64 { return 0.5 }}
		a := memory.NewAgent(r.cfg)
		must.Do(t, a.Invoke(t.Context(), memory.StartSession, "t"))
		begun := time.Now()
		must.Do(t, a.Invoke(t.Context(), memory.ProcessMessage, "t", r.say("t", "hello")...))
		if waited := time.Since(begun); waited != 9*time.Second { // 3/4 of 4 s, and of 8 s
			t.Errorf("it waited for %v", waited)
		}
		if e := r.entries()[0]; e.Summary != "two tries" {
			t.Errorf("got %+v", e)
		}
	})
}

func TestAModelIsAskedTwiceForSixMessagesAtThePaceOfAChat(t *testing.T) {
	for name, before := range map[string]int{"from the start": 0, "in a session that goes on": 2} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				six := []llmtest.Turn{writes("one", "two", "three", "four", "five", "six"), puts(document)}
				model := llmtest.New(t, slices.Repeat(six, 2)...)
				r := newRoom(t, model)
				offline := r.cfg
				offline.Model = nil
				inv := memory.NewInvoker(memory.NewAgent(offline))
				begin(t, inv, "t")
				process(t, inv, "t", r.say("t", slices.Repeat([]string{"hello"}, before)...)...)
				_ = memory.NewInvoker(memory.NewAgent(offline)).CatchUp(t.Context())
				rec, end := run(t, r.cfg)
				synctest.Wait()
				for range (12 - before) / 2 {
					r.say("t", "what do herons eat?", "Fish.")
					rec.Wake()
					time.Sleep(time.Minute)
					synctest.Wait()
				}
				if n := len(r.entries()); n != 12 || len(model.Requests()) != 4 || rec.Status().Waiting != 0 {
					t.Errorf("%d entries of 12 messages were made with %d requests", n, len(model.Requests()))
				}
				end()
			})
		})
	}
}

func TestWhatAModelIsShownIsBoundedHoweverLongTheConversation(t *testing.T) {
	var turns []llmtest.Turn
	for range 2 {
		turns = append(turns, writes("one", "two", "three", "four", "five", "six"), puts(document))
	}
	model := llmtest.New(t, turns...)
	r := newRoom(t, model)
	r.put(core.ContextDoc{ID: "c", Memory: "m", Content: "## Facts\n- " + strings.Repeat("w", 4900) + " END"})
	offline := r.cfg
	offline.Model = nil
	inv := memory.NewInvoker(memory.NewAgent(offline))
	must.Do(t, inv.StartSession(t.Context(), "t"))
	for n := range 50 {
		must.Do(t, inv.Process(t.Context(), "t", r.say("t", fmt.Sprint(n, strings.Repeat(" word", 900)))...))
	}
	inv = memory.NewInvoker(memory.NewAgent(r.cfg)) // after a restart
	if started, err := inv.Started(t.Context(), "t"); err != nil || !started {
		t.Fatalf("%v, %v", started, err)
	}
	huge := slices.Repeat([]string{strings.Repeat("wörter ", 3000)}, 4+6)
	must.Do(t, inv.Process(t.Context(), "t", r.say("t", huge...)...))
	for n, request := range model.Requests() {
		size := utf8.RuneCountInString(request.System)
		for _, m := range request.Messages {
			size += utf8.RuneCountInString(m.Text)
		}
		if size > 60_000 {
			t.Errorf("request %d has %d characters", n, size)
		}
		if n%2 == 0 && !strings.Contains(request.System, "END\n") {
			t.Errorf("request %d does not hold what was known", n)
		}
	}
	must.Equal(t, 4, len(model.Requests()))
}
