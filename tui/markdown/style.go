package markdown

import "fmt"

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
	if !s.Color || color == "" {
		return text
	}
	return "\x1b[" + rgb(color) + "m" + text + "\x1b[m"
}

// rgb returns the parameters that select a colour, "" for that of the text.
func rgb(color string) string {
	var r, g, b uint8
	if _, err := fmt.Sscanf(color, "#%02x%02x%02x", &r, &g, &b); err != nil {
		return ""
	}
	return fmt.Sprintf("38;2;%d;%d;%d", r, g, b)
}
