package lang

import (
	"strings"
	"unicode"
)

// leastPassing is the worth of a phrase without a verb that tells anything.
const leastPassing = -1

// fewWords is how much of a sentence may be in none of its notes, in bytes.
const fewWords = 12

// UnnotedStatements returns the sentences of a text that tell something but are in none of its notes:
// they may answer a question all the same.
func UnnotedStatements(text string, notes []Noted) (all []string) {
	text = strings.TrimSpace(text[:min(len(text), maxText)])
	if _, amends := ReadAmendment(text); amends || text == "" || strings.ContainsAny(text[:1], "/@") {
		return nil
	}
	for line := range strings.Lines(text) {
		if IsMachineText(line) {
			break
		}
		for _, sentence := range Sentences(line) {
			if !noted(sentence, notes) && Of(sentence).passes(sentence) {
				all = append(all, sentence)
			}
		}
	}
	return all
}

// noted reports whether notes hold all of a sentence, but for a few words.
func noted(sentence string, notes []Noted) bool {
	rest := len(sentence)
	for _, n := range notes {
		if n.Subject != "" {
			return true
		}
		if strings.Contains(sentence, n.Text) {
			rest -= len(n.Text)
		}
	}
	return rest < len(sentence) && rest <= fewWords
}

// passes reports whether a sentence tells anything, and asks for nothing: a phrase without a
// verb may do so.
func (l *Language) passes(sentence string) bool {
	words := l.afterPreface(tokens(sentence))
	if len(words) < bareSubject || len(words) > maxStatement || strings.ContainsAny(sentence, "?¿") || l.any(words[:1], Question, YesNo, "measure") && !l.counts(words) {
		return false
	}
	at := l.verbOf(words)
	if at <= 0 && l.any(words[:1], "command") {
		return false
	}
	verb := at >= 0 || l.looksVerb(words) >= 0
	return !l.onlyNames(words) && !l.friendly(tokens(sentence)) && (verb || l.worth(words) > leastPassing)
}

// counts reports whether words say how many there are of something: "hay 64 gallinas".
func (l *Language) counts(words []token) bool {
	return l.Has(YesNo, words[0].lower) && (strings.ContainsFunc(words[1].lower, unicode.IsDigit) || l.Has("number", words[1].lower))
}
