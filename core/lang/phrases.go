package lang

import (
	"slices"
	"strings"
	"sync"
)

// Phrases are the words and phrases of all languages by what they do in a sentence,
// for who reads the [Token]s of a text and does not care in which language it is.
type Phrases map[string][][]string

// The kinds of [Phrases].
const (
	And       = "and"            // join two questions
	Then      = "then"           // join a question to what comes before it
	Reference = "refer"          // stand for what was said before
	There     = "there"          // stand for a place that was said before
	Its       = "its"            // stand for what something is of
	ThatOne   = "that one"       // before a noun, stand for what it names
	joins     = "refer together" // stand between a thing and what it has
	Again     = "again"          // ask the same again
	Reword    = "reword"         // ask for the last answer in other words
	Follow    = "follow"         // open what goes on from the question before
	Correct   = "correct"        // open what was meant instead
	Relation  = "relation"       // open a phrase of place, time or the like
	Article   = "article"
	Courtesy  = "courtesy" // say nothing but friendliness
	Greeting  = "greeting"
	Thanks    = "thanks"
	Ask       = "ask"          // turn to an expert by its name
	Without   = "without"      // leave an expert out, by its name
	Opening   = "opening"      // open a question without saying anything of it
	Lead      = "lead"         // words of which a long opening is made
	Tell      = "tell"         // end a long opening: know, wondering
	AfterTell = "aftertell"    // may follow one of Tell: me, whether
	Trailer   = "trailer"      // end a question without saying anything of it
	Found     = "found"        // open a question for something, which a pronoun behind it stands for
	WhoFound  = "found person" // open a question for somebody, whom one of Person stands for
	Person    = "person"
	Span      = "span" // of time: after one of ThatOne they stand for themselves
)

// AllPhrases are read once and never changed. [Question] opens those that ask for
// yes or no, too.
//
//nolint:gochecknoglobals // see above
var AllPhrases = sync.OnceValue(func() Phrases { return phrasesOf(tables()...) })

// phrasesByLanguage are the phrases of each language.
//
//nolint:gochecknoglobals // read once and never changed
var phrasesByLanguage = sync.OnceValue(func() (all []Phrases) {
	for _, l := range tables() {
		all = append(all, phrasesOf(l))
	}
	return all
})

func phrasesOf(languages ...*Language) Phrases {
	all := Phrases{}
	for _, l := range languages {
		for _, kind := range [...]string{
			Question, YesNo, And, Then, Reference, There, Its, ThatOne, Again, Reword, Follow, Correct, Relation, Article, Courtesy, Greeting, Thanks, Ask, Without, Opening, Lead, Tell, AfterTell, Trailer, Found, WhoFound, Person, Span, Self, Saying, joins,
		} {
			for _, phrase := range l.Words(kind) {
				into := map[bool]string{true: Question, false: kind}[kind == YesNo]
				all[into] = append(all[into], strings.Fields(phrase))
			}
		}
	}
	for _, phrases := range all { // the longest first
		slices.SortStableFunc(phrases, func(a, b []string) int { return len(b) - len(a) })
	}
	return all
}

// Begins returns how many of the tokens make a phrase of that kind, 0 for none.
func (l Phrases) Begins(kind string, tokens []Token) int {
	for _, phrase := range l[kind] {
		if len(phrase) <= len(tokens) && slices.EqualFunc(phrase, tokens[:len(phrase)], func(w string, t Token) bool { return t.Lower == w }) {
			return len(phrase)
		}
	}
	return 0
}

// Only reports whether the tokens are nothing but phrases of that kind.
func (l Phrases) Only(kind string, tokens []Token) bool {
	for len(tokens) > 0 {
		n := l.Begins(kind, tokens)
		if n == 0 {
			return false
		}
		tokens = tokens[n:]
	}
	return true
}

// Find is where the first phrase of that kind stands, and how long it is.
func (l Phrases) Find(kind string, tokens []Token) (at, n int) {
	for i := range tokens {
		if n := l.Begins(kind, tokens[i:]); n > 0 {
			return i, n
		}
	}
	return 0, 0
}

// Refers is where a text refers to what was said before, and how many tokens that
// takes. "there" after a question word does not, as in "how many are there"; where
// strict, "it" does not either, as in "is it raining". What stands for a thing of the same
// text refers to nothing before it: "when will Ivy leave if she starts now".
func (l Phrases) Refers(tokens []Token, strict bool) (at, n int) {
	for i := range tokens {
		n := l.Begins(Reference, tokens[i:])
		empty := n == 1 && i > 0 && (tokens[i].Lower == "there" && l.Begins(Question, tokens[i-1:i]) > 0 || strict && tokens[i].Lower == "it" && tokens[i-1].IsCopula())
		span := n > 0 && i+n < len(tokens) && l.Begins(ThatOne, tokens[i:]) > 0 && l.Begins(Span, tokens[i+n:]) > 0 // "this week"
		if n > 0 && !empty && !span && !l.bound(tokens, i) {
			return i, n
		}
	}
	return 0, 0
}

// bound reports whether a reference stands for something before it in the same text: a
// person who is named, what a relative clause is about ("a train that is late"), or what is
// listed with what it has ("the authors and their commits"). "that" may also only join: "when
// did I say that I leave".
func (l Phrases) bound(tokens []Token, i int) bool {
	if i == 0 {
		return false
	}
	before, t := tokens[i-1], tokens[i]
	named := slices.ContainsFunc(tokens[1:i], func(t Token) bool { return t.Shape == Word && len(t.Text) > 1 && startsAnew(t.Text) })
	relative := t.Lower == "that" && i+1 < len(tokens) && tokens[i+1].IsCopula() && before.Shape == Word && !before.IsCopula() && l.Begins(Question, tokens[i-1:i])+l.Begins(Follow, tokens[i-1:i])+l.Begins(And, tokens[i-1:i]) == 0
	listed := i > 1 && l.Begins(Its, tokens[i:]) > 0 && l.Begins(joins, tokens[i-1:i]) > 0
	next := tokens[i+1:]
	conjunction := t.Lower == "that" && !before.IsCopula() && (l.Begins(Self, next) > 0 || l.Begins(Saying, tokens[i-1:i]) > 0 && l.Begins(Article, next) > 0)
	return named && l.Begins(Person, tokens[i:]) > 0 || relative || listed || conjunction
}
