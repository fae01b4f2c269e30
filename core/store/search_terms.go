package store

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/text"
)

const (
	searchTerms = 40  // of a question
	wordLength  = 64  // characters
	wordBegin   = 3   // characters at least before a star
	searchBegun = 4   // words with a star
	endings     = 5   // characters from which on a word of a language without stems may end otherwise
	partWeight  = 0.5 // of a part of what is written as one: getUserName, core/store
	sameWeight  = 0.4 // of the words that mean the same
	kindWeight  = 0.3 // of those that a word is the name for: pet, of dogs and cats
)

// asked is what a search asks for.
type asked struct {
	terms  []term
	filter filter
	period lang.Period // that it names; without words it names none
	names  []string    // its words in lower case: a speaker may be among them
	role   core.Role   // who said it, where that is told: "did I say"

	begun   int
	words   []token           // of the text that was read last
	byStem  map[string][]form // by the first stem
	byStart []form
	byChars map[string]int          // terms
	first   map[rune]bool           // of the characters
	starts  [utf8.RuneSelf][]string // of the stems
}

// term is something that is looked for, in any of its forms.
type term struct {
	text   string // in lower case
	forms  []form
	chars  bool // characters that are looked for anywhere: a pair of them, say
	weight float64
}

// form is how a term may be written: some words in a row, or the beginning of one.
type form struct {
	words  []string // in lower case
	stems  []string // of these
	begins bool
	term   int
}

// understand reads a question.
func understand(text string, now time.Time) (*asked, error) {
	f, rest, err := filters(text, now)
	if err != nil {
		return nil, err
	}
	a := &asked{filter: f}
	l := lang.Of(rest)
	period, dated := lang.PeriodIn(rest, now)
	if a.period = period; period.Relative { // its words would be looked for
		rest = lang.CutPhrase(rest, period.Words)
	}
	a.role = speaks(l, rest)
	for i, quoted := range strings.Split(rest, `"`) { // what stands between them stands in a row
		if words := strings.FieldsFunc(quoted, between); i%2 == 1 && len(words) > 1 {
			a.add(term{text: strings.ToLower(quoted), forms: []form{phrase(words)}, weight: 1})
		}
	}
	var idle asked
	for field := range strings.FieldsSeq(rest) {
		a.read(l, field, &idle)
	}
	if len(a.terms) == 0 && !dated && f.empty() {
		a.terms = idle.terms // better than nothing
	}
	a.terms = a.terms[:min(len(a.terms), searchTerms)]
	a.prepare()
	return a, nil
}

// speaks returns who is asked about: "did I say", "did you recommend".
func speaks(l *lang.Language, text string) core.Role {
	words := lang.Words(text)
	for i, w := range words {
		if i+1 < len(words) && slices.ContainsFunc(words[i+1:min(i+4, len(words))], func(w string) bool { return l.Has(lang.Saying, w) }) {
			switch {
			case l.Has(lang.Self, w) && w != "we":
				return core.RoleUser
			case l.Has(lang.You, w):
				return core.RoleAssistant
			}
		}
	}
	return ""
}

// read adds what stands between two blanks of a question; to idle, where it says
// nothing about what is looked for.
func (a *asked) read(l *lang.Language, field string, idle *asked) {
	bare := strings.TrimFunc(field, between)
	if lower := strings.ReplaceAll(strings.ToLower(bare), "’", "'"); isIdle(l, lower) {
		idle.word(l, withoutApostrophe(lower), 1)
		return
	}
	if at := strings.IndexAny(bare, "'’"); at > 0 {
		bare = withoutApostrophe(bare)
	}
	star := strings.HasSuffix(field, "*")
	for _, pair := range pairs(bare) {
		f := form{words: []string{pair}, begins: utf8.RuneCountInString(pair) == 1} // of the pairs in the index
		a.add(term{text: pair, forms: []form{f}, chars: true, weight: 1})
	}
	latin := strings.FieldsFunc(bare, func(r rune) bool { return running(r) || between(r) })
	for _, w := range latin {
		a.names = append(a.names, strings.ToLower(w))
	}
	if len(latin) > 1 && !strings.ContainsFunc(bare, running) {
		whole := term{text: strings.ToLower(bare), forms: []form{phrase(latin)}, weight: 1}
		if v := strings.TrimPrefix(strings.ToLower(latin[0]), "v"); v != "" && strings.Trim(v, "0123456789") == "" { // of a version
			for _, first := range []string{v, "v" + v} {
				whole.forms = append(whole.forms, phrase(slices.Concat([]string{first}, latin[1:])))
			}
		}
		a.add(whole)
	}
	for i, w := range latin {
		lower := strings.ToLower(w)
		switch {
		case len(latin) > 1 && len(lower) < 3 && strings.Trim(lower, "0123456789") == "":
			continue // of a version
		case isIdle(l, lower):
			idle.word(l, lower, 1)
			continue
		case star && i == len(latin)-1:
			a.beginning(lower)
			continue
		case len(latin) > 1:
			a.word(l, lower, partWeight)
		default:
			a.word(l, lower, 1)
		}
		if parts := humps(w); len(parts) > 1 {
			for _, part := range parts {
				a.word(l, strings.ToLower(part), partWeight)
			}
		}
	}
}

// word adds a word in all of its forms, and others that mean the same.
func (a *asked) word(l *lang.Language, word string, weight float64) {
	word = text.Cut(word, wordLength, "")
	t := term{text: word, weight: weight}
	for _, w := range append(l.IrregularForms(word), word) {
		for _, spelling := range spellings(w) {
			t.forms = append(t.forms, phrase([]string{spelling}))
		}
	}
	if r := []rune(word); l.ID != "en" && len(r) >= endings {
		f := phrase([]string{string(r[:len(r)-1])})
		f.begins = true
		t.forms = append(t.forms, f)
	}
	a.add(t)
	a.add(others(word+"=", l.Synonyms(word), weight*sameWeight))
	a.add(others(word+":", l.Hyponyms(word), weight*kindWeight))
}

// others are words that are looked for together; none, where there are none.
func others(text string, words []string, weight float64) (t term) {
	for _, w := range words {
		t.text, t.weight = text, weight
		t.forms = append(t.forms, phrase([]string{w}))
	}
	return t
}

// beginning adds all words that begin in a way.
func (a *asked) beginning(word string) {
	if n := utf8.RuneCountInString(word); n < wordBegin || n > wordLength || a.begun == searchBegun {
		return
	}
	a.begun++
	f := phrase([]string{word})
	f.begins = true
	a.add(term{text: word + "*", forms: []form{f, phrase([]string{word})}, weight: 1})
}

func (a *asked) add(t term) {
	if t.text != "" && !slices.ContainsFunc(a.terms, func(other term) bool { return other.text == t.text }) {
		a.terms = append(a.terms, t)
	}
}

func phrase(words []string) form {
	var f form
	for _, w := range words {
		w = strings.ToLower(w)
		f.words, f.stems = append(f.words, w), append(f.stems, stem(w))
	}
	return f
}

// prepare makes the tables that texts are read by.
func (a *asked) prepare() {
	a.byStem, a.byChars, a.first = map[string][]form{}, map[string]int{}, map[rune]bool{}
	for i, t := range a.terms {
		if t.chars {
			a.byChars[t.text] = i
			first, _ := utf8.DecodeRuneInString(t.text)
			a.first[first] = true
			continue
		}
		for _, f := range t.forms {
			if f.term = i; f.stems[0] == "" { // marks without a letter
				continue
			}
			if f.begins {
				if f.stems = []string{plainLetters(f.words[0])}; f.stems[0] == "" {
					continue
				}
				a.byStart = append(a.byStart, f)
			} else {
				a.byStem[f.stems[0]] = append(a.byStem[f.stems[0]], f)
			}
			start := f.stems[0][:len(f.stems[0])-1]
			if first := f.stems[0][0]; first < utf8.RuneSelf && utf8.ValidString(start) {
				a.starts[first] = append(a.starts[first], start)
			}
		}
	}
}

// isIdle reports whether a word says nothing about what is looked for.
func isIdle(l *lang.Language, word string) bool {
	return l.Has(lang.Function, word) || l.Has(lang.Question, word) || l.Has("idle", word)
}

// withoutApostrophe is a word without what an apostrophe ties to it: Ada's, don't.
func withoutApostrophe(word string) string {
	if at := strings.IndexAny(word, "'’"); at > 0 && len(word)-at <= len("’ve") {
		return word[:at]
	}
	return word
}

// spellings returns a word, and how else it is written: the index does not know
// that ß is ss where there is no key for it.
func spellings(word string) []string {
	switch {
	case strings.Contains(word, "ß"):
		return []string{word, strings.ReplaceAll(word, "ß", "ss")}
	case strings.Contains(word, "ss"):
		return []string{word, strings.ReplaceAll(word, "ss", "ß")}
	}
	return []string{word}
}

// between reports whether a character is in no word.
func between(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Co) }
