package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// traits are what the runes of a word say of it.
type traits struct {
	lower, upper, digits, runes int
	mixed                       bool // a capital letter after a small one
	slash, dot, low, equal      bool
}

func look(word string) traits {
	var t traits
	var before rune
	for _, r := range word {
		t.runes++
		switch {
		case digit(r):
			t.digits++
		case unicode.IsUpper(r):
			t.upper++
			t.mixed = t.mixed || unicode.IsLower(before)
		case unicode.IsLower(r):
			t.lower++
		case r == '/' || r == '\\':
			t.slash = true
		case r == '.':
			t.dot = true
		case r == '_':
			t.low = true
		case r == '=' || r == '(':
			t.equal = true
		}
		before = r
	}
	return t
}

// classify says what a word is that has no blanks and no punctuation around it.
func classify(word string, shout bool) kind {
	if plainLetters(word) {
		return nothing
	}
	t := look(word)
	letters := t.lower + t.upper
	switch {
	case strings.Contains(word, "://") || strings.HasPrefix(word, "www."):
		if len(word) > maxAddress {
			return nothing
		}
		return address
	case len(word) > maxFact || t.runes < 2 && t.digits == 0:
		return nothing
	case numeric(word):
		return number
	case strings.Contains(word, "@"):
		if strings.HasPrefix(word, "@") {
			return identifier
		}
		return address
	case t.slash:
		if letters+t.digits == 0 || is("alternatives", strings.ToLower(word)) {
			return nothing
		}
		return path
	case t.digits > 0:
		return identifier
	case letters == 0:
		return nothing
	case word[0] == '.':
		return path
	case t.low || t.equal || strings.Contains(word, "::") || strings.ContainsAny(word[:1], "$#") || word[0] == '-' && letters > 0:
		return identifier
	case strings.HasSuffix(word, "+") || strings.HasSuffix(word, "#"):
		return identifier
	case t.dot && !dottedAbbreviation(word):
		return identifier
	}
	return capital(word, t, shout)
}

// plainLetters is a short cut for most words.
func plainLetters(word string) bool {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return false
		}
	}
	return true
}

// numeric says whether a word begins with a digit, after a sign or a currency.
func numeric(word string) bool {
	rest := strings.TrimLeft(word, "-+.$€£#")
	return rest != "" && digit(rune(rest[0])) && (rest == word || !strings.HasPrefix(word, "#"))
}

// dottedAbbreviation tells "z.B" and "e.g" from a name with dots.
func dottedAbbreviation(word string) bool {
	for part := range strings.SplitSeq(word, ".") {
		if utf8.RuneCountInString(part) > 1 {
			return false
		}
	}
	return true
}

// capital tells names and acronyms.
func capital(word string, t traits, shout bool) kind {
	first, _ := utf8.DecodeRuneInString(word)
	hyphen := strings.Contains(word, "-")
	switch {
	case t.upper == 0:
		return nothing
	case t.mixed && !hyphen:
		return identifier
	case t.upper > 1 && !hyphen:
		if shout || strings.ContainsAny(word, "'’") || common(strings.ToLower(word)) {
			return nothing
		}
		return identifier
	case unicode.IsUpper(first) || t.upper > 1:
		return name
	}
	return nothing
}
