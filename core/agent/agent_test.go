package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/must"
)

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
	half := says("half", `{"status":"success","data":{`)
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
		{"a promise of SACP that is broken", call("a", "broken", "x"), broken, core.ToolResult{Status: core.ToolError, Code: core.ToolCodeMalformedResponse}, "the answer of broken cannot be read: there is no JSON object"},
		{"an answer that is cut off before it says anything", call("a", "half", "x"), half, core.ToolResult{Status: core.ToolError, Code: core.ToolCodeMalformedResponse}, ""},
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

func TestADefaultIsFilledInForWhatACallLacksAndItsToolRequires(t *testing.T) {
	shot := says("shot", "taken")
	shot.spec.Schema = json.RawMessage(`{"properties":{"scale":{"type":"string","default":"css"}},"required":["scale"]}`)
	var given string
	shot.call = func(_ context.Context, c core.Call) (core.ToolResult, error) {
		given = string(c.Args)
		return core.ToolResult{Status: core.ToolSuccess, Text: "taken"}, nil
	}
	s := newStage(t, llmtest.New(t, llmtest.Turn{Calls: []core.Call{{ID: "a", Tool: "shot", Args: json.RawMessage(`{}`)}}}, llmtest.Turn{Text: reply("went on")}), shot)
	if _, err := s.run("go"); err != nil || given != `{"scale":"css"}` {
		t.Errorf("it was given %s, %v", given, err)
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
	s := newStage(t, forever(strings.Repeat("hm ", 1<<19)))
	s.cfg.Backoff.Attempts = 1
	if _, err := s.run("go"); core.CodeOf(err) != core.CodeModelBehavior {
		t.Errorf("got %v", err)
	}
	s.events()
}

func TestAModelThatAsksForEverEndsWithWhatWasFound(t *testing.T) {
	var turns []llmtest.Turn
	for i := range 10 {
		turns = append(turns, llmtest.Turn{Calls: []core.Call{call("", "calc", fmt.Sprint("1+", i))}})
	}
	model := llmtest.New(t, turns...)
	s := newStage(t, model, says("calc", "2"))
	result, err := s.run("1+1?")
	if core.CodeOf(err) != core.CodeMaxTurns || result.Turns != 10 {
		t.Fatalf("got %d turns, %v", result.Turns, err)
	}
	if !strings.Contains(result.Reply.Message, "**calc**: 2") || result.Reply.Status != core.StatusFailure {
		t.Errorf("got %+v", result.Reply)
	}
	last := model.Requests()[9]
	if !last.NoCalls || !strings.Contains(last.Now, "last turn") {
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

func TestTheUserMayStopAfterTheRunningCalls(t *testing.T) {
	s := newStage(t, llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "calc", "1+1")}}), says("calc", "2"))
	in := s.input("go")
	asked := 0
	in.Steer = func() core.RunControl { asked++; return core.RunControl{Stop: asked > 1} }
	_, err := agent.New(s.cfg).Run(t.Context(), in)
	if core.CodeOf(err) != core.CodeStopped {
		t.Errorf("got %v", err)
	}
	s.events()
}

func TestWhatTheUserSaysWhileARunGoesOnIsInItsNextRequestAndInThoseAfterARestart(t *testing.T) {
	said := make(chan core.Message, 1)
	slow := tool{core.ToolSpec{Name: "slow", Owner: "slow"}, func(context.Context, core.Call) (core.ToolResult, error) {
		said <- core.Message{ID: "more", Text: "and in euros"}
		return core.ToolResult{Status: core.ToolSuccess, Text: "12 dollars"}, nil
	}}
	model := llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "slow", "price")}},
		llmtest.Turn{Calls: []core.Call{call("b", "slow", "rate")}}, llmtest.Turn{Text: reply("done")})
	s := newStage(t, model, slow)
	in := s.input("the price?")
	in.Said = func() []core.Message {
		select {
		case m := <-said:
			return []core.Message{m}
		default:
			return nil
		}
	}
	s.cfg.MaxTurns = 2
	_, err := agent.New(s.cfg).Run(t.Context(), in)
	if core.CodeOf(err) != core.CodeTurnLimit && core.CodeOf(err) != core.CodeMaxTurns {
		t.Fatalf("got %v", err)
	}
	in.Said = nil
	in.Messages = must.Get(s.journal.Messages(t.Context(), thread))(t)
	_, err = agent.New(s.cfg).Run(t.Context(), in)
	must.Do(t, err)
	for i, request := range model.Requests()[1:] {
		var steers []string
		for _, m := range request.Messages {
			if m.Steers() {
				steers = append(steers, m.Text)
			}
		}
		if len(steers) == 0 || steers[0] != "and in euros" {
			t.Errorf("request %d is given %q", i+2, steers)
		}
	}
	told := slices.ContainsFunc(s.events(), func(e core.Event) bool {
		b, ok := e.Body.(core.Steered)
		return ok && b == core.Steered{ID: "more", Text: "and in euros"} && e.Turn == 2
	})
	if !told {
		t.Error("no event tells of it")
	}
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

var errKilled = errors.New("killed")

// forever thinks, always the same.
type forever string

func (forever) Name() string { return "forever" }

func (f forever) Stream(context.Context, llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for yield(llm.Chunk{Thinking: string(f)}, nil) {
		}
	}
}
