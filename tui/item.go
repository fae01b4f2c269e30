package tui

import (
	"cmp"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/tui/markdown"
)

const (
	gutterWide   = 10 // columns of who speaks
	gutterNarrow = 3
	foldedLines  = 10 // rows of a long message or result that is not opened
)

func (c *canvas) gutter() int {
	if c.w < 50 {
		return gutterNarrow
	}
	return gutterWide
}

// body is how wide a line of text may be.
func (c *canvas) body() int {
	return max(min(maxText, c.w-c.gutter()-2), 1)
}

// label is the gutter of the first row of an item.
func (c *canvas) label(name, sign string, s style) string {
	if c.gutter() == gutterNarrow {
		return " " + s.on(sign) + strings.Repeat(" ", max(gutterNarrow-1-width(sign), 0))
	}
	return fit(" "+s.on(name), gutterWide)
}

// signed is the gutter of a row with a sign before its text: who says it, and how it
// ended.
func (c *canvas) signed(name, mark string, s style, sign string) string {
	switch {
	case sign == "":
		return c.label(name, mark, s)
	case c.gutter() == gutterNarrow:
		return " " + sign + " "
	}
	return fit(" "+s.on(name), gutterWide-2) + sign + " "
}

func (c *canvas) blank() string { return strings.Repeat(" ", c.gutter()) }

// drawn is what an item's rows were made for.
type drawn struct {
	w       int
	compact bool
	detail  detail
	model   string
	look    int
	version int
}

func (c *canvas) drawn(version int) drawn {
	return drawn{c.w, c.compact, c.detail, c.model, c.look, version}
}

// fixed is an item whose rows depend on the canvas alone.
type fixed struct {
	paneCache
	version int
}

func (f *fixed) row(i int) string { return f.rows[i] }

// arranged keeps what draw returns as long as it holds for c.
func (f *fixed) arranged(c *canvas, draw func() []string) int {
	return len(f.draw(c.drawn(f.version), draw))
}

// spoken is what the user said.
type spoken struct {
	fixed
	text  string
	files []core.File // that were attached
	first bool        // nothing is above it
	long  bool        // not all of it is shown unless it is opened
	open  bool
	// masked says that it is shown as it is stored as soon as that is known.
	masked bool
}

func newSpoken(text string, first bool) *spoken {
	s := &spoken{first: first}
	s.set(text)
	return s
}

func (s *spoken) set(text string) {
	s.text = strings.TrimRight(safe.Text(text), "\n ")
	s.version++
}

func (s *spoken) fold() { s.open = !s.open; s.version++ }

func (s *spoken) folds() bool { return s.long }

func (s *spoken) copied() string { return s.text }

func (s *spoken) arrange(c *canvas) int {
	return s.arranged(c, func() (rows []string) {
		if !s.first {
			rows = append(rows, "")
		}
		lines := wrap(s.text, c.body())
		more := 0
		if s.long = len(lines) > foldedLines+1; s.long && !s.open {
			more = len(lines) - foldedLines
			lines = lines[:foldedLines]
		}
		lines = c.text.each(lines)
		if more > 0 {
			lines = append(lines, c.dim.on(c.ellipsis+" "+count(more, "more line")))
		}
		lines = append(lines, c.pictured(s.files, namesOf(s.files))...) // the text has their names
		return append(rows, hung(c.label("you", c.prompt, c.title), lines)...)
	})
}

// remark is one quiet line about the room: somebody joined, left, was stopped.
type remark struct {
	fixed
	sign, head, text, right string
	short                   string // in place of text that would be cut
	hint                    string // a second line
	tone                    tone
	whole                   bool   // the text is wrapped, not cut
	tight                   bool   // no blank row above
	cut, open               bool   // not all of it is shown; it is opened
	all                     string // in place of head, when it is opened
	progress                string
}

// tone is the meaning that a colour underlines.
type tone int

const (
	toneQuiet tone = iota
	toneGood
	toneAsk
	toneBad
)

func (p *pen) tone(t tone) style {
	switch t {
	case toneGood:
		return p.ok
	case toneAsk:
		return p.warn
	case toneBad:
		return p.bad
	}
	return p.dim
}

func (r *remark) folds() bool { return r.cut || r.open || r.all != "" && r.all != r.head }

func (r *remark) fold() { r.open = !r.open; r.version++ }

func (r *remark) copied() string {
	return strings.TrimSpace(strings.Join([]string{r.head, r.text, r.hint}, " "))
}

func (r *remark) arrange(c *canvas) int {
	return r.arranged(c, func() (rows []string) {
		if !r.tight {
			rows = append(rows, "")
		}
		if r.cut = false; r.whole || r.open {
			return append(rows, r.wholeRows(c)...)
		}
		return append(rows, r.shortRows(c)...)
	})
}

// apart stands between the head of a remark and its text.
func apart(head string) string {
	if strings.HasSuffix(head, ":") {
		return " "
	}
	return "  "
}

// shortRows are a row, and one for the hint, whatever is cut for that.
func (r *remark) shortRows(c *canvas) []string {
	left := " " + c.tone(r.tone).on(r.sign) + " " + c.strong.on(r.head)
	if r.head != "" {
		left += apart(r.head)
	}
	w := min(c.w-2, c.gutter()+c.body())
	right := r.right
	if c.compact {
		right = ""
	}
	if r.text != "" {
		room := w - width(left)
		if right != "" {
			room -= width(right) + 2
		}
		text := r.text
		if r.short != "" && width(text) > room {
			text = r.short
		}
		r.cut = text != r.text || width(text) > room
		left += c.dim.on(cut(text, max(room, 0), c.ellipsis))
	}
	rows := []string{ends(left, c.dim.on(right), w, c.ellipsis)}
	r.cut = r.cut || width(left) > w || width(r.hint) > w-3
	if r.hint != "" {
		rows = append(rows, "   "+c.dim.on(cut(r.hint, max(w-3, 0), c.ellipsis)))
	}
	return rows
}

func (r *remark) wholeRows(c *canvas) []string {
	tone := c.tone(r.tone)
	text := tone
	if r.tone == toneQuiet {
		text = c.dim
	}
	w := max(min(c.w-5, maxText+gutterWide-3), 1)
	head, said := r.head, r.text
	if r.open {
		head, said = cmp.Or(r.all, r.head), strings.TrimSpace(r.text+"  "+r.right)
	}
	rows := headed(wrap(strings.TrimSpace(head+apart(head)+said), w), head, c.strong, text)
	for _, line := range wrap(r.hint, w) {
		if line != "" {
			rows = append(rows, c.dim.on(line))
		}
	}
	return hung(" "+tone.on(r.sign)+" ", rows)
}

// notice is what a slash command said: markdown under the command's name.
type notice struct {
	fixed
	name string
	text string
}

func (n *notice) copied() string { return n.text }

func (n *notice) arrange(c *canvas) int {
	return n.arranged(c, func() []string {
		label := c.label(cut(n.name, gutterWide-2, ""), c.dot, c.dim)
		return append([]string{""}, hung(label, markdown.Render(n.text, c.body(), c.markdown))...)
	})
}
