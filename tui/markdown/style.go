package markdown

import "fmt"

// Style says how markdown looks. The zero value is plain text without any
// escape sequence, as NO_COLOR, pipes and screen readers want it.
type Style struct {
	Color bool // colours, bold and italics, links that can be followed
	Dark  bool // the background is dark
	Short Short
}

// Short draws tables and code short where they can be opened and copied: no row or
// cell of them is broken, what is too long is cut. The zero value draws all of them.
type Short struct {
	Rows       int    // most rows of a table, without its header; 0: all
	Open, Copy string // the keys that are named
}

// palette holds the colours that are written on the terminal's background, as SGR has
// them. Each has a contrast of at least 4.5:1.
type palette struct {
	dim, accent, ok, warn, bad, word string
}

func (s Style) palette() palette {
	if s.Dark {
		return palette{dim: rgb(0x9da7b3), accent: rgb(0x79c0ff), ok: rgb(0x7ee787), warn: rgb(0xe3b341), bad: rgb(0xff7b72), word: rgb(0xd2a8ff)}
	}
	return palette{dim: rgb(0x57606a), accent: rgb(0x0550ae), ok: rgb(0x116329), warn: rgb(0x7d4e00), bad: rgb(0xa40e26), word: rgb(0x6639ba)}
}

func rgb(color int) string { return fmt.Sprintf("38;2;%d;%d;%d", color>>16, color>>8&0xff, color&0xff) }

// paint returns text with the parameters of an SGR sequence.
func (s Style) paint(look, text string) string {
	if !s.Color || look == "" || text == "" {
		return text
	}
	return "\x1b[" + look + "m" + text + "\x1b[m"
}

// codeMark stands around code that has no colour.
func (s Style) codeMark() string {
	if s.Color {
		return ""
	}
	return "`"
}
