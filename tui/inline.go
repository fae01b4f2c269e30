package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// inlined is a chat that leaves the screen to the terminal: what is said is written above
// the frame once it stands, and is the terminal's to scroll, to find and to keep. The
// frame holds what goes on and the input. Whatever else is looked at fills the screen
// until it is closed.
type inlined struct {
	on      bool
	tall    int       // rows of the terminal
	rows    int       // of the frame; 0: it has the whole screen
	since   time.Time // when that changed
	thread  string    // of what was written
	last    item      // the newest that was written; nil: none was
	writing bool      // rows are on their way, and the frame stays as it is
	left    bool      // the user leaves: there is no input any more
	profile colorprofile.Profile
}

// drawnWithin is how long the terminal has to show a frame of another height: what is
// written above before that lands within it.
const drawnWithin = 100 * time.Millisecond

// inline reports whether the frame stands below what was said.
func (m *model) inline() bool {
	p := &m.panes
	return m.above.on && (m.above.writing || p.focus == inInput && p.over.kind == overNone && p.entry.kind == actNone && !p.full && m.asks.first() == nil && m.form() == nil)
}

// fitInline arranges the frame for what is not written yet: the end of it in at most a third of
// the terminal, as the frame leaves as many blank rows below when that is written.
func (m *model) fitInline(s shape) screen {
	size := min(classify(m.screen.w, m.above.tall), sizeSmall)
	m.chat.toEnd()
	m.chat.sel = -1
	m.chat.resize(rect{w: m.screen.w, h: m.above.tall}, size)
	if s.live = min(m.chat.liveRows(m.above.last), max(m.above.tall/3, 1)); !m.chat.said && m.chat.silent() {
		s.live = len(m.welcomeRows(m.screen.w))
	}
	if n := len(m.input.menu.choices); n > 0 {
		s.live = max(s.live, min(n, 8)+3)
	}
	if m.above.left { // what is not written yet is left there whole
		s.input, s.live = 0, m.chat.liveRows(m.above.last)
	}
	return arrangeInline(m.screen.w, m.above.tall, size, s)
}

// arrangeInline divides the rows that the frame takes of a terminal of w x h cells.
func arrangeInline(w, h int, size size, s shape) screen {
	sc := screen{w: w, h: h, size: size}
	if size == sizeTiny {
		return sc
	}
	input, rest := min(s.input, maxInput, max(h/3, 1)), 2 // a rule and the hints
	if size == sizeBare || s.input == 0 {
		rest = 0
	}
	sc.chat = rect{0, 0, w, max(min(s.live, h-input-rest-1), 0)}
	y := sc.chat.h
	if rest > 0 {
		sc.bottom = rect{0, y, w, 1}
		y++
	}
	sc.input = rect{0, y, w, input}
	y += input
	if rest > 0 {
		sc.hint = rect{0, y, w, 1}
		y++
	}
	sc.h = max(y, 1)
	if s.input == 0 {
		sc.h++ // for the shell
	}
	return sc
}

// writeAbove writes what stands and was not written yet above the frame.
func (m *model) writeAbove() tea.Cmd {
	a, rows := &m.above, 0
	if m.inline() {
		rows = m.screen.h
	}
	switch {
	case !a.on || a.writing:
		return nil
	case rows != a.rows:
		a.rows, a.since = rows, time.Now()
		return m.after(drawnWithin, then(func() tea.Cmd { return nil }))
	case rows == 0 || time.Since(a.since) < drawnWithin:
		return nil
	}
	items := m.chat.standing(a.last)
	if len(items) == 0 {
		return nil
	}
	var lines []string
	for _, it := range items {
		for i := range it.arrange(&m.chat.canvas) {
			lines = append(lines, strings.TrimRight(cut(it.row(i), m.screen.w, ""), " "))
		}
	}
	if a.thread != m.chat.thread { // pgup shows the rest of it
		title := m.pen.dim.on(cut(strings.Repeat(m.pen.horizontal, 2)+" "+m.chat.title, m.screen.w, m.pen.ellipsis))
		lines = append([]string{"", title}, lines[max(len(lines)-a.tall, 0):]...)
	}
	a.writing, a.thread = true, m.chat.thread
	var writes []tea.Cmd
	for part := range slices.Chunk(lines, max(a.tall-rows, 1)) { // Bubble Tea makes room for less than a screen
		writes = append(writes, tea.Println(m.inProfile(strings.Join(part, "\n"))))
	}
	return tea.Sequence(append(writes, func() tea.Msg {
		return then(func() tea.Cmd { a.writing, a.last = false, items[len(items)-1]; return nil })
	})...)
}

// inProfile gives text the colours that the terminal has: Bubble Tea writes it as it is.
func (m *model) inProfile(text string) string {
	var b strings.Builder
	w := colorprofile.Writer{Forward: &b, Profile: m.above.profile}
	_, _ = w.WriteString(text) // a strings.Builder takes all
	return b.String()
}

// liveRows is how many rows stand below the item that was written last.
func (c *chat) liveRows(written item) int {
	n := len(c.strip())
	for _, it := range c.items[slices.Index(c.items, written)+1:] {
		n += it.arrange(&c.canvas)
	}
	return n
}

// standing are the items below the one that was written last that change no more: those
// up to the last answer that has ended and asks nothing.
func (c *chat) standing(written item) []item {
	all := c.items[slices.Index(c.items, written)+1:]
	end := 0
	for i, it := range all {
		switch it := it.(type) {
		case *answer:
			if it.running() || it == c.last() && (it.asks() || it.run.WaitsForApproval()) {
				return all[:end]
			}
			end = i + 1
		case *notice:
			end = i + 1
		}
	}
	return all[:end]
}
