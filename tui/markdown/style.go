package markdown

import (
	"fmt"
	"strings"

	"charm.land/glamour/v2/ansi"
)

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

// palette holds the colours that are written on the terminal's background, as
// "#rrggbb". Each has a contrast of at least 4.5:1.
type palette struct {
	dim, accent, ok, warn, bad, word string
}

func (s Style) palette() palette {
	if s.Dark {
		return palette{dim: "#9da7b3", accent: "#79c0ff", ok: "#7ee787", warn: "#e3b341", bad: "#ff7b72", word: "#d2a8ff"}
	}
	return palette{dim: "#57606a", accent: "#0550ae", ok: "#116329", warn: "#7d4e00", bad: "#a40e26", word: "#6639ba"}
}

// paint returns text in a colour.
func (s Style) paint(color, text string) string {
	var r, g, b uint8
	if !s.Color || color == "" {
		return text
	}
	if _, err := fmt.Sscanf(color, "#%02x%02x%02x", &r, &g, &b); err != nil {
		return text
	}
	return fmt.Sprintf("\x1b[38;2;%d;%d;%dm%s\x1b[m", r, g, b, text)
}

// codeMark stands around code that has no colour.
func (s Style) codeMark() string {
	if s.Color {
		return ""
	}
	return "`"
}

// glamour returns the style of running text and tables. Text has no colour of
// its own: glamour would colour every blank of it.
func (s Style) glamour() ansi.StyleConfig {
	if !s.Color {
		hash := func(level int) ansi.StyleBlock {
			return ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: strings.Repeat("#", level) + " "}}
		}
		return ansi.StyleConfig{
			H1: hash(1), H2: hash(2), H3: hash(3), H4: hash(4), H5: hash(5), H6: hash(6),
			Code: ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: s.codeMark(), Suffix: s.codeMark()}},
		}
	}
	p, yes := s.palette(), new(bool)
	*yes = true
	return ansi.StyleConfig{
		Heading:       ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Bold: yes}},
		H1:            ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: &p.accent}},
		H2:            ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: &p.accent}},
		Emph:          ansi.StylePrimitive{Italic: yes},
		Strong:        ansi.StylePrimitive{Bold: yes},
		Strikethrough: ansi.StylePrimitive{CrossedOut: yes},
		Code:          ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: &p.warn}},
		Link:          ansi.StylePrimitive{Color: &p.dim, Underline: yes},
		LinkText:      ansi.StylePrimitive{Color: &p.accent},
		HTMLSpan:      ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Color: &p.dim}},
	}
}
