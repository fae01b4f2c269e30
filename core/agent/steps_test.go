package agent_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

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

func TestARunTellsWhichPicturesTheUserAttached(t *testing.T) {
	s := newStage(t, llmtest.New(t, llmtest.Turn{Text: reply("A heron.")}))
	in := s.input("what is it?")
	in.Messages[len(in.Messages)-1].Files = []core.File{{Name: "heron.png", Path: "gone"}}
	if _, err := agent.New(s.cfg).Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if start, ok := s.events()[0].Body.(core.RunStart); !ok || len(start.Files) != 1 || start.Files[0].Name != "heron.png" {
		t.Errorf("got %+v", start)
	}
}

// A journal that dies before the n-th Put, as a kill -9 would.
type mortal struct {
	*storetest.List
	mu   sync.Mutex
	left int
}

func (m *mortal) Put(ctx context.Context, rows ...core.Row) error {
	m.mu.Lock()
	m.left--
	dead := m.left < 0
	m.mu.Unlock()
	if dead {
		return errKilled
	}
	return m.List.Put(ctx, rows...)
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
			s.cfg.Journal = &mortal{List: s.journal, left: steps}
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
