package markdown

import (
	"fmt"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	xansi "github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"yaap/core/safe"
)

// layout turns the tree of one block into rows.
type layout struct {
	*engine
	source []byte
}

// blocks returns the rows of n's children, with empty rows between them if they
// are spaced.
func (l *layout) blocks(n ast.Node, width int, spaced bool) []string {
	var rows []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		more := l.block(c, width)
		if spaced {
			rows = joinRows(rows, more)
		} else {
			rows = append(rows, more...)
		}
	}
	return rows
}

func (l *layout) block(n ast.Node, width int) []string {
	switch n := n.(type) {
	case *ast.List:
		return l.list(n, width)
	case *ast.Blockquote:
		bar := l.style.paint(l.style.palette().dim, "│") + " "
		return indent(l.blocks(n, inner(width, 2), true), width, 2, bar, bar)
	case *ast.FencedCodeBlock:
		return l.code(n, string(n.Language(l.source)), width)
	case *ast.CodeBlock:
		return l.code(n, "", width)
	case *ast.ThematicBreak:
		return []string{l.style.paint(l.style.palette().dim, strings.Repeat("─", min(width, 40)))}
	case *ast.Heading:
		return l.heading(n, width)
	case *ast.HTMLBlock:
		return l.html(n, width)
	case *extast.DefinitionList:
		return l.definitions(n, width)
	case *extast.DefinitionDescription:
		return indent(l.blocks(n, inner(width, 2), !n.IsTight), width, 2, "  ", "  ")
	case *extast.Table:
		return l.table(n, width)
	}
	return l.wrapped(l.inlineText(n, ink{}, nil), width)
}

func (l *layout) heading(n *ast.Heading, width int) []string {
	in, mark := ink{bold: true}, ""
	if n.Level <= 2 {
		in.color = l.style.palette().accent
	}
	if !l.style.Color {
		mark = strings.Repeat("#", n.Level) + " "
	}
	return l.wrapped(mark+l.inlineText(n, in, nil), width)
}

// html shows a block of markup, with the lines that it has.
func (l *layout) html(n *ast.HTMLBlock, width int) []string {
	w := inline{style: l.style}
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		w.html(string(line.Value(l.source)))
		w.out.WriteByte('\n')
	}
	if n.HasClosure() {
		w.html(string(n.ClosureLine.Value(l.source)))
	}
	return l.wrapped(w.out.String(), width)
}

func (l *layout) list(n *ast.List, width int) []string {
	var rows []string
	number := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		marker := "• "
		if n.IsOrdered() {
			marker = strconv.Itoa(number) + string(n.Marker) + " "
			number++
		}
		if box := checkBox(c); box != nil {
			marker = "☐ "
			if box.IsChecked {
				marker = "☑ "
			}
		}
		by := xansi.StringWidth(marker)
		item := indent(l.blocks(c, inner(width, by), !n.IsTight), width, by, marker, strings.Repeat(" ", by))
		if len(item) == 0 {
			item = []string{strings.TrimRight(marker, " ")}
		}
		if n.IsTight {
			rows = append(rows, item...)
		} else {
			rows = joinRows(rows, item)
		}
	}
	return rows
}

func (l *layout) definitions(n *extast.DefinitionList, width int) []string {
	var rows []string
	described := false
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		more := l.block(c, width)
		term := c.Kind() == extast.KindDefinitionTerm
		if term && described {
			rows = joinRows(rows, more)
		} else {
			rows = append(rows, more...)
		}
		described = !term
	}
	return rows
}

func checkBox(item ast.Node) *extast.TaskCheckBox {
	if item.FirstChild() == nil {
		return nil
	}
	box, _ := item.FirstChild().FirstChild().(*extast.TaskCheckBox)
	return box
}

// code renders fenced or indented code inside of a block.
func (l *layout) code(n ast.Node, lang string, width int) []string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(l.source))
	}
	return trimRows(l.coloredCode(b.String(), lang, width))
}

// inner is the width that an indent leaves; where it would leave too little,
// there is none.
func inner(width, by int) int {
	if width-by < minWidth {
		return width
	}
	return width - by
}

// indent puts first before the first row and rest before the others, unless
// inner left no room for it. by is how many cells they take.
func indent(rows []string, width, by int, first, rest string) []string {
	if inner(width, by) == width {
		if len(rows) > 0 {
			rows[0] = first + rows[0]
		}
		return rows
	}
	for i, row := range rows {
		prefix := rest
		if i == 0 {
			prefix = first
		}
		if row == "" {
			prefix = strings.TrimRight(prefix, " ")
		}
		rows[i] = prefix + row
	}
	return rows
}

// table renders a table as wide as its cells ask for, with the targets of its
// links below, and, where the columns would get too narrow to be read, as one
// short list for each row.
func (l *layout) table(n *extast.Table, width int) []string {
	var (
		cells [][]string // of each row, the headers first
		notes []string
	)
	columns := len(n.Alignments)
	natural := make([]int, columns)
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		texts := make([]string, columns)
		cell := row.FirstChild()
		for i := 0; cell != nil && i < columns; i++ {
			texts[i] = strings.ReplaceAll(l.inlineText(cell, ink{}, &notes), "\n", " ")
			natural[i] = max(natural[i], xansi.StringWidth(texts[i]))
			cell = cell.NextSibling()
		}
		cells = append(cells, texts)
	}
	const gap = 3 // a blank on both sides and the line between
	want := columns*gap - 1
	for _, w := range natural {
		want += max(w, 1)
	}
	var rows []string
	if want > width && width < columns*(gap+5) {
		rows = l.records(cells, width)
	} else {
		rows = l.grid(n, cells, min(width, want))
	}
	for i, url := range notes {
		w := inline{style: l.style}
		w.put(fmt.Sprintf("[%d]: ", i+1), ink{color: l.style.palette().accent})
		w.address(url)
		if i == 0 {
			rows = append(rows, "")
		}
		rows = append(rows, l.wrapped(w.out.String(), width)...)
	}
	return rows
}

// grid draws cells with lines between them.
func (l *layout) grid(n *extast.Table, cells [][]string, width int) []string {
	t := table.New().Width(width).Wrap(true).Border(lipgloss.NormalBorder()).
		BorderTop(false).BorderLeft(false).BorderRight(false).BorderBottom(false).
		Headers(cells[0]...).Rows(cells[1:]...).
		StyleFunc(func(_, column int) lipgloss.Style {
			style := lipgloss.NewStyle().Margin(0, 1)
			switch n.Alignments[column] {
			case extast.AlignCenter:
				style = style.Align(lipgloss.Center)
			case extast.AlignRight:
				style = style.Align(lipgloss.Right)
			default:
			}
			return style
		})
	return trimRows(strings.Split(safe.Styled(t.String()), "\n"))
}

// records lists the cells of each row with their headers.
func (l *layout) records(cells [][]string, width int) []string {
	var rows []string
	for _, row := range cells[1:] {
		var record []string
		for i, text := range row {
			if strings.TrimSpace(text) != "" {
				record = append(record, l.wrapped(cells[0][i]+": "+text, width)...)
			}
		}
		rows = joinRows(rows, record)
	}
	if len(rows) == 0 {
		rows = l.wrapped(strings.Join(cells[0], " "), width)
	}
	return rows
}
