package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// inspector is a pane that shows what goes on inside.
type inspector interface {
	// inspect draws the pane in rows of w cells, at most h.
	inspect(p *pen, w, h int, focused bool) []string
	// scroll does what a key asks for within the pane; page is half of the
	// rows that it has.
	scroll(do action, page int)
	// copied is what is chosen, for the clipboard.
	copied() string
	// look filters by words; filtered returns them.
	look(words string)
	filtered() string
	// hints are keys and what they do here.
	hints() [][2]string
}

// inspectors are all that there are.
type inspectors struct {
	experts roster
	log     eventLog
	chains  chainLog
	audit   auditLog
	memory  memoryLog
}

// tab is how an inspector is come to.
type tab struct {
	do         action
	key, title string
}

func tabs() [5]tab {
	return [...]tab{{actExperts, "f2", "Experts"}, {actChain, "f4", "Chain"}, {actMemory, "f5", "Memory"}, {actEvents, "f6", "Events"}, {actAudit, "f7", "Audit"}}
}

// shown returns the inspector of the chosen tab.
func (m *model) shown() inspector {
	switch m.panes.tab {
	case actExperts:
		return &m.experts
	case actChain:
		return &m.chains
	case actAudit:
		return &m.audit
	case actMemory:
		return &m.memory
	}
	return &m.log
}

// openInspector shows an inspector; asked for again, it hides it. What it has
// to read for that is read meanwhile.
func (m *model) openInspector(tab action) tea.Cmd {
	if m.panes.focus == inInspector && m.panes.tab == tab {
		m.panes.focus, m.panes.full = inInput, false
		return nil
	}
	m.panes.tab, m.panes.focus = tab, inInspector
	if m.screen.size < sizeLarge {
		m.panes.full = true
	}
	switch tab {
	case actAudit:
		return m.readAudit(true)
	case actMemory:
		return m.openMemory(m.memory.want)
	}
	return nil
}

// inspecting reports whether an inspector can be seen.
func (m *model) inspecting(tab action) bool {
	return m.panes.tab == tab && m.screen.inspector.h > 0
}

// drawInspector draws the pane of the chosen tab.
func (m *model) drawInspector(w, h int) []string {
	focused := m.panes.focus == inInspector
	var rows []string
	if !m.panes.full {
		rows = []string{m.tabs(w, focused), fit("", w)}
	}
	return exactly(append(rows, m.shown().inspect(m.pen, w, h-len(rows), focused)...), w, h)
}

func (m *model) tabs(w int, focused bool) string {
	p := m.pen
	left := ""
	for _, t := range tabs() {
		style := p.dim
		if t.do == m.panes.tab {
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
	title := ""
	for _, t := range tabs() {
		if t.do == m.panes.tab {
			title = strings.ToUpper(t.title)
		}
	}
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
	open        bool
	filter      string
}

func (b *browser) clamp(n int) { b.cursor = max(min(b.cursor, n-1), 0) }

func (b *browser) move(n int) {
	b.cursor = max(b.cursor+n, 0)
	b.scrolled = 0
}

func (b *browser) filtered() string { return b.filter }

// steer moves in the list with move as a key asks; pages scroll the detail
// where there is one.
func (b *browser) steer(do action, page int, detail bool, move func(int)) {
	page = max(page, 1)
	switch do {
	case actDown:
		move(1)
	case actUp:
		move(-1)
	case actPageDown, actPageUp:
		if do == actPageUp {
			page = -page
		}
		if !detail {
			move(page)
			return
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
		b.open = !b.open
	}
}

// part returns the h rows of a detail that are scrolled to.
func (b *browser) part(rows []string, h int) []string {
	b.scrolled = max(min(b.scrolled, len(rows)-h), 0)
	return rows[b.scrolled:min(len(rows), b.scrolled+max(h, 0))]
}
