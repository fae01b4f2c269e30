package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/yaap-chat/yaap/core/safe"
)

// drag is what the mouse does while its button is held: it selects of what is on the
// screen. A press that moves nowhere is a click.
type drag struct {
	room   rect // where it began, without the gutter; no rows: nowhere
	button struct{ x, y int }
	from   struct{ x, y int }
	to     struct{ x, y int }
	moved  bool
}

// selectable is the part of the screen around a cell of which text can be selected.
func (m *model) selectable(x, y int) (r rect) {
	sc := &m.screen
	switch {
	case m.reading() != nil:
		r = m.readerRoom()
	case m.panes.over.kind != overNone || m.deciding() != nil || m.form() != nil:
	case sc.inspector.holds(x, y):
		r = sc.inspector
	case sc.chat.holds(x, y):
		r = sc.chat
		if m.chat.said || !m.chat.silent() {
			g := min(m.chat.canvas.gutter(), r.w)
			r = rect{r.x + g, r.y, r.w - g, r.h}
		}
	}
	return r
}

func (m *model) mouse(msg tea.MouseMsg) tea.Cmd {
	at, d := msg.Mouse(), &m.drag
	switch msg.(type) {
	case tea.MouseClickMsg:
		*d = drag{}
		if at.Button != tea.MouseLeft {
			return nil
		}
		d.room = m.selectable(at.X, at.Y)
		d.button.x, d.button.y = at.X, at.Y
		d.from.x, d.from.y = d.room.nearest(at.X, at.Y)
		if d.room.h == 0 {
			m.click(at.X, at.Y)
		}
	case tea.MouseMotionMsg:
		if d.room.h > 0 && (d.moved || at.X != d.button.x || at.Y != d.button.y) {
			d.moved = true
			d.to.x, d.to.y = d.room.nearest(at.X, at.Y)
		}
	case tea.MouseReleaseMsg:
		was := *d
		if was.moved {
			text := was.text(m.compose())
			*d = drag{}
			if strings.TrimSpace(text) == "" {
				return nil
			}
			return m.put(safe.Text(text), count(strings.Count(text, "\n")+1, "line"))
		}
		if *d = (drag{}); was.room.h > 0 {
			m.click(was.button.x, was.button.y)
		}
	}
	return nil
}

// nearest is the cell of a rectangle that is nearest to one.
func (r rect) nearest(x, y int) (int, int) {
	return max(min(x, r.right()-1), r.x), max(min(y, r.bottom()-1), r.y)
}

// span is the letters of a row that are selected: its first cell, the one after its last,
// and what they say. A letter of two cells is selected whole.
func (d *drag) span(row string, y int) (from, to int, text string) {
	a, b := d.from, d.to
	if b.y < a.y || b.y == a.y && b.x < a.x {
		a, b = b, a
	}
	first, last := d.room.x, d.room.right()-1
	if y < a.y || y > b.y {
		return 0, 0, ""
	}
	if y == a.y {
		first = a.x
	}
	if y == b.y {
		last = b.x
	}
	x, rest := 0, ansi.Strip(row)
	from = -1
	for rest != "" && x <= last {
		letter, w := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		rest = rest[len(letter):]
		if x+w > first && w > 0 {
			if from < 0 {
				from = x
			}
			text += letter
		}
		x += w
	}
	text = strings.TrimRight(text, " ")
	from = max(from, 0)
	return from, from + width(text), text
}

// text is what is selected of the rows of the screen.
func (d *drag) text(rows []string) string {
	var lines []string
	for y := d.room.y; y < min(d.room.bottom(), len(rows)); y++ {
		if y >= min(d.from.y, d.to.y) && y <= max(d.from.y, d.to.y) {
			_, _, text := d.span(rows[y], y)
			lines = append(lines, text)
		}
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// drawDrag lays the colour of what is selected under it.
func (m *model) drawDrag(rows []string) {
	if d := &m.drag; d.moved {
		for y := d.room.y; y < min(d.room.bottom(), len(rows)); y++ {
			if from, to, text := d.span(rows[y], y); text != "" {
				rows[y] = put(rows[y], from, m.pen.selected.under(ansi.Cut(rows[y], from, to)), m.screen.w)
			}
		}
	}
}
