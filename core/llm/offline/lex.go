package offline

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"yaap/core/rank"
)

// class says what shape a token has.
type class uint8

const (
	word     class = iota // told apart by its stem
	name                  // a capitalised word inside a sentence
	number                // 12, 3.5, 1_000, twelve
	operator              // + * % squared
	unit                  // km, GiB, °F: a measure after a number or beside another
	date                  // 2026-03-01, tomorrow, Friday, March
	hour                  // 14:30, 3pm, noon
	path                  // README.md, src/x, *.go
	link                  // https://...
	quoted                // "...", `...`, code, and what stands after a colon
	label                 // AB-123, #42, a1b2c3d
	query                 // a statement of a query language
	classes
)

// shapeWeight is what a token that is not a word contributes to a prompt.
func (c class) weight() float64 {
	switch c {
	case path:
		return 0.5
	case link, unit, label:
		return 0.4
	case date:
		return 0.3
	default:
		return 0.35
	}
}

// token is one word or shape of a text.
type token struct {
	class  class
	text   string // as it stands in the source
	lower  string
	stem   string  // of a word or a name
	weight float64 // 0 for a word that tells nothing
	start  int     // byte offsets in the source
	end    int
	slot   bool // an argument: what follows a preposition, or an imperative
}

// The most that is looked at of one text. What is beyond it is handed on all
// the same, unread.
const (
	maxTokens = 240
	maxQuote  = 32 << 10
)

// lex splits text into at most maxTokens tokens. known tells words that are
// names though they are written in lower case; it may be nil.
func lex(text string, known map[string]bool) []token {
	l := lexer{src: text, known: known, shouting: shouts(text)}
	l.opening = true
	for l.pos < len(text) && len(l.tokens) < maxTokens {
		l.next()
	}
	units(l.tokens)
	dates(l.tokens)
	operators(l.tokens)
	slots(text, l.tokens)
	return l.tokens
}

type lexer struct {
	src      string
	pos      int
	tokens   []token
	known    map[string]bool
	shouting bool // nearly all capitals: they tell nothing
	opening  bool // at the start of a sentence
}

func (l *lexer) next() {
	r, size := utf8.DecodeRuneInString(l.src[l.pos:])
	switch {
	case r == '\n':
		l.opening = true
		l.pos += size
	case unicode.IsSpace(r):
		l.pos += size
	case strings.HasPrefix(l.src[l.pos:], "```"):
		if !l.quote(3, "```") {
			l.pos += 3
		}
	case strings.ContainsRune("\"`“«", r) || r == '\'' && l.opensQuote():
		closing := string(r)
		switch r {
		case '“':
			closing = "”"
		case '«':
			closing = "»"
		}
		if !l.quote(size, closing) {
			l.pos += size
		}
	case l.query():
	default:
		l.chunk()
	}
}

// opensQuote tells a quotation from an apostrophe.
func (l *lexer) opensQuote() bool {
	if l.pos > 0 && !strings.ContainsAny(l.src[l.pos-1:l.pos], " \t\n(=:,") {
		return false
	}
	rest := l.src[l.pos+1:]
	i := strings.IndexByte(rest, '\'')
	return i > 0 && !strings.ContainsAny(rest[:i], "\n?") && (i+1 == len(rest) || strings.ContainsAny(rest[i+1:i+2], " \t\n.,;:?!)"))
}

func (l *lexer) quote(skip int, closing string) bool {
	rest := l.src[l.pos+skip:]
	i := strings.Index(rest[:min(len(rest), maxQuote)], closing)
	if i < 0 {
		return false
	}
	l.add(quoted, l.pos, l.pos+skip+i+len(closing))
	return true
}

// query takes a statement of a query language as one token, so that its words
// and commas are left alone.
func (l *lexer) query() bool {
	rest := l.src[l.pos:]
	if len(rest) < 14 || !strings.EqualFold(rest[:7], "select ") {
		return false
	}
	end := len(rest)
	if i := strings.IndexAny(rest, ";\n"); i >= 0 {
		end = i
	}
	low := strings.ToLower(rest[:end])
	if i := strings.Index(low, " then "); i >= 0 && len(low) == end && !strings.Contains(low, "case ") {
		end = len(strings.TrimRight(strings.TrimSuffix(strings.TrimRight(low[:i], " ,"), " and"), " ,"))
		low = low[:end]
	}
	from := strings.Index(low, " from ")
	if from < 0 || !strings.ContainsAny(low[:from], "*,(") && len(strings.Fields(low[:from])) > 2 {
		return false
	}
	l.add(query, l.pos, l.pos+end)
	l.tokens[len(l.tokens)-1].stem = "sql"
	return true
}

func (l *lexer) chunk() {
	start, end := l.pos, len(l.src)
	if i := strings.IndexFunc(l.src[start:], unicode.IsSpace); i >= 0 {
		end = start + i
	}
	l.pos = end
	closes := strings.ContainsRune(".?!:;", rune(l.src[end-1]))
	s := l.src[start:end]
	trimmed := strings.TrimLeft(s, "([{<,;:!?¿¡")
	start += len(s) - len(trimmed)
	trimmed = strings.TrimRight(trimmed, ")]}>,;:!?.…'\"”’`")
	if trimmed == "" {
		trimmed = s[:0]
	}
	defer func() { l.opening = closes }()
	if trimmed == "" {
		return
	}
	if c, ok := shape(trimmed); ok {
		l.add(c, start, start+len(trimmed))
		return
	}
	if first := trimmed[0]; first >= '0' && first <= '9' || strings.ContainsRune("+-−(√$€£¥", firstRune(trimmed)) {
		if l.expression(start, trimmed) {
			return
		}
	}
	l.words(start, trimmed)
}

// expression takes "17*23", "5km", "12%" apart.
func (l *lexer) expression(start int, s string) bool {
	if !strings.ContainsAny(s, "0123456789") {
		if isOperator(s) {
			l.add(operator, start, start+len(s))
			return true
		}
		return false
	}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		j := i + size
		switch {
		case r >= '0' && r <= '9':
			for j < len(s) && (s[j] >= '0' && s[j] <= '9' || strings.IndexByte(".,_", s[j]) >= 0) {
				j++
			}
			l.add(number, start+i, start+j)
		case unicode.IsLetter(r) || r == '°' || r == 'µ':
			for j < len(s) {
				n, w := utf8.DecodeRuneInString(s[j:])
				if !unicode.IsLetter(n) && n != '²' && n != '³' {
					break
				}
				j += w
			}
			l.word(start+i, start+j)
		case isOperator(string(r)):
			l.add(operator, start+i, start+j)
		}
		i = j
	}
	return true
}

// words takes a run of letters apart at hyphens, slashes and apostrophes.
func (l *lexer) words(start int, s string) {
	if isOperator(s) {
		l.add(operator, start, start+len(s))
		return
	}
	from := -1
	for i, r := range s + " " {
		inside := i < len(s) && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_' || r == '°')
		switch {
		case inside && from < 0:
			from = i
		case !inside && from >= 0:
			l.word(start+from, start+i)
			if r == '\'' || r == '’' {
				return // "it's": the rest of the chunk is grammar
			}
			from = -1
		}
	}
}

func (l *lexer) word(start, end int) {
	text := l.src[start:end]
	low := strings.ToLower(text)
	switch {
	case isNumberWord(low):
		l.add(number, start, end)
	case isOperatorWord(low), low == "power" && l.follows("to", "the") && hasClass(l.tokens, number):
		l.add(operator, start, end)
		l.tokens[len(l.tokens)-1].stem = rank.Stem(low)
	case isDateWord(low) && (low != "may" && low != "march" || text != low):
		l.add(date, start, end)
	case isHourWord(low):
		l.add(hour, start, end)
	default:
		l.add(word, start, end)
		t := &l.tokens[len(l.tokens)-1]
		t.stem, t.weight = rank.Stem(low), rank.Weight(low)
		capital := unicode.IsUpper(firstRune(text)) && !l.shouting && !l.opening
		if t.weight > 0 && (capital || l.known[low]) {
			t.class, t.weight = name, name.weight()
		}
	}
}

// follows reports whether the last tokens are these words.
func (l *lexer) follows(words ...string) bool {
	n := len(l.tokens) - len(words)
	for i, w := range words {
		if n < 0 || l.tokens[n+i].lower != w {
			return false
		}
	}
	return true
}

func (l *lexer) add(c class, start, end int) {
	text := l.src[start:end]
	l.tokens = append(l.tokens, token{class: c, text: text, lower: strings.ToLower(text), weight: c.weight(), start: start, end: end})
	l.pos = max(l.pos, end)
	l.opening = false
}

// shouts reports whether capitals tell nothing in text.
func shouts(text string) bool {
	upper, lower := 0, 0
	for i, r := range text {
		if i > 2000 {
			break
		}
		if unicode.IsUpper(r) {
			upper++
		} else if unicode.IsLower(r) {
			lower++
		}
	}
	return upper > 2*lower && upper > 8
}

// units makes measures of the words that stand as such.
func units(tokens []token) {
	for i := range tokens {
		t := &tokens[i]
		if t.class != word && t.class != name || !isUnit(t.text) {
			continue
		}
		after := i > 0 && (tokens[i-1].class == number || tokens[i-1].class == unit)
		beside := i > 1 && isPreposition(tokens[i-1].lower) && hasClass(tokens[:i-1], number, unit)
		before := i+1 < len(tokens) && len(tokens) > i+2 && (tokens[i+1].lower == "to" || tokens[i+1].lower == "in") && isUnit(tokens[i+2].text)
		if after || beside || before || hasClass(tokens[:i], unit) && i > 0 && tokens[i-1].weight == 0 {
			t.class, t.weight = unit, unit.weight()
		}
	}
}

// dates makes one date of a month and the day beside it.
func dates(tokens []token) {
	for i := 1; i < len(tokens); i++ {
		a, b := &tokens[i-1], &tokens[i]
		switch {
		case a.class == number && len(a.text) <= 2 && isMonth(b.lower) && b.class == date:
			a.class, a.weight = date, date.weight()
		case b.class == number && len(b.text) <= 2 && isMonth(a.lower) && a.class == date:
			b.class, b.weight = date, date.weight()
		}
	}
}

// operators makes signs of the words that are such before or between numbers,
// as in "17 x 23" and "half of 10".
func operators(tokens []token) {
	for i := range tokens {
		t, next := &tokens[i], i+1
		for next < len(tokens) && t.lower != "x" && (tokens[next].lower == "of" || tokens[next].lower == "the") {
			next++
		}
		switch {
		case next >= len(tokens) || tokens[next].class != number:
		case t.lower == "x" && i > 0 && tokens[i-1].class == number, multiplies(t.lower):
			t.class, t.stem, t.weight = operator, "", operator.weight()
		}
	}
}

func hasClass(tokens []token, any ...class) bool {
	for _, t := range tokens {
		for _, c := range any {
			if t.class == c {
				return true
			}
		}
	}
	return false
}

// slots marks the words that are likely arguments rather than the subject:
// those after a preposition that follows something else, and after a colon.
func slots(src string, tokens []token) {
	content, open := false, false
	for i := range tokens {
		t := &tokens[i]
		if i > 0 && strings.ContainsAny(src[tokens[i-1].end:t.start], ":") {
			open = true
		}
		switch {
		case isPreposition(t.lower):
			open = content
		case t.weight == 0 && !isArticle(t.lower):
			open = false
		}
		t.slot = open && t.weight > 0
		content = content || t.weight > 0
	}
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
