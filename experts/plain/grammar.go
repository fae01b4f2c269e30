package plain

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A longer text is no question that a grammar reads, and one that takes more
// steps is read in none of its ways.
const (
	maxBytes = 600
	maxWords = 60
	maxSteps = 20_000
)

// minLong is how many letters a word has at least in which a slip is forgiven.
const minLong = 5

// Grammar is the shapes of the questions that an expert reads, in any language
// that its file has words of. A shape is matched against all words of a text:
// a word that none of its elements takes is unread, and the shape does not fit.
type Grammar struct {
	rules  map[string]*rule
	shapes []shape
	words  map[string]bool // all that a rule or a shape has
	long   []string        // those in which a slip is forgiven
}

type shape struct {
	name     string
	needs    map[string]int // the marks and slots that must be read, and how often: +name or more often, =name not
	elements []element
}

// rule is the ways to say a thing: plain phrases by their first word, the
// longest first, and what else there is.
type rule struct {
	phrases map[string][]phrase
	other   [][]element
}

type phrase struct {
	words []string
	marks []element
}

// element is one part of a shape.
type element struct {
	kind  kind
	name  string // of a rule or slot; the word; the key of a mark
	value string // of a mark
	group []element
	rule  *rule // that is named
}

type kind int

const (
	word     kind = iota // this word
	mention              // <rule>
	slot                 // SLOT
	mark                 // key=value, which takes no word
	optional             // [ ... ]
	repeated             // { ... }, any number of times
)

// NewGrammar reads a grammar. Each line is one of
//
//	name = a phrase | <rule> SLOT [optional words] {repeated} key=value | ...
//	name:value = ...    the same, and marks it with name=value
//	shape: ...          all that a text may be
//	shape +name: ...    the same, if a mark or a slot of that name was read, and as often as it stands here;
//	                    with =name no more often. This is for bags of words, in any order.
//
// Lines that begin with two blanks go on with the line before, and # begins a
// comment. A mistake in it panics: the grammars are part of the program.
func NewGrammar(text string) *Grammar {
	g := &Grammar{rules: map[string]*rule{}, words: map[string]bool{}}
	text = strings.ReplaceAll(text, "\n  ", " ")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		head, alternatives, isRule := strings.Cut(line, " = ")
		if !isRule {
			head, alternatives, _ = strings.Cut(line, ": ")
		}
		name, value, marked := strings.Cut(head, ":")
		for one := range strings.SplitSeq(alternatives, " | ") {
			elements, rest := g.parse(strings.Fields(one), "")
			if len(rest) > 0 {
				panic("grammar: " + one)
			}
			if marked {
				elements = append(elements, element{kind: mark, name: name, value: value})
			}
			if isRule {
				g.add(name, elements)
			} else {
				s := shape{strings.Fields(name)[0], map[string]int{}, elements}
				for _, need := range strings.Fields(name)[1:] {
					s.needs[need]++
				}
				g.shapes = append(g.shapes, s)
			}
		}
	}
	g.long = slices.DeleteFunc(slices.Sorted(maps.Keys(g.words)), func(w string) bool { return len(w) < minLong })
	for _, s := range g.shapes {
		g.link(s.elements)
	}
	for _, r := range g.rules {
		for _, elements := range r.other {
			g.link(elements)
		}
	}
	return g
}

// parse reads elements up to the closing bracket.
func (g *Grammar) parse(fields []string, closing string) (elements []element, rest []string) {
	for len(fields) > 0 {
		f := fields[0]
		fields = fields[1:]
		e := element{name: f}
		key, value, isMark := strings.Cut(f, "=")
		switch {
		case f == closing:
			return elements, fields
		case f == "[":
			e.kind = optional
			e.group, fields = g.parse(fields, "]")
		case f == "{":
			e.kind = repeated
			e.group, fields = g.parse(fields, "}")
		case f[0] == '<':
			e.kind, e.name = mention, strings.Trim(f, "<>")
		case isMark && key != "":
			e.kind, e.name, e.value = mark, key, value
		case f == strings.ToUpper(f) && f[0] >= 'A' && f[0] <= 'Z':
			e.kind = slot
		default:
			e.name = Fold(f)
			g.words[e.name] = true
		}
		elements = append(elements, e)
	}
	return elements, nil
}

func (g *Grammar) add(name string, elements []element) {
	r := g.rules[name]
	if r == nil {
		r = &rule{phrases: map[string][]phrase{}}
		g.rules[name] = r
	}
	var p phrase
	for i, e := range elements {
		switch {
		case e.kind == word && len(p.marks) == 0:
			p.words = append(p.words, e.name)
		case e.kind == mark && i > 0:
			p.marks = append(p.marks, e)
		default:
			r.other = append(r.other, elements)
			return
		}
	}
	list := append(r.phrases[p.words[0]], p)
	slices.SortStableFunc(list, func(a, b phrase) int { return len(b.words) - len(a.words) })
	r.phrases[p.words[0]] = list
}

// link points the elements to the rules that they name.
func (g *Grammar) link(elements []element) {
	for i, e := range elements {
		if e.kind == mention {
			elements[i].rule = g.rules[e.name]
			if g.rules[e.name] == nil {
				panic("grammar: no rule " + e.name)
			}
		}
		g.link(e.group)
	}
}

// Has reports whether the grammar itself has the word.
func (g *Grammar) Has(word string) bool { return g.words[Fold(word)] }

// Token is a word of a text, or what stands between quotes.
type Token struct {
	Text   string
	Quoted bool
	fold   string
	slips  []string // the words that it is one letter away from
}

//nolint:gochecknoglobals // never change; see Expr
var (
	tokens = LazyRegexp(`--[\w-]+="[^"]+"|"[^"]+"|'[^']+'|` + "`[^`]+`" + `|\S+`)
	accent = strings.NewReplacer("ä", "a", "ö", "o", "ü", "u", "ß", "ss", "á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ñ", "n", "à", "a", "è", "e")
	quotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`, "‘", "'", "’", "'", "\x00", "\ufffd")
	letter = regexp.MustCompile(`^\pL+$`)
)

// Fold takes case and accents off a word.
func Fold(s string) string { return accent.Replace(strings.ToLower(s)) }

// Tokens splits a text. A text that is too long for a question has none.
func (g *Grammar) Tokens(text string) []Token {
	if len(text) > maxBytes {
		return nil
	}
	var list []Token
	for _, w := range tokens().FindAllString(quotes.Replace(strings.ToValidUTF8(text, "")), maxWords+1) {
		if bare := strings.TrimRight(w, "?!.,;:"); len(bare) > 2 && Unquote(bare) != bare {
			list = append(list, Token{Text: Unquote(bare), Quoted: true})
			continue
		}
		bare := strings.TrimLeft(w, "¿¡(")
		if rest := strings.TrimRight(bare, "?!.,;:"); rest != "" {
			bare = rest
		}
		if strings.Trim(bare, "?!,;:") == "" {
			continue
		}
		// A compound such as Go-Dateien is two words.
		if first, second, ok := strings.Cut(bare, "-"); ok && letter.MatchString(first) && g.words[Fold(second)] && !g.words[Fold(bare)] {
			list = append(list, g.token(first), g.token(second))
			continue
		}
		list = append(list, g.token(bare))
	}
	if len(list) > maxWords {
		return nil
	}
	return list
}

func (g *Grammar) token(s string) Token {
	t := Token{Text: s, fold: Fold(s)}
	if len(t.fold) < 4 || g.words[t.fold] || !letter.MatchString(t.fold) {
		return t
	}
	for _, w := range g.long {
		if IsTypo(w, t.fold) {
			t.slips = append(t.slips, w)
		}
	}
	return t
}

// IsTypo reports whether two words are one edit apart: one letter replaced, added or removed,
// or two swapped.
func IsTypo(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 || len(b) < minLong || a[0] != b[0] {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	if i+1 >= len(a) {
		return true
	}
	return a[i+1:] == b[i+1:] || a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

func (t Token) is(word string) bool {
	return !t.Quoted && (t.fold == word || slices.Contains(t.slips, word))
}
