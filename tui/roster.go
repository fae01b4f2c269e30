package tui

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxExperts = 4096
	maxDoes    = 1000             // characters that an expert says of itself
	maxTools   = 128              // of one expert
	maxLearned = 20               // questions of one expert
	goneFor    = 30 * time.Second // how long an expert that left stays in the sidebar
)

// roster is who is in the room, as last heard.
type roster struct {
	all     []core.Expert
	exists  func(path string) bool // of a file that an example is about; nil: none does
	offered []choice               // examples; they stay in their places while others join
}

// set takes a new snapshot. Whatever it holds is bounded and made safe again:
// rows rely on it.
func (r *roster) set(experts []core.Expert, now time.Time) {
	r.all = r.all[:0]
	for _, e := range experts[:min(len(experts), maxExperts)] {
		if e.State == core.ExpertGone && now.Sub(e.Since) > goneFor {
			continue
		}
		e.Name, e.Description, e.Message = safe.Cut(e.Name, 48), safe.Cut(e.Description, maxDoes), safe.Cut(e.Message, 300)
		e.Transport, e.State = safe.Cut(e.Transport, 20), core.ExpertState(safe.Cut(string(e.State), 12))
		e.Examples, e.Command, e.Omitted = few(e.Examples, 5), few(e.Command, 32), few(e.Omitted, maxTools)
		e.Bidding.Learned = few(e.Bidding.Learned, maxLearned)
		e.Tools = bounded(e.Tools, maxTools, func(t *core.ToolSpec) { t.Name, t.Description = safe.Cut(t.Name, 64), safe.Cut(t.Description, 300) })
		e.Stderr = printed(e.Stderr[max(0, len(e.Stderr)-40):])
		r.all = append(r.all, e)
	}
	slices.SortFunc(r.all, func(a, b core.Expert) int { return strings.Compare(a.Name, b.Name) })
	r.offer()
}

var namesFile = regexp.MustCompile(`[\w./-]*\w\.[a-zA-Z]\w{1,5}\b`)

// offer chooses things that the experts present say they can answer: one of each expert
// first, and more when nobody is joining any more. Those about a file that is not here
// are left out.
func (r *roster) offer() {
	usable := map[string][]string{}
	_, joining := r.joining()
	for _, e := range r.all {
		if e.Present() {
			usable[e.Name] = slices.DeleteFunc(slices.Clone(e.Examples), func(example string) bool {
				return slices.ContainsFunc(namesFile.FindAllString(example, -1), func(path string) bool { return r.exists == nil || !r.exists(path) })
			})
		}
	}
	r.offered = slices.DeleteFunc(r.offered, func(c choice) bool { return !slices.Contains(usable[c.right], c.text) })
	for round := range examplesShow {
		for _, e := range r.all {
			if round >= len(usable[e.Name]) || len(r.offered) == examplesShow || joining && round > 0 {
				continue
			}
			if c := (choice{text: usable[e.Name][round], right: e.Name}); !slices.ContainsFunc(r.offered, func(o choice) bool { return o.text == c.text }) {
				r.offered = append(r.offered, c)
			}
		}
	}
}

// few are the first of some texts, each cut to a length that can be shown.
func few(in []string, most int) []string {
	return bounded(in, most, func(s *string) { *s = safe.Cut(*s, 300) })
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

// joining is the expert that has been on its way for longest.
func (r *roster) joining() (e core.Expert, ok bool) {
	for _, x := range r.all {
		if x.State == core.ExpertJoining && (!ok || x.Since.Before(e.Since)) {
			e, ok = x, true
		}
	}
	return e, ok
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
	case core.ExpertSignedOut:
		return p.broken, "signed out", p.warn
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
	case core.ExpertBusy, core.ExpertJoining:
		return elapsed(p.since(e.Since))
	case core.ExpertReady, core.ExpertDraining:
		if e.Calls > 0 {
			return count(e.Calls, "call")
		}
		return p.dash
	}
	return ""
}

// nameWide is how wide the names of experts are, at most so many cells.
func nameWide(all []core.Expert, most int) int {
	n := len("expert")
	for _, e := range all {
		n = max(n, min(width(e.Name), most))
	}
	return n
}

// sidebar draws the experts in at most h rows.
func (r *roster) sidebar(p *pen, w, h int, large bool) []string {
	rows := []string{ends(" "+p.title.on("EXPERTS"), p.dim.on(itoa(r.present())+" in the room")+" ", w, "")}
	if len(r.all) == 0 {
		return append(rows, fit(" "+p.dim.on("nobody is here yet"), w), fit(" "+p.dim.on("/experts add CMD brings one"), w))
	}
	names := nameWide(r.all, 12)
	entries, gap := r.railEntries(p, names, w, h-1, large)
	for i, entry := range entries {
		if len(rows)+len(entry) > h-1 && i < len(entries)-1 {
			rows = append(rows, fit("   "+p.dim.on(p.ellipsis+" "+itoa(len(r.all)-i)+" more"), w))
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
// descriptions of four rows, of fewer, none. Those that have no row at all are left out.
func (r *roster) railEntries(p *pen, names, w, h int, large bool) (entries [][]string, gap bool) {
	below := 0
	if large {
		below = 4
	}
	for ; ; below-- {
		entries = entries[:0]
		total := 0
		for _, e := range r.all[:min(len(r.all), h+1)] {
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
		rows = append(rows, hung("   "+p.border.on(p.corner)+" ", mark.each(firstLines(e.Message, w-6, 3, p.ellipsis)))...)
	case e.Description != "" && below > 0:
		does := e.Description
		if len(wrap(does, w-4)) > below {
			does = clause(does)
		}
		rows = append(rows, hung("   ", p.dim.each(firstLines(does, w-4, below, p.ellipsis)))...)
	}
	return rows
}

// clause is the first clause of some words, before which there is more than one word.
func clause(words string) string {
	for i := range words {
		if end := words[i:]; strings.HasPrefix(end, ": ") || strings.HasPrefix(end, "; ") || strings.HasPrefix(end, ". ") {
			if strings.Contains(words[:i], " ") {
				return words[:i]
			}
		}
	}
	return words
}

// firstLines is the start of a text in at most n lines.
func firstLines(text string, w, n int, mark string) []string {
	lines := wrap(text, w)
	if len(lines) > n {
		lines = append(lines[:n-1], cut(lines[n-1]+" "+lines[n], w, mark))
	}
	return lines
}
