package lang

import (
	"slices"
	"strings"
	"unicode"
)

// Kind is what a statement tells.
type Kind string

// The kinds of statements.
const (
	Fact       Kind = "fact"
	Decision   Kind = "decision"
	Preference Kind = "preference"
	Task       Kind = "task" // something that the user is to do
)

const (
	longestStatement = 2000 // bytes
	maxStatement     = 60   // words of a sentence
	maxSubject       = 8    // words
	bareSubject      = 3    // words without an article before them
)

// Statement reports whether a text only tells something, each of its sentences,
// and what the first one tells: with or without a "remember that" before it.
// What might ask for anything is none.
func Statement(text string) (Kind, bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > longestStatement || strings.ContainsAny(text, "?¿\n`\"{}|=<>") || strings.ContainsAny(text[:1], "@/") {
		return "", false
	}
	if _, amends := ReadAmendment(text); amends {
		return "", false
	}
	var first Kind
	for _, sentence := range Sentences(text) {
		kind, ok := Of(text).sentence(tokens(sentence))
		if !ok {
			return "", false
		}
		if first == "" {
			first = kind
		}
	}
	return first, first != ""
}

// TrimStatementPrefix returns a statement without its introduction: "remember that",
// "note:", "by the way,".
func TrimStatementPrefix(statement string) string {
	l, words := Of(statement), tokens(statement)
	rest := l.afterPreface(words)
	if n := max(l.opens(rest, "told"), l.opens(rest, "bare"), l.opens(rest, "todo"), l.opens(rest, "decision")); n > 0 && n < len(rest) {
		rest = rest[n:]
	}
	if len(rest) == 0 || len(rest) == len(words) {
		return statement
	}
	return statement[rest[0].start-len(rest[0].before):]
}

// sentence reads one sentence.
func (l *Language) sentence(words []token) (Kind, bool) {
	words = l.declared(expand(words))
	if len(words) < 2 || len(words) > maxStatement {
		return "", false
	}
	if n := l.opens(words, "correct"); n > 0 && n < len(words) && words[n-1].after == "" { // "I meant Oslo"
		return "", false
	}
	if n := l.opens(words, "told"); n > 0 {
		rest := words[n:]
		if len(rest) < 2 || l.Has(Question, rest[0].lower) {
			return "", false
		}
		if kind, ok := l.sentence(rest); ok {
			return kind, true
		}
		return Fact, true
	}
	if n := l.opens(words, "bare"); n > 0 && n < len(words) {
		if kind, ok := l.sentence(words[n:]); ok {
			return kind, true
		}
	}
	for _, opening := range [...]struct {
		kind string
		is   Kind
	}{{"todo", Task}, {"decision", Decision}} {
		if n := l.opens(words, opening.kind); n > 0 && n < len(words) {
			return opening.is, true
		}
	}
	if l.standing(words) {
		return Preference, true
	}
	if l.resolves(words) {
		return Decision, true
	}
	first := words[0].lower
	if l.Has(Question, first) || l.Has(YesNo, first) || l.Has(You, first) || l.asksBehindPreposition(words) || l.asksLater(words) {
		return "", false
	}
	if l.Has(Self, first) {
		return l.ofSelf(words[1:])
	}
	if len(l.words["selfverb"]) > 0 { // the subject may be left out
		if kind, ok := l.ofSelf(words); ok {
			return kind, true
		}
	}
	return l.ofThing(words)
}

// declared takes off what says nothing before a statement, and when it is so: "on Mondays
// we …". It puts the subject before the verb where that is behind it then: "außerdem muss
// ich den Drucker tauschen".
func (l *Language) declared(words []token) []token {
	rest := l.afterPreface(words)
	when := l.whenLength(rest)
	behind := rest[when:]
	if (when > 0 || len(rest) < len(words)) && len(behind) > 2 && l.ID == "de" && l.opens(behind, "must") == 1 && l.Has(Self, behind[1].lower) {
		behind = slices.Clone(behind)
		behind[0], behind[1] = behind[1], behind[0]
		return behind
	}
	if when > 0 && (l.Has(Self, behind[0].lower) || len(l.words["selfverb"]) > 0 && l.opens(behind, "must") > 0) {
		return behind
	}
	return rest
}

// whenLength is how many words open a statement that only say when: "on Mondays", "tomorrow".
func (l *Language) whenLength(words []token) int {
	dated := func(w token) bool {
		return digits([]token{w}) || l.any([]token{w}, "day", "time") || l.Has("date", strings.TrimSuffix(w.lower, "s"))
	}
	n, when := 0, false
	for n < min(len(words)-1, bareSubject+1) && (dated(words[n]) || l.any(words[n:n+1], Place, "day words") || l.any(words[n:n+1], "determiner", "pronoun") && dated(words[n+1])) {
		when = when || dated(words[n])
		n++
	}
	if !when || n == 1 && !l.Has("day", words[0].lower) {
		return 0
	}
	return n
}

// resolves reports whether a sentence decides something as it is said: "let's use sqlc".
func (l *Language) resolves(words []token) bool {
	n := l.opens(words, "resolve")
	if n == 0 && !l.holds(words[1:], "resolve later") {
		return false
	}
	return l.told(words[n:]) && !l.any(words, You, "choice", "unsure") && !l.any(words[:1], Question, YesNo)
}

// standing reports whether a sentence says how things shall always be done.
func (l *Language) standing(words []token) bool {
	n := l.opens(words, "preference")
	switch {
	case n == 0:
		keeps := l.Has("keeping", words[0].lower) && l.ends(words, "forme")
		return keeps || l.Has("command", words[0].lower) && l.holds(words, "standing")
	case l.opens(words, "naming") > 0: // "call me Ada", not "call me at nine"
		return len(words) > n && len(words) <= n+bareSubject && !l.any(words[n:], "preposition", Deictic, "time", Question)
	}
	return len(words) > n+1 && !l.any(words[n:n+1], Question, YesNo, "seek")
}

// ofSelf reads what who speaks tells of themselves, without the subject.
func (l *Language) ofSelf(words []token) (Kind, bool) {
	if n := l.opens(words, "liked"); n > 0 {
		return Preference, n < len(words) && !l.any(words[n:], "seek", Question, You)
	}
	if n := l.opens(words, "must"); n > 0 && n < len(words) {
		verb := words[n].lower
		ok := !l.any(words[n:], "seek", Question, You) && !l.Has("sought", verb) && (!l.Has("command", verb) || l.any(words[n:], "time"))
		return Task, ok
	}
	n := l.opens(words, "decided")
	last := words[max(len(words)-1, 0):]
	switch {
	case n > 0 && n < len(words), len(words) > 2 && l.any(last, "decidedlast"):
		return Decision, !l.any(words[max(n, 1):], Question, You, "unsure")
	case len(words) < 2 || l.seeks(words) || l.any(words, Question, You):
		return "", false
	case l.Has("pronoun", words[1].lower) && (len(words) == 2 || len(words) == 3 && l.any(words[2:], "function", Deictic, "time", "day")): // "I did that yesterday"
		return "", false
	case words[1].lower == "to" && !strings.HasSuffix(words[0].lower, "ed") && !l.Has("gone", words[0].lower): // "I like to"
		return "", false
	case len(l.words["selfverb"]) > 0:
		return Fact, l.opens(words, "selfverb") > 0 && l.opens(words, "selfverb") < len(words)
	}
	return Fact, true
}

// seeks reports whether words ask for something. A pronoun stands for nothing that is sought
// where something is named behind it: "I write it in Kotlin".
func (l *Language) seeks(words []token) bool {
	return slices.ContainsFunc(words, func(w token) bool {
		return l.Has("seek", w.lower) && (!l.Has("pronoun", w.lower) && !l.Has("referring", w.lower) || !l.namesSomething(words))
	})
}

// ofThing reads a thing and what is told of it.
func (l *Language) ofThing(words []token) (Kind, bool) {
	at, n := l.verb(words)
	if l.Has("pronoun", words[0].lower) && !l.Has("determiner", words[0].lower) {
		return "", false
	}
	numbered := at == 2 && digits(words[1:2]) // "plot 12 belongs to Ada"
	if compound := (at == 2 || at == 3) && l.Has("copula", words[at].lower) && !l.any(words[1:at], Function) || numbered; l.Has("command", words[0].lower) && !compound {
		return "", false // "build a server", and not "build server is limpet"
	}
	if at < 0 || l.measures(words) {
		return "", false
	}
	subject, rest := words[:at], words[at+n:]
	if len(subject) > maxSubject || !l.Has("determiner", words[0].lower) && (len(subject) > bareSubject || l.any(subject, "preposition")) {
		return "", false
	}
	if strings.ContainsAny(commas(subject), ",;") || l.any(words, You, "seek") || l.any(subject, Question) || l.any(rest, Question) && !l.any(rest, "preposition") {
		return "", false
	}
	if !l.told(subject) || len(rest) == 0 || !l.told(rest) && !digits(rest) || rest[0].lower == "to" && n == 1 && !l.any(rest[1:2], "determiner") && !startsAnew(rest[min(1, len(rest)-1)].text) {
		return "", false
	}
	bare := !l.Has("determiner", words[0].lower) && words[0].text == words[0].lower
	if l.fails(words[at:at+1], rest) || bare && l.Has("participle", words[at].lower) && rest[0].lower != "to" {
		return "", false // "days left this year"
	}
	if l.Has("decided", words[at].lower) && !l.Has("determiner", words[at].lower) && l.Has("group", subject[len(subject)-1].lower) {
		return Decision, true
	}
	return Fact, true
}

// measures reports whether words ask for a number: "total cost of desks", and not "total
// budget is 900".
func (l *Language) measures(words []token) bool {
	if !l.Has("measure", words[0].lower) || digits(words) {
		return false
	}
	at, _ := l.verb(words)
	return at < 0 || !l.Has("copula", words[at].lower)
}

// fails reports whether what is told is that something does not work: who says
// so may want it mended.
func (l *Language) fails(verb, rest []token) bool {
	next := rest[0].lower
	return l.Has("failing", next) || l.ID == "en" && strings.HasSuffix(next, "ing") && len(next) > 5 && l.any(verb, "progressive")
}

// verb returns where the verb after a subject stands, and its words; -1 where
// there is none.
func (l *Language) verb(words []token) (at, n int) {
	for i := 1; i < len(words); i++ {
		before := words[i-1].lower
		n := l.opens(words[i:], Verb)
		if n == 0 || l.Has("relative", before) || l.Has(Mine, before) && before != words[0].lower && !l.Has(Self, before) {
			continue // "our own tables"
		}
		if i+1 < len(words) && (l.Has("determiner", before) || l.Has("preposition", before)) && l.opens(words[i+1:], Verb) > 0 { // "the start is"
			continue
		}
		return i, n
	}
	return -1, 0
}

// asksLater reports whether a sentence goes on with a request: ", draw the
// fence", "and sing me a song".
func (l *Language) asksLater(words []token) bool {
	for i := 1; i < len(words); i++ {
		w, before := words[i], words[i-1]
		joined := l.Has("joint", before.lower)
		parted := strings.ContainsAny(before.after, ",;:") || strings.Contains(w.before, "(")
		if !joined && !parted {
			continue
		}
		if l.Has("command", w.lower) && !l.Has(Verb, w.lower) || parted && (l.Has(Question, w.lower) || l.Has(YesNo, w.lower) && !l.Has(Verb, w.lower)) {
			return true
		}
		if l.Has("function", w.lower) || l.Has("preposition", w.lower) || l.Has("determiner", w.lower) || l.Has(Verb, w.lower) || startsAnew(w.text) || digits(words[i:i+1]) {
			continue
		}
		if l.opens(words[i:], "selfverb") > 0 {
			continue
		}
		if i+1 < len(words) && (l.Has("determiner", words[i+1].lower) || l.Has("pronoun", words[i+1].lower)) { // "and sing a song"
			return true
		}
		if at, _ := l.verb(words[i:]); parted && at < 0 && len(words)-i > bareSubject {
			return true
		}
	}
	return false
}

// any reports whether one of the words is of one of the kinds.
func (l *Language) any(words []token, kinds ...string) bool {
	for _, w := range words {
		for _, kind := range kinds {
			if l.Has(kind, w.lower) {
				return true
			}
		}
	}
	return false
}

// holds reports whether a phrase of a kind stands anywhere in words.
func (l *Language) holds(words []token, kind string) bool {
	for i := range words {
		if l.opens(words[i:], kind) > 0 {
			return true
		}
	}
	return false
}

// ends reports whether words end with a phrase of a kind.
func (l *Language) ends(words []token, kind string) bool {
	for i := range words {
		if n := l.opens(words[i:], kind); n > 0 && i+n == len(words) {
			return true
		}
	}
	return false
}

// told reports whether words say anything.
func (l *Language) told(words []token) bool {
	for _, w := range words {
		if !l.Has("function", w.lower) {
			return true
		}
	}
	return false
}

func digits(words []token) bool {
	for _, w := range words {
		if strings.ContainsFunc(w.text, unicode.IsDigit) {
			return true
		}
	}
	return false
}

func commas(words []token) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.after)
	}
	return b.String()
}

// expand parts "I'm" and its like into their two words.
func expand(words []token) []token {
	short := [...][2]string{{"'m", "am"}, {"'ve", "have"}, {"'ll", "will"}, {"'re", "are"}, {"'d", "would"}}
	var out []token
	for i, w := range words {
		head, verb := "", ""
		for _, s := range short {
			if before, ok := strings.CutSuffix(w.lower, s[0]); ok {
				head, verb = before, s[1]
			}
		}
		if before, ok := strings.CutSuffix(w.lower, "'s"); ok && isSo(w, words[i+1:]) {
			head, verb = before, "is"
		}
		if head == "" {
			out = append(out, w)
			continue
		}
		first, second := w, w
		first.lower, first.text, first.after = head, head, ""
		if at := strings.LastIndexAny(w.text, "'’"); at > 0 { // as it was written, which tells names
			first.text = w.text[:at]
		}
		second.lower, second.text, second.before = verb, verb, ""
		out = append(out, first, second)
	}
	return out
}

// isSo reports whether the "'s" of a noun stands for "is": by what follows, "the rent's 115", and
// not by what is owned, "the rent's share".
func isSo(noun token, behind []token) bool {
	en := tables()[0]
	if len(behind) == 0 || noun.after != "" || en.Has("contracted", strings.TrimSuffix(noun.lower, "'s")) {
		return false
	}
	next := behind[0]
	progressive := strings.HasSuffix(next.lower, "ing") && len(behind) > 1 && en.any(behind[1:2], "preposition", "article", "is so")
	named := startsAnew(next.text) && !startsAnew(noun.text)
	return named || progressive || unicode.IsDigit(rune(next.text[0])) || en.any(behind[:1], "article", "preposition", "is so")
}
