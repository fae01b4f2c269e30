package diagram

import (
	"strings"

	"github.com/yaap-chat/yaap/core"
)

const minLifelineWidth = 12 // cells between two lifelines; with less the steps are a list

// DrawSequence draws a run as text, at most w cells wide: a column for everyone
// who takes part, and a row for each thing that is asked, answered or noted.
func DrawSequence(events []core.Event, w int) string {
	q := readSequence(events)
	pitch := min((w-2)/len(q.people), 28)
	var b strings.Builder
	row := func(text string) { b.WriteString(strings.TrimRight(cut(text, w, "…"), " ") + "\n") }
	if pitch < minLifelineWidth {
		for _, s := range q.steps {
			who := q.people[s.from]
			if s.arrow != "" {
				who += " → " + q.people[s.to]
			}
			row(who + ": " + s.text)
		}
		return b.String()
	}
	head := ""
	for _, name := range q.people {
		name = cut(name, pitch-2, "…")
		head += name + strings.Repeat(" ", pitch-width(name))
	}
	row(head)
	for _, s := range q.steps {
		q.lifeline(row, s, pitch)
	}
	return b.String()
}

// lifeline draws a step: its words, and below them its arrow.
func (q *sequence) lifeline(row func(string), s step, pitch int) {
	blank := func() []string {
		cells := strings.Split(strings.Repeat(" ", pitch*len(q.people)), "")
		for i := range q.people {
			cells[i*pitch] = "│"
		}
		return cells
	}
	left, right := min(s.from, s.to), max(s.from, s.to)
	words := blank()
	at := left*pitch + 2
	if s.from == s.to { // at its own lifeline, and over those beside it
		row(strings.Join(words[:at], "") + "· " + s.text)
		return
	}
	text := cut(s.text, (right-left)*pitch-3, "…")
	row(strings.Join(words[:at], "") + text + strings.Join(words[at+width(text):], ""))
	line := blank()
	for i := left*pitch + 1; i < right*pitch; i++ {
		line[i] = map[string]string{asks: "─", answers: "╌", fails: "╌"}[s.arrow]
	}
	tip, end := right*pitch-1, "▶"
	if s.to < s.from {
		tip, end = left*pitch+1, "◀"
	}
	if s.arrow == fails {
		end = "✗"
	}
	line[tip] = end
	row(strings.Join(line, ""))
}
