package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
)

// pane is an inspector: it shows what goes on inside. Its methods run in the
// program's goroutine; what blocks goes through await. One of which something can be
// copied has a method copied, as items of the chat have.
type pane interface {
	// Open is called when the pane comes to be seen, and when a command of its name
	// has ended while it is.
	Open() tea.Cmd
	// Key takes a key, or what the user filters by, and reports whether that does
	// something here.
	Key(k press) (tea.Cmd, bool)
	// Event takes what the room reports, whether the pane is seen or not.
	Event(e core.Event) tea.Cmd
	// View returns the pane in rows of f.w cells, at most f.h.
	View(f field) []string
	Hints() hints
}

// press is a key within a pane.
type press struct {
	do    action // actNone: one that no other pane knows
	text  string // how the key is called; with actFilter, the words that are filtered by
	typed bool   // with actFilter: the user has typed all of them
	page  int    // half of the rows that the pane has
}

// field is what a pane is drawn for.
type field struct {
	*pen
	w, h          int
	focused, full bool // full: nothing else is shown
	list          bool // only what is listed, none of it in detail
}

// hints is what stands around a pane.
type hints struct {
	keys  [][2]string // and what they do here
	words string      // that it is filtered by
}

// paneRow is a pane, and how it is reached.
type paneRow struct {
	name        string // its command is /name
	key, leader string
	title       string
	help        string // of its key
	does        string // of its command, where the room has none of that name
	find        string // what looking for words is called
	wheel       int    // rows that a turn of the mouse's wheel moves
	of          func(h host) pane
}

// paneTable lists the panes. A new one is a row here, and a file.
func paneTable() []paneRow {
	return []paneRow{
		{name: "experts", key: "f2", leader: "e", title: "Experts", help: "experts", find: "filter", wheel: 1, of: newExpertsPane},
		{name: "wire", key: "f3", leader: "w", title: "Wire", help: "what passes between the room and others", does: "every frame between the room and its experts, callers and models", find: "filter", wheel: 3, of: newWirePane},
		{name: "chain", key: "f4", leader: "c", title: "Chain", help: "chains", find: "filter", wheel: 1, of: newChainPane},
		{name: "memory", key: "f5", leader: "m", title: "Memory", help: "memory", find: "search", wheel: 1, of: newMemoryPane},
		{name: "events", key: "f6", leader: "v", title: "Events", help: "events", does: "what every run is doing", find: "filter", wheel: 3, of: newEventsPane},
		{name: "audit", key: "f7", leader: "a", title: "Audit", help: "audit log", does: "what everybody answered, and why", find: "filter", wheel: 1, of: newAuditPane},
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

// paneKeys are the keys of all panes, as they are told in the last row: f2-f7.
func paneKeys(own Rebound) string {
	keys, last, rows := "", -1, paneTable()
	for i := range rows {
		rows[i].key = own.named(rows[i].key)
	}
	for i, row := range rows {
		n, _ := strconv.Atoi(strings.TrimPrefix(row.key, "f"))
		switch {
		case n != last+1:
			keys += " " + row.key
		case i+1 == len(rows) || rows[i+1].key != "f"+itoa(n+1):
			keys += "-" + row.key
		}
		last = n
	}
	return keys[1:]
}

// shown returns the pane of the chosen tab.
func (m *model) shown() pane { return m.panes.all[m.panes.tab] }

// row is that of the chosen tab.
func (m *model) row() paneRow { return paneTable()[m.panes.tab] }

// openPane shows a pane; asked for again, it hides it. What it has to read for that
// is read meanwhile.
func (m *model) openPane(tab int) tea.Cmd {
	if m.panes.focus == inInspector && m.panes.tab == tab && m.panes.look == nil {
		m.panes.focus, m.panes.full = inInput, false
		return nil
	}
	m.panes.tab, m.panes.focus, m.input.strayed = tab, inInspector, false
	if m.screen.size < sizeLarge {
		m.panes.full = true
	}
	return m.shown().Open()
}

// drawInspector draws the pane of the chosen tab.
func (m *model) drawInspector(w, h int) []string {
	focused := m.panes.focus == inInspector
	var rows []string
	if !m.panes.full {
		rows = []string{m.tabs(w), fit("", w)}
	}
	f := field{pen: m.pen, w: w, h: h - len(rows), focused: focused, full: m.panes.full}
	return exactly(append(rows, m.shown().View(f)...), w, h)
}

// tabs names the panes, the chosen one in another style.
func (m *model) tabs(w int) string {
	p := m.pen
	left, right := "", ""
	for i, t := range paneTable() {
		style := p.dim
		if i == m.panes.tab {
			style = p.title
		}
		left += "  " + style.on(m.keys.own.named(t.key)+" "+t.title)
	}
	switch words := m.shown().Hints().words; {
	case m.panes.look != nil:
		right = m.roomIsOpen()
	case words != "":
		left += "   " + p.warn.on("/"+cut(words, 20, p.ellipsis))
	}
	return ends(left[1:], right, w, p.ellipsis)
}

// topRule is the line above the body: in full screen it names the inspector.
func (m *model) topRule() string {
	p := m.pen
	if !m.panes.full {
		return m.ruleRow(p, p.teeDown)
	}
	about, title := m.shown().Hints(), strings.ToUpper(m.row().title)
	if about.words != "" {
		title += " /" + cut(about.words, 20, p.ellipsis)
	}
	left := p.accent.on(p.horizontal) + " " + p.title.on(title) + " "
	right := ""
	if m.panes.look != nil {
		right = p.dim.on(" "+cut(m.place(m.o.Dir), max(m.screen.w-width(left)-8, 0), p.ellipsis)) + " " + p.accent.on(strings.Repeat(p.horizontal, 2))
	}
	return left + p.accent.on(strings.Repeat(p.horizontal, max(m.screen.w-width(left)-width(right), 0))) + right
}

// endsRun reports whether an event ends a run that the user started.
func endsRun(e core.Event) bool {
	_, ended := e.Body.(core.RunEnd)
	return ended && e.Depth == 0
}
