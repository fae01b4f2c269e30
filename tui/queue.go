package tui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

// queued is what was typed while a run goes on. It is asked when the run is over, unless
// the run takes it in before.
type queued struct {
	text   string
	cancel context.CancelFunc // while it is given to the run; nil else
}

// giving reports whether the run may still take it in.
func (q *queued) giving() bool { return q.cancel != nil }

// giveUp has the run not take it in.
func (q *queued) giveUp() {
	if q.giving() {
		q.cancel()
	}
}

func (m *model) enqueue(text string) {
	m.chat.queue = append(m.chat.queue, &queued{text: safe.Text(text)})
}

// steering returns what a text wants a run in progress to take in; ok is false for any
// other text.
func steering(text string) (words string, ok bool) {
	name, words, _ := strings.Cut(text, " ")
	words = strings.TrimSpace(words)
	return words, strings.EqualFold(name, "/"+commandSteer) && words != ""
}

// steer gives a text to the run in progress. Where there is none it is asked.
func (m *model) steer(text string) tea.Cmd {
	if m.run.cancel == nil {
		return m.ask(text)
	}
	m.enqueue(text)
	return m.give(m.chat.queue[len(m.chat.queue)-1])
}

// steerable is the last that is queued and may be given to the run in progress; nil where
// there is none.
func (m *model) steerable() *queued {
	if n := len(m.chat.queue); n > 0 && m.run.cancel != nil && m.run.stopping.IsZero() {
		if last := m.chat.queue[n-1]; !last.giving() && !isCommand(last.text) {
			return last
		}
	}
	return nil
}

// giveLast gives what was queued last to the run in progress.
func (m *model) giveLast() tea.Cmd {
	if q := m.steerable(); q != nil {
		return m.give(q)
	}
	return nil
}

// give has the run in progress take in what is queued, before its next request to a model.
// What it does not take in stays queued.
func (m *model) give(q *queued) tea.Cmd {
	ctx, cancel := context.WithCancel(m.ctx)
	q.cancel = cancel
	thread := m.chat.thread
	return await(m, func(_ context.Context, b Backend) (struct{}, error) {
		defer cancel()
		return struct{}{}, b.Say(ctx, thread, q.text)
	}, func(_ struct{}, err error) tea.Cmd {
		q.cancel = nil
		at := slices.Index(m.chat.queue, q)
		if at < 0 && err == nil {
			return m.say(toneAsk, "the turn had taken it in already")
		}
		if at >= 0 && core.CodeOf(err) != core.CodeNotFound {
			m.chat.queue = slices.Delete(slices.Clone(m.chat.queue), at, at+1)
			if err != nil {
				m.chat.fail(err)
			}
		}
		return m.unqueue(false)
	})
}

// unqueue goes on with what was queued when nothing else goes on.
func (m *model) unqueue(stopped bool) tea.Cmd {
	queue := m.chat.queue
	if len(queue) == 0 || m.jobs.moving || !stopped && queue[0].giving() || !stopped && (m.run.cancel != nil || m.asks.holds(m.chat.thread)) {
		return nil
	}
	if stopped {
		m.chat.queue = nil
		var said []string
		for _, q := range queue {
			q.giveUp()
			said = append(said, q.text)
		}
		if !m.input.empty() {
			m.input.rememberEach(said)
			return m.say(toneAsk, "what was queued is in the history: press up")
		}
		m.input.offer(said)
		if len(queue) > 1 {
			return m.say(toneAsk, "the last of "+itoa(len(queue))+" that were queued is in the input; up has the others")
		}
		return m.say(toneAsk, "what was queued is back in the input; typing takes its place")
	}
	m.chat.queue = slices.Clone(queue[1:])
	if next := queue[0].text; isCommand(next) && !isPrompt(m.commands, next) {
		return m.command(next)
	}
	return m.prompt(queue[0].text)
}

// openQueue lists what is queued. The one that is chosen is taken back.
func (m *model) openQueue() {
	var all []choice
	for _, q := range m.chat.queue {
		all = append(all, choice{text: strings.ReplaceAll(q.text, "\n", " "), key: q.text})
	}
	m.choose("Queued", all, func(c choice) tea.Cmd {
		m.takeBack(slices.IndexFunc(m.chat.queue, func(q *queued) bool { return q.text == c.key })) // it may have been asked meanwhile
		return nil
	})
	m.panes.over.hint = "enter takes one back, esc closes"
}

// takeBack puts a queued prompt into the input, where there is one at that place.
func (m *model) takeBack(at int) {
	if at < 0 {
		return
	}
	taken := m.chat.queue[at]
	m.chat.queue = slices.Delete(slices.Clone(m.chat.queue), at, at+1)
	taken.giveUp()
	m.input.set(strings.TrimSpace(taken.text + "\n" + m.input.value()))
	m.panes.focus = inInput
}

// strip is what stays below the transcript: the queue.
func (c *chat) strip() []string {
	var rows []string
	for i, q := range c.queue {
		if len(c.queue) > 3 && i < len(c.queue)-3 {
			continue
		}
		line, label := strings.ReplaceAll(q.text, "\n", " "), "queued"
		if q.giving() {
			label = "steers"
		}
		left := c.canvas.label(label, "+", c.canvas.warn) + c.canvas.dim.on(cut(line, max(c.canvas.body()-22, 8), c.canvas.ellipsis))
		right := ""
		if i == len(c.queue)-1 {
			right = c.canvas.dim.on("alt+up takes it back")
		}
		rows = append(rows, ends(left, right, c.canvas.gutter()+c.canvas.body(), c.canvas.ellipsis))
	}
	return rows
}
