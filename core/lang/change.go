package lang

import (
	"slices"
	"strings"
)

// FormerValues returns the words that a text says are no longer true: "heron-2" of "moved
// from heron-2 to heron-3".
func (l *Language) FormerValues(text string) []string {
	words := tokens(text)
	var given []string
	for i := range words {
		if n := l.opens(words[i:], "from"); n > 0 {
			rest := words[i+n:]
			for len(rest) > 1 && l.Has(Article, rest[0].lower) {
				rest = rest[1:]
			}
			for _, w := range rest[:min(len(rest), 2)] {
				if l.Has(Function, w.lower) { // "from this year on"
					break
				}
				given = append(given, w.lower)
				if !startsAnew(w.text) {
					break
				}
			}
		}
	}
	given = append(given, l.givenUp(words)...)
	given = append(given, l.replaced(words)...)
	return append(given, l.denied(words)...)
}

// givenUp returns what stands before a word that ends its clause and says that it is so no
// more: "Medico" of "wir haben Medico abgeschafft".
func (l *Language) givenUp(words []token) (given []string) {
	for i, w := range words {
		if !l.Has("given up", w.lower) || i+1 < len(words) && w.after == "" && !l.Has(And, words[i+1].lower) {
			continue
		}
		for j := i - 1; j >= max(i-2, 0) && !l.Has(Function, words[j].lower); j-- {
			given = append(given, words[j].lower)
		}
	}
	return given
}

// replaced returns what is so no more, where words say what is so instead: "Lindner" of "the
// wood no longer comes from Lindner but from Huber".
func (l *Language) replaced(words []token) (given []string) {
	denial := -1
	for i := range words {
		if l.Has("instead of", words[i].lower) || l.opens(words[i:], "ended") > 1 {
			denial = i
			break
		}
	}
	for i := max(denial, 0) + 1; denial >= 0 && i+1 < len(words); i++ {
		if !l.Has("but", words[i].lower) || l.Has(Self, words[i+1].lower) || l.verbOf(words[i+1:]) > 0 {
			continue
		}
		before := words[denial+1 : i]
		for j, w := range slices.Backward(before) {
			if l.Has(Place, w.lower) || l.Has(Article, w.lower) || l.Has(Verb, w.lower) {
				before = before[j+1:]
				break
			}
		}
		for _, w := range before {
			if !l.Has(Function, w.lower) {
				given = append(given, w.lower)
			}
		}
		return given
	}
	return nil
}

// renewed reports whether words tell of a thing that another one was before: "the new
// treasurer is Ada".
func (l *Language) renewed(words []token) bool {
	return len(words) > 3 && (l.Has("the", words[0].lower) || l.Has(Mine, words[0].lower)) && l.Has("new", words[1].lower)
}

// ReplacedThing is what a text says was replaced by another of its kind: "insurance" of "we changed
// the insurance, it is with Orbis now".
func (l *Language) ReplacedThing(text string) string {
	words := tokens(text)
	for i := range words {
		n := l.opens(words[i:], "changing")
		if n == 0 {
			continue
		}
		if l.ID == "de" {
			if i > 0 && !l.Has(Function, words[i-1].lower) {
				return words[i-1].lower
			}
			continue
		}
		for rest := words[i+n:]; len(rest) > 0; rest = rest[1:] {
			if !l.Has(Article, rest[0].lower) && !l.Has(Mine, rest[0].lower) {
				if l.Has(Function, rest[0].lower) {
					break
				}
				return rest[0].lower
			}
		}
	}
	return ""
}

// PredicateVerb returns the verb of the predicate: "written" of "the API is written
// in Go"; empty where a statement only says what something is or is called. placed reports
// whether that is where it is.
func (l *Language) PredicateVerb(text string) (verb string, placed bool) {
	words := l.afterPreface(expand(tokens(text)))
	at := l.verbOf(words)
	if at < 0 {
		at = l.looksVerb(words)
	}
	if at < 0 || at+1 >= len(words) {
		return "", false
	}
	rest := words[at+1:]
	for len(rest) > 1 && (l.Has("present", rest[0].lower) || l.Has("change", rest[0].lower)) {
		rest = rest[1:]
	}
	first, last := rest[0].lower, rest[len(rest)-1].lower
	switch is := l.Has("copula", words[at].lower) || l.Has("was done", words[at].lower); {
	case is && l.Has("calling", first):
		return "", false
	case is && (l.participle(first) && len(rest) > 1 || l.Has("reduced", first)):
		return first, false
	case is && l.ID == "de" && len(rest) > 1 && l.participle(last) && last == rest[len(rest)-1].text:
		return last, false
	case is, l.opens(words[at:], "names") > 0:
		return "", l.Has("where at", first)
	}
	return words[at].lower, false
}

// TellsChange reports whether a text says that something has changed, and not only how it
// is now.
func (l *Language) TellsChange(text string) bool {
	words := tokens(text)
	for i := range words {
		if l.opens(words[i:], "change") > 0 && l.opens(words[i:], "present") == 0 && l.opens(words[i:], "instead") == 0 {
			return true
		}
	}
	return len(l.denied(words)) > 0 || l.renewed(l.afterPreface(words))
}

// denied returns the value that ends a text behind "not": "Thursday" of "it is on Wednesday,
// not on Thursday".
func (l *Language) denied(words []token) []string {
	for i := 1; i < len(words); i++ {
		rest := words[i:]
		n := l.opens(rest, "instead of")
		if n == 0 || !strings.HasSuffix(strings.TrimSpace(words[i-1].after), ",") {
			continue
		}
		rest = rest[n:]
		for len(rest) > 1 && (l.Has(Place, rest[0].lower) || l.Has(Article, rest[0].lower)) {
			rest = rest[1:]
		}
		if len(rest) > 0 && len(rest) <= 2 && (digits(rest[:1]) || l.any(rest[:1], "date") || startsAnew(rest[0].text)) {
			return []string{rest[0].lower}
		}
	}
	return nil
}

// changes reports whether a clause says that something is different from before.
func (l *Language) changes(text string) bool {
	words := tokens(text)
	return l.holds(words, "change") || len(l.denied(words)) > 0 || len(l.replaced(words)) > 0 || l.renewed(l.afterPreface(words))
}

// openChanges reports whether the first words of a sentence say that the rest is different
// from before: "no, …", "we changed our mind, …".
func (l *Language) openChanges(words []token) bool {
	before := words[:len(words)-len(l.afterPreface(words))]
	no := len(before) > 0 && l.Has("nay", before[0].lower) && strings.Contains(before[0].after, ",")
	return no || l.opens(words, "change") > 0 || l.holds(before, "change")
}

// TellsSeveral reports whether a text tells something of several things: "Ada leads the team
// and Ben is the tester".
func (l *Language) TellsSeveral(text string) bool {
	words := tokens(text)
	for i := 2; i+2 < len(words); i++ {
		if !l.Has(And, words[i].lower) || l.Has(Verb, words[i+1].lower) {
			continue
		}
		if at, _ := l.verb(words[i+1:]); at > 0 && at <= bareSubject && l.verbOf(words[:i]) > 0 && !l.Has(Verb, words[i-1].lower) {
			return true
		}
	}
	return false
}

// IsOneOfList reports whether a text names a thing as one of several: "Cox" in "we plant a Boskoop
// and a Cox".
func (l *Language) IsOneOfList(text, thing string) bool {
	words := tokens(text)
	at := slices.IndexFunc(words, func(w token) bool { return w.lower == thing })
	for i, w := range words {
		near := at >= 0 && (i > at && i <= at+1 || i < at && i >= at-bareSubject)
		if near && l.Has(And, w.lower) && i > 0 && !slices.ContainsFunc(words[i:], func(w token) bool {
			return l.Has(Verb, w.lower) || l.Has("pronoun", w.lower) && !l.Has("determiner", w.lower)
		}) {
			return true
		}
	}
	return false
}
