package lang

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/yaap-chat/yaap/core/linear"
)

// leastOfStatement is the worth from which on a clause is kept that has the form of a statement.
const leastOfStatement = -0.5

// worth is how likely a clause tells what is still of use in a week, as log-odds: by the
// weights in words/worth_*.txt, which are fitted to the sentences in testdata/worth and to
// what the people of testdata/persons say.
func (l *Language) worth(words []token) float64 { return l.worths.Score(l.worthFeatures(words)) }

// isTask is how likely a clause tells what who speaks is to do, as log-odds: by the weights
// in words/task_*.txt, which are fitted to what the people of testdata/persons say.
func (l *Language) isTask(words []token) float64 { return l.tasks.Score(l.worthFeatures(words)) }

// worthFeatures are what counts for it.
func (l *Language) worthFeatures(words []token) linear.Features {
	f := linear.Features{linear.Bias: 1}
	content := 0
	for i, w := range words {
		f.Set("word " + w.lower)
		if r := []rune(w.lower); len(r) > 5 {
			f.Set("end " + string(r[len(r)-3:]))
		}
		l.shapeFeatures(f, w, i == 0)
		if !l.Has(Function, w.lower) {
			content++
		}
	}
	if len(words) == 0 {
		return f
	}
	f.Set(fmt.Sprint("long ", min(len(words), 12)))
	f.Set(fmt.Sprint("content ", min(content, 5)))
	f.Set("first " + words[0].lower)
	f.Set("last " + words[len(words)-1].lower)
	f.If("colon", strings.Contains(commas(words), ":"))
	for _, kind := range [...]string{
		Self, Mine, You, "pronoun", "determiner", "preposition", Verb, "selfverb", "command", "modal", "supposing", "change", "date", "number", "measured",
		"old", "referring", "bygone", "open", "wish", "settled", "degree", "light", Question, YesNo, "joint", "so", "must anywhere", "standing",
		"duty", "names", Deictic, Time, "currency", "person", "verblike", "without subject", Function,
	} {
		f.If("opens with "+kind, l.opens(words, kind) > 0)
		f.If("holds "+kind, l.holds(words, kind))
	}
	if len(words) > 1 {
		l.formFeatures(f, words)
	}
	return f
}

// shapeFeatures are what a word looks like.
func (l *Language) shapeFeatures(f linear.Features, w token, first bool) {
	capital := startsAnew(w.text) && l.ID != "de" && w.text != "I"
	switch {
	case strings.ContainsFunc(w.text, unicode.IsDigit):
		f.Set("has digit")
		f.If("has code", strings.ContainsFunc(w.text, unicode.IsLetter))
	case strings.ContainsAny(w.text, "/_@") || strings.Contains(strings.Trim(w.text, "."), "."):
		f.Set("has code")
	case abbreviated(w.text):
		f.Set("has abbreviation")
	case capital && !first:
		f.Set("has name")
	case capital && !l.Has(Function, w.lower):
		f.Set("opens named")
	}
}

// formFeatures are which forms of statements a clause has.
func (l *Language) formFeatures(f linear.Features, words []token) {
	told, statement := l.sentence(words)
	f.If("statement", statement)
	f.If("statement of "+string(told), statement)
	f.If("tells", l.tells("", words))
	f.If("vague", l.vague(words))
	f.If("brief", l.brief(words))
	f.If("refers", l.refers(words))
	f.If("verb", l.verbOf(words) > 0)
	f.If("looks like a verb", l.looksVerb(words) > 0)
	f.If("names something", l.namesSomething(words))
	f.If("supposes", l.supposes(words))
}
