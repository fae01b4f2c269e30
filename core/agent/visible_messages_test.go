package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/yaap"

	"github.com/yaap-chat/yaap/core/hub"
)

// thinks is a reply with a thought.
func thinks(thought, message string) string {
	raw, _ := json.Marshal(core.Reply{Thought: thought, Status: core.StatusSuccess, Data: map[string]any{}, Message: message})
	return string(raw)
}

// holds says which of the secrets are anywhere in v.
func holds(t *testing.T, v any, secrets ...string) (found []string) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		if strings.Contains(string(raw), secret) {
			found = append(found, secret)
		}
	}
	return found
}

// second is a model of another name.
type second struct{ llm.Model }

func (second) Name() string { return "second" }

// eavesdrop is an expert that notes what it is told.
type eavesdrop struct {
	core.Tool
	mu    sync.Mutex
	heard []any
}

func (e *eavesdrop) Call(ctx context.Context, c core.Call) (core.ToolResult, error) {
	e.mu.Lock()
	e.heard = append(e.heard, c.Context, hub.Recent(c.Context), yaap.Event{Arguments: c.Args})
	e.mu.Unlock()
	return e.Tool.Call(ctx, c)
}

// The agent thinks A, the agent that it calls B, the one that it hands over to
// C. Thoughts are everywhere that models put them.
func TestThoughtsStayWithTheAgentThatHadThem(t *testing.T) {
	inner := llmtest.New(t, llmtest.Turn{Thinking: "B-thinking", Text: "<think>B-tag</think>" + thinks("B-thought", "B says two.")})
	peer := llmtest.New(t,
		llmtest.Turn{Thinking: "C-thinking", Text: thinks("C-beside", "I look."), Calls: []core.Call{call("c", "expert", "x")}},
		llmtest.Turn{Thinking: "C-thinking", Text: "<think>C-tag</think>" + thinks("C-thought", "C says three.")})
	outer := llmtest.New(t,
		llmtest.Turn{
			Thinking: "A-thinking", Text: "<think>A-tag</think>I ask.", Opaque: `{"signature":"A-opaque"}`,
			Calls: []core.Call{call("a", "inner", "x"), call("e", "expert", "x")},
		},
		llmtest.Turn{Thinking: "A-thinking", Text: thinks("A-beside", "I hand over."), Calls: []core.Call{handTo("h", "peer", "why")}},
		llmtest.Turn{Thinking: "A-thinking", Text: thinks("A-thought", "It is three.")})
	s := newStage(t, outer)
	cfg := s.cfg
	cfg.Name, cfg.Model = "inner", inner
	expert := says("expert", thinks("E-thought", "E says one."))
	spy := &eavesdrop{Tool: expert}
	s.cfg.Tools = &box{tools: []core.Tool{spy, agent.AsTool(core.ToolSpec{Name: "inner"}, agent.New(cfg), "agent/inner", cfg)}}
	s.cfg.Peers = func() []agent.Peer { return []agent.Peer{{Name: "peer", Model: second{peer}}} }
	if _, err := s.run("go"); err != nil {
		t.Fatal(err)
	}

	a := []string{"A-thinking", "A-tag", "A-opaque", "A-beside", "A-thought"}
	b := []string{"B-thinking", "B-tag", "B-thought"}
	c := []string{"C-thinking", "C-tag", "C-thought", "C-beside"}
	e := []string{"E-thought"}
	for name, got := range map[string][]string{
		"agent as tool":       holds(t, inner.Requests(), append(append(a, c...), e...)...),
		"who has it":          holds(t, peer.Requests(), append(append(a, b...), e...)...),
		"who gets it back":    holds(t, outer.Requests(), append(append(b, c...), e...)...),
		"an expert's context": holds(t, spy.heard, append(append(append(a, b...), c...), e...)...),
	} {
		if len(got) > 0 {
			t.Errorf("%s was told %v", name, got)
		}
	}
	if got := holds(t, outer.Requests()[1], "A-thinking", "A-opaque", "B says two."); len(got) != 3 {
		t.Errorf("the model has lost its own turn: %v", got)
	}
	if got := holds(t, outer.Requests()[2], "C says three."); len(got) != 1 {
		t.Error("what the other agent came to is not there")
	}

	// The next prompt of the conversation goes to the same agent, and to another model.
	for _, next := range []func(*llmtest.Script) llm.Model{
		func(m *llmtest.Script) llm.Model { return m },
		func(m *llmtest.Script) llm.Model { return second{m} },
	} {
		script := llmtest.New(t, llmtest.Turn{Text: thinks("", "Fine.")})
		later := newStage(t, next(script))
		messages, err := s.journal.Messages(t.Context(), thread)
		if err != nil {
			t.Fatal(err)
		}
		in := later.input("and now?")
		in.Run, in.Messages[0].Run = "later", "later"
		in.Messages = append(messages, in.Messages[0])
		if _, err := agent.New(later.cfg).Run(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if got := holds(t, script.Requests(), append(append(append(a, b...), c...), e...)...); len(got) > 0 {
			t.Errorf("a later prompt was told %v", got)
		}
		if got := holds(t, script.Requests(), "It is three."); len(got) != 1 {
			t.Error("a later prompt does not know the answer")
		}
	}
}

func TestAModelThatTakesOverIsNotToldWhatTheOtherThought(t *testing.T) {
	first := llmtest.New(t,
		llmtest.Turn{Thinking: "A-thinking", Text: "<think>A-tag</think>I ask.", Calls: []core.Call{call("e", "expert", "x")}},
		llmtest.Turn{Text: `{"thought":"A-thought","status":"maybe","message":"x"}`},
		llmtest.Turn{Err: &core.Error{Code: core.CodeNoModel, Message: "gone"}})
	script := llmtest.New(t, llmtest.Turn{Text: thinks("", "Fine.")})
	s := newStage(t, first, says("expert", "one"))
	s.cfg.Fallbacks = []llm.Model{second{script}}
	if _, err := s.run("go"); err != nil {
		t.Fatal(err)
	}
	if got := holds(t, script.Requests(), "A-thinking", "A-tag", "A-thought"); len(got) > 0 {
		t.Errorf("it was told %v", got)
	}
}

func TestTheThoughtOfAnAnswerThatCannotBeReadStaysWithItsAgent(t *testing.T) {
	for _, text := range []string{`{"thought":"B-thought","status":"maybe","message":"x"}`, "<think>B-thought</think>prose", "<think>B-thought"} {
		model := llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "inner", "x")}}, llmtest.Turn{Text: reply("done")})
		s := newStage(t, model)
		cfg := s.cfg
		cfg.Name, cfg.Model = "inner", llmtest.New(t, llmtest.Turn{Text: text}, llmtest.Turn{Text: text})
		s.cfg.Tools = &box{tools: []core.Tool{agent.AsTool(core.ToolSpec{Name: "inner", Timeout: time.Minute}, agent.New(cfg), "agent/inner", cfg)}}
		if _, err := s.run("go"); err != nil {
			t.Fatal(err)
		}
		if got := holds(t, model.Requests(), "B-thought"); len(got) > 0 {
			t.Errorf("%s: the caller was told", text)
		}
	}
}
