package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core/safe"
)

// View returns the frame. Bubble Tea asks for it after every message; it is
// drawn again only when something has changed.
func (m *model) View() tea.View {
	if !m.frame.stale {
		return m.frame.view
	}
	m.frame.stale = false
	rows := m.compose()
	m.drawDrag(rows)
	if m.o.Tour != nil {
		m.o.Tour.saw(rows, m.screen.w, m.running())
	}
	v := tea.NewView(strings.Join(rows, "\n"))
	v.AltScreen, v.ReportFocus = !m.inline(), true
	if v.AltScreen && !m.o.NoMouse && m.o.Tour == nil {
		v.MouseMode = tea.MouseModeCellMotion
	}
	v.ProgressBar = m.progress()
	v.WindowTitle = safe.Line("yaap " + m.chat.title)
	if m.panes.look != nil {
		v.WindowTitle = "yaap inspect " + m.row().name
	}
	v.Cursor = m.cursor()
	m.frame.view = v
	return v
}

// compose draws all panes and joins their rows.
func (m *model) compose() []string {
	sc := &m.screen
	if sc.w <= 0 || sc.h <= 0 {
		return nil
	}
	rows := make([]string, sc.h)
	if sc.size == sizeTiny {
		rows[0] = cut("yaap: too small", sc.w, "")
		return rows
	}
	if sc.header.h > 0 {
		rows[sc.header.y] = m.header(sc.w)
		if m.panes.look != nil {
			rows[sc.header.y] = m.tabs(sc.w)
		}
		rows[sc.top.y] = m.topRule()
	}
	if sc.hint.h > 0 {
		rows[sc.bottom.y] = m.ruleRow(m.pen, m.pen.teeUp)
		rows[sc.hint.y] = m.hints(sc.w)
	}
	m.body(rows)
	input := m.input.draw
	if s := m.panes.show; s != nil && !s.live {
		input = m.drawShow
	}
	if sc.input.h > 0 {
		copy(rows[sc.input.y:], input(sc.input))
	}
	copy(rows[sc.caption.y:], m.caption(sc.caption))
	m.drawOver(rows)
	m.drawApproval(rows)
	m.drawForm(rows)
	return rows
}

// body joins the panes between the two rules.
func (m *model) body(rows []string) {
	sc := &m.screen
	side := m.pen.border.on(m.pen.vertical)
	if m.panes.full && sc.inspector.h > 0 {
		copy(rows[sc.inspector.y:], m.drawInspector(sc.inspector.w, sc.inspector.h))
		return
	}
	draw := m.drawSaid
	if m.asksInChat() {
		draw = m.drawAsked
	}
	copy(rows[sc.chat.y:], exactly(draw(sc.chat), sc.chat.w, sc.chat.h))
	switch sc.size {
	case sizeMedium:
		for i, row := range m.sidebar(sc.sidebar.w, sc.sidebar.h) {
			rows[sc.sidebar.y+i] += side + row
		}
	case sizeLarge:
		rail := m.sidebar(sc.sidebar.w, sc.sidebar.h)
		for i, row := range m.drawInspector(sc.inspector.w, sc.inspector.h) {
			y := sc.inspector.y + i
			rows[y] = rail[i] + side + rows[y] + side + row
		}
	}
}

// drawSaid is what was said, or a welcome.
func (m *model) drawSaid(r rect) []string {
	if !m.chat.said && m.chat.silent() {
		return m.welcome(r)
	}
	if m.screen.size > sizeSmall {
		r.h-- // a blank row above the input
	}
	m.chat.canvas.model, m.chat.screen.bare = m.panes.model, m.drag.moved
	if m.inline() {
		live := min(m.chat.liveRows(m.above.last), r.h)
		blank := make([]string, r.h-live)
		if r.h = live; live == 0 {
			return blank
		}
		return append(blank, exactly(m.chat.draw(r, false), r.w, r.h)...)
	}
	return exactly(m.chat.draw(r, m.panes.focus == inChat), r.w, r.h)
}

// place is a directory as people write it: with ~ for their own.
func (m *model) place(dir string) string {
	if rest, ok := strings.CutPrefix(dir, m.o.Env("HOME")); ok && rest != dir && (rest == "" || rest[0] == '/') {
		dir = "~" + rest
	}
	return safe.Line(dir)
}

// welcome fills an empty chat from below.
func (m *model) welcome(r rect) []string {
	rows := m.welcomeRows(r.w)
	if len(rows) > r.h {
		rows = rows[len(rows)-r.h:]
	} else if len(rows) < r.h {
		rows = append(rows, "")
	}
	blank := make([]string, r.h-len(rows), r.h)
	return exactly(append(blank, rows...), r.w, r.h)
}

func (m *model) welcomeRows(w int) (rows []string) {
	p := m.pen
	about := strings.TrimSpace("yaap " + safe.Line(m.o.Version))
	rows = append(rows, "  "+p.title.on(about)+"  "+p.dim.on(cut(m.place(m.o.Dir), max(w-width(about)-6, 0), p.ellipsis)), "")
	if examples := m.experts.offered; len(examples) > 0 {
		rows = append(rows, "  "+p.text.on("Ask the room. It can answer these now:"), "")
		w := min(w-4, 76)
		for _, c := range examples {
			rows = append(rows, "  "+ends(p.accent.on(p.closed)+" "+p.text.on(cut(c.text, w-width(c.right)-4, p.ellipsis)), p.dim.on(c.right), w, ""))
		}
		up := "takes one   "
		if len(m.input.history) > 0 {
			up = "what you asked before   "
		}
		rows = append(rows, "", "  "+p.strong.on(p.up)+" "+p.dim.on(up)+p.strong.on("@name")+" "+p.dim.on("asks one expert   ")+p.strong.on("/")+" "+p.dim.on("commands"))
	} else {
		rows = append(rows, "  "+p.dim.on("Ask the room. Experts answer as soon as they have joined."))
	}
	rows = append(rows, "")
	for _, it := range m.chat.items {
		for i := range it.arrange(&m.chat.canvas) {
			if row := it.row(i); row != "" {
				rows = append(rows, " "+row)
			}
		}
	}
	return rows
}

// exactly makes rows fill a rectangle.
func exactly(rows []string, w, h int) []string {
	out := make([]string, h)
	for i := range out {
		row := ""
		if i < len(rows) {
			row = rows[i]
		}
		out[i] = fit(row, w)
	}
	return out
}

// ruleRow is a line across the screen that meets the lines between the panes.
func (m *model) ruleRow(p *pen, tee string) string {
	sc := &m.screen
	cells := make([]string, sc.w)
	for i := range cells {
		cells[i] = p.horizontal
	}
	if !m.panes.full && m.reading() == nil {
		for _, r := range []rect{sc.sidebar, sc.inspector} {
			if r.h > 0 && r.x > 0 && r.x-1 < sc.w {
				cells[r.x-1] = tee
			}
		}
		if sc.size == sizeLarge {
			cells[sc.sidebar.right()] = tee
		}
	}
	return p.border.on(strings.Join(cells, ""))
}

// cursor is where the user types.
func (m *model) cursor() *tea.Cursor {
	sc := &m.screen
	if m.deciding() != nil {
		return m.asks.edit.cursor()
	}
	if f := m.form(); f != nil {
		return f.cursor()
	}
	if m.panes.show != nil || m.panes.focus != inInput || m.panes.over.kind != overNone || m.panes.entry.kind != actNone || sc.input.h == 0 {
		return nil
	}
	c := m.input.area.Cursor()
	if c == nil {
		return nil
	}
	if over := m.input.height() - sc.input.h; over > 0 {
		c.Y -= min(max(c.Y-sc.input.h+1, 0), over)
	}
	c.Y += sc.input.y
	c.X = min(c.X, sc.w-1)
	return c
}
