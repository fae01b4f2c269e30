package calc

import (
	"bufio"
	_ "embed"
	"math/big"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed words.txt
var wordsFile string

//go:embed units.txt
var unitsFile string

// token is one piece of a prompt. What text means depends on kind: the kinds
// are those of words.txt, and "num", "unit" and "unknown".
type token struct {
	kind, text string
	num        *big.Rat // kind num, small, scale, frac, more
	unit       *unit    // kind unit
	raw        string   // kind num: as it was written
	words      int      // kind num: how many it was written with
	fresh      bool     // first of the prompt, or after words that say nothing
}

func (t token) is(kind, text string) bool { return t.kind == kind && t.text == text }

// lexicon knows every word of words.txt and units.txt by each of its names. A
// name may mean two things, as "min" does.
type lexicon struct {
	names   map[string][]token
	longest int // bytes of the longest name
	signs   *strings.Replacer
}

func newLexicon() lexicon {
	lex := lexicon{names: map[string][]token{}, signs: strings.NewReplacer(
		"½", " 1/2", "¼", " 1/4", "¾", " 3/4", "⅓", " 1/3", "⅔", " 2/3", "⅛", " 1/8", "−", "-", "–", "-", "—", " - ", "⁄", "/")}
	eachLine(wordsFile, func(head []string, names []string) {
		t := token{kind: head[0], text: head[1]}
		switch t.kind {
		case "small", "scale", "more":
			t.num, _ = new(big.Rat).SetString(t.text)
		case "frac":
			t.num, _ = new(big.Rat).SetString("1/" + t.text)
		}
		lex.add(t, names)
	})
	eachLine(unitsFile, func(head []string, names []string) {
		u := &unit{dim: head[0], name: head[1]}
		u.scale, _ = new(big.Rat).SetString(head[2])
		if len(head) > 3 {
			u.offset, _ = new(big.Rat).SetString(head[3])
		}
		lex.add(token{kind: "unit", text: u.name, unit: u}, append(names, strings.TrimPrefix(u.name, "%")))
	})
	return lex
}

// eachLine calls f with the fields before the first ": " of each line of a
// table, and with the names after it.
func eachLine(table string, f func(head, names []string)) {
	for lines := bufio.NewScanner(strings.NewReader(table)); lines.Scan(); {
		head, rest, ok := strings.Cut(lines.Text(), ": ")
		if ok && !strings.HasPrefix(head, "#") {
			f(strings.Fields(head), strings.Split(rest, " | "))
		}
	}
}

func (l *lexicon) add(t token, names []string) {
	for _, name := range names {
		if name == "" {
			continue
		}
		l.names[name] = append(l.names[name], t)
		l.longest = max(l.longest, len(name))
	}
}

// find returns what the longest name at the start of s means, and its length.
func (l *lexicon) find(s string) ([]token, int) {
	for n := min(l.longest, len(s)); n > 0; n-- {
		last, _ := utf8.DecodeLastRuneInString(s[:n])
		next, _ := utf8.DecodeRuneInString(s[n:])
		if last == utf8.RuneError || unicode.IsLetter(last) && unicode.IsLetter(next) {
			continue
		}
		if found := l.names[s[:n]]; found != nil {
			return found, n
		}
		if found := l.names[strings.ToLower(s[:n])]; found != nil {
			return found, n
		}
	}
	return nil, 0
}

var (
	spaces     = regexp.MustCompile(`[\s\x{a0}\x{2007}\x{2009}\x{202f}]+`)
	notNumbers = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2}|\d+:\d\d|\d+(\.\d+){2,})[\w:.+-]*`)
	ordinal    = regexp.MustCompile(`^(\d{1,6})(st|nd|rd|th)\b`)
	mixed      = regexp.MustCompile(`^(\d{1,9}) (\d{1,9}/\d{1,9})([^\d.]|$)`)
	numeral    = regexp.MustCompile(`^(0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|` +
		`\d{1,3}([, '_]\d{3})+(\.\d+)?|\d+,\d+|\d+(\.\d+)?|\.\d+)([eE][+-]?\d+)?`)
	otherWord = regexp.MustCompile(`^([\p{L}\p{N}_'-]+|.)`)

	feetInches = regexp.MustCompile(`(\d+) ?['′’] ?(\d+) ?(["″”]|'')?`)
	baseBefore = regexp.MustCompile(`(?i)\b(hex|hexadecimal|binary|octal) (?:number |value )?([0-9a-f]+)\b`)
	baseAfter  = regexp.MustCompile(`(?i)\b([0-9a-f]+) (?:is |in |from )?(hex|hexadecimal|binary|octal|base 2|base 8|base 16) (to|in|into|as)\b`)
	bareHex    = regexp.MustCompile(`(?i)\b([a-f][0-9a-f]*|[1-9][0-9a-f]*[a-df][0-9a-f]*) (in|to|into|as) (decimal|binary|octal|base 10|base 2|base 8)\b`)
	hyphens    = regexp.MustCompile(`(\p{L})-(\p{L})`)
)

// tokens cuts a prompt into tokens. Words that say nothing are dropped.
func (l *lexicon) tokens(prompt string) []token {
	s := spaces.ReplaceAllString(l.signs.Replace(prompt), " ")
	s = hyphens.ReplaceAllString(s, "$1 $2")
	s = feetInches.ReplaceAllString(s, "$1 ft $2 inch ")
	s = baseBefore.ReplaceAllStringFunc(s, func(m string) string {
		part := baseBefore.FindStringSubmatch(m)
		return basePrefix(part[1]) + part[2]
	})
	s = baseAfter.ReplaceAllStringFunc(s, func(m string) string {
		part := baseAfter.FindStringSubmatch(m)
		return basePrefix(part[2]) + part[1] + " " + part[3]
	})
	s = bareHex.ReplaceAllString(s, "0x$1 $2 $3")
	var out []token
	fresh := true
	for at := 0; at < len(s); {
		if s[at] == ' ' {
			at++
			continue
		}
		t, n := l.next(s[at:], out)
		if t.is("post", "%") && modulo(s, at) {
			t = token{kind: "op", text: "mod"}
		}
		if t.kind == "skip" && n == 1 && at > 0 && unicode.IsDigit(rune(s[at-1])) && unicode.IsLetter(rune(s[at])) {
			t = token{kind: "unknown", text: s[at : at+n]} // the i of 4i
		}
		if t.kind != "skip" {
			t.fresh = fresh
			out = append(out, t)
		}
		fresh = t.kind == "skip"
		at += n
	}
	return joinNumbers(out)
}

func basePrefix(name string) string {
	switch strings.ToLower(name) {
	case "binary", "base 2":
		return "0b"
	case "octal", "base 8":
		return "0o"
	}
	return "0x"
}

// next reads one token from the start of s; before is what was read so far.
func (l *lexicon) next(s string, before []token) (token, int) {
	if m := notNumbers.FindString(s); m != "" {
		return token{kind: "unknown", text: m}, len(m)
	}
	if m := ordinal.FindStringSubmatch(s); m != nil {
		if found, n := l.find(s); n > 0 { // "4th root of"
			return found[0], n
		}
		if len(before) > 0 && before[len(before)-1].is("op", "^") { // "to the 4th"
			return numberToken(m[1]), len(m[0])
		}
		return token{kind: "unknown", text: m[0]}, len(m[0])
	}
	if m := mixed.FindStringSubmatch(s); m != nil {
		whole, _ := new(big.Rat).SetString(m[1])
		part, ok := new(big.Rat).SetString(m[2])
		if ok && part.Cmp(big.NewRat(1, 1)) < 0 {
			return token{kind: "num", text: m[1] + " " + m[2], num: whole.Add(whole, part)}, len(m[1]) + 1 + len(m[2])
		}
	}
	if m := numeral.FindString(s); m != "" {
		return numberToken(m), len(m)
	}
	afterNumber := len(before) > 0 && (before[len(before)-1].num != nil || before[len(before)-1].is("word", "to") || before[len(before)-1].is("word", "in"))
	if found, n := l.find(s); n > 0 {
		t := found[0]
		for _, other := range found[1:] {
			if other.kind == "unit" == afterNumber {
				t = other
			}
		}
		return t, n
	}
	m := otherWord.FindString(s)
	return token{kind: "unknown", text: m}, max(len(m), 1)
}

// numberToken reads a literal. One that no result could hold is of kind huge.
func numberToken(raw string) token {
	num, text := parseNumeral(raw)
	if num == nil {
		return token{kind: "huge"}
	}
	return token{kind: "num", text: text, num: num, raw: raw}
}

// modulo reports whether the percent sign at s[at] stands evenly between two
// numbers, as in 17 % 5 and 17%5 but not in "20% VAT" and "15% 80".
func modulo(s string, at int) bool {
	next := strings.TrimPrefix(s[at+1:], " ")
	return s[at] == '%' && at > 0 && next != "" && strings.IndexByte("(.0123456789", next[0]) >= 0 &&
		(s[at-1] == ' ') == (s[at+1] == ' ')
}

// joinNumbers makes one number of "two million", "two thirds", "a hundred and
// five" and "3 and a half".
func joinNumbers(in []token) []token {
	var out []token
	for i := 0; i < len(in); {
		t, first := in[i], in[i]
		switch t.kind {
		case "num", "small", "scale":
			var words int
			t, words = readNumber(in[i:])
			i += words
			t.words = words
			if i < len(in) && in[i].kind == "frac" {
				t = token{kind: "num", num: new(big.Rat).Mul(t.num, in[i].num)}
				i++
			}
			if i < len(in) && in[i].kind == "more" {
				t = token{kind: "num", num: new(big.Rat).Add(t.num, in[i].num)}
				i++
			}
		case "frac":
			t.kind = "num"
			i++
			if len(out) > 0 && out[len(out)-1].is("op", "^") { // "to the third power"
				t.num = new(big.Rat).Inv(t.num)
				break
			}
			if i < len(in) && in[i].num != nil {
				out = append(out, token{kind: "num", num: t.num, text: t.num.RatString(), fresh: t.fresh})
				t = token{kind: "word", text: "of"}
			}
		default:
			i++
		}
		if t.kind == "num" && (t.text == "" || t.num.Denom().BitLen() > 1 && !strings.ContainsAny(t.text, "./ e")) {
			t.text = t.num.RatString()
		}
		t.fresh = first.fresh
		out = append(out, t)
	}
	return out
}

// readNumber reads the number at the start of in, which is not empty, and
// returns it with how many tokens it took.
func readNumber(in []token) (token, int) {
	if in[0].kind == "num" && (len(in) < 2 || in[1].kind != "scale") {
		return in[0], 1
	}
	total, current := new(big.Rat), new(big.Rat)
	last, i := in[0], 0
	if last.kind == "scale" {
		current.SetInt64(1)
	}
	hundred := big.NewRat(100, 1)
	for ; i < len(in); i++ {
		t := in[i]
		switch {
		case t.kind == "num" && i == 0:
			current.Set(t.num)
		case t.kind == "small" && (i == 0 || last.kind == "scale" || last.num.Cmp(big.NewRat(20, 1)) >= 0 && t.num.Cmp(big.NewRat(10, 1)) < 0 && last.kind == "small"):
			current.Add(current, t.num)
		case t.kind == "scale" && t.num.Cmp(hundred) <= 0 && current.Sign() > 0:
			current.Mul(current, t.num)
		case t.kind == "scale" && current.Sign() > 0:
			total.Add(total, current.Mul(current, t.num))
			current = new(big.Rat)
		case t.is("word", "and") && last.kind == "scale" && i+1 < len(in) && in[i+1].kind == "small" && (i+2 >= len(in) || in[i+2].kind != "scale"):
			continue
		default:
			return token{kind: "num", num: total.Add(total, current)}, i
		}
		last = t
	}
	return token{kind: "num", num: total.Add(total, current)}, i
}
