package agent_test

import (
	"context"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

// results are the stored results of calls, by the name of the tool.
func (s *stage) results() map[string]*core.ToolResult {
	s.t.Helper()
	messages, err := s.journal.Messages(s.t.Context(), thread)
	if err != nil {
		s.t.Fatal(err)
	}
	stored := map[string]*core.ToolResult{}
	for _, m := range messages {
		if m.Role == core.RoleTool {
			stored[m.Name] = m.Result
		}
	}
	return stored
}

func TestAnAnswerThatWasThereBeforeTheCancelIsKept(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := newStage(t, llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "writer", "x")}}), says("writer", "it is written"))
	s.cfg.Sink = sink(func(scope core.Scope, b core.Body) core.Event {
		if _, ok := b.(core.ToolCallEnd); ok {
			cancel()
		}
		return s.bus.Emit(scope, b)
	})
	if _, err := agent.New(s.cfg).Run(ctx, s.input("go")); core.CodeOf(err) != core.CodeCancelled {
		t.Fatalf("got %v", err)
	}
	if got := s.results()["writer"]; got == nil || got.Text != "it is written" {
		t.Errorf("the history knows %+v", got)
	}
}

// unstorable is a journal that cannot store the first result of a call.
type unstorable struct {
	core.Journal
	failed bool
}

func (u *unstorable) Put(ctx context.Context, rows ...core.Row) error {
	for _, row := range rows {
		if m, ok := row.(core.MessageRow); ok && m.Message.Role == core.RoleTool && !u.failed {
			u.failed = true
			return &core.Error{Code: core.CodeInternal, Message: "the disk is full"}
		}
	}
	return u.Journal.Put(ctx, rows...)
}

func TestACallThatEndsBecauseAnotherCannotBeStoredHasNoResult(t *testing.T) {
	slow := tool{core.ToolSpec{Name: "slow"}, func(ctx context.Context, _ core.Call) (core.ToolResult, error) {
		<-ctx.Done()
		return core.ToolResult{}, ctx.Err()
	}}
	s := newStage(t, llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "slow", "x"), call("b", "quick", "x")}}), slow, says("quick", "done"))
	in := s.input("go")
	s.cfg.Journal = &unstorable{Journal: s.journal}
	if _, err := agent.New(s.cfg).Run(t.Context(), in); core.CodeOf(err) != core.CodeInternal {
		t.Fatalf("got %v", err)
	}
	if got := s.results()["slow"]; got != nil {
		t.Errorf("nobody cancelled the call, and the history knows %+v", got)
	}
}
