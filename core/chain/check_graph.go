package chain

import (
	"slices"
	"strings"
)

// graph is a chain as numbers: its nodes, then start, then end.
type graph struct {
	start, end int
	out, in    [][]arc
	loose      []arc // edges that name what is no node, which is none here
}

// arc is an edge, or the way to the chain's own handler where a node has no
// edge for its failures.
type arc struct {
	edge     int // in the Spec; implicit for the way to the handler
	from, to int
}

const implicit = -1

func newGraph(s *Spec, index map[string]int) *graph {
	n := len(s.Nodes)
	g := &graph{start: n, end: n + 1, out: make([][]arc, n+2), in: make([][]arc, n+2)}
	handled := make([]bool, n)
	number := func(id, special string, at int) int {
		if id == special {
			return at
		}
		if i, ok := index[id]; ok {
			return i
		}
		return none
	}
	for i := range s.Edges {
		a := arc{edge: i, from: number(s.Edges[i].From, Start, g.start), to: number(s.Edges[i].To, End, g.end)}
		if a.from == none || a.to == none {
			g.loose = append(g.loose, a)
			continue
		}
		g.add(a)
		if s.Edges[i].OnError && a.from < n {
			handled[a.from] = true
		}
	}
	if handler, ok := index[s.OnError]; ok {
		for i := range n {
			if i != handler && !handled[i] {
				g.add(arc{edge: implicit, from: i, to: handler})
			}
		}
	}
	return g
}

func (g *graph) add(a arc) {
	g.out[a.from] = append(g.out[a.from], a)
	g.in[a.to] = append(g.in[a.to], a)
}

// numbers is a set of numbers.
type numbers []uint64

func newNumbers(n int) numbers   { return make(numbers, n/64+1) }
func (s numbers) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }
func (s numbers) add(i int)      { s[i/64] |= 1 << (i % 64) }

func (s numbers) intersect(o numbers) {
	for i := range s {
		s[i] &= o[i]
	}
}

// after returns what can be reached from some nodes, and these.
func (g *graph) after(from ...int) numbers {
	return g.spread(from, g.out, func(a arc) int { return a.to })
}

// before returns the nodes from which some can be reached, and these.
func (g *graph) before(to ...int) numbers {
	return g.spread(to, g.in, func(a arc) int { return a.from })
}

func (g *graph) spread(open []int, arcs [][]arc, far func(arc) int) numbers {
	seen := newNumbers(len(arcs))
	for _, at := range open {
		seen.add(at)
	}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, a := range arcs[at] {
			if to := far(a); !seen.has(to) {
				seen.add(to)
				open = append(open, to)
			}
		}
	}
	return seen
}

// reach finds nodes that work never reaches, or never leaves. A loose edge is taken for
// one that leads on, or here: that it does not is told already.
func (c *checker) reach() {
	g, s := c.graph, c.spec
	if len(s.Nodes) == 0 {
		if c.at("key.nodes", Pos{}) != (Pos{}) { // else Parse has told
			c.fault(c.at("key.nodes", Pos{1, 1}), "", "the chain has no node")
		}
		return
	}
	from := c.at("key.edges", Pos{1, 1})
	if from == (Pos{1, 1}) && c.spec.places != nil {
		return // Parse has told that there are no edges
	}
	begins, ends := []int{g.start}, []int{g.end}
	for _, a := range g.loose {
		if a.from == none {
			begins = append(begins, a.to)
		} else {
			ends = append(ends, a.from)
		}
	}
	begins = slices.DeleteFunc(begins, func(i int) bool { return i == none })
	if len(g.out[g.start]) == 0 && !slices.Contains(ends, g.start) {
		c.fault(from, "write - {from: start, to: "+s.Nodes[0].ID+"}", "no edge leaves start")
	}
	if len(g.in[g.end]) == 0 && len(g.loose) == 0 {
		c.fault(from, "write - {from: "+s.Nodes[len(s.Nodes)-1].ID+", to: end}", "no edge leads to end")
	}
	reachable, loose := g.after(begins...), slices.Clone(ends)
	for i := range s.Nodes {
		switch n := &s.Nodes[i]; {
		case c.index[n.ID] != i, !isName(n.ID), slices.Contains(reserved(), n.ID):
			ends = append(ends, i) // told already
		case !reachable.has(i):
			if len(g.out[g.start]) > 0 {
				c.fault(n.Pos, "lead an edge to it, or remove it", "nothing leads to %s", n.ID)
			}
			ends = append(ends, i)
		case n.neverSucceeds(), slices.Contains(loose, i):
			ends = append(ends, i)
		case !c.goesOn(i):
			c.fault(n.Pos, "write - {from: "+n.ID+", to: end} where the work is done", "nothing follows when %s succeeds", n.ID)
			ends = append(ends, i)
		}
	}
	if len(g.in[g.end]) == 0 {
		return
	}
	leads := g.before(ends...)
	for i := range s.Nodes {
		if n := &s.Nodes[i]; c.index[n.ID] == i && !leads.has(i) {
			c.fault(n.Pos, "lead an edge out of the circle", "from %s no way leads to end", n.ID)
		}
	}
}

// goesOn reports whether an edge may be followed after a node's success.
func (c *checker) goesOn(at int) bool {
	return slices.ContainsFunc(c.graph.out[at], func(a arc) bool {
		return a.edge != implicit && !c.spec.Edges[a.edge].OnError && c.spec.Edges[a.edge].On == ""
	})
}

// cycles finds cycles in which no node has max_visits. What is left of the
// graph without the nodes that have it must have none.
func (c *checker) cycles() {
	const fresh, open, done = 0, 1, 2
	n := len(c.spec.Nodes)
	state := make([]byte, n)
	next := make([]int, n)
	limited := func(i int) bool { return i >= n || c.spec.Nodes[i].MaxVisits > 0 }
	for root := range n {
		if state[root] != fresh || limited(root) {
			continue
		}
		path := []int{root}
		state[root] = open
		for len(path) > 0 {
			at := path[len(path)-1]
			if next[at] == len(c.graph.out[at]) {
				state[at] = done
				path = path[:len(path)-1]
				continue
			}
			a := c.graph.out[at][next[at]]
			next[at]++
			switch {
			case a.edge == implicit || limited(a.to):
			case state[a.to] == open:
				c.circle(path[slices.Index(path, a.to):], a)
			case state[a.to] == fresh:
				state[a.to] = open
				path = append(path, a.to)
			}
		}
	}
}

const maxNamed = 8 // nodes of a cycle that are named

func (c *checker) circle(path []int, back arc) {
	first := slices.Index(path, slices.Min(path))
	var ids []string
	for i := range path {
		ids = append(ids, c.spec.Nodes[path[(first+i)%len(path)]].ID)
	}
	if ids = append(ids, ids[0]); len(ids) > maxNamed {
		ids = append(ids[:maxNamed], "…")
	}
	e := c.spec.Edges[back.edge]
	c.fault(c.edgePos(back.edge, "to", e.Pos), "give "+c.spec.Nodes[back.to].ID+" a max_visits", "this goes in a circle without a limit: %s", strings.Join(ids, " → "))
}
