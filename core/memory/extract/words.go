package extract

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed words.txt
var wordsFile string

// words are the words and phrases of the embedded file, by the names of their lines.
//
//nolint:gochecknoglobals // read once from the embedded file, and never changed
var words = sync.OnceValue(func() map[string]map[string]bool {
	sets := map[string]map[string]bool{}
	for line := range strings.Lines(wordsFile) {
		name, list, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || name[0] == '#' {
			continue
		}
		if sets[name] == nil {
			sets[name] = map[string]bool{}
		}
		for word := range strings.SplitSeq(list, ", ") {
			sets[name][word] = true
		}
	}
	return sets
})

// is says whether a word is one of a set.
func is(set, word string) bool { return words()[set][word] }

// sample is how much of a text tells its language.
const sample = 4096

// isGerman says whether text has more German function words than English ones.
func isGerman(text string) bool {
	if len(text) > sample {
		text = text[:sample]
	}
	german := 0
	for word := range strings.FieldsSeq(text) {
		switch word = strings.ToLower(strings.Trim(word, ".,:;!?()")); {
		case is("german", word):
			german++
		case is("english", word):
			german--
		}
	}
	return german > 0
}

// common says whether a word is so usual that a capital letter makes no name
// of it. The word is in lower case, without what follows an apostrophe.
func common(word string) bool {
	return utf8.RuneCountInString(word) < 2 || is("common", word)
}

// verb says whether a word may be what someone does: "is", "wants", "hat".
func verb(word string, german bool) bool {
	if is("verb", word) {
		return true
	}
	if len(word) < 4 || common(word) {
		return false
	}
	last := word[len(word)-2:]
	return last == "ed" || last[1] == 's' && last != "ss" && last != "us" && last != "is" && last != "as" || german && last[1] == 't'
}

// nounEnding says whether a German word has the ending of a common noun.
func nounEnding(word string) bool {
	for ending := range words()["noun ending"] {
		if strings.HasSuffix(word, ending) {
			return true
		}
	}
	return false
}

// month says whether a capitalised word names one, also cut to its beginning.
func month(word string) bool { return is("month", strings.TrimSuffix(word, ".")) }

// unspaced says whether a rune is of a script that is written without blanks
// between the words.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// wordRune says whether a rune may not be parted from others of its kind.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !unspaced(r)
}

func digit(r rune) bool { return '0' <= r && r <= '9' }

func asciiLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
