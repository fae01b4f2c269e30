package markdown

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	xansi "github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/yaap-chat/yaap/core/safe"
)

const (
	columnGap = 3 // cells between two columns
	// minColumn is how narrow a column may get; where all would be narrower, a table is
	// a list.
	minColumn = 6
	// A column of so many cells is drawn whole, and one of numbers or dates; of wider
	// ones so many are drawn at least, where a table has room for some of its columns.
	wholeColumn, leastWords = 10, 8
	unwrapped               = 1 << 20 // cells
)

// table renders a table without borders, as wide as its cells ask for, with the targets
// of its links below, and, where the columns would get too narrow to be read, as one
// short list for each row.
func (l *layout) table(n *extast.Table, width int) []string {
	var notes []string
	var grid [][]string
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		grid = append(grid, l.cells(row, len(n.Alignments), &notes))
	}
	var rows []string
	widths := columnWidths(grid, width, true)
	if widths == nil {
		widths = columnWidths(grid, width, false)
	}
	if widths != nil {
		rows = l.drawTable(grid, widths, n.Alignments)
	} else {
		notes = nil
		rows = l.records(n, &notes, width)
	}
	return append(rows, l.targets(notes, width)...)
}

// cells are the cells of a row of a table, each in one line.
func (l *layout) cells(row ast.Node, n int, notes *[]string) []string {
	cells := make([]string, n)
	i := 0
	for cell := row.FirstChild(); cell != nil && i < n; cell = cell.NextSibling() {
		w := inline{layout: l, notes: notes}
		w.block(cell, ink{})
		cells[i] = strings.Join(w.rows(unwrapped), " ")
		i++
	}
	return cells
}

// targets lists where the links of a table lead.
func (l *layout) targets(notes []string, width int) (rows []string) {
	for i, target := range notes {
		if i == 0 {
			rows = append(rows, "")
		}
		w := inline{layout: l}
		w.run(fmt.Sprintf("[%d]: ", i+1), ink{color: l.style.palette().accent})
		w.address(target, ink{})
		rows = append(rows, w.rows(width)...)
	}
	return rows
}

// columnWidths are what the cells ask for; where that is more than there is, the widest
// columns give up what is too much, those with words first where short ones are to be
// whole. It is nil where columns would be too narrow.
func columnWidths(grid [][]string, width int, whole bool) []int {
	widths := make([]int, len(grid[0]))
	for _, cells := range grid {
		for i, cell := range cells {
			widths[i] = max(widths[i], xansi.StringWidth(cell))
		}
	}
	spare := width - columnGap*(len(widths)-1)
	if sum(widths) <= spare {
		return widths
	}
	least := make([]int, len(widths))
	for i, w := range widths {
		least[i] = minColumn
		if whole {
			least[i] = min(w, leastWords)
		}
		if whole && (w <= wholeColumn || numbers(grid[1:], i)) {
			least[i] = w
		}
	}
	if sum(least) > spare {
		return nil
	}
	for most := min(spare, slices.Max(widths)); ; most-- {
		given := slices.Clone(widths)
		for i, w := range given {
			given[i] = min(w, max(most, least[i]))
		}
		if sum(given) <= spare {
			return given
		}
	}
}

func sum(widths []int) (n int) {
	for _, w := range widths {
		n += w
	}
	return n
}

// drawTable draws the rows of a table, the first of which is its header.
func (l *layout) drawTable(grid [][]string, widths []int, aligned []extast.Alignment) (rows []string) {
	right := flushRight(grid, aligned[:len(widths)])
	for at, cells := range grid {
		lines := make([][]string, len(cells))
		height := 0
		for i, cell := range cells {
			if at == 0 {
				cell = xansi.Strip(cell)
			}
			switch lines[i] = []string{cell}; {
			case xansi.StringWidth(cell) <= widths[i]:
			case l.style.Short.Rows > 0:
				lines[i] = []string{safe.Styled(xansi.Truncate(cell, widths[i], "…"))}
			default:
				lines[i] = strings.Split(safe.Styled(xansi.Wrap(cell, max(widths[i], 1), "")), "\n")
			}
			height = max(height, len(lines[i]))
		}
		for n := range height {
			rows = append(rows, l.tableRow(lines, n, widths, right, at == 0))
		}
		if at == 0 && !l.style.Color {
			rule := make([]string, len(widths))
			for i, w := range widths {
				rule[i] = strings.Repeat("─", max(w, 1))
			}
			rows = append(rows, strings.Join(rule, strings.Repeat(" ", columnGap)))
		}
	}
	return rows
}

// flushRight tells the columns that end at the same place.
func flushRight(grid [][]string, aligned []extast.Alignment) []bool {
	right := make([]bool, len(aligned))
	for i := range right {
		right[i] = aligned[i] == extast.AlignRight || aligned[i] == extast.AlignNone && numbers(grid[1:], i)
	}
	return right
}

// tableRow draws the n-th line of the cells of a row.
func (l *layout) tableRow(lines [][]string, n int, widths []int, right []bool, header bool) string {
	var row strings.Builder
	for i, cell := range lines {
		text := ""
		if n < len(cell) {
			text = cell[n]
		}
		pad := strings.Repeat(" ", max(widths[i]-xansi.StringWidth(text), 0))
		if header && text != "" {
			text = l.style.paint(l.style.palette().dim, text)
		}
		if i > 0 {
			row.WriteString(strings.Repeat(" ", columnGap))
		}
		if right[i] {
			row.WriteString(pad + text)
		} else {
			row.WriteString(text + pad)
		}
	}
	return strings.TrimRight(row.String(), " ")
}

// numbers reports whether a column holds numbers only.
func numbers(grid [][]string, column int) bool {
	some := false
	for _, cells := range grid {
		text := xansi.Strip(cells[column])
		if text == "" {
			continue
		}
		if strings.IndexFunc(text, unicode.IsLetter) >= 0 || strings.IndexFunc(text, unicode.IsDigit) < 0 {
			return false
		}
		some = true
	}
	return some
}

// records lists the cells of each row with their headers.
func (l *layout) records(n *extast.Table, notes *[]string, width int) []string {
	var rows []string
	headers := n.FirstChild()
	for row := headers.NextSibling(); row != nil; row = row.NextSibling() {
		var record []string
		header := headers.FirstChild()
		for cell := row.FirstChild(); cell != nil && header != nil; cell = cell.NextSibling() {
			w := inline{layout: l, notes: notes}
			w.children(header, ink{})
			w.run(": ", ink{})
			begin := w.shown.Len()
			w.children(cell, ink{})
			if strings.TrimSpace(w.shown.String()[begin:]) != "" {
				record = append(record, w.rows(width)...)
			}
			header = header.NextSibling()
		}
		rows = joinRows(rows, record)
	}
	if len(rows) > 0 {
		return rows
	}
	w := inline{layout: l, notes: notes}
	for header := headers.FirstChild(); header != nil; header = header.NextSibling() {
		w.children(header, ink{})
		w.run(" ", ink{})
	}
	return w.rows(width)
}
