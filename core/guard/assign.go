package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// secretKey returns the kind of the secrets that are kept under key, or "". It
// is told by the end of the key, whatever its style: DB_PASSWORD, dbPassword,
// db-password and "db password" are one.
func secretKey(key string) string {
	var buf [64]byte
	b := buf[:0]
	for i := max(0, len(key)-len(buf)); i < len(key); i++ {
		if c := key[i]; isAlnum(c) {
			if c-'A' < 26 {
				c |= 0x20
			}
			b = append(b, c)
		}
	}
	ends := func(suffix string) bool { return len(b) >= len(suffix) && string(b[len(b)-len(suffix):]) == suffix }
	switch {
	case ends("password"), ends("passwd"), ends("passphrase"), ends("passcode"), ends("userpass"), ends("dbpass"), ends("userpwd"), ends("dbpwd"), ends("passwort"):
		return kindPassword
	case ends("pass"), ends("pwd"):
		if alone(key) {
			return kindPassword
		}
	case ends("token"):
		switch string(b) {
		case "maxtoken", "pertoken", "nexttoken", "pagetoken", "nextpagetoken", "continuationtoken", "canceltoken",
			"cancellationtoken", "eostoken", "bostoken", "padtoken", "unktoken", "septoken", "clstoken", "masktoken":
			return ""
		}
		return kindToken
	case ends("awssecretaccesskey"), ends("secretaccesskey"), ends("awssecretkey"), ends("awssecret"):
		return kindAWSSecret
	case ends("apikey"), ends("accesskey"), ends("accountkey"), ends("authkey"), ends("appkey"):
		return kindAPIKey
	case ends("secret"), ends("secretkey"), ends("privatekey"), ends("signingkey"), ends("encryptionkey"), ends("masterkey"),
		ends("credential"), ends("credentials"):
		return kindSecret
	case ends("authorization"), string(b) == "auth", ends("httpauth"):
		return kindAuth
	}
	return ""
}

// alone reports whether the pass or pwd that key ends with is a word: that of
// DB_PASS and dbPwd, but not of bypass, and not the working directory.
func alone(key string) bool {
	n := len(key) - len("pass")
	if key[len(key)-1]|0x20 == 'd' {
		n = len(key) - len("pwd")
	}
	switch {
	case n < 0:
		return false
	case n == 0:
		return key != "PWD"
	}
	return strings.IndexByte("_-.", key[n-1]) >= 0 || key[n]-'A' < 26 && key[n-1]-'a' < 26
}

// assigned is a value and how it was written.
type assigned struct {
	kind   string
	key    string
	v      string
	quoted bool
	colon  bool // key: value
	tight  bool // key=value, as in an environment, a query or a connection string
	loud   bool // THE_KEY is in capitals, as in an environment
	line   bool // key and value are a line of their own
	after  byte // what follows the value, a newline at the end
}

// assignment finds the value after the = : > or blank at the scanner, if the
// word before it is a key that secrets are kept under.
func (sc *scanner) assignment() (Finding, bool) {
	key, ok := sc.key()
	if !ok {
		return Finding{}, false
	}
	a := assigned{key: sc.s[key.start:key.end], kind: secretKey(sc.s[key.start:key.end])}
	if a.kind == "" {
		return Finding{}, false
	}
	at, compare := sc.skipOperator()
	if at < 0 {
		return Finding{}, false
	}
	val, quoted := sc.measure(at)
	a.v, a.quoted = sc.s[val.start:val.end], quoted
	from := val.start
	if !quoted { // it ends at the blank of a mark
		from = max(from, val.end-markHead)
	}
	if a.v == "" || compare && !quoted || holdsMark(sc.s, from, val.end) || strings.HasPrefix(a.v, "-----BEGIN ") {
		return Finding{}, false
	}
	a.after = '\n'
	if val.end < len(sc.s) {
		a.after = sc.s[val.end]
	}
	if sc.s[sc.i] == '>' && a.after != '<' {
		return Finding{}, false
	}
	if !quoted {
		a.v = strings.TrimRight(a.v, ")]}>.,:")
		if a.v == "" {
			return Finding{}, false
		}
		if n := val.start + len(a.v); n < val.end {
			a.after = sc.s[n]
		}
	}
	c := sc.s[sc.i]
	a.colon = c == ':'
	a.tight = (c == '=' || c == '>') && key.end == sc.i && val.start <= at && !isBlank(sc.s[val.start-1])
	a.loud = a.tight && strings.IndexFunc(a.key, unicode.IsLower) < 0
	a.line = a.after == '\n' && startsLine(sc.s[:key.start])
	f := Finding{a.kind, val.start, val.start + len(a.v)}
	if rest, ok := afterScheme(a.v); ok {
		f.Start += len(a.v) - len(rest)
		a.v = rest
	} else if a.kind == kindAuth && !quoted && isBlank(a.after) {
		return Finding{}, false // another scheme
	}
	if !a.isSecret() {
		return Finding{}, false
	}
	if k, n, ok := issued(a.v); ok && n == len(a.v) {
		f.Kind = k
	} else if f.Kind == kindAWSSecret && (len(a.v) != 40 || runLen(a.v, "/+") != 40) {
		f.Kind = kindSecret
	}
	return f, true
}

// key returns the word before the operator at the scanner, over quotes, marks
// of emphasis and blanks. "api key" is one.
func (sc *scanner) key() (span, bool) {
	w := sc.word
	gap := sc.s[w.end:sc.i]
	if n := len(gap); n > 0 && sc.s[sc.i] == '=' && strings.IndexByte(":?+", gap[n-1]) >= 0 {
		gap = gap[:n-1]
	}
	if w.start == w.end || len(gap) > 8 {
		return span{}, false
	}
	quote := strings.ContainsAny(gap, "\"'`")
	for i := range len(gap) {
		if c := gap[i]; strings.IndexByte("\"'`\\ \t*_", c) < 0 && (c != ']' || !quote) {
			return span{}, false
		}
	}
	if sc.s[sc.i] == '>' && (gap != "" || w.start == 0 || sc.s[w.start-1] != '<') {
		return span{}, false
	}
	if w.end-w.start == 3 && strings.EqualFold(sc.s[w.start:w.end], "key") &&
		sc.prev.start < sc.prev.end && sc.prev.end+1 == w.start && sc.s[sc.prev.end] == ' ' {
		w.start = sc.prev.start
	}
	return w, true
}

// skipOperator returns where what is assigned begins, or -1, and whether it is
// not assigned but compared.
func (sc *scanner) skipOperator() (at int, compare bool) {
	s, i := sc.s, sc.i
	switch {
	case s[i] == '>' || isBlank(s[i]):
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
	case c >= utf8.RuneSelf:
		r, _ := utf8.DecodeRuneInString(s)
		return unicode.IsSpace(r) || unicode.IsPunct(r)
	case c == ',':
		return len(s) == 1 || isSpace(s[1]) || s[1] == '"' || s[1] == '\''
	case c == '\\':
		return len(s) == 1 || strings.IndexByte("nrt\"'", s[1]) >= 0
	}
	return strings.IndexByte("\"'`;&<|", s[0]) >= 0
}

// startsLine reports whether what follows before is the first of its line, but
// for blanks, a quote, a mark of a list or export.
func startsLine(before string) bool {
	before = before[max(0, len(before)-24):]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	before = strings.Trim(before, " \t-*\"'`")
	return before == "" || before == "export"
}

// afterScheme cuts Bearer, Basic or Token off the value of an authorization.
func afterScheme(v string) (string, bool) {
	for _, scheme := range [...]string{"bearer ", "basic ", "token "} {
		if hasPrefixFold(v, scheme) {
			return strings.TrimLeft(v[len(scheme):], " "), true
		}
	}
	return v, false
}
