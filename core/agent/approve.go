package agent

import (
	"fmt"

	"yaap/core"
)

// Approvals says which tools may only be used when the user allows it. Its
// methods are called from any goroutine.
type Approvals interface {
	Needs(tool core.ToolSpec) bool
	// Allow lets a tool be used without asking from now on.
	Allow(tool core.ToolSpec)
}

// approve lets a call pass, with the arguments that the user wants, or says
// what comes of it instead: that it waits, or that it was denied.
func (r *run) approve(spec core.ToolSpec, c core.Call) (core.Call, *core.ToolResult) {
	if r.cfg.Approvals == nil {
		return c, nil
	}
	id := r.scope.Run + "#" + c.ID
	answer, answered := r.answers[id]
	if !answered {
		if !r.cfg.Approvals.Needs(spec) {
			return c, nil
		}
		return c, r.askToAllow(id, spec, c)
	}
	r.emit(c.Scope, core.ApprovalGiven{Pause: id, Call: c.ID, Decision: answer.ID, Args: answer.Data, By: answer.By})
	switch answer.ID {
	case core.AllowSession:
		r.cfg.Approvals.Allow(spec)
	case core.AllowOnce:
	default:
		denied := core.ToolFailure(core.ToolPermissionDenied, core.ToolCodePermissionDenied, "the user did not allow this call")
		return c, &denied
	}
	if len(answer.Data) > 0 {
		c.Args = storable(answer.Data)
	}
	return c, nil
}

// askToAllow makes a call wait for the user.
func (r *run) askToAllow(id string, spec core.ToolSpec, c core.Call) *core.ToolResult {
	shown, _ := cut(string(c.Args), maxShown)
	p := core.Pause{
		ID: id, Run: r.scope.Run, Root: r.scope.Trace, Thread: r.scope.Thread, Kind: core.PauseApproval, From: r.scope.Agent,
		Question: fmt.Sprintf("May %s be called with %s?", c.Tool, shown),
		Options: []core.Option{
			{ID: core.AllowOnce, Label: "Allow once"},
			{ID: core.AllowSession, Label: "Allow until yaap is closed"},
			{ID: core.Deny, Label: "Deny"},
		},
		Call: &core.Call{ID: c.ID, Tool: c.Tool, Args: c.Args}, Time: r.cfg.Now(),
	}
	r.emit(c.Scope, core.ApprovalRequested{
		Pause: id, Call: c.ID, Tool: c.Tool, Expert: spec.Owner, Args: c.Args, Reason: "it may only be used when you allow it",
	})
	return &core.ToolResult{Status: core.ToolWaiting, Text: "waits until the user allows it", Pauses: []core.Pause{p}}
}
