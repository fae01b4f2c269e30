package store

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
)

const (
	matchWords  = 24  // in Found.Match
	matchLength = 240 // characters of it, where no word is hit
)

// token is a part of a text, in bytes.
type token struct {
	start, end int
	running    bool // one character of a script without spaces
}

// tokens splits a text as the index does: unicode61 without diacritics.
func tokens(text string) []token { return appendTokens(nil, text) }

func appendTokens(all []token, text string) []token {
	start := -1
	for i, r := range text {
		if wordly(r) {
			if start < 0 && !unicode.Is(unicode.Mn, r) {
				start = i
			}
			continue
		}
		if start >= 0 {
			all = append(all, token{start: start, end: i})
		}
		start = -1
	}
	if start >= 0 {
		all = append(all, token{start: start, end: len(text)})
	}
	return all
}

// units splits a word into its running characters and the words that are written
// as one; it returns none, where the word is one of its own.
func units(text string, word token) []token {
	plain, lower := true, true
	for i := word.start; i < word.end; i++ {
		plain = plain && text[i] < utf8.RuneSelf
		lower = lower && (i == word.start || text[i] < 'A' || text[i] > 'Z')
	}
	if plain && lower {
		return nil
	}
	var all []token
	for at := word.start; at < word.end; {
		r, size := utf8.DecodeRuneInString(text[at:word.end])
		if running(r) {
			all = append(all, token{at, at + size, true})
			at += size
			continue
		}
		end := word.end
		if n := strings.IndexFunc(text[at:word.end], running); n >= 0 {
			end = at + n
		}
		for _, part := range humps(text[at:end]) {
			all = append(all, token{start: at, end: at + len(part)})
			at += len(part)
		}
		at = end // what is no valid text is as long as it is
	}
	if len(all) == 1 && !all[0].running {
		return nil
	}
	return all
}

// span is where a term is hit.
type span struct{ start, end, term int }

// hits returns where a text says what is asked for, and how many words it has.
func (a *asked) hits(text string) (hits []span, length int) {
	words := appendTokens(a.words[:0], text)
	a.words = words
	for i, w := range words {
		hits = a.hit(hits, text, words[i:])
		parts := units(text, w)
		length += max(len(parts), 1)
		for j, u := range parts {
			if !u.running {
				hits = a.hit(hits, text, parts[j:j+1])
				continue
			}
			if first, _ := utf8.DecodeRuneInString(text[u.start:]); !a.first[first] {
				continue
			}
			if term, ok := a.byChars[text[u.start:u.end]]; ok {
				hits = append(hits, span{u.start, u.end, term})
			}
			if end := pairEnd(text, u, w); end > u.end {
				if term, ok := a.byChars[text[u.start:end]]; ok {
					hits = append(hits, span{u.start, end, term})
				}
			}
		}
	}
	return hits, length
}

// may reports whether a word may have one of the stems that are looked for: a stem
// has all letters of its words but for the last one, which may be another.
func (a *asked) may(word string) bool {
	if word[0] >= utf8.RuneSelf {
		first, _ := utf8.DecodeRuneInString(word)
		return !running(first)
	}
	return slices.ContainsFunc(a.starts[word[0]|0x20], func(start string) bool {
		return len(word) >= len(start) && strings.EqualFold(word[:len(start)], start)
	}) || strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) // the stems have no diacritics
}

// hit adds the terms that some words begin with.
func (a *asked) hit(hits []span, text string, words []token) []span {
	word := text[words[0].start:words[0].end]
	if !a.may(word) {
		return hits
	}
	seen := -1
	for _, f := range a.byStem[stem(word)] {
		if n := len(f.stems); n <= len(words) && f.term != seen && follow(text, words[1:n], f.stems[1:]) {
			hits = append(hits, span{words[0].start, words[n-1].end, f.term})
			seen = f.term
		}
	}
	if len(a.byStart) > 0 {
		word = plainLetters(word)
		for _, f := range a.byStart {
			if f.term != seen && strings.HasPrefix(word, f.stems[0]) {
				hits = append(hits, span{words[0].start, words[0].end, f.term})
				seen = f.term
			}
		}
	}
	return hits
}

func follow(text string, words []token, stems []string) bool {
	for i, s := range stems {
		if stem(text[words[i].start:words[i].end]) != s {
			return false
		}
	}
	return true
}

// match returns the words of an entry around those that are hit, its own rather
// than those of the summary, or its beginning where none is.
func (a *asked) match(e core.Entry) string {
	for _, text := range []string{e.Raw, e.Summary} {
		hits, _ := a.hits(text)
		if len(hits) == 0 {
			continue
		}
		var words []token
		for _, w := range tokens(text) {
			if parts := units(text, w); parts != nil {
				words = append(words, parts...)
			} else {
				words = append(words, w)
			}
		}
		terms := make([]int, len(words)) // from 1: what hits each of them
		for _, h := range hits {
			at, _ := slices.BinarySearchFunc(words, h.start, func(w token, start int) int { return w.start - start })
			for ; at < len(words) && words[at].start < h.end; at++ {
				terms[at] = h.term + 1
			}
		}
		return marked(text, words, terms)
	}
	text := []rune(e.Raw)
	if len(text) > matchLength {
		text = append(text[:matchLength], '…')
	}
	return unmarked(string(text))
}

// marked is the passage of a text that has the most different hits, with marks
// around these.
func marked(text string, words []token, terms []int) string {
	first, last := densest(terms)
	begin := max(0, first-(matchWords-(last-first+1))/2)
	end := min(len(words), begin+matchWords)
	var b strings.Builder
	at := words[begin].start
	if begin == 0 {
		at = 0
	} else {
		b.WriteString("…")
	}
	for i, w := range words[begin:end] {
		if terms[begin+i] != 0 {
			b.WriteString(unmarked(text[at:w.start]) + "\x02" + text[w.start:w.end] + "\x03")
			at = w.end
		}
	}
	if end == len(words) {
		b.WriteString(unmarked(text[at:]))
	} else {
		b.WriteString(unmarked(text[at:words[end-1].end]) + "…")
	}
	return strings.ReplaceAll(b.String(), "\x03\x02", "") // hits that touch are one
}

// unmarked is a text without the marks of hits.
func unmarked(text string) string { return strings.NewReplacer("\x02", "", "\x03", "").Replace(text) }

// densest returns the first and the last hit of the passage that has the most
// different ones.
func densest(terms []int) (first, last int) {
	best := 0
	var seen []int
	for i, term := range terms {
		if term == 0 {
			continue
		}
		seen = seen[:0]
		end := i
		for j, other := range terms[i:min(i+matchWords, len(terms))] {
			if other != 0 && !slices.Contains(seen, other) {
				seen, end = append(seen, other), i+j
			}
		}
		if len(seen) > best {
			first, last, best = i, end, len(seen)
		}
	}
	return first, last
}
