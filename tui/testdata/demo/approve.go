package main

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"yaap/core"
)

// held is a call that waits to be allowed.
type held struct {
	pause core.Pause
	ask   string
}

const given = `{"path":"notes/2026.md","mode":"append","text":"Ask Sam about the \u202elease\u202c before Friday.\nThen write to the list.","dry_run":false,"tags":["ops","lease"]}`

// allow plays a run that may not go on before the user allows two of its calls.
func (r *room) allow(ctx context.Context, thread, id, text string) (core.Result, error) {
	s := core.Scope{Thread: thread, Run: id, Trace: id, Agent: "yaap"}
	r.emit(s, core.RunStart{Runner: "agent/yaap", Prompt: text})
	s.Turn = 1
	r.emit(s, core.AgentProcessing{Messages: 1, Tools: []string{"files", "git"}, Model: r.model, MaxTurns: 10})
	r.emit(s, core.TurnStart{})
	r.emit(s, core.LLMCallStart{Call: id + "m1", Model: "ollama/qwen3:8b", Tools: 2})
	r.emit(s, core.Fallback{From: "ollama/qwen3:8b", To: "offline", Reason: "connection refused"})
	r.emit(s, core.LLMCallStart{Call: id + "m1b", Model: r.model, Tools: 2})
	r.stream(ctx, s, id+"m1b", core.FieldThought, "The note goes into the file of this year, and the history has to know. Both change something.", 8*time.Millisecond)
	calls := []core.Call{
		{ID: "c1", Tool: "files__write", Args: json.RawMessage(given)},
		{ID: "c2", Tool: "git__commit", Args: json.RawMessage(`{"message":"notes: ask Sam"}`)},
	}
	r.emit(s, core.LLMCallEnd{Call: id + "m1b", Reason: "tool_calls", MS: 4})
	r.emit(s, core.ToolRequests{Calls: calls})
	r.emit(s, core.GuardrailViolation{Guardrail: "secrets", Stage: core.GuardArgs, Call: "c1", Reason: "1 API key", Verdict: "redact"})
	for _, c := range calls {
		expert, _, _ := strings.Cut(c.Tool, "__")
		p := core.Pause{ID: id + "#" + c.ID, Run: id, Root: id, Thread: thread, Kind: core.PauseApproval, From: "yaap", Question: expert + " says of this tool that it changes files", Call: &c, Time: time.Now()}
		r.held = append(r.held, held{p, text})
		r.emit(s, core.ToolCallStart{Call: c.ID, Tool: c.Tool, Expert: expert, Args: c.Args})
		r.emit(s, core.ApprovalRequested{Pause: p.ID, Call: c.ID, Tool: c.Tool, Expert: expert, Args: c.Args, Reason: p.Question})
		r.emit(s, core.ToolCallEnd{Call: c.ID, Tool: c.Tool, Expert: expert, Status: core.ToolWaiting, Text: "waits"})
	}
	return r.holds(s), nil
}

// holds ends a run that waits.
func (r *room) holds(s core.Scope) core.Result {
	p := r.held[0].pause
	reply := core.Reply{Status: core.StatusClarification, Message: p.Question, Data: map[string]any{"pause": p.ID}}
	r.emit(s, core.FinalOutput{Reply: reply})
	r.emit(s, core.RunEnd{Outcome: "interrupted", Status: reply.Status, Turns: 1, MS: 900})
	return core.Result{Reply: reply, Turns: 1, Pauses: []core.Pause{p}}
}

// Answer implements [tui.Backend].
func (r *room) Answer(ctx context.Context, a core.Answer) (core.Result, error) {
	if len(r.held) == 0 || r.held[0].pause.ID != a.Pause {
		return core.Result{}, &core.Error{Code: core.CodeNotFound, Message: "nobody waits for this any more"}
	}
	h := r.held[0]
	r.held = r.held[1:]
	p := h.pause
	s := core.Scope{Thread: p.Thread, Run: p.Run, Trace: p.Run, Agent: "yaap"}
	expert, _, _ := strings.Cut(p.Call.Tool, "__")
	r.emit(s, core.RunStart{Runner: "agent/yaap", Prompt: h.ask, Resumed: true})
	s.Turn = 1
	r.emit(s, core.ApprovalGiven{Pause: p.ID, Call: p.Call.ID, Decision: a.ID, Args: a.Data, By: a.By})
	r.emit(s, core.ToolCallStart{Call: p.Call.ID, Tool: p.Call.Tool, Expert: expert, Args: p.Call.Args})
	r.sleep(ctx, 700*time.Millisecond)
	end := core.ToolCallEnd{Call: p.Call.ID, Tool: p.Call.Tool, Expert: expert, Status: core.ToolSuccess, Text: "done", MS: 700}
	if a.ID == core.Deny {
		end.Status, end.Text = core.ToolError, "the user does not allow this"
	}
	r.emit(s, end)
	if len(r.held) > 0 {
		return r.holds(s), nil
	}
	r.emit(s, core.IterationSummary{Text: "asked files and git, both have answered"})
	r.emit(s, core.TurnEnd{})
	s.Turn, s.Agent = 2, "reviewer"
	r.emit(s, core.Handoff{From: "yaap", To: "reviewer", Reason: "somebody else should read what was written"})
	r.emit(s, core.AgentProcessing{Messages: 4, Tools: []string{"files"}, Model: r.model, MaxTurns: 10})
	r.emit(s, core.TurnStart{})
	r.emit(s, core.LLMCallStart{Call: s.Run + "m2", Model: r.model, Purpose: "answer"})
	reply := core.Reply{Status: core.StatusSuccess, Thought: "It is there.", Message: "The note is in `notes/2026.md`, and the history knows."}
	r.stream(ctx, s, s.Run+"m2", core.FieldMessage, reply.Message, 20*time.Millisecond)
	r.emit(s, core.FinalOutput{Reply: reply})
	r.emit(s, core.RunEnd{Outcome: "completed", Status: reply.Status, Turns: 2, MS: 2400})
	return core.Result{Reply: reply, Turns: 2}, nil
}

// Waiting implements [tui.Look].
func (r *room) Waiting(context.Context, string) ([]core.Pause, error) { return nil, nil }
