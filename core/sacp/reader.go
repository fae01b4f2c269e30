package sacp

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"yaap/core"
)

// lookahead is how many bytes the reader looks at, at most, to find out what a
// quote or a comma means.
const lookahead = 256

// What the reader may have mended.
const (
	fixCut         = core.RepairCutOff // something of the reply is missing
	fixOpen        = "not closed"      // a whole reply lacks its last brace
	fixComma       = "comma"
	fixColon       = "colon"
	fixComment     = "comment"
	fixQuotes      = "quotes"
	fixInner       = "inner quotes"
	fixEndQuote    = "missing quote"
	fixControl     = "raw newline"
	fixEscape      = "escape"
	fixBareWord    = "bare word"
	fixBracket     = "bracket"
	fixJunk        = "junk"
	fixConcat      = "joined strings"
	fixTuple       = "tuple"
	fixPunctuation = "punctuation"
)

// reader reads JSON as people and models write it. It goes forward only, so
// that the time it takes is linear. For valid JSON it gives what encoding/json
// gives (numbers as json.Number) and mends nothing.
type reader struct {
	s      string
	i      int
	strict bool     // take quotes at their word, and stop at the first thing to mend
	fenced bool     // the object stands in a code block, whose end is its end
	stack  []byte   // the brackets that are open
	fixes  []string // what was mended, each once
	cut    bool     // the text ended too early
	lost   bool     // it ended where more was to come than the object's last brace
	deep   bool     // more than maxOpen brackets were open: what was read is void
}

func (r *reader) fix(what string) {
	if !slices.Contains(r.fixes, what) {
		r.fixes = append(r.fixes, what)
	}
}

// end reports that nothing more belongs to the object: the text or the code
// block around it is over.
func (r *reader) end() bool {
	switch {
	case r.deep, r.strict && len(r.fixes) > 0:
		return true
	case r.i >= len(r.s), strings.HasPrefix(r.s[r.i:], "```"):
		if !r.cut {
			r.fix(fixOpen)
		}
		r.cut = true
		return true
	}
	return false
}

func (r *reader) push(c byte) bool {
	if len(r.stack) >= maxOpen {
		r.deep = true
		return false
	}
	r.stack = append(r.stack, c)
	return true
}

func (r *reader) pop() { r.stack = r.stack[:len(r.stack)-1] }

// separator is what stands before the place where a key or an item may begin.
type separator int

const (
	sepStart separator = iota
	sepComma
	sepNone
)

// object reads the object that begins at r.i. It reports false, with what was
// read so far, when this is not an object but some other brace.
func (r *reader) object() (map[string]any, bool) {
	m := map[string]any{}
	if !r.push('{') {
		return m, true
	}
	defer r.pop()
	r.i++
	doubled := strings.HasPrefix(r.s[r.i:], "{") // as in a template
	if doubled {
		r.fix(fixBracket)
		r.i++
	}
	for sep := sepStart; ; {
		r.space()
		if r.end() {
			r.lost = r.lost || sep != sepNone || len(r.stack) > 1
			return m, true
		}
		switch r.s[r.i] {
		case '}':
			if len(r.stack) == 1 && r.goesOn(m) {
				r.fix(fixBracket)
				r.i++
				continue
			}
			if sep == sepComma {
				r.fix(fixComma)
			}
			r.i++
			if doubled && strings.HasPrefix(r.s[r.i:], "}") {
				r.i++
			}
			return m, true
		case ']':
			r.fix(fixBracket)
			if slices.Contains(r.stack, '[') {
				return m, true // and the list with it
			}
			r.i++
			if len(r.stack) > 1 {
				return m, true
			}
			continue
		case ',':
			if sep != sepNone {
				r.fix(fixComma)
			}
			r.i++
			sep = sepComma
			continue
		}
		key, ok := r.key()
		if !ok {
			if sep == sepStart {
				return m, r.cut // it may have become one
			}
			continue
		}
		if sep == sepNone {
			r.fix(fixComma)
		}
		sep = sepNone
		if v, ok := r.value('{'); ok {
			m[key] = v
		}
	}
}

// goesOn reports whether the brace at r.i, which closes the whole object m, is
// one too many: a comma and one of the protocol's keys follow.
func (r *reader) goesOn(m map[string]any) bool {
	j := skipSpace(r.s, r.i+1)
	if j >= len(r.s) || r.s[j] != ',' || !(candidate{object: m}.hasStatus()) {
		return false
	}
	name, ok := keyAt(r.s, skipSpace(r.s, j+1))
	return ok && known(name) != ""
}

// key reads a key and its colon. When there is none, it skips what is there
// and reports false.
func (r *reader) key() (string, bool) {
	var key string
	_, quoted := quoteAt(r.s, r.i)
	if quoted {
		key = r.str(0)
	} else {
		n := wordLen(r.s[r.i:])
		if n == 0 {
			r.fix(fixJunk)
			r.skipRune()
			return "", false
		}
		key = r.s[r.i : r.i+n]
		r.fix(fixQuotes)
		r.i += n
	}
	r.space()
	if r.i >= len(r.s) && r.end() {
		r.lost = r.lost || quoted
		return "", false
	}
	switch c := r.s[r.i]; {
	case c == ':':
		r.i++
		return key, true
	case c == '=':
		r.fix(fixColon)
		r.i++
		if r.i < len(r.s) && r.s[r.i] == '>' {
			r.i++
		}
		return key, true
	case (quoted || known(key) != "") && startsValue(r.s, r.i):
		r.fix(fixColon)
		return key, true
	}
	r.fix(fixJunk)
	return "", false
}

func (r *reader) skipRune() {
	_, n := utf8.DecodeRuneInString(r.s[r.i:])
	r.i += n
}

// array reads the list that begins at r.i.
func (r *reader) array() []any {
	list := []any{}
	if !r.push('[') {
		return list
	}
	defer r.pop()
	r.i++
	for sep := sepStart; ; {
		r.space()
		if r.end() {
			r.lost = true
			return list
		}
		switch r.s[r.i] {
		case ']':
			if sep == sepComma {
				r.fix(fixComma)
			}
			r.i++
			return list
		case '}':
			r.fix(fixBracket)
			return list
		case ',':
			if sep != sepNone {
				r.fix(fixComma)
			}
			r.i++
			sep = sepComma
			continue
		}
		if strings.HasPrefix(r.s[r.i:], "...") {
			r.fix(fixJunk)
			r.i += 3
			continue
		}
		if _, ok := keyAt(r.s, r.i); ok && sep != sepStart {
			r.fix(fixBracket) // a key: the list was not closed
			return list
		}
		if sep == sepNone {
			r.fix(fixComma)
		}
		sep = sepNone
		if v, ok := r.value('['); ok {
			list = append(list, v)
		}
	}
}

// value reads a value inside the given bracket. It reports false when the text
// ends before one begins.
func (r *reader) value(in byte) (any, bool) {
	r.space()
	if r.end() {
		r.lost = true
		return nil, false
	}
	switch c := r.s[r.i]; c {
	case '{':
		start := r.i
		if m, ok := r.object(); ok {
			return m, true
		}
		r.i = start
		return r.bare(in), true
	case '[':
		return r.array(), true
	case '(':
		if r.tupleAt(r.i) {
			return r.tuple(), true
		}
	case ',', '}', ']':
		r.fix(fixJunk)
		return nil, true
	}
	if _, open := quoteAt(r.s, r.i); open {
		parts := []string{r.str(in)}
		for r.concat() {
			parts = append(parts, r.str(in))
		}
		return strings.Join(parts, ""), true
	}
	return r.bare(in), true
}

// concat goes over a plus sign between two strings.
func (r *reader) concat() bool {
	j := skipSpace(r.s, r.i)
	if j >= len(r.s) || r.s[j] != '+' {
		return false
	}
	j = skipSpace(r.s, j+1)
	if _, open := quoteAt(r.s, j); !open {
		return false
	}
	r.fix(fixConcat)
	r.i = j
	return true
}

// bare reads a value without quotes: a number, one of the words of JSON,
// Python or JavaScript, or else a string up to where it plainly ends. It always
// goes forward.
func (r *reader) bare(in byte) any {
	start := r.i
	for r.i < len(r.s) {
		c := r.s[r.i]
		if r.i > start {
			if c == '}' || c == ']' || c == '\n' || c == ')' && in == '(' || c == ',' && (in != '{' || r.commaEnds(r.i+1, in)) {
				break
			}
			if strings.HasPrefix(r.s[r.i:], "/*") || isSpace(r.s[r.i-1]) && (commentAt(r.s, r.i) || strings.HasPrefix(r.s[r.i:], "```")) {
				break
			}
			if isSpace(c) && r.wordEnds(start, in) {
				break
			}
		}
		r.i++
	}
	r.lost = r.lost || r.i >= len(r.s) // there may have been more of it
	word := strings.TrimSpace(r.s[start:r.i])
	if v, ok := literal(word); ok {
		return v
	}
	r.fix(fixBareWord)
	if v, ok := literal(strings.ToLower(word)); ok {
		return v
	}
	if n := mendNumber(word); n != "" {
		return n
	}
	return validUTF8(strings.TrimRight(word, `"'`))
}

// wordEnds reports whether the space at r.i ends a number or word that began
// at start and lacks its comma.
func (r *reader) wordEnds(start int, in byte) bool {
	if r.i-start > lookahead {
		return false
	}
	if _, ok := literal(strings.ToLower(r.s[start:r.i])); !ok {
		return false
	}
	j := skipSpace(r.s, r.i)
	_, open := quoteAt(r.s, j)
	_, key := keyAt(r.s, j)
	return key && open || in != '{' && startsValue(r.s, j)
}

// literal reads a number, or a word of JSON, Python or JavaScript in lower
// case.
func literal(word string) (any, bool) {
	switch word {
	case "true":
		return true, true
	case "false":
		return false, true
	case "null", "none", "nil", "undefined", "nan", "infinity", "-infinity":
		return nil, true
	}
	return json.Number(word), isNumber(word)
}

// mendNumber reads numbers as programs write them: +1, .5, 5., 1_000. Digits
// after a zero are no number: they may be a telephone's.
func mendNumber(word string) json.Number {
	if word == "" || len(word) > 64 || strings.Trim(word, "0123456789+-._eE") != "" {
		return ""
	}
	n := strings.ReplaceAll(strings.TrimPrefix(word, "+"), "_", "")
	sign := ""
	if strings.HasPrefix(n, "-") {
		sign, n = "-", n[1:]
	}
	n = strings.TrimSuffix(n, ".")
	if strings.HasPrefix(n, ".") {
		n = "0" + n
	}
	if !isNumber(sign + n) {
		return ""
	}
	return json.Number(sign + n)
}

func isNumber(word string) bool {
	if word == "" || word[0] != '-' && (word[0] < '0' || word[0] > '9') {
		return false
	}
	return json.Valid([]byte(word))
}

// str reads the string that begins at r.i. in is the bracket around it, or 0
// for a key.
func (r *reader) str(in byte) string {
	if in != 0 && strings.HasPrefix(r.s[r.i:], `"""`) {
		return r.tripleQuoted()
	}
	kind, _ := quoteAt(r.s, r.i)
	if kind != '"' || r.s[r.i] != '"' {
		r.fix(fixQuotes)
	}
	r.skipRune()
	plain := r.s[r.i-1] == kind // a curly quote does not end it
	var b strings.Builder
	from := r.i
	for r.i < len(r.s) {
		c := r.s[r.i]
		if c == '\\' {
			b.WriteString(r.s[from:r.i])
			r.escape(&b)
			from = r.i
			continue
		}
		if k, ok := quoteAt(r.s, r.i); ok && k == kind && (!plain || c == kind) {
			_, n := utf8.DecodeRuneInString(r.s[r.i:])
			if in == 0 || r.strict || r.closes(r.i+n, in) {
				b.WriteString(r.s[from:r.i])
				r.i += n
				return validUTF8(b.String())
			}
			if r.keyFollows() {
				r.fix(fixEndQuote)
				b.WriteString(r.s[from:r.i])
				return validUTF8(strings.TrimRight(strings.TrimRightFunc(b.String(), unicode.IsSpace), ","))
			}
			r.fix(fixInner)
			r.i += n
			continue
		}
		if c < ' ' {
			r.fix(fixControl)
		}
		r.i++
	}
	b.WriteString(r.s[from:])
	r.cut, r.lost = true, true
	r.fix(fixCut)
	s := strings.TrimRightFunc(b.String(), unicode.IsSpace)
	if cutShort, ok := strings.CutSuffix(s, "\n```"); ok { // the end of a code block around the object
		return validUTF8(strings.TrimRightFunc(cutShort, unicode.IsSpace))
	}
	return validUTF8(b.String())
}

func (r *reader) tripleQuoted() string {
	r.fix(fixQuotes)
	r.i += 3
	s, _, found := strings.Cut(r.s[r.i:], `"""`)
	r.i += len(s)
	if found {
		r.i += 3
	} else {
		r.cut, r.lost = true, true
		r.fix(fixCut)
	}
	return validUTF8(s)
}

// escape reads the escape at r.i. What is none stays as it is written.
func (r *reader) escape(b *strings.Builder) {
	if r.i+1 >= len(r.s) {
		r.i++ // the text ends within the escape
		return
	}
	c := r.s[r.i+1]
	if c == 'u' {
		r.unicodeEscape(b)
		return
	}
	if out, ok := unescaped(c); ok {
		b.WriteByte(out)
		r.i += 2
		return
	}
	r.fix(fixEscape)
	if c != '\'' && c != '`' && c != '\n' {
		b.WriteByte('\\')
	}
	r.i++
	_, n := utf8.DecodeRuneInString(r.s[r.i:])
	b.WriteString(r.s[r.i : r.i+n])
	r.i += n
}

// unescaped is the byte that a one-letter escape stands for.
func unescaped(c byte) (byte, bool) {
	switch c {
	case '"', '\\', '/':
		return c, true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	}
	return 0, false
}

func (r *reader) unicodeEscape(b *strings.Builder) {
	hi, ok := hex4(r.s[r.i+2:])
	if !ok {
		if len(r.s)-r.i < 6 { // the text ends within the escape
			r.i = len(r.s)
			return
		}
		r.fix(fixEscape)
		b.WriteString(`\u`)
		r.i += 2
		return
	}
	r.i += 6
	if utf16.IsSurrogate(hi) {
		pair := rune(unicode.ReplacementChar)
		if strings.HasPrefix(r.s[r.i:], `\u`) {
			if lo, ok := hex4(r.s[r.i+2:]); ok {
				pair = utf16.DecodeRune(hi, lo)
			}
		}
		if pair != unicode.ReplacementChar {
			r.i += 6
		}
		hi = pair
	}
	b.WriteRune(hi)
}

func hex4(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(s[:4], 16, 16)
	return rune(n), err == nil
}
