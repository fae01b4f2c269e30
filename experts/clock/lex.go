package clock

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed words.txt
var wordsFile string

// name is a way to say something of words.txt; kind and value are those there.
type name struct {
	text, kind, value string
}

// words are the names by their first word, the longest first.
type words map[string][]name

func newWords() words {
	w := words{}
	for line := range strings.Lines(wordsFile) {
		head, list, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || line[0] == '#' {
			continue
		}
		fields := append(strings.Fields(head), "", "")
		for i, text := range strings.Split(list, " | ") {
			value := fields[1]
			if fields[0] == "number" {
				first, _ := strconv.Atoi(value)
				value = strconv.Itoa(first + i)
			}
			w[firstWord(text)] = append(w[firstWord(text)], name{text, fields[0], value})
		}
	}
	for _, names := range w {
		slices.SortStableFunc(names, func(a, b name) int { return len(b.text) - len(a.text) })
	}
	return w
}

// all returns the names of a kind, the longest first.
func (w words) all(kind string) (names []string) {
	for _, list := range w {
		for _, n := range list {
			if n.kind == kind {
				names = append(names, n.text)
			}
		}
	}
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	return names
}

// value returns what a whole name of a kind stands for.
func (w words) value(kind, text string) (string, bool) {
	for _, n := range w[firstWord(text)] {
		if n.kind == kind && n.text == text {
			return n.value, true
		}
	}
	return "", false
}

// find returns the longest name at the start of s.
func (w words) find(s string) (name, bool) {
	for _, n := range w[firstWord(s)] {
		if strings.HasPrefix(s, n.text) && ends(n.text, s[len(n.text):]) {
			return n, true
		}
	}
	return name{}, false
}

// ends reports whether no word goes on from name to rest.
func ends(name, rest string) bool {
	last, _ := utf8.DecodeLastRuneInString(name)
	next, _ := utf8.DecodeRuneInString(rest)
	return !wordy(last) || !wordy(next)
}

func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// firstWord is what a name is found by: its first word, or its first sign.
func firstWord(s string) string {
	n := strings.IndexFunc(s, func(r rune) bool { return !wordy(r) })
	switch {
	case n < 0:
		return s
	case n == 0:
		_, n = utf8.DecodeRuneInString(s)
	}
	return s[:n]
}
