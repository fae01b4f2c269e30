package markdown

import (
	"strconv"
	"strings"

	xansi "github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"yaap/core/safe"
)

// layout turns the tree of one block into rows. The first error of glamour is
// kept and makes the rows worthless.
type layout struct {
	*engine
	source []byte
	err    error
}

// blocks returns the rows of n's children, with empty rows between them if they
// are spaced.
func (l *layout) blocks(n ast.Node, width int, spaced bool) []string {
	var rows []string
	for c := n.FirstChild(); c != nil; {
		next := c.NextSibling() // rendering moves c out of its parent
		more := l.block(c, width)
		if spaced {
			rows = joinRows(rows, more)
		} else {
			rows = append(rows, more...)
		}
		c = next
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
	case *ast.Paragraph, *ast.TextBlock, *extast.DefinitionTerm:
		return l.paragraph(n, width)
	case *extast.DefinitionList:
		return l.definitions(n, width)
	case *extast.DefinitionDescription:
		return indent(l.blocks(n, inner(width, 2), !n.IsTight), width, 2, "  ", "  ")
	case *extast.Table:
		return l.table(n, width)
	}
	return l.leaf(n, width)
}

func (l *layout) leaf(n ast.Node, width int) []string {
	rows, err := l.engine.leaf(n, l.source, width)
	if l.err == nil {
		l.err = err
	}
	return rows
}

// paragraph renders running text, one piece for each hard line break.
func (l *layout) paragraph(n ast.Node, width int) []string {
	var rows []string
	piece := ast.NewParagraph()
	for c := n.FirstChild(); c != nil; {
		next := c.NextSibling()
		if c.Kind() != extast.KindTaskCheckBox {
			piece.AppendChild(piece, c)
		}
		if t, ok := c.(*ast.Text); ok && t.HardLineBreak() {
			t.SetHardLineBreak(false)
			rows = append(rows, l.leaf(piece, width)...)
			piece = ast.NewParagraph()
		}
		c = next
	}
	return append(rows, l.leaf(piece, width)...)
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

// table renders a table as wide as its cells ask for and, where the columns
// would get too narrow to be read, as one short list for each row.
func (l *layout) table(n *extast.Table, width int) []string {
	columns := len(n.Alignments)
	natural := make([]int, columns)
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		i := 0
		for cell := row.FirstChild(); cell != nil && i < columns; cell = cell.NextSibling() {
			natural[i] = max(natural[i], xansi.StringWidth(l.text(cell)))
			i++
		}
	}
	const gap = 3 // a blank on both sides and the line between
	want := columns*gap - 1
	for _, w := range natural {
		want += max(w, 1)
	}
	if want > width && width < columns*(gap+5) {
		return l.records(n, width)
	}
	return l.leaf(n, min(width, want))
}

func (l *layout) records(n *extast.Table, width int) []string {
	var (
		rows    []string
		headers []string
	)
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var record []string
		i := 0
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			text := safe.Line(l.text(cell))
			if row.Kind() == extast.KindTableHeader {
				headers = append(headers, text)
			} else if i < len(headers) && text != "" {
				wrapped := xansi.Wrap(headers[i]+": "+text, width, "")
				record = append(record, strings.Split(safe.Styled(wrapped), "\n")...)
			}
			i++
		}
		rows = joinRows(rows, record)
	}
	if len(rows) == 0 {
		rows = strings.Split(safe.Styled(xansi.Wrap(strings.Join(headers, " "), width, "")), "\n")
	}
	return rows
}

// text returns the source of a cell.
func (l *layout) text(cell ast.Node) string {
	var b strings.Builder
	for i := range cell.Lines().Len() {
		line := cell.Lines().At(i)
		b.Write(line.Value(l.source))
	}
	return b.String()
}
