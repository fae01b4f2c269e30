package room

import (
	"context"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/prompts"
)

const compactRunner = "agent/" + agent.Compact

func compactCommand() Command {
	return Command{Where: inChat, Most: anyNumber, Run: func(ctx context.Context, c *Call) (core.Doc, error) {
		result, err := c.Room.compact(ctx, core.Scope{Thread: c.Thread}, agent.Compact+" "+c.rest(0))
		return core.Doc{Result: &result}, err
	}, Command: core.Command{
		Name: "compact", Args: "[WHAT MATTERS]", Prompt: true,
		Does: "sum the conversation up: a model is shown the summary in its place, and has room again",
	}}
}

// compact has the conversation summed up, as a run of it.
func (r *Room) compact(ctx context.Context, in core.Scope, text string) (core.Result, error) {
	if r.models.offline() {
		return core.Result{}, core.Fail(core.CodeInvalid, "the offline model reads only what was said last: nothing has to be summed up for it", "choose another model with /model")
	}
	if asked, err := r.asked(ctx, in.Thread); err != nil || len(asked) == 0 {
		return core.Result{}, core.Fail(core.CodeNotFound, "nothing has been said yet", "ask something first").Because(err)
	}
	return r.chat.Start(ctx, in, compactRunner, text, nil)
}

// compactor is the agent that sums up. It calls nobody.
func (r *Room) compactor() *agent.Agent {
	cfg := r.agentConfig()
	cfg.Name, cfg.Prompt, cfg.Project, cfg.Clarify, cfg.Summing, cfg.Tools = agent.Compact, prompts.Compact(), nil, false, "", only{r.hub, func(core.ToolSpec) bool { return false }}
	return agent.New(cfg)
}
