package tui

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

const maxEdit = 8 << 10 // bytes of arguments that can be edited

// editor is the arguments as the user changes them.
type editor struct {
	area  textarea.Model
	from  string // what it began with
	wrong string // why it cannot be taken
	at    rect   // where it is on the screen
}

func newEditor(p *pen, text string) *editor {
	e := &editor{area: textarea.New(), from: text}
	a := &e.area
	a.ShowLineNumbers, a.Prompt, a.CharLimit = false, "", 0
	a.MaxHeight, a.MaxContentHeight, a.MaxWidth = 0, 1<<12, 0
	a.SetVirtualCursor(false)
	a.KeyMap.InsertNewline, a.KeyMap.Paste = key.NewBinding(key.WithDisabled()), key.NewBinding(key.WithDisabled())
	a.SetStyles(areaStyles(p, lipgloss.NewStyle(), tea.CursorBar))
	a.Focus()
	a.SetValue(text)
	a.MoveToBegin()
	return e
}

// editArgs opens the editor over the arguments of the first.
func (m *model) editArgs() tea.Cmd {
	a := m.asks.first()
	raw := a.given()
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	text := visibleJSON(raw)
	if len(text) > maxEdit {
		return m.say(toneAsk, "this is too long to be edited here; deny it and say what to do instead")
	}
	m.asks.edit = newEditor(m.pen, text)
	return nil
}

// keyEdit takes a key of the editor.
func (m *model) keyEdit(msg tea.KeyPressMsg) tea.Cmd {
	e := m.asks.edit
	switch msg.String() {
	case "esc":
		m.asks.edit = nil
		return nil
	case "enter":
		m.takeEdit()
		return nil
	case "ctrl+j", "shift+enter", "alt+enter":
		e.insert("\n")
		return nil
	}
	return e.take(msg)
}

// take takes a key that writes, or moves in what is written.
func (e *editor) take(msg tea.KeyPressMsg) tea.Cmd {
	e.wrong = ""
	if shown := visible(msg.Text); shown != msg.Text {
		e.insert(shown)
		return nil
	}
	if msg.Text != "" && e.area.Length() >= maxEdit {
		return nil
	}
	var cmd tea.Cmd
	e.area, cmd = e.area.Update(msg)
	return cmd
}

// takeEdit has what was edited given in place of what came, where it is JSON of
// the same kind.
func (m *model) takeEdit() {
	e, a := m.asks.edit, m.asks.first()
	text := e.area.Value()
	if text == e.from {
		m.asks.edit = nil
		return
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil {
		e.wrong = jsonTrouble(text, err)
		return
	}
	var edited, came bytes.Buffer
	_ = json.Compact(&edited, []byte(text)) // it is JSON
	a.edited, a.drawn = edited.Bytes(), paneCache{}
	if json.Compact(&came, []byte(visibleJSON(a.args))) == nil && bytes.Equal(came.Bytes(), edited.Bytes()) {
		a.edited = nil // as it was
	}
	m.asks.edit, m.asks.scroll = nil, 0
}

// jsonTrouble says why a text is no JSON object.
func jsonTrouble(text string, err error) string {
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		at := min(max(int(syntax.Offset)-1, 0), len(text))
		return "line " + itoa(strings.Count(text[:at], "\n")+1) + ": " + visible(syntax.Error())
	}
	return "this has to be one JSON object, in { }"
}

// insert writes into the editor.
func (e *editor) insert(text string) {
	if e.area.Length()+len(text) <= maxEdit {
		e.area.InsertString(text)
	}
	e.wrong = ""
}

// paste writes pasted text, in which nothing is hidden.
func (e *editor) paste(text string) tea.Cmd {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "  ").Replace(strings.ToValidUTF8(text, "\ufffd"))
	e.insert(visible(text))
	return nil
}

// draw returns the rows of the editor.
func (e *editor) draw(w, h int) []string {
	h = min(h, max(e.area.LineCount()+1, 3))
	e.area.SetWidth(w)
	e.area.SetHeight(h)
	rows := strings.Split(e.area.View(), "\n")
	return rows[:min(len(rows), h)]
}

// place notes where on the screen the editor is.
func (q *approvals) place(at rect) {
	if q.edit != nil {
		q.edit.at = at
	}
}

// cursor is where the user edits.
func (e *editor) cursor() *tea.Cursor {
	if e == nil {
		return nil
	}
	c := e.area.Cursor()
	if c == nil {
		return nil
	}
	c.X, c.Y = c.X+e.at.x, c.Y+e.at.y
	return c
}

// wrong says why what was edited cannot be taken.
func (q *approvals) wrong(p *pen, w int) []string {
	if q.edit == nil || q.edit.wrong == "" {
		return nil
	}
	return []string{p.bad.on(cut(q.edit.wrong, w, p.ellipsis))}
}
