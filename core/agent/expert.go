package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

// AsRunner makes a Runner of one tool: the user's words go straight to it, no
// model is asked. cfg.Journal and cfg.Sink are required.
func AsRunner(tool core.Tool, cfg Config) core.Runner {
	a := New(cfg)
	a.cfg.Name = cmp.Or(tool.Spec().Owner, tool.Spec().Name)
	return direct{Agent: a, tool: tool}
}

// AsCaller makes a Runner of one call of a tool, with arguments that the user
// wrote: what does not fit its schema is refused, with what it takes. cfg.Journal
// and cfg.Sink are required.
func AsCaller(tool core.Tool, args json.RawMessage, cfg Config) core.Runner {
	runner, _ := AsRunner(tool, cfg).(direct) // it is one
	runner.args = storable(args)
	return runner
}

type direct struct {
	*Agent
	tool core.Tool
	args json.RawMessage // nil: the question, as a prompt
}

// Run implements [core.Runner].
func (d direct) Run(ctx context.Context, in core.Input) (core.Result, error) {
	in.Agent = d.cfg.Name
	r := &run{steps: newSteps(d.cfg, in.Scope, "expert/"+d.cfg.Name), schemas: &d.schemas}
	return r.conduct(ctx, in, func(ctx context.Context) (answer, error) {
		got, err := d.ask(ctx, r)
		r.hooksAtEnd(ctx, r.at(), got, err)
		return got, err
	})
}

// ask makes the one call, unless an earlier try has made it already. One that
// the user cancelled is made anew.
func (d direct) ask(ctx context.Context, r *run) (answer, error) {
	calls, tools := r.unanswered(), core.Toolset{Tools: []core.Tool{d.tool}}
	asked := len(r.messages) - r.first
	if last := r.messages[len(r.messages)-1].Result; len(calls) == 0 && (asked == 0 || last != nil && last.Code == core.ToolCodeCancelled) {
		args := d.args
		if args == nil {
			_, prompt := core.Address(question(r.messages))             // it is asked, not addressed
			args, _ = json.Marshal(map[string]string{"prompt": prompt}) // strings
		}
		calls = []core.Call{{ID: fmt.Sprint("call_", asked/2+1), Tool: d.tool.Spec().Name, Args: args}}
		message := r.newMessage(core.RoleAssistant, "")
		message.Calls = calls
		r.emit(r.at(), core.ToolRequests{Calls: calls})
		r.beginCalls(calls)
		if err := r.step(ctx, message); err != nil {
			return answer{}, err
		}
		if err := r.execute(ctx, tools, calls); err != nil {
			return answer{}, err
		}
	} else if len(calls) > 0 {
		if err := r.executeAgain(ctx, tools, calls); err != nil {
			return answer{}, err
		}
	}
	result := r.messages[len(r.messages)-1].Result
	if result == nil {
		return answer{}, core.Fail(core.CodeInternal, d.cfg.Name+" has no result", "")
	}
	return r.announce(r.guardAnswer(ctx, answer{reply: replyOf(d.cfg.Name, *result), text: result.Text})), nil
}

// replyOf is a result as an answer. Plain text is a success with that text.
func replyOf(expert string, result core.ToolResult) core.Reply {
	switch {
	case result.Reply != nil:
		return *result.Reply
	case result.OK():
		data := result.Data
		if data == nil {
			data = map[string]any{}
		}
		message := result.Text
		if strings.TrimSpace(message) == "" {
			message = expert + " answered with nothing to read."
		}
		return core.Reply{Status: core.StatusSuccess, Message: message, Data: data}
	}
	why := result.Text
	if !strings.HasPrefix(why, expert+" ") {
		why = expert + ": " + why
	}
	return core.Reply{Status: core.StatusFailure, Message: why, Data: map[string]any{"code": string(result.Code)}}
}
