// Package lang knows the words by which people tell something, ask for something
// or look back, in English, German and Spanish: one file of words for each.
//
// It reads forms, not meanings, and is pure. What it is not sure to be told is
// taken for a question or a request.
package lang

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core/linear"
)

//go:embed words/*.txt
var files embed.FS

// The kinds of words of a [Language] that others than this package ask for.
const (
	Question = "question" // open a question
	YesNo    = "yesno"    // open a question that asks for yes or no
	Self     = "self"     // who speaks, as a subject
	Mine     = "mine"     // who speaks, in any form
	You      = "you"
	Deictic  = "deictic" // of this moment and place
	Same     = "same"    // lines of words that mean the same where it is asked for
	Saying   = "saying"  // what was done with words
	Memory   = "memory"  // phrases that ask for what is remembered
	Asking   = "asking"  // phrases that ask about the conversation itself
	First    = "first"
	Lookup   = "lookup" // phrases that open a request for what is known
	Past     = "past"   // words that make of one of Saying a look back
	Advice   = "advice" // phrases that ask for advice
	Filler   = "filler" // of questions about what was said
	When     = "when"
	Where    = "where"
	Who      = "who"
	HowMany  = "howmany"
	Class    = "class" // the word after it names what is asked for
	Time     = "time"
	Place    = "preposition"
	Function = "function" // say nothing about what a text is about
	AboutMe  = "about me" // ask for all that is known of who asks
	Verb     = "verb"     // stand between a subject and what is told of it
)

// Language is the words of one language.
type Language struct {
	ID      string // en, de or es
	words   map[string]map[string]bool
	phrases map[string]map[string][]phrase // by kind and first word, the longest first
	lines   map[string][]string
	telling map[string]bool // words that tell the language
	worths  linear.Weights  // of the features of a clause that is worth keeping
	tasks   linear.Weights  // of one that tells what is to be done
}

// phrase is some words in a row; colon says that a colon follows the last.
type phrase struct {
	words []string
	colon bool
}

// Has reports whether word, in lower case, is of a kind.
func (l *Language) Has(kind, word string) bool { return l.words[kind][word] }

// Words are the words and phrases of a kind.
func (l *Language) Words(kind string) []string {
	var all []string
	for _, list := range l.phrases[kind] {
		for _, p := range list {
			all = append(all, strings.Join(p.words, " "))
		}
	}
	slices.Sort(all)
	return all
}

// Lines are the lines of a section of the word file.
func (l *Language) Lines(kind string) []string { return l.lines[kind] }

// Synonyms returns other words that mean the same in a question.
func (l *Language) Synonyms(word string) []string { return l.beside(Same, word) }

// IrregularForms returns the irregular forms of a word: bought, of buy.
func (l *Language) IrregularForms(word string) []string { return l.beside("forms", word) }

// Hyponyms returns the narrower terms of a word: dog, of pet.
func (l *Language) Hyponyms(word string) []string {
	for _, line := range l.lines["kinds"] {
		name, kinds, _ := strings.Cut(line, ":")
		if slices.Contains(strings.Fields(name), word) {
			return strings.Fields(kinds)
		}
	}
	return nil
}

// beside returns what stands on the lines of a section beside a word.
func (l *Language) beside(kind, word string) []string {
	var others []string
	for _, line := range l.lines[kind] {
		if words := strings.Fields(line); slices.Contains(words, word) {
			for _, other := range words {
				if other != word {
					others = append(others, other)
				}
			}
		}
	}
	return others
}

// Phrase returns what the section of phrases for answers has under a name.
func (l *Language) Phrase(name string) string {
	for _, line := range l.lines["phrases"] {
		if key, value, ok := strings.Cut(line, " ="); ok && key == name {
			return strings.TrimPrefix(value, " ")
		}
	}
	return ""
}

// IsPhrase reports whether a text is the phrase for answers of that name, in any language.
func IsPhrase(name, text string) bool {
	return slices.ContainsFunc(tables(), func(l *Language) bool { return l.Phrase(name) == text })
}

// Languages are all that are known, English first.
func Languages() []*Language { return slices.Clone(tables()) }

//nolint:gochecknoglobals // parsed once from the embedded files, and never changed
var tables = sync.OnceValue(func() []*Language {
	var all []*Language
	for _, id := range []string{"en", "de", "es"} {
		raw, err := files.ReadFile("words/" + id + ".txt")
		if err != nil {
			panic(err) // it is embedded
		}
		l := read(id, string(raw))
		l.worths, l.tasks = weights("worth", id), weights("task", id)
		all = append(all, l)
	}
	return all
})

// weights are those of a kind of clause in a language.
func weights(kind, id string) linear.Weights {
	raw, err := files.ReadFile("words/" + kind + "_" + id + ".txt")
	if err != nil {
		panic(err) // it is embedded
	}
	return linear.MustParse(string(raw))
}

func read(id, text string) *Language {
	l := &Language{ID: id, words: map[string]map[string]bool{}, phrases: map[string]map[string][]phrase{}, lines: map[string][]string{}, telling: map[string]bool{}}
	kind := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			kind, _, _ = strings.Cut(line[1:], "]")
			l.words[kind], l.phrases[kind] = map[string]bool{}, map[string][]phrase{}
		case kind == Same || kind == "forms" || kind == "kinds" || kind == "phrases":
			l.lines[kind] = append(l.lines[kind], line)
		default:
			for item := range strings.SplitSeq(line, ",") {
				l.add(kind, strings.TrimSpace(item))
			}
		}
	}
	for _, kind := range [...]string{Function, Question, "seek", "selfverb", "liked", "decided", "command", "preference", "preface", Verb, "change", "wish", "must anywhere", "open", "settled", "light", Thanks, Greeting} {
		for w := range l.words[kind] {
			l.telling[w] = true
		}
	}
	for _, byFirst := range l.phrases {
		for _, list := range byFirst {
			slices.SortStableFunc(list, func(a, b phrase) int { return len(b.words) - len(a.words) })
		}
	}
	return l
}

func (l *Language) add(kind, item string) {
	p := phrase{colon: strings.HasSuffix(item, ":")}
	p.words = strings.Fields(strings.TrimSuffix(item, ":"))
	switch len(p.words) {
	case 0:
		return
	case 1:
		l.words[kind][p.words[0]] = !p.colon
	}
	l.phrases[kind][p.words[0]] = append(l.phrases[kind][p.words[0]], p)
}

// Of returns the language that most of the words of a text are of: English,
// where they are of none.
func Of(text string) *Language {
	words := Words(text)
	best, most := tables()[0], 0
	for _, l := range tables() {
		n := 0
		for _, w := range words {
			if l.telling[w] {
				n++
			}
		}
		if strings.ContainsAny(text, "¿¡ñ") && l.ID == "es" || strings.ContainsAny(text, "äöüß") && l.ID == "de" {
			n++
		}
		if n > most {
			best, most = l, n
		}
	}
	return best
}
