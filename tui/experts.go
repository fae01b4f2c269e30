package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"yaap/core"
	"yaap/core/safe"
)

const (
	maxExperts = 256
	maxTools   = 128              // of one expert
	maxLearned = 20               // questions of one expert
	goneFor    = 30 * time.Second // how long an expert that left stays in the rail
)

// roster is who is in the room, as last heard.
type roster struct {
	idlePane
	all []core.Expert
	browser
}

// set takes a new snapshot. Whatever it holds is bounded and made safe again:
// rows rely on it.
func (r *roster) set(experts []core.Expert, now time.Time) {
	chosen := r.name()
	r.all = r.all[:0]
	for _, e := range experts[:min(len(experts), maxExperts)] {
		if e.State == core.ExpertGone && now.Sub(e.Since) > goneFor {
			continue
		}
		e.Name, e.Description, e.Message = safe.Cut(e.Name, 48), safe.Cut(e.Description, 300), safe.Cut(e.Message, 300)
		e.Transport, e.State = safe.Cut(e.Transport, 20), core.ExpertState(safe.Cut(string(e.State), 12))
		e.Examples, e.Command, e.Omitted = few(e.Examples, 5), few(e.Command, 32), few(e.Omitted, maxTools)
		e.Bidding.Learned = few(e.Bidding.Learned, maxLearned)
		e.Tools = slices.Clone(e.Tools[:min(len(e.Tools), maxTools)])
		for i := range e.Tools {
			e.Tools[i].Name, e.Tools[i].Description = safe.Cut(e.Tools[i].Name, 64), safe.Cut(e.Tools[i].Description, 300)
		}
		e.Stderr = printed(e.Stderr[max(0, len(e.Stderr)-40):])
		r.all = append(r.all, e)
	}
	slices.SortFunc(r.all, func(a, b core.Expert) int { return strings.Compare(a.Name, b.Name) })
	for i, e := range r.all {
		if e.Name == chosen {
			r.cursor = i
		}
	}
}

// few are the first of some texts, each cut to a length that can be shown.
func few(in []string, most int) []string {
	out := make([]string, 0, min(len(in), most))
	for _, s := range in[:min(len(in), most)] {
		out = append(out, safe.Cut(s, 300))
	}
	return out
}

// printed makes lines of a program's output safe, indentation kept.
func printed(in []string) []string {
	var out []string
	for _, s := range in {
		s = safe.Text(s[:min(len(s), 1000)])
		out = append(out, strings.TrimRight(strings.ReplaceAll(s, "\n", " "), " "))
	}
	return out
}

// present counts those that can be called.
func (r *roster) present() int {
	n := 0
	for _, e := range r.all {
		if e.Present() {
			n++
		}
	}
	return n
}

func (r *roster) name() string {
	if r.cursor < len(r.all) {
		return r.all[r.cursor].Name
	}
	return ""
}

// state is an expert's state as glyph, word and colour.
func (p *pen) state(s core.ExpertState) (glyph, word string, tone style) {
	switch s {
	case core.ExpertReady:
		return p.idle, "idle", p.ok
	case core.ExpertBusy:
		return p.busy, "busy", p.accent
	case core.ExpertJoining:
		return p.joining, "joining", p.warn
	case core.ExpertRestarting:
		return p.joining, "restarting", p.warn
	case core.ExpertDraining:
		return p.left, "leaving", p.warn
	case core.ExpertQuarantined:
		return p.broken, "quarantined", p.bad
	case core.ExpertGone:
		return p.left, "left", p.dim
	}
	return p.left, string(s), p.dim
}

// dots is the room in one glyph per expert, at most w cells wide.
func (r *roster) dots(p *pen, w int) string {
	var b strings.Builder
	for i, e := range r.all {
		if i == w-1 && len(r.all) > w {
			b.WriteString(p.dim.on("+"))
			break
		}
		glyph, _, tone := p.state(e.State)
		b.WriteString(tone.on(glyph))
	}
	return b.String()
}

// work is what an expert has done, or how long it has been at it.
func (p *pen) work(e core.Expert) string {
	switch e.State {
	case core.ExpertBusy:
		return elapsed(p.since(e.Since))
	case core.ExpertReady, core.ExpertDraining:
		if e.Calls > 0 {
			return count(e.Calls, "call")
		}
		return p.dash
	}
	return ""
}

func (r *roster) names(most int) int {
	n := len("expert")
	for _, e := range r.all {
		n = max(n, min(width(e.Name), most))
	}
	return n
}

// rail draws the experts in at most h rows.
func (r *roster) rail(p *pen, w, h int, large bool) []string {
	right := count(r.present(), "expert")
	if !large {
		right = itoa(r.present()) + " in the room"
	}
	rows := []string{ends(" "+p.title.on("EXPERTS"), p.dim.on(right)+" ", w, "")}
	if len(r.all) == 0 {
		return append(rows, fit(" "+p.dim.on("nobody is here yet"), w), fit(" "+p.dim.on("/experts add CMD brings one"), w))
	}
	names := r.names(12)
	entries, gap := r.railEntries(p, names, w, h-1, large)
	for i, entry := range entries {
		if len(rows)+len(entry) > h-1 && i < len(entries)-1 {
			rows = append(rows, fit("   "+p.dim.on(p.ellipsis+" "+itoa(len(entries)-i)+" more"), w))
			break
		}
		if gap && i > 0 {
			rows = append(rows, fit("", w))
		}
		rows = append(rows, entry...)
	}
	return rows
}

// railEntries draws each expert with as much below it as there is room for:
// descriptions of two rows, of one, none.
func (r *roster) railEntries(p *pen, names, w, h int, large bool) (entries [][]string, gap bool) {
	below := 0
	if large {
		below = 2
	}
	for ; ; below-- {
		entries = entries[:0]
		total := 0
		for _, e := range r.all {
			entry := p.railEntry(e, names, w, max(below, 0))
			if below < 0 {
				entry = entry[:1]
			}
			entries = append(entries, entry)
			total += len(entry)
		}
		gap = large && total+len(entries) <= h
		if below < 0 || total <= h && (gap || below == 0) {
			return entries, gap
		}
	}
}

func (p *pen) railEntry(e core.Expert, names, w, below int) []string {
	glyph, word, tone := p.state(e.State)
	name := p.text
	if e.State == core.ExpertGone {
		name = p.dim
	}
	left := " " + tone.on(glyph) + " " + name.on(fit(cut(e.Name, names, p.ellipsis), names)) + "  "
	left += p.dim.on(word)
	rows := []string{ends(left, p.dim.on(p.work(e))+" ", w, "")}
	switch {
	case e.Message != "" && !e.Present():
		mark := p.bad
		if e.State == core.ExpertJoining || e.State == core.ExpertStopped {
			mark = p.dim
		}
		lead := p.border.on(p.corner) + " "
		for _, line := range firstLines(e.Message, w-6, 3, p.ellipsis) {
			rows = append(rows, fit("   "+lead+mark.on(line), w))
			lead = "  "
		}
	case e.Description != "" && below > 0:
		for _, line := range firstLines(e.Description, w-4, below, p.ellipsis) {
			rows = append(rows, fit("   "+p.dim.on(line), w))
		}
	}
	return rows
}

// firstLines is the start of a text in at most n lines.
func firstLines(text string, w, n int, mark string) []string {
	lines := wrap(text, w)
	if len(lines) > n {
		lines = append(lines[:n-1], cut(lines[n-1]+" "+lines[n], w, mark))
	}
	return lines
}

// draw draws the experts as a table with the chosen one below.
func (r *roster) draw(p *pen, w, h int, _ bool) []string {
	r.clamp(len(r.all))
	if len(r.all) == 0 {
		return []string{fit("", w), fit(" "+p.dim.on("Nobody is in the room. /experts add CMD brings an expert."), w)}
	}
	names := r.names(20)
	rows := []string{r.header(p, names, w)}
	table := min(len(r.all), max(h*2/5, h-9, 3))
	r.top = window(r.cursor, r.top, table, len(r.all))
	for i := r.top; i < len(r.all) && i < r.top+table; i++ {
		row := r.line(p, r.all[i], names, w)
		if i == r.cursor {
			row = p.selected.under(row)
		}
		rows = append(rows, row)
	}
	e := r.all[r.cursor]
	rows = append(rows, fit("", w), rule(p, e.Name, "", w))
	detail := r.describe(p, e, w)
	return append(rows, r.part(detail, h-len(rows))...)
}

// key implements [pane].
func (r *roster) key(_ *model, k press) (tea.Cmd, bool) { return nil, r.steer(k, true, r.move) }

// look chooses the first expert that holds all words.
func (r *roster) look(_ *model, words string, _ bool) tea.Cmd {
	for i, x := range r.all {
		if words != "" && holdsAll(strings.ToLower(x.Name+" "+x.Description), strings.Fields(strings.ToLower(words))) {
			r.cursor = i
			return nil
		}
	}
	return nil
}

func (r *roster) hints() [][2]string {
	return [][2]string{{"j k", "choose"}, {"d u", "scroll"}, {"/", "find"}, {"y", "copy"}}
}

func (r *roster) columns(w int) (since, errors bool) {
	return w >= 66, w >= 54
}

func (r *roster) header(p *pen, names, w int) string {
	since, errors := r.columns(w)
	left := "   " + fit("expert", names) + "  " + fit("state", 11)
	if since {
		left += "  " + fit("since", 10)
	}
	right := pad("calls", 7)
	if errors {
		right += pad("errors", 8)
	}
	return p.dim.on(ends(left, right+pad("latency", 9)+" ", w, ""))
}

func (r *roster) line(p *pen, e core.Expert, names, w int) string {
	glyph, word, tone := p.state(e.State)
	since, errors := r.columns(w)
	left := " " + tone.on(glyph) + " " + p.strong.on(fit(cut(e.Name, names, p.ellipsis), names)) + "  " + p.text.on(fit(word, 11))
	if since && !e.Since.IsZero() {
		left += "  " + p.dim.on(fit(e.Since.Format("15:04:05"), 10))
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
		latency = took(e.Latency)
	}
	return fit(ends(left, right+p.text.on(pad(latency, 9))+" ", w, ""), w)
}

// pad right-aligns a string in w cells.
func pad(s string, w int) string { return strings.Repeat(" ", max(w-width(s), 0)) + s }

// describe tells all about one expert.
func (r *roster) describe(p *pen, e core.Expert, w int) []string {
	var rows []string
	field := func(name string, tone style, values ...string) {
		name = fit(name, 10)
		for _, v := range values {
			for _, line := range wrap(v, max(w-14, 10)) {
				if line == "" {
					continue
				}
				rows = append(rows, fit(" "+p.dim.on(name)+tone.on(line), w))
				name = fit("", 10)
			}
		}
	}
	_, word, tone := p.state(e.State)
	state := word
	if !e.Since.IsZero() {
		state += " since " + e.Since.Format("15:04:05")
	}
	field("does", p.text, e.Description)
	field("state", tone, state)
	switch {
	case e.Message == "":
	case e.Present():
		field("", p.dim, e.Message)
	default:
		field("why", p.bad, e.Message)
	}
	bids, answered := p.bidding(e.Bidding)
	field("bidding", p.text, bids)
	field("answered", p.text, answered...)
	field("ask", p.accent, e.Examples...)
	rows = append(rows, p.changes(e, w)...)
	rows = append(rows, p.tools(e, w)...)
	field("left out", p.warn, e.Omitted...)
	how := e.Transport
	if len(e.Command) > 0 {
		how = strings.TrimSpace(how + "  " + strings.Join(e.Command, " "))
	}
	field("runs as", p.text, how)
	if len(e.Stderr) > 0 {
		rows = append(rows, fit("", w), fit(" "+p.dim.on("what it printed last"), w))
		for _, line := range e.Stderr {
			rows = append(rows, fit("   "+p.text.on(cut(line, w-4, p.ellipsis)), w))
		}
	}
	return rows
}

// bidding is what an expert's bids have come to, and the questions that it has
// answered; empty for one that does neither.
func (p *pen) bidding(r core.BidRecord) (bids string, answered []string) {
	if r.Bids > 0 {
		bids = fmt.Sprintf("bid on %s %s was awarded %s %s credit %.2f", count(r.Bids, "question"), p.dot, count(r.Awards, "call"), p.dot, r.Credit)
	}
	const most = 3
	last := r.Learned[max(0, len(r.Learned)-most):]
	for _, question := range slices.Backward(last) {
		answered = append(answered, question)
	}
	if more := len(r.Learned) - len(last); more > 0 {
		answered = append(answered, "and "+itoa(more)+" more")
	}
	return bids, answered
}

// copied is what y copies of the chosen expert.
func (r *roster) copied() string {
	if r.cursor >= len(r.all) {
		return ""
	}
	e := r.all[r.cursor]
	return strings.Join(append([]string{e.Name + ": " + e.Description, e.Message, strings.Join(e.Command, " ")}, e.Stderr...), "\n")
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
