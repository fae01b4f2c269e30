package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/yaap-chat/yaap/core"
)

// InspectBackend is the Backend of the inspectors where there is no chat around them.
type InspectBackend interface {
	// Next is that of [Backend].
	Next(ctx context.Context) ([]core.Event, error)
	// Experts is that of [Queries].
	Experts() []core.Expert
	// Open reports whether a room is open. It never blocks.
	Open() bool
	// Missing says why an inspector has nothing to show, and how it will. It never
	// blocks.
	Missing(inspector string) string
	InspectorData
}

// inspecting is a [Backend] that is only inspected.
type inspecting struct {
	readOnlyBackend
	InspectBackend
	pane string // that is shown first
}

// RunInspect shows the inspectors, one at a time, until the user leaves or ctx ends.
func RunInspect(ctx context.Context, o Options, inspector string, in InspectBackend) error {
	o.Thread, o.Commands = "inspected", nil
	return Run(ctx, o, inspecting{InspectBackend: in, pane: inspector})
}

// ListRows is what an inspector lists of these events and of what it reads, in plain rows
// of at most w cells.
func ListRows(ctx context.Context, o Options, inspector string, in InspectBackend, events []core.Event, w int) (rows []string) {
	const tall = 100_000 // rows
	m := newModel(ctx, o, inspecting{InspectBackend: in, pane: inspector}, new(jobs))
	m.once, m.pen.theme, m.pen.colour = true, theme{}, false
	m.screen.w, m.above.tall = w, tall
	m.fit()
	m.settle(m.happened(batch{events: events, experts: in.Experts()})) //nolint:contextcheck // the model has it
	m.settle(m.shown().Open())                                         //nolint:contextcheck // the model has it
	for _, row := range m.shown().View(field{pen: m.pen, w: w, h: tall, list: true}) {
		rows = append(rows, strings.TrimRight(ansi.Strip(row), " "))
	}
	return trimmed(rows)
}

// keyInspect takes a key where there are inspectors alone.
func (m *model) keyInspect(name string) tea.Cmd {
	tabs := len(paneTable())
	switch do := m.keys.find(inInspector, name); do {
	case actStop, actInterrupt:
		return tea.Quit
	case actNextPane:
		return m.openPane((m.panes.tab + 1) % tabs)
	case actPrevPane:
		return m.openPane((m.panes.tab + tabs - 1) % tabs)
	case actQuestion, actHelp:
		return m.act(actHelp)
	case actFull: // it is: what can be opened is a detail
		return m.scroll(actOpen)
	case actCancelRun, actForkRun:
		return m.say(toneAsk, "this only looks; the window that runs the room can do that")
	case actNone:
		if name == "q" {
			return tea.Quit
		}
		cmd, _ := m.keyPane(press{text: name})
		return cmd
	default:
		if m.inspects(do) {
			return m.act(do)
		}
	}
	return nil
}

// inspects reports whether an action is there without a chat.
func (m *model) inspects(do action) bool {
	if do >= actPane || do == actSuspend || do == actPageUp || do == actPageDown {
		return true
	}
	return slices.ContainsFunc(m.keys.table, func(b binding) bool { return b.where == inInspector && b.do == do })
}

// roomIsOpen says whether one is.
func (m *model) roomIsOpen() string {
	if !m.panes.look.Open() {
		return m.pen.dim.on("no room is open ")
	}
	return m.pen.ok.on(m.pen.idle) + " " + m.pen.dim.on(count(m.experts.present(), "expert")+" ")
}
