package main

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"yaap/core"
	"yaap/core/agent"
)

const agentName = "agent/yaap" // of the room

// arrivalTime is how long after the start the first questions wait for experts
// that are on their way.
const arrivalTime = 5 * time.Second

// lookup finds who answers. It never fails: who is not here is a Runner that
// says so, because the question is in the conversation already.
func (a *app) lookup(name string) (core.Runner, error) { return lookup{app: a, name: name}, nil }

type lookup struct {
	*app
	name string
}

// Run implements [core.Runner].
func (l lookup) Run(ctx context.Context, in core.Input) (core.Result, error) {
	arriving, stop := context.WithDeadline(ctx, l.session.Started.Add(arrivalTime))
	defer stop()
	_ = l.hub.Settled(arriving) // who is late is used when he comes
	if l.memory != nil && l.name == agentName && len(in.Context) == 0 {
		if known, err := l.memory.Recall(ctx); err == nil { // without it the answer is only less informed
			in.Context = known
		}
	}
	return maskedRunner{l.runner(), l.bus.masking}.Run(ctx, in)
}

// runner is the agent, an expert that takes plain words, or an agent that has
// the tools of one expert only.
func (l lookup) runner() core.Runner {
	if name, ok := strings.CutPrefix(l.name, "chain/"); ok {
		runner, err := l.chainRunner(name)
		if err != nil {
			return agent.Failed(err, l.agentConfig())
		}
		return runner
	}
	if name, ok := strings.CutPrefix(l.name, "agent/"); ok {
		if l.name == agentName {
			return l.team.agent
		}
		if runner, ok := l.team.named(name); ok {
			return runner
		}
		return agent.Failed(&core.Error{
			Code: core.CodeNotFound, Op: "agents", Message: "there is no agent " + name,
			Hint: "write it as " + filepath.Join(agentDir(l.cfg), name+".md"),
		}, l.agentConfig())
	}
	expert := strings.TrimPrefix(l.name, "expert/")
	tool, err := l.hub.Expert(expert)
	if err != nil {
		if runner, ok := l.team.named(expert); ok {
			return runner
		}
		return agent.Failed(err, l.agentConfig())
	}
	owner := tool.Spec().Owner
	if tool.Spec().Name == owner {
		return agent.AsRunner(tool, l.agentConfig())
	}
	cfg := l.agentConfig()
	cfg.Tools = toolsOf{l.hub, owner}
	return agent.New(cfg)
}

// toolsOf is the part of a toolbox that belongs to one expert.
type toolsOf struct {
	core.Toolbox
	owner string
}

// Tools implements [core.Toolbox].
func (t toolsOf) Tools() core.Toolset {
	all := t.Toolbox.Tools()
	own := core.Toolset{Rev: all.Rev}
	for _, tool := range all.Tools {
		if tool.Spec().Owner == t.owner {
			own.Tools = append(own.Tools, tool)
		}
	}
	return own
}
