package tui

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/tui/markdown"
)

const (
	columnGap  = 2
	widestCell = 40 // cells of a column, or a third of the screen; what is longer is read by itself
)

// tableReader reads a table: a row and a column of it are chosen, its head and its
// first column stay where they are.
type tableReader struct {
	table     *markdown.Table
	natural   []int  // what each column asks for
	wanted    string // words of the rows that are shown
	by        int    // the column that it is sorted by; -1: as it came
	down      bool
	shown     []int // the rows that are shown, in their order
	row, col  int   // that are chosen, row among those shown
	top, left int   // the first row, and the first column after the one that stays
	rows      int   // that were drawn last
}

func newTableReader(t *markdown.Table) *tableReader {
	r := &tableReader{table: t, natural: make([]int, len(t.Head)), by: -1, left: 1}
	for i, cell := range t.Head {
		r.natural[i] = width(cell) + 2 // room for the sign of the order
	}
	for _, cells := range t.Rows {
		for i, cell := range cells {
			r.natural[i] = max(r.natural[i], width(cell))
		}
	}
	r.arrange()
	return r
}

// arrange finds the rows that are shown.
func (r *tableReader) arrange() {
	words := strings.Fields(strings.ToLower(r.wanted))
	r.shown = r.shown[:0]
	for i, cells := range r.table.Rows {
		if holdsAll(strings.ToLower(strings.Join(cells, "\n")), words) {
			r.shown = append(r.shown, i)
		}
	}
	if r.by >= 0 {
		slices.SortStableFunc(r.shown, func(i, j int) int {
			return compareCells(r.table.Rows[i][r.by], r.table.Rows[j][r.by], r.down)
		})
	}
	r.row, r.top = 0, 0
}

func (r *tableReader) title(p *pen) (what, where string) {
	n := count(len(r.table.Rows), "row")
	if r.wanted != "" {
		n = itoa(len(r.shown)) + " of " + n + " with " + p.quoted(cut(r.wanted, 20, p.ellipsis))
	}
	if r.by >= 0 {
		n += " by " + cut(r.table.Head[r.by], 20, p.ellipsis) + " " + r.sign(p)
	}
	return "TABLE  " + n, "row " + itoa(min(r.row+1, len(r.shown))) + "  column " + itoa(r.col+1) + " of " + itoa(len(r.table.Head))
}

// sign is that of the order.
func (r *tableReader) sign(p *pen) string {
	if r.down {
		return p.down
	}
	return p.up
}

func (r *tableReader) key(do action, page int) reader {
	r.row += do.rows(page, max(r.rows, 1))
	switch do {
	case actTop:
		r.row = 0
	case actBottom:
		r.row = len(r.shown)
	case actLeft:
		r.col--
	case actRight:
		r.col++
	case actSort:
		switch {
		case r.by != r.col:
			r.by, r.down = r.col, false
		case !r.down:
			r.down = true
		default:
			r.by = -1
		}
		r.arrange()
	case actOpen:
		if len(r.shown) > 0 {
			return &textReader{name: r.table.Head[r.col], text: r.table.Rows[r.shown[r.row]][r.col]}
		}
	}
	r.row = max(min(r.row, len(r.shown)-1), 0)
	r.col = max(min(r.col, len(r.table.Head)-1), 0)
	return nil
}

func (r *tableReader) filter(words string) {
	r.wanted = words
	r.arrange()
}

// copied is what is shown as CSV, in its order.
func (r *tableReader) copied() string {
	shown := markdown.Table{Head: r.table.Head}
	for _, i := range r.shown {
		shown.Rows = append(shown.Rows, r.table.Rows[i])
	}
	return tableCSV(&shown)
}

func tableCSV(t *markdown.Table) string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(t.Head) // into memory
	_ = w.WriteAll(t.Rows)
	return b.String()
}

// column is a column as it is drawn.
type column struct{ at, w int }

// columns are those that there is room for: the first one, and then those around the
// chosen one. The last may be cut.
func (r *tableReader) columns(w int) (all []column) {
	if len(r.natural) == 1 {
		return []column{{0, min(r.natural[0], w)}}
	}
	wish := func(i int) int { return min(r.natural[i], max(widestCell, w/3)) }
	first := min(wish(0), max(w/2-columnGap, 1))
	all = []column{{0, first}}
	room := w - first - columnGap
	fits := func(i int) int { return max(min(wish(i), room), 1) }
	if r.col > 0 {
		used := 0
		low := r.col + 1
		for i := r.col; i >= 1; i-- { // the first column that still lets the chosen one be seen
			if used += fits(i); used > room {
				break
			}
			low = i
			used += columnGap
		}
		r.left = max(min(r.left, r.col), min(low, r.col))
	}
	for i := r.left; i < len(r.natural) && room > 0; i++ {
		n := min(wish(i), room)
		if n < min(wish(i), 4) && i != r.col { // too little to be read
			break
		}
		all = append(all, column{i, n})
		room -= n + columnGap
	}
	return all
}

func (r *tableReader) draw(p *pen, w, h int) (rows []string) {
	columns := r.columns(w - 1)
	r.rows = max(h-1, 1)
	below := r.cellBelow(p, w, h)
	r.rows -= len(below)
	r.top = window(r.row, r.top, r.rows, len(r.shown))
	if h > 1 {
		rows = append(rows, r.line(p, r.table.Head, columns, true, false))
	}
	for i := r.top; i < len(r.shown) && i < r.top+r.rows; i++ {
		row := fit(r.line(p, r.table.Rows[r.shown[i]], columns, false, i == r.row), w)
		if i == r.row {
			row = p.selected.under(row)
		}
		rows = append(rows, row)
	}
	if len(r.shown) == 0 {
		rows = append(rows, " "+p.dim.on("nothing fits"))
	}
	if len(below) > 0 {
		rows = append(exactly(rows, w, h-len(below)), below...)
	}
	return rows
}

// cellBelow is the chosen cell below the rows, where there is room and cells are cut.
func (r *tableReader) cellBelow(p *pen, w, h int) []string {
	const most = 3
	if h < 12 || slices.Max(r.natural) <= widestCell {
		return nil
	}
	text := ""
	if len(r.shown) > 0 {
		text = r.table.Rows[r.shown[r.row]][r.col]
	}
	rows := []string{rule(p, r.table.Head[r.col], "", w)}
	return append(rows, hung(" ", p.text.each(exactly(firstLines(text, w-2, most, p.ellipsis), w-2, most)))...)
}

// line draws a row of cells.
func (r *tableReader) line(p *pen, cells []string, columns []column, head, chosen bool) string {
	var b strings.Builder
	b.WriteByte(' ')
	for n, c := range columns {
		text, tone := cells[c.at], p.text
		if head {
			tone = p.dim
		}
		if c.at == r.col && (head || chosen) {
			tone = p.title
		}
		if head && c.at == r.by {
			text = cut(text, c.w-2, p.ellipsis) + " " + r.sign(p)
		}
		text = cut(text, c.w, p.ellipsis)
		pad := strings.Repeat(" ", max(c.w-width(text), 0))
		if n > 0 {
			b.WriteString(strings.Repeat(" ", columnGap))
		}
		if r.table.Right[c.at] {
			b.WriteString(pad + tone.on(text))
		} else {
			b.WriteString(tone.on(text) + pad)
		}
	}
	return b.String()
}

func (r *tableReader) hints() [][2]string {
	return [][2]string{{"esc", "back"}, {"s", "sort"}, {"/", "filter"}, {"enter", "whole cell"}, {"y", "copy CSV"}, {"arrows", "move"}}
}
