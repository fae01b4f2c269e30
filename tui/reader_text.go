package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const sideways = 8 // cells that a key scrolls code by

// textReader reads text: code, whose long lines are scrolled, or a cell of a table,
// whose lines are broken.
type textReader struct {
	name      string
	text      string
	lines     []string // of code, coloured; nil: text is broken into lines
	top, left int
	w, h      int // as drawn last
	rows      []string
}

func (t *textReader) title(p *pen) (what, where string) {
	where = itoa(min(t.top+1, len(t.rows))) + p.dash + itoa(min(t.top+t.h, len(t.rows))) + " of " + itoa(len(t.rows))
	if t.left > 0 {
		where = "column " + itoa(t.left+1) + "  " + where
	}
	return t.name, where
}

func (t *textReader) key(do action, page int) reader {
	t.top += do.rows(page, max(t.h-1, 1))
	switch do {
	case actTop:
		t.top, t.left = 0, 0
	case actBottom:
		t.top = len(t.rows)
	case actLeft:
		t.left -= sideways
	case actRight:
		t.left += sideways
	}
	return nil
}

func (t *textReader) copied() string { return t.text }

func (t *textReader) draw(p *pen, w, h int) []string {
	switch {
	case t.lines != nil:
		t.rows = t.lines
	case t.w != w || t.rows == nil:
		t.rows = wrap(t.text, w-2)
		fallthrough
	default:
		t.left = 0
	}
	t.w, t.h = w, h
	t.top = max(min(t.top, len(t.rows)-h), 0)
	widest, shown := 0, t.rows[t.top:min(t.top+h, len(t.rows))]
	for _, line := range shown {
		widest = max(widest, width(line))
	}
	t.left = max(min(t.left, widest-w/2), 0)
	var rows []string
	for _, line := range shown {
		if t.left > 0 {
			line = ansi.TruncateLeft(line, t.left, "")
		}
		line = cut(line, w-1, p.ellipsis)
		rows = append(rows, " "+line+strings.Repeat(" ", max(w-width(line)-1, 0)))
	}
	return rows
}

func (t *textReader) hints() [][2]string {
	if t.lines == nil {
		return [][2]string{{"esc", "back"}, {"j k", "scroll"}, {"y", "copy"}}
	}
	return [][2]string{{"esc", "back"}, {"j k", "scroll"}, {"h l", "sideways"}, {"y", "copy"}}
}
