// Package question tells which of many sentences answers a plain question: by the words
// that it is about, by the kind of value that it asks for, and by what else a sentence
// tells. It reads forms, not meanings, and is pure. What the features of a sentence
// weigh is up to who asks: what people said in a conversation is worded otherwise than
// documents are.
package question

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core/lang"
)

// How much a word of a question counts.
const (
	ClassWeight = 0.4 // it only names what is asked for: "which port"
	VerbWeight  = 0.5
	LightWeight = 0.1 // a verb that says little: "use"
)

// Measuring is the section of words that ask how big a thing is.
const Measuring = "how much of it"

const leastEnd = 5 // bytes of a word that others may end with

// Question is what is read in a plain question.
type Question struct {
	Lang     *lang.Language
	Text     string
	Looks    bool   // it asks for what was said, in so many words
	Mine     bool   // it is about who asks
	Self     bool   // who asks is its subject
	YesNo    bool   // it asks whether something is so
	Decided  bool   // it asks for what was decided
	Words    []Word // what it is about
	Demands  string // lang.When and the like: what the answer has to hold
	Subjects bool   // it asks what, who or where a thing is
	Light    bool   // its verb says little: "which port do we use"
	Past     bool   // it asks for what is no longer true
	Measures bool   // it asks how big a thing is, or the like
	Costs    bool   // it asks what a thing costs
	Now      bool   // it asks for what is so at this moment
}

// ReadForm sets what the form of a question tells of it, but for Looks, and for Decided
// where it looks.
func (q *Question) ReadForm() {
	l, all := q.Lang, lang.Words(q.Text)
	q.Now, q.Costs = l.HasPhrase(q.Text, "present"), slices.ContainsFunc(all, func(w string) bool { return l.Has("cost", w) })
	q.Mine = slices.ContainsFunc(all, func(w string) bool { return l.Has(lang.Mine, w) })
	q.Self = !q.Looks && !l.HasPhrase(q.Text, "finding") && slices.ContainsFunc(all, func(w string) bool { return l.Has(lang.Self, w) })
	q.Past = l.HasPhrase(q.Text, "formerly")
	q.YesNo = !q.Looks && len(all) > 0 && l.Has(lang.YesNo, all[0]) && !slices.ContainsFunc(all, func(w string) bool { return l.Has("choice", w) })
	for _, kind := range []string{lang.When, lang.HowMany, lang.Who, lang.Where} {
		if l.OpeningLength(q.Text, kind) > 0 {
			q.Demands = kind
		}
	}
	if l.OpeningLength(q.Text, Measuring) > 0 {
		q.Demands, q.Measures = lang.HowMany, true
	}
}

// LooksBack reports whether a question asks for what was said before, in so many words. asks
// says that it is one by its form.
func (q *Question) LooksBack(asks bool) bool {
	l, text, all := q.Lang, q.Text, lang.Words(q.Text)
	if l.HasPhrase(text, lang.Memory) && (asks || l.OpeningLength(text, lang.Memory) > 0) {
		return !l.HasPhrase(text, "learning")
	}
	if !asks || !l.HasPhrase(text, lang.Past) || l.HasPhrase(text, "unsaid") {
		return false
	}
	drops := len(l.Lines(lang.Same)) > 0 && l.ID == "es" // its verbs say who speaks
	for i, w := range all {
		said := l.Has(lang.Saying, w)
		if said && drops {
			return true
		}
		if !l.Has(lang.Self, w) && w != "you" && w != "u" {
			continue
		}
		for j, later := range all[i+1:] {
			if l.Has(lang.Saying, later) && (j < 4 || l.ID == "de") {
				return true
			}
		}
	}
	return false
}

// AsksMyName reports whether a question is for the name of who asks.
func (q *Question) AsksMyName() bool {
	return q.Mine && len(q.Words) == 1 && q.named(q.Words[0].Text)
}

// named reports whether a word asks what something is called, or says it.
func (q *Question) named(w string) bool { return q.Lang.Has("named", w) }

// About returns the words that a question is about, those of some phrases left
// out.
func (q *Question) About(without ...string) []string {
	kinds := append([]string{lang.Function, lang.Question, lang.When, lang.Where, lang.Who, lang.HowMany, Measuring, "finding"}, without...)
	if q.Now {
		kinds = append(kinds, "present")
	}
	if q.Past {
		kinds = append(kinds, "formerly")
	}
	if q.Looks {
		kinds = append(kinds, lang.Filler, lang.Saying, lang.Memory, lang.Lookup)
	}
	var words []string
	for _, w := range q.Lang.Without(q.Text, kinds...) {
		w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
		if !q.Lang.Has(lang.Function, w) && !q.Lang.Has("separable", w) && !slices.Contains(words, w) && w != "" {
			words = append(words, w)
		}
	}
	return words
}

// ReadWords sets what a question is about.
func (q *Question) ReadWords() {
	var without []string
	if q.Lang.OpeningLength(q.Text, lang.Lookup) > 0 {
		without = append(without, lang.Lookup)
	}
	class := q.Lang.WordAfter(q.Text, lang.Class)
	classes := q.classes(class)
	content := q.About(without...)
	if words := lang.Words(q.Text); len(content) == 0 && q.Measures && q.Self && len(words) > 2 { // "how old am I"
		content = words[1:2]
	}
	for _, w := range content {
		if q.rate(w) && len(content) > 1 {
			continue
		}
		weight := 1.
		switch {
		case q.Names(w):
		case (w == class || slices.Contains(classes, w) || q.offers(w) || q.named(w)) && len(content) > 1:
			weight = ClassWeight
		case q.Lang.Has("faint", w) && len(content) > 1:
			weight = LightWeight
		case (q.Lang.Has("light", w) || q.Lang.ID == "en" && strings.HasSuffix(w, "ed") && len(content) > 2) && len(content) > 1:
			weight, q.Light = LightWeight, true
		case (q.Lang.Has(lang.Verb, w) || q.Lang.Has("verblike", w)) && len(content) > 1:
			weight = VerbWeight
		}
		q.Words = append(q.Words, Word{Text: w, Weight: weight, Others: q.otherwise(w), Ends: q.Lang.ID == "de" && len(w) >= leastEnd})
	}
	if q.Decided && slices.ContainsFunc(content, q.offers) { // one of the two is the answer
		for i, w := range q.Words {
			q.Words[i].Weight = map[bool]float64{true: 1, false: LightWeight}[q.offers(w.Text)]
		}
	}
	verbs := slices.ContainsFunc(content, func(w string) bool { return q.Lang.Has(lang.Verb, w) && !q.Lang.Has("light", w) })
	q.Subjects = !q.Looks && !q.Self && !verbs && (q.Demands != lang.HowMany || q.Measures)
}

// rate reports whether a word only says over what time something is counted: "our rent per
// year". What was said of it may have been said of another.
func (q *Question) rate(w string) bool {
	return q.Lang.Has(lang.Span, w) && slices.ContainsFunc([]string{"per ", "each ", "pro ", "por ", "al "}, func(of string) bool {
		return strings.Contains(strings.ToLower(q.Text), " "+of+w)
	})
}

// classes are the words from that which names what is asked for to the next verb:
// "which database library did we pick".
func (q *Question) classes(class string) []string {
	words := lang.Words(q.Text)
	at := slices.Index(words, class)
	if at < 0 || class == "" {
		return nil
	}
	var classes []string
	for _, w := range words[at:] {
		if q.Lang.Has(lang.Function, w) || q.Lang.Has(lang.Verb, w) {
			break
		}
		if !q.Names(w) {
			classes = append(classes, w)
		}
	}
	return classes
}

// otherwise is how else a word of the question may be said: by what means the same, by what
// it is the name for, and, of a verb that is parted there, in one word: "läuft … ab".
func (q *Question) otherwise(w string) []string {
	if w == "most" && strings.Contains(strings.ToLower(q.Text), "the most") { // it ranks, and sets no limit as "at most" does
		return nil
	}
	all := slices.Concat(q.Lang.Synonyms(w), q.Lang.Hyponyms(w), q.Lang.IrregularForms(w))
	words := lang.Words(q.Text)
	if last := words[len(words)-1]; q.Lang.Has("separable", last) && len(words) > 2 && w == words[1] {
		all = append(all, last+w)
	}
	return all
}

// IsAbout reports whether a word is one that a question is about.
func (q *Question) IsAbout(w string) bool {
	stems := Stems([]string{w})
	return slices.ContainsFunc(q.Words, func(v Word) bool { return v.In(stems) })
}

// Names reports whether a word is written as a name.
func (q *Question) Names(w string) bool {
	first, size := utf8.DecodeRuneInString(w)
	return q.Lang.ID != "de" && strings.Contains(q.Text, " "+string(unicode.ToUpper(first))+w[size:]) && unicode.IsLower(first)
}

// Written is a word as it stands in the question.
func (q *Question) Written(w string) string {
	if at := strings.Index(strings.ToLower(q.Text), w); at >= 0 && at+len(w) <= len(q.Text) && strings.EqualFold(q.Text[at:at+len(w)], w) {
		return q.Text[at : at+len(w)]
	}
	return w
}

// offers reports whether a word is one of two to choose from: "long or short".
func (q *Question) offers(w string) bool {
	words := lang.Words(q.Text)
	for i := 1; i+1 < len(words); i++ {
		if q.Lang.Has("choice", words[i]) && (words[i-1] == w || words[i+1] == w) {
			return true
		}
	}
	return false
}
