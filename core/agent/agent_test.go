package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"yaap/core"
	"yaap/core/agent"
	"yaap/core/event"
	"yaap/core/llm"
	"yaap/core/llm/llmtest"
	"yaap/core/store"
	"yaap/core/store/storetest"
)

// tool is a tool made of a function.
type tool struct {
	spec core.ToolSpec
	call func(context.Context, core.Call) (core.ToolResult, error)
}

func (t tool) Spec() core.ToolSpec { return t.spec }

func (t tool) Call(ctx context.Context, c core.Call) (core.ToolResult, error) { return t.call(ctx, c) }

// says is a tool that answers with a text.
func says(name, text string) tool {
	return tool{core.ToolSpec{Name: name, Owner: name}, func(context.Context, core.Call) (core.ToolResult, error) {
		return core.ToolResult{Status: core.ToolSuccess, Text: text}, nil
	}}
}

// box is a toolbox that changes.
type box struct {
	mu    sync.Mutex
	tools []core.Tool
}

func (b *box) Tools() core.Toolset {
	b.mu.Lock()
	defer b.mu.Unlock()
	return core.Toolset{Rev: uint64(len(b.tools)), Tools: b.tools[:len(b.tools):len(b.tools)]}
}

func (b *box) add(t core.Tool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tools = append(b.tools, t)
}

// stage is an agent with what surrounds it.
type stage struct {
	t       testing.TB
	cfg     agent.Config
	journal *storetest.Memory
	bus     *event.Bus
	feed    *event.Feed
}

func newStage(t testing.TB, model llm.Model, tools ...core.Tool) *stage {
	bus := new(event.Bus)
	s := &stage{t: t, journal: storetest.NewMemory(), bus: bus, feed: bus.Feed()}
	s.cfg = agent.Config{
		Model: model, Tools: &box{tools: tools}, Journal: s.journal, Sink: bus,
		Backoff: llm.Backoff{Base: time.Nanosecond},
	}
	return s
}

const (
	thread = "thread"
	runID  = "run"
)

// input stores the question as the orchestrator does.
func (s *stage) input(question string) core.Input {
	s.t.Helper()
	m := core.Message{ID: "question", Run: runID, Role: core.RoleUser, Text: question, Time: time.Now()}
	err := s.journal.Put(s.t.Context(), core.Session{ID: "session"},
		core.Thread{ID: thread, Session: "session"},
		core.RunRow{ID: runID, Thread: thread, State: core.RunRunning, Runner: "agent/yaap", Time: time.Now()},
		core.MessageRow{Thread: thread, Message: m})
	if err != nil {
		s.t.Fatal(err)
	}
	return core.Input{Scope: core.Scope{Thread: thread, Run: runID, Trace: runID}, Messages: []core.Message{m}}
}

func (s *stage) run(question string) (core.Result, error) {
	s.t.Helper()
	return agent.New(s.cfg).Run(s.t.Context(), s.input(question))
}

// events returns what was reported so far and checks what always holds.
func (s *stage) events() []core.Event {
	s.t.Helper()
	s.bus.Emit(core.Scope{}, core.Notice{Text: "end of test"})
	events, err := s.feed.Next(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	events = events[:len(events)-1]
	paired(s.t, events)
	return events
}

// paired checks that every start has exactly one end.
func paired(t testing.TB, events []core.Event) {
	t.Helper()
	open := map[string]int{}
	var last uint64
	for _, e := range events {
		if e.Seq <= last {
			t.Errorf("event %d follows %d", e.Seq, last)
		}
		last = e.Seq
		turn := fmt.Sprint("turn ", e.Turn)
		switch b := e.Body.(type) {
		case core.RunStart:
			open["run"]++
		case core.RunEnd:
			open["run"]--
			if open["run"] != 0 {
				t.Error("a run_end without its start")
			}
		case core.TurnStart:
			open[turn]++
		case core.TurnEnd:
			open[turn]--
		case core.LLMCallStart:
			open[b.Call]++
		case core.LLMCallEnd:
			open[b.Call]--
		case core.ToolCallStart:
			open["tool "+b.Call]++
		case core.ToolCallEnd:
			open["tool "+b.Call]--
		case core.OutputParse:
			if b.Status == "start" {
				open["parse"]++
			} else {
				open["parse"]--
			}
		}
	}
	for what, n := range open {
		if n != 0 {
			t.Errorf("%s: %+d starts without an end", what, n)
		}
	}
	if n := len(events); n > 0 {
		if _, ok := events[n-1].Body.(core.RunEnd); !ok {
			t.Errorf("the last event is %s, want run_end", events[n-1].Body.Type())
		}
	}
}

func types(events []core.Event) []string {
	var list []string
	for _, e := range events {
		if _, ok := e.Body.(core.Delta); !ok {
			list = append(list, e.Body.Type())
		}
	}
	return list
}

func call(id, tool, prompt string) core.Call {
	raw, _ := json.Marshal(map[string]string{"prompt": prompt})
	return core.Call{ID: id, Tool: tool, Args: raw}
}

func reply(message string) string {
	raw, _ := json.Marshal(core.Reply{Thought: "easy", Status: core.StatusSuccess, Data: map[string]any{}, Message: message})
	return string(raw)
}

func TestARunWithOneRoundOfToolsReportsItsEventsInOrder(t *testing.T) {
	s := newStage(t, llmtest.New(t,
		llmtest.Turn{Thinking: "calc fits", Calls: []core.Call{call("a", "calc", "1+1")}},
		llmtest.Turn{Text: reply("It is 2.")},
	), says("calc", "2"))
	result, err := s.run("1+1?")
	if err != nil || result.Reply.Message != "It is 2." || result.Turns != 2 {
		t.Fatalf("got %+v, %v", result, err)
	}
	want := strings.Fields(`run_start memory_operation memory_operation
		agent_processing turn_start llm_call_start llm_call_end token_usage assistant_message tool_requests
		before_tool_execution tool_call_start tool_call_end tool_results_to_llm iteration_summary turn_end
		agent_processing turn_start llm_call_start llm_call_end token_usage output_parse output_parse assistant_message
		final_output iteration_summary turn_end memory_operation memory_operation run_end`)
	events := s.events()
	if diff := cmp.Diff(want, types(events)); diff != "" {
		t.Errorf("events (-want +got)\n%s", diff)
	}
	messages, err := s.journal.Messages(t.Context(), thread)
	if err != nil {
		t.Fatal(err)
	}
	var roles []string
	for _, m := range messages {
		roles = append(roles, string(m.Role))
	}
	if diff := cmp.Diff([]string{"user", "assistant", "tool", "assistant"}, roles); diff != "" {
		t.Errorf("stored messages (-want +got)\n%s", diff)
	}
	for _, e := range events {
		if b, ok := e.Body.(core.AssistantMessage); ok && !slices.ContainsFunc(messages, func(m core.Message) bool { return m.ID == b.ID }) {
			t.Errorf("the message %q that was reported is not stored", b.ID)
		}
	}
	if last := messages[len(messages)-1]; last.Model != "script" {
		t.Errorf("the answer was stored as written by %q, want script", last.Model)
	}
}

func TestTheThoughtAndTheMessageStreamWhileTheyAreWritten(t *testing.T) {
	s := newStage(t, llmtest.New(t, llmtest.Turn{Text: reply("It is two."), Pieces: 3}))
	if _, err := s.run("1+1?"); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range s.events() {
		if d, ok := e.Body.(core.Delta); ok {
			got[d.Field] += d.Text
		}
	}
	if diff := cmp.Diff(map[string]string{core.FieldThought: "easy", core.FieldMessage: "It is two."}, got); diff != "" {
		t.Errorf("deltas (-want +got)\n%s", diff)
	}
}

func TestAnExpertThatJoinsInTurnOneIsCallableInTurnTwo(t *testing.T) {
	tools := new(box)
	joins := tool{core.ToolSpec{Name: "first"}, func(context.Context, core.Call) (core.ToolResult, error) {
		tools.add(says("newcomer", "hello"))
		return core.ToolResult{Status: core.ToolSuccess}, nil
	}}
	tools.add(joins)
	model := llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{call("a", "first", "x")}},
		llmtest.Turn{Calls: []core.Call{call("b", "newcomer", "x")}},
		llmtest.Turn{Text: reply("done")},
	)
	s := newStage(t, model)
	s.cfg.Tools = tools
	if _, err := s.run("go"); err != nil {
		t.Fatal(err)
	}
	requests := model.Requests()
	if len(requests[0].Tools) != 1 || len(requests[1].Tools) != 2 {
		t.Errorf("the model saw %d, then %d tools; want 1, then 2", len(requests[0].Tools), len(requests[1].Tools))
	}
	if last := requests[2].Messages[len(requests[2].Messages)-1]; !last.Result.OK() {
		t.Errorf("the newcomer was not called: %+v", last)
	}
}

func TestCallsOfOneTurnRunAtTheSameTimeAndTheirResultsStandInOrder(t *testing.T) {
	meet := make(chan struct{})
	slow := tool{core.ToolSpec{Name: "slow"}, func(ctx context.Context, _ core.Call) (core.ToolResult, error) {
		select {
		case <-meet: // only comes when the other call runs meanwhile
		case <-ctx.Done():
		}
		return core.ToolResult{Status: core.ToolSuccess, Text: "slow"}, nil
	}}
	quick := tool{core.ToolSpec{Name: "quick"}, func(context.Context, core.Call) (core.ToolResult, error) {
		close(meet)
		return core.ToolResult{Status: core.ToolSuccess, Text: "quick"}, nil
	}}
	model := llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{call("a", "slow", "x"), call("b", "quick", "x")}},
		llmtest.Turn{Text: reply("done")},
	)
	s := newStage(t, model, slow, quick)
	if _, err := s.run("go"); err != nil {
		t.Fatal(err)
	}
	messages := model.Requests()[1].Messages
	if a, b := messages[2].Result.Text, messages[3].Result.Text; a != "slow" || b != "quick" {
		t.Errorf("the model saw %s, %s", a, b)
	}
}

func TestWhatGoesWrongInACallIsAnAnswerToTheModel(t *testing.T) {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	hangs := tool{core.ToolSpec{Name: "hangs"}, func(context.Context, core.Call) (core.ToolResult, error) {
		<-release // deaf: it does not even hear a cancel
		return core.ToolResult{}, nil
	}}
	panics := tool{core.ToolSpec{Name: "panics"}, func(context.Context, core.Call) (core.ToolResult, error) { panic("boom") }}
	broken := says("broken", "two, I think")
	broken.spec.SACP = true
	failing := says("failing", `{"thought":"","status":"failure","data":{"code":7},"message":"no such file"}`)
	for _, c := range []struct {
		name string
		call core.Call
		tool tool
		want core.ToolResult
		says string
	}{
		{"an unknown tool", call("a", "clac", "x"), says("calc", ""), core.ToolResult{Status: core.ToolNotFound, Code: core.ToolCodeNotFound}, "calc"},
		{"arguments that are no JSON", core.Call{ID: "a", Tool: "calc", Args: json.RawMessage(`{"prompt":`)}, says("calc", ""), core.ToolResult{Status: core.ToolValidationError, Code: core.ToolCodeInvalidInput}, "JSON object"},
		{"arguments that do not fit", core.Call{ID: "a", Tool: "calc", Args: json.RawMessage(`{"q":1}`)}, says("calc", ""), core.ToolResult{Status: core.ToolValidationError, Code: core.ToolCodeInvalidInput}, "prompt"},
		{"a panic", call("a", "panics", "x"), panics, core.ToolResult{Status: core.ToolError, Code: core.ToolCodeExecutionFailed}, "boom"},
		{"a tool that hangs", call("a", "hangs", "x"), hangs, core.ToolResult{Status: core.ToolError, Code: core.ToolCodeTimeout}, "1ms"},
		{"a promise of SACP that is broken", call("a", "broken", "x"), broken, core.ToolResult{Status: core.ToolError, Code: core.ToolCodeMalformedResponse}, ""},
		{"a failure in SACP", call("a", "failing", "x"), failing, core.ToolResult{Status: core.ToolError, Code: core.ToolCodeExecutionFailed}, "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := llmtest.New(t, llmtest.Turn{Calls: []core.Call{c.call}}, llmtest.Turn{Text: reply("went on")})
			s := newStage(t, model, c.tool)
			if c.tool.spec.Name == "hangs" {
				s.cfg.ToolTimeout = time.Millisecond
			}
			result, err := s.run("go")
			if err != nil || result.Reply.Message != "went on" {
				t.Fatalf("got %+v, %v", result, err)
			}
			s.events()
			got := model.Requests()[1].Messages[2].Result
			if got.Status != c.want.Status || got.Code != c.want.Code || !strings.Contains(got.Text, c.says) {
				t.Errorf("the model read %+v, want %+v with %q", got, c.want, c.says)
			}
		})
	}
}

func TestAnExpertsSACPAnswerIsReadAndAPlainOneIsTakenAsItIs(t *testing.T) {
	structured := says("calc", `{"thought":"t","status":"success","data":{"result":2},"message":"2"}`)
	structured.spec.SACP = true
	model := llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{call("a", "calc", "x"), call("b", "plain", "x")}},
		llmtest.Turn{Text: reply("done")},
	)
	s := newStage(t, model, structured, says("plain", "just {text}"))
	if _, err := s.run("go"); err != nil {
		t.Fatal(err)
	}
	messages := model.Requests()[1].Messages
	if r := messages[2].Result; r.Reply == nil || r.Text != "2" || fmt.Sprint(r.Data["result"]) != "2" {
		t.Errorf("got %+v", r)
	}
	if r := messages[3].Result; r.Reply != nil || r.Text != "just {text}" {
		t.Errorf("got %+v", r)
	}
}

func TestAnAnswerThatIsNotSACPIsAskedForOnceMoreWithTheSchema(t *testing.T) {
	model := llmtest.New(t, llmtest.Turn{Text: "It is two."}, llmtest.Turn{Text: reply("It is two.")})
	s := newStage(t, model)
	result, err := s.run("1+1?")
	if err != nil || result.Reply.Message != "It is two." {
		t.Fatalf("got %+v, %v", result, err)
	}
	if second := model.Requests()[1]; len(second.Schema) == 0 || len(second.Tools) != 0 {
		t.Error("the second request has no schema, or tools beside it")
	}
	s.events()
}

func TestAnAnswerThatStaysUnreadableIsWrapped(t *testing.T) {
	s := newStage(t, llmtest.New(t, llmtest.Turn{Text: "prose"}, llmtest.Turn{Text: "more prose"}))
	result, err := s.run("1+1?")
	if err != nil {
		t.Fatal(err)
	}
	want := core.Reply{
		Thought: "System Note: LLM failed to provide structured JSON output.", Status: core.StatusFailure,
		Data: map[string]any{"raw_output": "more prose"}, Message: "The LLM returned an invalid response format.",
	}
	if diff := cmp.Diff(want, result.Reply); diff != "" {
		t.Errorf("reply (-want +got)\n%s", diff)
	}
	s.events()
}

func TestHowOftenAnUnreadableAnswerIsAskedForAgainCanBeChosen(t *testing.T) {
	for reAsks, requests := range map[int]int{-1: 1, 0: 2, 2: 3} {
		turns := make([]llmtest.Turn, requests)
		for i := range turns {
			turns[i].Text = fmt.Sprint("prose ", i)
		}
		s := newStage(t, llmtest.New(t, turns...))
		s.cfg.ReAsks = reAsks
		result, err := s.run("1+1?")
		if err != nil || result.Reply.Data["raw_output"] != fmt.Sprint("prose ", requests-1) {
			t.Errorf("%d: got %+v, %v", reAsks, result.Reply, err)
		}
		s.events()
	}
}

func TestAFailedStreamIsSentAgainAndItsTextIsReplaced(t *testing.T) {
	down := &core.Error{Code: core.CodeUnreachable, Message: "the connection was cut"}
	s := newStage(t, llmtest.New(t, llmtest.Turn{Text: `{"thought":"half`, Err: down}, llmtest.Turn{Text: reply("whole")}))
	result, err := s.run("go")
	if err != nil || result.Reply.Message != "whole" {
		t.Fatalf("got %+v, %v", result, err)
	}
	var starts []string
	for _, e := range s.events() {
		if b, ok := e.Body.(core.LLMCallStart); ok {
			starts = append(starts, b.Call)
		}
	}
	if len(starts) != 2 || starts[0] == starts[1] {
		t.Errorf("got the requests %q, want two of different names", starts)
	}
}

func TestAModelThatSaysNothingFailsAfterThreeTries(t *testing.T) {
	s := newStage(t, llmtest.New(t, llmtest.Turn{}, llmtest.Turn{Text: " \n"}, llmtest.Turn{}))
	_, err := s.run("go")
	if core.CodeOf(err) != core.CodeModelBehavior || core.HintOf(err) == "" {
		t.Errorf("got %v with hint %q", err, core.HintOf(err))
	}
	s.events()
}

func TestAModelThatThinksForEverIsStopped(t *testing.T) {
	s := newStage(t, forever{llm.Chunk{Thinking: strings.Repeat("hm ", 1<<19)}})
	s.cfg.Backoff.Attempts = 1
	if _, err := s.run("go"); core.CodeOf(err) != core.CodeModelBehavior {
		t.Errorf("got %v", err)
	}
	s.events()
}

func TestAnAnswerThatWasFoundBeforeTheCancelIsKept(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	answers := tool{core.ToolSpec{Name: "heron"}, func(context.Context, core.Call) (core.ToolResult, error) {
		return core.ToolResult{Status: core.ToolSuccess, Text: "Fish."}, nil
	}}
	s := newStage(t, nil)
	s.cfg.Sink = sink(func(scope core.Scope, b core.Body) core.Event {
		if _, ok := b.(core.FinalOutput); ok {
			cancel()
		}
		return s.bus.Emit(scope, b)
	})
	result, err := agent.AsRunner(answers, s.cfg).Run(ctx, s.input("go"))
	if err != nil || result.Reply.Message != "Fish." {
		t.Fatalf("got %+v, %v", result, err)
	}
	messages, err := s.journal.Messages(t.Context(), thread)
	if err != nil || messages[len(messages)-1].Reply == nil {
		t.Errorf("the answer that was shown is not stored: %+v, %v", messages, err)
	}
	s.events()
}

// sink is a Sink made of a function.
type sink func(core.Scope, core.Body) core.Event

func (f sink) Emit(s core.Scope, b core.Body) core.Event { return f(s, b) }

func TestAnErrorThatCannotPassEndsTheRunAtOnce(t *testing.T) {
	missing := &core.Error{Code: core.CodeNoModel, Message: "no such model", Hint: "pull it"}
	s := newStage(t, llmtest.New(t, llmtest.Turn{Err: missing}))
	_, err := s.run("go")
	if core.CodeOf(err) != core.CodeNoModel {
		t.Errorf("got %v", err)
	}
	events := s.events()
	end := events[len(events)-1].Body.(core.RunEnd)
	if end.Outcome != "error" || end.Code != core.CodeNoModel || end.Hint != "pull it" {
		t.Errorf("got %+v", end)
	}
}

func TestAModelThatAsksTheSameForEverEndsWithWhatWasFound(t *testing.T) {
	model := llmtest.New(t, llmtest.Forever(llmtest.Turn{Calls: []core.Call{call("", "calc", "1+1")}}))
	s := newStage(t, model, says("calc", "2"))
	result, err := s.run("1+1?")
	if core.CodeOf(err) != core.CodeMaxTurns || result.Turns != 10 {
		t.Fatalf("got %d turns, %v", result.Turns, err)
	}
	if !strings.Contains(result.Reply.Message, "**calc**: 2") || result.Reply.Status != core.StatusFailure {
		t.Errorf("got %+v", result.Reply)
	}
	last := model.Requests()[9]
	if !last.NoCalls || !strings.Contains(last.System, "last turn") {
		t.Error("the model was not told that it was the last turn")
	}
	if len(model.Requests()) != 10 {
		t.Errorf("got %d requests, want 10", len(model.Requests()))
	}
	events := s.events()
	if end := events[len(events)-1].Body.(core.RunEnd); end.Outcome != "interrupted" {
		t.Errorf("got %+v", end)
	}
}

func TestAModelThatIsSilentOnTheLastTurnLosesNothingOfWhatWasFound(t *testing.T) {
	asks := llmtest.Turn{Calls: []core.Call{call("a", "calc", "1+1")}}
	s := newStage(t, llmtest.New(t, asks, llmtest.Turn{}, llmtest.Turn{}, llmtest.Turn{}), says("calc", "2"))
	s.cfg.MaxTurns = 2
	result, err := s.run("1+1?")
	if core.CodeOf(err) != core.CodeMaxTurns || !strings.Contains(result.Reply.Message, "**calc**: 2") {
		t.Errorf("got %+v, %v", result.Reply, err)
	}
	s.events()
}

func TestAnAnswerOnTheLastTurnIsShownAsInterrupted(t *testing.T) {
	s := newStage(t, llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{call("a", "calc", "1+1")}},
		llmtest.Turn{Text: reply("as far as I got")},
	), says("calc", "2"))
	s.cfg.MaxTurns = 2
	result, err := s.run("go")
	if core.CodeOf(err) != core.CodeTurnLimit || result.Reply.Message != "as far as I got" {
		t.Errorf("got %+v, %v", result, err)
	}
	s.events()
}

func TestARunThatRanOutOfTurnsGoesOnFromWhatWasFound(t *testing.T) {
	model := llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{call("a", "calc", "1+1")}},
		llmtest.Turn{Text: reply("as far as I got")},
		llmtest.Turn{Calls: []core.Call{call("b", "calc", "2+2")}},
		llmtest.Turn{Text: reply("all of it")},
	)
	s := newStage(t, model, says("calc", "2"))
	s.cfg.MaxTurns = 2
	in := s.input("go")
	if _, err := agent.New(s.cfg).Run(t.Context(), in); core.CodeOf(err) != core.CodeTurnLimit {
		t.Fatalf("got %v", err)
	}
	s.events()
	var err error
	if in.Messages, err = s.journal.Messages(t.Context(), thread); err != nil {
		t.Fatal(err)
	}
	s.cfg.MaxTurns = 3
	result, err := agent.New(s.cfg).Run(t.Context(), in)
	if err != nil || result.Reply.Message != "all of it" || result.Turns != 4 {
		t.Errorf("got %+v, %v", result, err)
	}
	for _, m := range model.Requests()[2].Messages {
		if m.Reply != nil {
			t.Error("the model was shown the answer that it gave for want of turns")
		}
	}
	if n := len(model.Requests()[2].Messages); n != 3 {
		t.Errorf("the model was shown %d messages, want the question, the call and its result", n)
	}
	again := s.events()
	start, ok := again[0].Body.(core.RunStart)
	if !ok || !start.Resumed {
		t.Errorf("got %+v", again[0])
	}
}

func TestTheUserMayStopAfterTheRunningCalls(t *testing.T) {
	s := newStage(t, llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "calc", "1+1")}}), says("calc", "2"))
	in := s.input("go")
	asked := 0
	in.Steer = func() core.Steer { asked++; return core.Steer{Stop: asked > 1} }
	_, err := agent.New(s.cfg).Run(t.Context(), in)
	if core.CodeOf(err) != core.CodeStopped {
		t.Errorf("got %v", err)
	}
	s.events()
}

func TestACancelDoesNotWaitForADeafTool(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	deaf := tool{core.ToolSpec{Name: "deaf"}, func(context.Context, core.Call) (core.ToolResult, error) {
		cancel()
		<-release
		return core.ToolResult{Status: core.ToolSuccess, Text: "too late"}, nil
	}}
	s := newStage(t, llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "deaf", "x")}}), deaf)
	_, err := agent.New(s.cfg).Run(ctx, s.input("go"))
	if core.CodeOf(err) != core.CodeCancelled {
		t.Fatalf("got %v", err)
	}
	s.events()
	messages, err := s.journal.Messages(t.Context(), thread)
	if err != nil {
		t.Fatal(err)
	}
	if last := messages[len(messages)-1]; last.CallID != "a" || last.Result.Code != core.ToolCodeCancelled {
		t.Errorf("the history ends with %+v, want the cancelled call", last)
	}
}

func TestACancelWhileTheModelWritesEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, llmtest.New(t, llmtest.Turn{Text: "{", Hang: true}))
		in := s.input("go")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := agent.New(s.cfg).Run(ctx, in)
			done <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-done; core.CodeOf(err) != core.CodeCancelled {
			t.Errorf("got %v", err)
		}
		s.events()
	})
}

// A journal that dies before the n-th Put, as a kill -9 would.
type mortal struct {
	*storetest.Memory
	mu   sync.Mutex
	left int
}

var errKilled = errors.New("killed")

func (m *mortal) Put(ctx context.Context, rows ...core.Row) error {
	m.mu.Lock()
	m.left--
	dead := m.left < 0
	m.mu.Unlock()
	if dead {
		return errKilled
	}
	return m.Memory.Put(ctx, rows...)
}

func TestARunThatWasCutOffAnywhereGoesOnWithoutRepeatingAFinishedCall(t *testing.T) {
	for steps := range 5 {
		t.Run(fmt.Sprint("after step ", steps), func(t *testing.T) {
			var mu sync.Mutex
			calls := map[string]int{}
			finished := map[string]bool{}
			counts := func(name string) tool {
				return tool{core.ToolSpec{Name: name}, func(context.Context, core.Call) (core.ToolResult, error) {
					mu.Lock()
					defer mu.Unlock()
					if finished[name] {
						t.Errorf("%s was called again", name)
					}
					calls[name]++
					return core.ToolResult{Status: core.ToolSuccess, Text: name}, nil
				}}
			}
			asks := llmtest.Turn{Calls: []core.Call{call("a", "one", "x"), call("b", "two", "x")}}
			s := newStage(t, &replay{turns: []llmtest.Turn{asks, {Text: reply("done")}}, t: t}, counts("one"), counts("two"))
			s.cfg.MaxParallel = 1
			in := s.input("go")
			s.cfg.Journal = &mortal{Memory: s.journal, left: steps}
			_, err := agent.New(s.cfg).Run(t.Context(), in)
			if steps < 4 && !errors.Is(err, errKilled) {
				t.Fatalf("got %v, want to be killed", err)
			}
			messages, err := s.journal.Messages(t.Context(), thread)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range messages {
				if m.Role == core.RoleTool {
					finished[m.Name] = true
				}
			}
			s.cfg.Journal = s.journal
			in.Messages = messages // the input may be made again from what is stored
			result, err := agent.New(s.cfg).Run(t.Context(), in)
			if err != nil || result.Reply.Message != "done" {
				t.Fatalf("got %+v, %v", result, err)
			}
			if calls["one"] == 0 || calls["two"] == 0 {
				t.Errorf("got the calls %v", calls)
			}
		})
	}
}

// replay is a model that answers by what it is shown: calls while there are no
// results, then the text.
type replay struct {
	t     *testing.T
	turns []llmtest.Turn
}

func (r *replay) Name() string { return "replay" }

func (r *replay) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	turn := r.turns[0]
	for _, m := range req.Messages {
		if m.Role == core.RoleTool {
			turn = r.turns[1]
		}
	}
	return llmtest.New(r.t, turn).Stream(ctx, req)
}

func TestAHistoryThatWasCutOffIsCompletedForTheModel(t *testing.T) {
	model := llmtest.New(t, llmtest.Turn{Text: reply("ok")})
	s := newStage(t, model)
	in := s.input("and now?")
	old := core.Message{ID: "old", Run: "old run", Role: core.RoleAssistant, Calls: []core.Call{call("z", "calc", "1")}}
	in.Messages = append([]core.Message{{ID: "q", Run: "old run", Role: core.RoleUser, Text: "before"}, old}, in.Messages...)
	if _, err := agent.New(s.cfg).Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	messages := model.Requests()[0].Messages
	if len(messages) != 4 || messages[2].Role != core.RoleTool || messages[2].CallID != "z" {
		t.Errorf("the model saw %+v", messages)
	}
}

func TestStoredResultsStandInTheOrderOfTheirCalls(t *testing.T) {
	model := llmtest.New(t, llmtest.Turn{Text: reply("ok")})
	s := newStage(t, model)
	in := s.input("and now?")
	result := func(id string) core.Message {
		return core.Message{ID: "r" + id, Run: "old run", Role: core.RoleTool, CallID: id, Result: &core.ToolResult{Status: core.ToolSuccess, Text: id}}
	}
	in.Messages = append([]core.Message{
		{ID: "q", Run: "old run", Role: core.RoleUser, Text: "before"},
		{ID: "old", Run: "old run", Role: core.RoleAssistant, Calls: []core.Call{call("a", "calc", "1"), call("b", "clock", "2")}},
		result("b"), result("a"),
		{ID: "end", Run: "old run", Role: core.RoleAssistant, Text: reply("it was")},
	}, in.Messages...)
	if _, err := agent.New(s.cfg).Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	messages := model.Requests()[0].Messages
	if len(messages) != 6 || messages[2].CallID != "a" || messages[3].CallID != "b" || messages[4].ID != "end" {
		t.Errorf("the model saw %+v", messages)
	}
}

func TestAnExpertAskedDirectlyAnswersWithoutAModel(t *testing.T) {
	s := newStage(t, nil)
	heron := says("heron", "Fish.")
	heron.call = func(_ context.Context, c core.Call) (core.ToolResult, error) {
		if len(c.Context) != 0 {
			t.Errorf("the expert reads its question twice: %+v", c.Context)
		}
		return core.ToolResult{Status: core.ToolSuccess, Text: "Fish."}, nil
	}
	runner := agent.AsRunner(heron, s.cfg)
	in := s.input("what do you eat?")
	result, err := runner.Run(t.Context(), in)
	if err != nil || result.Reply.Message != "Fish." || result.Reply.Status != core.StatusSuccess {
		t.Errorf("got %+v, %v", result, err)
	}
	s.events()
	again, err := runner.Run(t.Context(), in)
	if err != nil || again.Reply.Message != "Fish." {
		t.Errorf("a run that has ended returned %+v, %v", again, err)
	}
}

func TestAQuestionThatNobodyCanTakeIsStillARun(t *testing.T) {
	s := newStage(t, nil)
	gone := &core.Error{Code: core.CodeNotFound, Message: "nobody", Hint: "type /experts"}
	_, err := agent.Failed(gone, s.cfg).Run(t.Context(), s.input("hi"))
	if !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
	s.events()
}

// BenchmarkTenTurns is a run of ten turns with a scripted model and one tool:
// ns/turn is the cost of the loop. In memory nothing is kept; durable is the
// same on disk, where a turn is two commits.
func BenchmarkTenTurns(b *testing.B) {
	b.Run("memory", func(b *testing.B) {
		benchmarkTurns(b, core.Forget{}, func(string) error { return nil })
	})
	b.Run("durable", func(b *testing.B) {
		kept, err := store.Open(b.Context(), b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		ctx, cancel := context.WithCancel(b.Context())
		done := make(chan error)
		go func() { done <- kept.Run(ctx) }()
		defer func() {
			cancel()
			if err := errors.Join(<-done, kept.Close()); err != nil {
				b.Error(err)
			}
		}()
		if err := kept.Put(b.Context(), core.Session{ID: "session"}, core.Thread{ID: thread, Session: "session"}); err != nil {
			b.Fatal(err)
		}
		benchmarkTurns(b, kept, func(run string) error {
			return kept.Put(b.Context(), core.RunRow{ID: run, Thread: thread, State: core.RunRunning, Runner: "agent/yaap", Time: time.Now()})
		})
	})
}

func benchmarkTurns(b *testing.B, journal core.Journal, begin func(run string) error) {
	asks := llm.Chunk{Calls: []core.Call{call("", "calc", "1+1")}}
	s := newStage(b, forever{asks}, says("calc", "2"))
	s.feed.Close()
	s.cfg.Journal = journal
	a := agent.New(s.cfg)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		in := core.Input{
			Scope:    core.Scope{Thread: thread, Run: fmt.Sprint("run", n)},
			Messages: []core.Message{{ID: "q", Role: core.RoleUser, Text: "go"}},
		}
		if err := begin(in.Run); err != nil {
			b.Fatal(err)
		}
		if _, err := a.Run(b.Context(), in); core.CodeOf(err) != core.CodeMaxTurns {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n)/10, "ns/turn")
}

// forever always answers the same.
type forever struct{ chunk llm.Chunk }

func (forever) Name() string { return "forever" }

func (f forever) Stream(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		c := f.chunk
		c.Calls = append([]core.Call(nil), c.Calls...)
		for f.chunk.Thinking != "" { // it only thinks
			if !yield(c, nil) {
				return
			}
		}
		if yield(c, nil) {
			yield(llm.Chunk{Done: &llm.Done{Reason: llm.ReasonCalls}}, nil)
		}
	}
}
