package agent

import (
	"fmt"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

// Approvals says which tools may only be used when the user allows it. Its
// methods are called from any goroutine.
type Approvals interface {
	// NeedsApproval reports whether the user must be asked first, in a conversation.
	NeedsApproval(thread string, tool core.ToolSpec) bool
	// Options are the answers that the user may give; a denial is one.
	Options(tool core.ToolSpec) []core.Option
	// Allow keeps the user's answer where it shall hold for more than this call.
	Allow(thread string, tool core.ToolSpec, decision string) error
}

// approve lets a call pass, with the arguments that the user wants, or says
// what comes of it instead: that it waits, or that it was denied.
func (r *run) approve(spec core.ToolSpec, c core.Call) (core.Call, *core.ToolResult) {
	id := r.Scope.Run + "#" + c.ID
	answer, answered := r.answers[id]
	if answered && answer.asked.Kind == core.PauseClarification { // the call itself asked
		return c, nil
	}
	if !answered {
		if r.cfg.Approvals == nil || !r.cfg.Approvals.NeedsApproval(r.Scope.Thread, spec) {
			return c, nil
		}
		return c, r.askToAllow(id, spec, c)
	}
	r.emit(c.Scope, core.ApprovalGiven{Pause: id, Call: c.ID, Decision: answer.ID, Args: answer.Data, By: answer.By})
	if !answer.allows() {
		denied := core.ToolFailure(core.ToolPermissionDenied, core.ToolCodePermissionDenied, "it was not allowed, so nothing was done")
		return c, &denied
	}
	if !answer.asked.About(spec) { // what was allowed is not what is there now
		denied := core.ToolFailure(core.ToolPermissionDenied, core.ToolCodePermissionDenied,
			c.Tool+" says other things of itself than when the user allowed this call")
		return c, &denied
	}
	if len(answer.Data) > 0 {
		c.Args = storable(answer.Data)
	}
	return c, nil
}

// keepAnswers keeps what the user allowed for more than one call, before any of
// the calls is made: it holds for those that wait beside it.
func (r *run) keepAnswers(tools core.Toolset, calls []core.Call) {
	if r.cfg.Approvals == nil {
		return
	}
	for _, c := range calls {
		answer, answered := r.answers[r.Scope.Run+"#"+c.ID]
		tool, found := tools.Find(c.Tool)
		if !answered || !found || !answer.asked.About(tool.Spec()) || answer.ID != core.AllowSession && answer.ID != core.AllowAlways {
			continue
		}
		if err := r.cfg.Approvals.Allow(r.Scope.Thread, tool.Spec(), answer.ID); err != nil {
			r.emit(r.at(), core.Notice{Level: "warn", Text: err.Error(), Hint: core.HintOf(err)})
		}
	}
}

// allows reports whether the user said yes.
func (d decision) allows() bool {
	return d.ID == core.AllowOnce || d.ID == core.AllowSession || d.ID == core.AllowAlways
}

// askToAllow makes a call wait for the user.
func (r *run) askToAllow(id string, spec core.ToolSpec, c core.Call) *core.ToolResult {
	shown := safe.Prefix(string(c.Args), maxShown)
	p := core.Pause{
		ID: id, Run: r.Scope.Run, Root: r.Scope.Trace, Thread: r.Scope.Thread, Kind: core.PauseApproval, From: r.Scope.Agent,
		Question: fmt.Sprintf("May %s be called with %s?", c.Tool, shown),
		Options:  r.cfg.Approvals.Options(spec),
		Call:     &core.Call{ID: c.ID, Tool: c.Tool, Args: c.Args}, Tool: spec, Fingerprint: spec.Fingerprint(), Time: r.cfg.Now(),
	}
	r.emit(c.Scope, core.ApprovalRequested{
		Pause: id, Call: c.ID, Tool: c.Tool, Expert: spec.Owner, Args: c.Args, Reason: spec.Reason(), Claims: spec.Claims.String(), Options: p.Options,
	})
	return &core.ToolResult{Status: core.ToolWaiting, Text: "waits until the user allows it", Pauses: []core.Pause{p}}
}
