package offline

import (
	"embed"
	"slices"
	"strings"
	"sync"
)

//go:embed words/*.txt
var files embed.FS

// lists are the words of all languages by what they do in a sentence: question,
// and, then, refer and so on. A phrase is several words.
type lists map[string][][]string

// language is read once and never changed.
//
//nolint:gochecknoglobals // see above
var language = sync.OnceValue(func() lists {
	all := lists{}
	names, _ := files.ReadDir("words") // they are in the program
	for _, name := range names {
		raw, _ := files.ReadFile("words/" + name.Name())
		for line := range strings.Lines(string(raw)) {
			key, words, ok := strings.Cut(strings.TrimSpace(line), ":")
			if !ok || strings.HasPrefix(key, "#") {
				continue
			}
			for phrase := range strings.SplitSeq(words, ",") {
				all[key] = append(all[key], strings.Fields(phrase))
			}
		}
	}
	for _, phrases := range all { // the longest first
		slices.SortStableFunc(phrases, func(a, b []string) int { return len(b) - len(a) })
	}
	return all
})

// begins returns how many of the tokens make a phrase of that list, 0 for none.
func (l lists) begins(list string, tokens []token) int {
	for _, phrase := range l[list] {
		if len(phrase) > len(tokens) {
			continue
		}
		same := true
		for i, w := range phrase {
			same = same && tokens[i].lower == w
		}
		if same {
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
