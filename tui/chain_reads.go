package tui

import (
	"context"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/runlog"
)

// graphed is how chains are written, by their names.
type graphed map[string]diagram.Graph

// began reads what a run that has just begun needs: how the chain is written, and
// of one that is resumed what it did before, unless that is known.
func (m *model) began(r *runlog.Run, resumed bool) tea.Cmd {
	name, ok := r.Chain()
	if !ok {
		return nil
	}
	cmds := []tea.Cmd{m.readGraphs(name)}
	if id, at := r.ID, r.Since; resumed && r.Began.Equal(at) {
		before := func(ctx context.Context, b Backend) ([]core.Event, error) { return b.RunEvents(ctx, id) }
		cmds = append(cmds, await(m, before, func(events []core.Event, err error) tea.Cmd {
			if err != nil {
				return nil // it is told as far as it is seen
			}
			m.recalled(id, at, events)
			return nil
		}))
	}
	return tea.Batch(cmds...)
}

// recalled takes what a run did before it was resumed.
func (m *model) recalled(run string, before time.Time, events []core.Event) {
	n := slices.IndexFunc(events, func(e core.Event) bool { return !e.Time.Before(before) })
	if n < 0 {
		n = len(events)
	}
	stored := runlog.Read(events[:n], nil).Run(run)
	if r := m.chat.log.Run(run); r != nil && stored != nil {
		r.Recall(stored)
		m.chat.touch(func(a *answer) bool { return a.run == r })
	}
}

// readGraphs reads how chains are written.
func (m *model) readGraphs(names ...string) tea.Cmd {
	return await(m, func(ctx context.Context, b Backend) (graphed, error) {
		out := graphed{}
		for _, name := range names {
			if g, err := b.Graph(ctx, "chain/"+name); err == nil { // else it is drawn as far as it is seen to run
				out[name] = g
			}
		}
		return out, nil
	}, m.graphed)
}

// readOldGraphs reads how the chains are written that an opened conversation tells
// of.
func (m *model) readOldGraphs() tea.Cmd {
	var names []string
	for _, r := range chainRuns(&m.chat.log) {
		name, _ := r.Chain()
		if _, known := m.chat.canvas.graphs[name]; !known && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return m.readGraphs(names...)
}

// graphed takes how chains are written.
func (m *model) graphed(msg graphed, _ error) tea.Cmd {
	maps.Copy(m.chat.canvas.graphs, msg)
	m.chat.touch(func(a *answer) bool {
		_, ok := msg[a.chain()]
		return ok
	})
	return nil
}
