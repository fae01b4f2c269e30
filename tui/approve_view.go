package tui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxShown  = 64 << 10 // bytes of arguments that are shown
	maxFlat   = 60       // bytes of a list or an object that is shown in one line
	pageArgs  = 8        // rows
	whyLines  = 3
	maxName   = 200 // bytes
	maxNested = 50  // levels of JSON that are written in lines
	smearMost = 8   // marks on one character that are shown as they are
)

// asksInChat reports whether what waits to be allowed stands in the chat, below what was
// said, and covers nothing.
func (m *model) asksInChat() bool {
	return m.asks.first() != nil && !m.panes.full && m.panes.over.kind == overNone && m.screen.chat.h >= leastAsked
}

// drawAsked is the chat with what waits to be allowed below what was said.
func (m *model) drawAsked(r rect) []string {
	w := min(r.w-gutterWide-2, maxAsked)
	a := m.asked(w, r.h-5) // of what was said the last rows stay
	p, gutter := m.pen, strings.Repeat(" ", gutterWide)
	rows := trimmed(m.drawSaid(rect{r.x, r.y, r.w, r.h - len(a.rows) - 2}))
	name := ""
	if last := m.chat.last(); last != nil && last.run.ID == m.asks.first().root { // it is what the answer says
		name = "yaap"
	} else {
		rows = append(rows, "")
	}
	rows = append(rows, fit(" "+p.agent.on(name), gutterWide-2)+p.warn.on(p.ask)+" "+ends(p.title.on(a.title), p.dim.on(a.hint), w, p.ellipsis))
	m.asks.place(rect{x: r.x + gutterWide, y: r.y + len(rows) + a.args.y, w: w, h: a.args.h})
	for _, row := range a.rows {
		rows = append(rows, gutter+row)
	}
	return exactly(rows, r.w, r.h)
}

// drawApproval lays what waits to be allowed over the rows of a frame, where it has no
// place in the chat.
func (m *model) drawApproval(rows []string) {
	q, sc := &m.asks, &m.screen
	if m.deciding() == nil || m.asksInChat() {
		return
	}
	w, h, least := min(sc.w-2, maxAsked), sc.h-2, 0
	if sc.h >= 20 { // the frame around the panes stays
		h, least = min(sc.h-7, 24), 2
	}
	a := m.asked(w-4, h)
	for i, row := range a.rows {
		a.rows[i] = "  " + row
	}
	if airy := h >= leastAsked; airy {
		a.rows, a.args.y = append([]string{""}, a.rows...), a.args.y+1
	}
	box := boxed(m.pen, a.title, a.hint, a.rows, w)
	x, y := max((sc.w-w-2)/2, 0), max((sc.h-len(box))/3, least)
	q.place(rect{x: x + 3, y: y + 1 + a.args.y, w: w - 4, h: a.args.h})
	m.lay(rows, box, x, y)
}

const (
	maxAsked   = 76 // cells of what waits to be allowed
	leastAsked = 12 // rows that it has in the chat; and from which on it is airy
)

// asked is what waits to be allowed, w cells wide in at most h rows.
type asked struct {
	title, hint string
	rows        []string
	args        rect // of the arguments, from the first row
}

func (m *model) asked(w, h int) (s asked) {
	q, p, a := &m.asks, m.pen, m.asks.first()
	now := q.armed(time.Unix(0, p.now)) && m.input.empty() && m.deciding() != nil
	about := a.about(p, w, h, m.chat.thread)
	below := q.wrong(p, w)
	if q.edit == nil {
		below = append(about, below...)
	} else {
		s.rows = about
	}
	airy := h >= leastAsked
	if airy {
		below = append(below, "")
	}
	keys := approvalKeys(p, a, w, h, now)
	args, hint := q.args(p, a, w, max(h-len(s.rows)-len(below)-len(keys)-1, 1))
	s.hint, s.args = hint, rect{y: len(s.rows), w: w, h: len(args)}
	s.rows = append(append(s.rows, args...), below...)
	if q.edit == nil {
		s.rows = append(s.rows, keys...)
	}
	of := ""
	if n := q.at + len(q.list); n > 1 {
		of = " " + p.dot + " " + itoa(q.at+1) + " of " + itoa(n)
	}
	if s.title = a.wants(); width(s.title+of) > w {
		s.title = cut("Allow "+shownName(callName(a.tool, a.expert)), max(w-width(of)-1, 1), p.ellipsis) + "?"
	}
	s.title += of
	room := w - 10
	if m.asksInChat() { // it stands behind the title
		room = w - width(s.title) - 3
	}
	words := func(long, short string) {
		if s.hint = long; width(long) > room {
			s.hint = short
		}
		if m.asksInChat() && width(short) > room {
			s.hint = ""
		}
	}
	switch {
	case q.edit != nil:
		words("enter takes it, ctrl+j new line, esc back", "enter takes it")
	case m.deciding() == nil:
		words("esc comes back to it", "esc: back")
	case q.meant != nil:
		words("esc takes it back", "esc: not so")
	case !m.input.empty():
		words("ctrl+c clears the input first", "ctrl+c first")
	case !now && q.typing:
		words("you are typing: the keys work "+inAMoment, inAMoment)
	case !now:
		words("the keys work "+inAMoment, inAMoment)
	}
	return s
}

// inAMoment ends what is said while keys do nothing yet.
const inAMoment = "in a moment"

// approvalKeys is what the user may do, in as many words as fit, in two rows where one has
// no room for words and there are h rows in all.
func approvalKeys(p *pen, a *approval, w, h int, armed bool) []string {
	var keys [][3]string
	here := "this conversation"
	if a.joins() {
		here = "until yaap closes"
	}
	for _, k := range []struct{ id, key, long, short string }{
		{core.AllowOnce, "a", "allow once", "allow"},
		{core.AllowSession, "s", here, "here"},
		{core.AllowAlways, "w", "always here", "always"},
		{core.Deny, "d", "deny", "deny"},
	} {
		if a.offers(k.id) {
			keys = append(keys, [3]string{k.key, k.long, k.short})
		}
	}
	if a.offers(core.AllowOnce) {
		keys = append(keys, [3]string{"e", "edit", "edit"})
	}
	for _, form := range []struct {
		word int
		gap  string
	}{{1, "   "}, {2, "  "}, {2, " "}, {0, "  "}} {
		var row, bare []string
		for _, k := range keys {
			text := k[0] + " " + k[form.word]
			styled := p.strong.on(k[0]) + " " + p.dim.on(k[form.word])
			if form.word == 0 {
				text, styled = k[0], p.strong.on(k[0])
			}
			if !armed {
				styled = p.dim.on(text)
			}
			row, bare = append(row, styled), append(bare, text)
		}
		switch half := (len(row) + 1) / 2; {
		case width(strings.Join(bare, form.gap)) <= w || form.word == 0:
			return []string{strings.Join(row, form.gap)}
		case form.gap == " " && h >= 6 && width(strings.Join(bare[:half], "  ")) <= w:
			return []string{strings.Join(row[:half], "  "), strings.Join(row[half:], "  ")}
		}
	}
	return nil
}

// wants says in a line who wants to do what: what is hidden in a name is seen.
func (a *approval) wants() string {
	owner, own, typed := strings.Cut(a.tool, "__")
	switch {
	case a.joins():
		return "Let " + shownName(a.expert) + " in?"
	case typed:
		return shownName(owner) + " wants to use " + shownName(own)
	case a.expert != "":
		return shownName(a.expert) + " wants to act"
	}
	return "Allow " + shownName(a.tool) + "?"
}

func shownName(s string) string {
	if len(s) > maxName {
		s = s[:maxName] + "..."
	}
	if quoted := safe.Quote(s); quoted != `"`+s+`"` {
		return quoted
	}
	return s
}

// about tells why it is asked for, and what is claimed of its effects, in at most h rows.
func (a *approval) about(p *pen, w, h int, thread string) (rows []string) {
	tell := func(text string, most int) {
		if text == "" {
			return
		}
		rows = append(rows, p.dim.each(firstLines(text, w, most, p.ellipsis))...)
	}
	why := 1
	if h >= leastAsked {
		why = whyLines
	}
	switch {
	case h < 6:
		return nil
	case a.claims != "" && h >= leastAsked && !strings.Contains(a.why, a.claims):
		tell("it claims: "+safe.Cut(a.claims, 200), whyLines)
	}
	tell(safe.Cut(a.why, 600), why)
	if a.thread != "" && a.thread != thread {
		tell("in another conversation", 1)
	}
	if a.edited != nil {
		rows = append(rows, p.warn.on("it is given what you changed it to"))
	}
	return rows
}

// args draws the arguments, or the editor over them, in at most h rows.
func (q *approvals) args(p *pen, a *approval, w, h int) (rows []string, hint string) {
	if q.edit != nil {
		return q.edit.draw(w, h), ""
	}
	all := a.rows(p, w)
	h = min(h, len(all))
	q.scroll = max(min(q.scroll, len(all)-h), 0)
	if h < len(all) {
		hint = itoa(q.scroll+1) + " to " + itoa(q.scroll+h) + " of " + itoa(len(all))
		if w > 30 {
			hint += ", " + p.up + p.down + " scroll"
		}
	}
	return all[q.scroll : q.scroll+h], hint
}

// given are the arguments, as the user edited them.
func (a *approval) given() json.RawMessage {
	if a.edited != nil {
		return a.edited
	}
	return a.args
}

// rows are the arguments, w cells wide.
func (a *approval) rows(p *pen, w int) []string {
	return a.drawn.draw([2]int{w, p.look}, func() []string {
		return argumentRows(p, a.given(), w)
	})
}

// argumentRows are the names of arguments and beside each its value. What is no object
// is shown as it came.
func argumentRows(p *pen, raw json.RawMessage, w int) []string {
	more := len(raw) - maxShown
	var given []core.Member
	ok := len(bytes.TrimSpace(raw)) == 0
	if !ok && nested(string(raw)) <= maxNested {
		given, ok = core.Members(raw)
	}
	switch {
	case more > 0 || !ok:
		text := visibleJSON(raw)
		if more = len(text) - maxShown; more <= 0 {
			return jsonRows(p, text, w)
		}
		return append(jsonRows(p, strings.ToValidUTF8(text[:maxShown], ""), w), p.warn.on(short(more)+" bytes more are not shown"))
	case len(given) == 0:
		return []string{p.dim.on("it is given nothing")}
	}
	wide := 0
	for _, g := range given {
		wide = max(wide, width(visible(g.Name)))
	}
	wide = min(wide, w/4) + 2
	var rows []string
	for _, g := range given {
		name := visible(g.Name)
		if width(name) > wide-2 { // a row of its own: it is not cut
			rows = append(rows, p.dim.each(wrap(name, w))...)
			name = ""
		}
		rows = append(rows, hung(p.dim.on(fit(name, wide)), p.text.each(wrap(valueWords(p, g.Value), w-wide)))...)
	}
	return rows
}

// valueWords are a value as it is read: a text in quotes with its lines, anything else as JSON.
func valueWords(p *pen, raw json.RawMessage) string {
	var text string
	if raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		var flat bytes.Buffer
		if json.Compact(&flat, raw) == nil && flat.Len() <= maxFlat {
			return visible(flat.String())
		}
		return visibleJSON(raw)
	}
	lines := strings.Split(strings.ReplaceAll(text, "\t", "    "), "\n")
	for i, line := range lines {
		lines[i] = visible(line)
	}
	return p.lquote + strings.Join(lines, "\n") + p.rquote
}

// visibleJSON is JSON in lines, in which nothing is hidden: what a terminal
// would not show as itself is an escape. It is JSON still.
func visibleJSON(raw json.RawMessage) string {
	text := strings.ToValidUTF8(string(raw), "\ufffd")
	var b bytes.Buffer
	if nested(text) > maxNested || json.Indent(&b, []byte(text), "", "  ") != nil {
		return visible(text)
	}
	return visible(b.String())
}

// nested is how deep JSON goes.
func nested(text string) int {
	depth, most, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == '{' || c == '[':
			depth++
			most = max(most, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return most
}

// visible writes every rune that cannot be seen as JSON escapes it.
func visible(text string) string {
	var b strings.Builder
	marks := 0
	for _, r := range text {
		if unicode.Is(unicode.M, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == '\n' || ' ' <= r && r <= '~':
			b.WriteRune(r)
		case r <= 0x7f || marks > smearMost || hidden(r):
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden reports whether a rune cannot be seen, or not as itself.
func hidden(r rune) bool { return safe.Quote(string(r)) != `"`+string(r)+`"` }
