package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Facts returns what a shorter text may not lose: the numbers with their units,
// the dates, names, identifiers, paths, addresses and short quotations of text,
// each once, in their order. A word with a capital letter is a name unless it
// only begins a sentence or, in German, is a common noun as far as can be told.
func Facts(text string) []string {
	d := parse(text)
	var facts []string
	seen := map[string]bool{}
	for _, s := range d.sentences {
		for _, f := range d.facts(s) {
			word := s.text[f.start:f.end]
			if !seen[word] {
				seen[word] = true
				facts = append(facts, word)
			}
		}
	}
	return facts
}

// FactCoverage returns the share of the facts of text that stand in summary, as whole
// words: 1 for a text without facts. It takes time in proportion to the product
// of their lengths.
func FactCoverage(text, summary string) float64 {
	facts := Facts(text)
	if len(facts) == 0 {
		return 1
	}
	summary = fold(summary)
	kept := 0
	for _, f := range facts {
		if stands(summary, f) {
			kept++
		}
	}
	return float64(kept) / float64(len(facts))
}

// stands says whether words stand in text, not as a part of a longer word or
// number.
func stands(text, words string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], words)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(words)
		if whole(text, start, end) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		from = start + size
	}
}

// whole says whether text[start:end] neither begins nor ends within a word.
func whole(text string, start, end int) bool {
	first, _ := utf8.DecodeRuneInString(text[start:end])
	last, _ := utf8.DecodeLastRuneInString(text[start:end])
	before, n := utf8.DecodeLastRuneInString(text[:start])
	after, m := utf8.DecodeRuneInString(text[end:])
	if wordRune(first) && wordRune(before) || wordRune(last) && wordRune(after) {
		return false
	}
	inNumber := func(r rune) bool { return r == '.' || r == ',' || r == ':' }
	if digit(first) && inNumber(before) {
		if r, _ := utf8.DecodeLastRuneInString(text[:start-n]); digit(r) {
			return false
		}
	}
	if digit(last) && inNumber(after) {
		if r, _ := utf8.DecodeRuneInString(text[end+m:]); digit(r) {
			return false
		}
	}
	return true
}

// kind is what a fact is.
type kind uint8

const (
	nothing kind = iota
	number
	date
	name
	identifier
	path
	address
	quotation
)

// doubt is what speaks against a name.
type doubt uint8

const (
	sure  doubt = iota
	first       // it begins a sentence: none if it is written small elsewhere
	noun        // perhaps a common noun: one only if it is one elsewhere
)

// span is where a fact stands in its sentence.
type span struct {
	start, end int
	kind       kind
	doubt      doubt
	words      uint8 // of a name
}

// Bounds of a fact, in bytes, so that a blob is none.
const (
	maxFact    = 80
	maxAddress = 200
	maxQuote   = 48
	maxName    = 4 // words
)

// scanner finds the facts of one sentence at a time.
type scanner struct {
	german bool
	plain  map[string]struct{} // the words that stand in lower case
	out    []span

	s        string
	pos      int
	from     int    // where the facts of this sentence begin in out
	previous string // word, as written
	head     bool   // the sentence begins here
	start    bool   // or a part of it: a cell, what follows a colon
	shout    bool   // all in capital letters
}

// scan appends the facts of s to out. s has single blanks only.
func (sc *scanner) scan(s string) {
	sc.s, sc.pos, sc.from, sc.previous, sc.shout = s, 0, len(sc.out), "", shouted(s)
	sc.head, sc.start = true, true
	for sc.pos < len(s) {
		r, size := rune(s[sc.pos]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[sc.pos:])
		}
		switch {
		case r == ' ':
			sc.pos++
		case quoteEnd(r) != 0 && sc.quoted(r, size):
		case sc.ends(r, sc.pos, sc.pos):
			sc.pos += size
			sc.start = sc.start || r == ':' || r == '|'
		default:
			sc.chunk()
		}
	}
}

// shouted says whether a sentence has capital letters only.
func shouted(s string) bool {
	upper := 0
	for _, r := range s {
		if unicode.IsLower(r) {
			return false
		}
		if unicode.IsUpper(r) {
			upper++
		}
	}
	return upper > 12 && strings.Count(s, " ") > 1
}

// quoteEnd returns what closes a quotation, 0 if r opens none.
func quoteEnd(r rune) rune {
	switch r {
	case '"', '`', '\'':
		return r
	case '“':
		return '”'
	case '„':
		return '“'
	case '«':
		return '»'
	case '‘':
		return '’'
	}
	return 0
}

// quoted takes a short quotation, if one begins here. In a longer one, facts
// are looked for as elsewhere.
func (sc *scanner) quoted(open rune, size int) bool {
	before, _ := utf8.DecodeLastRuneInString(sc.s[:sc.pos])
	if sc.pos > 0 && wordRune(before) {
		return false
	}
	begin := sc.pos + size
	rest := sc.s[begin:min(len(sc.s), begin+maxQuote+4)]
	length := strings.IndexRune(rest, quoteEnd(open))
	if length <= 0 || length > maxQuote || strings.Count(rest[:length], " ") > 3 {
		return false
	}
	end := begin + length
	sc.pos = end + utf8.RuneLen(quoteEnd(open))
	if after, _ := utf8.DecodeRuneInString(sc.s[sc.pos:]); sc.pos < len(sc.s) && wordRune(after) {
		sc.pos = begin - size
		return false
	}
	words := strings.Trim(rest[:length], " .,;:!?")
	if !strings.ContainsFunc(words, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return true
	}
	begin += strings.Index(rest[:length], words)
	if strings.Contains(words, " ") || !common(strings.ToLower(words)) {
		sc.add(span{start: begin, end: begin + len(words), kind: quotation})
	}
	sc.previous, sc.head, sc.start = "", false, false
	return true
}

func (sc *scanner) add(f span) { sc.out = append(sc.out, f) }

// ends says whether the rune at i ends a chunk that began at start, or is none
// of one if i is start.
func (sc *scanner) ends(r rune, start, i int) bool {
	switch r {
	case ' ', '|', '{', '}', '[', ']', ';', '"', '`', '<', '>', '“', '”', '„', '«', '»', '…', '(', ')', '!', '?', '&':
		return true
	case ',', ':':
		next, _ := utf8.DecodeRuneInString(sc.s[i+1:])
		if i == start {
			return true
		}
		before := rune(sc.s[i-1])
		if r == ',' {
			return !digit(before) || !digit(next)
		}
		return !digit(next) && next != '/' && next != '\\' && next != ':' && before != ':' &&
			(!wordRune(next) || !strings.Contains(sc.s[max(start, i-maxFact):i], "@"))
	case '=':
		return i == start || i+1 == len(sc.s) || sc.s[i+1] == ' ' || sc.s[i+1] == '"'
	}
	return unspaced(r) || r > utf8.RuneSelf && unicode.IsPunct(r) && r != '’' && r != '–'
}

// chunk takes what stands between two ends and tells what it is.
func (sc *scanner) chunk() {
	start, i := sc.pos, sc.pos
	for i < len(sc.s) {
		r, size := utf8.DecodeRuneInString(sc.s[i:])
		if r == '(' && i > start {
			if n := call(sc.s[start:], i-start); n > 0 {
				i += n
				continue
			}
		}
		inAddress := (r == '?' || r == '&') && strings.Contains(sc.s[start:min(i, start+16)], "://")
		if !inAddress && sc.ends(r, start, i) {
			break
		}
		i += size
	}
	sc.pos = i
	begin, end := trim(sc.s, start, i)
	if begin >= end {
		return
	}
	word := sc.s[begin:end]
	k := classify(word, sc.shout)
	switch k {
	case nothing:
		if len(word) < 24 && sc.plain != nil {
			sc.plain[word] = struct{}{}
		}
	case name:
		sc.name(begin, end)
	case number:
		sc.number(begin, end)
	default:
		sc.add(span{start: begin, end: end, kind: k})
	}
	sc.previous = word
	sc.head, sc.start = false, false
	if sc.pos < end { // a unit or a month went with it
		sc.pos = end
	}
}

// call returns the length of the brackets of a call at i: a short one, without
// blanks, after a name.
func call(s string, i int) int {
	if r, _ := utf8.DecodeLastRuneInString(s[:i]); !wordRune(r) && r != '_' {
		return 0
	}
	rest := s[i:min(len(s), i+32)]
	end := strings.IndexAny(rest, ") \"`")
	if end < 0 || rest[end] != ')' || i+end > maxFact {
		return 0
	}
	return end + 1
}

// trim takes the punctuation off both ends of s[start:end].
func trim(s string, start, end int) (begin, stop int) {
	for start < end {
		r, size := utf8.DecodeRuneInString(s[start:end])
		next, _ := utf8.DecodeRuneInString(s[start+size : end])
		keep := wordRune(r) || unspaced(r) || r == '_' ||
			(r == '.' || r == '/' || r == '~') && (next == '.' || next == '/' || asciiLetter(next) && s[start:end] != "~") ||
			(r == '$' || r == '€' || r == '£' || r == '#' || r == '@' || r == '\\') && wordRune(next) ||
			r == '-' && (next == '-' || wordRune(next))
		if keep {
			break
		}
		start += size
	}
	for start < end {
		r, size := utf8.DecodeLastRuneInString(s[start:end])
		before, _ := utf8.DecodeLastRuneInString(s[start : end-size])
		keep := wordRune(r) || unspaced(r) || r == '_' || r == ')' || r == '/' ||
			(r == '%' || r == '€' || r == '$' || r == '°') && digit(before) ||
			(r == '+' || r == '#') && (asciiLetter(before) || before == '+')
		if keep {
			break
		}
		end -= size
	}
	for _, possessive := range []string{"'s", "’s"} {
		if strings.HasSuffix(s[start:end], possessive) {
			end -= len(possessive)
		}
	}
	return start, end
}

// name takes a word with a capital letter.
func (sc *scanner) name(begin, end int) {
	word := sc.s[begin:end]
	lower := strings.ToLower(word)
	if i := strings.IndexAny(lower, "'’"); i > 0 {
		lower = lower[:i]
	}
	f := span{start: begin, end: end, kind: name, words: 1}
	switch {
	case month(word) && sc.dayAfter(&f):
		f.kind = date
		sc.pos = f.end
		sc.add(f)
		return
	case common(lower):
		return
	case sc.start:
		f.doubt = noun
		if possessive := strings.HasPrefix(sc.s[end:], "'s ") || strings.HasPrefix(sc.s[end:], "’s "); possessive || sc.acts(end) {
			f.doubt = first
		}
	case sc.german && (is("article", strings.ToLower(sc.previous)) || nounEnding(lower)):
		f.doubt = noun
	}
	if n := len(sc.out); n > sc.from && f.doubt != noun {
		last := &sc.out[n-1]
		if last.kind == name && last.doubt != noun && last.end == begin-1 && sc.s[last.end] == ' ' && last.words < maxName {
			last.end = end
			last.words++
			if !sc.german || last.doubt == sure {
				last.doubt = f.doubt
			}
			return
		}
	}
	sc.add(f)
}

// acts says whether the first word of a sentence or of a part of it, which
// ends at end, is the name of someone who does something, part of a longer
// name, or alone.
func (sc *scanner) acts(end int) bool {
	rest := sc.s[end:]
	if rest == "" || !sc.head && strings.IndexByte(",.;)|", rest[0]) >= 0 || strings.HasPrefix(rest, " |") {
		return true
	}
	start, stop := sc.next(end)
	if start == stop {
		return false
	}
	next := sc.s[start:stop]
	if r, _ := utf8.DecodeRuneInString(next); unicode.IsUpper(r) {
		return !sc.german && !common(strings.ToLower(next))
	}
	if next == "and" || next == "und" {
		after, _ := utf8.DecodeRuneInString(sc.s[min(len(sc.s), stop+1):])
		return unicode.IsUpper(after)
	}
	return verb(next, sc.german)
}

// dayAfter lengthens the name of a month by a day and a year.
func (sc *scanner) dayAfter(f *span) bool {
	start, end := sc.next(f.end)
	if start == end || !digit(rune(sc.s[start])) {
		return false
	}
	day := strings.TrimRight(sc.s[start:end], "stndrh")
	if len(day) > 2 && len(day) != 4 || strings.Trim(day, "0123456789") != "" {
		return false
	}
	f.end = end
	if len(day) < 4 {
		sc.yearAfter(f)
	}
	return true
}

// yearAfter lengthens a day of a month by a year.
func (sc *scanner) yearAfter(f *span) {
	at := f.end
	if at < len(sc.s) && (sc.s[at] == ',' || sc.s[at] == '.') {
		at++
	}
	if start, end := sc.next(at); end-start == 4 && strings.Trim(sc.s[start:end], "0123456789") == "" {
		f.end = end
	}
}

// next returns the word after the single blank at i, without the punctuation
// at its end.
func (sc *scanner) next(i int) (start, end int) {
	if i >= len(sc.s) || sc.s[i] != ' ' {
		return i, i
	}
	start = i + 1
	end = start
	for end < len(sc.s) && sc.s[end] != ' ' && end-start < 24 {
		end++
	}
	if end < len(sc.s) && sc.s[end] != ' ' {
		return i, i
	}
	return start, start + len(strings.TrimRight(sc.s[start:end], ".,;:!?)]}\"'|"))
}

// number takes a number with what it counts.
func (sc *scanner) number(begin, end int) {
	f := span{start: begin, end: end, kind: number}
	word := sc.s[begin:end]
	if isDate(word) {
		f.kind = date
		sc.add(f)
		return
	}
	day := strings.TrimRight(word, "stndrh")
	bare := strings.Trim(word, "0123456789.,+-–$€£~") == ""
	if len(day) <= 2 && strings.Trim(day, "0123456789") == "" {
		at := end
		if at < len(sc.s) && sc.s[at] == '.' {
			at++
		}
		if start, stop := sc.next(at); start < stop && month(sc.s[start:stop]) {
			f.end, f.kind = stop, date
			sc.yearAfter(&f)
			sc.pos = max(sc.pos, f.end)
			sc.add(f)
			return
		}
	}
	for bare && len(word) < 4 {
		start, stop := sc.next(f.end) // 10 000
		if stop-start != 3 || !digits(sc.s[start:stop]) {
			break
		}
		f.end = stop
		sc.pos = max(sc.pos, stop)
	}
	if start, stop := sc.next(f.end); start < stop && (bare || strings.Contains(word, ":")) {
		next := sc.s[start:stop]
		if is("unit", strings.ToLower(next)) || bare && sc.counted(next) {
			f.end = stop
			sc.pos = max(sc.pos, stop)
		}
	}
	sc.add(f)
}

// counted says whether a word after a number is what there are so many of: a
// plural, or in German a noun.
func (sc *scanner) counted(word string) bool {
	if len(word) < 3 || len(word) > 16 || common(strings.ToLower(word)) {
		return false
	}
	for i, r := range word {
		if unicode.IsUpper(r) != (sc.german && i == 0) || !unicode.IsLetter(r) && r != '-' {
			return false
		}
	}
	return sc.german || strings.HasSuffix(word, "s")
}

// isDate says whether a number is one with a day, a month and a year.
func isDate(word string) bool {
	day, _, _ := strings.Cut(word, "T")
	for _, sep := range []string{"-", ".", "/"} {
		if a, rest, ok := strings.Cut(day, sep); ok {
			b, c, ok := strings.Cut(rest, sep)
			digits := len(a) + len(b) + len(c)
			return ok && digits >= 4 && digits <= 8 && (len(a) == 4 || len(c) == 4 || sep == "." && len(c) == 2) &&
				strings.Trim(a+b+c, "0123456789") == ""
		}
	}
	return false
}
