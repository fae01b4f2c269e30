package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/safe"
)

// expertsPane shows the experts as a table, and all about the chosen one.
type expertsPane struct {
	host
	browser
	name string // of the chosen expert: the cursor follows it
}

func newExpertsPane(h host) pane { return &expertsPane{host: h} }

// list returns the experts, with the cursor at the one that was chosen.
func (l *expertsPane) list() []core.Expert {
	all := l.m.experts.all
	if i := slices.IndexFunc(all, func(e core.Expert) bool { return e.Name == l.name }); i >= 0 {
		l.cursor = i
	}
	l.choose(l.cursor)
	return all
}

func (l *expertsPane) choose(i int) {
	all := l.m.experts.all
	if l.cursor = i; len(all) > 0 {
		l.clamp(len(all))
		l.name = all[l.cursor].Name
	}
}

func (l *expertsPane) View(f field) []string {
	p, w, all := f.pen, f.w, l.list()
	if len(all) == 0 {
		return p.nothing(l.Nothing("Nobody is in the room. /experts add CMD brings an expert."), w)
	}
	names := nameWide(all, 20)
	rows := []string{l.header(p, names, w)}
	table := min(len(all), max(f.h*2/5, f.h-9, 3))
	l.top = window(l.cursor, l.top, table, len(all))
	for i := l.top; i < len(all) && i < l.top+table; i++ {
		row := l.line(p, all[i], names, w)
		if i == l.cursor {
			row = p.selected.under(row)
		}
		rows = append(rows, row)
	}
	if f.list {
		return rows
	}
	e := all[l.cursor]
	rows = append(rows, fit("", w), rule(p, e.Name, "", w))
	detail := l.describe(p, e, w)
	return append(rows, l.part(detail, f.h-len(rows))...)
}

// Key implements [pane]. The first expert that holds all words is chosen.
func (l *expertsPane) Key(k press) (tea.Cmd, bool) {
	all := l.list()
	if k.do != actFilter {
		if k.text == "a" && !l.Alone() {
			l.Type("/experts add ")
			return nil, true
		}
		return nil, l.steer(k, true, func(n int) {
			l.move(n)
			l.choose(l.cursor)
		})
	}
	words := strings.Fields(strings.ToLower(k.text))
	if i := slices.IndexFunc(all, func(e core.Expert) bool { return holdsAll(strings.ToLower(e.Name+" "+e.Description), words) }); i >= 0 && len(words) > 0 {
		l.choose(i)
	}
	return nil, true
}

func (l *expertsPane) Hints() hints {
	keys := [][2]string{{"j k", "choose"}, {"d u", "scroll"}, {"/", "find"}, {"y", "copy"}}
	if !l.Alone() {
		keys = slices.Insert(keys, 1, [2]string{"a", "add"})
	}
	return hints{keys: keys}
}

func (l *expertsPane) columns(w int) (since, errors bool) {
	return w >= 66, w >= 54
}

func (l *expertsPane) header(p *pen, names, w int) string {
	since, errors := l.columns(w)
	left := "   " + fit("expert", names) + "  " + fit("state", 11)
	if since {
		left += "  " + fit("since", 10)
	}
	right := pad("calls", 7)
	if errors {
		right += pad("errors", 8)
	}
	return p.dim.on(expertRow(left, right+pad("latency", 9), w))
}

func (l *expertsPane) line(p *pen, e core.Expert, names, w int) string {
	glyph, word, tone := p.state(e.State)
	since, errors := l.columns(w)
	left := " " + tone.on(glyph) + " " + p.strong.on(fit(cut(e.Name, names, p.ellipsis), names)) + "  " + p.text.on(fit(word, 11))
	if since {
		at := ""
		if !e.Since.IsZero() {
			at = e.Since.Format("15:04:05")
		}
		left += "  " + p.dim.on(fit(at, 10))
	}
	right := p.text.on(pad(itoa(e.Calls), 7))
	if errors {
		mark := p.text
		if e.Errors > 0 {
			mark = p.bad
		}
		right += mark.on(pad(itoa(e.Errors), 8))
	}
	latency := p.dash
	if e.Latency > 0 {
		latency = diagram.FormatDuration(e.Latency)
	}
	return expertRow(left, right+p.text.on(pad(latency, 9)), w)
}

// expertRow sets the numbers right behind the words, which give way to them.
func expertRow(words, numbers string, w int) string {
	return fit(ends(words, numbers, min(w, width(words)+width(numbers)+1), ""), w)
}

// describe tells all about one expert.
func (l *expertsPane) describe(p *pen, e core.Expert, w int) []string {
	s := &sheet{pen: p, w: w}
	_, word, tone := p.state(e.State)
	state := word
	if !e.Since.IsZero() {
		state += " since " + e.Since.Format("15:04:05")
	}
	s.field("does", p.text, e.Description)
	s.field("state", tone, state)
	switch {
	case e.Message == "":
	case e.Present():
		s.field("", p.dim, e.Message)
	default:
		s.field("why", p.bad, e.Message)
	}
	bids, answered := p.bidding(e.Bidding)
	s.field("bidding", p.text, bids)
	s.field("answered", p.text, answered)
	s.field("ask", p.accent, strings.Join(e.Examples, "\n"))
	s.rows = append(s.rows, p.changes(e, w)...)
	s.rows = append(s.rows, p.tools(e, w)...)
	s.field("left out", p.warn, strings.Join(e.Omitted, "\n"))
	how := e.Transport
	if len(e.Command) > 0 {
		how = strings.TrimSpace(how + "  " + strings.Join(e.Command, " "))
	}
	s.field("runs as", p.text, how)
	if len(e.Stderr) > 0 {
		s.rows = append(s.rows, fit("", w), fit(" "+p.dim.on("what it printed last"), w))
		for _, line := range e.Stderr {
			s.rows = append(s.rows, fit("   "+p.text.on(cut(line, w-4, p.ellipsis)), w))
		}
	}
	return s.rows
}

// bidding is the outcomes of an expert's bids, and the questions that it has
// answered; empty for one that does neither.
func (p *pen) bidding(r core.BidRecord) (bids, answered string) {
	if r.Bids > 0 {
		bids = fmt.Sprintf("bid on %s %s was awarded %s %s credit %.2f", count(r.Bids, "question"), p.dot, count(r.Awards, "call"), p.dot, r.Credit)
	}
	const most = 3
	last := slices.Clone(r.Learned[max(0, len(r.Learned)-most):])
	slices.Reverse(last)
	if more := len(r.Learned) - len(last); more > 0 {
		last = append(last, "and "+itoa(more)+" more")
	}
	return bids, strings.Join(last, "\n")
}

// copied is what y copies of the chosen expert.
func (l *expertsPane) copied() string {
	all := l.list()
	if len(all) == 0 {
		return ""
	}
	e := all[l.cursor]
	return strings.Join(append([]string{e.Name + ": " + e.Description, e.Message, strings.Join(e.Command, " ")}, e.Stderr...), "\n")
}

// tools draws what an expert can do: each tool with what it takes, and what it
// claims of its effects.
func (p *pen) tools(e core.Expert, w int) []string {
	var rows []string
	head := fit("tools", 10)
	for _, t := range e.Tools {
		usage := safe.Line(t.Usage())
		line := p.text.on(safe.Cut(t.Name, 64))
		if usage != "" && t.Name != e.Name {
			line += "  " + p.accent.on(cut(usage, max(w-16-width(safe.Cut(t.Name, 64)), 10), p.ellipsis))
		}
		rows = append(rows, fit(" "+p.dim.on(head)+line, w))
		head = fit("", 10)
		if t.Name == e.Name && !t.Acts {
			continue
		}
		claim := t.Claims.String()
		if t.Acts {
			claim += "; you are asked, unless you allowed it"
		}
		rows = append(rows, fit(" "+head+p.dim.on("  "+cut(claim, w-14, p.ellipsis)), w))
	}
	return rows
}

// changes names the tools that are hidden. What they said stands beside what they
// say in the answer to /trust.
func (p *pen) changes(e core.Expert, w int) []string {
	var rows []string
	for _, c := range e.Changes[:min(len(e.Changes), maxTools)] {
		rows = append(rows, fit(" "+p.warn.on(cut(safe.Line(c.Now.Name)+" has changed, and is hidden until you have seen how, with /trust "+e.Name, w-2, p.ellipsis)), w))
	}
	return rows
}
