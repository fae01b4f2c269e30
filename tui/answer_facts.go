package tui

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

// facts is the line between a question and its answer: while the run goes on what
// it does, afterwards who was asked and how long it took. It is empty where nobody was.
func (a *answer) facts(c *canvas) string {
	mark, when := "", ""
	switch {
	case a.running():
		when = elapsed(a.since(c.pen))
	case a.run.End.MS > 0:
		when = tookMS(a.run.End.MS)
	}
	if a.opened(c) {
		mark = c.dim.on(c.open + " ")
	}
	between := c.dim.on(" " + c.dot + " ")
	if a.chain() != "" {
		line := mark + a.chainLine(c, a.calls(a.run), c.body()-width(mark)-width(when)-3)
		if when != "" {
			line += between + c.dim.on(when)
		}
		return line
	}
	if a.running() {
		return a.goesOn(c, mark, when)
	}
	parts := a.asked(c)
	if len(parts) == 0 && !a.opened(c) {
		return ""
	}
	var last []string
	if when != "" {
		last = append(last, c.dim.on(when))
	}
	if cost := a.cost(c); a.opened(c) && cost != "" {
		last = append(last, c.dim.on(cost))
	}
	end := strings.Join(last, between)
	if len(parts) == 0 && end == "" {
		return ""
	}
	if len(parts) == 0 || end == "" {
		return cut(mark+strings.Join(parts, between)+end, c.body(), c.ellipsis)
	}
	room := c.body() - width(mark) - width(between) - width(end)
	return cut(mark+cut(strings.Join(parts, between), room, c.ellipsis)+between+end, c.body(), c.ellipsis)
}

// goesOn says what a run does, and how fast words come.
func (a *answer) goesOn(c *canvas, mark, when string) string {
	sign := c.accent.on(c.spin())
	if a.busy == busyWaiting {
		sign = c.warn.on(c.ask)
	}
	rate := a.draft.rate(c.at())
	if rate != "" {
		rate = "  " + rate
	}
	line := mark + sign + " " + c.dim.on(cut(a.doing(), c.body()-width(mark)-width(when)-width(rate)-5, c.ellipsis)+" "+c.dot+" "+when)
	return ends(line, c.dim.on(rate), c.body(), "")
}

// What an answer is doing, in words.
const (
	busyThinking  = "thinking"
	busyAnswering = "answering"
	busyWaiting   = "waiting for you"
)

// doing says in words what a run does: who works for it, and how far that is.
func (a *answer) doing() string {
	var names []string
	note := ""
	for _, x := range a.run.Calls() {
		if x.End != nil || x.Waits {
			continue
		}
		names = append(names, callName(safe.Line(x.Tool), safe.Line(x.Expert)))
		p := a.progress[a.run.ID+"/"+x.ID]
		if note = safe.Line(p.Message); p.Fraction > 0 {
			note = strings.TrimSpace(itoa(int(min(p.Fraction, 1)*100)) + " % " + note)
		}
	}
	model := modelName(a.run.Plan.Model)
	switch {
	case len(names) == 1 && note != "":
		return names[0] + ": " + note
	case len(names) > 0:
		return strings.Join(names, ", ")
	case model != "" && a.busy == busyThinking:
		return model + " thinks"
	case model != "" && a.busy == busyAnswering:
		return model + " answers"
	}
	return a.busy
}

// modelName is a model in the words of the facts; the embedded one has none.
func modelName(model string) string {
	if model == "offline" {
		return ""
	}
	return safe.Line(model)
}

// asked are the facts of a run that is over: who was asked and what became of it,
// what they were asked where that is not what the user typed, and which model answered,
// where the cost of the run does not say it.
func (a *answer) asked(c *canvas) (parts []string) {
	calls, decided := a.calls(a.run), a.decided()
	var who []string
	for _, one := range callers(calls) {
		words := decided[one.name]
		one.stopped = one.failed && a.stopped()
		delete(decided, one.name)
		who = append(who, c.who(one, words))
	}
	for _, name := range slices.Sorted(maps.Keys(decided)) { // asked by those who were asked
		who = append(who, c.who(caller{name: name, times: 1}, decided[name]))
	}
	model := modelName(a.run.Plan.Model)
	switch {
	case len(who) == 0 && strings.HasPrefix(a.run.Runner, "expert/") && model == "":
		who = append(who, c.dim.on(safe.Line(a.run.Agent)))
	case model != "" && !a.opened(c) && (len(who) == 0 || !sameModel(model, c.model)):
		who = append(who, c.dim.on(model))
	}
	if len(who) > 0 {
		parts = append(parts, strings.Join(who, c.dim.on(", ")))
	}
	if len(calls) == 1 && calls[0].prompt && calls[0].ok && !strings.Contains(letters(a.run.Prompt), letters(calls[0].ask)) {
		parts = append(parts, c.dim.on(c.quoted(safe.Cut(calls[0].ask, 60))))
	}
	if a.run.Final != nil && a.run.Final.Fallback {
		parts = append(parts, c.dim.on("put together from what was gathered"))
	}
	return parts
}

// who names somebody who was asked, with what the user said to it.
func (c *canvas) who(one caller, words string) string {
	text := one.name
	if one.times > 1 {
		text += " " + itoa(one.times) + "×"
	}
	if words != "" {
		text += " " + words
	}
	switch {
	case one.waits:
		return c.warn.on(c.ask+" "+text) + c.dim.on(" waits for you")
	case one.stopped:
		return c.dim.on(c.dash + " " + text)
	case one.failed && words == "":
		return c.bad.on(c.failed + " " + text)
	}
	return c.dim.on(text)
}

// caller is somebody who was asked.
type caller struct {
	name    string
	times   int
	failed  bool // each time
	waits   bool // for the user
	stopped bool // by the user
}

// callers are those of some calls, each once.
func callers(calls []*call) (all []caller) {
	for _, x := range calls {
		i := slices.IndexFunc(all, func(one caller) bool { return one.name == x.name })
		if i < 0 {
			all = append(all, caller{name: x.name, failed: true})
			i = len(all) - 1
		}
		all[i].times++
		all[i].failed = all[i].failed && !x.ok && x.state == ""
		all[i].waits = all[i].waits || x.state == core.NodePaused
	}
	return all
}

// decided is what the user allowed or denied, in words, by the names of the calls.
func (a *answer) decided() map[string]string {
	words := map[string]string{}
	for _, t := range a.run.Turns {
		for _, note := range t.Notes {
			if b, ok := note.Event.Body.(core.ApprovalGiven); ok && plain(b) {
				words[a.decidedOn(note.Event, b)] = decisionWords(b.Decision, false)
				if b.Decision == core.Deny {
					words[a.decidedOn(note.Event, b)] = "denied by you"
				}
			}
		}
	}
	return words
}

// sameModel reports whether two names are of one model: one may name its provider.
func sameModel(x, y string) bool {
	return y == "" || x == y || strings.HasSuffix(y, "/"+x) || strings.HasSuffix(x, "/"+y)
}

// letters are those of a text, and its digits.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// stopped reports whether the user ended the run.
func (a *answer) stopped() bool {
	return a.run.End != nil && (a.run.End.Code == core.CodeCancelled || a.run.End.Code == core.CodeStopped)
}

// cost is who answered in how many turns, and with how many tokens where a model
// counts them.
func (a *answer) cost(c *canvas) string {
	var parts []string
	model := safe.Line(a.run.Plan.Model)
	if model != "" {
		parts = append(parts, model)
	}
	if n := a.turns(); n > 0 {
		parts = append(parts, count(n, "turn"))
	}
	tokens := 0
	for _, t := range a.run.Turns {
		tokens += t.Tokens
	}
	if tokens > 0 && modelName(model) != "" {
		parts = append(parts, short(tokens)+" tokens")
	}
	return strings.Join(parts, " "+c.dot+" ")
}

// rate is how many tokens come in a second, by their usual length; empty at the start.
func (d *draft) rate(now time.Time) string {
	const token = 4 // bytes
	if d.text.Len() < 100*token || d.since.IsZero() || now.Sub(d.since) < time.Second {
		return ""
	}
	return itoa(int(float64(d.text.Len()/token)/now.Sub(d.since).Seconds())) + " tok/s"
}
