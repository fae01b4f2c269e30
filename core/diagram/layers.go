package diagram

import (
	"cmp"
	"slices"
)

const (
	apart  = 2 // columns between two items of a layer
	sweeps = 8 // more of them find nothing better
)

// item is what stands in a layer: a node, the label of an edge, or a point where
// an edge passes.
type item struct {
	node, edge int // -1: none
	text       []string
	x, w       int
	up, down   []seg
}

// seg is the part of an edge between a layer and the next. What leads back is
// drawn upside down, and meets a node at a port of its own.
type seg struct {
	from, to    int
	taken, loop bool
}

type layers struct {
	*plan
	items []item
	rows  [][]int // items from left to right
}

// newLayers puts every node below those that lead to it and gives each edge an
// item in all layers between, so that no edge passes through another item.
func newLayers(p *plan, words func(n int) []string, label func(link) string) *layers {
	l := &layers{plan: p, items: make([]item, len(p.nodes))}
	rank, labels, last := make([]int, len(p.nodes)), make([]bool, len(p.nodes)), 0
	above := make([][]int, len(p.nodes)) // the edges that end at a node, upside down those that lead back
	for i, e := range p.edges {
		if e.from != e.to {
			_, to := e.ends()
			above[to] = append(above[to], i)
		}
	}
	for _, n := range p.order {
		for _, i := range above[n] {
			from, _ := p.edges[i].ends()
			rank[n] = max(rank[n], rank[from]+1)
		}
		last = max(last, rank[n])
	}
	for _, e := range p.edges {
		if from, _ := e.ends(); e.from != e.to && label(e) != "" {
			labels[rank[from]] = true
		}
	}
	at := make([]int, last+1) // the layer of a rank; its labels stand in the next
	for r := 1; r <= last; r++ {
		at[r] = at[r-1] + 1
		if labels[r-1] {
			at[r]++
		}
	}
	l.rows = make([][]int, at[last]+1)
	for _, n := range p.order {
		l.items[n] = item{node: n, edge: -1, text: words(n)}
		l.rows[at[rank[n]]] = append(l.rows[at[rank[n]]], n)
	}
	for _, n := range p.order {
		for _, i := range above[n] {
			from, _ := p.edges[i].ends()
			l.lead(i, at[rank[from]], at[rank[n]], label(p.edges[i]))
		}
	}
	for i := range l.items {
		it := &l.items[i]
		it.w = 1
		for _, s := range it.text {
			it.w = max(it.w, width(s))
		}
		if it.node >= 0 {
			it.w = max(it.w+4, 7) // room for two ports
		}
	}
	l.untangle()
	return l
}

// ends are the nodes of an edge, the one that is drawn above first.
func (e link) ends() (above, below int) {
	if e.back {
		return e.to, e.from
	}
	return e.from, e.to
}

// lead takes an edge from one layer to another, its label in the first between.
func (l *layers) lead(i, first, last int, label string) {
	e := l.edges[i]
	from, to := e.ends()
	for y := first + 1; y <= last; y++ {
		next := to
		if y < last {
			next = len(l.items)
			it := item{node: -1, edge: i}
			if y == first+1 && label != "" {
				it.text = []string{label}
			}
			l.items = append(l.items, it)
			l.rows[y] = append(l.rows[y], next)
		}
		s := seg{from: from, to: next, taken: e.taken, loop: e.back}
		l.items[from].down = append(l.items[from].down, s)
		l.items[next].up = append(l.items[next].up, s)
		from = next
	}
}

// untangle orders the items of each layer by where their neighbours stand, and
// keeps the order with the fewest crossings.
func (l *layers) untangle() {
	var best [][]int
	fewest := -1
	at := make([]int, len(l.items))
	for sweep := range sweeps {
		for y := range l.rows {
			if sweep%2 == 1 {
				y = len(l.rows) - 1 - y
			}
			mean := map[int]float64{}
			for i, n := range l.rows[y] {
				sum, near := 0, l.near(n, sweep%2 == 0)
				for _, m := range near {
					sum += at[m]
				}
				if mean[n] = float64(i); len(near) > 0 && sweep > 0 {
					mean[n] = float64(sum) / float64(len(near))
				}
			}
			slices.SortStableFunc(l.rows[y], func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
			for i, n := range l.rows[y] {
				at[n] = i
			}
		}
		if n := l.crossings(at); fewest < 0 || n < fewest {
			fewest, best = n, make([][]int, len(l.rows))
			for y, row := range l.rows {
				best[y] = slices.Clone(row)
			}
		}
	}
	l.rows = best
}

// near are the items that an item is tied to, in the layer above or below.
func (l *layers) near(n int, above bool) []int {
	var out []int
	if above {
		for _, s := range l.items[n].up {
			out = append(out, s.from)
		}
		return out
	}
	for _, s := range l.items[n].down {
		out = append(out, s.to)
	}
	return out
}

func (l *layers) crossings(at []int) int {
	n := 0
	var segs []seg
	for _, row := range l.rows {
		segs = segs[:0]
		for _, i := range row {
			segs = append(segs, l.items[i].down...)
		}
		for i, a := range segs {
			for _, b := range segs[i+1:] {
				if (at[a.from]-at[b.from])*(at[a.to]-at[b.to]) < 0 {
					n++
				}
			}
		}
	}
	return n
}

// place gives every item its columns, each as near below and above its
// neighbours as those beside it allow. It reports false when a layer has no room
// in w cells.
func (l *layers) place(w int) bool {
	for _, row := range l.rows {
		x := 0
		for _, n := range row {
			l.items[n].x = x
			x += l.items[n].w + apart
		}
		if x-apart > w {
			return false
		}
		for _, n := range row {
			l.items[n].x += (w - x + apart) / 2
		}
	}
	for sweep := range sweeps + 1 { // the last one goes down
		for y := range l.rows {
			if sweep%2 == 1 {
				y = len(l.rows) - 1 - y
			}
			l.settle(l.rows[y], sweep%2 == 0, w)
		}
	}
	first := w
	for _, it := range l.items {
		first = min(first, it.x)
	}
	for i := range l.items {
		l.items[i].x -= first
	}
	return true
}

// settle moves the items of a layer towards their neighbours: those that would
// stand in each other's way move as one, to the mean of where they want to be.
func (l *layers) settle(row []int, above bool, w int) {
	type block struct{ sum, n, at int }
	var blocks []block
	used := 0
	for _, n := range row {
		want := l.items[n].x
		segs := l.items[n].down
		if above {
			segs = l.items[n].up
		}
		if len(segs) > 0 {
			sum := 0
			for _, s := range segs {
				from, to := l.ports(s)
				if above {
					sum += from - to
				} else {
					sum += to - from
				}
			}
			want += divide(sum, len(segs))
		}
		b := block{sum: want - used, n: 1, at: want - used}
		used += l.items[n].w + apart
		for len(blocks) > 0 && blocks[len(blocks)-1].at > b.at {
			last := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			b.sum, b.n = b.sum+last.sum, b.n+last.n
			b.at = divide(b.sum, b.n)
		}
		blocks = append(blocks, b)
	}
	offset, most, i := 0, w-(used-apart), 0
	for _, b := range blocks {
		for range b.n {
			it := &l.items[row[i]]
			it.x = offset + max(min(b.at, most), 0)
			offset += it.w + apart
			i++
		}
	}
}

// divide rounds down, below zero as well.
func divide(a, b int) int {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

// ports are the columns where s begins and ends.
func (l *layers) ports(s seg) (from, to int) { return l.port(s.from, s.loop), l.port(s.to, s.loop) }

func (l *layers) port(n int, loop bool) int {
	it := &l.items[n]
	if loop && it.node >= 0 {
		return it.x + it.w - 2
	}
	return it.x + it.w/2
}
