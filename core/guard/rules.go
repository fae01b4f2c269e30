package guard

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// What is known of secrets is data: an issuer, a name, a program is a line of one of these files.
var (
	//go:embed rules/issuers.tsv
	issuersFile string
	//go:embed rules/names.txt
	namesFile string
	//go:embed rules/flags.txt
	flagsFile string
	//go:embed rules/phrases.tsv
	phrasesFile string
	//go:embed rules/values.tsv
	valuesFile string
	//go:embed rules/bip39.txt
	bip39File string
)

// ruleSet is the embedded data as the scanner asks for it.
type ruleSet struct {
	byStart                [128]*[128][]issuer // by the first two bytes of the anchor
	inside                 []issuer            // those whose anchor stands anywhere in a word
	nouns                  map[string]string   // what a person calls a finding of a kind
	names                  [36 * 36][]name     // by the last two letters, the longest first
	flags                  map[string][]flag   // by program
	phrases                map[string][]issuer // by the first word
	tails                  [36 * 36 * 36]bool  // the last three letters of names
	marked                 lengths             // of those programs and words for hashes
	opens                  lengths             // of those words
	tells, fillers, owners map[string]bool     // words around a name: is, now, my
	placeholders           map[string]bool
	begins, parts          [][]byte        // of placeholders
	common                 map[string]bool // words that are no secrets
	hashes                 map[string]bool // words for what is made by a machine and no secret
	seed                   map[string]bool // the words of BIP-39
	passFile, afterAt      *regexp.Regexp  // host:port:database:user:password; what is behind the @ of user:password@host:port
	template, measure      *regexp.Regexp  // what is filled in elsewhere; a number with its unit, a version, a date
	spoken                 *regexp.Regexp  // words that are said
}

// lengths tells which words may be in a map, by their first two letters and their length.
type lengths [256 * 2]uint32

func (l *lengths) add(w string) { l[l.at(w)] |= 1 << min(len(w), 31) }

func (l *lengths) has(w string) bool { return l[l.at(w)]&(1<<min(len(w), 31)) != 0 }

func (l *lengths) at(w string) int {
	n := int(w[0] | 0x20)
	if len(w) > 1 {
		n += 37 * int(w[1]|0x20)
	}
	return n % len(l)
}

// issuer is how an issuer writes its tokens.
type issuer struct {
	kind, anchor string
	pattern      *regexp.Regexp
}

// name is how the name of a secret ends.
type name struct {
	ending, kind      string
	word, weak, query bool
}

// flag is how a program takes a secret.
type flag struct {
	text  string // such as -p
	form  byte   // ' ' a word of its own, '+' attached, '@' user:X, ',' user,X, '%' user%X, '~' pass:X
	login bool   // only with login before it
}

//nolint:gochecknoglobals // parsed once from the embedded files, and never changed
var rules = sync.OnceValue(readRules)

func readRules() *ruleSet {
	r := &ruleSet{
		nouns: map[string]string{}, phrases: map[string][]issuer{}, flags: map[string][]flag{},
		seed: map[string]bool{},
	}
	r.readValues()
	r.passFile = regexp.MustCompile(`^[^:]+:(?:\d{3,5}|\*):(?:\*|[A-Za-z][\w-]*):(?:\*|[A-Za-z][\w-]*):([^\s"'` + "`" + `:]{4,})(?:$|[\s"'` + "`" + `])`)
	r.afterAt = regexp.MustCompile(`^(?:[\w.-]*\(|[\w.-]+[:/]|/|[\d.]+(?:$|[^\w.-])|localhost(?:$|[^\w.-]))`)
	for line := range ruleLines(issuersFile) {
		f := strings.Split(line, "\t")
		kind, anchor, pattern := f[0], f[2], f[3]
		r.nouns[kind] = f[1]
		if text, ok := strings.CutPrefix(anchor, "*"); ok {
			r.inside = append(r.inside, issuer{kind, text, regexp.MustCompile(pattern)})
			continue
		}
		if r.byStart[anchor[0]] == nil {
			r.byStart[anchor[0]] = new([128][]issuer)
		}
		list := &r.byStart[anchor[0]][anchor[1]]
		*list = append(*list, issuer{kind, anchor, regexp.MustCompile("^" + pattern)})
	}
	for line := range ruleLines(namesFile) {
		kind, endings, _ := strings.Cut(line, ": ")
		kind, weak := strings.CutSuffix(kind, "~")
		for _, e := range strings.Fields(endings) {
			n := name{ending: strings.TrimLeft(e, "=?"), kind: strings.Trim(kind, "-"), word: e[0] == '=' || e[0] == '?', weak: weak, query: e[0] == '?'}
			key := lastTwo(n.ending)
			r.names[key] = append(r.names[key], n)
			for c := range 36 {
				if len(n.ending) == 2 || letterIndex(n.ending[len(n.ending)-3]) == c {
					r.tails[c*36*36+key] = true
				}
			}
		}
		if kind != "-" {
			r.nouns[kind] = strings.Replace(strings.ReplaceAll(kind, "_", " "), "api", "API", 1)
		}
	}
	for _, list := range r.names {
		slices.SortStableFunc(list, func(a, b name) int { return len(b.ending) - len(a.ending) })
	}
	for line := range ruleLines(flagsFile) {
		programs, flags, _ := strings.Cut(line, ": ")
		for _, p := range strings.Fields(programs) {
			p, login := strings.CutPrefix(p, "!")
			for _, f := range strings.Fields(flags) {
				r.flags[p] = append(r.flags[p], readFlag(f, login))
			}
		}
	}
	for line := range ruleLines(phrasesFile) {
		f := strings.Split(line, "\t")
		r.phrases[f[0]] = append(r.phrases[f[0]], issuer{f[1], f[0], regexp.MustCompile(f[2])})
		r.opens.add(f[0])
	}
	for w := range r.hashes {
		r.marked.add(w)
	}
	for w := range r.flags {
		r.marked.add(w)
	}
	for _, w := range strings.Fields(bip39File) {
		r.seed[w] = true
	}
	return r
}

// readValues reads what a value may be that is no secret.
func (r *ruleSet) readValues() {
	t := readTable(valuesFile)
	r.common, r.hashes, r.placeholders = t.set("COMMON"), t.set("HASHES"), t.set("IS")
	r.tells, r.fillers, r.owners = t.set("TELLS"), t.set("FILLERS"), t.set("OWNERS")
	for _, w := range t.words["HOLDS"] {
		r.parts = append(r.parts, []byte(w))
	}
	for _, w := range t.words["BEGINS"] {
		r.begins = append(r.begins, []byte(w))
	}
	r.template = regexp.MustCompile("(?s)" + strings.Join(t.words["TEMPLATE"], "|"))
	r.spoken = regexp.MustCompile(strings.Join(t.words["WORD"], "|"))
	r.measure = regexp.MustCompile("(?s)" + strings.Join(t.words["MEASURE"], "|"))
}

func readFlag(f string, login bool) flag {
	if last := f[len(f)-1]; strings.IndexByte("+@,%~", last) >= 0 {
		return flag{f[:len(f)-1], last, login}
	}
	return flag{f, ' ', login}
}

// isCommon reports whether v is a word that is said of secrets rather than being one.
func (r *ruleSet) isCommon(v string) bool {
	var buf [32]byte
	if len(v) > len(buf) {
		return false
	}
	return r.common[string(appendLower(buf[:0], v))]
}

// mayBeNamed is false if no name ends as the word does.
func (r *ruleSet) mayBeNamed(w string) bool {
	if len(w) < 2 {
		return false
	}
	tail := 0
	for i := max(0, len(w)-3); i < len(w); i++ {
		c := w[i] | 0x20
		if c-'a' >= 26 {
			return true
		}
		tail = tail*36 + letterIndex(c)
	}
	return len(w) < 3 || r.tails[tail]
}

// named returns the rule that tells the secrets kept under key, if there is one. It is told by the end of the key, whatever
// its style: DB_PASSWORD, dbPassword, db-password and "db password" are one.
func (r *ruleSet) named(key string) (name, bool) {
	var buf [64]byte
	b := foldKey(buf[:0], key)
	for len(b) > 0 && b[len(b)-1]-'0' < 10 { // password1
		b = b[:len(b)-1]
	}
	if len(b) < 2 {
		return name{}, false
	}
	for _, n := range r.names[lastTwo(b)] {
		if len(b) < len(n.ending) || string(b[len(b)-len(n.ending):]) != n.ending {
			continue
		}
		if n.word && !lastWordIs(key, n.ending) {
			continue
		}
		return n, n.kind != ""
	}
	return name{}, false
}

// lastTwo is the number of the last two letters of a folded key.
func lastTwo[T string | []byte](key T) int {
	return letterIndex(key[len(key)-2])*36 + letterIndex(key[len(key)-1])
}

func letterIndex(c byte) int {
	if c-'0' < 10 {
		return int(c - '0')
	}
	return int(c-'a') + 10
}

// foldKey appends the last letters and digits of key in lower case and without accents, as many as fit.
func foldKey(b []byte, key string) []byte {
	for i := max(0, len(key)-cap(b)); i < len(key); {
		c := key[i]
		if c < utf8.RuneSelf {
			if isAlnum(c) && len(b) < cap(b) {
				if c-'A' < 26 {
					c |= 0x20
				}
				b = append(b, c)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(key[i:])
		if c := unaccented(r); c != 0 && len(b) < cap(b) {
			b = append(b, c)
		}
		i += n
	}
	return b
}

func unaccented(r rune) byte {
	const from, to = "áàâäãåéèêëíìîïóòôöõúùûüñçÁÀÂÄÉÈÊËÍÓÔÖÚÜÑÇ", "aaaaaaeeeeiiiiooooouuuuncaaaaeeeeiooouunc"
	n := 0
	for _, f := range from {
		if f == r {
			return to[min(n, len(to)-1)]
		}
		n++
	}
	return 0
}

// lastWordIs reports whether key ends with word as a word of its own: that of DB_PASS and dbPass, but not of bypass, and
// not $PWD.
func lastWordIs(key, word string) bool {
	n, letters := len(key), len(word)
	for n > 0 && letters > 0 {
		_, size := utf8.DecodeLastRuneInString(key[:n])
		n -= size
		if isAlnum(key[n]) || size > 1 {
			letters--
		}
	}
	switch {
	case key == "PWD" || key == "OLDPWD":
		return false
	case n == 0:
		return true
	}
	return !isAlnum(key[n-1]) || key[n]-'A' < 26 && key[n-1]-'a' < 26
}

func appendLower(b []byte, s string) []byte {
	for i := range len(s) {
		c := s[i]
		if c-'A' < 26 {
			c |= 0x20
		}
		b = append(b, c)
	}
	return b
}

const longestToken = 1024

// issued reads the token of a known issuer that begins with s, where a word begins. start and end are those of the secret.
// If it is none, but looks like one that was made up, end is where what cannot be one ends.
func (r *ruleSet) issued(s string) (kind string, start, end int, ok bool) {
	if len(s) < 12 || (s[0]|s[1]) >= utf8.RuneSelf || r.byStart[s[0]] == nil {
		return "", 0, 0, false
	}
	for _, f := range r.byStart[s[0]][s[1]] {
		if !strings.HasPrefix(s, f.anchor) || !f.pattern.MatchString(s[:min(len(s), longestToken/4)]) {
			continue
		}
		body := s[len(f.anchor):min(len(s), len(f.anchor)+128)]
		if n := runLen(body, "_-./$,="); isMadeUp(body[:n]) {
			return "", 0, len(f.anchor) + n, false
		}
		if start, end, ok = f.match(s[:min(len(s), longestToken)]); ok {
			if end == longestToken {
				end += runLen(s[end:], "_-+/=")
			}
			return f.kind, start, end, true
		}
	}
	return "", 0, 0, false
}

// whole returns the kind of the token of a known issuer that v is, and of a JWT, or else.
func (r *ruleSet) whole(v, otherwise string) string {
	if strings.HasPrefix(v, "eyJ") {
		if n, ok := jwt(v); ok && n == len(v) {
			return kindJWT
		}
	}
	if k, start, end, ok := r.issued(v); ok && start == 0 && end == len(v) {
		return k
	}
	return otherwise
}

// holds finds the token of a known issuer anywhere in a word.
func (r *ruleSet) holds(word string) (kind string, start, end int, ok bool) {
	for _, f := range r.inside {
		if strings.Contains(word, f.anchor) {
			if start, end, ok := f.match(word); ok && strings.ContainsAny(word[start:end], "0123456789") {
				return f.kind, start, end, true
			}
		}
	}
	return "", 0, 0, false
}

// match returns where the secret stands in s. What goes on in letters is no match, and neither is what is obviously made up.
func (f issuer) match(s string) (start, end int, ok bool) {
	var at []int
	if f.pattern.NumSubexp() == 0 {
		at = f.pattern.FindStringIndex(s)
	} else if at = f.pattern.FindStringSubmatchIndex(s); at != nil {
		at = at[2:]
	}
	if at == nil {
		return 0, 0, false
	}
	start, end = at[0], at[1]
	for end > start && strings.IndexByte(".,-", s[end-1]) >= 0 {
		end--
	}
	if end < len(s) && end < longestToken && isAlnum(s[end]) {
		return 0, 0, false
	}
	return start, end, !isMadeUp(strings.TrimPrefix(s[start:end], f.anchor))
}

// isMadeUp reports whether the body of a token stands for one, as in a manual.
func isMadeUp(body string) bool {
	return isPlaceholder(body) || distinct(body) < 6 || strings.ContainsAny(body, "-_.") && isWordy(body)
}

// isSure reports whether what is kept under the name is a secret whatever it looks like.
func (n name) isSure() bool {
	return !n.weak && !n.query && n.kind != kindLogin && n.kind != kindPIN && n.kind != kindRecovery && n.kind != kindPrivateKey
}
