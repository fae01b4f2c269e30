package markdown

import (
	"strings"

	xansi "github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/text"
)

const (
	mostCode  = 30 // lines of code that are drawn whole
	firstCode = 20 // lines that are drawn of more
)

// Part is a table or code of a text, whole and safe but for the tabs of code.
type Part struct {
	Table *Table // nil: it is code
	Lang  string // of code; empty: it is not said
	Code  string
	Cut   bool // not all of it is drawn
}

// Table is a table of a text. All its rows have as many cells as its head, each of
// one line.
type Table struct {
	Head  []string
	Rows  [][]string
	Right []bool // by column: its cells end at the same place
}

// Lines returns the lines of code, coloured and as long as they are.
func (p Part) Lines(style Style) []string {
	e := newEngine(1, style)
	return strings.Split(safe.Styled(e.highlight(safe.Text(p.Code), p.Lang)), "\n")
}

// shortTable draws as many rows and columns of a table as there is room for, and says
// how many more there are. What is not drawn changes nothing of what is.
func (l *layout) shortTable(n *extast.Table, width int) []string {
	var notes []string
	var grid [][]string
	table := &Table{}
	columns := len(n.Alignments)
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		if len(grid) <= l.style.Short.Rows {
			grid = append(grid, l.cells(row, columns, &notes))
		}
		table.Rows = append(table.Rows, l.bareCells(row, columns))
	}
	table.Right = flushRight(table.Rows, n.Alignments)
	table.Head, table.Rows = table.Rows[0], table.Rows[1:]
	var widths []int
	for _, whole := range []bool{true, false} {
		for shown := columns; widths == nil && (shown > 1 || shown == 1 && !whole); shown-- {
			widths = columnWidths(firstCells(grid, shown), width, whole)
		}
	}
	if widths == nil {
		widths = []int{width}
	}
	grid = firstCells(grid, len(widths))
	part := Part{Table: table, Cut: len(table.Rows) >= len(grid) || len(widths) < columns || cutAny(grid, widths)}
	l.parts = append(l.parts, part)
	rows := l.drawTable(grid, widths, n.Alignments)
	if part.Cut {
		rows = append(rows, l.more(width, len(table.Rows)-len(grid)+1, columns-len(widths)))
	}
	return append(rows, l.targets(notes, width)...)
}

// bareCells are the words of the cells of a row.
func (l *layout) bareCells(row ast.Node, n int) []string {
	cells := make([]string, n)
	i := 0
	for cell := row.FirstChild(); cell != nil && i < n; cell = cell.NextSibling() {
		w := inline{layout: l, bare: true}
		w.children(cell, ink{})
		cells[i] = safe.Line(w.shown.String())
		i++
	}
	return cells
}

func firstCells(grid [][]string, n int) [][]string {
	first := make([][]string, len(grid))
	for i, cells := range grid {
		first[i] = cells[:min(n, len(cells))]
	}
	return first
}

func cutAny(grid [][]string, widths []int) bool {
	for _, cells := range grid {
		for i, cell := range cells {
			if xansi.StringWidth(cell) > widths[i] {
				return true
			}
		}
	}
	return false
}

// more is the row below a table of which something is not drawn.
func (l *layout) more(width, rows, columns int) string {
	var what []string
	if rows > 0 {
		what = append(what, text.Count(rows, "more row", "more rows"))
	}
	if columns > 0 {
		what = append(what, text.Count(columns, "more column", "more columns"))
	}
	first, s := "… "+strings.Join(what, ", ")+"   ", l.style.Short
	if len(what) == 0 {
		first = "… "
	}
	line := first + s.Open + " opens"
	for _, longer := range []string{line + " the table   " + s.Copy + " copies CSV", line + " the table"} {
		if xansi.StringWidth(longer) <= width {
			line = longer
			break
		}
	}
	return l.quiet(line, width)
}

// shortCode draws code below a label, and the first lines only where there are many.
func (e *engine) shortCode(text, lang string, width int) []string {
	lines := codeLines(text)
	if len(lines) == 0 {
		return nil
	}
	shown := lines
	if len(lines) > mostCode {
		shown = lines[:firstCode]
	}
	colored := safe.Styled(e.highlight(strings.Join(shown, "\n"), lang))
	rows, cut := e.codeBelow(strings.Split(colored, "\n"), lang, len(lines), width)
	e.parts = append(e.parts, Part{Lang: safe.Cut(lang, 40), Code: strings.Join(lines, "\n"), Cut: cut})
	return rows
}

// openCode draws code that is still written. However long it gets, its rows stay
// where they are.
func (e *engine) openCode(text string, f fence) []string {
	n := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
	first := strings.SplitAfterN(text, "\n", firstCode+1)
	lines := codeLines(f.content(strings.Join(first[:min(len(first), firstCode)], "")))
	if len(lines) == 0 {
		return nil
	}
	rows, _ := e.codeBelow(lines, f.lang, n, e.width)
	return rows
}

// codeLines are the lines of code; none where there is nothing to see.
func codeLines(text string) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

// codeBelow draws lines of code below the label of all of them, each in one row. It
// reports whether something is left out.
func (e *engine) codeBelow(lines []string, lang string, all, width int) (rows []string, left bool) {
	label := text.Count(all, "line", "lines") + " · " + e.style.Short.Copy
	if named := safe.Cut(lang, 20); named != "" && xansi.StringWidth(named+" · "+label) <= width {
		label = named + " · " + label
	}
	rows = []string{strings.Repeat(" ", max(width-xansi.StringWidth(label), 0)) + e.quiet(label, width)}
	for _, line := range lines {
		if line = strings.TrimRight(line, " "); xansi.StringWidth(line) > width {
			line, left = safe.Styled(xansi.Truncate(line, width, "…")), true
		}
		rows = append(rows, line)
	}
	if more := all - len(lines); more > 0 {
		rows, left = append(rows, e.quiet("… "+text.Count(more, "more line", "more lines")+"   "+e.style.Short.Open+" opens", width)), true
	}
	return rows, left
}

// quiet is a row about what is shown.
func (e *engine) quiet(line string, width int) string {
	return e.style.paint(e.style.palette().dim, xansi.Truncate(line, width, "…"))
}
