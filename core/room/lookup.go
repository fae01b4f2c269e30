package room

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/bidding"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/safe"
)

const agentName = "agent/yaap" // of the room

// arrivalTime is how long after the start the first questions wait for experts
// that are on their way.
const arrivalTime = 5 * time.Second

// lookup finds who answers. It never fails: who is not here is a Runner that
// says so, because the question is in the conversation already.
func (r *Room) lookup(name string) (core.Runner, error) { return lookup{Room: r, name: name}, nil }

type lookup struct {
	*Room
	name string
}

// Run implements [core.Runner].
func (l lookup) Run(ctx context.Context, in core.Input) (core.Result, error) {
	l.arrived(ctx)
	if l.memory != nil && l.name == agentName && len(in.Context) == 0 {
		if known, err := l.memory.Recall(ctx); err == nil { // without it the answer is only less informed
			in.Context = known
		}
	}
	runner, err := l.runner(in)
	if err != nil {
		runner = agent.Failed(err, l.agentConfig())
	}
	return maskedRunner{runner, l.bus.masking}.Run(ctx, in)
}

// arrived waits a moment for the experts that come at the start.
func (r *Room) arrived(ctx context.Context) {
	arriving, stop := context.WithDeadline(ctx, r.session.Started.Add(arrivalTime))
	defer stop()
	_ = r.here.WaitSettled(arriving) // who is late is used when he comes
}

// runner is the agent, an expert that takes plain words, or an agent that has
// the tools of one expert only.
func (l lookup) runner(in core.Input) (core.Runner, error) {
	if name, ok := strings.CutPrefix(l.name, "chain/"); ok {
		return l.chainRunner(name)
	}
	if name, ok := strings.CutPrefix(l.name, "agent/"); ok {
		switch l.name {
		case agentName:
			return l.team.agent, nil
		case compactRunner:
			return l.compactor(), nil
		}
		if runner, ok := l.team.named(name); ok {
			return runner, nil
		}
		return nil, core.Fail(core.CodeNotFound, "there is no agent "+name, "write it as "+filepath.Join(agentDir(l.Config), name+".md"))
	}
	return l.expert(strings.TrimPrefix(l.name, "expert/"), in)
}

// expert is who answers what is for an expert, or why nobody does; what of it was recorded, in a rerun.
func (l lookup) expert(name string, in core.Input) (core.Runner, error) {
	if l.player != nil {
		if err := l.player.Refused(name); err != nil {
			return nil, err
		}
	}
	runner, err := l.findExpert(name, in)
	if err != nil {
		l.tape.Refused(name, err)
	}
	return runner, err
}

// findExpert is who answers what is for an expert: the one tool that the user named,
// with the arguments that were typed; the expert that takes plain words; an
// agent that has the expert's tools only; an agent of the user; or a tool of the room itself.
func (l lookup) findExpert(name string, in core.Input) (core.Runner, error) {
	cfg := l.agentConfig()
	var named core.Tool
	var words string
	if i := asked(in); in.Parent == "" && i >= 0 { // the user's own words
		var err error
		_, typed := core.Address(in.Messages[i].Text)
		if named, words, err = namedTool(l.here.Tools(), name, typed); err != nil {
			return nil, cmp.Or(hiddenTool(l.here.Experts(), name, typed), err)
		}
	}
	if named != nil {
		if err := unmasked(named, words, cfg.Guards.Args); err != nil && l.player == nil {
			return nil, err
		}
		if args, ok := named.Spec().ReadArguments(words); ok {
			return agent.AsCaller(bidding.RecordToolOutcomes(named, l.ledger), args, cfg), nil
		}
		cfg.Tools = only{l.here, func(spec core.ToolSpec) bool { return spec.Name == named.Spec().Name }}
		return agent.New(cfg), nil
	}
	tool, err := l.here.Expert(name)
	if err != nil {
		if runner, ok := l.team.named(name); ok {
			return byName{runner}, nil
		}
		if own, ok := (core.Toolset{Tools: l.own.tools()}).Find(name); ok { // the room itself says "@recall" where it asks who is meant
			return agent.AsRunner(own, cfg), nil
		}
		if listed := l.listed.is(name); listed != nil && listed.from != "" {
			if _, here := l.hub.Spec(name); !here {
				err = core.Fail(core.CodeNotFound, name+" is listed in "+safe.Line(listed.from)+", and nobody has let it in yet", "start yaap here and let it in, or give --allow "+name)
			}
		}
		return nil, err
	}
	owner := tool.Spec().Owner
	if tool.Spec().Name == owner {
		return agent.AsRunner(bidding.RecordToolOutcomes(tool, l.ledger), cfg), nil
	}
	cfg.Tools = only{l.here, func(spec core.ToolSpec) bool { return spec.Owner == owner }}
	cfg.Rank = l.ranking(&bidding.Collector{Experts: oneBidder{l.hub, owner}, Ledger: l.ledger, Sink: l.bus, Wait: l.bidTime()})
	return agent.New(cfg), nil
}

// oneBidder is a room in which nobody is asked for bids but one expert.
type oneBidder struct {
	*hub.Hub
	expert string
}

// Bids implements [bidding.Bidders].
func (o oneBidder) Bids(ctx context.Context, texts []string, said []core.Message, _ string, wait time.Duration) []core.Bids {
	return o.Hub.Bids(ctx, texts, said, o.expert, wait)
}

// asked is the place of the question of a run among its messages, or -1: what
// the user answered meanwhile comes after it.
func asked(in core.Input) int {
	return slices.IndexFunc(in.Messages, func(m core.Message) bool { return m.Role == core.RoleUser && m.Run == in.Run })
}

// byName is an agent that the user asks by name: its question is what follows.
type byName struct{ core.Runner }

// Run implements [core.Runner].
func (b byName) Run(ctx context.Context, in core.Input) (core.Result, error) {
	if i := asked(in); i >= 0 {
		in.Messages = slices.Clone(in.Messages)
		_, in.Messages[i].Text = core.Address(in.Messages[i].Text)
	}
	return b.Runner.Run(ctx, in)
}

// only is the part of a toolbox that is picked.
type only struct {
	core.Toolbox
	picks func(core.ToolSpec) bool
}

// Tools implements [core.Toolbox].
func (o only) Tools() core.Toolset {
	all := o.Toolbox.Tools()
	picked := core.Toolset{Rev: all.Rev}
	for _, tool := range all.Tools {
		if o.picks(tool.Spec()) {
			picked.Tools = append(picked.Tools, tool)
		}
	}
	return picked
}
