package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/tui/markdown"
)

// openSessions lists the conversations to choose from. What is typed is looked for in
// all that was said in them.
func (m *model) openSessions() tea.Cmd {
	m.choose("Sessions", nil, func(c choice) tea.Cmd {
		if c.key == m.chat.thread {
			return nil
		}
		return m.open(opened{thread: c.key, title: c.text})
	})
	o := &m.panes.over
	o.hint, o.find, o.remove, o.peek = "enter opens, typing finds all, ctrl+d deletes, esc closes", m.findSessions, m.deleteSession, m.peekSession
	return m.findSessions()
}

// findSessions looks for the conversations that have the words of the filter.
func (m *model) findSessions() tea.Cmd {
	n, words := m.panes.over.n, m.panes.over.filter
	return await(m, func(ctx context.Context, b Backend) ([]core.Thread, error) { return b.Threads(ctx, words) },
		func(threads []core.Thread, err error) tea.Cmd {
			return m.foundSessions(n, words, threads, err)
		})
}

// foundSessions fills the list that looked for them, if it is still open.
func (m *model) foundSessions(n int, words string, threads []core.Thread, err error) tea.Cmd {
	o := &m.panes.over
	switch {
	case o.n != n || o.find == nil || o.filter != words:
	case err != nil:
		*o = overlay{n: n}
		m.chat.fail(err)
	default:
		o.all = m.sessions(threads, words)
		o.menu.set(o.all)
		return o.look()
	}
	return nil
}

// peekSession shows the last that was said in a conversation.
func (m *model) peekSession(c choice) tea.Cmd {
	return await(m, func(ctx context.Context, b Backend) (core.Page, error) { return b.Page(ctx, c.key, "") }, func(page core.Page, err error) tea.Cmd {
		if o := &m.panes.over; err == nil && o.peeked == c.key { // what cannot be read is told when it is opened
			o.held = lastSaid(page.Messages, heldRows, m.pen.markdown)
		}
		return nil
	})
}

// lastSaid are the last messages of the user and the answers to them, a line each: of an
// answer its first.
func lastSaid(messages []core.Message, most int, style markdown.Style) (lines []string) {
	for _, said := range slices.Backward(messages) {
		line := ""
		switch {
		case len(lines) == most:
			return lines
		case said.Role == core.RoleUser:
			line = fit("you", 6) + safe.Line(safe.Cut(core.WithoutAttached(said.Text), 400))
		case said.Role != core.RoleAssistant || said.Reply == nil:
			continue
		default:
			line = fit("yaap", 6)
			if rows := markdown.Render(safe.Prefix(said.Reply.Message, 400), 400, style); len(rows) > 0 {
				line += rows[0]
			}
		}
		lines = slices.Insert(lines, 0, line)
	}
	return lines
}

// versions parts conversations by the one that they began as: the newest of each and the
// one that is open are shown, and others counts those that are not.
func (m *model) versions(threads []core.Thread) (shown []core.Thread, others map[string]int) {
	newest := map[string]string{}
	others = map[string]int{}
	for _, t := range threads {
		root := cmp.Or(t.Root, t.ID)
		if newest[root] == "" {
			newest[root] = t.ID
		} else if t.ID != m.chat.thread {
			others[newest[root]]++
			continue
		}
		shown = append(shown, t)
	}
	return shown, others
}

// sessions are the lines of the list: without words one for all that went on from the same.
func (m *model) sessions(threads []core.Thread, words string) []choice {
	now := time.Now()
	var all []choice
	var others map[string]int
	if words == "" {
		threads, others = m.versions(threads)
	}
	for _, t := range threads {
		title := cmp.Or(safe.Cut(t.Title, 80), "no title yet")
		help := count(t.Count, "message")
		if n := others[t.ID]; n > 0 {
			help += ", " + count(n, "other version")
		}
		if t.Match != "" && !holdsAll(strings.ToLower(t.Title), strings.Fields(strings.ToLower(words))) {
			help = around(safe.Line(t.Match), words)
		}
		if t.ID == m.chat.thread {
			help += ", this one"
		}
		if t.Unattended {
			help += ", yaap run"
		}
		if t.Dir != "" && t.Dir != m.o.Dir {
			help += ", in " + m.place(t.Dir)
		}
		all = append(all, choice{text: title, help: help, right: ago(t.Updated, now), key: t.ID})
	}
	return all
}

// around is the part of a text from a little before the first of some words on.
func around(text, words string) string {
	low := strings.ToLower(text)
	for _, word := range strings.Fields(strings.ToLower(words)) {
		at := strings.Index(low, word)
		if at < 0 || at > len(text) {
			continue
		}
		if from := strings.LastIndexByte(text[:at], ' '); from > 0 {
			from = strings.LastIndexByte(text[:from], ' ') + 1
			return "…" + text[from:]
		}
	}
	return text
}

// deleteSession removes a conversation, its words and what is remembered of them. It
// asks first: the key has to be pressed again.
func (m *model) deleteSession(c choice) tea.Cmd {
	o := &m.panes.over
	if c.key == m.chat.thread {
		return m.say(toneAsk, "this conversation is open: ctrl+n begins another one, then it can be deleted")
	}
	if o.sure != c.key {
		o.sure = c.key
		return m.say(toneAsk, "ctrl+d again deletes “"+cut(c.text, 24, m.pen.ellipsis)+"” and its memory for good")
	}
	o.sure = ""
	return m.forget(m.chat.thread, c.key, m.findSessions)
}

// forget removes a conversation and what is remembered of it, before next.
func (m *model) forget(from, thread string, next then) tea.Cmd {
	return await(m, func(ctx context.Context, b Backend) (core.Doc, error) {
		return b.Do(ctx, from, []string{"memory", "forget", "--of", thread})
	}, func(_ core.Doc, err error) tea.Cmd {
		if err != nil {
			m.chat.fail(err)
		}
		return next()
	})
}
