package lang

import (
	"slices"
	"strings"
)

// ofQuestion reads a sentence that may tell something of what was asked before it:
// "how do I upgrade Talos? we're on 1.9".
func (l *Language) ofQuestion(asked, sentence string) []Noted {
	words := tokens(sentence)
	if asked == "" || strings.ContainsAny(sentence, "?¿") || len(asked)+len(sentence) > maxAsked {
		return l.notes(sentence)
	}
	of := tokens(asked)
	valued := digits(of) || l.any(of, "date", "number")
	empty := func(w token) bool {
		return l.Has("function", w.lower) || l.Has("light", w.lower) || l.Has("so", w.lower)
	}
	switch opens := l.opens(l.afterPreface(words), "of the question") > 0; {
	case opens && (digits(words) || l.any(words, "date", Mine)):
	case !opens && valued && l.holds(words, "that value"): // "a line for 01:30? the backup runs at that hour"
	case !opens && valued && l.Has(Self, words[0].lower) && len(words) > 2 && !slices.ContainsFunc(words, func(w token) bool { return !empty(w) }): // "with three nodes? we haven't got more"
	case opens:
		return nil
	default:
		return l.notes(sentence)
	}
	return []Noted{{Text: asked + " " + strings.TrimRight(sentence, " ,;-."), Kind: Fact, Changes: l.changes(sentence), Beside: true}}
}

// besideAsking returns what a question or a request tells beside what it asks: "since we are
// on Postgres 16 now, how do I ...?". That is told of who speaks, or of what is theirs.
func (l *Language) besideAsking(sentence string) []Noted {
	var all []Noted
	if wish := l.wishedBeside(sentence); wish != "" {
		all = append(all, Noted{Text: wish, Kind: Preference, Changes: l.changes(wish), Beside: true})
		sentence = strings.Replace(sentence, wish, "", 1)
	} else if words := l.afterPreface(tokens(sentence)); len(words) > 2 && l.Has("requesting", words[0].lower) && l.holds(words, "standing") {
		return []Noted{{Text: strings.TrimRight(sentence, " ?"), Kind: Preference, Changes: l.changes(sentence), Beside: true}}
	}
	clauses := l.clauses(sentence)
	asked := l.OpeningLength(clauses[0].text, Question) > 0 || l.OpeningLength(clauses[0].text, YesNo) > 0
	for i, c := range clauses {
		if asked && i > 0 {
			c.text = strings.TrimRight(c.text, "?")
		}
		whole := l.afterPreface(expand(tokens(c.text)))
		if n := l.opens(whole, "reason"); n > 0 && n+1 < len(whole) && digits(whole) && l.opens(whole[n:], "of the question") > 0 && l.Has(Mine, whole[n].lower) { // "given that ours is a 16"
			return append(all, Noted{Text: strings.TrimRight(sentence, " ?"), Kind: Fact, Changes: l.changes(c.text), Beside: true})
		}
		words := l.withoutReason(whole)
		slid := len(words) > 0 && l.Has("determiner", words[0].lower) && l.changes(c.text)
		if len(words) < 3 || strings.ContainsAny(c.text, "?¿") || c.subject != "" || !slid && !l.any(words[:1], Self, Mine) && !startsAnew(words[0].text) {
			continue
		}
		if at := l.verbOf(words); at > 0 && l.any(words[:at], "joint") { // "what do this, my file and that have in common?"
			continue
		}
		kind, ok := l.sentence(words)
		if told, tells := l.kind(c.text); tells && (told == Task || told == Done) {
			kind, ok = told, true
		}
		because := len(words) < len(whole) && startsAnew(words[0].text)
		if ok && (digits(words) || l.namesSomething(words) || because || kind != Fact || l.Has(Mine, words[0].lower)) && !l.vague(words) && !l.holds(words, "open") {
			all = append(all, Noted{Text: strings.TrimRight(c.text, " ,;-"), Kind: kind, Changes: l.changes(c.text), Beside: true})
		}
	}
	return all
}

// wishedBeside is what a question says of how things shall be done from now on: "and without
// bullet points please, now and in future".
func (l *Language) wishedBeside(sentence string) string {
	words := tokens(sentence)
	for i := range words {
		n := l.opens(words[i:], "standing")
		if n == 0 || i < 3 {
			continue
		}
		from := i - 1
		for from > 0 && (!l.Has("joint", words[from].lower) || !strings.ContainsAny(words[from-1].after, ",;")) {
			from--
		}
		if from++; from < 3 || !l.Has("preposition", words[from].lower) || !l.holds(words[from:i], "replies") && !l.holds(words[from:i], Courtesy) {
			continue
		}
		return sentence[words[from].start:words[i+n-1].end]
	}
	return ""
}

// withoutReason takes off the word that makes of a statement a reason.
func (l *Language) withoutReason(words []token) []token {
	if n := l.opens(words, "reason"); n > 0 && n < len(words) && (l.any(words[n:n+1], Self, Mine, "determiner") || startsAnew(words[n].text)) {
		return words[n:]
	}
	return words
}

// onlyNames reports whether words name things without telling anything of them: "repairs
// that cost more than 300", "parcels sent last week".
func (l *Language) onlyNames(words []token) bool {
	if len(words) < 3 || l.any(words[:1], "determiner", "pronoun", Self, Mine, Function) || startsAnew(words[0].text) {
		return false
	}
	if l.ID == "en" && (words[1].lower == "per" || strings.HasSuffix(words[0].lower, "s") && slices.Contains([]string{"this", "last", "next"}, words[1].lower) && len(words) == 3) && l.verbOf(words) < 0 {
		return true // "price per keg for order 4", "bookings this week"
	}
	for i := 1; i < min(bareSubject+1, len(words)-1); i++ {
		w, next := words[i], words[i+1]
		switch {
		case strings.ContainsAny(words[i-1].after, ",;:"), l.Has("copula", w.lower):
			return false
		case l.Has("relative", w.lower), w.lower == "not" && l.ID == "en" && strings.HasSuffix(next.lower, "ed"):
			return true
		case l.Has("reduced", w.lower), l.ID == "en" && strings.HasSuffix(w.lower, "ed") && !l.Has("change", w.lower):
			return l.Has("preposition", next.lower) || l.any(words[i+1:i+2], "day words") || w.lower == words[len(words)-1].lower
		case next.lower == "than":
			return true
		}
	}
	return false
}
