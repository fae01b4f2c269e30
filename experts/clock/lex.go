package clock

import (
	_ "embed"
	"slices"
	"strconv"

	"github.com/yaap-chat/yaap/experts/plain"
)

//go:embed words.txt
var wordsFile string

// name is a way to say something of words.txt; kind and value are those there.
type name struct {
	text, kind, value string
}

// words are the names of words.txt.
type words struct{ *plain.Table[name] }

func newWords() words {
	return words{plain.NewTable(wordsFile, func(head, names []string, add func(string, name)) {
		head = append(head, "")
		for i, text := range names {
			value := head[1]
			if head[0] == "number" {
				first, _ := strconv.Atoi(value)
				value = strconv.Itoa(first + i)
			}
			add(text, name{text, head[0], value})
		}
	})}
}

// all returns the names of a kind, the longest first.
func (w words) all(kind string) (names []string) {
	w.Each(func(text string, n name) {
		if n.kind == kind {
			names = append(names, text)
		}
	})
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	return names
}

// value returns what a whole name of a kind stands for.
func (w words) value(kind, text string) (string, bool) {
	means, n := w.Find(text)
	for _, m := range means {
		if m.kind == kind && n == len(text) {
			return m.value, true
		}
	}
	return "", false
}

// find returns the longest name at the start of s.
func (w words) find(s string) (name, bool) {
	if means, n := w.Find(s); n > 0 {
		return means[0], true
	}
	return name{}, false
}
