package guard

import (
	"strings"
	"unicode/utf8"
)

// secretContext holds what the line says so far about a secret that may follow, and which program was called.
type secretContext struct {
	at      int    // how far it was read
	noun    name   // the last name of a secret
	end     int    // where it ends
	words   int    // how many words were read since
	program []flag // how the last program takes secrets
	login   bool   // it was told to log in
	starts  int    // where the program's arguments begin
}

// restart forgets what was said of a secret: it was told.
func (p *secretContext) restart(at int) {
	p.at, p.noun, p.words = at, name{}, 0
}

// read follows the text as far as end. What was said before the last line but one is forgotten there: it is not read.
func (p *secretContext) read(sc *scanner, end int) {
	if line := strings.LastIndexByte(sc.s[p.at:max(p.at, end)], '\n'); line > 0 {
		if before := strings.LastIndexByte(sc.s[p.at:p.at+line], '\n'); before >= 0 {
			p.at += before
			p.noun, p.program, p.login = name{}, nil, false
		}
	}
	for i := p.at; i < end; {
		c := sc.s[i]
		if n := fullStop(sc.s[i:]); n > 0 {
			p.noun = name{}
			i += n
			continue
		}
		if isAlnum(c) || c >= utf8.RuneSelf {
			n := i + 1
			for n < end && (isAlnum(sc.s[n]) || sc.s[n] >= utf8.RuneSelf && fullStop(sc.s[n:]) == 0 || strings.IndexByte("_-.", sc.s[n]) >= 0 && n+1 < end && isAlnum(sc.s[n+1])) {
				n++
			}
			p.word(sc, i, n)
			i = n
			continue
		}
		switch {
		case c == '[' && markLen(sc.s[i:]) > 0:
			i += markLen(sc.s[i:])
			p.noun = name{}
			continue
		case c == '\n':
			if p.end == 0 || !strings.HasSuffix(strings.TrimRight(sc.s[p.end:i], " \t"), ":") {
				p.noun = name{}
			}
			p.program, p.login = nil, false
		case c == '|' || c == ';' || c == '&' && i+1 < end && (isSpace(sc.s[i+1]) || sc.s[i+1] == '&'):
			p.noun, p.program, p.login = name{}, nil, false
		case (c == '.' || c == '!' || c == '?') && i+1 < end && isSpace(sc.s[i+1]):
			p.noun = name{}
		}
		i++
	}
	p.at = max(p.at, end)
}

func (p *secretContext) word(sc *scanner, start, end int) {
	var buf [32]byte
	p.words++
	w := sc.s[start:end]
	if len(w) <= len(buf) && sc.r.marked.has(w) {
		lower := appendLower(buf[:0], w)
		if sc.r.hashes[string(lower)] {
			p.noun = name{}
			return
		}
		if f, ok := sc.r.flags[string(lower)]; ok && end < len(sc.s) && isBlank(sc.s[end]) {
			p.program, p.login, p.starts = f, false, end
		}
	}
	p.login = p.login || w == "login"
	if !sc.r.mayBeNamed(w) {
		return
	}
	if n, ok := sc.r.named(sc.keyAt(start, end)); ok && !n.query && n.kind != kindAuth {
		p.noun, p.end, p.words = n, end, 0
	}
}

// keyAt returns the word from start to end with up to two words before it: "api key", "mot de passe".
func (sc *scanner) keyAt(start, end int) string {
	low := max(sc.done, end-40)
	for range 3 {
		if start-2 < low || sc.s[start-1] != ' ' && sc.s[start-1] != '\'' {
			break
		}
		before := sc.wordBefore(start - 1)
		if before == start-1 || before < low {
			break
		}
		start = before
	}
	return sc.s[start:end]
}

// told finds the secret in "my password is hunter2": the scanner is behind the word that tells it, which begins at verb.
func (sc *scanner) told(verb int) (Finding, bool) {
	return sc.toldAt(verb, sc.i)
}

// toldBy finds the secret behind the n bytes at the scanner, if they tell what was named before: password for the router: X.
func (sc *scanner) toldBy(n int) (Finding, bool) { return sc.toldAt(sc.i, sc.i+n) }

// toldAt finds the secret at or after at, of which the text as far as verb tells that it is one.
func (sc *scanner) toldAt(verb, at int) (Finding, bool) {
	w := sc.s[verb:at]
	pair := w == "are" || w == "sind" || w == "son" || w == "sont"
	at = sc.afterFillers(at)
	if !pair && !mayBeTold(sc.s[at:]) {
		return Finding{}, false
	}
	p := &sc.said
	p.read(sc, verb)
	n := p.noun
	change := w == "to" || w == "auf" || w == "a" || w == "|"
	if n.kind == kindRecovery && pair {
		sc.codes = true
	}
	if n.kind == "" || n.kind == kindRecovery || p.words > 8 || (w == ":" && p.words == 0 && n.kind != kindLogin) || w == "|" && p.words > 0 ||
		n.ending == "pass" && (change || p.words > 0) || change && (p.words > 3 || n.weak) {
		return Finding{}, false
	}
	return sc.judge(n, assigned{key: sc.s[max(sc.done, p.end-len(n.ending)):p.end], told: true, far: p.words > 0 || change}, at)
}

// toldBehind finds the secret in "hunter2 is my password": the verb begins at verb and ends at the scanner.
func (sc *scanner) toldBehind(verb int) (Finding, bool) {
	at := sc.i
	for range 3 {
		for at < len(sc.s) && at < sc.i+48 && isBlank(sc.s[at]) {
			at++
		}
		end := at
		for end < len(sc.s) && end < at+16 && (isAlnum(sc.s[end]) || sc.s[end] >= utf8.RuneSelf || sc.s[end] == '-') {
			end++
		}
		if n, ok := sc.r.named(sc.s[at:end]); ok && n.kind == kindPassword && !n.weak && n.ending != "pass" {
			break
		}
		if !sc.r.owners[sc.s[at:end]] {
			return Finding{}, false
		}
		at = end
	}
	return sc.toldWord(verb)
}

// toldWord finds the word before verb, if it may be a password that is told behind it.
func (sc *scanner) toldWord(verb int) (Finding, bool) {
	if verb <= sc.done {
		return Finding{}, false
	}
	end := len(strings.TrimRight(sc.s[sc.done:verb], " \t\"'`")) + sc.done
	start := sc.done + strings.LastIndexAny(sc.s[sc.done:end], " \t\n\"'`(:") + 1
	start += lastUnspaced(sc.s[start:end])
	v := sc.s[start:end]
	if len(v) < 6 || !isStrong(v, true) || sc.r.standsFor(v) || isCode(sc.r, v, ' ') || holdsMark(sc.s, start, end) {
		return Finding{}, false
	}
	return Finding{kindPassword, start, end}, isMixed(v) || strings.ContainsAny(v, "!#$%^&*+=~?@_")
}

// mayBeTold reports whether what s begins with, as far as the next blank, may be a secret that is told: it is quoted, or
// more than a word.
func mayBeTold(s string) bool {
	if startsQuoted(s) || s != "" && s[0] >= utf8.RuneSelf {
		return true
	}
	if s == "" || strings.IndexByte("%$<{[(*/", s[0]) >= 0 { // a template, a path
		return false
	}
	plain := true
	for n := range min(len(s), 64) {
		c := s[n]
		if isSpace(c) {
			return n >= 4 && !plain
		}
		plain = plain && (c-'a' < 26 || n == 0 && c-'A' < 26 || c == ',' || c == '.' || c == '-' || c == ':')
	}
	return len(s) >= 4 && !plain
}

// afterFillers is where the value begins that is told at at: behind blanks, a colon, and words such as now.
func (sc *scanner) afterFillers(at int) int {
	for range 2 {
		next := at
		for next < len(sc.s) && next < at+4 && isBlank(sc.s[next]) {
			next++
		}
		end := next
		for end < len(sc.s) && end < next+16 && isAlnum(sc.s[end]) {
			end++
		}
		if !sc.r.fillers[sc.s[next:end]] {
			break
		}
		at = end
	}
	for end := at + 32; at < len(sc.s) && at < end && (isBlank(sc.s[at]) || sc.s[at] == ':' || sc.s[at] == '='); {
		at++
	}
	return at
}

// announced finds what was made by a machine, from start to end, if it was said before on the line that it is a secret.
func (sc *scanner) announced(start, end int) (Finding, bool) {
	v := sc.s[start:end]
	if len(v) < 16 || end < len(sc.s) && (sc.s[end] == '(' || sc.s[end] == '[' || sc.s[end] == '@') || holdsMark(sc.s, end, min(end+1, len(sc.s))) {
		return Finding{}, false
	}
	if start > sc.done && (sc.s[start-1] == '/' || sc.s[start-1] == '$' || sc.s[start-1] == '{') { // a path, a name
		return Finding{}, false
	}
	p := &sc.said
	p.read(sc, start)
	n := p.noun
	if n.kind == "" || p.words > 5 || isPlaceholder(v) || isCode(sc.r, v, ' ') || strings.Contains(v, "ABCDEFGHIJKLMN") {
		return Finding{}, false
	}
	base32 := strings.Trim(v, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567=") == ""
	hex := strings.IndexFunc(v, func(r rune) bool { return r >= utf8.RuneSelf || !isHex(byte(r)) && r != '-' }) < 0
	_, digits := count(v)
	switch {
	case n.kind == kindTOTP && base32:
	case distinct(v) < 8 || !isRandom(strings.TrimRight(v, "=")) || strings.Contains(v, "://"):
		return Finding{}, false
	case hex && (n.weak && n.kind != kindSession || len(v) < 32 || p.words > 4):
		return Finding{}, false
	case n.weak && n.kind != kindSession && (len(v) < 20 || !isMixed(v)):
		return Finding{}, false
	case len(v) < 20 && (!isMixed(v) || p.words > 2), digits == 0 && len(v) < 32, strings.Count(v, "/") > len(v)/10:
		return Finding{}, false
	}
	return Finding{n.secretKind(), start, end}, true
}

// secretKind is the kind as it is told.
func (n name) secretKind() string {
	if n.kind == kindLogin {
		return kindPassword
	}
	return n.kind
}

// recoveryCode finds the next of a list of codes. What else may stand in such a list is passed over; anything else ends it.
func (sc *scanner) recoveryCode() (Finding, bool) {
	n := runLen(sc.s[sc.i:], "-")
	v := strings.TrimRight(sc.s[sc.i:sc.i+n], "-")
	letters, digits := count(v)
	switch {
	case len(v) >= 6 && len(v) <= 40 && (digits > 1 || len(v)%2 == 1 && v[len(v)/2] == '-'), letters == 0 && digits >= 4:
		return Finding{kindRecovery, sc.i, sc.i + len(v)}, true
	case letters == 0, len(v) <= 3, sc.r.tells[v]:
		return Finding{}, false
	}
	sc.codes = false
	return Finding{}, false
}

// seedPhrase finds twelve words or more of BIP-39 from start, with blanks or the marks of a list between them. Where words go
// on to the end of the text, the scanner remembers it.
func (sc *scanner) seedPhrase(start int) (Finding, bool) {
	s, end, words, last := sc.s, start, 0, ""
	for i := start; ; words++ {
		n := i
		for n < len(s) && s[n]-'a' < 26 {
			n++
		}
		if !sc.r.seed[s[i:n]] || n < len(s) && isAlnum(s[n]) || s[i:n] == last {
			if n == len(s) && words >= 3 {
				sc.seed = start
			}
			break
		}
		last = s[i:n]
		end, i = n, n
		for i < len(s) && i < n+6 && strings.IndexByte(" \n,.)0123456789", s[i]) >= 0 {
			i++
		}
	}
	return Finding{kindSeed, start, end}, words >= 12
}
