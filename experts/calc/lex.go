package calc

import (
	_ "embed"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/yaap-chat/yaap/experts/plain"
)

//go:embed words.txt
var wordsFile string

//go:embed units.txt
var unitsFile string

const (
	maxTokens = 3 * maxSteps / 2
	maxSlips  = 2
	maxUnread = 2 // words
)

// token is one piece of a prompt. What text means depends on kind: the kinds
// are those of words.txt, and "num", "huge" and "unit".
type token struct {
	kind, text string
	num        *big.Rat // kind num, const
	unit       *unit    // kind unit
	word       string   // kind num: small, scale, frac or ordinal; kind op, ans or word: its name
}

func (t token) is(kind, text string) bool { return t.kind == kind && t.text == text }

// lexicon knows every word of words.txt and units.txt.
type lexicon struct {
	*plain.Table[token]
	numerals
	signs *strings.Replacer
	units []*unit // in the order of units.txt
	proportions

	notNumber, hexWord, baseWord, opened, compares, percents *regexp.Regexp
}

func newLexicon() *lexicon {
	const to = `(?: (?:to|in|into|as|nach|zu|en|a)\b)`
	l := &lexicon{
		numerals: newNumerals(), proportions: newProportions(),
		signs: plain.AccentReplacer("½", " 1/2", "¼", " 1/4", "¾", " 3/4", "⅓", " 1/3", "⅔", " 2/3", "—", " - ", "⁄", "/", "μ", "µ",
			"\u00a0", " ", "\u2007", " ", "\u2009", " ", "\u202f", " ", "\t", " ", "\n", " ", "\r", " "),
		notNumber: regexp.MustCompile(`^(?:\d{4}-\d{1,2}-\d{1,2}|20\d\d-[0-3]\d\d(?:$|[^\d.])|20\d\d-[Ww]\d\d|\d{1,2}[-/]\d{1,2}[-/]\d{4}|\d{1,2}/\d{1,2}/\d\d(?:$|[^\d.])|\d{4}/\d{1,2}/\d{1,2}|\d+:\d\d|\d+\.\.|\d+(?:\.\d+){2,}(?:$|[^,.\d]))`),
		hexWord:   regexp.MustCompile(`^([0-9a-f]+)(?: (?:in|from|aus|en))? (?:hex|hexadecimal|hexadezimal)` + to + `|^([0-9]*[a-f][0-9a-f]*)` + to + ` (?:decimal|dezimal|bin|o[ck]tal|base)`),
		compares:  regexp.MustCompile(`(?i)^\s*(?:(?:and|und|y)\s+)?(?:is|are|was|ist|sind|es|son)\s+(.+?)\s+(?:(more|higher|faster|hotter|warmer|older|further|farther|mehr|höher|schneller|älter|weiter|más|mayor)|(less|cheaper|slower|cooler|colder|younger|nearer|weniger|langsamer|billiger|jünger|kälter|menos|menor))\s+(?:than|als|que|de)\s`),
		percents:  regexp.MustCompile(`(?i)%|per ?cent|prozent|por ?ciento|^how\b|^wie\b|^cu[áa]nt`),
		opened:    regexp.MustCompile(`^ (?:the|an?|my|what|how|which|der|die|das|den|wie|was|el|la|los|las|una?|cuanto|que)\b`),
		baseWord:  regexp.MustCompile(`^(?:([01]+)(?: in| en)? (?:binary|binar|binario)|([0-7]+)(?: in| en)? (?:octal|oktal))` + to),
	}
	l.Table = plain.NewTable(wordsFile+unitsFile, func(head, names []string, add func(string, token)) {
		fold := func(name string, t token) { add(l.signs.Replace(name), t) }
		switch head[0] {
		case "proportion":
			for _, name := range names {
				l.said[head[1]] = append(l.said[head[1]], l.signs.Replace(name))
			}
		case "unit":
			l.units = append(l.units, addUnit(head[1:], names, fold))
		default:
			addWords(head, names, fold)
		}
	})
	return l
}

func rat(s string) *big.Rat {
	r, _ := new(big.Rat).SetString(s)
	return r
}

func addWords(head, names []string, add func(string, token)) {
	for i, name := range names {
		t := token{kind: head[0], text: strings.Join(head[1:], " ")}
		switch t.kind {
		case "op", "ans", "word":
			t.word = name
		case "per", "rate":
			t.unit = &unit{dim: "time", name: head[1], scale: rat(head[2])}
		case "const":
			t.text, t.num = head[1], rat(head[2])
		case "small", "scale", "frac":
			n, step := rat(head[1]), big.NewRat(int64(i), 1)
			if len(head) > 2 {
				n.Add(n, step.Mul(step, rat(head[2])))
			}
			if t.kind == "frac" {
				n.Inv(n)
			}
			t = token{kind: "num", word: t.kind, num: n, text: n.RatString()}
		}
		add(name, t)
	}
}

func addUnit(head, names []string, add func(string, token)) *unit {
	u := &unit{dim: head[0], name: head[1], scale: rat(head[2])}
	if len(head) > 3 {
		u.offset = rat(head[3])
	}
	for _, name := range append(names, u.name) {
		add(name, token{kind: "unit", text: u.name, unit: u})
		if last := name[len(name)-1]; len(name) > 1 && unicode.IsLetter(rune(last)) && last != 's' {
			add(name+"s", token{kind: "unit", text: u.name, unit: u})
		}
	}
	return u
}

// lexing is the state of cutting one prompt into tokens.
type lexing struct {
	*lexicon
	s        string // signs replaced
	at       int
	end      int // of the last token that says something
	out      []token
	currency string
	list     bool // the name of a list was read: commas separate
	open     bool // and a parenthesis after it: every comma does
	slips    int
	unread   int

	// what is asked of the whole prompt, when it is needed
	european  func() bool // the point of 1.250 separates thousands
	roman     func() bool // roman numerals are spoken of
	separated func() bool // something but a blank may separate the items of a list
	fractions func() bool // a comma between two digits of a list begins a fraction: 1,5 und 2,5
}

//nolint:gochecknoglobals // never change; see plain.LazyRegexp
var (
	romans   = plain.LazyRegexp(`(?-i)\b(?:roman|romisch|romano)`)
	european = plain.LazyRegexp(`(?-i)¿|\b(?:wie|was|viel|viele|sind|von|und|mit|ohne|durch|mal|prozent|runde|summe|durchschnitt|mittelwert|hoch|zu|auf|um|aus|rechne|berechne|mwst|mehrwertsteuer|rabatt|skonto|cuanto|cuantos|cuantas|cual|es|son|de|del|el|la|los|las|y|por|entre|mas|menos|iva|calcula)\b`)
	// commaList is a list of more than two numbers without a blank between them.
	commaList      = plain.LazyRegexp(`\d,\d+,\d`)
	listItem       = plain.LazyRegexp(`\d+(?:,\d+)?`)
	tightComma     = plain.LazyRegexp(`\d+,\d+`)
	otherSeparator = plain.LazyRegexp(`(?-i)[;&]|, | (?:und|y|e) `)
	separator      = plain.LazyRegexp(`(?-i)[,;&]| (?:and|und|y|e|to|bis|a) `)
	// comma is a number that may be one of thousands or one with three decimals.
	comma = plain.LazyRegexp(`(?-i)\b\d{1,3},\d{3}\b`)
)

// tokens cuts a prompt into tokens. Words that say nothing are dropped, and so
// is a currency; of two, their rate would be needed. An unknown word ends it.
func (l *lexicon) tokens(prompt string) []token {
	toks := l.cut(prompt, false)
	if n := len(toks); n > 1 && toks[n-1].kind == "list" { // "84 126 gcd"
		return l.cut(prompt, true)
	}
	return toks
}

// cut cuts a prompt into tokens; list is whether numbers of a list stand at its
// beginning.
func (l *lexicon) cut(prompt string, list bool) []token {
	x := &lexing{lexicon: l, s: l.signs.Replace(prompt), list: list}
	all := x.s
	says := func(what func() *regexp.Regexp) func() bool {
		return sync.OnceValue(func() bool { return what().MatchString(plain.Lower(all)) })
	}
	x.european, x.roman, x.separated = says(european), says(romans), says(separator)
	x.fractions = sync.OnceValue(func() bool {
		items, fractions := listItem().FindAllString(all, -1), tightComma().FindAllString(all, -1)
		each := len(fractions) == len(items) || slices.ContainsFunc(fractions, func(f string) bool { return len(f)-strings.Index(f, ",") == len(",68") })
		return each && x.european() && says(otherSeparator)() && !commaList().MatchString(all)
	})
	words := 0
	for x.at < len(x.s) {
		if x.s[x.at] == ' ' {
			x.at++
			continue
		}
		if i := slices.IndexFunc(x.out, func(t token) bool { return t.kind == "list" }); i >= 0 && x.s[x.at] == ':' && x.out[len(x.out)-1].kind != "num" {
			x.out = x.out[:i+1] // the mean of my last four build times: 12, 15, 22
		}
		start := x.at
		t := x.next()
		last := x.last()
		switch glued := start > 0 && isDigit(x.s[start-1]) && unicode.IsLetter(rune(x.s[start])); { // the a of 4a
		case t.kind == "money":
			if per := cents(x.currency, t.text); per != "" && (last.is("word", "in") || last.is("word", "to")) {
				x.out[len(x.out)-1] = token{kind: "op", text: per}
				x.out = append(x.out, token{kind: "num", text: "100", num: rat("100")})
				continue
			}
			amount := x.at < len(x.s) && isDigit(x.s[x.at]) // "add 20% to £120"
			if x.currency != "" && x.currency != t.text || !amount && (last.is("word", "in") || last.is("word", "to")) {
				panic(noRate(x.currency, t.text))
			}
			x.currency = t.text
		case t.kind == "skip" && glued:
			panic(unread)
		case t.kind != "skip":
			x.out = append(x.out, t)
			x.end = x.at
		}
		if words++; words > maxTokens {
			panic(tooLong)
		}
	}
	lists := slices.ContainsFunc(x.out, func(t token) bool {
		return t.kind == "list" || t.is("op", "share") || t.kind == "verb" && t.text != "convert" && t.text != "round"
	})
	for i, t := range x.out {
		switch {
		case t.is("op", "&") && (i == 0 || lists || x.out[i-1].kind == "unit" || x.out[i-1].num != nil && x.out[i-1].word != ""): // 3, 4 & 8; 5 ft & 3 in
			x.out[i] = token{kind: "word", text: "and"}
		case x.currency != "" && t.is("unit", "lb"):
			panic(noRate(x.currency, "pounds"))
		case x.currency != "" && t.is("unit", "m"): // $3.5m
			x.out[i] = token{kind: "num", word: "scale", num: rat("1e6"), text: "1000000"}
		}
		if i := strings.IndexByte(t.text, '.'); (x.currency != "" || strings.HasSuffix(t.text, "0")) && t.kind == "num" && i > 0 && i+4 == len(t.text) && t.num.Cmp(big.NewRat(1, 1)) >= 0 {
			panic(refusal("Is " + t.text + " more than a thousand? Write " + strings.Replace(t.text, ".", "", 1) + " if so, else fewer decimals."))
		}
	}
	return x.settled()
}

// settled are the tokens as those beside them say what they are: a percentage over an amount
// comes on top, and £17.50 times 40 hours is money.
func (x *lexing) settled() (out []token) {
	sells := slices.ContainsFunc(x.out, func(t token) bool { // 54 pounds are no weight then
		return t.kind == "topic" && (t.text == "tip" || t.text == "tax") || t.is("op", "off") && !strings.HasSuffix(t.word, "than") && !strings.HasSuffix(t.word, "als")
	})
	for i, t := range x.out {
		period := i+2 < len(x.out) && x.out[i+2].unit != nil
		if t.is("op", "/") && t.word == "over" && i > 0 && x.out[i-1].is("post", "%") && !period { // 8% over 620, and not 3% over 4 years
			t.text = "ontop"
		}
		priced := i > 0 && x.out[i-1].kind == "noun" && x.currency != "" && i+1 < len(x.out) && x.out[i+1].num != nil
		if priced && t.kind == "word" && (t.text == "to" || t.text == "in" || t.text == "zu") { // 3 Flaschen zu 1,80 Euro
			t.text = "at"
		}
		if sells && t.is("unit", "lb") {
			continue
		}
		paid := x.currency != "" && t.unit != nil && t.unit.dim == "time" && i > 1 && x.out[i-1].num != nil && x.out[i-2].is("op", "*")
		if !paid {
			out = append(out, t)
		}
	}
	return out
}

// cents is how a sum of one money becomes one of another, without a rate.
func cents(from, to string) string {
	switch {
	case from == "cents" && (to == "dollars" || to == "euros"):
		return "/"
	case to == "cents" && (from == "dollars" || from == "euros"):
		return "*"
	}
	return ""
}

func noRate(a, b string) refusal {
	if a != "" {
		b = "between " + a + " and " + b
	} else {
		b = "to " + b
	}
	return refusal("I cannot convert " + b + ": exchange rates change daily. Tell me the rate and I can multiply.")
}

func (x *lexing) last() token {
	if len(x.out) == 0 {
		return token{}
	}
	return x.out[len(x.out)-1]
}

// next reads one token.
func (x *lexing) next() token {
	s := x.s[x.at:]
	if t, n := x.literal(s); n > 0 {
		x.at += n
		return t
	}
	if n := plain.LetterPrefix(s); s[:n] != "I" {
		if number := romanNumber(s[:n]); number != nil && (n > 2 || x.roman()) {
			x.at += n
			return token{kind: "num", num: number, text: number.RatString()}
		}
	}
	found, n := x.Find(s)
	if last := x.last(); s[0] == '-' && last.word == "small" && x.s[x.at-1] != ' ' && plain.LetterPrefix(s[1:]) > 0 { // twenty-five, two-thirds
		x.at++
		return token{kind: "skip"}
	}
	if n == 0 {
		n = plain.LetterPrefix(s)
		if number := x.german(strings.ToLower(s[:n])); number != nil {
			x.at += n
			return token{kind: "num", word: "small", num: number, text: number.RatString()}
		}
		meant := x.CorrectTypo(s[:n])
		if found, _ := x.Find(meant); meant != "" && (found[0].kind == "skip" || found[0].kind == "topic" || found[0].kind == "num") { // these is not three
			meant = ""
		}
		if last := x.last(); meant == "" && n > 2 && x.at > 0 && x.at == x.end+1 && (last.kind == "num" || last.kind == "noun" || last.is("op", "per") || last.is("word", "howmany")) {
			x.at += n
			return token{kind: "noun", text: s[:n]}
		}
		if meant == "" && n > 2 && x.unread < maxUnread {
			x.unread++
			t := token{kind: "unread"}
			if x.at += n; len(x.out) == 0 && x.opened.MatchString(plain.Lower(x.s[x.at:min(len(x.s), x.at+12)])) {
				t.text = "opener"
			}
			return t
		}
		x.slips++
		if meant == "" || x.slips > maxSlips {
			panic(unread)
		}
		s = meant + s[n:] // of which more may be a name: "squre root"
		x.s = x.s[:x.at] + s
		found, n = x.Find(s)
	}
	x.at += n
	if found[0].word == "mal" && len(x.out) == 0 { // "rechne mal 3 + 4"
		return token{kind: "skip"}
	}
	x.list = x.list || found[0].kind == "list"
	x.open = x.open || x.last().kind == "list" && found[0].is("op", "(")
	if s[0] == '%' && x.modulo(x.at-n) {
		return token{kind: "op", text: "mod", word: "%"}
	}
	last := x.last()
	if t := found[0]; t.kind == "per" && last.kind != "interest" && !last.is("post", "%") && (last.word == "frac" || last.num == nil && last.kind != "unit" && last.kind != "noun") {
		return token{kind: "unit", text: t.text, unit: t.unit} // half an hour
	}
	if found[0].is("post", "%") && n > 7 && strings.ContainsAny(x.s[x.end:x.at-n], ":;?.") { // "from 40 to 50: percentage?"
		return token{kind: "about", text: "percent"}
	}
	if len(found) > 1 && found[0].is("op", "without") && last.kind != "num" && last.kind != "unit" { // sin is a function elsewhere
		return found[1]
	}
	wantsUnit := last.num != nil || last.kind == "unit" || last.is("word", "to") || last.is("word", "in") || last.is("word", "howmany")
	for _, t := range found {
		if (t.kind == "unit") == wantsUnit {
			return t
		}
	}
	return found[0]
}

// german is a number that is written as one word, nil for none: zweihundertfunfzig.
func (l *lexicon) german(word string) *big.Rat {
	if known, n := l.Find(word); n == len(word) && n > 0 && known[0].word == "small" {
		return known[0].num
	}
	for i, joint := range []string{"tausend", "hundert", "und"} {
		left, right, ok := strings.Cut(word, joint)
		if !ok || i == 2 && (left == "" || right == "") {
			continue
		}
		a, b := whole(1).n, new(big.Rat)
		if left != "" && left != "ein" {
			a = l.german(left)
		}
		if right != "" {
			b = l.german(strings.TrimPrefix(right, "und"))
		}
		if a == nil || b == nil {
			return nil
		}
		return new(big.Rat).Add(new(big.Rat).Mul(a, big.NewRat([]int64{1000, 100, 1}[i], 1)), b)
	}
	return nil
}

// modulo reports whether the % at i stands between two numbers: 17%5, 17 % 5.
func (x *lexing) modulo(i int) bool {
	before, after := x.s[:i], x.s[i+1:]
	if !strings.HasSuffix(before, " ") && strings.HasPrefix(after, " ") { // 10% 4
		return false
	}
	after = strings.TrimPrefix(after, " ")
	return after != "" && (isDigit(after[0]) || after[0] == '(') && x.last().num != nil
}

// literal reads a number in digits. A date or a time of day is none.
func (x *lexing) literal(s string) (token, int) {
	if c := s[0] | 0x20; c >= 'a' && c <= 'f' || isDigit(s[0]) && plain.LetterPrefix(strings.TrimPrefix(s[digits(s):], " ")) > 0 || len(x.out) == 1 {
		if t, n := x.inBase(s); n > 0 {
			return t, n
		}
	}
	if raised := strings.TrimLeft(s, "⁰¹²³⁴⁵⁶⁷⁸⁹"); len(raised) < len(s) {
		run := s[:len(s)-len(raised)]
		power := strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9").Replace(run)
		return token{kind: "post", text: power[:min(len(power), 9)]}, len(run)
	}
	text, n := x.scan(s, x.list && !x.fractions(), x.open && !x.fractions(), x.european, func() bool { return x.list && !x.separated() })
	if n == 0 {
		return token{}, 0
	}
	if after := s[digits(s):]; after != "" && strings.Count(s[:n], ".") < 2 && strings.IndexByte("-/:.", after[0]) >= 0 && x.notNumber.MatchString(s[:min(len(s), 24)]) {
		panic(unread)
	}
	t := numeral(text)
	if last := len(x.out) - 1; last > 0 && x.out[last].is("op", "(") && x.out[last-1].is("fn", "log") && strings.Contains(s[:n], ",") {
		panic(question{ask: "Is " + s[:n] + " one number or two? Say for example log base 2 of 8, or log 8.2."})
	}
	if plain.LetterPrefix(s[n:]) == 2 && slices.Contains([]string{"st", "nd", "rd", "th"}, s[n:n+2]) {
		t.word, n = "ordinal", n+2
	}
	return t, n
}

// inBase reads a number of another base by the word that says so: "hex 1a",
// "ff hex to decimal", "FF in decimal", "binary 1010".
func (x *lexing) inBase(s string) (token, int) {
	window := plain.Lower(s[:min(len(s), 48)])
	word := window[:len(window)-len(strings.TrimLeft(window, "0123456789abcdef"))]
	ends := len(word) == len(window) || word != "" && window[len(word)] == ' '
	if first := x.last(); ends && len(x.out) == 1 && (first.is("base", "16") || first.is("base", "2") && strings.Trim(word, "01") == "" || first.is("base", "8") && strings.Trim(word, "01234567") == "") {
		x.out = x.out[:0]
		return numeral(map[string]string{"16": "0x", "8": "0o", "2": "0b"}[first.text] + word), len(word)
	}
	if m := x.hexWord.FindStringSubmatch(window); m != nil && m[1] != "" { // the name of the base stands after it
		return numeral("0x" + m[1]), strings.LastIndexByte(m[0], ' ')
	} else if m != nil && !strings.HasPrefix(m[2], "0") && rat(m[2]) == nil { // 1e3 is a thousand
		return numeral("0x" + m[2]), len(m[2])
	}
	if m := x.baseWord.FindStringSubmatch(window); m != nil {
		prefix := map[bool]string{true: "0b", false: "0o"}[m[1] != ""]
		return numeral(prefix + m[1] + m[2]), strings.LastIndexByte(m[0], ' ')
	}
	return token{}, 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
