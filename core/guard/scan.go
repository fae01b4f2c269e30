package guard

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// scanner walks over a text once, from start to end. After a finding it goes on as if the mark stood in its place, so that
// masked text is read the same way.
type scanner struct {
	s      string
	r      *ruleSet
	i      int
	done   int  // the end of the last finding or mark: no rule looks at what is before it
	word   int  // the end of the last long word that was looked at
	value  span // the last unquoted value that was measured
	said   secretContext
	seed   int  // where words of a seed phrase begin that go on to the end of the text
	seeded int  // the end of the last such words
	cookie bool // in the header of a cookie
	codes  bool // in a list of recovery codes
	aws    int  // until here, the secret of an AWS access key is expected
}

type span struct{ start, end int }

func newScanner(s string) scanner { return scanner{s: s, r: rules(), seed: len(s)} }

func isAlnum(c byte) bool { return c-'0' < 10 || c|0x20-'a' < 26 }

// joins reports whether c is within a long word.
func joins(c byte) bool {
	if isAlnum(c) {
		return true
	}
	switch c {
	case '_', '-', '.', '~', ':', '+', '/':
		return true
	}
	return false
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isSpace(c byte) bool { return isBlank(c) || c == '\n' || c == '\r' }

func isHex(c byte) bool { return c-'0' < 10 || c|0x20-'a' < 6 }

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
		if f, ok := sc.step(); ok {
			sc.resume(f.Kind, f.End)
			return f, true
		}
	}
	return Finding{}, false
}

// step looks at what stands at the scanner and goes on behind it.
func (sc *scanner) step() (f Finding, ok bool) {
	switch c := sc.s[sc.i]; {
	case isAlnum(c):
		return sc.alnum()
	case c == '=' || c == ':' || c == '>':
		if c == ':' {
			if f, ok = sc.url(); ok {
				return f, true
			}
		}
		if f, ok = sc.assignment(); !ok && sc.i+1 < len(sc.s) && isBlank(sc.s[sc.i+1]) && (c == ':' || c == '=' && startsQuoted(sc.s[sc.i+1:])) {
			f, ok = sc.toldBy(1)
		}
	case c == '(' || c == ',' || c == '"' || c == '\'':
		if sc.mayTakeQuoted(c) {
			f, ok = sc.assignment()
		}
	case c == '-':
		if f, ok = sc.pem(); ok {
			break
		}
		if strings.HasPrefix(sc.s[sc.i:], "->") {
			f, ok = sc.toldBy(len("->"))
		} else {
			f, ok = sc.flagged()
		}
	case c == '|' && sc.inTable():
		f, ok = sc.toldBy(1)
	case c == 0xe2 && strings.HasPrefix(sc.s[sc.i:], "→"):
		f, ok = sc.toldBy(len("→"))
	case c == '/':
		f, ok = sc.flagged()
	case c == '@':
		f, ok = sc.userinfo()
	case c == '$' || c == '{':
		f, ok = sc.issued(sc.i)
	case c == '[':
		if n := markLen(sc.s[sc.i:]); n > 0 {
			sc.resume(sc.s[sc.i+len(markOpen):sc.i+n-1], sc.i+n)
			return Finding{}, false
		}
	case c == '\n':
		sc.cookie = false
	case c == '\\' || c == '%' || c == 0x1b:
		sc.i += escapeLen(sc.s[sc.i:])
		return Finding{}, false
	}
	sc.i++
	return f, ok
}

// inTable reports whether the bar at the scanner is between the cells of a table.
func (sc *scanner) inTable() bool {
	if sc.i == sc.done || sc.s[sc.i-1] != ' ' || sc.i+1 == len(sc.s) || sc.s[sc.i+1] != ' ' {
		return false
	}
	line := sc.s[max(sc.done, sc.i-64):sc.i]
	return strings.HasPrefix(strings.TrimLeft(line[strings.LastIndexByte(line, '\n')+1:], " "), "|")
}

// mayTakeQuoted reports whether a quoted value may be given to a name here: f("x"), f("name", "x"), NAME 'x'.
func (sc *scanner) mayTakeQuoted(c byte) bool {
	if sc.i == sc.done {
		return false
	}
	switch before := sc.s[sc.i-1]; c {
	case '(':
		return isAlnum(before) && startsQuoted(sc.s[sc.i+1:])
	case ',':
		return strings.IndexByte("\"'`", before) >= 0 && startsQuoted(sc.s[sc.i+1:])
	default:
		return before == ' '
	}
}

// resume goes on after a finding or a mark of that kind.
func (sc *scanner) resume(kind string, at int) {
	sc.i, sc.done, sc.value = at, at, span{}
	sc.said.restart(at)
	sc.seed = len(sc.s)
	if kind == kindAWSAccess {
		sc.aws = at + 240
	}
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

// alnum reads the letters and digits that begin here: they may begin a token,
// a long word that is one, or a word that a value follows.
func (sc *scanner) alnum() (Finding, bool) {
	s, start := sc.s, sc.i
	if f, ok := sc.issued(start); ok {
		return f, true
	} else if f.End > start {
		sc.i = f.End
		return Finding{}, false
	}
	if sc.codes {
		if f, ok := sc.recoveryCode(); ok {
			return f, true
		}
	}
	if strings.HasPrefix(s[start:], "eyJ") {
		n, ok := jwt(s[start:])
		sc.i += n
		return Finding{kindJWT, start, start + n}, ok
	}
	if start >= sc.word {
		sc.word = start + 1
		for sc.word < len(s) && joins(s[sc.word]) {
			sc.word++
		}
		if sc.word-start >= 16 {
			if f, ok := sc.longWord(start); ok {
				return f, true
			}
		}
	}
	lower := true
	n := start
	for ; n < len(s) && isAlnum(s[n]); n++ {
		lower = lower && s[n]-'a' < 26
	}
	sc.i = n
	if lower && start >= sc.seeded && sc.r.seed[s[start:n]] {
		f, ok := sc.seedPhrase(start)
		if ok {
			return f, true
		}
		sc.seeded = f.End
	}
	if sc.r.opens.has(s[start:n]) {
		if f, ok := sc.phrase(start); ok {
			return f, true
		}
	}
	if n == len(s) || !isBlank(s[n]) {
		return Finding{}, false
	}
	if f, ok := sc.scheme(s[start:n]); ok {
		return f, true
	}
	if n-start <= 7 && (start == 0 || s[start-1] < utf8.RuneSelf || s[start] == 's') {
		if f, ok := sc.verb(start); ok {
			return f, true
		}
	}
	if start > sc.done && s[start-1] == '-' || n-start == len("password") && (s[start]|0x20 == 'p' || s[start]|0x20 == 'k') {
		return sc.assignment() // --password hunter2, login lena password hunter2
	}
	return Finding{}, false
}

// verb finds the secret that the word from start to the scanner tells of what is before or behind it.
func (sc *scanner) verb(start int) (Finding, bool) {
	w := sc.s[start:sc.i]
	switch {
	case w == "code" || w == "codes":
		if n, ok := sc.r.named(sc.keyAt(start, sc.i)); ok && n.kind == kindRecovery {
			sc.codes = true
		}
		return Finding{}, false
	case w == "s" && start > sc.done && (sc.s[start-1] == '\'' || strings.HasSuffix(sc.s[:start], "’")):
		return sc.told(start)
	case w == "as" || w == "als":
		return sc.toldBehind(start)
	case !sc.r.tells[w]:
		return Finding{}, false
	}
	if f, ok := sc.toldBehind(start); ok {
		return f, true
	}
	return sc.told(start)
}

// issued finds the token of a known issuer at i.
func (sc *scanner) issued(i int) (Finding, bool) {
	kind, start, end, ok := sc.r.issued(sc.s[i:])
	return Finding{kind, i + start, i + end}, ok // not ok, it ends where none can be
}

// longWord finds a token in the long word from start to sc.word: that of an issuer, or one of which it was said before
// that it is one.
func (sc *scanner) longWord(start int) (Finding, bool) {
	word := sc.s[start:min(sc.word, start+longestToken/2)]
	letters, digits := count(word)
	if letters == 0 && digits < 16 || digits == 0 && letters < 16 {
		return Finding{}, false
	}
	if strings.Count(word, ":") >= 2 {
		if f, ok := sc.passFile(start); ok {
			return f, true
		}
	}
	if isWordy(word) {
		return Finding{}, false
	}
	if len(word) >= 20 {
		if kind, a, b, ok := sc.r.holds(word); ok {
			return Finding{kind, start + a, start + b}, true
		}
	}
	n := runLen(sc.s[start:], "_-+/")
	if start < sc.aws && n == 40 && isMixed(sc.s[start:start+n]) {
		return Finding{kindAWSSecret, start, start + n}, true
	}
	for start+n < len(sc.s) && sc.s[start+n] == '=' && n >= 16 {
		n++
	}
	return sc.announced(start, start+n)
}

// passFile finds the password in host:port:database:user:password.
func (sc *scanner) passFile(start int) (Finding, bool) {
	at := sc.r.passFile.FindStringSubmatchIndex(sc.s[start:min(len(sc.s), start+512)])
	if at == nil || isTemplate(sc.s[start+at[2]:start+at[3]]) {
		return Finding{}, false
	}
	return Finding{kindPassword, start + at[2], start + at[3]}, true
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
	if isPlaceholder(v) {
		return Finding{}, false
	}
	header := sc.i > len(word) && strings.HasSuffix(strings.TrimRight(sc.s[max(sc.done, sc.i-len(word)-24):sc.i-len(word)], " "), "uthorization:")
	random := len(v) >= 16 && isRandom(strings.TrimRight(v, "="))
	if (kind == kindBearer || header) && random || kind == kindBasic && isUserPass(v) {
		return Finding{sc.r.whole(v, kind), start, start + len(v)}, true
	}
	return Finding{}, false
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

// url finds the password in scheme://user:password@host: the scanner is at the colon.
func (sc *scanner) url() (Finding, bool) {
	const blanks = " \t\r\n\"'`<>\\"
	before := sc.s[max(0, sc.i-128):sc.i]
	scheme := strings.LastIndex(before, "://")
	if scheme < 1 || !isAlnum(before[scheme-1]) || strings.ContainsAny(before[scheme+len("://"):], "/?#:@"+blanks) {
		return Finding{}, false
	}
	rest := cutAny(sc.s[sc.i+1:min(len(sc.s), sc.i+1024)], blanks)
	authority := cutAny(rest, "/?#")
	at := strings.LastIndexByte(authority, '@')
	if at < 0 && !allDigits(authority) { // a / in a password
		at = strings.IndexByte(rest, '@')
	}
	if at < 1 {
		return Finding{}, false
	}
	v := rest[:at]
	if holdsMark(v, 0, at) || sc.r.standsFor(v) {
		return Finding{}, false
	}
	return Finding{sc.r.whole(v, kindURL), sc.i + 1, sc.i + 1 + len(v)}, true
}

func isName(v string) bool { return v != "" && v[0]|0x20-'a' < 26 && runLen(v, "_-") == len(v) }

// cutAny is s as far as the first of chars.
func cutAny(s, chars string) string {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i]
	}
	return s
}

// userinfo finds the password in user:password@tcp(host) and user:password@host:port, without a scheme, and the token in
// scheme://token@host: the scanner is at the @.
func (sc *scanner) userinfo() (Finding, bool) {
	before := sc.s[max(sc.done, sc.i-128):sc.i]
	start := strings.LastIndexAny(before, " \t\r\n\"'`()<>,;=@/") + 1
	v, kind := before[start:], kindToken
	if user, password, ok := strings.Cut(v, ":"); ok {
		v, kind = password, kindPassword
		rest := sc.s[sc.i+1 : min(len(sc.s), sc.i+128)]
		letters, _ := count(v)
		if !isName(user) || len(v) < 4 || !sc.r.afterAt.MatchString(rest) || letters == len(v) && !strings.Contains(cutAny(rest, ":/ "), "(") {
			return Finding{}, false
		}
	} else if !strings.HasSuffix(before[:start], "://") || len(v) < 16 || !isRandom(v) {
		return Finding{}, false
	}
	if sc.r.standsFor(v) || holdsMark(sc.s, sc.i-len(v), sc.i) {
		return Finding{}, false
	}
	return Finding{sc.r.whole(v, kind), sc.i - len(v), sc.i}, true
}

func isMixed(v string) bool {
	var upper, lower, digit bool
	for i := range len(v) {
		upper, lower, digit = upper || v[i]-'A' < 26, lower || v[i]-'a' < 26, digit || v[i]-'0' < 10
	}
	return upper && lower && digit
}

// wordBefore returns where the word begins that ends at end: letters, digits and what joins them.
func (sc *scanner) wordBefore(end int) int {
	low := max(sc.done, end-48)
	for i := end; i > low; {
		c := sc.s[i-1]
		if c < utf8.RuneSelf && !isAlnum(c) && c != '_' && c != '-' && c != '.' {
			return i
		}
		if i--; c >= utf8.RuneSelf && sc.s[i] >= 0xc0 {
			if r, _ := utf8.DecodeRuneInString(sc.s[i:]); unaccented(r) == 0 && r != 'ß' {
				_, n := utf8.DecodeRuneInString(sc.s[i:])
				return i + n
			}
		}
	}
	return low
}

func allDigits(v string) bool {
	_, digits := count(v)
	return digits == len(v)
}
