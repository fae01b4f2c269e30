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
		return m.open(opened{thread: c.key, title: c.text, found: c.found})
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
		o.all, o.peeked = m.sessions(threads, words), ""
		o.menu.set(o.all)
		return o.look()
	}
	return nil
}

// peekSession shows what was said last in a conversation, or where the words of the filter
// were said last.
func (m *model) peekSession(c choice) tea.Cmd {
	words := m.panes.over.filter
	return await(m, func(ctx context.Context, b Backend) ([]core.Message, error) { return pageWith(ctx, b, c.key, words) }, func(said []core.Message, err error) tea.Cmd {
		if o := &m.panes.over; err == nil && o.peeked == c.key && o.filter == words { // what cannot be read is told when it is opened
			o.held = lastSaid(said, words, heldRows, m.pen.markdown)
		}
		return nil
	})
}

// pageWith are the messages of the last page of a conversation that has all the words in
// one of them, or else of its last.
func pageWith(ctx context.Context, b Backend, thread, words string) (last []core.Message, err error) {
	for before := ""; ; {
		page, err := b.Page(ctx, thread, before)
		if err != nil || len(page.Messages) == 0 {
			return last, err
		}
		if slices.ContainsFunc(page.Messages, func(said core.Message) bool { _, text := spokenBy(said); return saysAll(text, words) }) {
			return page.Messages, nil
		}
		if last == nil {
			last = page.Messages
		}
		if before = page.Messages[0].Run; !page.Earlier || before == "" {
			return last, nil
		}
	}
}

// spokenBy is who said a message, and what; nobody, where it is none of the user and no
// answer. A question for permission is none.
func spokenBy(said core.Message) (who, text string) {
	switch {
	case said.Role == core.RoleUser:
		return "you", core.WithoutAttached(said.Text)
	case said.Role != core.RoleAssistant || said.Reply == nil || said.Reply.Data["pause"] != nil && said.Reply.Data["options"] == nil:
		return "", ""
	}
	return "yaap", said.Reply.Message
}

func saysAll(text, words string) bool {
	return holdsAll(strings.ToLower(text), strings.Fields(strings.ToLower(words)))
}

// lastSaid are the last messages of the user and the answers to them, a line each: of an
// answer its first. With words the last message that has them is the second line, or
// near the end a later one, and is shown from the words on.
func lastSaid(messages []core.Message, words string, most int, style markdown.Style) (lines []string) {
	hit := -1
	for _, said := range messages {
		who, text := spokenBy(said)
		if who == "" {
			continue
		}
		line := safe.Line(safe.Prefix(text, 400))
		switch {
		case words != "" && saysAll(text, words):
			if hit = len(lines); !saysAll(safe.Prefix(line, 60), words) { // else they are seen where they stand
				line = around(safe.Line(text), words)
			}
		case who == "yaap":
			if rows := markdown.Render(safe.Prefix(text, 400), 400, style); len(rows) > 0 {
				line = rows[0]
			}
		}
		lines = append(lines, fit(who, 6)+unmarked(line))
	}
	from := max(len(lines)-most, 0)
	if hit >= 0 {
		from = min(from, max(hit-1, 0))
	}
	return lines[from:min(from+most, len(lines))]
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
		found := ""
		if t.Match != "" {
			found = words
		}
		if found != "" && !saysAll(t.Title, words) {
			help = unmarked(around(safe.Line(t.Match), words))
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
		all = append(all, choice{text: title, help: help, right: ago(t.Updated, now), key: t.ID, found: found})
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
		return m.say(toneAsk, "ctrl+d again deletes "+m.pen.quoted(cut(c.text, 24, m.pen.ellipsis))+" and its memory for good")
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
