package calc

import (
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
// are those of words.txt, and "num", "huge", "unit" and "unknown".
type token struct {
	kind, text string
	num        *big.Rat // kind num, const
	unit       *unit    // kind unit
	word       string   // kind num: small, scale or frac for one in words
}

func (t token) is(kind, text string) bool { return t.kind == kind && t.text == text }

// lexicon knows every word of words.txt and units.txt by each of its names. A
// name may mean two things, as "min" does.
type lexicon struct {
	names    map[string][]token
	longest  int // bytes of the longest name
	signs    *strings.Replacer
	rewrites []rewrite

	numeral, notNumber, otherWord, listComma, thousands, decimalComma *regexp.Regexp
	rounding, preamble, trailer                                       *regexp.Regexp
}

// rewrite brings a way of writing into the one that the parser reads.
type rewrite struct {
	from *regexp.Regexp
	to   string
}

func newLexicon() *lexicon {
	l := &lexicon{
		names: map[string][]token{},
		signs: strings.NewReplacer("½", " 1/2", "¼", " 1/4", "¾", " 3/4", "⅓", " 1/3", "⅔", " 2/3", "−", "-", "–", "-", "—", " - ", "⁄", "/", "μ", "µ"),

		numeral: regexp.MustCompile(`^(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|` +
			`(\d{1,3}([. ']\d{3})+,\d+|\d{1,3}([, '_]\d{3})+(\.\d+)?|\d+,\d+|\d+(\.\d+)?|\.\d+)([eE][+-]?\d+)?)`),
		notNumber:    regexp.MustCompile(`^(\d{4}-\d{2}-\d{2}|\d+:\d\d|\d+(\.\d+){2,}($|[^,.\d]))[\w:.+-]*`),
		otherWord:    regexp.MustCompile(`^([\p{L}\p{N}_'-]+|.)`),
		listComma:    regexp.MustCompile(`,(\d{1,2}|\d{4,})\b`),
		thousands:    regexp.MustCompile(`[, '_](\d{3})`),
		decimalComma: regexp.MustCompile(`^(\d{1,3}([. ']\d{3})+,\d+|\d+,(\d{1,2}|\d{4,}))(e|$)`),
		rounding: regexp.MustCompile(`(?i)[, ]*\b(?:rounded |round )?(?:off )?(?:to|with|in|as) (?:the nearest (?:integer|whole number)|an integer|` +
			`(\d{1,2}) (?:decimals?|(?:decimal )?(?:places?|digits?)|dp)(?: after the (?:decimal )?point)?)[ ?.!]*$`),
		// What people say around a calculation: "my rent goes up: what is 12%
		// of 840 for a tenant?"
		preamble: regexp.MustCompile(`(?is)^\D*\b(?:what is|what's|whats|how much is|calculate|compute|work out)\b`),
		trailer:  regexp.MustCompile(`(?is)[, ]+(?:for|because|since|so|today)\b\D*$`),
	}
	for _, r := range [][2]string{
		{`[\s\x{a0}\x{2007}\x{2009}\x{202f}]+`, " "},
		{`, ?(?:thanks|thank you|please)[! ]*$`, ""},
		{`[=?. ]+$`, ""},
		{`(\p{L})-(\p{L})`, "$1 $2"},
		{`(\d) ?in (in|to|into|as)\b`, "$1 inch $2"},
		{`(\d|\bin|\bto|\binto) ?in$`, "$1 inch"},
		{`(\d+) ?(?:['′’]|ft|feet|foot) ?(\d{1,2}(?:\.\d+)?)(?: ?(?:["″”]|''|inch(?:es)?\b)| |$)`, "$1 ft $2 inch "},
		{`\bin an? `, "in 1 "},
		{`(\d) ?h ?(\d+) ?m\b`, "$1 h $2 min"},
		{`\b(?:hex|hexadecimal) (?:number |value )?([0-9a-f]+)\b`, "0x$1"},
		{`\bbinary (?:number |value )?([01]+)\b`, "0b$1"},
		{`\b([0-9a-f]+) (?:in |from )?(?:hex|hexadecimal) (to|in|into|as)\b`, "0x$1 $2"},
		{`\b([a-f][0-9a-f]*|[1-9][0-9a-f]*[a-df][0-9a-f]*) (in|to|into|as) (decimal|binary|octal)\b`, "0x$1 $2 $3"},
		{`\bto the (\d+)(?:st|nd|rd|th)(?: power)?\b`, "^ $1"},
		{`([\d)])( % |%)([\d(])`, "$1 mod $3"},
		{`(\d+(?:[.,]\d+)* ?(?:%|percent)) (?:discount )?(?:off(?: of)?|less than|cheaper than) ([$€£]?\d+(?:[.,]\d+)*)`, "($2 - $1)"},
		{`(\d+(?:[.,]\d+)* ?(?:%|percent)) (?:more than|on top of|higher than) ([$€£]?\d+(?:[.,]\d+)*)`, "($2 + $1)"},
		{`\bhalve (.+)`, "half of $1"},
		{`(\d) (?:to|in|into) ([^\d:]+) from ([^\d:]+)$`, "$1 $3 to $2"},
		{`(\d) from ([^\d:]+) (?:to|in|into) ([^\d:]+)$`, "$1 $2 to $3"},
		{`(\d ?[^\d: ]+): (?:(?:to|in|into) )?([^\d:]+)$`, "$1 to $2"}, // an answer to what to convert to
		{`\badd (.+?) to (.+)`, "($2) + ($1)"},
		{`\badd (.+)`, "sum of $1"},
		{`\b(?:subtract|deduct|remove|take) (.+?) from (.+)`, "($2) - ($1)"},
		{`\b(?:increase|raise) (.+?) by (.+)`, "($1) + ($2)"},
		{`\b(?:decrease|reduce|lower) (.+?) by (.+)`, "($1) - ($2)"},
		{`\bmultiply (.+?) (?:by|and|with) (.+)`, "($1) * ($2)"},
		{`\b(?:divide|split|ratio of) (.+?) (?:by|and|to|between|among) (.+)`, "($1) / ($2)"},
		{`\bremainder (?:of|when) (.+?) (?:is )?(?:divided by|by|/) (.+)`, "($1) mod ($2)"},
		{`\bpercent(?:age)? (?:change|increase|decrease) from (.+?) to (.+)`, "(($2) - ($1)) / ($1) as percent"},
		{`\b(?:what|how many) (?:percent(?:age)?|%) of (.+?) is (.+)`, "($2) / ($1) as percent"},
		{`(.+?) (?:is what|is how many|as a|as|in) (?:percent(?:age)?|%) of (.+)`, "($1) / ($2) as percent"},
	} {
		l.rewrites = append(l.rewrites, rewrite{regexp.MustCompile(`(?i)` + r[0]), r[1]})
	}
	eachLine(wordsFile, l.addWords)
	eachLine(unitsFile, l.addUnit)
	return l
}

// eachLine calls f with the fields before the first ":" of each line of a
// table, and with the names after it.
func eachLine(table string, f func(head, names []string)) {
	for line := range strings.Lines(table) {
		head, rest, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(head, "#") {
			continue
		}
		var names []string
		if rest != "" {
			names = strings.Split(strings.TrimPrefix(rest, " "), " | ")
		}
		f(strings.Fields(head), names)
	}
}

func rat(s string) *big.Rat {
	r, _ := new(big.Rat).SetString(s)
	return r
}

func (l *lexicon) add(t token, name string) {
	l.names[name] = append(l.names[name], t)
	l.longest = max(l.longest, len(name))
}

func (l *lexicon) addWords(head, names []string) {
	for i, name := range names {
		t := token{kind: head[0], text: strings.Join(head[1:], " ")}
		switch t.kind {
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
		l.add(t, name)
	}
}

func (l *lexicon) addUnit(head, names []string) {
	u := &unit{dim: head[0], name: head[1], scale: rat(head[2])}
	if len(head) > 3 {
		u.offset = rat(head[3])
	}
	for _, name := range append(names, u.name) {
		l.add(token{kind: "unit", text: u.name, unit: u}, name)
		if len(name) > 1 {
			l.add(token{kind: "unit", text: u.name, unit: u}, name+"s")
		}
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
		for _, name := range []string{s[:n], strings.ToLower(s[:n])} {
			if found := l.names[name]; found != nil {
				return found, n
			}
		}
	}
	return nil, 0
}

// tokens cuts a prompt into tokens. Words that say nothing are dropped, and so
// is a currency; of two, their rate would be needed.
func (l *lexicon) tokens(prompt string) []token {
	s := l.signs.Replace(prompt)
	for _, r := range l.rewrites {
		s = r.from.ReplaceAllString(s, r.to)
	}
	var out []token
	currency := ""
	for at := 0; at < len(s); {
		if s[at] == ' ' {
			at++
			continue
		}
		t, n := l.next(s[at:], out)
		glued := at > 0 && unicode.IsDigit(rune(s[at-1])) && unicode.IsLetter(rune(s[at])) // the a of 4a
		switch {
		case t.kind == "money" && currency != "" && currency != t.text:
			panic(refusal("I do not know exchange rates: they change every minute. Tell me the rate and I can multiply."))
		case t.kind == "money":
			currency = t.text
		case t.kind != "skip" || glued:
			out = append(out, t)
		}
		at += n
		switch rest := s[at:]; {
		case t.kind == "list" && strings.HasPrefix(rest, "("):
			s = s[:at] + strings.NewReplacer(", ", ", ", ",", ", ").Replace(rest)
		case t.kind == "list":
			s = s[:at] + l.listComma.ReplaceAllString(rest, ", $1")
		}
	}
	for _, t := range out {
		if i := strings.IndexByte(t.text, '.'); currency != "" && t.kind == "num" && i > 0 && i+4 == len(t.text) && t.num.Cmp(big.NewRat(1, 1)) >= 0 {
			panic(refusal("Is " + t.text + " more than a thousand? Write " + strings.Replace(t.text, ".", "", 1) + " if so, else fewer decimals."))
		}
	}
	return out
}

// next reads one token from the start of s; before is what was read so far.
func (l *lexicon) next(s string, before []token) (token, int) {
	if m := l.notNumber.FindString(s); m != "" {
		return token{kind: "unknown", text: m}, len(m)
	}
	if m := l.numeral.FindString(s); m != "" {
		return l.parseNumeral(m), len(m)
	}
	found, n := l.find(s)
	if n == 0 {
		m := l.otherWord.FindString(s)
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

// parseNumeral reads a literal that numeral matched. What no result could hold
// is huge.
func (l *lexicon) parseNumeral(s string) token {
	s = strings.ToLower(s)
	if len(s) > 2 && s[0] == '0' && strings.IndexByte("xbo", s[1]) >= 0 {
		if i, ok := new(big.Int).SetString(s, 0); ok && i.BitLen() <= maxBits {
			return token{kind: "num", text: s, num: new(big.Rat).SetInt(i)}
		}
		return token{kind: "huge"}
	}
	if l.decimalComma.MatchString(s) { // 3,14 and 1.234,50
		s = strings.NewReplacer(".", "", " ", "", "'", "", ",", ".").Replace(s)
	}
	s = l.thousands.ReplaceAllString(s, "$1")
	mantissa, exponent, _ := strings.Cut(s, "e")
	if len(mantissa) > maxDigits || len(strings.TrimLeft(exponent, "+-0")) > 4 {
		return token{kind: "huge"}
	}
	return token{kind: "num", text: s, num: rat(s)}
}
