package offline

import (
	"slices"
	"strings"
	"sync"

	"yaap/core/lang"
)

// lists are the phrases of all languages by what they do in a sentence.
type lists map[string][][]string

// language is read once and never changed.
//
//nolint:gochecknoglobals // see above
var language = sync.OnceValue(func() lists {
	all := lists{}
	for _, l := range lang.Languages() {
		for _, kind := range [...]string{
			"and", "then", "refer", "again", "follow", "relation", "article", "courtesy", "greeting", "thanks", "ask", "without", "opening", "trailer",
		} {
			all.add(kind, l.Words(kind))
		}
		all.add("question", l.Words(lang.Question))
		all.add("question", l.Words(lang.YesNo))
	}
	return all
})

// add keeps the longest phrases first.
func (l lists) add(list string, phrases []string) {
	for _, phrase := range phrases {
		l[list] = append(l[list], strings.Fields(phrase))
	}
	slices.SortStableFunc(l[list], func(a, b []string) int { return len(b) - len(a) })
}

// begins returns how many of the tokens make a phrase of that list, 0 for none.
func (l lists) begins(list string, tokens []token) int {
	for _, phrase := range l[list] {
		if len(phrase) <= len(tokens) && slices.EqualFunc(phrase, tokens[:len(phrase)], func(w string, t token) bool { return t.lower == w }) {
			return len(phrase)
		}
	}
	return 0
}

// only reports whether the tokens are nothing but phrases of that list.
func (l lists) only(list string, tokens []token) bool {
	for len(tokens) > 0 {
		n := l.begins(list, tokens)
		if n == 0 {
			return false
		}
		tokens = tokens[n:]
	}
	return true
}

// find is where the first phrase of that list stands, and how long it is.
func (l lists) find(list string, tokens []token) (at, n int) {
	for i := range tokens {
		if n := l.begins(list, tokens[i:]); n > 0 {
			return i, n
		}
	}
	return 0, 0
}

// reference is where a text refers to what was said before, and how many tokens
// that takes; "is it" and the like do not.
func (l lists) reference(tokens []token) (at, n int) {
	for i := range tokens {
		if n := l.begins("refer", tokens[i:]); n > 0 && (i == 0 || n > 1 || tokens[i].lower != "it" && tokens[i].lower != "there" || l.begins("question", tokens[i-1:i]) == 0) {
			return i, n
		}
	}
	return 0, 0
}
