package agent_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

func TestNoMoreCallsOfATurnRunAtTheSameTimeThanAreAllowed(t *testing.T) {
	for name, test := range map[string]struct {
		limit      int
		sequential bool
		want       int
	}{"four": {0, false, 4}, "two": {2, false, 2}, "one after the other": {0, true, 1}} {
		var mu sync.Mutex
		var running, most int
		full := make(chan struct{}) // closed when as many run as may
		var once sync.Once
		slow := tool{core.ToolSpec{Name: "slow", Sequential: test.sequential}, func(ctx context.Context, _ core.Call) (core.ToolResult, error) {
			mu.Lock()
			running++
			n := running
			most = max(most, n)
			mu.Unlock()
			defer func() {
				mu.Lock()
				defer mu.Unlock()
				running--
			}()
			if n == test.want {
				once.Do(func() { close(full) })
			}
			select {
			case <-full:
			case <-ctx.Done():
			}
			return core.ToolResult{Status: core.ToolSuccess, Text: "done"}, nil
		}}
		var calls []core.Call
		for i := range 12 {
			calls = append(calls, call(fmt.Sprint("c", i), "slow", fmt.Sprint(i)))
		}
		s := newStage(t, llmtest.New(t, llmtest.Turn{Calls: calls}, llmtest.Turn{Text: reply("done")}), slow)
		s.cfg.MaxParallel = test.limit
		if _, err := s.run("go"); err != nil {
			t.Fatal(err)
		}
		if most != test.want {
			t.Errorf("%s: %d ran at the same time", name, most)
		}
	}
}

func TestCallsThatAModelGivesOneIDAreTwo(t *testing.T) {
	var calls atomic.Int32
	count := tool{core.ToolSpec{Name: "count"}, func(context.Context, core.Call) (core.ToolResult, error) {
		return core.ToolResult{Status: core.ToolSuccess, Text: fmt.Sprint(calls.Add(1))}, nil
	}}
	model := llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{call("same", "count", "a"), call("same", "count", "b")}},
		llmtest.Turn{Calls: []core.Call{call("same", "count", "c")}},
		llmtest.Turn{Text: reply("3")})
	s := newStage(t, model, count)
	s.cfg.MaxParallel = 1
	if _, err := s.run("count"); err != nil {
		t.Fatal(err)
	}
	results := map[string]string{}
	for _, m := range model.Requests()[2].Messages {
		if m.Role == core.RoleTool {
			results[m.CallID] = m.Result.Text
		}
	}
	if calls.Load() != 3 || len(results) != 3 {
		t.Errorf("%d calls were made, with the results %v", calls.Load(), results)
	}
	s.events()
}

// Every way in which a provider can fail: what was done until then is on disk, all that
// was begun has ended, the user is told what to do, and the next prompt goes on.
func TestHoweverAModelFailsTheConversationGoesOn(t *testing.T) {
	for _, code := range []core.Code{
		core.CodeUnreachable, core.CodeTimedOut, core.CodeRateLimited, core.CodeNoModel, core.CodeContextFull, core.CodeModelBehavior,
		core.CodeCutOff, core.CodeRefused, core.CodeInvalid, core.CodeInternal,
	} {
		failed := llmtest.Turn{Text: "half an ans", Err: &core.Error{Code: code, Message: "it failed", Hint: "do this"}}
		turns := []llmtest.Turn{{Calls: []core.Call{call("a", "calc", "1+1")}}, failed}
		if core.Retryable(failed.Err) {
			turns = append(turns, failed, failed)
		}
		if code == core.CodeCutOff {
			turns = append(turns, failed)
		}
		s := newStage(t, llmtest.New(t, turns...), says("calc", "2"))
		_, err := s.run("1+1?")
		if core.CodeOf(err) != code || core.HintOf(err) != "do this" {
			t.Errorf("%s: %v (%s)", code, err, core.HintOf(err))
		}
		events := s.events()
		if end, _ := events[len(events)-1].Body.(core.RunEnd); end.Outcome != "error" || end.Code != code || end.Error != "it failed" || end.Hint != "do this" {
			t.Errorf("%s: it ends as %+v", code, end)
		}
		messages, err := s.journal.Messages(t.Context(), thread)
		if err != nil || len(messages) != 3 || messages[2].Role != core.RoleTool {
			t.Errorf("%s: %d messages are stored, %v", code, len(messages), err)
		}
		next := llmtest.New(t, llmtest.Turn{Text: reply("2")})
		s.cfg.ModelFor = func() llm.Model { return next }
		in := core.Input{Scope: core.Scope{Thread: thread, Run: "next"}, Messages: append(messages, core.Message{ID: "next", Run: "next", Role: core.RoleUser, Text: "and now?"})}
		if result, err := agent.New(s.cfg).Run(t.Context(), in); err != nil || result.Reply.Message != "2" {
			t.Errorf("%s: the next prompt is answered with %+v, %v", code, result.Reply, err)
		}
	}
}

func TestAnAnswerSaysWhichToolsItWasFoundWith(t *testing.T) {
	own := `{"thought":"","status":"success","data":{"tool_used":["mine"]},"message":"2"}`
	for want, text := range map[string]string{"map[tool_used:[calc]]": reply("2"), "map[tool_used:[mine]]": own} {
		s := newStage(t, llmtest.New(t,
			llmtest.Turn{Calls: []core.Call{call("a", "calc", "1+1"), call("b", "nobody", "1"), call("c", "calc", "2+2")}},
			llmtest.Turn{Text: text}), says("calc", "2"))
		if result, err := s.run("1+1?"); err != nil || fmt.Sprint(result.Reply.Data) != want {
			t.Errorf("got %v, %v, want %s", result.Reply.Data, err, want)
		}
	}
	s := newStage(t, llmtest.New(t, llmtest.Turn{Text: reply("2")}))
	if result, err := s.run("1+1?"); err != nil || len(result.Reply.Data) != 0 {
		t.Errorf("with no tool it has %v, %v", result.Reply.Data, err)
	}
}
