package tui

import (
	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/runlog"
)

// sidebar is what stands beside the chat: who is in the room, and below that only what
// goes on or waits.
func (m *model) sidebar(w, h int) []string {
	large := m.screen.size == sizeLarge
	most := h
	if !large {
		most = h * 2 / 3
	}
	rows := m.experts.sidebar(m.pen, w, most, large)
	for _, part := range []struct {
		title string
		rows  []string
	}{
		{"CHAIN  " + m.keys.own.named("f4"), m.sidebarChain(w)},
		{"MEMORY  " + m.keys.own.named("f5"), m.sidebarMemory(w)},
		{"WAITS FOR YOU", m.sidebarWaits(w)},
	} {
		if len(part.rows) > 0 {
			rows = append(rows, fit("", w), rule(m.pen, part.title, "", w))
			rows = append(rows, part.rows...)
		}
	}
	return exactly(rows, w, h)
}

// sidebarChain is the chain that runs or waits, and the nodes that it is at.
func (m *model) sidebarChain(w int) []string {
	a := m.chat.last()
	if a == nil || a.chain() == "" || !a.running() && !runlog.Waits(*a.run.End) {
		return nil
	}
	p := m.pen
	right := ""
	if total := nodeCount(m.chat.canvas.graphs[a.chain()]); total > 0 {
		right = p.dim.on(itoa(min(len(a.run.Nodes), total))+" of "+itoa(total)) + " "
	}
	rows := []string{ends(" "+p.text.on(chainName(a.chain())), right, w, p.ellipsis)}
	for _, c := range a.calls(a.run) {
		sign, word, tone := p.node(c.state)
		left := " " + tone.on(sign) + " " + p.text.on(c.name)
		switch c.state {
		case core.NodeRunning:
			rows = append(rows, ends(left, p.dim.on(elapsed(p.since(c.began)))+" ", w, p.ellipsis))
		case core.NodePaused:
			rows = append(rows, fit(left+"  "+p.dim.on(word), w))
		}
	}
	return rows
}

// sidebarMemory is how much the memory has noted of this conversation, and the last of it.
func (m *model) sidebarMemory(w int) []string {
	const most = 2 // rows
	c, p := m.chat, m.pen
	if len(c.noted) == 0 {
		return nil
	}
	took, last := "took "+itoa(len(c.noted))+"  ", ""
	if a := c.runs[c.noted[len(c.noted)-1]]; a != nil {
		if s := c.above(a); s != nil {
			last = s.text
		}
	}
	return hung(" "+p.text.on(took), p.dim.each(firstLines(last, w-width(took)-2, most, p.ellipsis)))
}

// sidebarWaits is what the user is asked to allow.
func (m *model) sidebarWaits(w int) (rows []string) {
	const most = 4
	p := m.pen
	for i, a := range m.asks.list {
		if i == most {
			return append(rows, fit("   "+p.dim.on(p.ellipsis+" "+itoa(len(m.asks.list)-most)+" more"), w))
		}
		rows = append(rows, fit(" "+p.warn.on(p.ask)+" "+p.text.on(cut(askName(a.tool, a.expert), w-4, p.ellipsis)), w))
	}
	return rows
}
