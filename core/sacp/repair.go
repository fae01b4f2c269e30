package sacp

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
)

// lookahead is how many bytes the reader looks at, at most, to find out what a
// quote or a comma means.
const lookahead = 256

// doubtful is how many bytes of a text that is still growing must follow a quote
// before that is taken for a part of a string.
const doubtful = 64

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
	grows  bool     // the text may go on: take only what cannot become something else
	stack  []byte   // the brackets that are open
	key    string   // of the outermost object's member that is being read
	fixes  []string // what was mended, each once
	deep   bool     // more than maxOpen brackets were open: what was read is void
	ending
}

// ending says what a text lacks at its end.
type ending struct {
	cut   bool   // it ended before the object did
	lost  bool   // and more was to come than the object's last brace
	open  string // the outermost object's key with the string that it ended in
	quote string // which this ends
	sure  int    // it goes on from here
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
	case r.at("```"), r.i >= len(r.s):
		r.cut = true
		return true
	}
	return false
}

// at reports whether the text goes on with s.
func (r *reader) at(s string) bool { return strings.HasPrefix(r.s[min(r.i, len(r.s)):], s) }

// skip goes over s, if the text goes on with it.
func (r *reader) skip(s string) bool {
	found := r.at(s)
	if found {
		r.i += len(s)
	}
	return found
}

func (r *reader) push(c byte) bool {
	if len(r.stack) >= maxOpen {
		r.deep = true
		return false
	}
	r.stack = append(r.stack, c)
	r.i++
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

// separate goes over what parts members. It reports false where a member or a
// closing bracket stands, or the text ends.
func (r *reader) separate(sep *separator) bool {
	switch {
	case r.skip("..."):
		r.fix(fixJunk)
	case r.skip(","):
		if *sep != sepNone && !slices.Contains(r.stack, '(') {
			r.fix(fixComma)
		}
		*sep = sepComma
	default:
		return false
	}
	return true
}

// object reads the object that begins at r.i. It reports false, with what was
// read so far, when this is not an object but some other brace.
func (r *reader) object() (map[string]any, bool) {
	m := map[string]any{}
	if !r.push('{') {
		return m, true
	}
	defer r.pop()
	doubled := r.skip("{") // as in a template
	if doubled {
		r.fix(fixBracket)
	}
	for sep := sepStart; ; {
		r.space()
		if r.end() {
			r.lost = r.lost || sep != sepNone || len(r.stack) > 1
			return m, true
		}
		if r.separate(&sep) {
			continue
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
			if doubled {
				r.skip("}")
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
		}
		key, ok := r.name()
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
	if j >= len(r.s) || r.s[j] != ',' {
		return false
	}
	name, ok := keyAt(r.s, skipSpace(r.s, j+1))
	_, status := canonical(maps.Clone(m))[keyStatus]
	return ok && status && known(name) != ""
}

// name reads a key and its colon. When there is none, it skips what is there
// and reports false.
func (r *reader) name() (string, bool) {
	var key string
	_, quoted := quoteAt(r.s, r.i)
	if n := wordLen(r.s[r.i:]); quoted {
		key = r.str(0)
	} else if n > 0 {
		key = r.s[r.i : r.i+n]
		r.fix(fixQuotes)
		r.i += n
	} else {
		r.fix(fixJunk)
		r.skipRune()
		return "", false
	}
	if len(r.stack) == 1 {
		r.key = known(key)
	}
	r.space()
	switch {
	case r.i >= len(r.s) && r.end():
		r.lost = r.lost || quoted
		return "", false
	case r.skip(":"):
		return key, true
	case r.skip("=>"), r.skip("="), (quoted || known(key) != "") && startsValue(r.s, r.i):
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

// list reads what stands in square brackets at r.i, or in Python's round ones.
// There, a value without a comma is that value in brackets, and several strings
// without one are one string.
func (r *reader) list(open byte) any {
	list, comma := []any{}, false
	if !r.push(open) {
		return list
	}
	defer r.pop()
	for sep := sepStart; ; {
		r.space()
		if r.end() {
			r.lost = true
			return list
		}
		if r.separate(&sep) {
			comma = comma || sep == sepComma
			continue
		}
		switch c := r.s[r.i]; {
		case open == '(' && r.skip(")"):
			if comma || len(list) == 0 {
				return list
			}
			return joined(list)
		case open == '[' && r.skip("]"):
			if sep == sepComma {
				r.fix(fixComma)
			}
			return list
		case c == '}' || c == ']':
			r.fix(fixBracket)
			return list
		}
		if _, ok := keyAt(r.s, r.i); ok && sep != sepStart && open == '[' {
			r.fix(fixBracket) // a key: the list was not closed
			return list
		}
		if sep == sepNone && open == '[' {
			r.fix(fixComma)
		}
		sep = sepNone
		if v, ok := r.value(open); ok {
			list = append(list, v)
		}
	}
}

// joined is the one value of a list, or its strings as one.
func joined(list []any) any {
	var b strings.Builder
	for _, v := range list {
		s, ok := v.(string)
		if !ok {
			return list[0]
		}
		b.WriteString(s)
	}
	return b.String()
}

// value reads a value inside the given bracket. It reports false when the text
// ends before one begins.
func (r *reader) value(in byte) (any, bool) {
	r.space()
	if r.end() {
		r.lost = true
		return nil, false
	}
	start := r.i
	switch c := r.s[r.i]; c {
	case '{':
		if m, ok := r.object(); ok {
			return m, true
		}
		r.i = start
		return r.bare(in), true
	case '[':
		return r.list('['), true
	case '(':
		if r.tupleAt(r.i) {
			r.fix(fixTuple)
			return r.list('('), true
		}
	case ',', '}', ']':
		r.fix(fixJunk)
		return nil, true
	}
	if _, quoted := quoteAt(r.s, r.i); quoted {
		return r.str(in), true
	}
	return r.bare(in), true
}

// tupleAt reports whether Python's brackets stand at i: round ones around
// values, and not words in brackets.
func (r *reader) tupleAt(i int) bool {
	for range maxOpen {
		i = skipSpace(r.s, i+1)
		if i >= len(r.s) || r.s[i] != '(' {
			break
		}
	}
	return startsValue(r.s, i) || i < len(r.s) && r.s[i] == ')'
}

// bare reads a value without quotes: a number, one of the words of JSON,
// Python or JavaScript, or else a string up to where it plainly ends. It always
// goes forward.
func (r *reader) bare(in byte) any {
	start := r.i
	for r.i++; r.i < len(r.s) && !r.bareEnds(start, in); {
		r.i++
	}
	r.lost = r.lost || r.i >= len(r.s) // there may have been more of it
	if r.grows && r.lost {
		return nil
	}
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

// bareEnds reports whether a value without quotes that began at start ends before r.i.
func (r *reader) bareEnds(start int, in byte) bool {
	spaced := isSpace(r.s[r.i-1])
	switch c := r.s[r.i]; {
	case c == '}', c == ']', c == '\n', c == ')' && in == '(':
		return true
	case c == ',':
		return in != '{' || r.ends(r.i+1, in, true)
	case c == '/', c == '#':
		return r.at("/*") || spaced && commentAt(r.s, r.i)
	case c == '`':
		return spaced && r.at("```")
	case !isSpace(c) || r.i-start > lookahead:
		return false
	}
	// A number or a word that lacks its comma.
	if _, ok := literal(strings.ToLower(r.s[start:r.i])); !ok {
		return false
	}
	j := skipSpace(r.s, r.i)
	_, quoted := quoteAt(r.s, j)
	_, key := keyAt(r.s, j)
	return key && quoted || in != '{' && startsValue(r.s, j)
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
	number := word != "" && (word[0] == '-' || word[0] >= '0' && word[0] <= '9') && json.Valid([]byte(word))
	return json.Number(word), number
}

// mendNumber reads numbers as programs write them: +1, .5, 5., 1_000. Digits
// after a zero are no number: they may be a telephone's.
func mendNumber(word string) json.Number {
	digits := strings.ReplaceAll(strings.TrimLeft(word, "+-"), "_", "")
	f, err := strconv.ParseFloat(strings.ReplaceAll(word, "_", ""), 64)
	if err != nil || strings.Trim(digits, "0123456789+-.eE") != "" || len(digits) > 1 && digits[0] == '0' && digits[1] != '.' {
		return ""
	}
	return json.Number(strconv.FormatFloat(f, 'f', -1, 64))
}

// str reads the string that begins at r.i. in is the bracket around it, or 0
// for a key.
func (r *reader) str(in byte) string {
	if in != 0 && r.at(`"""`) {
		return r.tripleQuoted()
	}
	kind, _ := quoteAt(r.s, r.i)
	if r.s[r.i] != '"' {
		r.fix(fixQuotes)
	}
	r.skipRune()
	plain := r.s[r.i-1] == kind // a curly quote does not end it
	var b strings.Builder
	start, from, sure := r.i, r.i, len(r.s)
	for r.i < len(r.s) {
		c := r.s[r.i]
		if c == '\\' {
			b.WriteString(r.s[from:r.i])
			at, before := r.i, b.Len()
			r.escape(&b)
			if from = r.i; b.Len() == before { // the text ends within it
				sure = at
			}
			continue
		}
		if k, ok := quoteAt(r.s, r.i); ok && k == kind && (!plain || c == kind) {
			_, n := utf8.DecodeRuneInString(r.s[r.i:])
			if in == 0 || r.strict || r.ends(r.i+n, in, false) {
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
			if r.grows && len(r.s)-r.i < doubtful {
				sure = r.i
				break
			}
			r.i += n
			continue
		}
		if c < ' ' {
			r.fix(fixControl)
		}
		r.i++
	}
	b.WriteString(r.s[min(from, sure):sure])
	r.i = len(r.s)
	if plain && in != 0 && len(r.stack) == 1 && sure > start && strings.IndexByte(gaps+"`", r.s[sure-1]) < 0 {
		r.open, r.quote, r.sure = r.key, string(kind), sure
	}
	r.cut, r.lost = true, true
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
	r.i = min(r.i+len(s)+3, len(r.s))
	if !found {
		r.cut, r.lost = true, true
	}
	return validUTF8(s)
}

// escape reads the escape at r.i. What is none stays as it is written, and what
// the text ends within is left out.
func (r *reader) escape(b *strings.Builder) {
	const letters, meaning = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	rest := r.s[r.i+1:]
	r.i++
	if rest == "" {
		return
	}
	if at := strings.IndexByte(letters, rest[0]); at >= 0 {
		b.WriteByte(meaning[at])
		r.i++
		return
	}
	if rest[0] == 'u' {
		c, n := unicodeEscape(rest[1:])
		if len(rest) < 5 {
			n = len(rest)
		}
		if n > 0 {
			b.WriteString(c)
			r.i = min(r.i+1+n, len(r.s))
			return
		}
	}
	r.fix(fixEscape)
	if strings.IndexByte("'`\n", rest[0]) < 0 {
		b.WriteByte('\\')
	}
	from := r.i
	r.skipRune()
	b.WriteString(r.s[from:r.i])
}

// unicodeEscape reads what follows \u, with the second half of a pair, and says how
// long that is: 0 if there are no four digits.
func unicodeEscape(s string) (string, int) {
	c, ok := hex4(s)
	if !ok {
		return "", 0
	}
	if !utf16.IsSurrogate(c) {
		return string(c), 4
	}
	second, paired := strings.CutPrefix(s[4:], `\u`)
	low, ok := hex4(second)
	switch pair := utf16.DecodeRune(c, low); {
	case ok && paired && pair != utf8.RuneError:
		return string(pair), 10
	case c < 0xdc00 && len(s) < 10 && (strings.HasPrefix(`\u`, s[4:]) || paired):
		return "", len(s)
	}
	return string(utf8.RuneError), 4
}

func hex4(s string) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(s[:4], 16, 16)
	return rune(n), err == nil
}
