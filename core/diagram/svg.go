package diagram

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
)

// Sizes in a picture.
const (
	cellWide = 8 // of a text
	lineHigh = 18
	padding  = 10 // in a box, above and below its text
	between  = 34 // two layers
	margin   = 12
	headSize = 5
	maxPaint = 120 // nodes that are drawn as boxes; more of them are rows of text
)

// SVG returns g as a picture: the boxes on layers of [Boxes], joined by curves. What
// leads back is dashed, and says how often it was followed. It is light or dark as its
// reader has it, runs nothing, loads nothing, and can stand within a page.
func SVG(g Graph) string {
	d := picture{boxes: boxes{plan: newPlan(g), glyphs: newGlyphs(false), most: 40}}
	if len(d.nodes) == 0 || len(d.nodes) > maxPaint {
		return d.asText(g)
	}
	d.layers = newLayers(d.plan, d.words, d.label)
	widest := 0
	for _, row := range d.rows {
		w := 0
		for _, n := range row {
			w += d.items[n].w + apart
		}
		widest = max(widest, w)
	}
	d.place(widest * 5 / 4)
	y := margin
	d.tops, d.ends = make([]int, len(d.items)), make([]int, len(d.items))
	for _, row := range d.rows {
		h := 0
		for _, n := range row {
			rows := len(d.items[n].text) * lineHigh
			if d.items[n].node >= 0 {
				rows += 2 * padding
			}
			h = max(h, rows)
		}
		for _, n := range row {
			d.tops[n], d.ends[n] = y, y+h
			d.wide = max(d.wide, (d.items[n].x+d.items[n].w)*cellWide)
		}
		y += h + between
	}
	for _, taken := range []bool{false, true} { // what was taken lies above
		for n := range d.items {
			d.lines(n, taken)
		}
	}
	for n := range d.items {
		d.item(n)
	}
	return d.whole(d.wide+2*margin+2*cellWide, y-between+margin)
}

// picture is an SVG while it is drawn.
type picture struct {
	boxes
	tops, ends []int // of the layers of the items
	wide       int
	drawn      strings.Builder
}

// x is the middle of a column.
func (d *picture) x(column int) int { return margin + column*cellWide + cellWide/2 }

func (d *picture) add(format string, args ...any) { fmt.Fprintf(&d.drawn, format, args...) }

// lines draws the edges that lead from an item to the layer below, and through its
// own, those that were taken or the others.
func (d *picture) lines(n int, taken bool) {
	it := d.items[n]
	for _, s := range it.down {
		if s.taken != taken {
			continue
		}
		from, to := d.ports(s)
		x, y, u, v := d.x(from), d.ends[n], d.x(to), d.tops[s.to]
		bend := (v - y) / 2
		d.curve(taken, s.loop, "M%d %dC%d %d %d %d %d %d", x, y, x, y+bend, u, v-bend, u, v)
		switch {
		case s.loop && it.node >= 0:
			d.head(taken, x, y, 2*headSize)
		case !s.loop && d.items[s.to].node >= 0:
			d.head(taken, u, v, -2*headSize)
		}
	}
	if it.node < 0 {
		if e, below := d.edges[it.edge], d.tops[n]+len(it.text)*lineHigh; e.taken == taken && below < d.ends[n] {
			d.curve(taken, e.back, "M%d %dV%d", d.x(it.x+it.w/2), below, d.ends[n])
		}
		return
	}
	for _, i := range d.out[it.node] {
		if e := d.edges[i]; e.to == it.node && e.taken == taken {
			x, y, far := d.x(it.x+it.w)-cellWide/2, d.tops[n]+padding, d.ends[n]-d.tops[n]-2*padding
			d.curve(taken, true, "M%d %dc%d 0 %d %d 0 %d", x, y, 2*cellWide, 2*cellWide, far, far)
			d.add(`<path class="%s" d="M%d %dl%d %dv%dz"/>`+"\n", class("head", taken, "taken", false, ""), x, y+far, 2*headSize, -headSize, 2*headSize)
		}
	}
}

func (d *picture) curve(taken, loop bool, path string, at ...any) {
	d.add(`<path class="%s" d="%s"/>`+"\n", class("edge", taken, "taken", loop, "loop"), fmt.Sprintf(path, at...))
}

// head draws the head of an arrow: its tip, and how far below it ends.
func (d *picture) head(taken bool, x, y, below int) {
	d.add(`<path class="%s" d="M%d %dl%d %dh%dz"/>`+"\n", class("head", taken, "taken", false, ""), x, y, headSize, below, -2*headSize)
}

// item draws the box of a node, or the words of an edge.
func (d *picture) item(n int) {
	it := d.items[n]
	x, y := margin+it.x*cellWide, d.tops[n]
	middle := x + it.w*cellWide/2
	if it.node < 0 {
		e := d.edges[it.edge]
		for _, text := range it.text {
			d.text(class("label", e.taken, "went", false, ""), middle, y+lineHigh-5, text)
		}
		return
	}
	pl := d.nodes[it.node]
	d.add(`<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="6"/>`+"\n", class("box", known(pl), string(pl.State), false, ""), x, y, it.w*cellWide, d.ends[n]-y)
	for i, text := range it.text {
		d.text([]string{"name", "small"}[min(i, 1)], middle, y+padding+(i+1)*lineHigh-5, text)
	}
}

func (d *picture) text(kind string, x, y int, text string) {
	d.add(`<text class="%s" x="%d" y="%d">%s</text>`+"\n", kind, x, y, html.EscapeString(text))
}

// asText is g as rows of text.
func (d *picture) asText(g Graph) string {
	y := margin
	for _, row := range Rows(g, 100, false) {
		y += lineHigh
		d.text("row", margin, y-5, row.text())
	}
	return d.whole(100*cellWide+2*margin, y+margin)
}

// whole is the picture, of that width and height.
func (d *picture) whole(w, h int) string {
	var b strings.Builder
	title := html.EscapeString(cmp.Or(cut(d.name, maxLabel, "…"), "a chain"))
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="yaap" role="img" aria-label="%s" width="%d" height="%d" viewBox="0 0 %[2]d %[3]d">`+"\n<title>%[1]s</title>\n<style>\n%[4]s", title, w, h, paint)
	for _, look := range looks() {
		fmt.Fprintf(&b, ".yaap .%s { stroke: %s }\n", look.state, look.colour)
	}
	fmt.Fprintf(&b, "</style>\n"+`<rect class="paper" width="%d" height="%d" rx="8"/>`+"\n%s</svg>\n", w, h, d.drawn.String())
	return b.String()
}

// paint is how all is drawn but the states.
const paint = `.yaap text { font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; text-anchor: middle; fill: #1f2328; white-space: pre }
.yaap .name { font-weight: 600 }
.yaap .row { text-anchor: start }
.yaap .small, .yaap .label { fill: #59636e }
.yaap .went { fill: #1a7f37 }
.yaap .paper { fill: #ffffff }
.yaap .box { fill: #f6f8fa; stroke: #848d97; stroke-width: 1.5 }
.yaap .edge { fill: none; stroke: #848d97; stroke-width: 1.5 }
.yaap .loop { stroke-dasharray: 5 4 }
.yaap .head { fill: #848d97 }
.yaap .edge.taken { stroke: #2da44e; stroke-width: 2.5 }
.yaap .head.taken { fill: #2da44e }
@media (prefers-color-scheme: dark) {
.yaap text { fill: #e6edf3 }
.yaap .small, .yaap .label { fill: #9198a1 }
.yaap .went { fill: #3fb950 }
.yaap .paper { fill: #0d1117 }
.yaap .box { fill: #151b23 }
}
`

// class is a class, with two more where they hold.
func class(of string, one bool, first string, two bool, second string) string {
	if one {
		of += " " + first
	}
	if two {
		of += " " + second
	}
	return of
}

// known reports whether the state of a node has a colour.
func known(pl place) bool {
	return slices.ContainsFunc(looks(), func(l look) bool { return l.state == pl.State })
}
