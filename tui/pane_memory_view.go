package tui

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxTags = 40 // that are shown
)

func (l *memoryPane) View(f field) []string {
	p, w := f.pen, f.w
	rows := l.head(p, w)
	if f.h >= airy {
		rows = append(rows, fit("", w))
	}
	rows = append(rows, rule(p, l.title(), "", w))
	f.h -= len(rows)
	if l.tab == partContext {
		return append(rows, l.context(p, w, f.h)...)
	}
	return append(rows, l.list(f)...)
}

// path is where a memory is.
func (l *memoryPane) path(x core.Memory, slash string) string {
	title := safe.Cut(x.Title, 50)
	for _, v := range l.view.Vaults {
		if v.ID == x.Vault {
			return safe.Cut(v.Title, 50) + " " + slash + " " + title
		}
	}
	return title
}

// head says which memory this is and how far it is, and what is wrong.
func (l *memoryPane) head(p *pen, w int) []string {
	v := &l.view
	var rows []string
	if l.reading.begun {
		dot := p.dim.on("  " + p.dot + "  ")
		left := " " + p.title.on(cmp.Or(l.path(v.Chosen, "/"), "no memory"))
		switch {
		case v.Off:
			left += dot + p.warn.on("off")
		case v.Waiting > 0:
			left += dot + p.warn.on(itoa(v.Waiting)+" waiting")
		default:
			left += dot + p.ok.on(p.done) + p.dim.on(" nothing waits")
		}
		if v.NextFlush > 0 && !v.Off {
			left += dot + p.dim.on("context in "+count(v.NextFlush, "message"))
		}
		right := ""
		if last := "last " + p.when(v.Flushed) + " "; !v.Flushed.IsZero() && width(left)+width(last) < w {
			right = p.dim.on(last)
		}
		rows = append(rows, ends(left, right, w, p.ellipsis))
	}
	if l.err != nil {
		rows = append(rows, p.fault(l.err.Error(), core.HintOf(l.err), w)...)
	}
	if v.Failure != "" {
		rows = append(rows, p.fault(v.Failure, "what waits is kept, and is tried again; /status tells more", w)...)
	}
	if v.Broken != nil {
		rows = append(rows, p.fault("Searches go by words alone: "+v.Broken.Error(), core.HintOf(v.Broken), w)...)
	}
	if v.Waiting > 0 && l.searching() {
		rows = append(rows, fit(" "+p.warn.on(count(v.Waiting, "message")+" cannot be found yet: their entries are being written."), w))
	}
	if len(rows) == 0 {
		rows = append(rows, fit("", w))
	}
	return rows
}

// title names what is shown.
func (l *memoryPane) title() string {
	switch {
	case l.tab == partContext && len(l.view.Contexts) > 0:
		n := len(l.view.Contexts)
		return "CONTEXT version " + itoa(n-l.version) + " of " + itoa(n)
	case l.tab == partContext:
		return "CONTEXT"
	case l.searching():
		found := itoa(len(l.view.Found)) + " FOUND"
		if l.view.Mode != "" {
			found += " by " + safe.Cut(l.view.Mode, 60)
		}
		return found
	}
	return "ENTRIES"
}

// list draws the entries, and the chosen one below when it is open.
func (l *memoryPane) list(f field) []string {
	p, w := f.pen, f.w
	if l.len() == 0 {
		return p.nothing(l.nothing(p), w)
	}
	when, role := 0, 0
	for i := range l.len() {
		e := l.at(i).Entry
		when, role = max(when, width(p.when(e.Created))), max(role, min(width(safe.Line(string(e.Role))), 9))
	}
	return l.table(f, l.len(), func(i int) string { return l.line(p, l.at(i), when, role, w) }, func(i int) (string, []string) {
		found := l.at(i)
		e := found.Entry
		place := ", #" + strconv.FormatInt(e.Seq, 10)
		if e.Seq == 0 {
			place = ", waiting for its entry"
		}
		return safe.Cut(string(e.Role), 20) + " on " + e.Created.Format(onDay) + place, l.describe(p, found, w)
	})
}

// nothing says why nothing is listed.
func (l *memoryPane) nothing(p *pen) string {
	switch {
	case l.err != nil || !l.reading.begun || l.searching() && l.sought != l.filter:
		return ""
	case l.searching():
		return "No entry holds " + p.quoted(safe.Cut(l.filter, 60)) + "."
	case l.view.Off && l.view.Chosen.ID == "":
		return "Nothing is remembered: memory is off in the configuration."
	case l.view.Off:
		return "Nothing is remembered: memory is off. /memory on turns it on."
	}
	return "Nothing is remembered here yet. What is said in the room will be."
}

// when is a time in a list: today the time of day, else the day too.
func (p *pen) when(t time.Time) string {
	now := time.Unix(0, p.now).In(t.Location())
	switch {
	case t.Year() == now.Year() && t.YearDay() == now.YearDay():
		return t.Format("15:04:05")
	case t.Year() == now.Year():
		return t.Format("Jan _2 15:04")
	}
	return t.Format("2006-01-02")
}

// line is an entry in one row: when and who, in so many cells, and what it comes to; of
// one that was found the words around the hit.
func (l *memoryPane) line(p *pen, f core.Found, when, role, w int) string {
	e := f.Entry
	row := " " + p.dim.on(fit(p.when(e.Created), when)) + "  "
	tone := p.dim
	switch e.Role {
	case core.RoleUser:
		tone = p.accent
	case core.RoleAssistant:
		tone = p.ok
	}
	row += tone.on(fit(cut(safe.Line(string(e.Role)), role, p.ellipsis), role)) + "  "
	room := max(w-width(row)-1, 0)
	if mark := "corrected "; e.Corrected != "" && room > 2*len(mark) {
		row += p.warn.on(mark)
		room -= len(mark)
	}
	if mark := "corrects  "; e.Corrects != "" && e.Redacted.IsZero() && room > 2*len(mark) {
		row += p.warn.on(mark)
		room -= len(mark)
	}
	text := p.text.on(cut(summary(e), room, p.ellipsis))
	switch {
	case !e.Redacted.IsZero():
		text = p.dim.on(cut("redacted", room, p.ellipsis))
	case e.Corrects != "" && f.Parts["bm25"] == 0: // the hits are in what it corrects
	case l.searching() && f.Match != "":
		text = p.hits(f.Match, room)
	case e.Seq == 0:
		text = p.warn.on("waiting  ") + p.dim.on(cut(summary(e), room-9, p.ellipsis))
	}
	return fit(row+text, w)
}

// summary is an entry in a line.
func summary(e core.Entry) string {
	s := safe.Line(e.Summary)
	if s == "" {
		s = safe.Cut(e.Raw, 300)
	}
	return unmarked(s)
}

// unmarked is a line of Markdown without its commonest marks.
func unmarked(line string) string { return strings.ReplaceAll(line, "**", "") }

func score(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }

func scoreParts(parts map[string]float64) string {
	var out []string
	for _, name := range first(slices.Sorted(maps.Keys(parts)), 6) {
		out = append(out, safe.Cut(name, 20)+" "+score(parts[name]))
	}
	return strings.Join(out, "  ")
}

// hits is the text of a match in at most w cells. What is between \x02 and \x03
// stands out, and is brought into sight where it is far behind.
func (p *pen) hits(match string, w int) string {
	match = strings.Join(strings.Fields(match), " ")
	before, _, found := strings.Cut(match, "\x02")
	text := safe.Text(before)
	if n := width(strings.TrimRight(text, " ")); found && n > w/2 {
		match = p.ellipsis + ansi.TruncateLeft(text, n-w/4, "") + match[len(before):]
	}
	var b strings.Builder
	hit := false
	for match != "" && w > 0 {
		mark, style := "\x02", p.text
		if hit {
			mark, style = "\x03", p.title
		}
		part, rest, found := strings.Cut(match, mark)
		text := cut(safe.Text(part), w, p.ellipsis)
		b.WriteString(style.on(text))
		w -= width(text)
		match, hit = rest, found && !hit
	}
	return b.String()
}

// describe tells all about one entry.
func (l *memoryPane) describe(p *pen, f core.Found, w int) []string {
	e := f.Entry
	return l.detail.draw([5]any{e.ID, l.told, w, p.look, l.searching()}, func() []string {
		s := &sheet{pen: p, w: w}
		s.field("when", p.text, e.Created.Format("2006-01-02 15:04:05"))
		if l.searching() {
			s.field("why", p.text, f.Explain(l.filter).String())
			s.field("score", p.dim, score(f.Score)+"  "+scoreParts(f.Parts))
		}
		if !e.Redacted.IsZero() {
			s.field("redacted", p.warn, e.Redacted.Format("2006-01-02 15:04:05"))
		}
		s.field("summary", p.dim, e.Summary)
		s.prose("said", e.Raw)
		name := "tags"
		for _, tag := range first(slices.Sorted(maps.Keys(e.Tags)), maxTags) {
			s.field(name, p.text, safe.Cut(tag, 60)+"  "+safe.Cut(e.Tags[tag], 200))
			name = ""
		}
		if more := len(e.Tags) - maxTags; more > 0 {
			s.field("", p.dim, p.ellipsis+" "+itoa(more)+" more")
		}
		s.field("corrected", p.warn, l.called(e.Corrected, "by"))
		s.field("corrects", p.warn, l.called(e.Corrects, ""))
		s.field("because", p.text, e.Reason)
		s.add("history", l.history(p, e, w-labelWide-2))
		if !e.Expires.IsZero() {
			s.field("expires", p.text, e.Expires.Format("2006-01-02 15:04:05"))
		}
		s.field("entry", p.dim, safe.Cut(e.ID, maxID))
		message := e.Message
		if e.Part > 0 && message != "" {
			message += ", part " + itoa(e.Part)
		}
		s.field("message", p.dim, message)
		s.field("session", p.dim, e.Thread)
		return s.rows
	})
}

// onDay is a day and a time, as entries are spoken of.
const onDay = "2 January 2006, 15:04"

// called is how another entry is called: by its day and its words where it is known.
func (l *memoryPane) called(id, how string) string {
	if id == "" {
		return ""
	}
	if e, ok := l.known(id); ok {
		id = "what was said on " + e.Created.Format(onDay) + ": " + summary(e) + " (#" + strconv.FormatInt(e.Seq, 10) + ")"
	}
	return strings.TrimSpace(how + " " + id)
}

func (l *memoryPane) known(id string) (core.Entry, bool) {
	for _, e := range l.view.Entries {
		if e.ID == id {
			return e, true
		}
	}
	for _, f := range l.view.Found {
		if f.Entry.ID == id {
			return f.Entry, true
		}
	}
	return core.Entry{}, false
}

// history is what was said of an entry's matter one after the other, the oldest first:
// what it corrects and what corrects it, as far as it is known. Nothing where it was
// said once.
func (l *memoryPane) history(p *pen, e core.Entry, w int) []string {
	chain := []core.Entry{e}
	seen := map[string]bool{e.ID: true}
	for _, step := range []func(core.Entry) string{
		func(e core.Entry) string { return e.Corrects }, func(e core.Entry) string { return e.Corrected },
	} {
		for at, ok := e, true; ok; {
			if at, ok = l.known(step(at)); ok && !seen[at.ID] {
				seen[at.ID] = true
				chain = append(chain, at)
			} else {
				ok = false
			}
		}
	}
	if len(chain) == 1 {
		return nil
	}
	slices.SortFunc(chain, func(a, b core.Entry) int { return a.Created.Compare(b.Created) })
	rows := make([]string, len(chain))
	for i, at := range chain {
		until, tone := "until now", p.text
		if i+1 < len(chain) {
			until, tone = "until "+chain[i+1].Created.Format(onDay), p.dim
		}
		rows[i] = tone.on(cut(at.Created.Format(onDay)+" "+until+": "+summary(at), w, p.ellipsis))
	}
	return rows
}

// context draws a version of the context, with what it changed.
func (l *memoryPane) context(p *pen, w, h int) []string {
	if l.version >= len(l.view.Contexts) {
		words := "No context has been written yet."
		if !l.reading.begun || l.err != nil {
			words = ""
		}
		return p.nothing(words, w)
	}
	rows := l.document(p, w)
	l.below = max(min(l.below, len(rows)-h), 0)
	return rows[l.below:min(len(rows), l.below+max(h, 0))]
}

// document returns the rows of the chosen version. Lines that the one before
// did not have begin with +, those that only that one had with -.
func (l *memoryPane) document(p *pen, w int) []string {
	doc := l.view.Contexts[l.version]
	return l.doc.draw([5]any{doc.ID, l.told, l.version, w, p.look}, func() []string {
		about, before := p.when(doc.Created)+"  "+p.dot+"  "+count(len([]rune(doc.Content)), "character"), doc.Content
		older := l.version+1 < len(l.view.Contexts)
		if older {
			before = l.view.Contexts[l.version+1].Content
		}
		all, lines := changes(textLines(before), textLines(doc.Content)), map[byte]int{}
		for _, c := range all {
			lines[c.sign]++
		}
		if older {
			about += "  " + p.dot + "  +" + itoa(lines['+']) + " -" + itoa(lines['-']) + " lines"
		}
		rows := []string{fit(" "+p.dim.on(about), w), fit("", w)}
		for _, c := range all {
			tone := p.text
			switch {
			case c.sign == '+':
				tone = p.ok
			case c.sign == '-':
				tone = p.bad
			case strings.HasPrefix(c.text, "#"):
				tone = p.strong
			}
			sign := string(c.sign)
			for _, part := range wrap(c.text, max(w-4, 8)) {
				rows = append(rows, fit(" "+tone.on(sign+" "+part), w))
				sign = " "
			}
			if from := l.from(c); from != "" {
				rows = append(rows, fit("     "+p.dim.on(cut(from, w-6, p.ellipsis)), w))
			}
		}
		return rows
	})
}

// from says which entry a line of the newest version comes from.
func (l *memoryPane) from(c change) string {
	if l.version != 0 || c.sign == '-' {
		return ""
	}
	for _, s := range l.view.Sources {
		if s.Note != "" && strings.Contains(c.text, s.Note) {
			return "said by " + safe.Cut(string(s.Entry.Role), 20) + " on " + s.Entry.Created.Format(onDay) + " (#" + strconv.FormatInt(s.Entry.Seq, 10) + ")"
		}
	}
	return ""
}

func textLines(s string) string { return strings.TrimRight(safe.Text(s), "\n ") + "\n" }
