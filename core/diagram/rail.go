package diagram

import "slices"

// The rail is the lines at the left of a drawing. It has lanes; a lane holds
// the edges that are on their way to one node further down, all that lead to
// the same node in the same lane. The last lane holds no edges: a node that no
// lane leads to is drawn there when the others are taken, and an edge that finds
// no free lane is told in words.

// maxLanes bounds the rail; it is readable with fewer still.
const maxLanes = 16

// The directions in which a cell is left.
const (
	up uint8 = 1 << iota
	down
	left
	right
)

// cell is one column of the rail; lanes are the even ones.
type cell struct {
	ways  uint8
	taken bool
}

// line is a row of the drawing before it has text.
type line struct {
	cells []cell
	lane  int // of the node
	node  int // -1: none
	edge  int // whose text stands here; -1: none
}

type lane struct {
	to    int // -1: free
	taken bool
}

type rail struct {
	*plan
	lanes []lane
	at    []int // the lane that leads to a node; -1: none
	lines []line
}

// layOut draws the rails of p in at most w cells.
func layOut(p *plan, w int) []line {
	n := min(max(w/6, 2), maxLanes)
	if w < 4 {
		n = 1
	}
	r := &rail{plan: p, lanes: make([]lane, n), at: make([]int, len(p.nodes))}
	for i := range r.lanes {
		r.lanes[i].to = -1
	}
	for i := range r.at {
		r.at[i] = -1
	}
	for _, n := range p.order {
		r.drawNode(n)
	}
	return r.lines
}

// add appends a line on which all lanes go straight on.
func (r *rail) add(l line) *line {
	l.cells = make([]cell, 2*len(r.lanes))
	for i, lane := range r.lanes {
		if lane.to >= 0 {
			l.cells[2*i] = cell{ways: up | down, taken: lane.taken}
		}
	}
	r.lines = append(r.lines, l)
	return &r.lines[len(r.lines)-1]
}

func (r *rail) drawNode(n int) {
	own := r.at[n]
	if own < 0 {
		own = slices.IndexFunc(r.lanes[:len(r.lanes)-1], func(l lane) bool { return l.to < 0 })
		if own < 0 {
			own = len(r.lanes) - 1
		}
		if len(r.lines) > 0 { // it must not look as if the node above led to it
			r.add(line{node: -1, edge: -1})
		}
	} else {
		r.lanes[own].to = -1
	}
	r.add(line{node: n, edge: -1, lane: own})
	kept := r.assign(n, own)
	straight := kept >= 0 && slices.ContainsFunc(r.out[n], func(i int) bool {
		return r.edges[i].to == kept && r.edges[i].taken
	})
	rows := r.group(n, kept)
	last := -1 // the last row with an edge that was taken
	for i, edges := range rows {
		if slices.ContainsFunc(edges, func(i int) bool { return r.edges[i].taken }) {
			last = i
		}
	}
	for i, edges := range rows {
		r.drawEdges(own, edges, kept >= 0 || i < len(rows)-1, straight || i <= last)
	}
	if kept >= 0 {
		r.lanes[own] = lane{to: kept, taken: straight}
	}
}

// assign finds lanes for the nodes that n leads to. It returns the one that
// goes on in the lane of n, or -1.
func (r *rail) assign(n, own int) (kept int) {
	kept = -1
	if own < len(r.lanes)-1 { // what is drawn first goes straight down
		for _, i := range r.out[n] {
			if e := r.edges[i]; r.homeless(e) && (kept < 0 || r.pos[e.to] < r.pos[kept]) {
				kept = e.to
			}
		}
		if kept >= 0 {
			r.at[kept] = own
		}
	}
	var free []int // the nearest first, those at the right before those at the left
	for i := own + 1; i < len(r.lanes)-1; i++ {
		free = append(free, i)
	}
	for i := own - 1; i >= 0; i-- {
		free = append(free, i)
	}
	free = slices.DeleteFunc(free, func(i int) bool { return r.lanes[i].to >= 0 })
	for _, i := range r.out[n] {
		if len(free) == 0 {
			break
		}
		if e := r.edges[i]; r.homeless(e) {
			r.at[e.to] = free[0]
			free = free[1:]
		}
	}
	return kept
}

// homeless reports whether no lane leads yet to where e does.
func (r *rail) homeless(e link) bool { return !e.back && r.at[e.to] < 0 }

// inLane reports whether an edge is drawn as a line.
func (r *rail) inLane(e link) bool { return !e.back && r.at[e.to] >= 0 }

// group says which edges of n share a row: those that need no words.
func (r *rail) group(n, kept int) [][]int {
	var rows [][]int
	plain := -1
	for _, i := range r.out[n] {
		e := r.edges[i]
		switch {
		case e.label != "" || !r.inLane(e):
			rows = append(rows, []int{i})
		case plain < 0:
			plain = len(rows)
			rows = append(rows, []int{i})
		default:
			rows[plain] = append(rows[plain], i)
		}
	}
	if plain < 0 || len(rows[plain]) > 1 || r.edges[rows[plain][0]].to != kept {
		return rows
	}
	// A line that only goes straight down needs a row when no other shows it.
	if len(rows) > 1 || r.pos[kept] != r.pos[n]+1 {
		return slices.Delete(rows, plain, plain+1)
	}
	return rows
}

// drawEdges draws one row of edges that leave the lane own, which goes on below
// when more is true. taken says whether it leads to an edge that was taken.
func (r *rail) drawEdges(own int, edges []int, more, taken bool) {
	first := r.edges[edges[0]]
	l := r.add(line{node: -1, edge: -1})
	if first.label != "" || !r.inLane(first) {
		l.edge = edges[0]
	}
	start := &l.cells[2*own]
	*start = cell{ways: up, taken: taken}
	if more {
		start.ways |= down
	}
	if !r.inLane(first) { // told in words: a short line points at them
		start.ways |= right
		l.cells[2*own+1] = cell{ways: left | right, taken: first.taken}
		return
	}
	for _, i := range edges {
		r.reach(l, own, r.edges[i])
	}
	for _, i := range edges {
		cross(l.cells, 2*own, 2*r.at[r.edges[i].to], r.edges[i].taken)
	}
}

// reach lets e, which comes from the lane own, end in the lane of its node.
func (r *rail) reach(l *line, own int, e link) {
	at := r.at[e.to]
	if at == own {
		return
	}
	out, in := right, left
	if at < own {
		out, in = left, right
	}
	l.cells[2*own].ways |= out
	c := &l.cells[2*at]
	c.ways |= down | in
	c.taken = c.taken || e.taken
	r.lanes[at].to = e.to
	r.lanes[at].taken = r.lanes[at].taken || e.taken
}

// cross draws from one column to another. A lane that lies between stays whole.
func cross(cells []cell, from, to int, taken bool) {
	for i := min(from, to) + 1; i < max(from, to); i++ {
		c := &cells[i]
		if c.ways&up != 0 && c.ways&(left|right) == 0 {
			continue
		}
		c.ways |= left | right
		c.taken = c.taken || taken
	}
}
