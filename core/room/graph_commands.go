package room

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/safe"
)

func graphCommands() []Command {
	return []Command{
		{Command: core.Command{Name: "agents", Does: "who answers: each agent with its model, its tools and whom it hands over to"}, Where: inChat, Run: listAgents},
		{Command: core.Command{Name: "graph", Does: "draw the room: agents, those they hand over to, experts and chains", Flags: []core.Flag{
			{Name: "mermaid", Default: false, Does: "as Mermaid"},
			{Name: "dot", Default: false, Does: "as Graphviz DOT"},
			{Name: "svg", Default: false, Does: "as a picture, SVG"},
		}}, Where: inChat, Run: func(_ context.Context, c *Call) (core.Doc, error) {
			return c.drawn(c.Room.graph(), blockWidth), nil
		}},
		{Command: core.Command{Name: "diagram", Args: "[RUN]", Does: "draw who asked whom in the last run of this conversation, or in RUN", Flags: []core.Flag{
			{Name: "mermaid", Default: false, Does: "as a sequence diagram of Mermaid"},
		}}, Most: 1, Where: inChat, Run: drawRun},
	}
}

// drawn is a graph in the form that is asked for, as text in so many columns.
func (c *Call) drawn(g diagram.Graph, width int) core.Doc {
	switch {
	case c.is("mermaid"):
		return core.Say(core.Block, diagram.Mermaid(g))
	case c.is("dot"):
		return core.Say(core.Block, diagram.DOT(g))
	case c.is("svg"):
		return core.Say(core.Block, diagram.SVG(g))
	}
	return core.Say(core.Block, diagram.ASCII(g, width))
}

func drawRun(ctx context.Context, c *Call) (core.Doc, error) {
	var run core.RunRow
	var err error
	if len(c.Args) > 0 {
		run, err = c.namedRun(ctx, c.Args[0])
	} else {
		run, err = c.lastRun(ctx)
	}
	if err != nil {
		return core.Doc{}, err
	}
	events, err := c.store.RunEvents(ctx, run.ID)
	if err != nil {
		return core.Doc{}, err
	}
	if c.is("mermaid") {
		return core.Say(core.Block, diagram.SequenceMermaid(events)), nil
	}
	return core.Say(core.Block, diagram.DrawSequence(events, blockWidth)), nil
}

// lastRun is the newest run of the conversation, of the newest of all; where it only goes
// on from another one yet, the last of that one's that it has.
func (c *Call) lastRun(ctx context.Context) (core.RunRow, error) {
	const newest = 1000
	runs, err := c.store.Runs(ctx, "", newest)
	if err != nil {
		return core.RunRow{}, err
	}
	if i := slices.IndexFunc(runs, func(r core.RunRow) bool { return r.Thread == c.Thread }); i >= 0 {
		return runs[i], nil
	}
	if asked, err := c.Room.asked(ctx, c.Thread); err != nil {
		return core.RunRow{}, err
	} else if len(asked) > 0 {
		return c.store.FindRun(ctx, asked[len(asked)-1].Run)
	}
	return core.RunRow{}, core.Fail(core.CodeNotFound, "nothing has run in this conversation yet", "ask something, then /diagram")
}

func listAgents(_ context.Context, c *Call) (core.Doc, error) {
	t := c.Room.team
	list := core.Part{Kind: core.Table, Head: []string{"agent", "model", "tools", "hands over to", "what it does"}}
	row := func(name, does, model, tools string, to []string) {
		list.Rows = append(list.Rows, []string{safe.Line(name), model, safe.Line(tools), safe.Line(strings.Join(to, ", ")), safe.Cut(safe.Line(does), 80)})
	}
	current := c.Room.models.current().Name()
	row(t.name(), "answers", current, "all", t.handoffs(nil))
	for _, p := range t.all {
		model, tools := current, "all"
		if p.Model != nil {
			model = p.Model.Name()
		}
		if p.Tools != nil {
			tools = cmp.Or(strings.Join(p.Tools, ", "), "none")
		}
		row(p.Name, p.Description, model, tools, t.handoffs(&p))
	}
	doc := core.Doc{Parts: []core.Part{list}}
	switch {
	case len(t.all) == 0:
		doc.Remark("write one of your own as " + agentDir(c.Config) + "/NAME.md: /help configuration says how")
	case c.Room.models.offline():
		doc.Remark("the offline model follows no prompt: it hands over to nobody")
	}
	return doc, nil
}

func (t *team) name() string { return cmp.Or(t.room.Name, "yaap") }

// handoffs are whom an agent may hand over to now; nil is the agent of the room.
func (t *team) handoffs(p *agent.Peer) (names []string) {
	for _, to := range t.now(t.all) {
		if p == nil || slices.Contains(p.Handoffs, to.Name) {
			names = append(names, to.Name)
		}
	}
	return names
}

// graph is who may ask whom in the room now.
func (r *Room) graph() diagram.Graph {
	t := r.team
	g := diagram.Graph{Name: "room", Nodes: []diagram.Node{{ID: t.name(), Kind: "agent", Label: r.models.current().Name()}}}
	hands := func(from string, p *agent.Peer) {
		for _, to := range t.handoffs(p) {
			g.Edges = append(g.Edges, diagram.Edge{From: from, To: to, Label: "hands over"})
		}
	}
	hands(t.name(), nil)
	for _, p := range t.now(t.all) {
		g.Nodes = append(g.Nodes, diagram.Node{ID: p.Name, Kind: "agent", Note: p.Description})
		hands(p.Name, &p)
	}
	tools := map[string]int{}
	for _, tool := range t.room.Tools.Tools().Tools {
		spec := tool.Spec()
		tools[cmp.Or(spec.Owner, spec.Name)]++
	}
	calls := func(from string, only []string) {
		for _, e := range r.hub.Experts() {
			if tools[e.Name] > 0 && (only == nil || slices.ContainsFunc(only, func(name string) bool { return name == e.Name || strings.HasPrefix(name, e.Name+"__") })) {
				g.Edges = append(g.Edges, diagram.Edge{From: from, To: e.Name})
			}
		}
	}
	for _, e := range r.hub.Experts() {
		if tools[e.Name] > 0 {
			g.Nodes = append(g.Nodes, diagram.Node{ID: e.Name, Kind: "expert"})
		}
	}
	calls(t.name(), nil)
	for _, p := range t.now(t.all) {
		calls(p.Name, p.Tools)
	}
	for _, name := range r.Config.Chains.V {
		g.Nodes = append(g.Nodes, diagram.Node{ID: name, Kind: "chain"})
		g.Edges = append(g.Edges, diagram.Edge{From: t.name(), To: name})
	}
	return g
}
