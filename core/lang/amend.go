package lang

import (
	"slices"
	"strings"
	"unicode"
)

const maxAmendment = 300 // bytes

// Amendment is what a text asks to be changed of what was said.
type Amendment struct {
	Language *Language
	Forget   bool   // otherwise it says that something is wrong
	Bare     bool   // it is only a value, which may be meant for something else
	Right    string // what is right instead; empty: only that it is wrong
	About    string // what is to be forgotten; empty: what was said last
}

// ReadAmendment reads a text that only asks to forget something that was said, or says that
// what was said last is wrong: "forget the budget", "that is wrong, it is lp-4".
func ReadAmendment(text string) (Amendment, bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxAmendment || strings.ContainsAny(text, "\n?¿`") {
		return Amendment{}, false
	}
	all := tokens(text)
	for _, l := range tables() {
		words := l.afterPreface(all)
		rest := func(n int) string {
			if n >= len(words) {
				return ""
			}
			return strings.TrimRight(text[words[n].start:], " .!")
		}
		if n := l.opens(words, "forgetting"); n > 0 {
			if n < len(words) && l.Has("unforgotten", words[n].lower) {
				return Amendment{}, false // "forget to"
			}
			a := Amendment{Language: l, Forget: true}
			if l.told(words[n:]) {
				a.About = rest(n)
			}
			return a, true
		}
		if n := l.opens(words, "wrong"); n > 0 {
			return Amendment{Language: l, Right: rest(n)}, true
		}
		if n := l.opens(words, "it became"); n > 0 && l.isValue(words[n:]) {
			return Amendment{Language: l, Right: l.Phrase("it is so") + " " + rest(n)}, true
		}
		if a, ok := l.correction(text, all, words); ok {
			return a, true
		}
	}
	return Amendment{}, false
}

// correction reads words, behind what says nothing before them in all, as what is right
// instead of what was said last.
func (l *Language) correction(text string, all, words []token) (Amendment, bool) {
	behind := func(words []token) string { return strings.TrimRight(text[words[0].start:], " .!") }
	is := func(bare bool, right string) (Amendment, bool) {
		return Amendment{Language: l, Bare: bare, Right: right}, true
	}
	nay, comma := false, false // what stands before them says no, and parts them
	if at := len(all) - len(words); at > 0 {
		nay, comma = l.Has("nay", all[at-1].lower), strings.Contains(all[at-1].after, ",")
	}
	nay = nay || l.slips(all) > 0
	instead := len(all) > len(words) && l.opens(all, "instead") > 0 // "actually it's in B2"
	own := l.ID == Of(text).ID
	n, meant := l.opens(words, "it is"), l.opens(words, "correct")
	switch {
	case l.slips(all) > 0 && l.opens(all[l.slips(all):], "it is") > 0 && len(words) == len(all): // "scratch that, it's 71"
		return is(false, behind(all[l.slips(all):]))
	case n > 0 && nay: // "no, it is lp-4"
		return is(false, behind(words))
	case (own || Of(text).slips(all) == 0) && l.slips(all) > 0 && l.isValue(all[l.slips(all):]): // "no, on the 12th", "make that 45 nodes"
		return is(true, l.Phrase("it is so")+" "+behind(all[l.slips(all):]))
	case own && nay && comma && l.withoutSubject(words): // "no, cobra 1.480 euros"
		return is(true, behind(words))
	case (nay || instead) && len(words) > 2 && l.Has("third person", words[0].lower) && !l.any(words[1:2], Function, Place): // "no, she earns 26"
		return is(true, behind(words))
	case meant > 0 && l.isValue(words[meant:]) && (digits(words[meant:]) || l.any(words[meant:], "date")): // "I meant the 20th"
		return is(true, l.Phrase("it is so")+" "+behind(words[meant:]))
	}
	if value := l.valueNow(words[n:], instead); n > 0 && value != "" {
		return is(false, text[words[0].start:words[n-1].end]+" "+value)
	}
	return Amendment{}, false
}

// slips returns how many words at the beginning only say that what follows is right instead:
// "no, sorry,". A single word that says no has a mark behind it.
func (l *Language) slips(words []token) int {
	n := 0
	for k := l.opens(words, "slip"); k > 0 && n+k < len(words); k = l.opens(words[n:], "slip") {
		if k == 1 && words[n].after == "" && l.Has("nay", words[n].lower) || l.opens(words[n:], "correct") > 0 && !digits(words[n+k:]) {
			break
		}
		n += k
	}
	return n
}

// withoutSubject reports whether words are a verb and a number, in a language that may leave
// the subject out.
func (l *Language) withoutSubject(words []token) bool {
	return len(l.words["selfverb"]) > 0 && len(words) > 1 && digits(words[1:]) && !digits(words[:1]) && !l.any(words[:1], Function, Verb, Question)
}

// omitsSubject reports whether a text opens with a verb, in a language that may leave the
// subject out: "cuesta 3,60 euros".
func (l *Language) omitsSubject(text string) bool {
	words := tokens(text)
	return len(l.words["selfverb"]) > 0 && len(words) > 1 && l.opens(words, Verb) > 0
}

// CanCorrect reports whether what is right instead may be said of the same as a statement: one
// of somebody by a pronoun has its verb, and one about a thing has a word of it, "about tank 5,
// it holds 1900".
func CanCorrect(statement, right string) bool {
	words := tokens(right)
	if len(words) > 1 && words[0].lower == "about" {
		of := 1
		for of < len(words)-1 && !strings.ContainsAny(words[of].after, ",;:") {
			of++
		}
		return slices.ContainsFunc(tokens(statement), func(w token) bool {
			return slices.ContainsFunc(words[1:of+1], func(about token) bool { return about.lower == w.lower && !Of(right).Has(Function, w.lower) })
		})
	}
	if l := Of(statement); len(words) < 2 || !l.Has("third person", words[0].lower) || l.opens(words, "it is") > 0 {
		return true
	}
	return slices.ContainsFunc(tokens(statement), func(w token) bool { return w.lower == words[1].lower })
}

// isValue reports whether words are only a value: a date, a number, or a name.
func (l *Language) isValue(words []token) bool {
	for len(words) > 1 && (l.Has(Place, words[0].lower) || l.Has(Article, words[0].lower)) {
		words = words[1:]
	}
	named := slices.ContainsFunc(words, func(w token) bool { return startsAnew(w.text) })
	if len(l.words["selfverb"]) > 0 && len(words) > 1 && !digits(words[:1]) && !startsAnew(words[0].text) && !l.Has("date", words[0].lower) {
		return false // "cobra 1.480 euros", whose subject is left out
	}
	return len(words) > 0 && len(words) <= bareSubject && l.looksVerb(words) < 0 && (digits(words) || l.any(words, "date") || named) && !l.any(words, Verb, Question, Self)
}

// valueNow returns what words say that something is now, where that is only a value:
// "Wednesday" of "Wednesday now". Where it is said to be instead of what was said before,
// it need not be now.
func (l *Language) valueNow(words []token, instead bool) string {
	value := slices.DeleteFunc(slices.Clone(words), func(w token) bool { return l.Has("present", w.lower) })
	named := slices.ContainsFunc(value, func(w token) bool { return startsAnew(w.text) })
	if len(value) == len(words) && !instead || len(value) == 0 || len(value) > bareSubject || !digits(value) && !l.any(value, "date") && !named {
		return ""
	}
	texts := make([]string, len(value))
	for i, w := range value {
		texts[i] = w.text
	}
	return strings.Join(texts, " ")
}

// ApplyCorrection is a statement with what is right instead: of "my printer is lp-3" and "it is
// lp-4" it makes "my printer is lp-4". Of a statement of several clauses that changes which
// tells the same of the same.
func ApplyCorrection(statement, right string) string {
	text, _ := amended(statement, right)
	return text
}

// HasReplaceableValue reports whether a statement has a value of the kind of right, which
// may replace it: a number, date or place.
func HasReplaceableValue(statement, right string) bool {
	_, fits := amended(statement, right)
	return fits
}

func amended(statement, right string) (text string, fits bool) {
	l, words, old := Of(statement), tokens(right), tokens(statement)
	n := 0
	for _, of := range tables() { // a short correction may be read as one of another language
		n = max(n, of.opens(words, "it is"))
	}
	if at, verb := l.verb(words); n == 0 && at == 1 && l.Has("pronoun", words[0].lower) && !l.Has(Self, words[0].lower) { // "er heißt"
		n = at + verb
	} else if n == 0 && len(words) > 2 && l.Has("third person", words[0].lower) { // "she earns"
		n = 2
	}
	at, verb := l.verb(old)
	if at < 0 {
		at, verb = l.looksVerb(old), 1
	}
	_, whole := Statement(right)
	if value := words[n:]; n > 0 && len(value) > 1 && digits(value) && !l.Has(Article, value[0].lower) && !l.Has(Place, value[0].lower) {
		if from, to, ok := l.slip(old, len(old), value); ok { // "it is 45 nodes", of "the farm has 40 nodes"
			return statement[:old[from].start] + right[value[0].start:] + statement[old[to].end:], true
		}
	}
	if from := max(at+verb, 1); n > 0 && n < len(words) {
		if value := words[n:]; len(value) == 1 || len(value) == 2 && l.Has(Article, value[0].lower) {
			if i, j := l.sameShape(value[len(value)-1], old, from); j > 0 { // "it is Thursday", of "it is on Friday at 9"
				return statement[:old[i].start] + l.written(value[len(value)-1], old[j-1]) + statement[old[j-1].end:], true
			}
		}
	}
	if n > 0 && n+1 < len(words) && l.Has(Place, words[n].lower) {
		for i := len(old) - 2; i > 0; i-- {
			if old[i].lower == words[n].lower { // "it is in B2", of "I parked the van in C3"
				return statement[:old[i].start] + right[words[n].start:], true
			}
		}
	}
	switch {
	case n+1 < len(words) && l.again(words[n], old) > 0: // "it is room 12", of "we sit in room 9"; "cobra 1.480", of "Eva cobra 1.420"
		return statement[:old[l.again(words[n], old)].start] + right[words[n].start:], true
	case n < len(words) && at > 0 && (n > 0 || !whole && len(words) <= bareSubject):
		return statement[:old[at+verb-1].end] + " " + right[words[n].start:], false
	case n == 0 && whole:
		for _, joint := range l.Words(And) {
			for clause := range strings.SplitSeq(statement, " "+joint+" ") {
				if clause != statement && l.MainVerb(clause) == l.MainVerb(right) && slices.Equal(l.Subject(clause), l.Subject(right)) {
					return strings.Replace(statement, clause, right, 1), true
				}
			}
		}
	}
	return right, false
}

// again is where a word that is no name and says something stands in a statement; 0 where
// it does not.
func (l *Language) again(w token, words []token) int {
	if l.Has(Function, w.lower) || l.Has(Article, w.lower) || l.Has(Place, w.lower) || startsAnew(w.text) {
		return 0
	}
	return max(slices.IndexFunc(words, func(old token) bool { return old.lower == w.lower }), 0)
}

// sameShape is from where to where the only words of a statement stand, from a place on,
// that are a value of the kind of another: a date, a day of a month, or a number. Both are 0
// where none does, or several do. The day of the week goes with a day of a month that is
// not that one.
func (l *Language) sameShape(value token, words []token, from int) (begin, end int) {
	months := strings.Fields(strings.ToLower(l.Phrase("months")))
	month := func(i int) bool { return i > 0 && i < len(words) && slices.Contains(months, words[i].lower) }
	shape := func(w token, i int) string {
		switch {
		case l.Has("date", w.lower) || l.Has("date", strings.TrimSuffix(w.lower, "s")):
			return "date"
		case ordinalDay(w.lower), digits([]token{w}) && i > 0 && (month(i-1) || month(i+1)):
			return "day"
		case digits([]token{w}):
			return "number"
		}
		return ""
	}
	for i := from; i < len(words); i++ {
		switch {
		case shape(words[i], i) == "" || shape(words[i], i) != shape(value, 0):
		case end > 0:
			return 0, 0
		case shape(value, 0) == "day" && shape(words[i-1], 0) == "date" && !month(i-1) && i-1 >= from:
			begin, end = i-1, i+1
		default:
			begin, end = i, i+1
		}
	}
	return begin, end
}

// written is a value as the one that it takes the place of is written: 20 for 20th, where
// that is 19.
func (l *Language) written(value, old token) string {
	number := strings.IndexFunc(old.text, unicode.IsDigit)
	switch end := strings.LastIndexFunc(old.text, unicode.IsDigit); {
	case ordinalDay(value.lower) && !ordinalDay(old.lower):
		return strings.TrimRight(value.text, "stndrh.")
	case number >= 0 && strings.Trim(value.text, "0123456789.,") == "" && !strings.Contains(old.text, ":"): // £45, of £35
		return old.text[:number] + value.text + old.text[end+1:]
	}
	return value.text
}

// ordinalDay reports whether a word is the number of a day of a month: 20th.
func ordinalDay(word string) bool {
	number := strings.TrimRight(word, "stndrh")
	return len(number) > 0 && len(number) < 3 && len(number) < len(word) && number[0] >= '0' && number[0] <= '9'
}
