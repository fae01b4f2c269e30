package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// detail is how much of a run the chat shows.
type detail int

// Details are what [Options.Detail] may be, in the order of the details.
func Details() []string { return []string{"calm", "thoughts", "everything"} }

const (
	detailCalm     detail = iota // question, facts, answer
	detailThoughts               // and what was thought
	detailTurns                  // and every call and turn
)

// nextDetail shows all answers in the next detail, and keeps it.
func (m *model) nextDetail() tea.Cmd {
	c := m.chat
	c.detail = (c.detail + 1) % (detailTurns + 1)
	for _, it := range c.items {
		if a, ok := it.(*answer); ok {
			a.open = nil
		}
	}
	said := m.say(toneQuiet, []string{"calm: questions and answers", "with what was thought", "with every thought, call and turn"}[c.detail])
	return tea.Batch(said, m.keepDetail())
}

// keepDetail keeps the detail for the next time, the last one where it has changed
// meanwhile.
func (m *model) keepDetail() tea.Cmd {
	if m.o.Keep == nil || m.jobs.keeping {
		return nil
	}
	m.jobs.keeping = true
	word := Details()[m.chat.detail]
	return await(m, func(context.Context, Backend) (string, error) { return word, m.o.Keep("detail", word) }, func(_ string, err error) tea.Cmd {
		m.jobs.keeping = false
		switch {
		case err != nil:
			return m.say(toneAsk, "it is not kept: "+err.Error())
		case word != Details()[m.chat.detail]:
			return m.keepDetail()
		}
		return nil
	})
}
