package data

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/yaap-chat/yaap/experts/plain"
)

//go:embed words.txt
var wordsFile string

//go:embed replies.txt
var repliesFile string

var translators = sync.OnceValue(func() map[string]plain.Translator { return plain.NewTranslators(repliesFile) }) //nolint:gochecknoglobals // never changes; read when it is used first

// meaning is what a word of the grammar stands for: a kind, such as "fn", and
// what it is of, such as "sum".
type meaning struct{ kind, of string }

// vocabulary is words.txt.
type vocabulary struct {
	means map[string][]meaning
	like  map[string][]string // the concepts of a key
	order map[string][]string // the keys of a concept, the best first
	kinds map[string]string   // what a concept is said of: number, date, any
	same  map[string][]string // the other keys of a value
}

//nolint:gochecknoglobals // never changes; read when it is used first
var vocab = sync.OnceValue(func() vocabulary {
	v := vocabulary{map[string][]meaning{}, map[string][]string{}, map[string][]string{}, map[string]string{}, map[string][]string{}}
	for line := range strings.Lines(wordsFile) {
		head, list, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		kind, of, _ := strings.Cut(head, " ")
		if kind == "same" {
			var all []string
			for phrase := range strings.SplitSeq(list, " | ") {
				for _, p := range inflected(plain.Fold(phrase)) {
					all = append(all, key(p))
				}
			}
			for _, k := range all {
				v.same[k] = append(v.same[k], all...)
			}
			continue
		}
		for phrase := range strings.SplitSeq(list, " | ") {
			if fits, ok := map[string]string{"like": "any", "number": "number", "dated": "date", "thing": "table"}[kind]; ok {
				k := key(phrase)
				v.like[k], v.order[of], v.kinds[of] = append(v.like[k], of), append(v.order[of], k), fits
				continue
			}
			for _, p := range inflected(plain.Fold(phrase)) {
				if m := (meaning{kind, of}); !slices.Contains(v.means[p], m) {
					v.means[p] = append(v.means[p], m)
				}
			}
		}
	}
	return v
})

// inflected are the forms of a phrase whose words may end in "*" and "@".
func inflected(phrase string) []string {
	for mark, endings := range map[string]string{"*": " n r s m", "@": "o a os as"} {
		if before, after, ok := strings.Cut(phrase, mark); ok {
			var all []string
			for ending := range strings.SplitSeq(endings, " ") {
				all = append(all, inflected(before+ending+after)...)
			}
			return all
		}
	}
	return []string{phrase}
}

//nolint:gochecknoglobals // never changes; see plain.LazyRegexp
var (
	parts = plain.LazyRegexp(`m[23]\b|\pL+|\pN+`)
	camel = plain.LazyRegexp(`(?-i)(\p{Ll})(\p{Lu})`)
)

var squares = strings.NewReplacer("²", "2", "³", "3") //nolint:gochecknoglobals // never changes

// key is how a name is found: its words without case, accents and plurals.
func key(s string) string {
	if strings.LastIndexFunc(s, unicode.IsUpper) > 0 {
		s = camel().ReplaceAllString(s, "$1 $2")
	}
	s = plain.Fold(squares.Replace(s))
	var words []string
	for _, w := range parts().FindAllString(s, -1) {
		words = append(words, stem(w))
	}
	return strings.Join(words, " ")
}

// stem takes off the plural of English and Spanish.
func stem(w string) string {
	switch n := len(w); {
	case n < 4 || strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us"):
		return w
	case strings.HasSuffix(w, "ies"), strings.HasSuffix(w, "ie"):
		return w[:strings.LastIndex(w, "ie")] + "y"
	case strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "ones"):
		return w[:n-2]
	}
	return strings.TrimSuffix(w, "s")
}

// token is a word of a question, a number, a name of a file, a text in quotes
// or an operator.
type token struct {
	text       string // as it was typed
	low        string // without case and accents: what the vocabulary has
	key        string
	amount     string // the number that it is, or that a word such as two is, as SQL writes it
	quoted     bool
	file       bool             // the name of a data file
	other      bool             // the name of another file, or code
	translator plain.Translator // of the first: it answers
}

const maxTokens = 48

// amount is the number that a word is, perhaps spelled out, as SQL writes it.
func amount(low string) string {
	if n := plain.Number(low); n > 0 {
		return strconv.Itoa(n)
	}
	return number(low)
}

//nolint:gochecknoglobals // never change; see plain.LazyRegexp
var (
	tokenExpr = plain.LazyRegexp(`"[^"]{1,200}"|` + "`[^`]{1,200}`" + `|<=|>=|<>|!=|==|[<>=&]|[^\s"` + "`" + `<>=()?!;&¿¡\[\]{}]+`)
	aNumber   = plain.LazyRegexp(`^[-+]?[$€£]?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(k|m)?[€$%]?$`)
	inQuotes  = plain.LazyRegexp(`(^|[\s(=])'([^']{1,200})'($|[\s)?!.,;])`)
	compound  = plain.LazyRegexp(`^(gesamt|durchschnitt|maximal|minimal)s?(\pL{4,})$`)
	otherFile = plain.LazyRegexp(`^[\w~*.-]*[/\\*]|^[\w-]+\.[a-z]\w{0,4}$|^\.\w|://|^[@#$%^|~_]|[+*^|]`)
)

// lex splits a question. It returns nil for what is too long to be one.
func lex(text string) []token {
	if len(text) > 600 {
		return nil
	}
	text = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "‘", "'", "’", "'", "\x00", " ").Replace(text)
	if strings.Contains(text, "'") {
		text = inQuotes().ReplaceAllString(text, `$1"$2"$3`)
	}
	var out []token
	for _, raw := range tokenExpr().FindAllString(text, -1) {
		if c := raw[0]; c == '"' || c == '`' {
			out = append(out, token{text: raw[1 : len(raw)-1], low: "\x00", key: key(raw[1 : len(raw)-1]), quoted: kindOf(raw[1:len(raw)-1]) == "", file: kindOf(raw[1:len(raw)-1]) != ""})
			continue
		}
		for _, w := range pieces(raw) {
			if m := compound().FindStringSubmatch(w); m != nil && vocab().means[plain.Fold(w)] == nil {
				out = append(out, token{text: m[1], low: plain.Fold(m[1]), key: key(m[1])})
				w = m[2]
			}
			t := token{text: w, low: plain.Fold(w), key: key(w), amount: amount(plain.Fold(w)), file: kindOf(w) != "" && baseName(w) != ""}
			if w == "*" || w == "×" {
				t.low = "times"
			}
			t.other = !t.file && t.low != "times" && t.amount == "" && !strings.HasPrefix(w, "/") && strings.ContainsAny(w, "./\\~*:@#$%^|_+") && otherFile().MatchString(w)
			out = append(out, t)
		}
		if len(out) > maxTokens {
			return nil
		}
	}
	if len(out) > 0 {
		out[0].translator = plain.TranslatorFor(translators(), text)
	}
	return out
}

// pieces splits what stands between spaces: at commas, and before 's.
func pieces(raw string) (all []string) {
	if number(strings.TrimRight(raw, ",.:")) != "" {
		return []string{strings.TrimRight(raw, ",.:")}
	}
	for i, w := range strings.Split(raw, ",") {
		if i > 0 {
			all = append(all, ",")
		}
		w = strings.TrimRight(w, ".:'")
		w = strings.TrimLeft(w, "'")
		if base, ok := strings.CutSuffix(w, "'s"); ok && !slices.Contains([]string{"what", "who", "let", "it"}, strings.ToLower(base)) {
			w = base
		}
		if w != "" && w != "-" && w != "–" {
			all = append(all, w)
		}
	}
	return all
}

// number is s as SQL writes it, or empty.
func number(s string) string {
	if !strings.ContainsAny(s, "0123456789") {
		return ""
	}
	m := aNumber().FindStringSubmatch(s)
	if m == nil {
		return ""
	}
	n := strings.ReplaceAll(m[1], ",", "")
	if s[0] == '-' {
		n = "-" + n
	}
	return n + map[string]string{"k": "e3", "K": "e3", "m": "e6", "M": "e6"}[m[2]]
}

const (
	maxSpan = 4
	maxLost = 2 // words that nothing is known of, after which a text is no question about a table
)

// scan finds what all words may stand for, whatever the scope, and how many
// stand for nothing.
func (c *catalog) scan(toks []token) (_ [][maxSpan]span, lost int) {
	spans := make([][maxSpan]span, len(toks))
	known := make([]bool, len(toks))
	for i := range toks {
		low, k := "", ""
		for n := 0; n < maxSpan && i+n < len(toks) && (!toks[i+n].other || c.index[toks[i+n].key] != nil) && !toks[i+n].file; n++ {
			low, k = strings.TrimSpace(low+" "+toks[i+n].low), strings.TrimSpace(k+" "+toks[i+n].key)
			s := &spans[i][n]
			s.means = vocab().means[low]
			if toks[i].key != "" && toks[i+n].key != "" {
				s.refs = c.find(k)
			}
			if n == 0 && toks[i].text == toks[i].low && slices.Contains(s.means, meaning{"skip", ""}) { // "de" is no country
				s.refs = slices.DeleteFunc(slices.Clone(s.refs), func(r ref) bool { return r.valued })
			}
			for j := i; j <= i+n && len(s.means)+len(s.refs) > 0; j++ {
				known[j] = true
			}
		}
	}
	mended := 0
	var strange []int
	for i, t := range toks {
		if known[i] || t.amount != "" || t.file || t.quoted || isoDate().MatchString(t.text) {
			continue
		}
		if !t.other && mended <= maxLost {
			spans[i][0] = c.mend(t)
			mended++
		}
		if len(spans[i][0].means)+len(spans[i][0].refs) == 0 {
			strange = append(strange, i)
		}
	}
	deeds := slices.DeleteFunc(slices.Clone(strange), func(i int) bool { return !deed(toks, spans, i) })
	deeds = deeds[:min(len(deeds), 1)] // of two, the other may say of what
	said := opening(toks, spans, slices.DeleteFunc(slices.Clone(strange), func(i int) bool { return slices.Contains(deeds, i) }))
	for _, i := range append(said, deeds...) {
		spans[i][0].means = []meaning{idle}
	}
	return spans, len(strange) - len(said) - len(deeds)
}

//nolint:gochecknoglobals // never changes
var idle = meaning{"skip", "idle"} // of a word that nothing is known of, and that says nothing

// opening are those of the strange words that cannot change what is asked: verbs
// and the like before its first question word, such as "I wonder how many". What
// stands behind a preposition is none of them.
func opening(toks []token, spans [][maxSpan]span, strange []int) (said []int) {
	is := func(i int, kinds ...string) bool { return stands(spans, i, kinds...) }
	for i := range toks {
		switch {
		case slices.Contains(strange, i):
			if i == 0 || is(i-1, "skipme", "and") || slices.Contains(said, i-1) {
				said = append(said, i)
				continue
			}
			return nil
		case is(i, "which", "what", "who", "howmany", "howmuch") && !is(i, "skip"):
			return said
		}
	}
	return nil
}

// stands reports whether a word stands for one of some kinds.
func stands(spans [][maxSpan]span, i int, kinds ...string) bool {
	return i >= 0 && i < len(spans) && slices.ContainsFunc(spans[i][:], func(s span) bool {
		return slices.ContainsFunc(s.means, func(m meaning) bool { return slices.Contains(kinds, m.kind+m.of) })
	})
}

// deed reports whether a strange word can only be what is done: in "who drives the most",
// "how many km did Ida drive" and "which van is driven most".
func deed(toks []token, spans [][maxSpan]span, i int) bool {
	low := toks[i].low
	if toks[i].text != low || i > 0 && slices.Contains([]string{"in", "at", "on", "from", "for", "to", "by", "with", "of"}, toks[i-1].low) {
		return false // a name or a place
	}
	if i > 0 && slices.Contains([]string{"the", "a", "an", "our", "my"}, toks[i-1].low) {
		return false // a thing: how many workers does the server have
	}
	if i+1 < len(toks) && slices.Contains([]string{"about", "uber", "sobre"}, toks[i+1].low) {
		return false // what did we decide about the fee
	}
	did := func(t token) bool { return slices.Contains([]string{"did", "does", "do"}, t.low) }
	counts := stands(spans, i+1, "most", "least", "common", "op>", "op<", "op>=", "op<=") || i+1 < len(toks) && toks[i+1].low == "the"
	who := stands(spans, i-1, "who") && (strings.HasSuffix(low, "s") || strings.HasSuffix(low, "t"))
	done := stands(spans, i-1, "be") && (strings.HasSuffix(low, "ed") || strings.HasSuffix(low, "en"))
	amounts := func(s [maxSpan]span) bool {
		return slices.ContainsFunc(s[0].refs, func(r ref) bool { return !r.valued && r.col != nil && r.col.kind == isNumber && !r.col.isID() })
	}
	part := strings.HasSuffix(low, "ed") || strings.HasPrefix(low, "ge") && strings.HasSuffix(low, "t") || strings.HasSuffix(low, "ado") || strings.HasSuffix(low, "ido")
	worked := part && says(spans[:i], "perfect") && (stands(spans, i-1, "most", "least") || says(spans, "howmany") && slices.ContainsFunc(spans[:i], amounts)) // how many hours has Ida worked
	return slices.ContainsFunc(toks[max(i-4, 0):max(i-1, 0)], did) || counts && (who || done) || worked
}

var umlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u") //nolint:gochecknoglobals // never changes

// mend finds what a word stands for that has an ending, or one wrong letter.
func (c *catalog) mend(t token) span {
	var refs []ref
	for _, name := range c.names { // Bücher of buecher.csv
		if umlauts.Replace(name) == t.key {
			refs = append(refs, c.index[name]...)
		}
	}
	for _, ending := range []string{"n", "nen", "en", "es", "er", "e", "s", "d", "ed", "ing"} {
		if k, ok := strings.CutSuffix(t.low, ending); ok && len(k) > 2 {
			if found := c.find(key(k)); len(found) > 0 {
				return span{refs: append(refs, found...)}
			}
		}
	}
	if len(refs) > 0 {
		return span{refs: refs}
	}
	if refs := c.guess(t.key); refs != nil || len(t.low) < 6 {
		return span{refs: refs}
	}
	best := ""
	for word := range vocab().means {
		if len(word) > 5 && plain.IsTypo(t.low, word) && (best == "" || word < best) { // kleine is not keine
			best = word
		}
	}
	return span{means: vocab().means[best]}
}
