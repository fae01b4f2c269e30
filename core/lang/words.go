package lang

import (
	"slices"
	"strings"
	"unicode"
)

const marks = ".,;:!?¿¡()[]{}\"'“”„«»‘’…*"

// token is a word of a text.
type token struct {
	lower      string
	text       string // as it was written
	start, end int    // in the text
	after      string // the marks that follow it
	before     string
}

// tokens returns the words of a text: what stands between blanks, without the
// marks around it.
func tokens(text string) []token {
	var list []token
	at := 0
	for field := range strings.FieldsSeq(text) {
		at += strings.Index(text[at:], field)
		start, end := at, at+len(field)
		at = end
		word := strings.TrimLeft(field, marks)
		before := field[:len(field)-len(word)]
		trimmed := strings.TrimRight(word, marks)
		after := word[len(trimmed):]
		if strings.HasPrefix(after, ".") && abbreviation(trimmed) {
			after = after[1:]
		}
		if trimmed == "" || !strings.ContainsFunc(trimmed, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '@' || r == '/' }) {
			if len(list) > 0 {
				list[len(list)-1].after += field
			}
			continue
		}
		lower := apostrophe(strings.ReplaceAll(strings.ToLower(trimmed), "’", "'"))
		if len(list) > 0 && abbreviated(trimmed) && text != strings.ToUpper(text) {
			lower = trimmed // IST is a time zone, and no German verb
		}
		list = append(list, token{
			lower: lower, text: trimmed,
			start: start + len(before), end: end - (len(word) - len(trimmed)), after: after, before: before,
		})
	}
	for i := range list {
		if i+1 < len(list) && list[i].lower == "its" && itIs(list[i+1].lower) {
			list[i].lower = "it's"
		}
	}
	return list
}

// itIs reports whether "its" before a word stands for "it's".
func itIs(next string) bool {
	switch next {
	case "a", "an", "the", "for", "not", "my", "our", "called", "only", "on", "in", "at":
		return true
	}
	return false
}

// apostrophe puts the apostrophe into a word that people write without it, and that is
// none of another language.
func apostrophe(w string) string {
	switch w {
	case "dont", "doesnt", "didnt", "cant", "couldnt", "wont", "wouldnt", "shouldnt", "isnt", "arent", "wasnt", "werent", "havent", "hasnt", "hadnt":
		return w[:len(w)-1] + "'t"
	case "thats", "shes", "whats", "whos", "wheres", "theres", "heres":
		return w[:len(w)-1] + "'s"
	case "theyre", "youre", "weve", "ive", "youve", "theyve", "youll", "theyll":
		return w[:len(w)-2] + "'" + w[len(w)-2:]
	}
	return w
}

// abbreviated reports whether a word is written in capital letters only.
func abbreviated(w string) bool {
	return len(w) > 1 && w == strings.ToUpper(w) && w != strings.ToLower(w)
}

// abbreviation reports whether the full stop after a word ends no sentence.
func abbreviation(w string) bool {
	switch strings.ToLower(w) {
	case "dr", "mr", "mrs", "ms", "prof", "st", "nr", "no", "z.b", "e.g", "i.e", "sr", "sra", "dra", "ca", "str":
		return true
	}
	return len(w) == 1 && w[0] >= '0' && w[0] <= '9' || len(w) == 2 && w[0] >= '1' && w[0] <= '3' && w[1] >= '0' && w[1] <= '9' // the 3. of a month
}

// Words returns the words of a text in lower case, without the marks around
// them.
func Words(text string) []string {
	var words []string
	for _, t := range tokens(text) {
		words = append(words, t.lower)
	}
	return words
}

// Expanded are the words of a statement without contractions, "the rent is 115" for "the rent's 115".
func Expanded(statement string) []string {
	var words []string
	for _, t := range expand(tokens(statement)) {
		words = append(words, t.lower)
	}
	return words
}

// Sentences parts a text at the marks and line breaks that end a sentence.
func Sentences(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		list = append(list, sentencesOf(strings.TrimSpace(line))...)
	}
	return list
}

func sentencesOf(line string) []string {
	var list []string
	words := tokens(line)
	from := 0
	for i, t := range words {
		if i+1 < len(words) && strings.ContainsAny(t.after, ".!?") && (strings.ContainsAny(t.after, "!?") || startsAnew(words[i+1].text)) {
			next := words[i+1].start - len(words[i+1].before)
			list = append(list, strings.TrimSpace(line[from:next]))
			from = next
		}
	}
	if rest := strings.TrimSpace(line[from:]); rest != "" {
		list = append(list, rest)
	}
	return list
}

func startsAnew(word string) bool {
	for _, r := range word {
		return unicode.IsUpper(r)
	}
	return false
}

// IsQuestion reports whether a text has the form of a question.
func IsQuestion(text string) bool {
	text = strings.TrimSpace(text)
	if strings.HasSuffix(text, "?") || strings.HasPrefix(text, "¿") {
		return true
	}
	words, l := tokens(text), Of(text)
	words = l.afterPreface(words)
	return len(words) > 0 && (l.Has(Question, words[0].lower) || l.Has(YesNo, words[0].lower) || l.opens(words, Question) > 0 || l.asksBehindPreposition(words))
}

// asksBehindPreposition reports whether words open with a question behind a preposition: "in which file".
func (l *Language) asksBehindPreposition(words []token) bool {
	return len(words) > 2 && l.Has(Place, words[0].lower) && l.Has(Question, words[1].lower)
}

// IsOnlyQuestions reports whether a text says nothing but questions.
func IsOnlyQuestions(text string) bool {
	text = strings.TrimLeft(text, ": ")
	if !strings.HasSuffix(strings.TrimSpace(text), "?") { // many forget the mark, and few set a full stop
		if len(text) > 200 || strings.ContainsAny(text, ".!") || strings.Contains(text, ", ") || strings.Contains(" "+strings.ToLower(text), " do not ") || !IsQuestion(text) {
			return false
		}
		_, told := Statement(text)
		return !told
	}
	sentences := Sentences(text)
	return len(sentences) > 0 && !slices.ContainsFunc(sentences, func(s string) bool { return !IsQuestion(s) })
}

// OpeningLength returns how many words at the beginning of a text are a phrase of a kind,
// fillers before it included; 0 if there is none.
func (l *Language) OpeningLength(text, kind string) int {
	all := tokens(text)
	rest := l.afterPreface(all)
	if n := l.opens(rest, kind); n > 0 {
		return len(all) - len(rest) + n
	}
	return 0
}

// HasPhrase reports whether a phrase of a kind stands anywhere in a text.
func (l *Language) HasPhrase(text, kind string) bool { return l.holds(tokens(text), kind) }

// Without returns the words of a text that are in no phrase of the kinds, in
// lower case.
func (l *Language) Without(text string, kinds ...string) []string {
	words := tokens(text)
	var out []string
	for i := 0; i < len(words); {
		n := 0
		for _, kind := range kinds {
			n = max(n, l.opens(words[i:], kind))
		}
		if n == 0 {
			out, n = append(out, words[i].lower), 1
		}
		i += n
	}
	return out
}

// WhichQuestion returns the question for what another one counts, where a text only asks for that:
// of "how many rows are over 40" and "which are they" it makes "which rows are over 40".
// Empty, where it does not.
func WhichQuestion(counting, text string) string {
	words, asked := tokens(counting), tokens(text)
	for _, l := range tables() {
		counts := l.opens(words, HowMany)
		if n := l.opens(asked, "counted"); n > 0 && n == len(asked) && counts > 0 && counts < len(words) {
			return asked[0].text + " " + counting[words[counts].start:]
		}
	}
	return ""
}

// WordAfter returns the word after the first phrase of a kind that a text opens
// with; empty, where it opens with none.
func (l *Language) WordAfter(text, kind string) string {
	words := l.afterPreface(tokens(text))
	if n := l.opens(words, kind); n > 0 && n < len(words) {
		return words[n].lower
	}
	return ""
}

// OpeningWord is the word of a kind that a text opens with, in lower case; empty where it opens
// with none.
func (l *Language) OpeningWord(text, kind string) string {
	if words := l.afterPreface(tokens(text)); len(words) > 0 && l.Has(kind, words[0].lower) {
		return words[0].lower
	}
	return ""
}

// Subject returns the words of a statement before its verb, in lower case; none
// where no verb is known.
func (l *Language) Subject(statement string) []string {
	if asked := Sentences(statement); len(asked) > 1 && strings.HasSuffix(asked[0], "?") {
		statement = asked[len(asked)-1]
	}
	words := l.afterPreface(expand(tokens(statement)))
	if n := l.opens(words, "told"); n > 0 {
		words = words[n:]
	}
	if len(words) < 2 {
		return nil
	}
	if named := l.namedBehind(words); named != nil {
		return named
	}
	at := l.verbOf(words)
	if at < 0 && (l.Has("determiner", words[0].lower) || startsAnew(words[0].text)) {
		at = l.looksVerb(words)
	}
	var subject []string
	for _, w := range words[:max(at, 0)] {
		subject = append(subject, w.lower)
	}
	return subject
}

// namedBehind are the words of a thing of who speaks that stand behind its value: "our peak
// at the gate" of "1850 req/s is our peak at the gate", "my favourite" of "Clover is my favourite", "the
// treasurer" of "Ada is the treasurer".
func (l *Language) namedBehind(words []token) []string {
	at := slices.IndexFunc(words, func(w token) bool { return l.Has("copula", w.lower) })
	if at < 1 || at > bareSubject || at+2 >= len(words) {
		return nil
	}
	post := l.Has("the", words[at+1].lower) && startsAnew(words[0].text) && startsAnew(words[at-1].text) && !l.any(words[:at], "determiner") // "Ada is the treasurer"
	if !post && !l.Has(Mine, words[at+1].lower) {
		return nil
	}
	if !post && !digits(words[:at]) && (at > 1 || !l.Has("pronoun", words[0].lower)) && !l.Has("preferred", words[at+2].lower) {
		return nil
	}
	var named []string
	for i, w := range words[at+1:] {
		if i > 0 && (l.Has("reason", w.lower) || l.opens(words[at+1+i:], "preface") > 0) {
			break
		}
		if named = append(named, w.lower); strings.ContainsAny(w.after, ",;.") {
			break
		}
	}
	return named
}

// opens returns how many words a phrase of a kind takes at the beginning.
func (l *Language) opens(words []token, kind string) int {
	if len(words) == 0 {
		return 0
	}
	for _, p := range l.phrases[kind][words[0].lower] {
		if startsWith(words, p) {
			return len(p.words)
		}
	}
	return 0
}

func startsWith(words []token, p phrase) bool {
	if len(words) < len(p.words) {
		return false
	}
	for i, w := range p.words {
		if words[i].lower != w {
			return false
		}
	}
	return !p.colon || strings.Contains(words[len(p.words)-1].after, ":")
}

// afterPreface takes off what says nothing before a statement or a question.
func (l *Language) afterPreface(words []token) []token {
	for range 3 {
		n := l.opens(words, "preface")
		if n == 0 || n >= len(words) || n == 1 && words[0].lower == "no" && words[0].after == "" {
			break
		}
		words = words[n:]
	}
	return words
}

// IsDefinition reports whether a statement says what something is, has or is called.
func (l *Language) IsDefinition(statement string) bool {
	return l.holds(expand(tokens(statement)), "names")
}

// MainVerb returns the verb of a statement, empty where none is known.
func (l *Language) MainVerb(statement string) string {
	words := l.afterPreface(expand(tokens(statement)))
	at := l.verbOf(words)
	if at < 0 {
		at = l.looksVerb(words)
	}
	if at < 0 {
		return ""
	}
	return words[at].lower
}

// HasVerb reports whether a statement has a verb that is known: "orders from Zoë" has none.
func (l *Language) HasVerb(statement string) bool {
	return l.verbOf(l.afterPreface(expand(tokens(statement)))) >= 0
}

// IsFormer reports whether a statement is about what is no longer true: "we used MySQL
// before".
func (l *Language) IsFormer(statement string) bool {
	words := tokens(statement)
	return len(words) > 2 && (l.ends(words, "formerly") || l.any(words[:1], "formerly"))
}

// TellsPastHabit reports whether a statement is about what was true for some time: "we used to work with
// Subversion".
func (l *Language) TellsPastHabit(statement string) bool { return l.HasPhrase(statement, "used to") }

// SubjectIsSpeaker reports whether the speaker is the subject of a statement.
func (l *Language) SubjectIsSpeaker(statement string) bool {
	words := l.withoutReason(l.afterPreface(expand(tokens(statement))))
	return len(words) > 0 && l.Has(Self, words[0].lower)
}

// IntroducesSpeaker reports whether a statement gives the speaker's name: "I am Ada, from accounting",
// "Ada here".
func (l *Language) IntroducesSpeaker(statement string) bool {
	return l.introduces(l.afterPreface(expand(tokens(statement))))
}

func (l *Language) introduces(words []token) bool {
	for i := range words {
		if i > 0 && startsAnew(words[i-1].text) && l.opens(words[i:], "signs") > 0 || i == 0 && l.presents(words) {
			return true
		}
		if n := l.opens(words[i:], "calls me"); n > 0 && i+n < len(words) && !l.Has(Function, words[i+n].lower) && (i == 0 || strings.ContainsAny(words[i-1].after, ",;(")) {
			return true
		}
	}
	n := l.opens(words, "introduces")
	if n == 0 || n == len(words) || !startsAnew(words[n].text) || strings.ContainsAny(words[n].text, "'’-") {
		return false
	}
	return n+1 == len(words) || words[n].after != "" || startsAnew(words[n+1].text) || l.any(words[n+1:n+2], "preposition", And)
}

// IsAboutSpeaker reports whether a statement is about the speaker alone: "I", "my", not
// "our".
func (l *Language) IsAboutSpeaker(statement string) bool {
	words := l.afterPreface(expand(tokens(statement)))
	words = words[l.opens(words, "present"):]
	return len(words) > 0 && (l.Has("myself", words[0].lower) || l.presents(words))
}
