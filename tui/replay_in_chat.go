package tui

import (
	"context"
	"io"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/diagram"
)

// replay shows this conversation again from its beginning, until the user leaves that.
func (m *model) replay() tea.Cmd {
	thread := m.chat.thread
	return await(m, func(ctx context.Context, b Backend) ([]core.Page, error) { return allPages(ctx, b, thread) }, func(pages []core.Page, err error) tea.Cmd {
		switch {
		case core.CodeOf(err) == core.CodeNotFound || err == nil && len(pages) == 0:
			return m.say(toneAsk, "nothing was said here yet")
		case err != nil:
			m.chat.fail(err)
			return nil
		}
		graph := func(runner string) (diagram.Graph, error) { return m.b.Graph(m.ctx, runner) }
		o := m.o
		o.Tour, o.Keep = nil, nil
		shown := &lent{ctx: m.ctx, o: o, show: &Show{Thread: thread, Title: m.chat.title, Pages: pages, Graphs: graph}}
		return tea.Exec(shown, func(err error) tea.Msg {
			return then(func() tea.Cmd {
				if err != nil {
					m.chat.fail(core.Fail(core.CodeInternal, "the conversation cannot be shown again", "leave, and type yaap replay").Because(err))
				}
				return nil
			})
		})
	})
}

// allPages are all of a conversation, the first first.
func allPages(ctx context.Context, b Backend, thread string) (pages []core.Page, err error) {
	for before := ""; ; {
		page, err := b.Page(ctx, thread, before)
		if err != nil || len(page.Messages) == 0 {
			return pages, err
		}
		pages = slices.Insert(pages, 0, page)
		if before = page.Messages[0].Run; !page.Earlier || before == "" {
			return pages, nil
		}
	}
}

// lent is a conversation that is shown again while the chat lends it the terminal.
type lent struct {
	ctx  context.Context
	o    Options
	show *Show
}

func (a *lent) Run() error            { return RunShow(a.ctx, a.o, a.show) }
func (a *lent) SetStdin(r io.Reader)  { a.o.Input = r }
func (a *lent) SetStdout(w io.Writer) { a.o.Output = w }
func (a *lent) SetStderr(io.Writer)   {}
