package plain

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Table is names of one or more words, and what each means, in any order. Names
// are without accents; one with capitals is found only as it is written.
type Table[T any] struct {
	names map[string][]entry[T] // by their first word or sign, the longest first
	long  []string              // the names of one long word, in which a slip is forgiven
}

type entry[T any] struct {
	name  string
	means []T
}

// NewTable reads a text of lines of the form "head: name | name". It calls line
// with the fields of each head, the names and a function that adds a meaning to
// a name.
func NewTable[T any](text string, line func(head, names []string, add func(name string, means T))) *Table[T] {
	t := &Table[T]{names: map[string][]entry[T]{}}
	for l := range strings.Lines(text) {
		head, rest, ok := strings.Cut(strings.TrimSpace(l), ":")
		if !ok || head[0] == '#' {
			continue
		}
		var names []string
		if rest != "" {
			names = strings.Split(rest[1:], " | ")
		}
		line(strings.Fields(head), names, t.add)
	}
	for _, named := range t.names {
		slices.SortStableFunc(named, func(a, b entry[T]) int { return len(b.name) - len(a.name) })
	}
	return t
}

func (t *Table[T]) add(name string, means T) {
	first := firstWord(name)
	for i, known := range t.names[first] {
		if known.name == name {
			t.names[first][i].means = append(known.means, means)
			return
		}
	}
	t.names[first] = append(t.names[first], entry[T]{name, []T{means}})
	if len(name) >= minLong && LetterPrefix(name) == len(name) {
		t.long = append(t.long, name)
	}
}

// LetterPrefix returns how many bytes at the start of s are letters.
func LetterPrefix(s string) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }); n >= 0 {
		return n
	}
	return len(s)
}

// firstWord is what a name is found by: its first word, or its first sign.
func firstWord(s string) string {
	if n := LetterPrefix(s); n > 0 {
		return strings.ToLower(s[:n])
	}
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}

// Find returns what the longest name at the start of s means, and its length. A
// name as it is written goes before one in lower case: Mb and MB are two things.
func (t *Table[T]) Find(s string) (means []T, n int) {
	lower := ""
	for _, known := range t.names[firstWord(s)] {
		size := len(known.name)
		if size < n || size > len(s) {
			continue
		}
		if lower == "" {
			lower = Lower(s[:min(len(s), 64)])
		}
		if s[:size] != known.name && (n > 0 || !strings.HasPrefix(lower, known.name)) {
			continue
		}
		last, _ := utf8.DecodeLastRuneInString(known.name)
		next, _ := utf8.DecodeRuneInString(s[size:])
		if !unicode.IsLetter(last) || !unicode.IsLetter(next) {
			means, n = known.means, size
		}
	}
	return means, n
}

// Each calls f with every name and what it means.
func (t *Table[T]) Each(f func(name string, means T)) {
	for _, named := range t.names {
		for _, known := range named {
			for _, means := range known.means {
				f(known.name, means)
			}
		}
	}
}

// CorrectTypo returns the last long name of one word of which word is a typo; "" if there is
// none.
func (t *Table[T]) CorrectTypo(word string) string {
	word = strings.ToLower(word)
	for _, name := range slices.Backward(t.long) {
		if len(word) >= minLong && IsTypo(name, word) {
			return name
		}
	}
	return ""
}

// Lower is s with its ASCII letters in lower case, in as many bytes.
func Lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return unicode.ToLower(r)
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// AccentReplacer removes the accents of letters and leaves their case; more are further
// pairs that it replaces.
func AccentReplacer(more ...string) *strings.Replacer {
	pairs := append([]string{"ß", "ss", "æ", "ae"}, more...)
	for _, list := range []string{"aáàâãäå", "cç", "eéèêë", "iíìîïı", "nñń", "oóòôõöø", "uúùûü", "yý", "lł", "zźżž", "sśş", "gğ", "'’‘", "-−–"} {
		for _, both := range []string{list, strings.ToUpper(list)} {
			for i, r := range both {
				if i > 0 {
					pairs = append(pairs, string(r), both[:1])
				}
			}
		}
	}
	return strings.NewReplacer(pairs...)
}
