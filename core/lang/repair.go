package lang

import (
	"slices"
	"strings"
)

// The most words of a slip, and of what is put right.
const (
	maxSlip   = 4
	maxMended = 6
)

// Mended is a sentence without the slip that who speaks puts right in it: of "the stop is
// within 80 ms, no, 60 ms" it makes "the stop is within 60 ms".
func (l *Language) Mended(sentence string) string {
	words := tokens(sentence)
	for i := 2; i+1 < len(words); i++ {
		n := l.opens(words[i:], "slip")
		if n == 0 || i+n >= len(words) || !strings.ContainsAny(words[i-1].after, ",-–—…") || n == 1 && !strings.ContainsAny(words[i].after, ",-–—…") {
			continue
		}
		end := i + n + 1
		for end < len(words) && end-i-n < maxMended && !strings.ContainsAny(words[end-1].after, ",;:.!") {
			end++
		}
		if from, rest, ok := l.slip(words, i, words[i+n:end]); ok {
			right := sentence[words[i+n].start:words[end-1].end]
			return l.Mended(sentence[:words[from].start] + right + sentence[words[rest].end:words[i-1].end] + sentence[words[end-1].end:])
		}
	}
	return sentence
}

// slip is where a slip that right puts right begins before word at, and the word from which
// on what was said stands all the same: "minutes" of "every 10 minutes, sorry, 15".
func (l *Language) slip(words []token, at int, right []token) (from, rest int, ok bool) {
	number := func(w token) bool { return digits([]token{w}) || l.Has("number", w.lower) }
	least := max(at-maxSlip, 1)
	if k := slices.IndexFunc(right, number); k >= 0 && k < 3 {
		for p := at - 1; p >= least; p-- {
			if !number(words[p]) {
				continue
			}
			from, rest = p, at-1
			if k == len(right)-1 {
				rest = p
			}
			for q := p - 1; k > 0 && q >= max(p-k, least); q-- {
				if words[q].lower == right[0].lower {
					from = q
				}
			}
			return from, rest, true
		}
		return 0, 0, false
	}
	kind := func(w token) string {
		switch {
		case l.Has("date", w.lower):
			return "date"
		case startsAnew(w.text):
			return "name"
		}
		return ""
	}
	last := kind(right[len(right)-1])
	from = at - len(right)
	return from, at - 1, len(right) < maxSlip && last != "" && from >= least && kind(words[at-1]) == last
}

// withoutCase is a sentence without what it is said for: "in case anybody asks".
func (l *Language) withoutCase(sentence string) string {
	words := tokens(sentence)
	for i := 3; i < len(words); i++ {
		if strings.Contains(words[i-1].after, ",") && l.opens(words[i:], "in case") > 0 {
			return sentence[:words[i-1].end]
		}
	}
	return sentence
}
