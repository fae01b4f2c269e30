package tui

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// vi is the state of vi's keys in the input, where the user wants them: esc ends typing,
// and letters are commands until one of them begins it again.
type vi struct {
	on      bool
	command bool   // letters are commands
	pending string // d, c or g, which waits for what it is for
}

// viKeys are what commands do, in the keys that the text area knows. A capital I, A, C
// and the like begin to type behind them.
func viKeys(name string) []tea.KeyPressMsg {
	alt := func(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Mod: tea.ModAlt} }
	ctrl := func(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Mod: tea.ModCtrl} }
	home, end, left := tea.KeyPressMsg{Code: tea.KeyHome}, tea.KeyPressMsg{Code: tea.KeyEnd}, tea.KeyPressMsg{Code: tea.KeyLeft}
	right, del, back := tea.KeyPressMsg{Code: tea.KeyRight}, tea.KeyPressMsg{Code: tea.KeyDelete}, tea.KeyPressMsg{Code: tea.KeyBackspace}
	return map[string][]tea.KeyPressMsg{
		"h": {left}, "l": {right}, "w": {alt('f')}, "e": {alt('f')}, "b": {alt('b')}, "0": {home}, "^": {home}, "$": {end},
		"G": {{Code: tea.KeyEnd, Mod: tea.ModCtrl}}, "gg": {{Code: tea.KeyHome, Mod: tea.ModCtrl}},
		"x": {del}, "X": {back}, "D": {ctrl('k')}, "dw": {alt('d')}, "de": {alt('d')}, "db": {ctrl('w')}, "d$": {ctrl('k')}, "d0": {ctrl('u')}, "dd": {home, ctrl('k'), back},
		"i": {}, "a": {right}, "I": {home}, "A": {end}, "s": {del}, "S": {home, ctrl('k')}, "C": {ctrl('k')},
		"cw": {alt('d')}, "ce": {alt('d')}, "cb": {ctrl('w')}, "c$": {ctrl('k')}, "c0": {ctrl('u')}, "cc": {home, ctrl('k')},
	}[name]
}

// viKey takes the keys of vi, and reports whether it was one.
func (m *model) viKey(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	v := &m.input.vi
	name := msg.String()
	switch {
	case !v.on || m.panes.focus != inInput:
		return nil, false
	case !v.command && name == "esc":
		m.input.commands(true)
		m.input.menu = menu{}
		return m.input.update(tea.KeyPressMsg{Code: tea.KeyLeft}), true
	case !v.command && msg.Mod == tea.ModAlt: // esc and a key that came at once
		esc, key := tea.KeyPressMsg{Code: tea.KeyEscape}, tea.KeyPressMsg{Code: msg.Code}
		if msg.Code < tea.KeyExtended && unicode.IsGraphic(msg.Code) {
			key.Text = string(msg.Code)
		}
		return tea.Batch(m.key(esc), m.key(key)), true
	case !v.command, msg.Text == "", name == "?" && m.input.empty():
		v.pending = ""
		return nil, false
	}
	name = v.pending + name
	v.pending = ""
	switch name {
	case "d", "c", "g":
		v.pending = name
		return nil, true
	case "j", "k":
		if !m.history(map[string]action{"j": actNewer, "k": actOlder}[name]) {
			return m.input.update(map[string]tea.KeyPressMsg{"j": {Code: tea.KeyDown}, "k": {Code: tea.KeyUp}}[name]), true
		}
		return nil, true
	case "o", "O":
		m.input.update(map[string]tea.KeyPressMsg{"o": {Code: tea.KeyEnd}, "O": {Code: tea.KeyHome}}[name])
		m.input.area.InsertRune('\n')
		if name == "O" {
			m.input.update(tea.KeyPressMsg{Code: tea.KeyUp})
		}
		m.input.commands(false)
		return m.suggest(), true
	case ":", "/": // commands of the room
		m.input.commands(false)
		return m.act(actPalette), true
	}
	if m.keys.find(inInput, name) == actChoose && m.input.empty() {
		return nil, false
	}
	keys := viKeys(name)
	for _, k := range keys {
		m.input.update(k)
	}
	if keys != nil {
		m.input.offered = false
		m.input.commands(!strings.ContainsAny(name[:1], "iaIAsSCc"))
	}
	return m.suggest(), true
}

// commands begins or ends that letters are commands; the cursor tells which it is.
func (in *input) commands(on bool) {
	in.vi.command, in.vi.pending = on, ""
	styles := in.area.Styles()
	styles.Cursor.Shape = in.cursorShape()
	in.area.SetStyles(styles)
	in.stale = true
}

func (in *input) cursorShape() tea.CursorShape {
	if in.vi.command {
		return tea.CursorBlock
	}
	return tea.CursorBar
}
