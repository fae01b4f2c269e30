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

// drawing is a graph that is given its states.
type drawing struct{ diagram.Graph }

// Graph returns how far r is in the chain that g draws as it is written.
func (r *Run) Graph(g diagram.Graph) diagram.Graph {
	g.Nodes, g.Edges = slices.Clone(g.Nodes), slices.Clone(g.Edges)
	d := &drawing{g}
	for _, e := range r.Edges {
		d.follow(e)
	}
	for _, v := range r.Visits {
		mark(d.node(v.Node), v)
		for _, e := range v.Edges {
			d.follow(e)
		}
	}
	for _, e := range d.Edges { // what only an edge names is a node too
		if from := d.node(e.From); from.ID == Start {
			from.State = core.NodeCompleted
		}
		if to := d.node(e.To); to.ID == End && e.Taken {
			to.State = core.NodeCompleted
		}
	}
	open := r.open(d.Graph)
	for i := range d.Nodes {
		if n := &d.Nodes[i]; n.State == "" && !open[n.ID] {
			n.State = core.NodeSkipped
		}
	}
	return d.Graph
}

func (d *drawing) node(id string) *diagram.Node {
	i := slices.IndexFunc(d.Nodes, func(n diagram.Node) bool { return n.ID == id })
	if i < 0 {
		i = len(d.Nodes)
		d.Nodes = append(d.Nodes, diagram.Node{ID: id})
	}
	return &d.Nodes[i]
}

// mark notes on a node how an attempt went.
func mark(n *diagram.Node, v Visit) {
	n.State, n.Visits, n.Note, n.MS = v.State(), max(n.Visits, v.Visit), "", 0
	switch {
	case v.End == nil:
	case v.End.State == core.NodePaused:
		n.Note = "waits for you"
	default:
		n.MS, n.Note = v.End.MS, v.End.Error
	}
}

// follow marks the edge that was taken. One that is not in the chain's file,
// back for another try or to who takes care of errors, is added.
func (d *drawing) follow(e core.EdgeTaken) {
	if !e.Taken {
		return
	}
	found := -1
	for i, edge := range d.Edges {
		if edge.From == e.From && edge.To == e.To && (found < 0 || edge.Label == e.Condition) {
			found = i
			if edge.Label == e.Condition {
				break
			}
		}
	}
	switch {
	case found >= 0:
		d.Edges[found].Taken = true
	case len(d.Edges) < maxDrawn:
		d.Edges = append(d.Edges, diagram.Edge{From: e.From, To: e.To, Label: e.Condition, Taken: true})
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
	edges := slices.Clone(r.Edges)
	for i := range r.Visits {
		v := &r.Visits[i]
		if s := v.State(); (s == core.NodeRunning || s == core.NodePaused) && r.Last(v.Node) == v {
			nodes = append(nodes, v.Node)
		}
		edges = append(edges, v.Edges...)
	}
	for _, e := range edges {
		if e.Taken && r.Last(e.To) == nil {
			nodes = append(nodes, e.To)
		}
	}
	if len(r.Edges)+len(r.Visits) == 0 {
		nodes = append(nodes, Start)
	}
	return nodes
}
