package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core/safe"
)

// host is the terminal around a pane.
type host struct {
	m  *model
	at int // the pane's row in the table
}

// Seen reports whether the pane can be seen.
func (h host) Seen() bool { return h.m.panes.tab == h.at && h.m.screen.inspector.h > 0 }

// Alone reports whether there is no chat around the pane: nothing can be asked for.
func (h host) Alone() bool { return h.m.panes.look != nil }

// Nothing is what is said where a pane has nothing to show: words, or where it is
// alone what it lacks.
func (h host) Nothing(words string) string {
	if h.Alone() {
		return safe.Line(h.m.panes.look.Missing(paneTable()[h.at].name))
	}
	return words
}

// Options are what the user may choose from now for a root run that asks.
func (h host) Options(run string) []string {
	if a := h.m.chat.asking(); a != nil && a.run.ID == run {
		return a.labels()
	}
	return nil
}

// Confirm does f where the user asks for the same once more while the question
// about it is shown.
func (h host) Confirm(what, question string, f then) tea.Cmd {
	n := &h.m.panes.note
	if n.text != "" && n.asks == what {
		n.asks = ""
		return f()
	}
	cmd := h.m.say(toneAsk, question)
	n.asks = what
	return cmd
}

// Type puts a text into the input, for the user to go on with.
func (h host) Type(text string) {
	h.m.input.set(text)
	h.m.panes.focus, h.m.panes.full = inInput, false
}
