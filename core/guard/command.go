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
		case f.form == '=':
			continue
		case f.form == '+':
			if isSpace(c) || c == '=' || c == '-' {
				continue
			}
		case isBlank(c) || c == '=':
			at++
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
	if i := strings.IndexByte(v, '\n'); i >= 0 {
		return Finding{}, false
	}
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
	if v == "" || v[0] == '-' || isTemplate(v) || isPlaceholder(v) || sc.r.isCommon(v) || holdsMark(sc.s, val.end-min(len(v), markHead), min(len(sc.s), val.end+1)) {
		return Finding{}, false
	}
	return Finding{sc.r.whole(v, kindPassword), val.end - len(v), val.end}, true
}

// login finds the secret that follows a login: vault login X. The scanner is behind the word login.
func (sc *scanner) login() (Finding, bool) {
	sc.said.read(sc, sc.i-len("login"))
	for _, f := range sc.said.program {
		if f.form == '=' {
			return sc.argument(sc.i, ' ')
		}
	}
	return Finding{}, false
}
