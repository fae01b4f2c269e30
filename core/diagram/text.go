package diagram

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/yaap-chat/yaap/core"
)

const (
	maxMarks = 4    // combining marks on one character
	maxText  = 4096 // bytes of a text that are looked at: more than a line holds
)

// clean returns s as one line of what can be seen: white space is one space,
// and control characters, what joins, hides or reorders, and marks that belong
// to nothing are gone. It is stricter than a text for reading needs to be.
func clean(s string) string {
	var b strings.Builder
	space, marks := false, maxMarks
	for i, r := range s {
		if i >= maxText {
			break
		}
		switch {
		case unicode.IsSpace(r):
			space, marks = b.Len() > 0, maxMarks
			continue
		case !unicode.IsPrint(r) || hidden(r):
			continue
		case unicode.Is(unicode.M, r):
			if marks++; marks > maxMarks {
				continue
			}
		default:
			marks = 0
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// hidden reports runes that count as visible and are not.
func hidden(r rune) bool {
	return r == '\u2800' || r > '~' && unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// width is the number of cells that s takes.
func width(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return ansi.StringWidth(s)
		}
	}
	return len(s)
}

// cut returns s in at most w cells; mark ends what was cut where it fits.
func cut(s string, w int, mark string) string {
	switch {
	case width(s) <= w:
		return s
	case w <= 0:
		return ""
	case width(mark) >= w:
		mark = ""
	}
	return ansi.Truncate(s, w, mark)
}

func join(a, b string) string { return strings.TrimSpace(a + " " + b) }

// FormatDuration writes a duration that is over as the terminal does.
func FormatDuration(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

// glyphs are the signs of a drawing.
type glyphs struct {
	lines                          [16]string // by up, down, left and right
	states                         map[core.NodeState]string
	taken, to, back, times, elided string
	headUp, headDown               string
}

func newGlyphs(ascii bool) glyphs {
	if ascii {
		return glyphs{
			lines: [16]string{
				" ", "|", "|", "|", "-", "'", ".", "|",
				"-", "`", ".", "|", "-", "'", ".", "+",
			},
			states: map[core.NodeState]string{
				"": "o", core.NodePending: ".", core.NodeRunning: "@", core.NodeCompleted: "+",
				core.NodeFailed: "x", core.NodeSkipped: "-", core.NodePaused: "?", core.NodeCancelled: "-",
			},
			taken: ">", to: "->", back: "^", times: "x", elided: "...",
			headUp: "^", headDown: "v",
		}
	}
	return glyphs{
		lines: [16]string{
			" ", "│", "│", "│", "─", "╯", "╮", "┤",
			"─", "╰", "╭", "├", "─", "┴", "┬", "┼",
		},
		states: map[core.NodeState]string{
			"": "○", core.NodePending: "·", core.NodeRunning: "●", core.NodeCompleted: "✓",
			core.NodeFailed: "✗", core.NodeSkipped: "–", core.NodePaused: "?", core.NodeCancelled: "–",
		},
		taken: "▸", to: "→", back: "↻", times: "×", elided: "…",
		headUp: "▲", headDown: "▼",
	}
}

// sign is how far a node is, as one sign.
func (g *glyphs) sign(n place) string {
	if sign, ok := g.states[n.shown]; ok {
		return sign
	}
	return g.states[core.NodePaused]
}

// tail says how often and how long a node ran, or in a word how far it is.
func (g *glyphs) tail(n place) string {
	var s string
	if n.Visits > 1 {
		s = g.times + strconv.Itoa(n.Visits)
	}
	switch {
	case n.State == core.NodeCancelled, n.State != core.NodeCompleted && n.MS <= 0:
		s = join(s, clean(string(n.State)))
	case n.MS > 0:
		s = join(s, FormatDuration(time.Duration(n.MS)*time.Millisecond))
	}
	return s
}
