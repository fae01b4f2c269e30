package guard

import "strings"

// flagged finds what a program that is called on the line takes as a secret: mysql -pX, curl -u user:X. The scanner is at
// the first byte of an option.
func (sc *scanner) flagged() (Finding, bool) {
	if sc.i > 0 && !isSpace(sc.s[sc.i-1]) {
		return Finding{}, false
	}
	sc.said.read(sc, sc.i)
	for _, f := range sc.said.program {
		rest, ok := strings.CutPrefix(sc.s[sc.i:], f.text)
		if !ok || rest == "" || f.login && !sc.said.login {
			continue
		}
		at := len(sc.s) - len(rest)
		switch c := rest[0]; {
		case f.form == '+':
			if isSpace(c) || c == '=' || c == '-' {
				continue
			}
		case isBlank(c) || c == '=':
			at++
		case f.form == '@' && len(f.text) == 2: // -ulena:X
		default:
			continue
		}
		return sc.argument(at, f.form)
	}
	return Finding{}, false
}

// argument finds the secret in the argument at at, which is written in that form.
func (sc *scanner) argument(at int, form byte) (Finding, bool) {
	val, _ := sc.measure(at)
	v := sc.s[val.start:val.end]
	sep := byte(0)
	switch form {
	case '@':
		sep = ':'
	case ',', '%':
		sep = form
	case '~':
		rest, ok := strings.CutPrefix(v, "pass:")
		if !ok {
			return Finding{}, false
		}
		v = rest
	}
	if sep != 0 {
		i := strings.IndexByte(v, sep)
		if i < 0 {
			return Finding{}, false
		}
		v = v[i+1:]
	}
	if v == "" || v[0] == '-' || sc.r.standsFor(v) || holdsMark(sc.s, val.end-min(len(v), markHead), min(len(sc.s), val.end+1)) {
		return Finding{}, false
	}
	return Finding{sc.r.whole(v, kindPassword), val.end - len(v), val.end}, true
}

// phrase finds the secret that the place behind the word tells, from start to the scanner: cargo login X.
func (sc *scanner) phrase(start int) (Finding, bool) {
	var buf [32]byte
	w := sc.s[start:sc.i]
	for _, p := range sc.r.phrases[string(appendLower(buf[:0], w))] {
		rest := sc.s[sc.i:min(len(sc.s), sc.i+256)]
		if !p.pattern.MatchString(rest) {
			continue
		}
		at := p.pattern.FindStringSubmatchIndex(rest)
		v := rest[at[2]:at[3]]
		if sc.r.standsFor(v) || holdsMark(sc.s, sc.i+at[2], min(len(sc.s), sc.i+at[3]+1)) {
			continue
		}
		return Finding{sc.r.whole(v, p.kind), sc.i + at[2], sc.i + at[3]}, true
	}
	return Finding{}, false
}
