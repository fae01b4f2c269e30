package extract

import (
	"strings"

	"github.com/yaap-chat/yaap/core/lang"
)

// Bounds of what turns add to a context.
const (
	recent   = 4   // turns in Now
	longest  = 200 // runes of a line
	longNow  = 300 // runes of a line in Now
	perTurn  = 6   // lines that a turn adds to a section
	perReply = 2   // open lines that an answer adds
	perBatch = 200 // lines that all turns add to a section, and statements that may close one
)

// batch gathers what turns add to the sections of a context.
type batch struct {
	now, decisions, lasting []string

	open       []openLine
	statements []statement
}

// openLine is a question or a task.
type openLine struct {
	text     string
	question bool
	at       int // statements before it
}

// statement is a sentence that may answer a question or end a task.
type statement struct {
	words   map[string]bool
	done    bool // it says that something is
	decides bool
	answer  bool // of the assistant
	at      int
}

// add adds a turn. Only what people and the assistant say is remembered, of
// code and tables nothing.
func (b *batch) add(t Turn) {
	if t.Role != "user" && t.Role != "assistant" {
		return
	}
	summary := Summary(t.Role, t.Text, longNow)
	if summary == "" {
		return
	}
	b.now = newest(append(b.now, stamp(t.Time)+t.Role+": "+summary))
	user := t.Role == "user"
	d := parse(t.Text)
	var opened []openLine
	var decided, lasts []string
	answered := false
	for _, s := range d.sentences {
		if s.form > ticked {
			continue
		}
		lower := strings.ToLower(s.text)
		var told lang.Kind
		if user {
			told, _ = lang.Statement(s.text)
		}
		question := strings.HasSuffix(strings.TrimRight(lower, "\"')*"), "?")
		switch {
		case question && !user || s.form == ticked:
		case question || s.form == task:
			opened = append(opened, openLine{text: s.text, question: question})
		case user && durable(lower), told == lang.Preference:
			lasts = append(lasts, s.text)
		case decides(lower), told == lang.Decision:
			decided = append(decided, s.text)
		case tasks(lower), told == lang.Task:
			opened = append(opened, openLine{text: s.text})
		case user && len(d.facts(s)) > 0, told == lang.Fact:
			lasts = append(lasts, s.text)
		}
		if !question && s.form != task {
			answered = answered || !user && !unsure(lower)
			b.state(lower, s.form == ticked, !user)
		}
	}
	if answered {
		b.answer()
	}
	if !user {
		opened = opened[:min(len(opened), perReply)]
	}
	for _, o := range opened[:min(len(opened), perTurn)] {
		o.text, o.at = Summary(t.Role, o.text, longest), b.said()
		b.open = newest(append(b.open, o))
	}
	b.decisions = newest(append(b.decisions, shortened(t.Role, decided)...))
	b.lasting = newest(append(b.lasting, shortened(t.Role, lasts)...))
}

// shortened makes lines of the sentences of a turn: of too many, the first.
func shortened(role string, sentences []string) []string {
	var lines []string
	for _, s := range sentences[:min(len(sentences), perTurn)] {
		lines = append(lines, Summary(role, s, longest))
	}
	return lines
}

// newest drops the oldest of too many lines.
func newest[T any](lines []T) []T { return lines[max(0, len(lines)-perBatch):] }

// said is how many statements there were.
func (b *batch) said() int {
	if len(b.statements) == 0 {
		return 0
	}
	return b.statements[len(b.statements)-1].at + 1
}

// state takes a statement down, if it may close something.
func (b *batch) state(lower string, ticked, answer bool) {
	s := statement{done: ticked || done(lower), decides: decides(lower), answer: answer, at: b.said()}
	if s.done || s.decides || s.answer {
		s.words = contentWords(lower)
		b.statements = newest(append(b.statements, s))
	}
}

// answer ends the questions that were asked so far.
func (b *batch) answer() {
	left := b.open[:0]
	for _, o := range b.open {
		if !o.question {
			left = append(left, o)
		}
	}
	b.open = left
}

// stillOpen returns the open lines, the previous ones first, that no later
// statement closes.
func (b *batch) stillOpen(previous []string) []string {
	var lines []string
	all := make([]openLine, 0, len(previous)+len(b.open))
	for _, line := range previous {
		all = append(all, openLine{text: line, question: strings.HasSuffix(line, "?")})
	}
	for _, o := range append(all, b.open...) {
		if !b.closes(o) {
			lines = append(lines, o.text)
		}
	}
	return lines
}

// closes says whether a statement after an open line is about the same thing
// and says that it is done, or answers it.
func (b *batch) closes(o openLine) bool {
	words := contentWords(o.text)
	if len(words) == 0 {
		return false
	}
	for _, s := range b.statements {
		if s.at >= o.at && (s.done || o.question && (s.decides || s.answer)) && 2*shared(words, s.words) >= len(words) {
			return true
		}
	}
	return false
}
