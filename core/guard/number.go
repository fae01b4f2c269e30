package guard

import "strings"

// digits are groups of digits with one separator between each two, such as
// "+49 (0)30 1234-567".
type digits struct {
	s      string
	groups [maxGroups]group
	count  int
	n      int  // digits in the groups
	plus   bool // + is before them
}

const maxGroups = 8

type group struct {
	start, end int
	sep        byte // what is before it: ' ', '-', '.', '/', or 0
	parens     bool // they are around it
}

func (g group) len() int { return g.end - g.start }

// readDigits reads the groups that s begins with, in at most 64 bytes.
func readDigits(s string) digits {
	d := digits{s: s}
	s = s[:min(len(s), 64)]
	i := 0
	if s[0] == '+' {
		d.plus = true
		i++
	}
	for sep := byte(0); i < len(s) && d.count < maxGroups; {
		g := group{sep: sep}
		if s[i] == '(' {
			g.parens = true
			i++
		}
		for g.start = i; i < len(s) && s[i]-'0' < 10; i++ {
		}
		g.end = i
		if g.len() == 0 {
			return d
		}
		if g.parens {
			if g.len() > 5 || i == len(s) || s[i] != ')' {
				return d
			}
			i++
		}
		d.groups[d.count] = g
		d.count++
		d.n += g.len()
		n := 0
		if sep, n = separator(s[i:]); n == 0 && !g.parens && (i == len(s) || s[i] != '(') {
			return d
		}
		i += n
	}
	return d
}

// separator returns what stands between two groups, and its length.
func separator(s string) (sep byte, n int) {
	switch {
	case s == "":
		return 0, 0
	case strings.IndexByte(" -./", s[0]) >= 0:
		return s[0], 1
	case strings.HasPrefix(s, "\u00a0"):
		return ' ', len("\u00a0")
	case strings.HasPrefix(s, "\u202f"):
		return ' ', len("\u202f")
	case strings.HasPrefix(s, "\u2011"):
		return '-', len("\u2011")
	}
	return 0, 0
}

// until returns the length of the first n groups, or 0 if what follows them
// belongs to the last.
func (d *digits) until(n int) int {
	end := d.groups[n-1].end
	if d.groups[n-1].parens {
		end++
	}
	if end == len(d.s) {
		return end
	}
	c := d.s[end]
	after := byte(' ')
	if end+1 < len(d.s) {
		after = d.s[end+1]
	}
	switch c {
	case '.', '-', '/', ':', '+':
		if isWordByte(after) || after == c {
			return 0
		}
	case '@', '%', '\\':
		return 0
	default:
		if isWordByte(c) && !isSeparator(d.s[end:]) {
			return 0
		}
	}
	return end
}

func isSeparator(s string) bool {
	_, n := separator(s)
	return n > 0
}

// all reports whether sep is between the first n groups.
func (d *digits) all(sep byte, n int) bool {
	for _, g := range d.groups[1:n] {
		if g.sep != sep || g.parens {
			return false
		}
	}
	return true
}

func (d *digits) lengths(want ...int) bool {
	if d.count < len(want) {
		return false
	}
	for i, n := range want {
		if d.groups[i].len() != n {
			return false
		}
	}
	return true
}

// join returns the digits of the first n groups, at most 20.
func (d *digits) join(buf *[20]byte, n int) []byte {
	b := buf[:0]
	for _, g := range d.groups[:n] {
		b = append(b, d.s[g.start:min(g.end, g.start+len(buf)-len(b))]...)
	}
	return b
}

// card returns the length of the number of a payment card.
func (d *digits) card() int {
	n := 0
	switch {
	case d.plus:
		return 0
	case d.lengths(16), d.lengths(15):
		n = 1
	case d.lengths(4, 4, 4, 4, 3):
		n = 5
	case d.lengths(4, 4, 4, 4):
		n = 4
	case d.lengths(4, 6, 5), d.lengths(4, 6, 4):
		n = 3
	default:
		return 0
	}
	sep := d.groups[min(1, n-1)].sep
	if d.groups[0].parens || n > 1 && (sep != ' ' && sep != '-' || !d.all(sep, n)) {
		return 0
	}
	var buf [20]byte
	if b := d.join(&buf, n); !isIssuer(b) || !luhn(b) {
		return 0
	}
	return d.until(n)
}

// isIssuer reports whether the number begins as those that cards of its length have.
func isIssuer(b []byte) bool {
	first := func(n int) int {
		v := 0
		for _, c := range b[:n] {
			v = v*10 + int(c-'0')
		}
		return v
	}
	two, three, four := first(2), first(3), first(4)
	switch len(b) {
	case 14: // Diners Club
		return three >= 300 && three <= 305 || two == 36 || two == 38 || two == 39
	case 15: // American Express
		return two == 34 || two == 37
	case 16, 19: // Visa, Mastercard, Discover, JCB, UnionPay
		return b[0] == '4' || two >= 51 && two <= 55 || four >= 2221 && four <= 2720 ||
			four == 6011 || two == 65 || three >= 644 && three <= 649 || four >= 3528 && four <= 3589 || two == 62
	}
	return false
}

func luhn(b []byte) bool {
	sum := 0
	for i, c := range b {
		v := int(c - '0')
		if (len(b)-i)%2 == 0 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return sum%10 == 0
}

// ssn returns the length of a US social security number.
func (d *digits) ssn(named bool) int {
	n := 0
	switch {
	case d.plus || d.groups[0].parens:
		return 0
	case d.lengths(3, 2, 4) && (d.all('-', 3) || named && d.all(' ', 3)):
		n = 3
	case named && d.lengths(9):
		n = 1
	default:
		return 0
	}
	var buf [20]byte
	b := string(d.join(&buf, n))
	if b[:3] == "000" || b[:3] == "666" || b[0] == '9' || b[3:5] == "00" || b[5:] == "0000" {
		return 0
	}
	return d.until(n)
}

// phone returns the length of a phone number. If a word says that it is one,
// hardly any form is asked for.
func (d *digits) phone(named bool) int {
	switch {
	case d.plus:
		return d.international(0, named)
	case strings.HasPrefix(d.s, "00") && (d.count > 1 || named) && !d.groups[0].parens:
		if n := d.international(2, named); n > 0 {
			return n
		}
	}
	if n := d.american(named); n > 0 {
		return n
	}
	if n := d.french(named); n > 0 {
		return n
	}
	if n := d.trunk(); n > 0 {
		return n
	}
	if !named || d.isDate() || d.lengths(1, 1) || d.all('.', d.count) && d.count == 4 {
		return 0
	}
	return d.most(7)
}

// most returns the length of as many groups as a phone number can have digits,
// or 0 if there are fewer than least.
func (d *digits) most(least int) int {
	n, count := 0, 0
	for count < d.count && n+d.groups[count].len() <= 15 {
		n += d.groups[count].len()
		count++
	}
	if n < least {
		return 0
	}
	return d.until(count)
}

func (d *digits) isDate() bool {
	return d.lengths(4, 2, 2) || d.lengths(2, 2, 4) || d.lengths(1, 1, 4) || d.lengths(4, 1, 1)
}

// international is for +49 30 123456 and, with skip for the zeros, 0049 30 123456.
func (d *digits) international(skip int, named bool) int {
	var buf [20]byte
	b := d.join(&buf, d.count)[skip:]
	if b[0] == '0' || d.groups[0].parens {
		return 0
	}
	if b[0] == '1' { // North America: always the same length
		for n := 1; n <= min(d.count, 4); n++ {
			if got := d.join(&buf, n)[skip:]; len(got) == 11 && got[1] >= '2' && got[4] >= '2' {
				return d.until(n)
			}
		}
		return 0
	}
	least := 9
	switch {
	case named:
		least = 7
	case d.count == 1:
		least = 10
	case d.count == 2 && d.groups[1].sep == '.': // a number with a fraction
		return 0
	case skip > 0 && d.lengths(4, 4, 4): // numbers in hexadecimal
		return 0
	case d.groups[0].len()-skip > 4 && !d.groups[1].parens: // not a country, nor one with its area
		return 0
	}
	for _, g := range d.groups[min(2, d.count):d.count] {
		if g.len() == 1 && !g.parens && !named && g.end != d.groups[d.count-1].end {
			return 0 // a list of numbers
		}
	}
	return d.most(least + skip)
}

// american is for (555) 234-5678 and 1-555-234-5678.
func (d *digits) american(named bool) int {
	i := 0
	if d.lengths(1, 3, 3, 4) && d.s[0] == '1' {
		i = 1
	} else if !d.lengths(3, 3, 4) {
		return 0
	}
	area, exchange, line := d.groups[i], d.groups[i+1], d.groups[i+2]
	switch {
	case d.s[area.start] < '2' || d.s[exchange.start] < '2' || exchange.parens || line.parens:
		return 0
	case area.parens && (line.sep == '-' || line.sep == '.' || line.sep == ' '):
	case exchange.sep != line.sep || exchange.sep == '/' || exchange.sep == ' ' && !named:
		return 0
	}
	return d.until(i + 3)
}

// french is for 06 12 34 56 78. The bytes of a dump look like it.
func (d *digits) french(named bool) int {
	if !d.lengths(2, 2, 2, 2, 2) || d.s[0] != '0' || d.s[1] == '0' {
		return 0
	}
	sep := d.groups[1].sep
	second := d.s[d.groups[1].start:d.groups[1].end]
	switch {
	case !d.all(sep, 5) || sep == '/' || sep == 0:
		return 0
	case named || sep == '.':
	case d.s[1] != '6' && d.s[1] != '7', second[0] == '0' && second[1] == d.s[1]+1, d.count > 5:
		return 0
	}
	return d.until(5)
}

// trunk is for numbers after a zero with an area: (030) 123456, 0170/1234567.
func (d *digits) trunk() int {
	area := d.groups[0]
	if d.count < 2 || d.s[area.start] != '0' || area.len() < 3 || area.len() > 5 || d.s[area.start+1] == '0' {
		return 0
	}
	least := 10
	switch {
	case area.parens, d.groups[1].sep == '/':
		least = 9
	case d.groups[1].sep != '-':
		return 0
	}
	total := area.len()
	n := 1
	for ; n < d.count && total+d.groups[n].len() <= 12; n++ {
		if sep := d.groups[n].sep; n > 1 && sep != ' ' && sep != '-' || d.groups[n].parens {
			break
		}
		total += d.groups[n].len()
	}
	if total < least || n < 2 {
		return 0
	}
	return d.until(n)
}

const nameID = "id"

// nameBefore tells by the word before a number what it is: [kindPhone],
// [kindSSN], [nameID] or "".
func nameBefore(before string) string {
	before = before[max(0, len(before)-48):]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	me := false
	for range 4 {
		before = strings.TrimRight(before, " \t:=.#\"'()*`>~")
		start := len(before)
		for start > 0 && (isWordByte(before[start-1]) || before[start-1] == '-') {
			start--
		}
		word := before[start:]
		if me && (strings.EqualFold(word, "call") || strings.EqualFold(word, "text")) {
			return kindPhone
		}
		me = strings.EqualFold(word, "me") || me && strings.EqualFold(word, "at")
		if kind, more := nameOf(word); !more {
			return kind
		}
		if strings.EqualFold(word, "security") && start >= 7 && strings.EqualFold(before[start-7:start], "social ") {
			return kindSSN
		}
		before = before[:start]
	}
	return ""
}

// nameOf is for one word, after which another may be asked for.
func nameOf(word string) (kind string, more bool) {
	if word == "" || len(word) > 32 {
		return "", false
	}
	if strings.HasSuffix(word, "Id") || strings.HasSuffix(word, "ID") {
		return nameID, false
	}
	var buf [32]byte
	lower := buf[:copy(buf[:], word)]
	for i, c := range lower {
		if c-'A' < 26 {
			lower[i] = c | 0x20
		}
	}
	switch string(lower) {
	case "phone", "phones", "phone_number", "phone-number", "phonenumber", "telephone", "tel", "telefon", "telefonnummer",
		"handy", "handynummer", "mobile", "mobil", "mobilnummer", "mobile_number", "cell", "cellphone", "fax", "whatsapp",
		"rufnummer", "téléphone", "tél", "teléfono", "telefono", "móvil", "movil":
		return kindPhone, false
	case "ssn", "ssns", "social_security_number", "social-security-number":
		return kindSSN, false
	case "id", "ids", "order", "trace", "span", "timestamp", "ts", "serial", "isbn", "build":
		return nameID, false
	case "number", "no", "nr", "nummer", "num", "is", "ist", "est", "es", "lautet", "me", "at", "on", "under", "unter", "security":
		return "", true
	}
	switch {
	case hasSuffix(lower, "_id"), hasSuffix(lower, "-id"):
		return nameID, false
	case hasSuffix(lower, "_phone"), hasSuffix(lower, "-phone"), hasSuffix(lower, "_tel"), hasSuffix(lower, "_mobile"), hasSuffix(lower, "_phone_number"):
		return kindPhone, false
	}
	return "", false
}

func hasSuffix(b []byte, suffix string) bool {
	return len(b) >= len(suffix) && string(b[len(b)-len(suffix):]) == suffix
}

// ibanLen returns the length of the IBAN that s begins with, or 0: written as
// one, or in groups of four.
func ibanLen(s string) int {
	if len(s) < 15 || s[1]-'A' >= 26 || s[2]-'0' >= 10 || s[3]-'0' >= 10 {
		return 0
	}
	want := ibanLength(s[:2])
	var b [34]byte
	n, i := 0, 0
	for ; i < len(s) && n < want; i++ {
		c := s[i]
		if c == ' ' && n%4 == 0 && n > 0 && s[i-1] != ' ' {
			continue
		}
		if c-'0' >= 10 && c-'A' >= 26 {
			return 0
		}
		b[n] = c
		n++
	}
	if want == 0 || n < want || i < len(s) && isWordByte(s[i]) {
		return 0
	}
	mod := 0
	for k := range n { // the first four are read last
		c := b[(k+4)%n]
		if c-'0' < 10 {
			mod = (mod*10 + int(c-'0')) % 97
		} else {
			mod = (mod*100 + int(c-'A') + 10) % 97
		}
	}
	if mod != 1 {
		return 0
	}
	return i
}

// ibanLength returns how long the IBANs of a country are, or 0.
func ibanLength(country string) int {
	const lengths = "NO15BE16DK18FO18FI18GL18NL18MK19SI19AT20BA20EE20KZ20XK20LT20LU20HR21LV21LI21CH21BH22BG22CR22GE22DE22IE22ME22RS22GB22VA22" +
		"GI23IQ23IL23TL23AE23AD24CZ24MD24PK24RO24SA24SK24ES24SE24TN24VG24PT25ST25LY25IS26TR26FR27GR27IT27MR27MC27SM27" +
		"AL28AZ28BY28CY28DO28GT28HU28LB28PL28BR29EG29PS29QA29UA29JO30KW30MU30MT31SC31LC32"
	for i := 0; i < len(lengths); i += 4 {
		if lengths[i:i+2] == country {
			return int(lengths[i+2]-'0')*10 + int(lengths[i+3]-'0')
		}
	}
	return 0
}
