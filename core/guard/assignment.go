package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// assigned is a value and how it was written.
type assigned struct {
	key    string
	v      string
	quoted bool
	colon  bool // key: value
	tight  bool // key=value, as in an environment, a query or a connection string
	loud   bool // THE_KEY is in capitals, as in an environment
	told   bool // the key is value
	spaced bool // a blank is before the value
	listed bool // "key", "value", or KEY 'value'
	far    bool // words stand between the name of the secret and the value
	after  byte // what follows the value, a newline at the end
	rest   string
}

// assignment finds the value that a name of a secret is given by what stands at the scanner: = : > ( , a quote, or a blank
// behind a word.
func (sc *scanner) assignment() (Finding, bool) {
	c := sc.s[sc.i]
	loose := false // nothing but a blank tells that it is a value
	if isBlank(c) {
		var ok bool
		if loose, ok = sc.takesBlank(); !ok {
			return Finding{}, false
		}
	}
	key, ok := sc.key()
	if !ok {
		return Finding{}, false
	}
	at, compare := sc.skipOperator()
	if at < 0 {
		return Finding{}, false
	}
	a := assigned{key: sc.s[key.start:key.end], colon: c == ':', listed: c == ',' || c == '"' || c == '\''}
	if sc.cookie && c == '=' {
		return sc.cookieValue(a.key, at)
	}
	if c == ':' && hasPrefixFold(a.key, "cookie") || hasPrefixFold(a.key, "set-cookie") {
		sc.cookie = true
		return Finding{}, false
	}
	query := key.start > sc.done && strings.IndexByte("?&", sc.s[key.start-1]) >= 0
	if !sc.r.mayBeNamed(sc.s[key.start:key.end]) {
		return Finding{}, false
	}
	n, ok := sc.r.named(sc.keyAt(key.start, key.end))
	if !ok || n.query && (!query || c != '=') || compare && !startsQuoted(sc.s[at:]) {
		return Finding{}, false
	}
	switch n.kind {
	case kindRecovery:
		sc.codes = sc.codes || c == ':' || c == '='
		return Finding{}, false
	case kindPrivateKey: // Private-Lines: 1, and the lines
		_, lines, _ := strings.Cut(sc.s[at:], "\n")
		start := len(sc.s) - len(lines)
		n := base64Lines(lines)
		return Finding{kindPrivateKey, start, start + n}, n > 0 && start <= at+8
	}
	a.tight = (c == '=' || c == '>') && key.end == sc.i && at < len(sc.s) && !isSpace(sc.s[at])
	a.loud = a.tight && strings.IndexFunc(a.key, unicode.IsLower) < 0
	if c == ':' && n.kind == kindPassword && key.start > sc.done && sc.s[key.start-1] == '/' { // user/pass: lena/X
		n.kind = kindLogin
	}
	a.far = loose
	f, ok := sc.judge(n, a, at)
	if loose && ok && !isMixed(sc.s[f.Start:f.End]) && !strings.ContainsAny(sc.s[f.Start:f.End], "!#$%^&*+=~?@") {
		return Finding{}, false
	}
	ends := ""
	switch {
	case query:
		ends = "&#"
	case key.start > sc.done && sc.s[key.start-1] == ';': // a connection string
		ends = ";"
	}
	if end := strings.IndexAny(sc.s[f.Start:f.End], ends); ok && end > 0 {
		f.End = f.Start + end
	}
	return f, ok
}

// takesBlank reports whether a value may follow the word before the blank at the scanner: that of an option, or the password
// of a line of netrc. It is loose behind any other password.
func (sc *scanner) takesBlank() (loose, ok bool) {
	start := sc.wordBefore(sc.i)
	if start >= 1 && sc.s[start-1] == '-' || start < sc.i && sc.s[start] == '-' {
		return false, true
	}
	w := sc.s[start:sc.i]
	if len(w) != len("password") || !strings.EqualFold(w, "password") && !strings.EqualFold(w, "passwort") && !strings.EqualFold(w, "kennwort") {
		return false, false
	}
	before := sc.s[max(sc.done, start-160):start]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	return !strings.Contains(before, "login ") || !strings.Contains(before, "machine ") && !strings.Contains(before, "default "), true
}

// cookieValue finds the value of a cookie that keeps a session.
func (sc *scanner) cookieValue(key string, at int) (Finding, bool) {
	n := at
	for n < len(sc.s) && sc.s[n] < utf8.RuneSelf && !isSpace(sc.s[n]) && strings.IndexByte(";\"'\\", sc.s[n]) < 0 {
		n++
	}
	v := sc.s[at:n]
	if len(v) < 6 || isTemplate(v) || isPlaceholder(v) || holdsMark(sc.s, at, n) {
		return Finding{}, false
	}
	name, ok := sc.r.named(key)
	if ok && !isWordy(v) || len(v) >= 16 && isRandom(v) {
		kind := kindSession
		if ok {
			kind = name.kind
		}
		return Finding{kind, at, n}, true
	}
	return Finding{}, false
}

func startsQuoted(s string) bool {
	s = strings.TrimLeft(s[:min(len(s), 8)], " ")
	return s != "" && strings.IndexByte("\"'`", s[0]) >= 0
}

// judge returns the value that begins at at, if it is the secret that n names.
func (sc *scanner) judge(n name, a assigned, at int) (Finding, bool) {
	val, quoted := sc.measure(at)
	from := val.start
	if !quoted { // it ends at the blank of a mark
		from = max(from, val.end-markHead)
	}
	if val.start == val.end || holdsMark(sc.s, from, min(val.end+1, len(sc.s))) || strings.HasPrefix(sc.s[val.start:val.end], "-----BEGIN ") {
		return Finding{}, false
	}
	if val, quoted = sc.wholeValue(n, a, at, val, quoted); val.start == val.end {
		return Finding{}, false
	}
	a.v, a.quoted, a.spaced = sc.s[val.start:val.end], quoted, val.start > at
	a.after, a.rest = '\n', sc.s[val.end:min(len(sc.s), val.end+64)]
	if a.rest != "" {
		a.after = a.rest[0]
	}
	if n.kind == kindLogin {
		return sc.pair(val.start, val.end, quoted)
	}
	f := Finding{n.kind, val.start, val.end}
	if rest, ok := afterScheme(a.v); ok {
		f.Start += len(a.v) - len(rest)
		a.v = rest
	} else if n.kind == kindAuth && !quoted && isBlank(a.after) {
		return Finding{}, false // another scheme
	}
	if a.v == "" || !a.isSecret(sc.r, n) {
		return Finding{}, false
	}
	if f.Kind = sc.r.whole(a.v, f.Kind); f.Kind == kindAWSSecret && (len(a.v) != 40 || runLen(a.v, "/+") != 40) {
		f.Kind = kindSecret
	}
	return f, true
}

// wholeValue returns the value that was measured as far as it goes where it is given: words, where words are usual, and
// without what ends a sentence. It is empty if it is not given to the name at all.
func (sc *scanner) wholeValue(n name, a assigned, at int, val span, quoted bool) (span, bool) {
	switch c := sc.s[sc.i]; {
	case a.told:
	case c == '>': // of XML
		end := strings.IndexAny(sc.s[val.start:min(len(sc.s), val.start+200)], "<\n")
		if end < 0 || !strings.HasPrefix(sc.s[val.start+end:], "</") {
			return span{}, false
		}
		return span{val.start, val.start + end}, true
	case (c == '(' || c == ',') && !quoted:
		return span{}, false
	case c == '=' && val.start > at && sc.s[sc.i-1] != ' ' && !quoted && sc.isAssignment(val): // A= B=x
		return span{}, false
	}
	if quoted && n.kind != kindTOTP {
		return val, true
	}
	switch {
	case n.kind == kindTOTP:
		val.end += restOfWords(sc.s[val.end:], true)
	case n.ending == "passphrase" && !a.far:
		val.end += restOfWords(sc.s[val.end:], false)
		quoted = strings.Count(sc.s[val.start:val.end], " ") > 1
	case a.told && sc.isAssignment(val):
		return span{}, false
	case a.tight && val.end < len(sc.s) && sc.s[val.end] == ' ' && sc.inConnection(at):
		if end := strings.IndexAny(sc.s[val.end:min(len(sc.s), val.end+48)], ";=\"'\n"); end > 0 && sc.s[val.end+end] == ';' {
			val.end += end
		}
	}
	if !quoted {
		val.end = val.start + len(trimValue(sc.s[val.start:val.end], a.told))
	}
	return val, quoted
}

// isAssignment reports whether the value is one to another name: NAME=x.
func (sc *scanner) isAssignment(val span) bool {
	i := strings.IndexByte(sc.s[val.start:val.end], '=')
	return i > 0 && isIdentPath(sc.s[val.start:val.start+i])
}

// inConnection reports whether the name whose value begins at at stands in a connection string: behind a semicolon.
func (sc *scanner) inConnection(at int) bool {
	start := sc.wordBefore(at - 1)
	return start > sc.done && sc.s[start-1] == ';'
}

// pair finds the password in "lena / hunter2" or "lena:hunter2", which begins at start.
func (sc *scanner) pair(start, end int, quoted bool) (Finding, bool) {
	v := sc.s[start:end]
	if i := strings.IndexAny(v, ":/"); i > 0 && i+1 < len(v) {
		p := v[i+1:]
		return Finding{kindPassword, start + i + 1, end}, isStrong(p, false) && !isPlaceholder(p)
	}
	at := end
	for at < len(sc.s) && at < end+4 && strings.IndexByte(" /:,|", sc.s[at]) >= 0 {
		at++
	}
	joined := strings.Trim(sc.s[end:at], " ") != ""
	for _, and := range [...]string{"and ", "und ", "y ", "et ", "with ", "mit "} {
		if !joined && strings.HasPrefix(sc.s[at:], and) {
			at += len(and)
			joined = true
		}
	}
	if quoted || !joined {
		return Finding{}, false
	}
	val, _ := sc.measure(at)
	p := trimValue(sc.s[val.start:val.end], true)
	if p == "" || !isStrong(p, false) || sc.r.standsFor(p) || holdsMark(sc.s, val.start, min(val.end+1, len(sc.s))) {
		return Finding{}, false
	}
	return Finding{kindPassword, val.start, val.start + len(p)}, true
}

// restOfWords is the length of what continues a value of several words: groups of four of a TOTP seed, or the words of a
// passphrase as far as the line goes.
func restOfWords(s string, totp bool) int {
	n := 0
	for n+2 < len(s) && n < 120 && s[n] == ' ' {
		end := n + 1
		for end < len(s) && (isAlnum(s[end]) || s[end] >= utf8.RuneSelf || s[end] == '-') {
			end++
		}
		if end == n+1 || totp && end-n-1 != 4 {
			break
		}
		n = end
	}
	if !totp && n < len(s) && s[n] != '\n' && (s[n] != '.' && s[n] != ',' || n+1 < len(s) && s[n+1] > ' ') {
		return 0
	}
	return n
}

// trimValue cuts what ends a sentence or a bracket around it off an unquoted value.
func trimValue(v string, told bool) string {
	for v != "" {
		switch c := v[len(v)-1]; {
		case c == ')' && strings.Count(v, "(") >= strings.Count(v, ")"),
			c == ']' && strings.Count(v, "[") >= strings.Count(v, "]"),
			c == '}' && strings.Count(v, "{") >= strings.Count(v, "}"):
			return v
		case strings.IndexByte(")]}>.,:;", c) >= 0, told && c == '?':
			v = v[:len(v)-1]
		default:
			return v
		}
	}
	return v
}

// key returns the word before the operator at the scanner, over quotes, marks of emphasis and blanks.
func (sc *scanner) key() (span, bool) {
	s, op, end := sc.s, sc.s[sc.i], sc.i
	low := max(sc.done, sc.i-8)
	if end > low && op == '=' && strings.IndexByte(":?+", s[end-1]) >= 0 {
		end--
	}
	quote := false
	for end > low {
		c := s[end-1]
		quote = quote || c == '"' || c == '\'' || c == '`'
		if strings.IndexByte("\"'`\\ \t*", c) < 0 && (c != ']' || op != '=') {
			break
		}
		end--
	}
	gap := s[end:sc.i]
	switch op {
	case '(':
		if gap != "" {
			return span{}, false
		}
	case ',':
		if !quote {
			return span{}, false
		}
	case '"', '\'', '`':
		if gap == "" || strings.Trim(gap, " ") != "" {
			return span{}, false
		}
	case '>':
		if gap != "" {
			return span{}, false
		}
	}
	start := sc.wordBefore(end)
	for start < end && s[start] == '-' {
		start++
	}
	switch {
	case start == end, op == '>' && (start == sc.done || s[start-1] != '<'):
		return span{}, false
	case start > sc.done && s[start-1] == '$', start > sc.done+1 && s[start-1] == '{' && (s[start-2] == '$' || s[start-2] == '{'):
		return span{}, false
	}
	if trimmed := strings.TrimRight(s[start:end], "_.-"); trimmed != "" {
		end = start + len(trimmed)
	}
	if n := end - start; n <= 2 && allDigits(s[start:end]) && start > sc.done+1 && s[start-1] == ' ' { // unseal key 3
		end = start - 1
		start = sc.wordBefore(end)
	}
	return span{start, end}, start < end
}

// skipOperator returns where what is assigned begins, or -1, and whether it is
// not assigned but compared.
func (sc *scanner) skipOperator() (at int, compare bool) {
	s, i := sc.s, sc.i
	switch {
	case strings.IndexByte("\"'`", s[i]) >= 0:
		return i, false
	case s[i] != ':' && s[i] != '=':
		return i + 1, false
	case s[i] == ':':
		if i+1 < len(s) && (s[i+1] == ':' || s[i+1] == '=') || i > 0 && s[i-1] == ':' {
			return -1, false // :: and, as = follows, :=
		}
		return i + 1, false
	}
	for i++; i < len(s) && i < sc.i+3 && (s[i] == '=' || s[i] == '>'); i++ {
		compare = compare || s[i] == '='
	}
	return i, compare
}

// measure returns the value that begins at or after at. A quote that is not
// closed on its line does not count: text is often cut off.
func (sc *scanner) measure(at int) (span, bool) {
	s, start := sc.s, at
	for start < len(s) && start < at+16 && (isBlank(s[start]) || s[start] == '*') {
		start++
	}
	if start+1 < len(s) && strings.IndexByte("bBfFrRuUL@", s[start]) >= 0 && (s[start+1] == '"' || s[start+1] == '\'') {
		start++
	}
	if close, n := curlyQuote(s[start:]); n > 0 {
		if end := strings.Index(s[start+n:min(len(s), start+200)], close); end > 0 {
			return span{start + n, start + n + end}, true
		}
	}
	open := start
	for open < len(s) && open < start+4 && s[open] == '\\' {
		open++
	}
	if open == len(s) || strings.IndexByte("\"'`", s[open]) < 0 {
		return sc.unquoted(start), false
	}
	quote := s[start : open+1]
	start = open + 1
	for i := start; i < len(s) && s[i] != '\n'; i++ {
		if strings.HasPrefix(s[i:], quote) {
			return span{start, i}, true
		}
		if s[i] == '\\' && len(quote) == 1 {
			i++
		}
	}
	return sc.unquoted(start), true
}

// curlyQuote returns what closes the typographic quote that s begins with, and the length of that quote.
func curlyQuote(s string) (closing string, n int) {
	for _, q := range [...][2]string{{"“", "”"}, {"„", "“"}, {"«", "»"}, {"»", "«"}, {"‘", "’"}, {"‚", "‘"}, {"‹", "›"}} {
		if strings.HasPrefix(s, q[0]) {
			return q[1], len(q[0])
		}
	}
	return "", 0
}

// unquoted measures the value that begins at start. Where it ends does not
// depend on where it begins, so no text is measured twice.
func (sc *scanner) unquoted(start int) span {
	if sc.value.start <= start && start < sc.value.end {
		return span{start, sc.value.end}
	}
	i := start
	for i < len(sc.s) && !endsValue(sc.s[i:]) {
		_, n := utf8.DecodeRuneInString(sc.s[i:])
		i += n
	}
	sc.value = span{start, i}
	return sc.value
}

func endsValue(s string) bool {
	switch c := s[0]; {
	case c <= ' ':
		return true
	case isAlnum(c):
		return false
	case c >= utf8.RuneSelf:
		r, _ := utf8.DecodeRuneInString(s)
		return unicode.IsSpace(r) || unicode.IsPunct(r)
	case c == '\\':
		return len(s) == 1 || strings.IndexByte("nrt\"'", s[1]) >= 0
	case c == '<':
		return len(s) > 1 && (s[1] == '/' || isAlnum(s[1]))
	case c == '"' || c == '\'' || c == '`':
		return len(s) == 1 || !isAlnum(s[1])
	case c == ',' || c == ';' || c == '&' || c == '|':
		if len(s) == 1 || s[1] <= ' ' || s[1] == c || strings.IndexByte("\"'`)", s[1]) >= 0 {
			return true
		}
		n := 1 + runLen(s[1:min(len(s), 40)], "_-. ")
		return n > 1 && n < len(s) && s[n] == '=' // the next of a list
	}
	return false
}

// afterScheme cuts Bearer, Basic or Token off the value of an authorization.
func afterScheme(v string) (string, bool) {
	for _, scheme := range [...]string{"bearer ", "basic ", "token ", "apikey ", "ssws "} {
		if hasPrefixFold(v, scheme) {
			return strings.TrimLeft(v[len(scheme):], " "), true
		}
	}
	return v, false
}
