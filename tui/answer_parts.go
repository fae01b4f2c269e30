package tui

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/media"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/tui/markdown"
)

// Rows of a table in the conversation.
const (
	tableRows    = 12
	tableRowsFew = 8 // where there is one pane only
)

// brief is how markdown is drawn of which the parts can be opened, where somebody is
// there to open them.
func (c *canvas) brief() markdown.Style {
	style := c.markdown
	if style.Short = c.short; style.Short.Open != "" {
		style.Short.Rows = tableRows
		if c.compact {
			style.Short.Rows = tableRowsFew
		}
	}
	return style
}

// parts are the tables and the code of what is said.
func (a *answer) parts(c *canvas) []markdown.Part {
	if a.run.Final != nil {
		a.arrange(c)
		return a.view.parts
	}
	_, parts := markdown.RenderParts(a.draft.text.String(), c.body(), c.brief())
	return parts
}

// chosenParts are those of what is chosen in the conversation.
func (m *model) chosenParts() []markdown.Part {
	if a, ok := m.chat.chosen().(*answer); ok {
		return a.parts(&m.chat.canvas)
	}
	return nil
}

// thing is something of an answer that can be opened or copied.
type thing struct {
	choice
	do func() tea.Cmd
}

// openable is what can be opened of what is chosen: files, and what is not drawn whole;
// where there is none, any table and code.
func (m *model) openable() (things []thing) {
	parts := m.chosenParts()
	var files []core.File
	if m.panes.show == nil {
		files = m.chosenFiles()
	}
	cutOnly := len(files) > 0 || slices.ContainsFunc(parts, func(p markdown.Part) bool { return p.Cut })
	for _, p := range parts {
		if p.Cut || !cutOnly {
			things = append(things, thing{partChoice(p), func() tea.Cmd { m.readPart(p); return nil }})
		}
	}
	for _, f := range files {
		things = append(things, thing{choice{text: safe.Line(f.Name), help: safe.Line(f.Type)}, func() tea.Cmd { return m.openFile(f) }})
	}
	return things
}

// openFile shows a file of text, and has the desktop open another one.
func (m *model) openFile(f core.File) tea.Cmd {
	elsewhere := func() tea.Cmd { return m.command("/open " + f.Name) }
	if f.Type != "text/plain" || m.pen.pictures.dir == "" {
		return elsewhere()
	}
	path := m.pen.pictures.path(f.Name)
	return await(m, func(context.Context, Backend) (string, error) { return media.Text(path) },
		func(text string, err error) tea.Cmd {
			if err != nil {
				return elsewhere()
			}
			text = safe.Text(text)
			m.read(&textReader{name: safe.Line(f.Name), text: text, lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")})
			return nil
		})
}

// partChoice is a part in a list.
func partChoice(p markdown.Part) choice {
	if t := p.Table; t != nil {
		c := choice{text: "table of " + count(len(t.Rows), "row"), help: strings.Join(t.Head, ", ")}
		if len(t.Rows) > 0 { // there may be another one with this head
			c.help += ": " + strings.Join(t.Rows[0], ", ")
		}
		return c
	}
	lines := strings.Split(p.Code, "\n")
	return choice{text: codeName(p), help: safe.Line(lines[0])}
}

// codeName says what code is.
func codeName(p markdown.Part) string {
	return cmp.Or(p.Lang, "code") + ", " + count(strings.Count(p.Code, "\n")+1, "line")
}

func (m *model) readPart(p markdown.Part) {
	if p.Table != nil {
		m.read(newTableReader(p.Table))
		return
	}
	lines := p.Lines(m.pen.markdown)
	m.read(&textReader{name: codeName(p), text: p.Code, lines: lines[:min(len(lines), strings.Count(p.Code, "\n")+1)]})
}

// copyThing copies the code of the chosen answer, or its table that is not drawn whole:
// one of several after a question. Where there is none it copies the answer.
func (m *model) copyThing() tea.Cmd {
	var things []thing
	for _, p := range m.chosenParts() {
		text := p.Code
		if p.Table != nil {
			text = tableCSV(p.Table)
		}
		if p.Table == nil || p.Cut {
			things = append(things, thing{partChoice(p), func() tea.Cmd { return m.clip(text) }})
		}
	}
	whole := m.chat.copied()
	switch len(things) {
	case 0:
		return m.clip(whole)
	case 1:
	default:
		things = append(things, thing{choice{text: "the whole answer"}, func() tea.Cmd { return m.clip(whole) }})
	}
	return m.oneOf("Copy", things, "")
}

// oneOf does the only thing, or lets the user choose, by its number or otherwise.
func (m *model) oneOf(title string, things []thing, none string) tea.Cmd {
	switch len(things) {
	case 0:
		return m.say(toneAsk, none)
	case 1:
		return things[0].do()
	}
	var all []choice
	for i, t := range things {
		if t.key = itoa(i); i < 9 {
			t.right = itoa(i + 1)
		}
		all = append(all, t.choice)
	}
	m.choose(title, all, func(c choice) tea.Cmd {
		n, _ := strconv.Atoi(c.key)
		return things[n].do()
	})
	m.panes.over.numbered = true
	return nil
}
