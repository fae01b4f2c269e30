package tui

import (
	"encoding/json"
	"slices"

	tea "charm.land/bubbletea/v2"

	"yaap/core"
	"yaap/core/diagram"
	"yaap/core/runlog"
	"yaap/core/safe"
)

// Messages of what was read about chains.
type (
	graphed struct {
		run   string
		graph diagram.Graph
	}
	recalled struct {
		events []core.Event
		graphs map[string]diagram.Graph // by the name of the chain
	}
)

// chainBegan reads what a run of a chain that has just begun needs: how the
// chain is written, and of one that is gone on with what it did before.
func (m *model) chainBegan(r *chainRun, resumed bool) tea.Cmd {
	if r == nil {
		return nil
	}
	b, ctx, run, name := m.b, m.ctx, r.ID, r.name()
	cmds := []tea.Cmd{m.jobs.command(func() tea.Msg {
		g, err := b.Graph(ctx, "chain/"+name)
		if err != nil {
			return nil // it is drawn as far as it is seen to run
		}
		return graphed{run, g}
	})}
	if resumed && len(r.Visits) == 0 {
		cmds = append(cmds, m.recall([]string{run}, map[string]bool{}))
	}
	return tea.Batch(cmds...)
}

// graphed takes how a chain is written.
func (m *model) graphed(run string, g diagram.Graph) {
	g = bounded(g)
	if r := m.chains.run(run); r != nil {
		r.graph = g
		r.Version++
	}
	if a := m.chat.runs[run]; a != nil && a.chain != nil {
		a.chain.total = nodeCount(g)
		a.touch()
	}
}

// recallChains reads the runs of chains that this conversation had before.
func (m *model) recallChains() tea.Cmd {
	m.chains.thread = m.chat.thread
	var runs []string
	for _, it := range slices.Backward(m.chat.items) {
		a, ok := it.(*answer)
		if !ok || a.run == "" || a.running() || len(runs) == maxChains {
			continue
		}
		if m.chains.run(a.run) == nil && !m.chains.asked[a.run] {
			m.chains.asked[a.run] = true
			runs = append(runs, a.run)
		}
	}
	if len(m.chains.asked) > 2*resident {
		clear(m.chains.asked)
	}
	return m.recall(runs, map[string]bool{})
}

// readGraphs reads how the chains are written that an opened conversation tells
// of: how many nodes they have.
func (m *model) readGraphs() tea.Cmd {
	names := map[string]bool{}
	for _, it := range slices.Backward(m.chat.items) {
		if a, ok := it.(*answer); ok && a.chain != nil && a.chain.total == 0 && len(names) < maxChains {
			names[a.chain.full] = true
		}
	}
	return m.recall(nil, names)
}

// recall reads the stored events of runs, and how the chains are written that
// these are runs of and those that are named.
func (m *model) recall(runs []string, names map[string]bool) tea.Cmd {
	if len(runs)+len(names) == 0 {
		return nil
	}
	b, ctx := m.b, m.ctx
	return m.jobs.command(func() tea.Msg {
		out := recalled{graphs: map[string]diagram.Graph{}}
		for _, run := range runs {
			if events, err := b.RunEvents(ctx, run); err == nil {
				out.events = append(out.events, events...)
			}
		}
		for _, e := range out.events {
			start, _ := e.Body.(core.RunStart)
			if name, chain := chainName(start.Runner); chain {
				names[name] = true
			}
		}
		for name := range names {
			if g, err := b.Graph(ctx, "chain/"+name); err == nil {
				out.graphs[name] = bounded(g)
			}
		}
		return out
	})
}

// recalled takes the runs of an earlier time.
func (m *model) recalled(msg recalled) {
	for _, it := range m.chat.items {
		if a, ok := it.(*answer); ok && a.chain != nil && a.chain.total == 0 {
			a.chain.total = nodeCount(msg.graphs[a.chain.full])
			a.touch()
		}
	}
	for _, old := range m.chains.recall(msg.events) {
		if r := m.chains.run(old.ID); r != nil && len(r.graph.Nodes)+len(r.graph.Edges) == 0 {
			r.graph = msg.graphs[r.name()]
		}
		if a := m.chat.runs[old.ID]; a != nil && a.chain != nil {
			a.chain.run.Join(&old.Run)
			a.touch()
		}
	}
}

// actChain does what a key of the chain inspector asks for.
func (m *model) actChain(do action) tea.Cmd {
	r, _, _ := m.chains.current()
	if r == nil {
		return nil
	}
	switch do {
	case actOlderRun:
		m.chains.turn(-1)
	case actNewerRun:
		m.chains.turn(1)
	case actCancelRun:
		if r.Over() {
			return m.say(toneAsk, "this run is over")
		}
		return m.cancelRun(r)
	case actForkRun:
		at := ""
		if n, ok := r.step(m.chains.focus(r)); ok {
			at = itoa(n)
		}
		m.input.set("/chain fork " + safe.Line(r.ID) + " --at " + at)
		m.panes.focus, m.panes.full = inInput, false
	}
	return nil
}

// cancelRun stops a run, or gives up one that waits. It has to be asked for
// twice.
func (m *model) cancelRun(r *chainRun) tea.Cmd {
	a := m.chat.active()
	here := r.End == nil && m.run.cancel != nil && a != nil && a.run == r.root()
	if m.chains.cancel != r.root() || m.panes.note.text == "" {
		m.chains.cancel = r.root()
		if here {
			return m.say(toneAsk, "c again stops this run; /continue goes on with it")
		}
		return m.say(toneAsk, "c again gives this run up; it asks nothing any more then")
	}
	m.chains.cancel = ""
	if here {
		return m.cutRun()
	}
	return m.command("/chain cancel " + safe.Line(r.root()))
}

// step is the number of the step that the newest attempt of a node was. It
// reports false where events do not tell: what needed nobody was no step, and
// a list was one for each of its items.
func (r *chainRun) step(node string) (int, bool) {
	plain := map[string]bool{}
	for _, n := range r.graph.Nodes {
		switch n.Kind {
		case "agent", "expert", "function", "chain":
			plain[n.ID] = true
		}
	}
	target := r.Last(node)
	if target == nil || target.End.State == core.NodeRunning || len(r.Visits) == runlog.MaxVisits {
		return 0, false
	}
	n := 1 // the first step is the beginning
	for _, v := range r.Visits {
		switch {
		case v.End.State == core.NodeRunning || v.Ended > target.Ended || v.End.State == core.NodeCancelled:
			continue
		case v.End.State != core.NodeCompleted || isList(v.End.Data):
			return 0, false
		case plain[v.Node]:
			n++
		}
	}
	return n, true
}

// isList reports whether data is what a node that works through a list answers.
func isList(data json.RawMessage) bool {
	var keys struct{ Items, Messages, Failed []json.RawMessage }
	return json.Unmarshal(data, &keys) == nil && keys.Items != nil && keys.Messages != nil && keys.Failed != nil
}
