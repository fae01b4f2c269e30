package tui

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"yaap/core"
	"yaap/core/diagram"
	"yaap/core/runlog"
	"yaap/core/safe"
)

// Messages of what was read about chains.
type (
	graphed  map[string]diagram.Graph // by the name of the chain
	recalled struct {
		run    string
		before time.Time // when it was gone on with
		events []core.Event
	}
)

// began reads what a run that has just begun needs: how the chain is written, and
// of one that is gone on with what it did before, unless that is known.
func (m *model) began(r *runlog.Run, resumed bool) tea.Cmd {
	name, ok := r.Chain()
	if !ok {
		return nil
	}
	cmds := []tea.Cmd{m.readGraphs(name)}
	if b, ctx, id, at := m.b, m.ctx, r.ID, r.Since; resumed && r.Began.Equal(at) {
		cmds = append(cmds, m.jobs.command(func() tea.Msg {
			events, err := b.RunEvents(ctx, id)
			if err != nil {
				return nil // it is told as far as it is seen
			}
			return recalled{id, at, events}
		}))
	}
	return tea.Batch(cmds...)
}

// recalled takes what a run did before it was gone on with.
func (m *model) recalled(msg recalled) {
	n := slices.IndexFunc(msg.events, func(e core.Event) bool { return !e.Time.Before(msg.before) })
	if n < 0 {
		n = len(msg.events)
	}
	stored := runlog.Read(msg.events[:n], nil).Run(msg.run)
	if r := m.chat.log.Run(msg.run); r != nil && stored != nil {
		r.Recall(stored)
		m.chat.touch(func(a *answer) bool { return a.run == r })
	}
}

// readGraphs reads how chains are written.
func (m *model) readGraphs(names ...string) tea.Cmd {
	b, ctx := m.b, m.ctx
	return m.jobs.command(func() tea.Msg {
		out := graphed{}
		for _, name := range names {
			if g, err := b.Graph(ctx, "chain/"+name); err == nil { // else it is drawn as far as it is seen to run
				out[name] = g
			}
		}
		return out
	})
}

// readOldGraphs reads how the chains are written that an opened conversation tells
// of.
func (m *model) readOldGraphs() tea.Cmd {
	var names []string
	for _, r := range m.chains.here() {
		name, _ := r.Chain()
		if _, known := m.chains.graphs[name]; !known && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return m.readGraphs(names...)
}

// graphed takes how chains are written.
func (m *model) graphed(msg graphed) {
	maps.Copy(m.chains.graphs, msg)
	m.chat.touch(func(a *answer) bool {
		_, ok := msg[a.chain()]
		return ok
	})
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
		if n, ok := stepOf(r, m.chains.graphOf(r), m.chains.focus(r)); ok {
			at = itoa(n)
		}
		m.input.set("/chain fork " + safe.Line(r.ID) + " --at " + at)
		m.panes.focus, m.panes.full = inInput, false
	}
	return nil
}

// cancelRun stops a run, or gives up one that waits. It has to be asked for
// twice.
func (m *model) cancelRun(r *runlog.Run) tea.Cmd {
	a := m.chat.active()
	here := r.End == nil && m.run.cancel != nil && a != nil && a.run.ID == rootRun(r)
	if m.chains.cancel != rootRun(r) || m.panes.note.text == "" {
		m.chains.cancel = rootRun(r)
		if here {
			return m.say(toneAsk, "c again stops this run; /continue goes on with it")
		}
		return m.say(toneAsk, "c again gives this run up; it asks nothing any more then")
	}
	m.chains.cancel = ""
	if here {
		return m.cutRun()
	}
	return m.command("/chain cancel " + safe.Line(rootRun(r)))
}

// stepOf is the number of the step that the newest attempt of a node was. It
// reports false where events do not tell: what needed nobody was no step, and
// a list was one for each of its items.
func stepOf(r *runlog.Run, g diagram.Graph, node string) (int, bool) {
	plain := map[string]bool{}
	for _, n := range g.Nodes {
		switch n.Kind {
		case "agent", "expert", "function", "chain":
			plain[n.ID] = true
		}
	}
	target := r.Newest(node)
	if target == nil || target.End == nil || r.Forgot() {
		return 0, false
	}
	n := 1 // the first step is the beginning
	for _, v := range r.Visits {
		switch {
		case v.End == nil || v.Ended > target.Ended || v.End.State == core.NodeCancelled:
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
