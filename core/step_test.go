package core_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
)

func TestEventsAreReadAsTheElevenTypesOfSteps(t *testing.T) {
	at := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	seen := map[string]bool{}
	for _, test := range []struct {
		body   core.Body
		kind   string
		status core.StepStatus
	}{
		{core.TurnStart{}, "iteration", core.StepInProgress},
		{core.BidsMade{}, "analyzing_query", core.StepCompleted},
		{core.LLMCallStart{Model: "m"}, "planning", core.StepInProgress},
		{core.ToolRequests{Calls: []core.Call{{Tool: "calc"}}}, "tool_selected", core.StepCompleted},
		{core.BeforeToolExecution{Tool: "calc"}, "tool_parameters", core.StepCompleted},
		{core.ToolCallStart{Tool: "calc"}, "tool_executing", core.StepInProgress},
		{core.ToolCallEnd{Tool: "calc", Status: core.ToolSuccess}, "tool_result", core.StepCompleted},
		{core.ToolCallEnd{Tool: "calc", Status: core.ToolError}, "tool_result", core.StepFailed},
		{core.Retry{Reason: "r"}, "broadening_search", core.StepInProgress},
		{core.OutputParse{Status: "fail", Error: "x"}, "validation_error", core.StepFailed},
		{core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Message: "secret answer"}}, "synthesis", core.StepCompleted},
		{core.AssistantMessage{Text: "I look", Calls: 1}, "log_message", core.StepCompleted},
		{core.IterationSummary{Text: "asked calc"}, "log_message", core.StepCompleted},
	} {
		got, ok := core.StepOf(core.Event{Scope: core.Scope{Run: "r", Turn: 2}, Seq: 7, Time: at, Body: test.body})
		want := core.Step{ID: "r/7", Type: test.kind, Summary: got.Summary, Status: test.status, Time: at, Iteration: 2, OfIteration: test.body == core.Body(core.IterationSummary{Text: "asked calc"})}
		if diff := cmp.Diff(want, got); !ok || diff != "" || got.Summary == "" || got.Summary == "secret answer" {
			t.Errorf("%T: %v (-want +got)\n%s", test.body, ok, diff)
		}
		seen[got.Type] = true
	}
	if len(seen) != 11 {
		t.Errorf("%d types", len(seen))
	}
	for _, none := range []core.Body{core.Delta{}, core.AssistantMessage{Text: "the answer"}, core.OutputParse{Status: "end"}} {
		if s, ok := core.StepOf(core.Event{Body: none}); ok {
			t.Errorf("%T is %+v", none, s)
		}
	}
}
