package store

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func wordly(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.Mn, unicode.Co)
}

// plainLetters is a word in lower case, without its diacritics.
func plainLetters(word string) string {
	word = strings.ToLower(word)
	if strings.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		word = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFD.String(word))
	}
	return word
}

// stem is a word as the index has it.
func stem(word string) string {
	word = plainLetters(word)
	if len(word) < 3 || len(word) > 64 {
		return word
	}
	return string(porter([]byte(word)))
}

// porter strips the endings of an English word, as M. F. Porter described it in
// 1980 and as SQLite does it.
func porter(w []byte) []byte {
	w = participle(plural(w))
	if n := len(w) - 1; n > 0 && w[n] == 'y' && hasVowel(w[:n]) {
		w[n] = 'i'
	}
	w = replaceEnding(w, 0, []string{
		"ational", "ate", "tional", "tion", "enci", "ence", "anci", "ance", "izer", "ize", "logi", "log", "bli", "ble",
		"alli", "al", "entli", "ent", "eli", "e", "ousli", "ous", "ization", "ize", "ation", "ate", "ator", "ate",
		"alism", "al", "iveness", "ive", "fulness", "ful", "ousness", "ous", "aliti", "al", "iviti", "ive", "biliti", "ble",
	})
	w = replaceEnding(w, 0, []string{
		"icate", "ic", "ative", "", "alize", "al", "iciti", "ic", "ical", "ic", "ful", "", "ness", "",
	})
	w = replaceEnding(w, 1, []string{
		"al", "", "ance", "", "ence", "", "er", "", "ic", "", "able", "", "ible", "", "ant", "", "ement", "", "ment", "", "ent", "", "ion", "",
		"ou", "", "ism", "", "ate", "", "iti", "", "ous", "", "ive", "", "ize", "",
	})
	if n := len(w) - 1; w[n] == 'e' {
		if m := measure(w[:n]); m > 1 || m == 1 && !shortEnd(w[:n]) {
			w = w[:n]
		}
	}
	if n := len(w) - 1; n > 0 && w[n] == 'l' && w[n-1] == 'l' && measure(w[:n]) > 1 {
		w = w[:n]
	}
	return w
}

func plural(w []byte) []byte {
	n := len(w)
	switch {
	case w[n-1] != 's' || w[n-2] == 's':
		return w
	case w[n-2] == 'e' && (n > 4 && w[n-3] == 's' && w[n-4] == 's' || n > 3 && w[n-3] == 'i'):
		return w[:n-2]
	}
	return w[:n-1]
}

func participle(w []byte) []byte {
	n := len(w)
	switch {
	case n > 3 && ends(w, "eed"):
		if measure(w[:n-3]) > 0 {
			w = w[:n-1]
		}
		return w
	case n > 2 && ends(w, "ed") && hasVowel(w[:n-2]):
		w = w[:n-2]
	case n > 3 && ends(w, "ing") && hasVowel(w[:n-3]):
		w = w[:n-3]
	default:
		return w
	}
	n = len(w)
	switch {
	case n > 2 && (ends(w, "at") || ends(w, "bl") || ends(w, "iz")):
		return append(w, 'e')
	case n > 1 && w[n-1] == w[n-2] && !strings.ContainsRune("aeioulsz", rune(w[n-1])):
		return w[:n-1]
	case measure(w) == 1 && shortEnd(w):
		return append(w, 'e')
	}
	return w
}

// replaceEnding replaces the first of the endings that w has by what comes behind it
// in the list, where what stands before it is of a measure above least.
func replaceEnding(w []byte, least int, endings []string) []byte {
	for i := 0; i < len(endings); i += 2 {
		ending := endings[i]
		if len(w) <= len(ending) || !ends(w, ending) {
			continue
		}
		base := w[:len(w)-len(ending)]
		if last := base[len(base)-1]; ending == "ion" && last != 's' && last != 't' {
			return w
		}
		if measure(base) > least {
			return append(base, endings[i+1]...)
		}
		return w
	}
	return w
}

func ends(w []byte, ending string) bool { return strings.HasSuffix(string(w), ending) }

// vowel reports whether w[i] is one: y is, after a consonant.
func vowel(w []byte, i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return true
	case 'y':
		return i > 0 && !vowel(w, i-1)
	}
	return false
}

func hasVowel(w []byte) bool { return firstVowel(w) < len(w) }

func firstVowel(w []byte) int {
	i := 0
	for i < len(w) && !vowel(w, i) {
		i++
	}
	return i
}

// measure counts how often vowels are followed by a consonant.
func measure(w []byte) (m int) {
	for i := firstVowel(w); i < len(w); i++ {
		if !vowel(w, i) && vowel(w, i-1) {
			m++
		}
	}
	return m
}

// shortEnd reports whether w ends with consonant, vowel, consonant, the last of
// them not w, x or y.
func shortEnd(w []byte) bool {
	n := len(w)
	return n >= 3 && !vowel(w, n-3) && vowel(w, n-2) && !vowel(w, n-1) && !strings.ContainsRune("wxy", rune(w[n-1]))
}
