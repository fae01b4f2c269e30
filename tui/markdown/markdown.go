// Package markdown renders markdown for a terminal, whole or while it is being
// written.
//
// A text is cut where a top-level block is known to be closed, and each block is
// rendered once: goldmark parses it, and this package makes its text safe, colours it
// and lays it out. So a stream costs in proportion to its text, and shows what one
// rendering of the whole text shows.
//
// The text is untrusted. Nothing but its markdown styles it, whatever its
// entities stand for, and a link can be followed only where its target is shown.
// Rows hold text, SGR sequences and http, https and mailto links only, each row
// stands for itself, and none is wider than asked for. What is too large, too deep
// or too slow to be rendered as markdown, and what its parser fails on, is shown
// as plain text; nothing is left out.
//
// Nothing here blocks or does I/O. A [Stream] belongs to one goroutine at a time.
package markdown

// Render returns text as rows of at most width cells without trailing blanks.
func Render(text string, width int, style Style) []string {
	rows, _ := RenderParts(text, width, style)
	return rows
}

// RenderParts returns what [Render] does, and where tables and code are drawn short
// all that they hold, in their order.
func RenderParts(text string, width int, style Style) ([]string, []Part) {
	s := NewStream(width, style)
	s.Write(text)
	return s.Close(), s.engine.parts
}

// join is [joinRows], but that the label of code takes the place of the empty row.
func (e *engine) join(rows, more []string, code bool) []string {
	if code && e.style.Short.Rows > 0 {
		return append(rows, more...)
	}
	return joinRows(rows, more)
}

// joinRows appends the rows of a block to those of the blocks before it, with
// one empty row between.
func joinRows(rows, more []string) []string {
	if len(rows) > 0 && len(more) > 0 {
		rows = append(rows, "")
	}
	return append(rows, more...)
}
