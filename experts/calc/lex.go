package calc

import (
	"bufio"
	_ "embed"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

//go:embed words.txt
var wordsFile string

//go:embed units.txt
var unitsFile string

// token is one piece of a prompt. What text means depends on kind: the kinds
// are those of words.txt, and "num", "huge", "unit" and "unknown".
type token struct {
	kind, text string
	num        *big.Rat // kind num, const, small, scale, frac, more
	unit       *unit    // kind unit
	words      int      // kind num: how many it was written with
	group      *big.Rat // kind num: what a "hundred" or "thousand" after it multiplies
}

func (t token) is(kind, text string) bool { return t.kind == kind && t.text == text }

// lexicon knows every word of words.txt and units.txt by each of its names. A
// name may mean two things, as "min" does.
type lexicon struct {
	names    map[string][]token
	longest  int // bytes of the longest name
	signs    *strings.Replacer
	rewrites []rewrite
}

// rewrite brings a way of writing into the one that the parser reads.
type rewrite struct {
	from *regexp.Regexp
	to   string
}

func newLexicon() lexicon {
	lex := lexicon{names: map[string][]token{}, signs: strings.NewReplacer(
		"½", " 1/2", "¼", " 1/4", "¾", " 3/4", "⅓", " 1/3", "⅔", " 2/3", "⅛", " 1/8", "−", "-", "–", "-", "—", " - ", "⁄", "/")}
	for _, r := range [][2]string{
		{`[\s\x{a0}\x{2007}\x{2009}\x{202f}]+`, " "},
		{`[=?. ]+$`, ""},
		{`(\p{L})-(\p{L})`, "$1 $2"},
		{`(\d) ?in (in|to|into|as)\b`, "$1 inch $2"},
		{`(\d|\bin|\bto|\binto) ?in$`, "$1 inch"},
		{`(\d+) ?(?:['′’]|ft|feet|foot) ?(\d+(?:\.\d+)?)(?: ?(?:["″”]|''|inch(?:es)?\b)| |$)`, "$1 ft $2 inch "},
		{`\b(?:hex|hexadecimal) (?:number |value )?([0-9a-f]+)\b`, "0x$1"},
		{`\bbinary (?:number |value )?([01]+)\b`, "0b$1"},
		{`\boctal (?:number |value )?([0-7]+)\b`, "0o$1"},
		{`\b([0-9a-f]+) (?:is |in |from )?(?:hex|hexadecimal|base 16) (to|in|into|as)\b`, "0x$1 $2"},
		{`\b([01]+) (?:is |in |from )?(?:binary|base 2) (to|in|into|as)\b`, "0b$1 $2"},
		{`\b([0-7]+) (?:is |in |from )?(?:octal|base 8) (to|in|into|as)\b`, "0o$1 $2"},
		{`\b([a-f][0-9a-f]*|[1-9][0-9a-f]*[a-df][0-9a-f]*) (in|to|into|as) (decimal|binary|octal|base (?:10|2|8))\b`, "0x$1 $2 $3"},
		{`\bto the (\d+)(?:st|nd|rd|th)\b`, "^ $1"},
		{`\btake (.*\boff\b)`, "$1"},
		{`\b4th root`, "fourth root"},
		{`\b5th root`, "fifth root"},
		{`\b(?:double|twice)(?: of)?\b`, "2 *"},
		{`\b(?:triple|thrice)(?: of)?\b`, "3 *"},
	} {
		lex.rewrites = append(lex.rewrites, rewrite{regexp.MustCompile(`(?i)` + r[0]), r[1]})
	}
	eachLine(wordsFile, func(head []string, names []string) {
		t := token{kind: head[0]}
		if len(head) > 1 {
			t.text = head[1]
			t.num, _ = new(big.Rat).SetString(head[len(head)-1])
		}
		switch t.kind {
		case "frac":
			t.num.Inv(t.num)
		case "part":
			t.text = strings.Join(head[1:], " ")
		}
		lex.add(t, names)
	})
	eachLine(unitsFile, func(head []string, names []string) {
		u := &unit{dim: head[0], name: head[1]}
		u.scale, _ = new(big.Rat).SetString(head[2])
		if len(head) > 3 {
			u.offset, _ = new(big.Rat).SetString(head[3])
		}
		lex.add(token{kind: "unit", text: u.name, unit: u}, append(names, u.name))
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
	notNumbers = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2}|\d+:\d\d|\d+(\.\d+){2,})[\w:.+-]*`)
	mixed      = regexp.MustCompile(`^(\d{1,9}) (\d{1,9}/\d{1,9})([^\d.]|$)`)
	otherWord  = regexp.MustCompile(`^([\p{L}\p{N}_'-]+|.)`)
	listComma  = regexp.MustCompile(`,(\d{1,2}|\d{4,})\b`)
)

// tokens cuts a prompt into tokens. Words that say nothing are dropped.
func (l *lexicon) tokens(prompt string) []token {
	s := l.signs.Replace(prompt)
	for _, r := range l.rewrites {
		s = r.from.ReplaceAllString(s, r.to)
	}
	var out []token
	for at := 0; at < len(s); {
		if s[at] == ' ' {
			at++
			continue
		}
		t, n := l.next(s[at:], out)
		glued := at > 0 && unicode.IsDigit(rune(s[at-1]))
		switch {
		case t.is("post", "%") && modulo(s, at):
			t = token{kind: "op", text: "mod"}
		case t.kind == "skip" && glued && unicode.IsLetter(rune(s[at])): // the i of 4i
			t = token{kind: "unknown", text: s[at : at+n]}
		}
		if t.kind != "skip" {
			out = append(out, t)
		}
		at += n
		switch rest := s[at:]; {
		case t.kind == "list" && strings.HasPrefix(rest, "("):
			s = s[:at] + strings.ReplaceAll(rest, ",", ", ")
		case t.kind == "list":
			s = s[:at] + listComma.ReplaceAllString(rest, ", $1")
		}
	}
	return joinNumbers(out)
}

// next reads one token from the start of s; before is what was read so far.
func (l *lexicon) next(s string, before []token) (token, int) {
	if m := notNumbers.FindString(s); m != "" {
		return token{kind: "unknown", text: m}, len(m)
	}
	if m := mixed.FindStringSubmatch(s); m != nil {
		whole, _ := new(big.Rat).SetString(m[1])
		part, ok := new(big.Rat).SetString(m[2])
		if ok && part.Cmp(big.NewRat(1, 1)) < 0 {
			return token{kind: "num", text: m[1] + " " + m[2], num: whole.Add(whole, part)}, len(m[1]) + 1 + len(m[2])
		}
	}
	if m := numeral.FindString(s); m != "" {
		num, text := parseNumeral(m)
		if num == nil {
			return token{kind: "huge"}, len(m)
		}
		return token{kind: "num", text: text, num: num}, len(m)
	}
	found, n := l.find(s)
	if n == 0 {
		m := otherWord.FindString(s)
		return token{kind: "unknown", text: m}, max(len(m), 1)
	}
	last := token{}
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	wantsUnit := last.num != nil || last.is("word", "to") || last.is("word", "in")
	for _, t := range found {
		if (t.kind == "unit") == wantsUnit {
			return t, n
		}
	}
	return found[0], n
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
	for i := len(in) - 2; i > 0; i-- {
		if in[i].is("word", "and") && in[i-1].kind == "scale" && in[i+1].kind == "small" {
			in = slices.Delete(in, i, i+1)
		}
	}
	var out []token
	for i, t := range in {
		if last := len(out) - 1; last >= 0 && out[last].kind == "num" {
			if n, ok := extended(out[last], in[i-1], t); ok {
				out[last] = n
				continue
			}
		}
		switch t.kind {
		case "small", "scale", "frac":
			t = token{kind: "num", text: t.num.RatString(), num: t.num}
		}
		t.words, t.group = 1, t.num
		out = append(out, t)
	}
	return out
}

// extended returns the number n, whose last word was before, with one word
// more, if that belongs to it.
func extended(n, before, t token) (token, bool) {
	switch {
	case t.kind == "frac" && before.kind != "frac":
		n.num = new(big.Rat).Mul(n.num, t.num)
	case t.kind == "more":
		n.num = new(big.Rat).Add(n.num, t.num)
	case t.kind == "scale" && n.group.Sign() > 0:
		grown := new(big.Rat).Mul(n.group, t.num)
		n.num = new(big.Rat).Add(new(big.Rat).Sub(n.num, n.group), grown)
		n.group = grown
		if t.num.Cmp(big.NewRat(100, 1)) > 0 {
			n.group = new(big.Rat)
		}
	case t.kind == "small" && (before.kind == "scale" ||
		before.kind == "small" && before.num.Cmp(big.NewRat(20, 1)) >= 0 && t.num.Cmp(big.NewRat(10, 1)) < 0):
		n.num, n.group = new(big.Rat).Add(n.num, t.num), new(big.Rat).Add(n.group, t.num)
	default:
		return n, false
	}
	n.words, n.text = n.words+1, n.num.RatString()
	return n, true
}
