package agent_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

// asksBelow is a stage whose agent calls another one, which calls calc.
func asksBelow(t *testing.T, below agent.EventDetail) *stage {
	s := newStage(t, llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "counter", "how many?")}}, llmtest.Turn{Text: reply("Three.")}))
	cfg := s.cfg
	cfg.Name, cfg.Sink = "counter", below.Sink(s.bus)
	cfg.Model = llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("b", "calc", "1+2")}}, llmtest.Turn{Text: reply("3")})
	cfg.Tools = &box{tools: []core.Tool{says("calc", "3")}}
	s.cfg.Tools = &box{tools: []core.Tool{agent.AsTool(core.ToolSpec{Name: "counter"}, agent.New(cfg), "agent/counter", s.cfg)}}
	return s
}

func TestOfARunBelowAsMuchIsReportedAsIsWanted(t *testing.T) {
	models := []string{"llm_call_start", "llm_call_end", "token_usage", "llm_call_start", "llm_call_end", "token_usage"}
	for below, want := range map[agent.EventDetail][]string{
		agent.ReportNone:    models,
		agent.ReportSummary: slices.Concat([]string{"run_start"}, models, []string{"final_output", "run_end"}),
	} {
		s := asksBelow(t, below)
		if _, err := s.run("how many?"); err != nil {
			t.Fatal(err)
		}
		var told []core.Event
		for _, e := range s.feed.Pending() {
			if e.Depth == 1 {
				told = append(told, e)
				if e.Parent != runID || e.Trace != runID {
					t.Errorf("%s belongs to %s of %s", e.Type(), e.Parent, e.Trace)
				}
			}
		}
		if got := types(told); !slices.Equal(got, want) {
			t.Errorf("of %s is told %q, want %q", below, got, want)
		}
		saved, err := s.journal.Load(t.Context(), runID+"/a")
		if err != nil || len(saved.Messages) != 4 {
			t.Errorf("its history has %d messages, %v", len(saved.Messages), err)
		}
	}
	s := asksBelow(t, agent.ReportAll)
	if _, err := s.run("how many?"); err != nil {
		t.Fatal(err)
	}
	if told := types(s.feed.Pending()); !slices.Contains(told, "tool_call_start") || len(told) < 40 {
		t.Errorf("of all is told %q", told)
	}
}

func TestWhatTheUserIsAskedBelowIsReportedWhateverIsWanted(t *testing.T) {
	var told []string
	quiet := agent.ReportNone.Sink(sink(func(_ core.Scope, b core.Body) core.Event {
		e := core.Event{Seq: 1, Body: b}
		told = append(told, e.Type())
		return e
	}))
	for _, b := range []core.Body{
		core.ApprovalRequested{}, core.ApprovalGiven{}, core.ClarificationRequested{}, core.ClarificationProvided{}, core.GuardrailViolation{}, core.Fallback{}, core.TurnStart{}, core.Delta{},
	} {
		quiet.Emit(core.Scope{}, b)
	}
	if got := strings.Join(told, " "); got != "approval_requested approval_given clarification_requested clarification_provided guardrail_violation fallback" {
		t.Errorf("told is %s", got)
	}
}

func TestAgentsThatAskOneAnotherComeToAnEnd(t *testing.T) {
	deepest := 0
	s := newStage(t, nil)
	tools := &box{}
	s.cfg.Tools = tools
	s.cfg.ModelFor = func() llm.Model {
		return llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "other", "and you?")}}, llmtest.Turn{Text: reply("nothing")})
	}
	other := agent.New(s.cfg)
	tools.add(agent.AsTool(core.ToolSpec{Name: "other"}, child(func(ctx context.Context, in core.Input) (core.Result, error) {
		deepest = max(deepest, in.Depth)
		return other.Run(ctx, in)
	}), "agent/other", s.cfg))
	if _, err := s.run("who knows it?"); err != nil || deepest != 5 {
		t.Errorf("they asked %d deep, %v", deepest, err)
	}
}

func TestAgentsThatAskSeveralOthersAtATimeComeToAnEnd(t *testing.T) {
	var runs atomic.Int32
	s := newStage(t, nil)
	tools := &box{}
	s.cfg.Tools = tools
	s.cfg.ModelFor = func() llm.Model {
		var turns []llmtest.Turn
		for i := range 9 {
			id := strconv.Itoa(i)
			turns = append(turns, llmtest.Turn{Calls: []core.Call{call("a"+id, "other", "and you, "+id+"?"), call("b"+id, "other", "or you, "+id+"?")}})
		}
		return llmtest.New(t, append(turns, llmtest.Turn{Text: reply("nothing")})...)
	}
	other := agent.New(s.cfg)
	tools.add(agent.AsTool(core.ToolSpec{Name: "other"}, child(func(ctx context.Context, in core.Input) (core.Result, error) {
		runs.Add(1)
		return other.Run(ctx, in)
	}), "agent/other", s.cfg))
	if _, err := s.run("who knows it?"); runs.Load() != 64 {
		t.Errorf("they made %d runs, %v", runs.Load(), err)
	}
}
