package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// reader is something of an answer that is read over the whole body: a table, code, a
// cell. What it shows is safe already.
type reader interface {
	// title is what the line above says: what it is, and where in it the user is.
	title(p *pen) (what, where string)
	// key does what a key asks for, page being half of the rows. It returns what is to
	// be read above it, nil for nothing.
	key(do action, page int) reader
	draw(p *pen, w, h int) []string
	hints() [][2]string
	copied() string
}

// read shows something over the body; esc comes back to what was read before.
func (m *model) read(r reader) {
	if m.panes.over.kind != overReader {
		m.panes.over = overlay{kind: overReader, n: m.panes.over.n + 1}
	}
	m.panes.over.readers = append(m.panes.over.readers, r)
}

// reading is what is read now; nil: nothing.
func (m *model) reading() reader {
	if o := &m.panes.over; o.kind == overReader {
		return o.readers[len(o.readers)-1]
	}
	return nil
}

// readerRoom is where something is read.
func (m *model) readerRoom() rect {
	sc := &m.screen
	if sc.size == sizeBare {
		return rect{w: sc.w, h: sc.input.y}
	}
	return rect{y: sc.top.bottom(), w: sc.w, h: sc.bottom.y - sc.top.bottom()}
}

// keyReader takes a key while something is read. A letter that does nothing there begins to
// type, behind the chat again.
func (m *model) keyReader(msg tea.KeyPressMsg) tea.Cmd {
	r, o := m.reading(), &m.panes.over
	switch do := m.keys.find(inReader, msg.String()); do {
	case actNone:
		if msg.Text != "" && msg.Text != " " && m.panes.show == nil && m.panes.look == nil {
			m.panes.over = overlay{n: o.n}
			return m.letter(actNone, msg)
		}
	case actStop:
		if o.readers = o.readers[:len(o.readers)-1]; len(o.readers) == 0 {
			m.panes.over = overlay{n: o.n}
		}
	case actCopy:
		return m.clip(r.copied())
	case actFilter:
		if f, ok := r.(*tableReader); ok {
			m.panes.entry = entry{kind: actFilter, text: f.wanted, last: m.panes.entry.last}
		}
	default:
		if above := r.key(do, max(m.readerRoom().h/2, 1)); above != nil {
			m.read(above)
		}
	}
	return nil
}

// drawReader lays what is read over the body, with its title in the line above.
func (m *model) drawReader(rows []string) {
	room := m.readerRoom()
	copy(rows[room.y:], exactly(m.reading().draw(m.pen, room.w, room.h), room.w, room.h))
	if m.screen.top.h > 0 {
		rows[m.screen.top.y] = m.readerRule()
	}
	if e := m.panes.entry; e.kind != actNone && m.screen.hint.h == 0 && room.h > 0 {
		rows[room.y+room.h-1] = fit(" "+m.pen.accent.on("/")+" "+m.pen.text.on(e.text+m.pen.block), room.w)
	}
}

// readerRule is the line above what is read.
func (m *model) readerRule() string {
	p := m.pen
	what, where := m.reading().title(p)
	left := p.accent.on(p.horizontal) + " " + p.title.on(cut(what, m.screen.w-4, p.ellipsis)) + " "
	right := " " + where + " " + p.horizontal
	if width(left)+width(right) > m.screen.w {
		right = ""
	}
	fill := max(m.screen.w-width(left)-width(right), 0)
	return left + p.accent.on(strings.Repeat(p.horizontal, fill)) + p.dim.on(right)
}
