package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/yaap-chat/yaap/core"
)

// maxBelow is how many runs may be below one another: agents that ask one another would
// go on for ever.
const maxBelow = 5

// maxRuns is how many runs may be below one: agents that ask several others at a time
// would make thousands, each of them paid for.
const maxRuns = 64

// runsBelow is the key in a context of how many runs are below the first.
type runsBelow struct{}

// counted is a context that counts the runs below.
func counted(ctx context.Context) context.Context {
	if ctx.Value(runsBelow{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, runsBelow{}, new(atomic.Int32))
}

// AsTool makes a tool of a Runner. A call is a run of its own below the one
// that calls: {"prompt": …} is its question, all other arguments are its Args.
// A run that waits for the user makes the caller wait; the same call is then
// made again when there is an answer. cfg.Journal is required.
func AsTool(spec core.ToolSpec, runner core.Runner, name string, cfg Config) core.Tool {
	return runnerTool{spec: spec, runner: runner, name: name, cfg: New(cfg).cfg}
}

type runnerTool struct {
	spec   core.ToolSpec
	runner core.Runner
	name   string // as a Lookup knows it
	cfg    Config
}

// goesOn reports whether a call that is made again goes on with the run that it
// had started.
func goesOn(tool core.Tool) bool {
	_, ok := tool.(runnerTool)
	return ok
}

// Spec implements [core.Tool].
func (t runnerTool) Spec() core.ToolSpec { return t.spec }

// Call implements [core.Tool].
func (t runnerTool) Call(ctx context.Context, c core.Call) (core.ToolResult, error) {
	in, err := t.input(c)
	if err != nil {
		return core.ToolFailure(core.ToolValidationError, core.ToolCodeInvalidInput, err.Error()), nil
	}
	if in.Depth > maxBelow {
		return core.ToolFailure(core.ToolPermissionDenied, core.ToolCodePermissionDenied,
			fmt.Sprintf("agents have asked one another %d deep already: answer with what there is", maxBelow)), nil
	}
	if runs, ok := ctx.Value(runsBelow{}).(*atomic.Int32); ok && runs.Add(1) > maxRuns {
		return core.ToolFailure(core.ToolPermissionDenied, core.ToolCodePermissionDenied,
			fmt.Sprintf("agents have asked one another %d times for this already: answer with what there is", maxRuns)), nil
	}
	if err := t.cfg.Journal.Put(context.WithoutCancel(ctx), core.Begin(in.Scope, t.name, in.Messages[0])...); err != nil {
		return core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, err.Error()), nil
	}
	result, err := t.runner.Run(ctx, in)
	switch {
	case ctx.Err() != nil:
		return core.ToolResult{}, ctx.Err()
	case len(result.Pauses) > 0:
		return core.ToolResult{Status: core.ToolWaiting, Text: result.Reply.Message, Pauses: result.Pauses}, nil
	case result.Reply.Status == "" && err != nil:
		return core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, err.Error()), nil
	}
	got := core.ToolResult{Status: core.ToolSuccess, Text: result.Reply.Message, Data: result.Reply.Data, Reply: replyWithoutThought(&result.Reply)}
	if result.Reply.Status == core.StatusFailure {
		got.Status, got.Code = core.ToolError, core.ToolCodeExecutionFailed
	}
	return got, nil
}

// Given is a result of the agent as whoever called it is given it: in place of its message
// what its data have under the key that it names, where they have it.
func (p Peer) Given(r core.ToolResult) core.ToolResult {
	if value, ok := r.Data[p.Answer]; ok && p.Answer != "" && r.OK() {
		text, isText := value.(string)
		if raw, err := json.Marshal(value); err == nil && !isText {
			text = string(raw)
		}
		r.Text, r.Data, r.Reply = text, nil, nil
	}
	return r
}

func (t runnerTool) input(c core.Call) (core.Input, error) {
	in := core.Input{Scope: c.Scope.Child(c.ID)}
	if err := json.Unmarshal(c.Args, &in.Args); err != nil {
		return in, err
	}
	prompt, ok := in.Args["prompt"].(string)
	if ok && len(in.Args) == 1 {
		in.Args = nil
	}
	if !ok {
		prompt = string(c.Args)
	}
	in.Messages = []core.Message{{ID: in.Run + "/question", Run: in.Run, Role: core.RoleUser, Text: prompt, Time: t.cfg.Now()}}
	return in, nil
}
