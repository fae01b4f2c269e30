// Package diagram draws graphs and runs: for a terminal, for a file, as Mermaid
// and as DOT.
//
// All functions are pure and end with every graph: cycles, several components,
// edges to nodes that nobody declared. The same graph gives the same drawing,
// with every id in it once. Ids and labels are untrusted text: what comes out
// holds no control characters, and no label can be more than a label.
package diagram

import (
	"cmp"
	"slices"

	"github.com/yaap-chat/yaap/core"
)

// Graph is what is drawn. An id that only an edge names is a node as well; of
// nodes with the same id the first one counts.
type Graph struct {
	Name  string
	Nodes []Node
	Edges []Edge
}

// Node is a place of a Graph.
type Node struct {
	ID     string
	Kind   string
	Label  string         // what stands behind the node: the name of its agent, expert or function
	State  core.NodeState // empty: the graph is not of a run, or the node has not been reached
	Visits int
	MS     int64
	Note   string // what else there is to say: a question, an error
}

// Edge leads from one node to another.
type Edge struct {
	From, To string
	Label    string // the condition, default, on_error
	Saw      string // the values that the condition was judged with
	Times    int    // how often it was followed
	Taken    bool
	Back     bool // it closes a cycle; a cycle without such an edge is opened where it is reached first
}

// plan is a Graph made sound: ids are indices, texts are clean.
type plan struct {
	name  string
	nodes []place
	edges []link
	out   [][]int // the edges that leave a node, as written
	order []int   // the nodes from top to bottom
	pos   []int   // the place of a node in order
}

type place struct {
	Node // ID as it was given

	shown      core.NodeState // in the graph of a run a node without a state is pending
	name, note string         // for people
	kind, what string         // the kind, and with the label
}

type link struct {
	from, to int
	label    string
	saw      string
	times    int
	taken    bool
	hint     bool // said to lead back
	back     bool // to a node that is drawn before, or to the same
}

func newPlan(g Graph) *plan {
	p := &plan{name: clean(g.Name), nodes: make([]place, 0, len(g.Nodes))}
	ids := make(map[string]int, len(g.Nodes))
	for _, n := range g.Nodes {
		p.node(ids, n)
	}
	type key struct {
		from, to int
		label    string
	}
	same := make(map[key]int, len(g.Edges))
	for _, e := range g.Edges {
		l := link{
			from: p.node(ids, Node{ID: e.From}), to: p.node(ids, Node{ID: e.To}),
			label: clean(e.Label), saw: clean(e.Saw), times: e.Times, taken: e.Taken, hint: e.Back,
		}
		k := key{from: l.from, to: l.to, label: l.label}
		if i, ok := same[k]; ok {
			p.edges[i].taken = p.edges[i].taken || l.taken
			continue
		}
		same[k] = len(p.edges)
		p.edges = append(p.edges, l)
	}
	p.out = make([][]int, len(p.nodes))
	for i, e := range p.edges {
		p.out[e.from] = append(p.out[e.from], i)
	}
	if slices.ContainsFunc(p.nodes, func(n place) bool { return n.State != "" }) {
		for i := range p.nodes {
			p.nodes[i].shown = cmp.Or(p.nodes[i].State, core.NodePending)
		}
	}
	p.sort()
	return p
}

// node returns the index of n, which is added when its id is new.
func (p *plan) node(ids map[string]int, n Node) int {
	if i, ok := ids[n.ID]; ok {
		return i
	}
	ids[n.ID] = len(p.nodes)
	pl := place{Node: n, name: clean(n.ID), kind: clean(n.Kind), note: clean(n.Note)}
	pl.what = pl.kind
	pl.name = cmp.Or(pl.name, "(no name)")
	if label := clean(n.Label); label != "" && label != pl.name && label != pl.kind {
		pl.what = join(pl.kind, label)
	}
	p.nodes = append(p.nodes, pl)
	return ids[n.ID]
}

// sort gives every node its place: after all that lead to it, but for edges
// that lead back, and right after the one that it follows where it can be, so
// that a branch stays in one piece.
func (p *plan) sort() {
	p.open()
	in := make([]int, len(p.nodes))
	for _, e := range p.edges {
		if !e.back {
			in[e.to]++
		}
	}
	var ready []int // the last one is next
	for n := len(in) - 1; n >= 0; n-- {
		if in[n] == 0 {
			ready = append(ready, n)
		}
	}
	p.order = make([]int, 0, len(p.nodes))
	p.pos = make([]int, len(p.nodes))
	for len(ready) > 0 {
		n := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		p.pos[n] = len(p.order)
		p.order = append(p.order, n)
		for i := len(p.out[n]) - 1; i >= 0; i-- {
			e := p.edges[p.out[n][i]]
			if e.back {
				continue
			}
			if in[e.to]--; in[e.to] == 0 {
				ready = append(ready, e.to)
			}
		}
	}
	for i, e := range p.edges {
		p.edges[i].back = p.pos[e.to] <= p.pos[e.from]
	}
}

// open marks edges as leading back until there is no cycle without one.
func (p *plan) open() {
	in := make([]int, len(p.nodes))
	for i := range p.edges {
		e := &p.edges[i]
		e.back = e.hint || e.from == e.to
		if !e.back {
			in[e.to]++
		}
	}
	const (
		unseen = iota
		within // the walk is below it
		done
	)
	state := make([]uint8, len(p.nodes))
	var walk func(n int)
	walk = func(n int) {
		if state[n] != unseen {
			return
		}
		state[n] = within
		for _, i := range p.out[n] {
			if e := &p.edges[i]; !e.back && state[e.to] == within {
				e.back = true
			} else if !e.back {
				walk(e.to)
			}
		}
		state[n] = done
	}
	for n := range p.nodes {
		if in[n] == 0 {
			walk(n)
		}
	}
	for n := range p.nodes {
		walk(n)
	}
}
