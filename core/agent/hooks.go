package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hook"
	"github.com/yaap-chat/yaap/core/safe"
)

// hooksBefore runs the hooks that stand before a call, and returns the call as they
// left it, or what comes of it instead. A call that is made again, because it waited or
// was cut off, is as they left it then; they are not run again. What they change is
// looked at as what the model wrote is.
func (r *run) hooksBefore(ctx context.Context, tool core.Tool, c core.Call) (core.Call, *core.ToolResult) {
	if args, ok := r.passedHooks(c); ok {
		c.Args = args
		return c, nil
	}
	m := hook.ToolInput(core.HookBeforeTool, tool.Spec(), c)
	if answers(tool) || !r.cfg.Hooks.Has(m) {
		return c, nil
	}
	v := r.cfg.Hooks.Run(ctx, m, r.hookRan(c.Scope))
	if v.Denied != nil {
		refused := hook.Refusal("the call was not made", *v.Denied)
		return c, &refused
	}
	if v.Changed {
		c.Args = v.Args
		if answer, answered := r.answers[r.Scope.Run+"#"+c.ID]; answered && answer.asked.Kind == core.PauseApproval && answer.allows() {
			refused := hook.Refusal("the call was not made", "its arguments would be others than the user allowed")
			return c, &refused
		}
		var refused *core.ToolResult
		if c, refused = r.guardArgs(c); refused == nil {
			refused = r.unfit(tool, c)
		}
		if refused != nil {
			return c, refused
		}
	}
	r.passHooks(c)
	if err := r.put(ctx, nil); err != nil { // they are not run again, whatever happens while the call is made
		failed := core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, err.Error())
		return c, &failed
	}
	return c, nil
}

func (r *run) passedHooks(c core.Call) (json.RawMessage, bool) {
	r.hooked.Lock()
	defer r.hooked.Unlock()
	args, ok := r.Hooked[c.ID]
	return args, ok
}

func (r *run) passHooks(c core.Call) {
	r.hooked.Lock()
	defer r.hooked.Unlock()
	if r.Hooked == nil {
		r.Hooked = map[string]json.RawMessage{}
	}
	r.Hooked[c.ID] = bytes.Clone(c.Args)
}

// hooksAfter gives the hooks the result of a call. What they change is looked at as what
// the tool answered is.
func (r *run) hooksAfter(ctx context.Context, tool core.Tool, c core.Call, result core.ToolResult) core.ToolResult {
	if answers(tool) || len(result.Pauses) > 0 {
		return result
	}
	result, changed := r.cfg.Hooks.AfterCall(ctx, hook.ToolInput(core.HookAfterTool, tool.Spec(), c), result, r.hookRan(c.Scope))
	if changed {
		result = r.bounded(c, r.guardResult(c, result))
	}
	return result
}

// hooksAtEnd tells the hooks that a turn is over.
func (r *run) hooksAtEnd(ctx context.Context, scope core.Scope, got answer, err error) {
	m := hook.NewInput(core.HookTurnEnd, scope)
	if ctx.Err() != nil || !r.cfg.Hooks.Has(m) {
		return
	}
	m.Outcome = "goes_on"
	switch {
	case errors.Is(err, errWaits):
		m.Outcome, m.Message = "waits", r.pauses[0].Question
	case err != nil:
		m.Outcome, m.Message = "failed", err.Error()
	case got.reply.Status != "":
		m.Outcome, m.Status, m.Message = "answered", got.reply.Status, safe.Prefix(got.reply.Message, maxResultText)
	}
	r.cfg.Hooks.Run(ctx, m, r.hookRan(scope))
}

// hookRan reports the hooks that are run.
func (r *run) hookRan(scope core.Scope) func(core.HookRan) {
	return func(ran core.HookRan) { r.emit(scope, ran) }
}
