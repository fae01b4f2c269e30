package agent_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

// named is a model under another name.
type named struct {
	llm.Model
	name string
}

func (n named) Name() string { return n.name }

func TestTheNextModelAnswersWhenOneFailsForGood(t *testing.T) {
	missing := &core.Error{Code: core.CodeNoModel, Message: "no such model", Hint: "pull it"}
	first := llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "calc", "1")}}, llmtest.Turn{Text: "half an ans", Err: missing})
	second := llmtest.New(t, llmtest.Turn{Err: errors.New("not here either")})
	third := llmtest.New(t, llmtest.Turn{Text: reply("It is 2.")})
	s := newStage(t, first, says("calc", "2"))
	s.cfg.Fallbacks = []llm.Model{named{second, "second"}, named{third, "third"}}
	result, err := s.run("1+1?")
	if err != nil || result.Reply.Message != "It is 2." {
		t.Fatalf("got %+v, %v", result, err)
	}
	var got []core.Fallback
	for _, e := range s.events() {
		if b, ok := e.Body.(core.Fallback); ok {
			got = append(got, b)
		}
	}
	want := []core.Fallback{
		{From: "script", To: "second", Reason: missing.Error()},
		{From: "second", To: "third", Reason: "not here either"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fallbacks (-want +got)\n%s", diff)
	}
	messages, err := s.journal.Messages(t.Context(), thread)
	if err != nil || messages[len(messages)-1].Model != "third" {
		t.Errorf("the answer is stored as %q's, %v", messages[len(messages)-1].Model, err)
	}
}

func TestWhenEveryModelFailsTheLastOneSaysWhy(t *testing.T) {
	s := newStage(t, llmtest.New(t, llmtest.Turn{Err: errors.New("first")}))
	s.cfg.Fallbacks = []llm.Model{named{llmtest.New(t, llmtest.Turn{Err: &core.Error{Code: core.CodeNoModel, Message: "second"}}), "second"}}
	if _, err := s.run("1+1?"); core.CodeOf(err) != core.CodeNoModel {
		t.Errorf("got %v", err)
	}
	s.events()
}

func TestTheModelOfAnAgentThatFailsLeavesTheOthersTheirs(t *testing.T) {
	own := llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{handTo("a", "far", "look at it")}},
		llmtest.Turn{Text: reply("It is far.")},
		llmtest.Turn{Text: reply("Far says so.")},
	)
	away := &core.Error{Code: core.CodeNoModel, Message: "away"}
	s := newStage(t, own)
	s.cfg.Fallbacks = []llm.Model{named{llmtest.New(t), "spare"}}
	s.cfg.Peers = func() []agent.Peer {
		return []agent.Peer{{Name: "far", Prompt: "You are far.", Model: named{llmtest.New(t, llmtest.Turn{Err: away}), "away"}}}
	}
	result, err := s.run("go")
	if err != nil || result.Reply.Message != "Far says so." {
		t.Fatalf("got %+v, %v", result, err)
	}
	var got []core.Fallback
	for _, e := range s.events() {
		if b, ok := e.Body.(core.Fallback); ok {
			got = append(got, b)
		}
	}
	if diff := cmp.Diff([]core.Fallback{{From: "away", To: "script", Reason: away.Error()}}, got); diff != "" {
		t.Errorf("fallbacks (-want +got)\n%s", diff)
	}
}
