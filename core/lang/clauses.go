package lang

import (
	"slices"
	"strings"
	"unicode"
)

// clause is a part of a sentence, with the subject that it shares with the first.
type clause struct{ text, subject string }

// clauses parts a sentence where a new statement begins.
func (l *Language) clauses(sentence string) []clause {
	words := tokens(sentence)
	all := []clause{}
	from, subject := 0, ""
	if rest := l.afterPreface(words); len(rest) > 0 && l.Has(Self, rest[0].lower) {
		subject = rest[0].text
	} else if at, _ := l.verb(expand(words)); at > 0 && at <= len(words) {
		subject = strings.TrimSpace(sentence[words[0].start:words[min(at, len(words)-1)].start])
		if rest := l.afterPreface(words); len(rest) < len(words) && len(rest) > 0 && rest[0].start < words[min(at, len(words)-1)].start {
			subject = strings.TrimSpace(sentence[rest[0].start:words[min(at, len(words)-1)].start])
		}
	}
	lead := ""
	for i := 1; i+1 < len(words); i++ {
		w := words[i]
		parted := strings.ContainsAny(words[i-1].after, ",;:-") || strings.Contains(words[i-1].after, "–")
		joined := slices.Contains([]string{"and", "und", "y", "but", "aber", "pero"}, w.lower)
		switch {
		case parted && i > 2 && from == 0 && l.Has("so clause", w.lower):
			all = append(all, clause{sentence[from:w.start], lead})
			from, lead = w.start, ""
		case !parted && from == 0 && i > 2 && l.concludes(words, i) && l.begins(sentence[words[i+l.opens(words[i:], "so clause")].start:]):
			all = append(all, clause{sentence[from:w.start], lead})
			from, lead = words[i+l.opens(words[i:], "so clause")].start, ""
		case parted && from == 0 && subject != "" && l.tellsOn(words, i):
			all = append(all, clause{sentence[:w.start], lead})
			from, lead = words[i+1].start, subject
		case parted && (i > 2 || !strings.Contains(words[i-1].after, ":")) && l.begins(sentence[w.start:]) && !l.ofPerson(words[i+1:]) && !l.ofPlace(words[i:]) && !l.goesOn(words, i) && !l.apposed(words, i):
			all = append(all, clause{sentence[from:w.start], lead})
			from, lead = w.start, ""
		case joined && i > 1 && (l.Has(Verb, words[i+1].lower) || l.opens(words[i+1:], "selfverb") > 0 || l.Has("verblike", words[i+1].lower)) && from == 0 && !l.any(words[i+1:], "referring"):
			all = append(all, clause{sentence[from:w.start], lead})
			from, lead = words[i+1].start, subject
			if l.opens(words[i+1:], "selfverb") > 0 {
				lead = ""
			}
		case joined && from == 0 && (l.holds(words[:i], "ended") || l.ends(words[:i], "ended last")) && !l.Has("but", w.lower) && l.begins(sentence[words[i+1].start:]): // "Ada left and Ben is the treasurer now"
			all = append(all, clause{sentence[:w.start], lead})
			from, lead = words[i+1].start, ""
		case joined && l.Has(Self, words[i+1].lower) && l.OpeningLength(sentence[from:], Self) > 0 && l.Has(Verb, words[min(i+2, len(words)-1)].lower): // "I am Ada and I work at Acme"
			all = append(all, clause{sentence[from:w.start], lead})
			from, lead = words[i+1].start, ""
		}
	}
	return append(all, clause{sentence[from:], lead})
}

// concludes reports whether a statement of its own follows what is told before word i: "she
// had no time so the plumber is Ben".
func (l *Language) concludes(words []token, i int) bool {
	n := l.opens(words[i:], "so clause")
	return n > 0 && i+n < len(words) && l.any(words[i+n:i+n+1], "determiner", Self) && l.verbOf(words[:i]) > 0
}

// apposed reports whether words name what is spoken of once more, or say more of it, from word
// i to the next comma, and tell something of it from there on: "the caretaker, Mr Budd, has
// the key".
func (l *Language) apposed(words []token, i int) bool {
	if l.verbOf(words[:i]) > 0 {
		return false
	}
	for j := i + 1; j < min(len(words)-1, i+deepSubject+1); j++ {
		if strings.Contains(words[j-1].after, ",") {
			return l.opens(words[j:], Verb) > 0 || l.Has("verblike", words[j].lower)
		}
	}
	return false
}

// goesOn reports whether words tell, from word i on, what is true now instead of what is said
// before to have changed: "hemos cambiado el seguro, ahora está con Orbis".
func (l *Language) goesOn(words []token, i int) bool {
	n := l.opens(words[i:], "present")
	rest := words[i+n:]
	if n == 0 || len(rest) < 2 || l.opens(rest, Verb) == 0 || l.holds(words[:i], "ended") {
		return false
	}
	omitted := len(l.words["selfverb"]) > 0 // the subject
	return omitted || l.Has(Self, rest[1].lower) || l.Has("pronoun", rest[1].lower) && !l.Has("determiner", rest[1].lower)
}

// refersBack reports whether words hold one that stands for something named before them.
func (l *Language) refersBack(words []token) bool {
	if len(words) == 0 || l.opens(words, "so clause") > 0 {
		return false
	}
	return l.any(words, "referring", "person", "its") || l.Has("object", words[len(words)-1].lower)
}

// tellsOn reports whether what is done is told before word i, and from there on something
// else of the same thing: "the desk is ordered, it comes on Tuesday".
func (l *Language) tellsOn(words []token, i int) bool {
	return i+2 < len(words) && l.standsFor(words[i:]) && (l.holds(words[:i], "finished") || l.past(words[:i]))
}

// standsFor reports whether words begin with a pronoun and its verb: "it comes".
func (l *Language) standsFor(words []token) bool {
	return len(words) > 1 && l.Has("pronoun", words[0].lower) && !l.Has("determiner", words[0].lower) && l.Has(Verb, words[1].lower)
}

// ofPerson reports whether words tell of somebody who was named before: "covers for her".
func (l *Language) ofPerson(words []token) bool {
	for i := 1; i < len(words); i++ {
		if l.Has(Person, words[i].lower) && l.Has(Relation, words[i-1].lower) {
			return true
		}
	}
	return false
}

// ofPlace reports whether words tell something of what was named before: "the contact
// there is Ada".
func (l *Language) ofPlace(words []token) bool {
	at := slices.IndexFunc(words, func(w token) bool { return l.Has("there", w.lower) })
	return at > 0 && at < bareSubject && at+1 < len(words) && l.Has("copula", words[at+1].lower)
}

// begins reports whether a text is a clause of its own: it has its own subject, or
// takes back what was before.
func (l *Language) begins(text string) bool {
	words := l.withoutReason(l.afterPreface(expand(tokens(text))))
	if l.onlySettles(text) {
		return true
	}
	if len(words) < 2 {
		return false
	}
	first := words[0].lower
	if l.Has("pronoun", first) && !l.Has("determiner", first) {
		return false
	}
	if l.any(words[:1], Question, YesNo) && strings.ContainsAny(text, "?") {
		return true
	}
	if l.Has("command", first) && !l.Has(Verb, first) || l.opens(words, "ended") > 0 || l.opens(words, "settled") > 0 || l.ends(words, "ended last") || first == "no" && len(words) < 4 {
		return true
	}
	if l.Has(Self, first) || l.opens(words, "change") > 0 || l.opens(words, "decided") > 0 {
		return true
	}
	at := l.verbOf(words)
	most := bareSubject + 1
	if l.Has("determiner", first) {
		most = deepSubject
	}
	return at > 0 && at <= most && at+1 < len(words) && !strings.ContainsFunc(words[0].text[:1], unicode.IsDigit)
}
