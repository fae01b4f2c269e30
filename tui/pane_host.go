package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/wire"
)

// host is what a pane may ask of the terminal around it.
type host struct {
	m  *model
	at int // the pane's row in the table
}

// Seen reports whether the pane can be seen.
func (h host) Seen() bool { return h.m.panes.tab == h.at && h.m.screen.inspector.h > 0 }

// Wire is where what passes between the room and others is seen.
func (h host) Wire() *wire.Tap { return h.m.b.Wire() }

// Rows is how many rows the pane has.
func (h host) Rows() int { return h.m.screen.inspector.h }

// Experts are those in the room.
func (h host) Experts() []core.Expert { return h.m.experts.all }

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

// Runs are those of the conversation.
func (h host) Runs() *runlog.Set { return &h.m.chat.log }

// Options are what the user may choose from now for a root run that asks.
func (h host) Options(run string) []string {
	if a := h.m.chat.asking(); a != nil && a.run.ID == run {
		return a.labels()
	}
	return nil
}

// Take answers with one of them, from 1, as from the input.
func (h host) Take(n int) tea.Cmd {
	text := h.m.chosen(n)
	if text == "" {
		return h.m.say(toneAsk, "what stands in the input, or runs, goes first")
	}
	return h.m.take(text)
}

// Graph is how a chain is written, as far as that is known.
func (h host) Graph(chain string) diagram.Graph { return h.m.chat.canvas.graphs[chain] }

// After has f done when d is over.
func (h host) After(d time.Duration, f then) tea.Cmd { return h.m.after(d, f) }

// Say shows a line for a moment.
func (h host) Say(t tone, text string) tea.Cmd { return h.m.say(t, text) }

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

// Choose lets the user choose from a list.
func (h host) Choose(title string, from []choice, f func(key string) tea.Cmd) {
	h.m.choose(title, from, func(c choice) tea.Cmd { return f(c.key) })
}

// Command runs a slash command.
func (h host) Command(line string) tea.Cmd { return h.m.command(line) }

// Type puts a text into the input, for the user to go on with.
func (h host) Type(text string) {
	h.m.input.set(text)
	h.m.panes.focus, h.m.panes.full = inInput, false
}

// Cut returns what stops a root run at once, nil where it does not run here.
func (h host) Cut(run string) then {
	if a := h.m.chat.active(); h.m.run.cancel != nil && a != nil && a.run.ID == run {
		return h.m.cutRun
	}
	return nil
}

// read has something read for a pane beside the program's goroutine, and hands it
// to next in it.
func read[T any](h host, job func(context.Context, InspectorData) (T, error), next func(T, error) tea.Cmd) tea.Cmd {
	return await(h.m, func(ctx context.Context, b Backend) (T, error) { return job(ctx, b) }, next)
}
