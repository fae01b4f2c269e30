package markdown

import (
	"strconv"
	"strings"

	xansi "github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
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
			rows = l.join(rows, more, c.Kind() == ast.KindFencedCodeBlock || c.Kind() == ast.KindCodeBlock)
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
	case *ast.HTMLBlock:
		return l.html(n, width)
	case *extast.DefinitionList:
		return l.definitions(n, width)
	case *extast.DefinitionDescription:
		return indent(l.blocks(n, inner(width, 2), !n.IsTight), width, 2, "  ", "  ")
	case *extast.Table:
		if l.style.Short.Rows > 0 {
			return l.shortTable(n, width)
		}
		return l.table(n, width)
	}
	return l.running(n, width)
}

// running renders running text: a paragraph, a heading, a term.
func (l *layout) running(n ast.Node, width int) []string {
	w, in := inline{layout: l}, ink{}
	if h, ok := n.(*ast.Heading); ok {
		in.bold = true
		if h.Level <= 2 {
			in.color = l.style.palette().accent
		}
		if !l.style.Color {
			w.out.WriteString(strings.Repeat("#", h.Level) + " ")
		}
	}
	w.block(n, in)
	return w.rows(width)
}

// html shows a block of markup, with the lines that it has.
func (l *layout) html(n *ast.HTMLBlock, width int) []string {
	w := inline{layout: l}
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		w.html(strings.TrimSuffix(string(line.Value(l.source)), "\n"))
		w.out.WriteByte('\n')
	}
	if n.HasClosure() {
		w.html(string(n.ClosureLine.Value(l.source)))
	}
	return w.rows(width)
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
