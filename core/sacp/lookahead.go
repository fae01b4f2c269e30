package sacp

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// space goes over whitespace and comments.
func (r *reader) space() {
	end := spaceEnd(r.s, r.i, len(r.s)+1)
	odd := strings.TrimLeft(r.s[r.i:end], " \t\r\n")
	if r.i = end; commentAt(odd, 0) {
		r.fix(fixComment)
	} else if odd != "" {
		r.fix(fixJunk)
	}
}

// skipSpace returns the first position from i on that is neither whitespace
// nor in a short comment. Only comments are limited: a quote in whitespace ends
// it, so that going over it once for every quote stays linear.
func skipSpace(s string, i int) int { return spaceEnd(s, i, lookahead) }

// spaceEnd does so with comments of less than most bytes.
func spaceEnd(s string, i, most int) int {
	for i < len(s) {
		n := oddSpace(s[i:])
		switch {
		case isSpace(s[i]):
			n = 1
		case commentAt(s, i):
			if n = commentLen(s[i:min(len(s), i+most)]); n == most {
				return i
			}
		}
		if n == 0 {
			return i
		}
		i += n
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// oddSpace is the length of the space that s begins with and JSON does not know.
func oddSpace(s string) int {
	if s[0] < utf8.RuneSelf {
		return 0
	}
	c, n := utf8.DecodeRuneInString(s)
	if unicode.IsSpace(c) || c == '\u200b' || c == '\ufeff' {
		return n
	}
	return 0
}

func commentAt(s string, i int) bool {
	if i+1 >= len(s) {
		return false
	}
	return s[i] == '#' && s[i+1] == ' ' || s[i] == '/' && (s[i+1] == '/' || s[i+1] == '*')
}

func commentLen(s string) int {
	end, stop := "\n", 0
	if strings.HasPrefix(s, "/*") {
		end, stop = "*/", 2
	}
	if n := strings.Index(s[stop:], end); n >= 0 {
		return stop + n + len(end)
	}
	return len(s)
}

// quoteAt reports whether a quote stands at i and which one it is to be read
// as: ", ' or `.
func quoteAt(s string, i int) (kind byte, ok bool) {
	if i >= len(s) {
		return 0, false
	}
	switch c := s[i]; {
	case c == '"' || c == '\'' || c == '`':
		return c, true
	case c < utf8.RuneSelf:
		return 0, false
	}
	switch c, _ := utf8.DecodeRuneInString(s[i:]); c {
	case '“', '”', '„', '‟', '«', '»', '＂':
		return '"', true
	case '‘', '’', '‚', '‛':
		return '\'', true
	}
	return 0, false
}

// wordLen is the length of the name that s begins with, as of a key without
// quotes.
func wordLen(s string) int {
	for i := range len(s) {
		c := s[i] | 0x20
		switch {
		case c >= 'a' && c <= 'z' || s[i] == '_' || s[i] == '$':
		case i > 0 && (s[i] >= '0' && s[i] <= '9' || s[i] == '-'):
		default:
			return i
		}
	}
	return len(s)
}

// keyAt reports whether a key with its colon stands at i, and which. A key that
// the end of the text cuts off counts.
func keyAt(s string, i int) (string, bool) {
	end := min(len(s), i+lookahead)
	if i >= end {
		return "", false
	}
	rest := s[i:end]
	kind, open := quoteAt(s, i)
	if !open {
		n := wordLen(rest)
		j := skipSpace(s, i+n)
		return rest[:n], n > 0 && j < len(s) && s[j] == ':' && !strings.HasPrefix(s[j:], "://")
	}
	_, n := utf8.DecodeRuneInString(rest)
	for j := i + n; j < end; j++ {
		switch s[j] {
		case '\n':
			return "", false
		case '\\':
			j++
			continue
		}
		if k, closed := quoteAt(s, j); closed && k == kind {
			key := s[i+n : j]
			_, m := utf8.DecodeRuneInString(s[j:])
			j = skipSpace(s, j+m)
			return key, j >= len(s) || s[j] == ':' || known(key) != "" && (s[j] == '=' || startsValue(s, j))
		}
	}
	return "", end == len(s) && wordLen("_"+rest[n:]) == len(rest)-n+1
}

// startsValue reports whether a value with an unmistakable beginning stands at i.
func startsValue(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	if _, open := quoteAt(s, i); open {
		return true
	}
	if strings.IndexByte("{[-0123456789", s[i]) >= 0 {
		return true
	}
	_, ok := literal(strings.ToLower(s[i : i+wordLen(s[i:min(len(s), i+16)])]))
	return ok
}

// ends reports whether a value inside the given bracket ends before i, where a
// quote stands or a comma that may be part of a text: models forget to escape
// quotes. What follows must tell.
func (r *reader) ends(i int, in byte, comma bool) bool {
	j := skipSpace(r.s, i)
	for j < len(r.s) && r.s[j] == ',' {
		comma = true
		j = skipSpace(r.s, j+1)
	}
	if j >= len(r.s) || comma && strings.HasPrefix(r.s[j:], "...") {
		return true
	}
	if strings.HasPrefix(r.s[j:], "```") {
		return r.fenced
	}
	_, key := keyAt(r.s, j)
	switch c := r.s[j]; {
	case c == ')':
		return in == '('
	case c == '}' || c == ']':
		return comma || r.bracketsEnd(j)
	case commentAt(r.s, j): // a long one
		return true
	case comma:
		return key || in != '{' && (startsValue(r.s, j) || c == '(')
	case in != '{':
		return j > i && startsValue(r.s, j)
	}
	_, quoted := quoteAt(r.s, j)
	return key && (quoted || strings.Contains(r.s[i:j], "\n"))
}

// bracketsEnd reports whether the closing brackets at i are JSON, or only
// brackets in a text.
func (r *reader) bracketsEnd(i int) bool {
	closed := 0
	for i < len(r.s) && (r.s[i] == '}' || r.s[i] == ']') {
		closed++
		i = skipSpace(r.s, i+1)
	}
	if i >= len(r.s) {
		return true
	}
	if strings.HasPrefix(r.s[i:], "```") {
		return r.fenced || strings.TrimLeft(r.s[i:], "` \t\r\n") == ""
	}
	if r.s[i] == ',' {
		return r.ends(i+1, '[', true)
	}
	if closed < len(r.stack) {
		_, key := keyAt(r.s, i)
		return key
	}
	// The whole object is closed. What follows is prose, unless it too looks
	// like the end of a string.
	rest := r.s[i:min(len(r.s), i+lookahead)]
	if end := strings.IndexAny(rest, "\n{"); end >= 0 {
		rest = rest[:end]
	}
	return !strings.Contains(strings.Join(strings.Fields(rest), ""), `"}`)
}

// keyFollows reports whether the quote at r.i begins one of the protocol's keys
// after a comma or on a new line, so that the string before it lacks its end
// quote.
func (r *reader) keyFollows() bool {
	before := strings.TrimRight(r.s[max(0, r.i-lookahead):r.i], " \t")
	if !strings.HasSuffix(before, "\n") && !strings.HasSuffix(before, ",") {
		return false
	}
	name, ok := keyAt(r.s, r.i)
	return ok && known(name) != ""
}
