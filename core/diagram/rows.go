package diagram

import "strings"

// Row is one line of a drawing.
type Row struct{ Spans []Span }

func (r Row) text() (text string) {
	for _, s := range r.Spans {
		text += s.Text
	}
	return text
}

// Span is a piece of a Row that is shown in one style.
type Span struct {
	Text  string
	Node  string // the id, as it was given, of the node that it is about; for the words of an edge, of the one it leaves
	State string // of that node
	Edge  bool   // it is a line, or the words of an edge
	Taken bool   // and the edge was taken, or one of those that the line stands for
	Dim   bool   // it is the small print of a node
}

// Rows draws g from top to bottom, one row for each node: its state, what it
// is, how often and how long it ran, and before it a rail of lines. An edge that
// says something has a row too; one that leads back says where to. No row is
// wider than w cells, whatever they hold; with less than one there are none.
// ascii draws with ASCII alone; the texts of g stay what they are.
func Rows(g Graph, w int, ascii bool) []Row {
	if w < 1 {
		return nil
	}
	d := drawing{plan: newPlan(g), glyphs: newGlyphs(ascii)}
	lines := layOut(d.plan, w)
	d.measure(lines, w)
	rows := make([]Row, 0, len(lines))
	for _, l := range lines {
		rows = append(rows, d.row(l))
	}
	return rows
}

// ASCII draws g as plain text under its name, for a file or a pipe: as boxes where they
// have room, and else as rows. It takes at most w cells in a line.
func ASCII(g Graph, w int) string {
	var b strings.Builder
	if name := cut(clean(g.Name), w, "…"); name != "" {
		b.WriteString(name + "\n\n")
	}
	rows := Boxes(g, w, false)
	if rows == nil {
		rows = Rows(g, w, false)
	}
	for _, row := range rows {
		b.WriteString(row.text() + "\n")
	}
	return b.String()
}

// drawing puts text beside the rail.
type drawing struct {
	*plan
	glyphs

	rail                int  // cells of the rail
	avail               int  // cells beside it
	names, whats, tails int  // cells of the columns
	short               bool // the kinds have no room for their labels
}

const (
	gap     = 2 // between columns
	minName = 8
	minText = 4 // less is not worth showing
)

// measure finds the widths of the rail and of the columns.
func (d *drawing) measure(lines []line, w int) {
	used := 0
	for _, l := range lines {
		for i, c := range l.cells {
			if c.ways != 0 || l.node >= 0 && l.lane*2 == i {
				used = max(used, i/2*2+2)
			}
		}
	}
	d.rail = min(used, w)
	d.avail = w - d.rail
	kinds := 0
	for _, n := range d.nodes {
		d.names = max(d.names, width(n.name))
		d.whats = max(d.whats, width(n.what))
		kinds = max(kinds, width(n.kind))
		d.tails = max(d.tails, width(d.tail(n)))
	}
	over := func() int {
		sum := d.names
		for _, c := range []int{d.whats, d.tails} {
			if c > 0 {
				sum += gap + c
			}
		}
		return sum - d.avail
	}
	shrink := func(column *int, floor int) {
		*column -= min(max(over(), 0), max(*column-floor, 0))
	}
	shrink(&d.names, 2*minName)
	if over() > 0 {
		d.whats, d.short = kinds, true
	}
	shrink(&d.whats, minText)
	if over() > 0 {
		d.whats = 0
	}
	shrink(&d.names, minName)
	if over() > 0 {
		d.tails = 0
	}
	shrink(&d.names, 0)
}

// row gives a line its text.
func (d *drawing) row(l line) Row {
	var b builder
	for i, c := range l.cells[:min(d.rail, len(l.cells))] {
		switch {
		case l.node >= 0 && i == 2*l.lane:
			n := d.nodes[l.node]
			b.add(Span{Text: d.sign(n), Node: n.ID, State: string(n.State)})
		case c.ways == 0:
			b.add(Span{Text: " "})
		default:
			b.add(Span{Text: d.lines[c.ways], Edge: true, Taken: c.taken})
		}
	}
	switch {
	case l.node >= 0:
		d.node(&b, d.nodes[l.node])
	case l.edge >= 0:
		d.edge(&b, d.edges[l.edge])
	}
	return Row{Spans: b.spans}
}

func (d *drawing) node(b *builder, n place) {
	name := Span{Node: n.ID, State: string(n.State)}
	small := name
	small.Dim = true
	b.column(name, cut(n.name, d.names, d.elided), d.names, false)
	left := d.avail - d.names
	if d.whats > 0 {
		b.pad(gap)
		what := n.what
		if d.short {
			what = n.kind
		}
		b.column(small, cut(what, d.whats, d.elided), d.whats, false)
		left -= gap + d.whats
	}
	if d.tails > 0 {
		b.pad(gap)
		b.column(small, d.tail(n), d.tails, true)
		left -= gap + d.tails
	}
	if left >= gap+minText {
		b.pad(gap)
		name.Text = cut(n.note, left-gap, d.elided)
		b.add(name)
	}
}

// edge says on what condition an edge is followed, and where to when the next
// row does not show it.
func (d *drawing) edge(b *builder, e link) {
	const indent = 2
	left := d.avail - indent
	if left < minText {
		return
	}
	s := Span{Edge: true, Taken: e.taken, Node: d.nodes[e.from].ID, State: string(d.nodes[e.from].State)}
	if e.taken {
		s.Text = d.taken + " "
		b.add(s)
	} else {
		b.pad(indent)
	}
	var to string
	switch {
	case e.back:
		to = d.back + " back to " + d.nodes[e.to].name
	case d.pos[e.to] != d.pos[e.from]+1 || e.label == "":
		to = d.to + " " + d.nodes[e.to].name
	}
	if e.label != "" && to != "" {
		to = " " + to
	}
	to = cut(to, max(left-width(e.label), left*2/3), d.elided)
	s.Text = cut(e.label, left-width(to), d.elided) + to
	b.add(s)
}

// builder puts spans together, those of the same style as one.
type builder struct {
	spans  []Span
	blanks int // that wait for text to follow
}

func (b *builder) pad(n int) { b.blanks += n }

// add appends s; of white space alone only what stands before something counts.
func (b *builder) add(s Span) {
	if strings.Trim(s.Text, " ") == "" {
		b.blanks += len(s.Text)
		return
	}
	if b.blanks > 0 {
		b.spans = append(b.spans, Span{Text: strings.Repeat(" ", b.blanks)})
		b.blanks = 0
	}
	if last := len(b.spans) - 1; last >= 0 {
		text := b.spans[last].Text
		b.spans[last].Text = s.Text
		if b.spans[last] == s {
			b.spans[last].Text = text + s.Text
			return
		}
		b.spans[last].Text = text
	}
	b.spans = append(b.spans, s)
}

// column appends text in style s, filled up to w cells.
func (b *builder) column(s Span, text string, w int, atRight bool) {
	s.Text = text
	fill := max(w-width(text), 0)
	if atRight {
		b.pad(fill)
		b.add(s)
		return
	}
	b.add(s)
	b.pad(fill)
}
