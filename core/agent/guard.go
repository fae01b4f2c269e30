package agent

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
)

// Guards say what is looked for in what a run passes on.
type Guards struct {
	Args    guard.Policy // what a tool is given
	Results guard.Policy // what a tool answers
	Output  guard.Policy // the answer
	Judge   *Judge       // of the answer; may be nil
}

// guardBeside looks at what the model said beside its calls, as at an answer.
func (r *run) guardBeside(m core.Message) core.Message {
	p := r.cfg.Guards.Output
	if !p.Active() {
		return m
	}
	clean, hits := p.Value(map[string]any{"text": m.Text, "thinking": m.Thinking})
	if len(hits) == 0 {
		return m
	}
	got, _ := clean.(map[string]any)
	if r.judge(core.GuardOutput, "", p, hits) == guard.Block {
		got = nil
	}
	m.Text, _ = got["text"].(string)
	m.Thinking, _ = got["thinking"].(string)
	m.Opaque = nil // it says the same, as it was
	return m
}

// guardCalls returns calls as they are stored: without what is found in their
// arguments. What is done about it is decided when they are made.
func (r *run) guardCalls(calls []core.Call) []core.Call {
	if !r.cfg.Guards.Args.Active() {
		return calls
	}
	calls = slices.Clone(calls)
	for i, c := range calls {
		if clean, hits := r.cfg.Guards.Args.JSON(c.Args); len(hits) > 0 {
			calls[i].Args = storable(clean)
		}
	}
	return calls
}

// guardArgs looks at what a call is to be made with. It returns what comes of
// the call instead when it must not be made.
func (r *run) guardArgs(c core.Call) (core.Call, *core.ToolResult) {
	p := r.cfg.Guards.Args
	if !p.Active() {
		return c, nil
	}
	clean, hits := p.JSON(c.Args)
	switch r.judge(core.GuardArgs, c.ID, p, hits) {
	case guard.Allow:
	case guard.Redact:
		c.Args = storable(clean)
	default:
		held := core.ToolFailure(core.ToolPermissionDenied, core.ToolCodePermissionDenied,
			"the call was not made: its arguments hold "+guard.Reasons(hits))
		c.Args = []byte("{}")
		return c, &held
	}
	return c, nil
}

// guardResult looks at the result of a call, before anybody reads it.
func (r *run) guardResult(c core.Call, result core.ToolResult) core.ToolResult {
	p := r.cfg.Guards.Results
	if !p.Active() || len(result.Pauses) > 0 {
		return result
	}
	looked := map[string]any{"text": result.Text, "data": result.Data}
	if result.Reply != nil {
		looked["thought"], looked["hint"] = result.Reply.Thought, result.Reply.NextStepHint
	}
	clean, hits := p.Value(looked)
	verdict := r.judge(core.GuardResult, c.ID, p, hits)
	if verdict == guard.Allow {
		return result
	}
	if verdict == guard.Block {
		return core.ToolFailure(core.ToolPermissionDenied, core.ToolCodePermissionDenied, "the answer was held back: it holds "+guard.Reasons(hits))
	}
	got, _ := clean.(map[string]any)
	result.Text, _ = got["text"].(string)
	result.Data, _ = got["data"].(map[string]any)
	if result.Reply != nil {
		reply := *result.Reply
		if verdict == guard.ForceFailure {
			reply.Status = core.StatusFailure
		}
		if reply.Status != core.StatusFailure { // a failure keeps its data, for programs
			reply.Data = result.Data
		}
		reply.Message, reply.Extra = result.Text, nil
		reply.Thought, _ = got["thought"].(string)
		reply.NextStepHint, _ = got["hint"].(string)
		result.Reply = &reply
	}
	if verdict == guard.ForceFailure {
		result.Status, result.Code = core.ToolError, cmp.Or(result.Code, core.ToolCodeExecutionFailed)
	}
	return result
}

// guardAnswer looks at the answer, before it is reported and stored.
func (r *run) guardAnswer(ctx context.Context, a answer) answer { return r.judged(ctx, r.masked(a)) }

// masked is an answer without what the guardrails found. A failure,
// one that it is made here too, keeps its data: they are for programs, and its
// message tells them.
func (r *run) masked(a answer) answer {
	p := r.cfg.Guards.Output
	if !p.Active() {
		return a
	}
	clean, hits := p.Value(map[string]any{
		"message": a.reply.Message, "thought": a.reply.Thought, "hint": a.reply.NextStepHint, "data": a.reply.Data,
	})
	// What the reply was read from says the same again: it is not counted twice.
	written, again := p.Value(map[string]any{"text": a.text, "thinking": a.thinking})
	for _, h := range again {
		if h.Err != nil || !slices.ContainsFunc(hits, func(other guard.Hit) bool { return other.Guardrail == h.Guardrail }) {
			hits = append(hits, h)
		}
	}
	verdict := r.judge(core.GuardOutput, "", p, hits)
	if verdict == guard.Allow {
		return a
	}
	a.said = cmp.Or(a.said, a.reply.Status)
	if verdict == guard.Block {
		a.reply = core.Reply{
			Thought: "System Note: a guardrail held the answer back.", Status: core.StatusFailure,
			Data: map[string]any{"held_back": guard.Reasons(hits)}, Message: "The answer was held back: it held " + guard.Reasons(hits) + ".",
		}
		a.text, a.thinking = a.reply.Message, ""
		return a
	}
	got, _ := clean.(map[string]any)
	a.reply.Message, _ = got["message"].(string)
	a.reply.Thought, _ = got["thought"].(string)
	a.reply.NextStepHint, _ = got["hint"].(string)
	a.reply.Extra = nil
	if verdict == guard.ForceFailure {
		a.reply.Status = core.StatusFailure
	}
	if a.reply.Status != core.StatusFailure {
		data, _ := got["data"].(map[string]any)
		a.reply.Data = maps.Clone(data)
	}
	got, _ = written.(map[string]any)
	a.text, _ = got["text"].(string)
	a.thinking, _ = got["thinking"].(string)
	return a
}

// judge reports the outcome of every guardrail of a policy, and returns the
// verdict that counts: what is to be blocked is not passed on, whatever else.
func (r *run) judge(stage core.GuardStage, call string, p guard.Policy, hits []guard.Hit) guard.Verdict {
	for _, name := range p.Names() {
		check := core.GuardrailCheck{Guardrail: name, Stage: stage, Call: call, Valid: true}
		i := slices.IndexFunc(hits, func(h guard.Hit) bool { return h.Guardrail == name })
		if i >= 0 {
			check.Valid = false
			if hits[i].Err != nil {
				check.Error = hits[i].Err.Error()
			}
		}
		r.emit(r.at(), check)
		if i >= 0 {
			r.emit(r.at(), core.GuardrailViolation{
				Guardrail: name, Stage: stage, Call: call, Reason: hits[i].Reason, Verdict: string(hits[i].Verdict),
			})
		}
	}
	if slices.ContainsFunc(hits, func(h guard.Hit) bool { return h.Verdict == guard.Block }) {
		return guard.Block
	}
	return guard.Worst(hits)
}
