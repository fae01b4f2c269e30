package runlog

import (
	"slices"

	"yaap/core"
	"yaap/core/diagram"
)

// What a chain begins and ends with; there is nothing to tell of them.
const (
	Start = "start"
	End   = "end"
)

const maxDrawn = 512 // edges of a drawing, beyond which none is added that the chain's file does not have

// Graph returns how far r is in the chain that g draws as it is written.
func (r *Run) Graph(g diagram.Graph) diagram.Graph {
	g.Nodes, g.Edges = slices.Clone(g.Nodes), slices.Clone(g.Edges)
	for _, e := range r.judged() {
		follow(&g, e)
	}
	for _, v := range r.Visits {
		mark(node(&g, v.Node), v)
	}
	for _, e := range g.Edges { // what only an edge names is a node too
		if from := node(&g, e.From); from.ID == Start {
			from.State = core.NodeCompleted
		}
		if to := node(&g, e.To); to.ID == End && e.Taken {
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

// judged are all edges that were judged.
func (r *Run) judged() []core.EdgeTaken {
	edges := slices.Clone(r.Edges)
	for _, v := range r.Visits {
		edges = append(edges, v.Edges...)
	}
	return edges
}

func node(g *diagram.Graph, id string) *diagram.Node {
	i := slices.IndexFunc(g.Nodes, func(n diagram.Node) bool { return n.ID == id })
	if i < 0 {
		i = len(g.Nodes)
		g.Nodes = append(g.Nodes, diagram.Node{ID: id})
	}
	return &g.Nodes[i]
}

// mark notes on a node how an attempt went.
func mark(n *diagram.Node, v Visit) {
	n.State, n.Visits, n.Note, n.MS = v.End.State, max(n.Visits, v.Visit), "", 0
	switch v.End.State {
	case core.NodeRunning:
	case core.NodePaused:
		n.Note = "waits for you"
	default:
		n.MS, n.Note = v.End.MS, v.End.Error
	}
}

// follow marks the edge that was taken. One that is not in the chain's file,
// back for another try or to who takes care of errors, is added.
func follow(g *diagram.Graph, e core.EdgeTaken) {
	found := -1
	for i, edge := range g.Edges {
		if edge.From == e.From && edge.To == e.To && (found < 0 || edge.Label == e.Condition) {
			found = i
		}
	}
	switch {
	case !e.Taken:
	case found >= 0:
		g.Edges[found].Taken = true
	case len(g.Edges) < maxDrawn:
		g.Edges = append(g.Edges, diagram.Edge{From: e.From, To: e.To, Label: e.Condition, Taken: true})
	}
}

// open are the nodes that the work may still come to: those that edges lead to
// from where it is. A node that no edge leads to takes care of failures:
// something may fail for as long as anything is under way. In a run that is
// over there are none.
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
		if !led[n.ID] && n.ID != Start && r.Last(n.ID) == nil {
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

// underWay are the nodes that run or wait for the user, and those that an edge
// was followed to and that have not begun. Before the first one, it is the start.
func (r *Run) underWay() []string {
	var nodes []string
	for i := range r.Visits {
		v := &r.Visits[i]
		if s := v.End.State; (s == core.NodeRunning || s == core.NodePaused) && r.Last(v.Node) == v {
			nodes = append(nodes, v.Node)
		}
	}
	for _, e := range r.judged() {
		if e.Taken && r.Last(e.To) == nil {
			nodes = append(nodes, e.To)
		}
	}
	if len(r.Edges)+len(r.Visits) == 0 {
		nodes = append(nodes, Start)
	}
	return nodes
}
