package sacp

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// space goes over whitespace and comments.
func (r *reader) space() {
	for r.i < len(r.s) {
		switch c := r.s[r.i]; {
		case isSpace(c):
			r.i++
		case c >= utf8.RuneSelf:
			n := oddSpace(r.s[r.i:])
			if n == 0 {
				return
			}
			r.fix(fixJunk)
			r.i += n
		case commentAt(r.s, r.i):
			r.fix(fixComment)
			r.i += commentLen(r.s[r.i:])
		default:
			return
		}
	}
}

// skipSpace returns the first position from i on that is neither whitespace
// nor in a short comment. Only comments are limited: a quote in whitespace ends
// it, so that going over it once for every quote stays linear.
func skipSpace(s string, i int) int {
	for i < len(s) {
		switch c := s[i]; {
		case isSpace(c):
			i++
		case c >= utf8.RuneSelf:
			n := oddSpace(s[i:])
			if n == 0 {
				return i
			}
			i += n
		case commentAt(s, i):
			n := commentLen(s[i:min(len(s), i+lookahead)])
			if n == lookahead {
				return i
			}
			i += n
		default:
			return i
		}
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// oddSpace is the length of the space that s begins with and JSON does not know.
func oddSpace(s string) int {
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
	cut := true
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
		cut = cut && wordLen("_"+s[j:j+1]) == 2
	}
	return "", cut && end == len(s)
}

// startsValue reports whether a value with an unmistakable beginning stands at i.
func startsValue(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	if _, open := quoteAt(s, i); open {
		return true
	}
	switch c := s[i]; c {
	case '{', '[', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return true
	}
	switch strings.ToLower(s[i : i+wordLen(s[i:min(len(s), i+16)])]) {
	case "true", "false", "null", "none", "undefined", "nan":
		return true
	}
	return false
}

// closes reports whether a quote before i ends a value inside the given
// bracket, which is what follows it must tell: models forget to escape quotes.
func (r *reader) closes(i int, in byte) bool {
	j := skipSpace(r.s, i)
	if j >= len(r.s) {
		return true
	}
	switch c := r.s[j]; {
	case strings.HasPrefix(r.s[j:], "```"):
		return r.fenced
	case c == ',':
		return r.commaEnds(j+1, in)
	case c == ')':
		return in == '('
	case c == '}' || c == ']':
		return r.bracketsEnd(j)
	case c == '+':
		_, open := quoteAt(r.s, skipSpace(r.s, j+1))
		return open
	case commentAt(r.s, j): // a long one
		return true
	case in == '[' || in == '(':
		return j > i && startsValue(r.s, j)
	}
	_, open := quoteAt(r.s, j)
	_, key := keyAt(r.s, j)
	return key && (open || strings.Contains(r.s[i:j], "\n"))
}

// commaEnds reports whether a comma before i parts two members of the given
// bracket, or is only a comma in a text.
func (r *reader) commaEnds(i int, in byte) bool {
	j := skipSpace(r.s, i)
	for j < len(r.s) && r.s[j] == ',' {
		j = skipSpace(r.s, j+1)
	}
	if j >= len(r.s) || strings.HasPrefix(r.s[j:], "...") {
		return true
	}
	if strings.HasPrefix(r.s[j:], "```") {
		return r.fenced
	}
	if c := r.s[j]; c == '}' || c == ']' || c == ')' && in == '(' {
		return true
	}
	if commentAt(r.s, j) {
		return true
	}
	_, key := keyAt(r.s, j)
	return key || in != '{' && (startsValue(r.s, j) || r.s[j] == '(')
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
		return r.commaEnds(i+1, '[')
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
	for {
		_, after, found := strings.Cut(rest, `"`)
		if !found {
			return true
		}
		rest = strings.TrimLeft(after, " \t")
		if strings.HasPrefix(rest, "}") {
			return false
		}
	}
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
