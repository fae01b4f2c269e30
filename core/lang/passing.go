package lang

import (
	"slices"
	"strings"
)

// leastPassing is the worth of a phrase without a verb that tells anything.
const leastPassing = -1

// Passing returns the sentences of a text that tell something but are in none of its notes:
// they may answer a question all the same.
func Passing(text string, notes []Noted) (all []string) {
	text = strings.TrimSpace(text[:min(len(text), maxText)])
	if _, amends := Amends(text); amends || text == "" || strings.ContainsAny(text[:1], "/@") {
		return nil
	}
	for line := range strings.Lines(text) {
		if Machine(line) {
			break
		}
		for _, sentence := range Sentences(line) {
			kept := slices.ContainsFunc(notes, func(n Noted) bool { return strings.Contains(sentence, n.Text) || n.Subject != "" })
			if !kept && Of(sentence).passes(sentence) {
				all = append(all, sentence)
			}
		}
	}
	return all
}

// passes reports whether a sentence tells anything, and asks for nothing: a phrase without a
// verb may do so.
func (l *Language) passes(sentence string) bool {
	words := l.afterPreface(tokens(sentence))
	if len(words) < bareSubject || len(words) > maxStatement || strings.ContainsAny(sentence, "?¿") || l.any(words[:1], Question, YesNo, "command", "measure") {
		return false
	}
	verb := l.verbOf(words) >= 0 || l.looksVerb(words) >= 0
	return !l.onlyNames(words) && !l.friendly(tokens(sentence)) && (verb || l.worth(words) > leastPassing)
}
