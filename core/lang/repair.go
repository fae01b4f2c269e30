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

// ApplySelfRepair applies a correction that the speaker makes within a sentence: of "the stop is
// within 80 ms, no, 60 ms" it makes "the stop is within 60 ms".
func (l *Language) ApplySelfRepair(sentence string) string {
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
			return l.ApplySelfRepair(sentence[:words[from].start] + right + sentence[words[rest].end:words[i-1].end] + sentence[words[end-1].end:])
		}
	}
	return sentence
}

// slip is where a slip that right puts right begins before word at, and the last word of it:
// what stands behind that was right all the same, as "minutes" of "every 10 minutes, sorry, 15".
func (l *Language) slip(words []token, at int, right []token) (from, rest int, ok bool) {
	if k := slices.IndexFunc(right, l.number); k >= 0 && k < 3 {
		return l.slipOfNumber(words[:at], right, k)
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
	return from, at - 1, len(right) < maxSlip && last != "" && from >= max(at-maxSlip, 1) && kind(words[at-1]) == last
}

func (l *Language) number(w token) bool { return digits([]token{w}) || l.Has("number", w.lower) }

// slipOfNumber is the slip that ends words where word k of right is a number: that of the same
// unit, or else the last one near the end.
func (l *Language) slipOfNumber(words, right []token, k int) (from, rest int, ok bool) {
	at, behind := len(words), len(right)-1-k                                                                        // words of right behind its number
	same := func(a, b token) bool { return a.lower == b.lower || l.Has("date", a.lower) && l.Has("date", b.lower) } // 3 May, 5 June
	p := at - 1
	for p > 0 && (behind == 0 || p+behind >= at || !same(words[p+1], right[k+1]) || !l.number(words[p])) {
		p--
	}
	if rest = p + behind; p <= 0 { // "40 nodes" is not there, of "45 nodes"
		p = at - 1
		for p >= max(at-maxSlip, 1) && !l.number(words[p]) {
			p--
		}
		if p < max(at-maxSlip, 1) {
			return 0, 0, false
		}
		if rest = at - 1; behind == 0 {
			rest = p
		}
	}
	from = p
	for q := p - 1; q >= max(p-max(k, behind), 1); q-- {
		if words[q].lower == right[0].lower {
			from = q
		}
	}
	return from, rest, true
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
