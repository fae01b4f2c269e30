package tui

import (
	"cmp"
	"slices"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
)

// sidebar is what stands beside the chat: who is in the room, and below that only what
// goes on or waits. In a large terminal it ends with what happened last.
func (m *model) sidebar(w, h int) []string {
	large := m.screen.size == sizeLarge
	rows := m.experts.sidebar(m.pen, w, h*2/3, large)
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
	if events := m.sidebarEvents(w, h-len(rows)-2); large && len(events) > 0 {
		rows = append(exactly(rows, w, h-len(events)-1), rule(m.pen, "EVENTS  "+m.keys.own.named("f6"), "", w))
		rows = append(rows, events...)
	}
	return exactly(rows, w, h)
}

// sidebarEvents are the last joins, calls, edges and answers, in at most h rows.
func (m *model) sidebarEvents(w, h int) (rows []string) {
	const most, looked = 8, 500
	pane, _ := m.panes.all[paneNamed("events")].(*eventsPane)
	for i := len(pane.all) - 1; i >= max(len(pane.all)-looked, 0) && len(rows) < min(h, most); i-- {
		r := pane.all[i]
		if sign, text := m.pen.outcome(r.Body); text != "" {
			rows = append(rows, ends(" "+sign+" "+m.pen.text.on(text), m.pen.dim.on(r.Time.Format("15:04:05"))+" ", w, m.pen.ellipsis))
		}
	}
	slices.Reverse(rows)
	return rows
}

// outcome is an event in a few words with a sign; nothing, where only the program minds it.
func (p *pen) outcome(b core.Body) (sign, text string) {
	switch b := b.(type) {
	case core.ExpertJoined:
		return p.ok.on(p.into), safe.Line(b.Name) + " joined"
	case core.ExpertLeft:
		return p.dim.on(p.outof), safe.Line(b.Name) + " left"
	case core.ToolCallEnd:
		name := callName(safe.Line(b.Tool), safe.Line(b.Expert))
		switch b.Status {
		case core.ToolSuccess:
			return p.ok.on(p.done), name
		case core.ToolWaiting:
			return p.warn.on(p.ask), name
		}
		return p.bad.on(p.failed), name
	case core.EdgeTaken:
		if b.Taken {
			return p.dim.on(p.dot), safe.Line(b.From) + " " + p.into + " " + safe.Line(b.To)
		}
	case core.FinalOutput:
		sign, tone := p.status(b.Reply.Status)
		return tone.on(sign), cmp.Or(map[core.Status]string{core.StatusFailure: "failed", core.StatusClarification: "asked back"}[b.Reply.Status], "answered")
	default:
	}
	return "", ""
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
