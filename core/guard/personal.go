package guard

import "unicode/utf8"

// findPersonal returns the personal data in s in order: email addresses, phone
// numbers, IBANs, payment cards, US social security numbers.
//
// Developers write many things that look alike, so it is strict. These are not
// found: addresses that nobody reads (noreply@, git@, service accounts, hosts
// without a public domain), user@host where a shell or a URL names a machine,
// phone numbers in a national form that could be another number unless a word
// such as "phone" is before them, IBANs and cards whose check digits are wrong,
// postal and IP addresses, names. An address at example.com is an address.
func findPersonal(s string) []Finding {
	p := personalScanner{s: s}
	for p.i < len(s) {
		p.step()
	}
	return p.found
}

type personalScanner struct {
	s     string
	i     int
	done  int // the end of the last finding or mark
	found []Finding
}

func (p *personalScanner) add(kind string, start, end int) {
	p.found = append(p.found, Finding{kind, start, end})
	p.i, p.done = end, end
}

func (p *personalScanner) step() {
	s, i := p.s, p.i
	switch c := s[i]; {
	case c == '@':
		if start, end, ok := emailAt(s, i, p.done); ok {
			p.add(kindEmail, start, end)
			return
		}
		p.i++
	case c == '[':
		if n := markLen(s[i:]); n > 0 {
			p.i += n
			p.done = p.i
			return
		}
		p.i++
	case c-'0' < 10 || c == '+' || c == '(':
		if kind, n := p.number(); n > 0 {
			p.add(kind, i, i+n)
			return
		}
		if c == '(' {
			p.i++
			return
		}
		p.skipWord()
	case c-'A' < 26:
		if n := ibanLen(s[i:]); n > 0 {
			p.add(kindIBAN, i, i+n)
			return
		}
		p.skipWord()
	case isWordByte(c):
		p.skipWord()
	default:
		p.i++
	}
}

// skipWord goes to the end of the letters and digits that begin here.
func (p *personalScanner) skipWord() {
	for p.i++; p.i < len(p.s) && isWordByte(p.s[p.i]); p.i++ {
	}
}

func isWordByte(c byte) bool { return isAlnum(c) || c == '_' || c >= utf8.RuneSelf }

// number finds what begins with a digit, a plus or a parenthesis here.
func (p *personalScanner) number() (kind string, n int) {
	s, i := p.s, p.i
	if continuesNumber(s[p.done:i]) {
		return "", 0
	}
	d := readDigits(s[i:])
	if d.n < 7 {
		return "", 0
	}
	name := nameBefore(s[p.done:i])
	if n := d.card(); n > 0 && name != nameID {
		return kindCard, n
	}
	if n := d.ssn(name == kindSSN); n > 0 {
		return kindSSN, n
	}
	return kindPhone, d.phone(name == kindPhone)
}

// continuesNumber reports whether what follows before belongs to what is
// before it: the parts of a UUID, of a version, of a date, of a path.
func continuesNumber(before string) bool {
	if before == "" {
		return false
	}
	prev := byte(' ')
	if len(before) > 1 {
		prev = before[len(before)-2]
	}
	switch c := before[len(before)-1]; c {
	case '.', '-', '/':
		return isWordByte(prev) || prev == c
	case ':', '+':
		return prev-'0' < 10 || prev == c
	case '#', '$', '@', '\\', '%':
		return true
	default:
		return isWordByte(c) && c < utf8.RuneSelf
	}
}
