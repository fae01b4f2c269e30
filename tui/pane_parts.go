package tui

import (
	"encoding/json"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/tui/markdown"
)

const labelWide = 10 // cells of a field's name

// sheet is fields under each other.
type sheet struct {
	*pen
	w    int
	most int // rows of a field; 0: all
	rows []string
}

// label is the start of the next row of a field: its name once, then blanks.
func (s *sheet) label(name string) string { return " " + s.dim.on(fit(name, labelWide)) }

// field adds a text, unless there is none.
func (s *sheet) field(name string, tone style, text string) {
	if text = strings.TrimSpace(safe.Text(text)); text == "" {
		return
	}
	s.add(name, tone.each(wrap(text, max(s.w-labelWide-2, 8))))
}

// prose adds a text in Markdown, unless there is none.
func (s *sheet) prose(name, text string) {
	if text = strings.TrimSpace(safe.Text(text)); text != "" {
		s.add(name, markdown.Render(text, max(s.w-labelWide-2, 8), s.markdown))
	}
}

// json adds JSON, on one row where it fits.
func (s *sheet) json(name string, raw json.RawMessage) {
	if len(raw) == 0 || string(raw) == "null" {
		return
	}
	if !json.Valid(raw) { // it was cut
		s.field(name, s.text, string(raw))
		return
	}
	w := max(s.w-labelWide-2, 8)
	if line := safe.Line(safe.JSON(string(raw))); width(line) <= w && len(line) < 200 {
		s.add(name, []string{s.text.on(line)})
		return
	}
	rows := prettyJSON(s.pen, raw, w)
	for i := range rows {
		rows[i] = strings.TrimPrefix(rows[i], " ")
	}
	s.add(name, rows)
}

func (s *sheet) add(name string, rows []string) {
	if more := len(rows) - s.most; s.most > 0 && more > 1 {
		rows = append(rows[:s.most:s.most], s.dim.on(s.ellipsis+" "+count(more, "more line")))
	}
	for _, row := range rows {
		s.rows = append(s.rows, fit(s.label(name)+row, s.w))
		name = ""
	}
}

// prettyJSON writes v as JSON in rows of w cells. Lines that are too long go on
// further to the right than they began.
func prettyJSON(p *pen, v any, w int) []string {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return []string{fit(" "+p.bad.on(safe.Line(err.Error())), w)}
	}
	text := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(safe.JSON(string(raw)))
	rows := jsonRows(p, text, w-1)
	for i, row := range rows {
		rows[i] = fit(" "+row, w)
	}
	return rows
}

// jsonRows is JSON, a key to a line, in rows of w cells.
func jsonRows(p *pen, text string, w int) []string {
	var rows []string
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimLeft(line, " ")
		indent := strings.Repeat(" ", min(len(line)-len(bare), w/3))
		for i, part := range wrap(bare, max(w-len(indent)-3, 8)) {
			key, value, ok := strings.Cut(part, `": `)
			switch {
			case i > 0:
				part = "  " + p.text.on(part)
			case ok && strings.HasPrefix(key, `"`):
				part = p.accent.on(key+`"`) + p.dim.on(": ") + p.text.on(value)
			default:
				part = p.text.on(part)
			}
			if rows = append(rows, fit(indent+part, w)); len(rows) == maxPretty {
				return append(rows, fit(p.dim.on(p.ellipsis), w))
			}
		}
	}
	return rows
}

// rule is a line with a title in it and hints at its end.
func rule(p *pen, title, hints string, w int) string {
	left := p.border.on(p.horizontal) + " " + p.dim.on(cut(title, w/2, p.ellipsis)) + " "
	right := ""
	if hints != "" && width(hints)+width(left)+6 < w {
		right = " " + p.dim.on(hints) + " " + p.border.on(strings.Repeat(p.horizontal, 2))
	}
	return left + p.border.on(strings.Repeat(p.horizontal, max(w-width(left)-width(right), 0))) + right
}

// pad right-aligns a string in w cells.
func pad(s string, w int) string { return strings.Repeat(" ", max(w-width(s), 0)) + s }

// browser is the place in a list that a pane shows, which reads nothing of its own
// unless it has methods for that.
type browser struct {
	cursor, top int
	scrolled    int // rows of the detail
	unfolded    bool
}

func (b *browser) Open() tea.Cmd { return nil }

func (b *browser) Event(core.Event) tea.Cmd { return nil }

func (b *browser) clamp(n int) { b.cursor = max(min(b.cursor, n-1), 0) }

func (b *browser) move(n int) {
	b.cursor = max(b.cursor+n, 0)
	b.scrolled = 0
}

// steer moves in the list with move as a key asks, and reports whether it did; pages
// scroll the detail where there is one.
func (b *browser) steer(k press, detail bool, move func(int)) bool {
	page := max(k.page, 1)
	switch k.do {
	case actUp, actDown, actHalfUp, actHalfDown:
		move(k.do.rows(page, page))
	case actPageUp, actPageDown:
		if n := k.do.rows(page, page); detail {
			b.scrolled = max(b.scrolled+n, 0)
		} else {
			move(n)
		}
	case actTop:
		move(-maxRecords * 2)
	case actBottom:
		move(maxRecords * 2)
	case actOpen:
		b.unfolded = !b.unfolded
	default:
		return false
	}
	return true
}

// table draws the n entries of a list, a row each as line draws it, and below them
// all about the one at the cursor where that is unfolded.
func (b *browser) table(f field, n int, line func(i int) string, about func(i int) (title string, rows []string)) []string {
	h, unfolded := f.h, b.unfolded && !f.list
	if unfolded {
		h = min(max(h*2/5, min(3, h)), n)
	}
	b.clamp(n)
	b.top = window(b.cursor, b.top, h, n)
	var rows []string
	for i := b.top; i < n && len(rows) < h; i++ {
		row := line(i)
		if i == b.cursor && (f.focused || unfolded) {
			row = f.selected.under(row)
		}
		rows = append(rows, row)
	}
	if !unfolded || f.h-len(rows) < 2 {
		return rows
	}
	title, detail := about(b.cursor)
	return append(append(rows, rule(f.pen, title, "", f.w)), b.part(detail, f.h-len(rows)-1)...)
}

// part returns the h rows of a detail that are scrolled to.
func (b *browser) part(rows []string, h int) []string {
	b.scrolled = max(min(b.scrolled, len(rows)-h), 0)
	return rows[b.scrolled:min(len(rows), b.scrolled+max(h, 0))]
}

// lister is a list of which a pane shows what its filter leaves.
type lister[T any] struct {
	browser
	filter string
	all    []T
	fits   func(x T, words []string) bool
	shown  []T // what fits, unless it is stale
	stale  bool
	follow bool // the last one is chosen whenever one comes
}

// visible lists what is shown.
func (l *lister[T]) visible() []T {
	if !l.stale {
		return l.shown
	}
	l.stale, l.shown = false, l.shown[:0]
	words := strings.Fields(strings.ToLower(l.filter))
	for _, x := range l.all {
		if l.fits(x, words) {
			l.shown = append(l.shown, x)
		}
	}
	if l.follow {
		l.cursor = len(l.shown) - 1
	}
	l.clamp(len(l.shown))
	return l.shown
}

// chosen is the one under the cursor, the zero one where there is none.
func (l *lister[T]) chosen() (x T) {
	if shown := l.visible(); l.cursor < len(shown) {
		x = shown[l.cursor]
	}
	return x
}

// move goes to another one; at the last the list follows again.
func (l *lister[T]) move(n int) {
	last := len(l.visible()) - 1
	l.browser.move(n)
	l.clamp(last + 1)
	l.follow = l.cursor >= last
}

// jsonOf is what is copied as JSON.
func jsonOf(v any) string {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return ""
	}
	return safe.JSON(string(raw))
}

// besideEach are the h rows of two columns with a line between them.
func besideEach(p *pen, left []string, leftWide int, right []string, rightWide, h int) []string {
	rows := exactly(left, leftWide, h)
	for i, row := range exactly(right, rightWide, h) {
		rows[i] += p.border.on(p.vertical) + row
	}
	return rows
}

// nothing says why there is nothing to show.
func (p *pen) nothing(words string, w int) []string {
	return append([]string{""}, hung(" ", p.dim.each(wrap(words, max(w-2, 8))))...)
}

// fault is what went wrong, in the rows of a pane.
func (p *pen) fault(text, hint string, w int) (rows []string) {
	rows = hung(" "+p.bad.on(p.failed)+" ", p.bad.each(firstLines(safe.Text(text), w-4, 3, p.ellipsis)))
	if hint = safe.Line(hint); hint != "" {
		rows = append(rows, fit("   "+p.dim.on(cut(hint, w-4, p.ellipsis)), w))
	}
	return rows
}

// paneCache is rows and what they were drawn for.
type paneCache struct {
	key  any
	rows []string
}

// draw returns the rows, drawn anew where key is another one.
func (c *paneCache) draw(key any, draw func() []string) []string {
	if c.rows == nil || c.key != key {
		c.key, c.rows = key, draw()
	}
	return c.rows
}

func first[T any](list []T, n int) []T { return list[:min(len(list), n):min(len(list), n)] }

// bounded returns the first n of a list, each as bound makes it.
func bounded[T any](list []T, n int, bound func(*T)) []T {
	out := slices.Clone(first(list, n))
	for i := range out {
		bound(&out[i])
	}
	return out
}
