package runlog

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/safe"
)

// What a chain begins and ends with; there is nothing to tell of them.
const (
	ChainStart = "start"
	ChainEnd   = "end"
)

const (
	maxGraph = 512                    // nodes, and edges, of a chain that are drawn
	tick     = 100 * time.Millisecond // the time of what runs is told in these
)

// Graph is how a chain is written with what its run has done: every node with how
// far it is at a time.
func (r *Run) Graph(written diagram.Graph, now time.Time) diagram.Graph {
	g := diagram.Graph{
		Name: written.Name, Nodes: slices.Clone(written.Nodes[:min(len(written.Nodes), maxGraph)]), Edges: slices.Clone(written.Edges[:min(len(written.Edges), maxGraph)]),
	}
	at := map[string]int{}
	for i, n := range g.Nodes {
		at[n.ID] = i
	}
	node := func(id string) *diagram.Node {
		i, ok := at[id]
		if !ok {
			i = len(g.Nodes)
			at[id] = i
			g.Nodes = append(g.Nodes, diagram.Node{ID: id})
		}
		return &g.Nodes[i]
	}
	for _, e := range r.Starts {
		g.Edges = follow(g.Edges, e)
	}
	for _, v := range r.Visits {
		v.mark(node(v.Node), now)
		for _, e := range v.Edges {
			g.Edges = follow(g.Edges, e)
		}
	}
	for _, e := range g.Edges { // what only an edge names is a node too
		if from := node(e.From); e.From == ChainStart {
			from.State = core.NodeCompleted
		}
		if to := node(e.To); e.Taken && to.ID == ChainEnd {
			to.State = core.NodeCompleted
		}
	}
	open := r.open(g)
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.State == "" && !open[n.ID] {
			n.State = core.NodeSkipped
		}
	}
	return g
}

// mark notes on a node of a drawing how an attempt went.
func (v *Visit) mark(n *diagram.Node, now time.Time) {
	n.State, n.Visits, n.Note, n.MS = v.State(), max(n.Visits, v.Visit), "", 0
	switch {
	case v.End == nil:
		n.MS = max(int64(now.Sub(v.Began)/tick), 1) * tick.Milliseconds()
	case v.End.State == core.NodePaused:
		n.Note = "waits for you"
	default:
		n.MS, n.Note = v.End.MS, v.End.Error
	}
}

// follow marks the edge that was taken, and notes what its condition saw. One that is
// not in the chain's file, back for another try or to who handles errors, is added.
func follow(edges []diagram.Edge, e core.EdgeTaken) []diagram.Edge {
	found := -1
	for i, d := range edges {
		if d.From != e.From || d.To != e.To {
			continue
		}
		if found < 0 || d.Label == e.Condition {
			found = i
		}
		if d.Label == e.Condition {
			break
		}
	}
	if found >= 0 {
		d := &edges[found]
		if d.Label == e.Condition {
			d.Saw = saw(e.Values)
		}
		if e.Taken {
			d.Taken = true
			d.Times++
		}
		return edges
	}
	if !e.Taken || len(edges) >= maxGraph {
		return edges
	}
	return append(edges, diagram.Edge{From: e.From, To: e.To, Label: e.Condition, Taken: true, Times: 1})
}

// saw is the value that a condition saw, where it saw no other.
func saw(values map[string]any) string {
	for _, v := range values {
		if raw, err := json.Marshal(v); err == nil && len(values) == 1 {
			return "(" + safe.Cut(string(raw), 24) + ")"
		}
	}
	return ""
}

// open are the nodes that may still be reached: an edge leads there from where the
// work is. Of a run that is over there are none. A node that no edge leads to takes
// care of failures: something may fail for as long as anything is under way.
func (r *Run) open(g diagram.Graph) map[string]bool {
	open := map[string]bool{}
	if r.Over() {
		return open
	}
	led, work := map[string]bool{}, r.underWay()
	for _, e := range g.Edges {
		led[e.To] = true
	}
	for _, n := range g.Nodes {
		if !led[n.ID] && n.ID != ChainStart && r.Newest(n.ID) == nil {
			work = append(work, n.ID)
		}
	}
	for len(work) > 0 {
		from := work[0]
		if work = work[1:]; open[from] {
			continue
		}
		open[from] = true
		for _, e := range g.Edges {
			if e.From == from {
				work = append(work, e.To)
			}
		}
	}
	return open
}

// underWay are the nodes that run or wait for the user, and those that an edge was
// followed to and that have not begun. Before the first one, it is the start.
func (r *Run) underWay() []string {
	var nodes []string
	come := func(edges []core.EdgeTaken) {
		for _, e := range edges {
			if e.Taken && r.Newest(e.To) == nil {
				nodes = append(nodes, e.To)
			}
		}
	}
	come(r.Starts)
	for _, v := range r.Visits {
		if s := v.State(); (s == core.NodeRunning || s == core.NodePaused) && r.Newest(v.Node) == v {
			nodes = append(nodes, v.Node)
		}
		come(v.Edges)
	}
	if len(r.Starts)+len(r.Visits) == 0 {
		nodes = append(nodes, ChainStart)
	}
	return nodes
}
