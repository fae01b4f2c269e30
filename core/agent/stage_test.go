package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/store/storetest"
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
	journal *storetest.List
	bus     *event.Bus
	feed    *event.Feed
}

func newStage(t testing.TB, model llm.Model, tools ...core.Tool) *stage {
	bus := new(event.Bus)
	s := &stage{t: t, journal: new(storetest.List), bus: bus, feed: bus.Feed()}
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
			t.Errorf("the last event is %s, want run_end", events[n-1].Type())
		}
	}
}

func types(events []core.Event) []string {
	var list []string
	for _, e := range events {
		if _, ok := e.Body.(core.Delta); !ok {
			list = append(list, e.Type())
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

// sink is a Sink made of a function.
type sink func(core.Scope, core.Body) core.Event

func (f sink) Emit(s core.Scope, b core.Body) core.Event { return f(s, b) }
