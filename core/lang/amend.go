package lang

import (
	"slices"
	"strings"
)

const maxAmendment = 300 // bytes

// Amendment is what a text asks to be changed of what was said.
type Amendment struct {
	Language *Language
	Forget   bool   // otherwise it says that something is wrong
	Right    string // what is right instead; empty: only that it is wrong
	About    string // what is to be forgotten; empty: what was said last
}

// Amends reads a text that only asks to forget something that was said, or says that
// what was said last is wrong: "forget the budget", "that is wrong, it is lp-4".
func Amends(text string) (Amendment, bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxAmendment || strings.ContainsAny(text, "\n?¿`") {
		return Amendment{}, false
	}
	all := tokens(text)
	for _, l := range tables() {
		words := l.afterPreface(all)
		rest := func(n int) string {
			if n >= len(words) {
				return ""
			}
			return strings.TrimRight(text[words[n].start:], " .!")
		}
		if n := l.opens(words, "forgetting"); n > 0 {
			if n < len(words) && l.Has("unforgotten", words[n].lower) {
				return Amendment{}, false // "forget to"
			}
			a := Amendment{Language: l, Forget: true}
			if l.told(words[n:]) {
				a.About = rest(n)
			}
			return a, true
		}
		if n := l.opens(words, "wrong"); n > 0 {
			return Amendment{Language: l, Right: rest(n)}, true
		}
		if at := len(all) - len(words); at > 0 && l.Has("nay", all[at-1].lower) && l.opens(words, "it is") > 0 { // "no, it is lp-4"
			return Amendment{Language: l, Right: rest(0)}, true
		}
	}
	return Amendment{}, false
}

// Amended is a statement with what is right instead: of "my printer is lp-3" and "it is
// lp-4" it makes "my printer is lp-4". Of a statement of several clauses that changes which
// tells the same of the same.
func Amended(statement, right string) string {
	l, words, old := Of(statement), tokens(right), tokens(statement)
	n := l.opens(words, "it is")
	if at, verb := l.verb(words); n == 0 && at == 1 && l.Has("pronoun", words[0].lower) && !l.Has(Self, words[0].lower) { // "er heißt"
		n = at + verb
	}
	at, verb := l.verb(old)
	_, whole := Statement(right)
	switch {
	case n < len(words) && at > 0 && (n > 0 || !whole && len(words) <= bareSubject):
		return statement[:old[at+verb-1].end] + " " + right[words[n].start:]
	case n == 0 && whole:
		for _, joint := range l.Words(And) {
			for clause := range strings.SplitSeq(statement, " "+joint+" ") {
				if clause != statement && l.MainVerb(clause) == l.MainVerb(right) && slices.Equal(l.Subject(clause), l.Subject(right)) {
					return strings.Replace(statement, clause, right, 1)
				}
			}
		}
	}
	return right
}
