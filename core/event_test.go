package core_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

func TestEveryEventSurvivesJSON(t *testing.T) {
	scope := core.Scope{Thread: "t", Run: "r/call_1", Parent: "r", Trace: "r", Agent: "yaap", Turn: 2, Depth: 1}
	for _, body := range []core.Body{
		core.RunStart{Runner: "agent/yaap", Prompt: "hi", Resumed: true},
		core.RunEnd{Outcome: "error", Code: core.CodeMaxTurns, Error: "no answer", Hint: "ask again", Status: core.StatusFailure, Turns: 3, Usage: core.Usage{Prompt: 1, Completion: 2, Estimated: true}, MS: 4},
		core.AgentProcessing{Messages: 1, Tools: []string{"a"}, Rev: 2, Model: "m", MaxTurns: 10, Handoffs: []string{"b"}},
		core.TurnStart{},
		core.TurnEnd{},
		core.LLMCallStart{Call: "c", Model: "m", Tools: 3, Purpose: "synthesis"},
		core.LLMCallEnd{Call: "c", Reason: "stop", Usage: core.Usage{Prompt: 1}, MS: 2, Error: "e"},
		core.TokenUsage{Usage: core.Usage{Completion: 9}, Model: "m"},
		core.Delta{Stream: "c", Field: core.FieldThought, Text: "…", FirstSeq: 3, LastSeq: 5},
		core.AssistantMessage{ID: "i", Text: "x", Calls: 1},
		core.ToolRequests{Calls: []core.Call{{ID: "1", Tool: "a", Args: json.RawMessage(`{"prompt":"x"}`)}}},
		core.BeforeToolExecution{Call: "1", Tool: "a", Expert: "a", Args: json.RawMessage(`{}`)},
		core.ToolCallStart{Call: "1", Tool: "a", Expert: "a", Args: json.RawMessage(`{}`)},
		core.ToolCallProgress{Call: "1", Message: "m", Fraction: 0.5},
		core.ToolCallEnd{Call: "1", Tool: "a", Expert: "a", Status: core.ToolError, Code: core.ToolCodeTimeout, Text: "late", MS: 60000},
		core.ToolResultsToLLM{Calls: []string{"1"}},
		core.FinalOutput{Reply: core.Reply{Thought: "t", Status: core.StatusSuccess, Data: map[string]any{"a": "b"}, Message: "m", NextStepHint: "h", Extra: map[string]any{"x": "y"}}, Fallback: true},
		core.MemoryOperation{Operation: "load", Status: "end", Messages: 3, Error: "e"},
		core.OutputParse{Status: "fail", Error: "e"},
		core.SACPRepaired{Steps: []string{"fence"}},
		core.SACPFallback{Hash: "00"},
		core.Retry{Operation: "llm_call", Attempt: 2, Reason: "r", DelayMS: 5},
		core.ExpertJoined{Name: "a", Description: "d", Transport: "child", Tools: []string{"a"}, Rev: 1, Count: 1},
		core.ExpertLeft{Name: "a", Reason: core.LeftExited, Detail: "exited 1", Rev: 2, Count: 0},
		core.ExpertChanged{Name: "a", Changed: []string{"tools"}, Rev: 3},
		core.ExpertStatus{Name: "a", State: core.ExpertRestarting, Message: "m"},
		core.ExpertLogged{Name: "a", Level: "error", Text: "t"},
		core.IterationSummary{Text: "asked a"},
		core.Fallback{From: "m", To: "n", Reason: "r"},
		core.ContextFitted{Model: "m", Budget: 100, LeftOut: 8, Shortened: 2},
		core.Handoff{From: "a", To: "b", Reason: "r", Returned: true},
		core.HandoffDenied{From: "a", To: "b", Reason: "r"},
		core.HookRan{Hook: "sh x", Event: core.HookBeforeTool, Call: "1", Tool: "a", Decision: core.HookDeny, Reason: "r", MS: 4},
		core.GuardrailCheck{Guardrail: "secrets", Stage: core.GuardArgs, Call: "1", Valid: true, Error: "e"},
		core.GuardrailViolation{Guardrail: "secrets", Stage: core.GuardOutput, Call: "1", Reason: "r", Verdict: "redact"},
		core.ApprovalRequested{Pause: "r#1", Call: "1", Tool: "a", Expert: "a", Args: json.RawMessage(`{}`), Reason: "r"},
		core.ApprovalGiven{Pause: "r#1", Call: "1", Decision: "allow", Args: json.RawMessage(`{}`), By: "user"},
		core.Notice{Level: "warn", Text: "t", Hint: "h", Command: "/model"},
	} {
		want := core.Event{Seq: 7, Time: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Scope: scope, Body: body}
		raw := must.Get(json.Marshal(want))(t)
		var got core.Event
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", want.Type(), diff)
		}
		var envelope struct{ Type, Run string }
		if err := json.Unmarshal(raw, &envelope); err != nil || envelope.Type != want.Type() || envelope.Run != scope.Run {
			t.Errorf("the envelope of %s says %+v, %v", want.Type(), envelope, err)
		}
	}
}

func TestAnEventOfAnUnknownTypeIsRefused(t *testing.T) {
	var e core.Event
	for _, raw := range []string{`{"type":"nonsense","data":{}}`, `{"type":"turn_start","data":3}`, `[]`} {
		if err := json.Unmarshal([]byte(raw), &e); err == nil {
			t.Errorf("%s was read", raw)
		}
	}
}
