package diagram

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

const (
	maxBoxes     = 40 // nodes that are drawn as boxes
	roomy        = 14 // nodes up to which a box has a second line
	maxCondition = 36 // cells of a label: that of a longer condition is cut, what it saw is not
)

// Boxes draws g as boxes on layers, from top to bottom, with the labels of the
// edges on their lines. Edges that lead back leave a node at its top and end
// below another. Where w cells are too few, or there are more than 40 nodes, it
// returns nil: [Rows] draws every graph.
func Boxes(g Graph, w int, ascii bool) []Row {
	d := boxes{plan: newPlan(g), glyphs: newGlyphs(ascii)}
	if len(d.nodes) == 0 || len(d.nodes) > maxBoxes {
		return nil
	}
	for _, d.most = range []int{60, 32, 22, 14} {
		d.layers = newLayers(d.plan, d.words, d.label)
		if d.place(w) {
			return d.draw(w)
		}
	}
	return nil
}

type boxes struct {
	*plan
	glyphs
	*layers
	most  int // cells of a text
	cells [][]stroke
}

// stroke is a cell of the picture: a line, or the first cell of a text.
type stroke struct {
	cell
	span Span
}

// words are the lines of a node.
func (d *boxes) words(n int) []string {
	pl := d.nodes[n]
	lines := []string{d.sign(pl) + " " + cut(pl.name, d.most, d.elided)}
	if len(d.nodes) <= roomy {
		second := join(pl.what, d.tail(pl))
		if pl.State == "paused" {
			second = join(pl.what, pl.note)
		}
		if second != "" {
			lines = append(lines, cut(second, d.most, d.elided))
		}
	}
	for _, i := range d.out[n] {
		if e := d.edges[i]; e.to == n {
			lines = append(lines, d.label(e))
		}
	}
	return lines
}

// label is what stands on an edge: its condition with what it saw, with a sign where it
// was taken, and for one that leads back how often it was followed.
func (d *boxes) label(e link) string {
	before, behind := "", e.saw
	switch {
	case e.taken && !e.back && e.label+e.saw != "":
		before = d.taken
	case e.back:
		before = d.back
		if e.times > 0 {
			behind = join(behind, d.times+strconv.Itoa(e.times))
		}
	}
	most := min(d.most, maxCondition)
	room := max(most-width(before)-width(behind)-2, 1)
	return cut(join(before, join(cut(e.label, room, d.elided), behind)), most, d.elided)
}

func (d *boxes) draw(w int) []Row {
	for y, row := range d.rows {
		d.layer(row, w)
		if y == len(d.rows)-1 {
			break
		}
		if !d.channel(row, w) {
			return nil
		}
	}
	rows := make([]Row, len(d.cells))
	for y, cells := range d.cells {
		var b builder
		for x := 0; x < w; x++ {
			switch c := cells[x]; {
			case c.span.Text != "":
				b.add(c.span)
				x += width(c.span.Text) - 1
			case c.ways == 0:
				b.pad(1)
			default:
				b.add(Span{Text: d.lines[c.ways], Edge: true, Taken: c.taken})
			}
		}
		rows[y].Spans = b.spans
	}
	return rows
}

// add appends blank rows and returns the first.
func (d *boxes) add(n, w int) (y int) {
	y = len(d.cells)
	for range n {
		d.cells = append(d.cells, make([]stroke, w))
	}
	return y
}

// layer draws the items of a layer.
func (d *boxes) layer(row []int, w int) {
	h := 1
	for _, n := range row {
		if it := d.items[n]; it.node >= 0 {
			h = max(h, len(it.text)+2)
		}
	}
	top := d.add(h, w)
	for _, n := range row {
		switch it := &d.items[n]; {
		case it.node >= 0:
			d.box(it, top, h)
		default:
			e := d.edges[it.edge]
			for y := range h {
				d.cells[top+y][it.x+it.w/2].cell = cell{ways: up | down, taken: e.taken}
			}
			if len(it.text) > 0 {
				d.cells[top][it.x].span = Span{Text: it.text[0], Edge: true, Taken: e.taken, Node: d.nodes[e.from].ID}
			}
		}
	}
}

func (d *boxes) box(it *item, top, h int) {
	n := d.nodes[it.node]
	plain := Span{Node: n.ID, State: string(n.State)}
	put := func(x, y int, s Span, text string) {
		s.Text = text
		d.cells[top+y][it.x+x].span = s
	}
	for x := 1; x < it.w-1; x++ {
		put(x, 0, plain, d.lines[left|right])
		put(x, h-1, plain, d.lines[left|right])
	}
	for _, s := range it.up {
		if s.loop {
			put(it.w-2, 0, plain, d.lines[up|left|right])
		}
	}
	for _, s := range it.down {
		if !s.loop {
			put(it.w/2, h-1, plain, d.lines[down|left|right])
		}
	}
	put(0, 0, plain, d.lines[down|right])
	put(it.w-1, 0, plain, d.lines[down|left])
	put(0, h-1, plain, d.lines[up|right])
	put(it.w-1, h-1, plain, d.lines[up|left])
	for y := 1; y < h-1; y++ {
		put(0, y, plain, d.lines[up|down])
		put(it.w-1, y, plain, d.lines[up|down])
		if y > len(it.text) {
			continue
		}
		if y == 1 {
			sign, name, _ := strings.Cut(it.text[0], " ")
			put(2, y, plain, sign)
			put(3+width(sign), y, plain, name)
			continue
		}
		small := plain
		small.Dim = true
		put(2, y, small, it.text[y-1])
	}
}

// net is the segments that share a line across: those of one port.
type net struct {
	segs        []seg
	first, last int // columns
	row         int
}

// fans reports whether n leads from one item to several.
func (n *net) fans() bool { return n.segs[0].to != n.segs[len(n.segs)-1].to }

// channel draws the segments between a layer and the next. It reports false where lines
// would have to run over each other.
func (d *boxes) channel(above []int, w int) bool {
	var segs []seg
	heads, tails := 0, 0
	for _, n := range above {
		for _, s := range d.items[n].down {
			segs = append(segs, s)
			if s.loop && d.items[s.from].node >= 0 {
				heads = 1
			}
			if !s.loop && d.items[s.to].node >= 0 {
				tails = 1
			}
		}
	}
	nets := d.nets(segs)
	tracks, ok := d.stack(segs, nets)
	if !ok {
		return false
	}
	top := d.add(heads+tracks+tails, w)
	end := len(d.cells)
	line := func(x, from, to int, taken bool) { // from above the one row to below the other
		for y := from; y < to; y++ {
			c := &d.cells[y][x]
			c.ways |= up | down
			c.taken = c.taken || taken
		}
	}
	for _, s := range segs {
		if from, to := d.ports(s); from == to {
			line(from, top, end, s.taken)
		}
	}
	for _, n := range nets {
		y := top + heads + n.row
		for _, s := range n.segs {
			from, to := d.ports(s)
			line(from, top, y, s.taken)
			line(to, y+1, end, s.taken)
			d.cells[y][from].ways |= up
			d.cells[y][to].ways |= down
		}
	}
	for _, n := range nets {
		d.across(n, top+heads+n.row)
	}
	for _, s := range segs {
		from, to := d.ports(s)
		tip := Span{Edge: true, Dim: true, Taken: s.taken}
		if s.loop && d.items[s.from].node >= 0 {
			tip.Text, tip.Taken = d.headUp, d.cells[top][from].taken
			d.cells[top][from].span = tip
		}
		if !s.loop && d.items[s.to].node >= 0 {
			tip.Text, tip.Taken = d.headDown, d.cells[end-1][to].taken
			d.cells[end-1][to].span = tip
		}
	}
	return true
}

// across draws the part of a net that leads to the side. A line from above to
// below that is not its own stays whole.
func (d *boxes) across(n *net, y int) {
	own := map[int]bool{}
	for _, s := range n.segs {
		from, to := d.ports(s)
		own[from], own[to] = true, true
	}
	for _, s := range n.segs {
		from, to := d.ports(s)
		first, last := min(from, to), max(from, to)
		for x := first; x <= last; x++ {
			c := &d.cells[y][x]
			if c.ways&(up|down) != 0 && !own[x] {
				continue
			}
			if x > first {
				c.ways |= left
			}
			if x < last {
				c.ways |= right
			}
			c.taken = c.taken || s.taken
		}
	}
}

// nets groups the segments that are not straight by the port that they leave, or,
// where only one leaves it, by the port that they come to.
func (d *boxes) nets(segs []seg) []*net {
	leave := map[int]int{}
	for _, s := range segs {
		from, _ := d.ports(s)
		leave[from]++
	}
	var nets []*net
	by := map[[2]int]*net{}
	for _, s := range segs {
		from, to := d.ports(s)
		if from == to {
			continue
		}
		key := [2]int{0, from}
		if leave[from] == 1 {
			key = [2]int{1, to}
		}
		n := by[key]
		if n == nil {
			n = &net{first: min(from, to), last: max(from, to), row: -1}
			by[key] = n
			nets = append(nets, n)
		}
		n.segs = append(n.segs, s)
		n.first, n.last = min(n.first, from, to), max(n.last, from, to)
	}
	slices.SortStableFunc(nets, func(a, b *net) int { return cmp.Compare(a.last-a.first, b.last-b.first) })
	return nets
}

// stack gives every net its row: what leaves a column stands above what comes to
// the same column, or the two would be one line, and what leads to several above
// what joins one of them. It returns the number of rows.
func (d *boxes) stack(segs []seg, nets []*net) (rows int, ok bool) {
	before := func(a, b *net) bool {
		for _, s := range a.segs {
			for _, t := range b.segs {
				from, end := d.ports(s)
				if _, to := d.ports(t); from == to || end == to && a.fans() {
					return true
				}
			}
		}
		return false
	}
	for _, n := range nets {
		for _, s := range segs {
			from, to := d.ports(s)
			joins := func(t seg) bool { return t.to == s.to && t.loop == s.loop && t.from != s.from }
			if from == to && n.fans() && slices.ContainsFunc(n.segs, joins) {
				return 0, false
			}
		}
	}
	for left := slices.Clone(nets); len(left) > 0; {
		i := slices.IndexFunc(left, func(n *net) bool {
			return !slices.ContainsFunc(left, func(m *net) bool { return m != n && before(m, n) })
		})
		if i < 0 {
			return 0, false
		}
		n := left[i]
		left = slices.Delete(left, i, i+1)
		row := 0
		for _, m := range nets {
			if m.row >= 0 && before(m, n) {
				row = max(row, m.row+1)
			}
		}
		for slices.ContainsFunc(nets, func(m *net) bool { return m.row == row && m.first <= n.last && n.first <= m.last }) {
			row++
		}
		n.row = row
		rows = max(rows, row+1)
	}
	return rows, true
}
