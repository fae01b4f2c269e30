package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"yaap/core"
)

// pane is an inspector: it shows what goes on inside. What it is told by, and what it
// may ask for, is the model's. One of which something can be copied has a method
// copied, as items of the chat have.
type pane interface {
	reader
	// key does what a key asks for within the pane, and reports whether it did.
	key(m *model, k press) (tea.Cmd, bool)
	// look filters by words while they are typed, and when they are: typed.
	look(m *model, words string, typed bool) tea.Cmd
	// filtered returns the words that it is filtered by.
	filtered() string
	// draw returns the pane in rows of w cells, at most h.
	draw(p *pen, w, h int, focused bool) []string
	// hints are keys and what they do here.
	hints() [][2]string
}

// reader reads what a pane shows beside what it is told.
type reader interface {
	// open is called when the pane comes to be seen.
	open(m *model) tea.Cmd
	// event is called while it is seen.
	event(m *model, e core.Event) tea.Cmd
}

// press is a key within a pane.
type press struct {
	do   action // actNone: one that no other pane knows
	text string // how the key is called
	page int    // half of the rows that the pane has
}

// idlePane is the reader of a pane that reads nothing.
type idlePane struct{}

func (idlePane) open(*model) tea.Cmd              { return nil }
func (idlePane) event(*model, core.Event) tea.Cmd { return nil }

// paneRow is a pane, and how it is come to.
type paneRow struct {
	name        string // its command is /name
	key, leader string
	title       string
	help        string // of its key
	does        string // of its command, where the room has none of that name
	find        string // what looking for words is called
	wheel       int    // rows that a turn of the mouse's wheel moves
	of          func(m *model) pane
}

// paneTable lists the panes. A new one is a row here, and a file.
func paneTable() []paneRow {
	return []paneRow{
		{name: "experts", key: "f2", leader: "e", title: "Experts", help: "experts", find: "filter", wheel: 1, of: func(m *model) pane { return &m.experts }},
		{name: "chain", key: "f4", leader: "c", title: "Chain", help: "chains", find: "filter", wheel: 1, of: func(m *model) pane { return &m.chains }},
		{name: "memory", key: "f5", leader: "m", title: "Memory", help: "memory", find: "search", wheel: 1, of: func(m *model) pane { return &m.memory }},
		{name: "events", key: "f6", leader: "v", title: "Events", help: "events", does: "what every run is doing", find: "filter", wheel: 3, of: func(m *model) pane { return &m.log }},
		{name: "audit", key: "f7", leader: "a", title: "Audit", help: "audit log", does: "what everybody answered, and why", find: "filter", wheel: 1, of: func(m *model) pane { return &m.audit }},
	}
}

// actPane is what opens the first pane of the table; the others follow.
const actPane action = 1000

// opens is what opens the pane of a row.
func opens(row int) action { return actPane + action(row) }

// paneNamed is the place of a pane in the table, -1 for none.
func paneNamed(name string) int {
	return slices.IndexFunc(paneTable(), func(r paneRow) bool { return r.name == name })
}

// paneKeys are the keys of all panes, as they are told in the last row: f2 f4-f7.
func paneKeys() string {
	var keys []string
	first, last := 0, -1
	for _, row := range paneTable() {
		n, err := strconv.Atoi(strings.TrimPrefix(row.key, "f"))
		switch {
		case err != nil:
			keys = append(keys, row.key)
		case n == last+1:
			keys[len(keys)-1] = "f" + itoa(first) + "-f" + itoa(n)
			last = n
		default:
			first, last = n, n
			keys = append(keys, row.key)
		}
	}
	return strings.Join(keys, " ")
}

// inspectors are what the panes show.
type inspectors struct {
	experts roster
	log     eventLog
	chains  chainLog
	audit   auditLog
	memory  memoryLog
	all     []pane // in the order of the table
}

// shown returns the pane of the chosen tab.
func (m *model) shown() pane { return m.all[m.panes.tab] }

// row is that of the chosen tab.
func (m *model) row() paneRow { return paneTable()[m.panes.tab] }

// openPane shows a pane; asked for again, it hides it. What it has to read for that
// is read meanwhile.
func (m *model) openPane(tab int) tea.Cmd {
	if m.panes.focus == inInspector && m.panes.tab == tab {
		m.panes.focus, m.panes.full = inInput, false
		return nil
	}
	m.panes.tab, m.panes.focus = tab, inInspector
	if m.screen.size < sizeLarge {
		m.panes.full = true
	}
	return m.shown().open(m)
}

// sees reports whether a pane can be seen.
func (m *model) sees(p pane) bool { return m.shown() == p && m.screen.inspector.h > 0 }

// drawInspector draws the pane of the chosen tab.
func (m *model) drawInspector(w, h int) []string {
	focused := m.panes.focus == inInspector
	var rows []string
	if !m.panes.full {
		rows = []string{m.tabs(w, focused), fit("", w)}
	}
	return exactly(append(rows, m.shown().draw(m.pen, w, h-len(rows), focused)...), w, h)
}

func (m *model) tabs(w int, focused bool) string {
	p := m.pen
	left := ""
	for i, t := range paneTable() {
		style := p.dim
		if i == m.panes.tab {
			style = p.title
		}
		left += "  " + style.on(t.key+" "+t.title)
	}
	left = left[1:]
	right := ""
	if focused {
		right = p.dim.on("/ filter  y copy  o full ")
	}
	if words := m.shown().filtered(); words != "" {
		left += "   " + p.warn.on("/"+cut(words, 20, p.ellipsis))
	}
	if width(left)+width(right)+2 > w {
		right = ""
	}
	return ends(left, right, w, "")
}

// topRule is the line above the body: in full screen it names the inspector.
func (m *model) topRule() string {
	p := m.pen
	if !m.panes.full {
		return m.ruleRow(p, p.teeDown)
	}
	title := strings.ToUpper(m.row().title)
	if words := m.shown().filtered(); words != "" {
		title += " /" + cut(words, 20, p.ellipsis)
	}
	w := m.screen.w
	left := p.accent.on(p.horizontal) + " " + p.title.on(title) + " "
	hints := ""
	for _, h := range append(m.shown().hints(), [2]string{"esc", "back"}) {
		hints += "  " + h[0] + " " + h[1]
	}
	right := p.dim.on(hints[1:]) + " " + p.accent.on(strings.Repeat(p.horizontal, 2))
	if width(left)+width(right)+4 > w {
		right = ""
	}
	return left + p.accent.on(strings.Repeat(p.horizontal, max(w-width(left)-width(right), 0))) + right
}

// browser is the place in a list that an inspector shows.
type browser struct {
	cursor, top int
	scrolled    int // rows of the detail
	unfolded    bool
	filter      string
}

func (b *browser) clamp(n int) { b.cursor = max(min(b.cursor, n-1), 0) }

func (b *browser) move(n int) {
	b.cursor = max(b.cursor+n, 0)
	b.scrolled = 0
}

func (b *browser) filtered() string { return b.filter }

// steer moves in the list with move as a key asks, and reports whether it did; pages
// scroll the detail where there is one.
func (b *browser) steer(k press, detail bool, move func(int)) bool {
	page := max(k.page, 1)
	switch k.do {
	case actDown:
		move(1)
	case actUp:
		move(-1)
	case actPageDown, actPageUp:
		if k.do == actPageUp {
			page = -page
		}
		if !detail {
			move(page)
			return true
		}
		b.scrolled = max(b.scrolled+page, 0)
	case actHalfDown:
		move(page)
	case actHalfUp:
		move(-page)
	case actTop:
		move(-maxRecords * 2)
	case actBottom:
		move(maxRecords * 2)
	case actOpen:
		b.unfolded = !b.unfolded
	default:
		return false
	}
	return true
}

// part returns the h rows of a detail that are scrolled to.
func (b *browser) part(rows []string, h int) []string {
	b.scrolled = max(min(b.scrolled, len(rows)-h), 0)
	return rows[b.scrolled:min(len(rows), b.scrolled+max(h, 0))]
}
