package lang

import (
	"slices"
	"strings"
)

// Given returns the words that a text says are not so any more: "heron-2" of "moved
// from heron-2 to heron-3".
func (l *Language) Given(text string) []string {
	words := tokens(text)
	var given []string
	for i := range words {
		if n := l.opens(words[i:], "from"); n > 0 {
			rest := words[i+n:]
			for len(rest) > 1 && l.Has(Article, rest[0].lower) {
				rest = rest[1:]
			}
			for _, w := range rest[:min(len(rest), 2)] {
				given = append(given, w.lower)
				if !startsAnew(w.text) {
					break
				}
			}
		}
	}
	return append(given, l.denied(words)...)
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
	return l.Holds(text, "change") || len(l.denied(tokens(text))) > 0
}

// openChanges reports whether the first words of a sentence say that the rest is different
// from before: "no, …", "we changed our mind, …".
func (l *Language) openChanges(words []token) bool {
	before := words[:len(words)-len(l.afterPreface(words))]
	no := len(before) > 0 && l.Has("nay", before[0].lower) && strings.Contains(before[0].after, ",")
	return no || l.opens(words, "change") > 0 || l.holds(before, "change")
}

// Lists reports whether a text names a thing as one of several: "Cox" in "we plant a Boskoop
// and a Cox".
func (l *Language) Lists(text, thing string) bool {
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
