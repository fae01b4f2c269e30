package guard

import (
	"encoding/base64"
	"strings"
)

// scanner walks over a text once, from start to end. After a finding it goes on
// as if the mark stood in its place, so that masked text is read the same way;
// that, and that no rule accepts what holds a mark, is why masking twice is
// masking once.
type scanner struct {
	s          string
	i          int
	word, prev span    // the last two words: letters and digits joined by _ - and .
	value      span    // the last unquoted value that was measured
	ahead      Finding // the password of a URL, before which a token may stand
}

type span struct{ start, end int }

func isAlnum(c byte) bool { return c-'0' < 10 || c|0x20-'a' < 26 }

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isSpace(c byte) bool { return isBlank(c) || c == '\n' || c == '\r' }

// runLen returns how many bytes s begins with that are letters, digits or in extra.
func runLen(s, extra string) int {
	for i := range len(s) {
		if !isAlnum(s[i]) && strings.IndexByte(extra, s[i]) < 0 {
			return i
		}
	}
	return len(s)
}

// hasPrefixFold is strings.HasPrefix without regard to case; prefix is in lower case.
func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func (sc *scanner) next() (Finding, bool) {
	for sc.i < len(sc.s) {
		if f := sc.ahead; f.Kind != "" && sc.i >= f.Start {
			sc.ahead = Finding{}
			sc.resume(f.End)
			return f, true
		}
		var (
			f  Finding
			ok bool
		)
		switch c := sc.s[sc.i]; {
		case isAlnum(c):
			f, ok = sc.alnum()
		case c == '=' || c == ':' || c == '>':
			if url, found := sc.url(); found {
				sc.ahead = url
				sc.i += len("://")
				continue
			}
			f, ok = sc.assignment()
			sc.i++
		case c == '-':
			f, ok = sc.pem()
			sc.i++
		case c == '[':
			if n := markLen(sc.s[sc.i:]); n > 0 {
				sc.resume(sc.i + n)
			} else {
				sc.i++
			}
		case c == '\\' || c == '%' || c == 0x1b:
			sc.i += escapeLen(sc.s[sc.i:])
		default:
			sc.i++
		}
		if ok {
			if sc.ahead.Kind != "" && f.End > sc.ahead.Start {
				f.End = max(f.End, sc.ahead.End)
				sc.ahead = Finding{}
			}
			sc.resume(f.End)
			return f, true
		}
	}
	return Finding{}, false
}

func (sc *scanner) resume(at int) {
	sc.i = at
	sc.word, sc.prev, sc.value = span{at, at}, span{at, at}, span{}
}

// escapeLen is the length of the escape that s begins with, whose last byte
// must not be read as the first letter of what follows: \n, %3D, ESC[31m.
func escapeLen(s string) int {
	switch {
	case len(s) < 2:
		return 1
	case s[0] == '\\' && strings.IndexByte("bfnrtv0", s[1]) >= 0:
		return 2
	case s[0] == '%' && len(s) > 2 && isHex(s[1]) && isHex(s[2]):
		return 3
	case s[0] == 0x1b && s[1] == '[':
		n := 2
		for n < len(s) && (s[n]-'0' < 10 || s[n] == ';') {
			n++
		}
		if n < len(s) && isAlnum(s[n]) {
			n++
		}
		return n
	}
	return 1
}

func isHex(c byte) bool { return c-'0' < 10 || c|0x20-'a' < 6 }

// alnum reads the letters and digits that begin here: they may begin a token,
// and are or continue the word that a value may follow.
func (sc *scanner) alnum() (Finding, bool) {
	s, start := sc.s, sc.i
	kind, n, ok := issued(s[start:])
	if ok {
		return Finding{kind, start, start + n}, true
	}
	if n == 0 {
		for n = 1; start+n < len(s) && isAlnum(s[start+n]); n++ {
		}
	}
	sc.i = start + n
	if sc.continues(start) {
		sc.word.end = sc.i
	} else {
		sc.prev, sc.word = sc.word, span{start, sc.i}
	}
	if sc.i == len(s) || !isBlank(s[sc.i]) {
		return Finding{}, false
	}
	if f, ok := sc.scheme(s[start:sc.i]); ok {
		return f, true
	}
	if w := sc.word.start; w >= 2 && s[w-1] == '-' && s[w-2] == '-' {
		return sc.assignment() // --password hunter2
	}
	return Finding{}, false
}

// continues reports whether what begins at start belongs to the last word.
func (sc *scanner) continues(start int) bool {
	gap := sc.s[sc.word.end:start]
	if len(gap) == 0 || len(gap) > 2 || sc.word.start == sc.word.end {
		return false
	}
	for i := range len(gap) {
		if gap[i] != '_' && gap[i] != '-' && gap[i] != '.' {
			return false
		}
	}
	return true
}

// scheme finds what follows Bearer or Basic.
func (sc *scanner) scheme(word string) (Finding, bool) {
	var kind string
	switch {
	case strings.EqualFold(word, "bearer"):
		kind = kindBearer
	case strings.EqualFold(word, "basic"):
		kind = kindBasic
	default:
		return Finding{}, false
	}
	start := sc.i
	for start < len(sc.s) && start < sc.i+8 && isBlank(sc.s[start]) {
		start++
	}
	v := sc.s[start:]
	n := runLen(v, "-._~+/")
	for n < len(v) && v[n] == '=' {
		n++
	}
	if markLen(v[n:]) > 0 {
		return Finding{}, false
	}
	v = strings.TrimRight(v[:n], ".")
	if isPlaceholder(v) || kind == kindBearer && (len(v) < 16 || !isRandom(strings.TrimRight(v, "="))) || kind == kindBasic && !isUserPass(v) {
		return Finding{}, false
	}
	if k, n, ok := issued(v); ok && n == len(v) {
		kind = k
	}
	return Finding{kind, start, start + len(v)}, true
}

// isUserPass reports whether v is user:password in base64.
func isUserPass(v string) bool {
	var src, dst [128]byte
	v = strings.TrimRight(v, "=")
	if len(v) < 6 {
		return false
	}
	n := copy(src[:], v)
	if n == len(src) {
		n -= n % 4
	}
	m, err := base64.RawStdEncoding.Decode(dst[:], src[:n])
	if err != nil {
		return false
	}
	colon := false
	for _, c := range dst[:m] {
		if c < ' ' || c == 0x7f {
			return false
		}
		colon = colon || c == ':'
	}
	return colon
}

// url finds the password, or the token, in scheme://user:password@host.
func (sc *scanner) url() (Finding, bool) {
	if !strings.HasPrefix(sc.s[sc.i:], "://") || sc.word.end != sc.i || sc.word.start == sc.i {
		return Finding{}, false
	}
	start := sc.i + len("://")
	rest := sc.s[start:]
	end := strings.IndexAny(rest[:min(len(rest), 1024)], "/?# \t\r\n\"'`<>\\")
	if end < 0 {
		end = min(len(rest), 1024)
	}
	if holdsMark(rest, 0, end) {
		return Finding{}, false
	}
	at := strings.LastIndexByte(rest[:end], '@')
	if at < 0 {
		return Finding{}, false
	}
	kind := kindURL
	colon := strings.IndexByte(rest[:at], ':')
	if colon < 0 {
		kind = kindToken
		if !isRandom(rest[:at]) || at < 16 {
			return Finding{}, false
		}
	}
	v := rest[colon+1 : at]
	if v == "" || isTemplate(v) || isPlaceholder(v) {
		return Finding{}, false
	}
	if k, n, ok := issued(v); ok && n == len(v) {
		kind = k
	}
	return Finding{kind, start + colon + 1, start + at}, true
}

// pem finds a block of a private key: all of it, or as much as is there.
func (sc *scanner) pem() (Finding, bool) {
	const begin, end, dashes = "-----BEGIN ", "-----END ", "-----"
	s := sc.s[sc.i:]
	rest, ok := strings.CutPrefix(s, begin)
	if !ok {
		return Finding{}, false
	}
	label := strings.Index(rest[:min(len(rest), 48)], dashes)
	if label < 0 || !strings.Contains(rest[:label], "PRIVATE KEY") {
		return Finding{}, false
	}
	body := len(begin) + label + len(dashes)
	next := strings.Index(s[body:], dashes)
	if next < 0 || !strings.HasPrefix(s[body+next:], end) || longestRun(s[body:body+next]) < 16 || holdsMark(s, body, body+next) {
		n := piecesLen(s[body:])
		return Finding{kindPrivateKey, sc.i, sc.i + body + n}, n > 0
	}
	n := body + next + len(end)
	if closing := strings.Index(s[n:min(len(s), n+48)], dashes); closing >= 0 {
		n += closing + len(dashes)
	}
	return Finding{kindPrivateKey, sc.i, sc.i + n}, true
}

// piecesLen is the length of the lines of base64 that s begins with, written as
// lines or with \n between them.
func piecesLen(s string) int {
	end := 0
	for i := 0; i < len(s); {
		if isSpace(s[i]) || s[i] == '\\' {
			i += escapeLen(s[i:])
			continue
		}
		n := runLen(s[i:], "+/=")
		if n < 16 {
			break
		}
		i += n
		end = i
	}
	return end
}

// longestRun is the length of the longest piece of base64 in s, as far as 64.
func longestRun(s string) int {
	longest := 0
	for s != "" && longest < 64 {
		n := runLen(s, "+/=")
		longest = max(longest, n)
		s = s[min(len(s), n+1):]
	}
	return longest
}
