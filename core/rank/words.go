package rank

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
)

// Words returns the runs of letters and digits in text, in lower case. An
// apostrophe ends a word, and what follows it ("don't") is dropped.
func Words(text string) []string {
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\'' && r != '’'
	})
	words := fields[:0]
	for _, f := range fields {
		f = strings.TrimLeft(f, "'’")
		if i := strings.IndexAny(f, "'’"); i >= 0 {
			f = f[:i]
		}
		if f != "" {
			words = append(words, f)
		}
	}
	return words
}

// Terms returns the stems of the words in text that tell something.
func Terms(text string) []string {
	words := Words(text)
	terms := words[:0]
	for _, w := range words {
		if Weight(w) > 0 {
			terms = append(terms, Stem(w))
		}
	}
	return terms
}

// Weight says how much the lower-case English word tells about a text's
// subject: 0 for one that every text has, 1 for one that few have.
func Weight(word string) float64 {
	w := listed(word)
	if base := participle(plural(word)); w == 1 && base != word && asciiLetters(word) {
		w = max(generic, min(listed(base), listed(base+"e")))
	}
	return w
}

//go:embed weights.txt
var weightsFile string

// weights are the words of the embedded file, by what they tell.
//
//nolint:gochecknoglobals // read once from the embedded file, and never changed
var weights = sync.OnceValue(func() map[string]string { return readWords(weightsFile) })

// listed is the weight of a word as it stands.
func listed(word string) float64 {
	switch weights()[word] {
	case "none":
		return 0
	case "generic":
		return generic
	case "common":
		return common
	}
	return 1
}

const (
	generic = 0.3
	common  = 0.55
)
