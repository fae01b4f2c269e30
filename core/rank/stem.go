package rank

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed stems.txt
var stemsFile string

// stems are the words of the embedded file, by what is taken for them.
//
//nolint:gochecknoglobals // read once from the embedded file, and never changed
var stems = sync.OnceValue(func() map[string]string { return readWords(stemsFile) })

// readWords reads lines of a name, a colon and words, by the words.
func readWords(file string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(file) {
		if name, words, ok := strings.Cut(line, ": "); ok && name[0] != '#' {
			for word := range strings.FieldsSeq(words) {
				all[word] = name
			}
		}
	}
	return all
}

// Stem maps the lower-case English word to a form that it shares with its
// inflections, its closest derivations and a few everyday synonyms and
// abbreviations. The form need not be a word.
func Stem(word string) string {
	if len(word) < 3 || !asciiLetters(word) {
		return word
	}
	if base := stems()[word]; base != "" && base[0] != '-' {
		word = base
	}
	w := british(plural(word))
	w = participle(w)
	w = derived(w)
	if len(w) > 3 && strings.HasSuffix(w, "e") {
		w = w[:len(w)-1]
	}
	return w
}

func asciiLetters(w string) bool {
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return false
		}
	}
	return true
}

func plural(w string) string {
	switch {
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "xes"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "s") && len(w) > 3 && w != "news" && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return w[:len(w)-1]
	}
	return w
}

func british(w string) string {
	for _, s := range [...][2]string{{"isation", "ization"}, {"ising", "izing"}, {"ised", "ized"}, {"ise", "ize"}} {
		if len(w) >= 7 && strings.HasSuffix(w, s[0]) {
			return strings.TrimSuffix(w, s[0]) + s[1]
		}
	}
	if len(w) >= 5 && strings.HasSuffix(w, "tre") {
		return w[:len(w)-2] + "er"
	}
	if len(w) >= 5 && strings.HasSuffix(w, "our") {
		return w[:len(w)-3] + "or"
	}
	return w
}

func participle(w string) string {
	var base string
	switch {
	case strings.HasSuffix(w, "ied") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "ing") && len(w) > 5:
		base = w[:len(w)-3]
	case strings.HasSuffix(w, "ed") && len(w) > 4 && !strings.HasSuffix(w, "eed"):
		base = w[:len(w)-2]
	default:
		return w
	}
	if !strings.ContainsAny(base, "aeiouy") {
		return w
	}
	return undouble(base)
}

func undouble(w string) string {
	if n := len(w); n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("lsz", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}

// derived strips the endings that make a noun of a verb or compare an adjective.
func derived(w string) string {
	switch {
	case strings.HasSuffix(w, "ization"):
		return w[:len(w)-5]
	case strings.HasSuffix(w, "ation") && len(w) > 7:
		return w[:len(w)-3]
	case strings.HasSuffix(w, "tion") && len(w) > 6:
		return w[:len(w)-3]
	case strings.HasSuffix(w, "sion") && len(w) > 6:
		return w[:len(w)-4] + "t"
	case strings.HasSuffix(w, "ment") && len(w) > 7:
		return w[:len(w)-4]
	case strings.HasSuffix(w, "ly") && len(w) > 6:
		return w[:len(w)-2]
	case (strings.HasSuffix(w, "er") || strings.HasSuffix(w, "or")) && len(w) > 6:
		return undouble(w[:len(w)-2])
	case strings.HasSuffix(w, "est") && len(w) > 5 && stems()[w] != "-est":
		return undouble(w[:len(w)-3])
	case strings.HasSuffix(w, "y") && len(w) > 4 && strings.ContainsRune("nwdgm", rune(w[len(w)-2])):
		return undouble(w[:len(w)-1])
	}
	return w
}
