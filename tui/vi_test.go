package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core/must"
)

func TestTheInputHasTheKeysOfVi(t *testing.T) {
	for _, c := range []struct {
		typed string
		keys  []string // after esc
		want  string
	}{
		{"what is 12 of 840?", []string{"b", "b", "b", "i", "about ", "esc"}, "what is about 12 of 840?"},
		{"one two three", []string{"0", "d", "w"}, " two three"},
		{"one two three", []string{"0", "w", "D"}, "one"},
		{"one two", []string{"A", "!", "esc", "I", ">"}, ">one two!"},
		{"one two", []string{"b", "c", "w", "six"}, "one six"},
		{"one two", []string{"d", "d"}, ""},
		{"one two", []string{"c", "c", "three"}, "three"},
		{"one", []string{"x", "X"}, "o"},
		{"one", []string{"o", "two"}, "one\ntwo"},
		{"two", []string{"O", "one"}, "one\ntwo"},
		{"one", []string{"q", "z", "d", "q", "h", "l"}, "one"}, // nothing that is known
	} {
		d := answering(t, 120, 40, "an answer")
		d.input.vi.on, d.panes.focus = true, inInput
		d.word(c.typed)
		d.press("esc")
		for _, k := range c.keys {
			if len(k) > 1 && k != "esc" {
				d.word(k)
			} else {
				d.press(k)
			}
		}
		if got := d.input.value(); got != c.want {
			t.Errorf("%q, then %q: %q, want %q", c.typed, c.keys, got, c.want)
		}
	}
}

func TestInViWhatIsSentBeginsToTypeAgain(t *testing.T) {
	d := answering(t, 120, 40, "an answer")
	d.input.vi.on = true
	d.word("what is it?")
	d.press("esc", "enter")
	d.sees("you      what is it?")
	d.word("now")
	must.Equal(t, "now", d.input.value())
	d.press("esc", "k")
	must.Equal(t, "what is it?", d.input.value())
	d.press("j")
	must.Equal(t, "now", d.input.value())
	d.press("A")
	d.key(tea.KeyPressMsg{Code: 'x', Mod: tea.ModAlt}) // esc and x that came at once
	must.Equal(t, "no", d.input.value())
	d.press(":")
	d.sees("Commands")
}
