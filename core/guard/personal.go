package guard

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// What personal data looks like is data: a form of a number is a line of this file.
//
//go:embed rules/personal.tsv
var personalFile string

// personalSet is the embedded data as the search asks for it.
type personalSet struct {
	numbers                []numberRule
	phone, ssn, id         *regexp.Regexp // the name before a number
	public, files, robots  map[string]bool
	iban                   map[string]int // the length by country
	notSSN                 *regexp.Regexp
	connectsTo, connection *regexp.Regexp // what is before and behind the name of a machine
}

// numberRule is how a number with a meaning is written.
type numberRule struct {
	kind, name  string
	least, most int // digits
	pattern     *regexp.Regexp
}

//nolint:gochecknoglobals // parsed once from the embedded file, and never changed
var personalRules = sync.OnceValue(readPersonalRules)

func readPersonalRules() *personalSet {
	t := readTable(personalFile)
	r := &personalSet{public: t.set("PUBLIC"), files: t.set("FILES"), robots: t.set("ROBOTS"), iban: map[string]int{}}
	for _, row := range t.rows {
		n := numberRule{kind: row[0], name: row[1], pattern: t.compile("^(?:" + row[3] + ")$")}
		if _, err := fmt.Sscanf(row[2], "%d-%d", &n.least, &n.most); err != nil {
			panic(err)
		}
		r.numbers = append(r.numbers, n)
	}
	for _, c := range t.words["IBAN"] {
		r.iban[c[:2]] = int(c[2]-'0')*10 + int(c[3]-'0')
	}
	const said = "(?:[_" + namedBy + "-]+(?:{SAID}))*[" + namedBy + "]*$"
	r.phone = t.compile(`(?i)(?:(?:^|[^\pL\d]){PHONE}|\b(?:call|text) me)` + said)
	r.ssn = t.compile(`(?i)\b{SSN}` + said)
	r.id = t.compile("(?:Id|ID|(?i:(?:^|[^\\pL\\d]){ID}))[" + namedBy + "]*$")
	r.notSSN = regexp.MustCompile(`^(?:000|666|9)|^...[ -]?00|0000$`)
	r.connectsTo = t.compile("(?:[/@$]|://\\S*:|(?:^|[\\s`]){REMOTE}(?:\\s+-\\S*(?:\\s+[^\\s-]\\S*)?|\\s+\\S*[/.:~=$]\\S*)*\\s+[\"']?)$")
	r.connection = regexp.MustCompile("^(?:[@({=/]|\\\\(?:$|[^nrt\"])|:(?:[\\d.*]|[^\\s\"'`,;)]*(?:[/~]|\\.git\\b)))")
	return r
}

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
	r := personalRules()
	var found []Finding
	done := 0 // the end of the last finding or mark
	for i := 0; i < len(s); {
		f := Finding{}
		switch c := s[i]; {
		case c == '@':
			f = r.email(s, i, done)
		case c == '[':
			if n := markLen(s[i:]); n > 0 {
				i += n
				done = i
				continue
			}
		case c-'0' < 10 || c == '+' || c == '(':
			f = r.number(s, i, done)
		case c-'A' < 26:
			f = r.bankAccount(s, i)
		}
		if f.Kind != "" {
			found = append(found, f)
			i, done = f.End, f.End
			continue
		}
		if isWordByte(s[i]) {
			for i+1 < len(s) && isWordByte(s[i+1]) {
				i++
			}
		}
		i++
	}
	return found
}

func isWordByte(c byte) bool { return isAlnum(c) || c == '_' || c >= utf8.RuneSelf }

// number finds what begins with a digit, a plus or a parenthesis at s[i].
func (r *personalSet) number(s string, i, done int) Finding {
	groups, n := readGroups(s[i:min(len(s), i+64)])
	if n == 0 || groups[n-1].digits < 7 || continuesNumber(s[done:i]) {
		return Finding{}
	}
	before := s[max(done, i-48):i]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	for ; n > 0; n-- {
		g := groups[n-1]
		v := s[i : i+g.end]
		for _, rule := range r.numbers {
			if g.digits < rule.least || g.digits > rule.most || !rule.pattern.MatchString(v) {
				continue
			}
			if rule.kind == "none" {
				return Finding{}
			}
			if endsNumber(s[i+g.end:]) && (rule.name == "-" || nameBefore(before) == rule.name) && r.isValid(rule.kind, v, before) {
				return Finding{rule.kind, i, i + g.end}
			}
		}
	}
	return Finding{}
}

// group is where a group of digits ends, and how many digits there are as far as there.
type group struct{ end, digits int }

// readGroups reads the groups of digits that s begins with, with one separator between each two: "+49 (0)30 1234-567".
func readGroups(s string) (groups [9]group, n int) {
	digits, gap := 0, 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r >= '0' && r <= '9':
			digits++
			gap = 0
			if i+1 == len(s) || s[i+1]-'0' >= 10 {
				if n == len(groups) {
					return groups, n
				}
				groups[n] = group{i + 1, digits}
				n++
			}
		case r == '(' || r == ')' || r == '+' && i == 0:
		case gap > 0 || r != ' ' && r != '-' && r != '.' && r != '/' && r != '\u00a0' && r != '\u202f' && r != '\u2011':
			return groups, n
		default:
			gap++
		}
		i += size
	}
	return groups, n
}

const (
	nameID  = "id"
	namedBy = " \t:=.#\"'()*`>~" // what may stand between a name and its number
)

// nameBefore tells by what is before a number what it is: [kindPhone], [kindSSN], [nameID] or "".
func nameBefore(before string) string {
	r := personalRules()
	bare := strings.TrimRight(before, namedBy)
	switch {
	case bare == "" || !isWordByte(bare[len(bare)-1]) || bare[len(bare)-1]-'0' < 10:
		return ""
	case r.id.MatchString(before):
		return nameID
	case r.phone.MatchString(before):
		return kindPhone
	case r.ssn.MatchString(before):
		return kindSSN
	}
	return ""
}

// isValid checks what a number of that kind promises.
func (r *personalSet) isValid(kind, v, before string) bool {
	switch kind {
	case kindCard:
		return luhn(v) && nameBefore(before) != nameID
	case kindSSN:
		return !r.notSSN.MatchString(v)
	}
	return true
}

// luhn reports whether the last of the digits in v checks the others.
func luhn(v string) bool {
	sum, double := 0, false
	for i := len(v) - 1; i >= 0; i-- {
		d := int(v[i]) - '0'
		if d < 0 || d > 9 {
			continue
		}
		if double {
			d *= 2
		}
		sum += d/10 + d%10
		double = !double
	}
	return sum%10 == 0
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

// endsNumber reports whether a number may end before rest.
func endsNumber(rest string) bool {
	if rest == "" {
		return true
	}
	next := byte(' ')
	if len(rest) > 1 {
		next = rest[1]
	}
	switch c := rest[0]; c {
	case '.', '-', '/', ':', '+':
		return !isWordByte(next) && next != c
	case '@', '%', '\\':
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return !isWordByte(rest[0]) || r == '\u00a0' || r == '\u202f' || r == '\u2011'
}

// bankAccount finds the IBAN that begins at s[i]: written as one, or in groups of four.
func (r *personalSet) bankAccount(s string, i int) Finding {
	if len(s)-i < 15 || s[i+2]-'0' >= 10 || i > 0 && isWordByte(s[i-1]) {
		return Finding{}
	}
	want := r.iban[s[i:i+2]]
	n, end, head, mod := 0, i, 0, 0
	for ; end < len(s) && n < want; end++ {
		c := s[end]
		value, scale := int(c-'0'), 10
		switch {
		case c == ' ' && n%4 == 0 && n > 0 && s[end-1] != ' ':
			continue
		case c-'A' < 26:
			value, scale = int(c-'A')+10, 100
		case c-'0' >= 10:
			return Finding{}
		}
		if n < 4 { // the first four are read last
			head = head*scale + value
		} else {
			mod = (mod*scale + value) % 97
		}
		n++
	}
	if want == 0 || n < want || end < len(s) && isWordByte(s[end]) || (mod*1_000_000+head)%97 != 1 {
		return Finding{}
	}
	return Finding{kindIBAN, i, end}
}

// email finds the address around the @ at s[at]. It begins at done at the earliest.
func (r *personalSet) email(s string, at, done int) Finding {
	start := localStart(s, at, done)
	end := at + 1 + hostLen(s[at+1:min(len(s), at+254)])
	if start == at || !r.isPublic(s[at+1:end]) || r.isRobot(s[start:at], s[at+1:end]) {
		return Finding{}
	}
	before := s[max(done, start-160):start]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	rest := s[end:min(len(s), end+128)]
	prompt := strings.HasSuffix(before, "[") && (strings.Contains(rest, "]#") || strings.Contains(rest, "]$")) // [user@host ~]$
	if prompt || r.connectsTo.MatchString(before) || r.connection.MatchString(rest) {
		return Finding{}
	}
	return Finding{kindEmail, start, end}
}

// localStart returns where the name before the @ at s[at] begins, or at.
func localStart(s string, at, from int) int {
	i := at
	for i > max(from, at-64) {
		r, n := utf8.DecodeLastRuneInString(s[from:i])
		if !unicode.IsLetter(r) && (r >= utf8.RuneSelf || !isAlnum(byte(r)) && strings.IndexByte("._%+-", byte(r)) < 0) {
			break
		}
		i -= n
	}
	if i > 0 && i < at && s[i-1] == '\\' && strings.IndexByte("nrt", s[i]) >= 0 {
		i++ // \n, written as two
	}
	for i < at && !isAlnum(s[i]) && s[i] < utf8.RuneSelf {
		i++
	}
	if i < at && s[at-1] == '.' {
		return at
	}
	return i
}

// hostLen returns the length of the name of a host that s begins with, without
// the dot or dash at its end. Labels have letters, digits and dashes.
func hostLen(s string) int {
	end, before := 0, '.'
	for i, r := range s {
		joins := r == '-' && before != '.' || r == '.' && before != '.' && before != '-'
		if !joins {
			if r == utf8.RuneError || !unicode.IsLetter(r) && (r < '0' || r > '9') {
				break
			}
			end = i + utf8.RuneLen(r)
		}
		before = r
	}
	return end
}

// isPublic reports whether mail could go to host: its last label is one of
// the public ones, and it is not a version or the name of a file.
func (r *personalSet) isPublic(host string) bool {
	dot := strings.LastIndexByte(host, '.')
	if dot < 1 {
		return false
	}
	first, rest, _ := strings.Cut(host, ".")
	if strings.Trim(strings.TrimPrefix(first, "v"), "0123456789") == "" && rest[0]-'0' < 10 || host[:dot] == "2x" || host[:dot] == "3x" {
		return false
	}
	var buf [12]byte
	label := host[dot+1:]
	if len(label) < 2 || len(label) > len(buf) {
		return strings.HasPrefix(label, "xn--")
	}
	lower := appendLower(buf[:0], label)
	if string(lower) != label && strings.ContainsFunc(label, unicode.IsLower) {
		return false // a name in code
	}
	country := len(lower) == 2 && lower[0]-'a' < 26 && lower[1]-'a' < 26
	return country && !r.files[string(lower)] || r.public[string(lower)]
}

// isRobot reports whether nobody reads what is sent to local@host.
func (r *personalSet) isRobot(local, host string) bool {
	var buf [64]byte
	return len(local) <= len(buf) && r.robots[string(appendLower(buf[:0], local))] ||
		hasPrefixFold(host, "users.noreply.") || hasPrefixFold(host, "noreply.") || strings.HasSuffix(host, ".gserviceaccount.com")
}
