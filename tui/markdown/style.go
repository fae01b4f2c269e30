package markdown

import (
	"fmt"

	"charm.land/glamour/v2/ansi"
)

// Style says how markdown looks. The zero value is plain text without any
// escape sequence, as NO_COLOR, pipes and screen readers want it.
type Style struct {
	Color bool // colours, bold and italics, links that can be followed
	Dark  bool // the background is dark
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

// glamour returns the style of running text and tables. Text has no colour of
// its own: glamour would colour every blank of it.
func (s Style) glamour() ansi.StyleConfig {
	if !s.Color {
		hash := func(prefix string) ansi.StyleBlock {
			return ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: prefix}}
		}
		return ansi.StyleConfig{
			H1: hash("# "), H2: hash("## "), H3: hash("### "), H4: hash("#### "), H5: hash("##### "), H6: hash("###### "),
			Code:      ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: "`", Suffix: "`"}},
			ImageText: ansi.StylePrimitive{BlockPrefix: "image: "},
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
		Image:         ansi.StylePrimitive{Color: &p.dim, Underline: yes},
		ImageText:     ansi.StylePrimitive{Color: &p.accent, BlockPrefix: "image: "},
	}
}
