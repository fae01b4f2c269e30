package memory

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/rank"
)

const (
	longestQuestion = 300 // bytes
	classWeight     = 0.4 // of the word that only names what is asked for: "which port"
	verbWeight      = 0.5
	lightWeight     = 0.1 // of a verb that says little: "use"
	leastEnd        = 5   // bytes of a word that others may end with
)

// inquiry is what is read in a question that something the user said may answer.
type inquiry struct {
	lang     *lang.Language
	text     string
	looks    bool   // it asks for what was said, in so many words
	talk     bool   // it asks about the conversation itself
	mine     bool   // it is about who asks
	self     bool   // who asks is its subject
	yesNo    bool   // it asks whether something is so
	decided  bool   // it asks for what was decided
	words    []word // what it is about
	demands  string // lang.When and the like: what the answer has to hold
	subjects bool   // it asks what, who or where a thing is
	light    bool   // its verb says little: "which port do we use"
	definite bool   // of a thing that is known to both: "the", "our"
	past     bool   // it asks for what is not so any more
	ever     bool   // it is for what was ever so
	whole    string // what it asks for all of: one of wholes
	prompts  string // which earlier prompts it asks for: wasAsked or wasSaid
	dated    bool   // of a time that it names
	somebody bool   // it asks for what somebody else was asked
	measures bool   // it asks how big a thing is, or the like
	costs    bool   // it asks what a thing costs
	now      bool   // it asks for what is so at this moment
	same     bool   // those like the prompt before: "did I ask this before"
}

// What may be asked for as a whole: the sections of words that ask for it.
const (
	aboutMe      = lang.AboutMe
	aboutProject = "about project"
	leftToDo     = "left to do"
	allDecided   = "all decided"
	whereWeWere  = "where we were"
	preferences  = "my preferences"
)

const measuring = "how much of it" // the section of words that ask how big a thing is

// word is one that a question is about.
type word struct {
	text   string
	weight float64
	others []string // how else it is said
	ends   bool     // it may be the end of another word: Garten, of Schrebergarten
	heard  bool     // it, or what it is called otherwise, was ever said here
}

// readQuestion reads a question that what was said may answer.
func readQuestion(text string) (inquiry, bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > longestQuestion || strings.ContainsAny(text, "\"`\n{}|=") || strings.ContainsAny(text[:1], "@/") {
		return inquiry{}, false
	}
	l, all := lang.Of(text), lang.Words(text)
	q := inquiry{lang: l, text: text, looks: true}
	if _, told := lang.Statement(text); told || len(all) == 0 {
		return inquiry{}, false
	}
	asks := lang.Asks(text)
	for _, whole := range [...]string{aboutMe, aboutProject, leftToDo, allDecided, whereWeWere, preferences} {
		if l.Holds(text, whole) && len(q.about(whole, "day words")) == 0 {
			q.whole = whole
			return q, true
		}
	}
	history := inquiry{lang: l, text: text, looks: true}
	if history.readPrompts(asks) {
		return history, true
	}
	q.somebody = history.somebody
	if l.Holds(text, lang.Asking) && len(q.about(lang.Asking, "day words")) == 0 {
		q.talk = true
		return q, true
	}
	if asks && l.Opens(text, lang.Asking) > 0 && len(q.about(lang.Asking)) == 0 {
		q.talk = true
		return q, true
	}
	looksUp := l.Opens(text, lang.Lookup) > 0
	q.looks = looks(l, text, all, asks || looksUp)
	if !q.looks && !plain(l, text, asks) {
		return inquiry{}, false
	}
	q.now, q.costs = l.Holds(text, "present"), slices.ContainsFunc(all, func(w string) bool { return l.Has("cost", w) })
	q.mine = slices.ContainsFunc(all, func(w string) bool { return l.Has(lang.Mine, w) })
	q.self = !q.looks && !l.Holds(text, "finding") && slices.ContainsFunc(all, func(w string) bool { return l.Has(lang.Self, w) })
	q.definite = !q.yesNo && l.Holds(text, "definite") && len(all) <= 9
	q.past = l.Holds(text, "formerly")
	q.decided = q.looks && slices.ContainsFunc(all, func(w string) bool { return l.Has("decisive", w) })
	q.yesNo = !q.looks && l.Has(lang.YesNo, all[0]) && !slices.ContainsFunc(all, func(w string) bool { return l.Has("choice", w) })
	for _, kind := range []string{lang.When, lang.HowMany, lang.Who, lang.Where} {
		if l.Opens(text, kind) > 0 {
			q.demands = kind
		}
	}
	if l.Opens(text, measuring) > 0 {
		q.demands, q.measures = lang.HowMany, true
	}
	q.read()
	if len(q.words) == 0 && !q.looks || !q.looks && q.yesNo && !q.self && len(q.words) < 2 {
		return inquiry{}, false
	}
	return q, true
}

// plain reports whether a text is one question that something stated may answer:
// not one for advice, for what is so just now, or with anything to be worked out.
func plain(l *lang.Language, text string, asks bool) bool {
	if !asks && l.Opens(text, "telling") == 0 || len(lang.Sentences(text)) > 1 || strings.ContainsAny(text, "*+^%") {
		return false
	}
	sought := l.Opens(text, lang.Where) > 0 && l.Holds(text, "finding") // "where can I find"
	elsewhere := slices.DeleteFunc(l.Without(text, "present"), func(w string) bool { return !l.Has(lang.Deictic, w) })
	return (sought || !l.Holds(text, lang.Advice)) && len(elsewhere) == 0
}

// looks reports whether a question asks for what was said before.
func looks(l *lang.Language, text string, all []string, asks bool) bool {
	if l.Holds(text, lang.Memory) && (asks || l.Opens(text, lang.Memory) > 0) {
		return !l.Holds(text, "learning")
	}
	if !asks || !l.Holds(text, lang.Past) || l.Holds(text, "unsaid") {
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

// about returns the words that a question is about, those of some phrases left
// out.
func (q *inquiry) about(without ...string) []string {
	kinds := append([]string{lang.Function, lang.Question, lang.When, lang.Where, lang.Who, lang.HowMany, measuring, "finding"}, without...)
	if q.now {
		kinds = append(kinds, "present")
	}
	if q.past {
		kinds = append(kinds, "formerly")
	}
	if q.looks {
		kinds = append(kinds, lang.Filler, lang.Saying, lang.Memory, lang.Lookup)
	}
	var words []string
	for _, w := range q.lang.Without(q.text, kinds...) {
		w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
		if !q.lang.Has(lang.Function, w) && !q.lang.Has("separable", w) && !slices.Contains(words, w) && w != "" {
			words = append(words, w)
		}
	}
	return words
}

// read sets what a question is about.
func (q *inquiry) read() {
	var without []string
	if q.lang.Opens(q.text, lang.Lookup) > 0 {
		without = append(without, lang.Lookup)
	}
	class := q.lang.After(q.text, lang.Class)
	classes := q.classes(class)
	content := q.about(without...)
	if words := lang.Words(q.text); len(content) == 0 && q.measures && q.self && len(words) > 2 { // "how old am I"
		content = words[1:2]
	}
	for _, w := range content {
		if q.rate(w) && len(content) > 1 {
			continue
		}
		weight := 1.
		switch {
		case q.names(w):
		case (w == class || slices.Contains(classes, w) || q.offers(w) || q.lang.Has("named", w)) && len(content) > 1:
			weight = classWeight
		case q.lang.Has("faint", w) && len(content) > 1:
			weight = lightWeight
		case (q.lang.Has("light", w) || q.lang.ID == "en" && strings.HasSuffix(w, "ed") && len(content) > 2) && len(content) > 1:
			weight, q.light = lightWeight, true
		case (q.lang.Has(lang.Verb, w) || q.lang.Has("verblike", w)) && len(content) > 1:
			weight = verbWeight
		}
		q.words = append(q.words, word{text: w, weight: weight, others: q.otherwise(w), ends: q.lang.ID == "de" && len(w) >= leastEnd})
	}
	if q.decided && slices.ContainsFunc(content, q.offers) { // one of the two is the answer
		for i, w := range q.words {
			q.words[i].weight = map[bool]float64{true: 1, false: lightWeight}[q.offers(w.text)]
		}
	}
	verbs := slices.ContainsFunc(content, func(w string) bool { return q.lang.Has(lang.Verb, w) && !q.lang.Has("light", w) })
	q.subjects = !q.looks && !q.self && !verbs && (q.demands != lang.HowMany || q.measures)
}

// rate reports whether a word only says over what time something is counted: "our rent per
// year". What was said of it may have been said of another.
func (q *inquiry) rate(w string) bool {
	return q.lang.Has(lang.Span, w) && slices.ContainsFunc([]string{"per ", "each ", "pro ", "por ", "al "}, func(of string) bool {
		return strings.Contains(strings.ToLower(q.text), " "+of+w)
	})
}

// otherwise is how else a word of the question may be said: by what means the same, by what
// it is the name for, and, of a verb that is parted there, in one word: "läuft … ab".
func (q *inquiry) otherwise(w string) []string {
	all := append(q.lang.Alike(w), q.lang.Kinds(w)...)
	words := lang.Words(q.text)
	if last := words[len(words)-1]; q.lang.Has("separable", last) && len(words) > 2 && w == words[1] {
		all = append(all, last+w)
	}
	return all
}

// classes are the words from that which names what is asked for to the next verb:
// "which database library did we pick".
func (q *inquiry) classes(class string) []string {
	words := lang.Words(q.text)
	at := slices.Index(words, class)
	if at < 0 || class == "" {
		return nil
	}
	var classes []string
	for _, w := range words[at:] {
		if q.lang.Has(lang.Function, w) || q.lang.Has(lang.Verb, w) {
			break
		}
		if !q.names(w) {
			classes = append(classes, w)
		}
	}
	return classes
}

// names reports whether a word is written as a name.
func (q *inquiry) names(w string) bool {
	first, size := utf8.DecodeRuneInString(w)
	return q.lang.ID != "de" && strings.Contains(q.text, " "+string(unicode.ToUpper(first))+w[size:]) && unicode.IsLower(first)
}

// ofSomebody reports whether a question is about a person, or about what is theirs:
// "who is Ludo", "when is Ada's birthday".
func (q *inquiry) ofSomebody() bool {
	return q.subjects && slices.ContainsFunc(q.words, func(w word) bool {
		name := q.written(w.text)
		return q.names(w.text) && (q.demands == lang.Who || strings.Contains(q.text, name+"'s ") || strings.Contains(q.text, name+"’s "))
	})
}

// written is a word as it stands in the question.
func (q *inquiry) written(w string) string {
	if at := strings.Index(strings.ToLower(q.text), w); at >= 0 && at+len(w) <= len(q.text) && strings.EqualFold(q.text[at:at+len(w)], w) {
		return q.text[at : at+len(w)]
	}
	return w
}

// offers reports whether a word is one of two to choose from: "long or short".
func (q *inquiry) offers(w string) bool {
	words := lang.Words(q.text)
	for i := 1; i+1 < len(words); i++ {
		if q.lang.Has("choice", words[i]) && (words[i-1] == w || words[i+1] == w) {
			return true
		}
	}
	return false
}

// spellings are what the index is asked for a word.
func (w word) spellings(l *lang.Language) []string {
	all := append([]string{w.text}, w.others...)
	if n := len([]rune(w.text)); l.ID != "en" && n >= 5 {
		all = append(all, string([]rune(w.text)[:n-1])+"*")
	}
	return all
}

// near reports whether one of some words begins as a word of the question or as what
// it is called otherwise: "plasticware", of plastics.
func (w word) near(words []string) bool {
	for _, form := range append([]string{w.text}, w.others...) {
		for _, other := range words {
			n := 0
			for n < len(form) && n < len(other) && form[n] == other[n] {
				n++
			}
			if n >= 4 && n >= min(len(form), len(other))-2 && 3*n >= 2*min(len(form), len(other)) {
				return true
			}
		}
	}
	return false
}

// in reports whether a word is among those of a statement.
func (w word) in(stems map[string]bool) bool {
	for _, form := range append([]string{w.text}, w.others...) {
		if stems[rank.Stem(form)] || stems[form] {
			return true
		}
		for part := range strings.FieldsFuncSeq(form, func(r rune) bool { return strings.ContainsRune("-/.:_", r) }) {
			if part != form && len(part) > 3 && stems[part] {
				return true
			}
		}
		if w.ends {
			for stem := range stems {
				if strings.HasSuffix(stem, form) {
					return true
				}
			}
		}
		if r := []rune(form); len(r) >= 6 { // an ending more or less
			for stem := range stems {
				if s := []rune(stem); len(s) >= len(r)-1 && len(s) <= len(r)+2 && strings.HasPrefix(stem, string(r[:len(r)-1])) {
					return true
				}
			}
		}
	}
	return false
}
