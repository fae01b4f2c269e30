package lang

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Kinds that [Notes] tells beside those of statements.
const (
	Discussed Kind = "discussed" // it was weighed, and nothing was settled
	Done      Kind = "done"      // something was finished
	Ended     Kind = "ended"     // something is no longer true
	Said      Kind = "said"      // it was told in passing
)

// The most that is read of one text.
const (
	maxNoted    = 12  // notes of a message
	maxProse    = 700 // bytes of a message: a longer one was pasted
	pasteLines  = 2   // of a paste
	deepSubject = 6   // words before a verb
	maxAsked    = 200 // bytes of a question with what is told of it
)

// Noted is a clause that tells something worth keeping.
type Noted struct {
	Text    string
	Subject string // that Text begins with, though it stands further up in what was said; empty: it stands as it is
	Kind    Kind
	Changes bool // it says that something is different from before
	Stands  bool // of Done: it tells a fact, where there was nothing to be done
	Beside  bool // it stands in a question or a request
}

// Notes returns what a text of its user tells that is worth keeping: no question,
// no request, no arithmetic, and of a paste hardly anything. It reads more than
// [Statement] takes to be told only.
func Notes(text string) []Noted {
	text = strings.TrimSpace(text[:min(len(text), maxText)])
	if text == "" || strings.HasPrefix(text, "/") || strings.HasPrefix(text, "@") {
		return nil
	}
	if a, amends := ReadAmendment(text); amends && (a.Forget || a.Right == "" || a.Language.OpeningLength(a.Right, "it is") > 0 || a.Language.standsFor(tokens(a.Right)) || a.Language.omitsSubject(a.Right)) { // nobody knows later what it was about
		return nil
	}
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	var prose []string
	pasted := pastedFrom(lines)
	for _, line := range lines[:pasted] { // what follows was pasted, too
		prose = append(prose, strings.TrimLeft(strings.TrimSpace(line), "-*• "))
	}
	most := maxNoted
	if pasted < len(lines) || len(text) > maxProse {
		most = pasteLines
	}
	var all []Noted
	for _, line := range prose {
		asked := ""
		for _, sentence := range Sentences(line) {
			l := Of(sentence)
			if !strings.ContainsAny(sentence, "?¿") {
				sentence = l.withoutCase(l.ApplySelfRepair(sentence))
			}
			all = append(all, l.ofQuestion(asked, sentence)...)
			asked = ""
			if strings.HasSuffix(sentence, "?") {
				asked = sentence
			}
		}
	}
	if slices.ContainsFunc(all, func(n Noted) bool { return n.Kind == Discussed }) { // what was said for and against it is no fact
		all = slices.DeleteFunc(all, func(n Noted) bool { return (n.Kind == Fact || n.Kind == Preference) && !n.Changes })
	}
	if len(all) > most { // of a paste what is said of who speaks, and what was settled, counts most
		slices.SortStableFunc(all, func(a, b Noted) int { return cmp.Compare(b.weight(), a.weight()) })
		all = all[:most]
	}
	return all
}

// pastedFrom is the line from which on programs speak, or somebody else whose words are
// announced: "here is what it printed:".
func pastedFrom(lines []string) int {
	for i, line := range lines {
		announced := i > 0 && strings.HasSuffix(strings.TrimSpace(lines[i-1]), ":") && Of(lines[i-1]).HasPhrase(lines[i-1], "printed") && !bullet().MatchString(line)
		if announced || IsMachineText(line) {
			return i
		}
	}
	return len(lines)
}

// IsWorthNoting reports whether a text tells something worth remembering, and asks for
// nothing.
func IsWorthNoting(text string) bool {
	notes := Notes(text)
	l := Of(text)
	if l.OpeningLength(text, "told") > 0 { // "could you remember that the bin is emptied on Mondays?"
		return len(notes) > 0
	}
	return len(notes) > 0 && !l.onlyNames(l.afterPreface(tokens(text))) && !strings.ContainsAny(text, "?¿") && !IsQuestion(text) && !slices.ContainsFunc(notes, func(n Noted) bool { return n.Beside })
}

func (n Noted) weight() int {
	l, words := Of(n.Text), tokens(n.Text)
	switch {
	case n.Kind == Preference, n.Kind == Fact && l.Has(Mine, words[0].lower):
		return 2
	case n.Kind == Decision, n.Kind == Task:
		return 1
	}
	return 0
}

// machine is what programs print and shells are given.
//
//nolint:gochecknoglobals // never changes; see pattern
var machine = pattern(`(?i)^\s*(\d\d:\d\d:\d\d|\[?\d{4}-\d\d-\d\d([T ]\d|\S* +[A-Z]{3,})|\d\d-\d\d \d\d:\d\d|\[[\w:. -]+\]|[EWIDF] \(\d+\)|[EWIF]\d{4} |[>$#|+=]|at \S+[:(]|\|)|` +
	`^\s*\S+ ?\S*: *(\*\*\*|.*\b(error|failed|fatal|timed out|exit status)\b|(warning|warnung|advertencia)\b)|^\s*(error|fatal|panic|warning|warnung|advertencia|traceback|caused by|exception)\b[^:]*:|^\s*traceback |^\s*goroutine \d|` +
	`\b\w+\(\)|^npm ERR|^\s*(HINT|CONTEXT|DETAIL|INFO|DEBUG|TRACE|STATEMENT)\b *:|\b\w+(Error|Exception)\b|(?-i:^\s*(const|let|var)\s+\w+\s*=|^\s*(import|#include|#define)\s+["<{(*]|^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE)\s.*\b(FROM|INTO|SET|TABLE)\b)|[{}<>]|=>|::|&&|;\s*$|\S+\.(go|py|rs|js|ts|java|kt|c|cpp|rb):\d+|\b0x[0-9a-f]{4,}|\s{3,}\S+\s{3,}|exit status \d|\b\w+=[\w"]|^HTTP/|permission denied|connection refused|no such file|core dumped|command not found|^\S+ \S+ \.\.\. `)

// shell opens a line that a shell is given.
//
//nolint:gochecknoglobals // never changes; see pattern
var shell = pattern(`^((git|docker|kubectl|npm|npx|yarn|pip|cargo|rustup|curl|wget|ssh|scp|grep|sudo|apt|brew|nslookup|dig|systemctl|helm|terraform|psql|adb|mkdir|chmod) \S.*|(ls|cd|cat|go (build|test|run|vet|mod)|make|ping|python3?|node|java|mvn|gradle|echo|tail|head|ps|rm|mv|cp)(\s+[-\w./~*@:=]+){0,6})$`)

// IsMachineText reports whether a line was not written by a person: it is of a log, a
// trace, a table, code, or a shell.
func IsMachineText(line string) bool {
	line = strings.TrimRight(line, "\r\n")
	return matches(machine, line) || len(line) > longestStatement || matches(shell, strings.TrimSpace(line)) && !tells(line)
}

// tells reports whether a line has a verb behind its subject: "git is slow", "cat food comes
// from the vet".
func tells(line string) bool {
	words := tokens(line)
	l := Of(line)
	if len(words) < 3 {
		return false
	}
	at := l.verbOf(words)
	plain := !strings.ContainsAny(line, "-/*=~@") && at > 0 && at < deepSubject && (l.ID != "en" || strings.HasSuffix(words[at].lower, "s") || strings.HasSuffix(words[at].lower, "ed"))
	return plain || l.any(words[1:2], "copula", "verblike") || words[1].lower == "it"
}

func matches(p func() *regexp.Regexp, line string) bool { return p().MatchString(line) }

// notes reads one sentence.
func (l *Language) notes(sentence string) []Noted {
	words := tokens(sentence)
	if len(words) < 2 || len(words) > maxStatement {
		return nil
	}
	if l.opens(words, "notice") > 0 {
		return nil
	}
	if l.OpeningLength(sentence, "told") > 0 { // "could you remember that the bin is emptied on Mondays?"
		sentence = strings.Trim(sentence, "?¿ ")
		words = tokens(sentence)
	}
	asks := strings.ContainsAny(sentence, "?¿") && !strings.Contains(sentence, "://")
	if rest := l.afterPreface(words); asks || len(rest) > 2 && l.Has("requesting", rest[0].lower) && l.Has(You, rest[1].lower) && l.opens(rest, "told") == 0 {
		return l.besideAsking(sentence)
	}
	if head, rest, ok := strings.Cut(sentence, ": "); ok && l.HasPhrase(head, "decisive") && len(tokens(head)) <= deepSubject && rest != "" {
		return []Noted{{Text: sentence, Kind: Decision, Changes: l.changes(sentence)}}
	}
	clauses := l.clauses(sentence)
	if topic := tokens(clauses[0].text); len(clauses) > 1 && l.holds(topic, "replies") && l.any(topic[:1], "preposition") { // "with regard to your answers, …"
		return []Noted{{Text: sentence, Kind: Preference, Changes: l.changes(sentence)}}
	}
	if all := l.listed(sentence); len(all) > 0 {
		return all
	}
	var all []Noted
	for i, c := range clauses {
		if i > 0 && l.onlySettles(c.text) { // "tabs, that's decided"
			return []Noted{{Text: sentence, Kind: Decision, Changes: l.changes(sentence)}}
		}
		if i > 0 && c.subject != "" {
			c.text = c.subject + " " + c.text
		}
		told := c.text
		if l.opens(tokens(told), "so clause") > 0 { // the rest only adds to it
			told, _, _ = strings.Cut(told, ", ")
		}
		kind, ok := l.kind(told)
		ok = ok && !strings.HasSuffix(c.text, ":") // what it announces says more
		done, so := ok && kind == Done, l.opens(tokens(c.text), "so clause") > 0
		refers := so || l.any(tokens(c.text)[:1], "pronoun")
		if last := len(all) - 1; done && last >= 0 && (all[last].Kind == Fact && refers || all[last].Kind == Done && so) { // "I did it by hand, so that's off my list"
			all[last].Kind = Done
			continue
		} else if done && last < 0 && i > 0 && so {
			c = clauses[i-1]
		}
		if !ok && len(all) > 0 && all[len(all)-1].Kind == Ended && l.Has("command", tokens(c.text)[0].lower) { // "no bullets, write prose"
			kind, ok = Preference, true
		}
		if next := l.afterPreface(tokens(c.text)); !ok && len(all) > 0 && all[len(all)-1].Kind == Task && len(next) > 1 && l.Has("command", next[0].lower) { // "todo: write the minutes; also ask Ada"
			kind, ok = Task, true
		}
		if before, _, more := strings.Cut(c.text, ", "); more && kind == Ended && l.OpeningLength(c.text, "ended") > 0 { // the rest says why
			c.text = before
		}
		if !ok {
			if first := l.afterPreface(words)[0].lower; i == 0 && l.Has("command", first) && !l.Has(Verb, first) {
				return l.besideAsking(sentence)
			}
			continue
		}
		if kind == Decision && len(all) > 0 && all[len(all)-1].Kind == Discussed { // its topic was said before
			c.text = sentence
		}
		if last := len(all) - 1; kind == Fact && c.subject == "" && l.refersBack(tokens(c.text)) { // "Airflow does the scheduling, Ada looks after it"
			if before := clauses[max(i-1, 0)].text; last >= 0 && all[last].Kind == Fact && strings.HasPrefix(before, all[last].Text) && strings.HasSuffix(all[last].Text, strings.TrimRight(before, " ,;")) {
				at := strings.Index(sentence, before)
				all[last].Text = strings.TrimRight(sentence[at:strings.Index(sentence, c.text)+len(c.text)], " ,;")
				continue
			}
		}
		changes := l.changes(c.text) || len(all) == 0 && l.openChanges(words) || i > 0 && len(all) > 0 && all[len(all)-1].Kind == Ended
		_, statement := l.sentence(tokens(c.text))
		stands := kind == Done && !l.refers(tokens(c.text)) && (statement || l.tells(c.text, l.afterPreface(expand(tokens(c.text)))))
		all = append(all, Noted{Text: strings.TrimRight(c.text, " ,;"), Subject: c.subject, Kind: kind, Changes: changes, Stands: stands})
	}
	return all
}

// listed are the things to do that a sentence lists: "two things are left to do: the
// minutes, and the invoice".
func (l *Language) listed(sentence string) []Noted {
	head, list, ok := strings.Cut(sentence, ": ")
	if !ok || !l.HasPhrase(head, "left to list") {
		return nil
	}
	words := tokens(list)
	var all []Noted
	for from, i := 0, 1; i <= len(words); i++ {
		end := len(list)
		if i < len(words) {
			if !strings.ContainsAny(words[i-1].after, ",;") && !l.Has(And, words[i].lower) {
				continue
			}
			end = words[i].start
		}
		for from < i-1 && l.Has(And, words[from].lower) {
			from++
		}
		if text := strings.TrimRight(list[words[from].start:end], " ,;."); l.told(words[from:i]) {
			all = append(all, Noted{Text: text, Kind: Task})
		}
		from = i
	}
	return all
}

// kind is what a clause tells.
func (l *Language) kind(text string) (Kind, bool) {
	words := l.declared(expand(tokens(text)))
	if len(words) < 2 {
		return "", false
	}
	if n := l.opens(words, "told"); n > 0 && n+1 < len(words) {
		if words = words[n:]; l.leftToDo(words) {
			return Task, true
		}
	}
	if l.ends(words, "changed mind") && len(words) <= maxSubject || l.friendly(tokens(text)) || strings.HasSuffix(words[0].after, ":") && l.Has(You, words[1].lower) {
		return "", false
	}
	meant := l.opens(words, "correct") // "I meant Oslo"
	if meant > 0 && words[meant-1].after == "" || l.opens(words, "supposed") > 0 || l.measures(words) {
		return "", false
	}
	if l.holds(words, "undone") {
		return Task, len(words) > 2
	}
	told, statement := l.sentence(tokens(text))
	statement = statement && !strings.ContainsAny(text, "\"{}|=<>")
	if !statement && l.Has(Self, words[0].lower) && l.opens(words[1:], "must") > 0 {
		n := 1 + l.opens(words[1:], "must")
		return Task, n < len(words) && (!l.any(words[n:n+1], "sought") || l.any(words[n+1:min(n+1+bareSubject, len(words))], "somebody", "new")) // "I need to find someone for it"
	}
	first := words[0].lower
	holds := func(kind string) bool { return l.holds(words, kind) }
	task := statement && told == Task
	switch {
	case strings.ContainsAny(words[0].before, "\"`"), l.Has(You, first) && !holds("forme"), (l.Has(Question, first) || l.asksBehindPreposition(words)) && !statement:
		return "", false
	case len(l.replaced(words)) == 0 && (l.ends(words, "ended last") || holds("ended") && !holds("settled") && !task):
		return Ended, true
	case holds("open"), l.Has(Self, first) && l.any(words[1:2], "modal"), l.any(words[:1], "modal"), !l.Has(Self, first) && l.supposes(words):
		return Discussed, true
	case holds("settled"), l.ends(words, "settled last"), statement && told == Decision:
		return Decision, true
	case l.wishesReplies(words):
		return Preference, true
	case holds("wish") && (!l.Has("pronoun", first) || l.Has("determiner", first)) && (!l.Has(Self, first) || !l.any(words, Question)) && (!statement || told == Fact) && l.opens(words, "must anywhere") == 0 && first != "add":
		return Preference, len(words) > 1
	case task, l.opens(words, "todo notes") > 0 && len(words) > 2, l.opens(words, "todo") > 0 && len(words) > 2, !statement && holds("must anywhere") && (!l.Has("command", first) || first == "please" || first == "add"):
		return Task, true
	case first == "no" && (!statement || told != Preference) && len(words) > 1 && len(words) <= deepSubject && words[0].after == "":
		return Ended, true
	case holds("change") && len(l.FormerValues(text)) > 0 && !statement: // "nos hemos pasado de Redis a NATS"
		return Fact, true
	case l.introduces(words):
		return Fact, true
	case (holds("finished") || l.past(words)) && !holds("standing") && (!holds("change") || len(l.FormerValues(text)) == 0 && !l.nowIs(words)):
		return Done, true
	}
	switch {
	case statement && told != Fact:
		return told, true
	case l.Has(YesNo, first) && !statement:
		return "", false
	}
	switch {
	case l.isTask(words) > 0: // "sharpen the knives"
		return Task, true
	case l.Has("command", first) && !statement:
		return "", false
	}
	worth := l.worth(words)
	return Fact, worth > 0 || statement && worth > leastOfStatement
}

// leftToDo reports whether what is to be remembered is something that is still to be done:
// "vergiss nicht, dass ich die Rechnung bezahlen muss".
func (l *Language) leftToDo(words []token) bool {
	self := l.Has(Self, words[0].lower) && (l.opens(words[1:], "must") > 0 || l.ends(words, "must"))
	return self || l.opens(words, "must") > 0 || l.holds(words, "must anywhere")
}

// friendly reports whether words say nothing but friendliness: "thanks, see you tomorrow".
func (l *Language) friendly(words []token) bool {
	for len(words) > 0 {
		n := max(l.opens(words, "farewell"), l.opens(words, Thanks), l.opens(words, Greeting), l.opens(words, Courtesy))
		if n == 0 {
			return false
		}
		words = words[n:]
	}
	return true
}

// nowIs reports whether words tell what is true now: "the rent went up, now it is 900".
func (l *Language) nowIs(words []token) bool {
	for i := 2; i < len(words); i++ {
		if n := l.opens(words[i:], "present"); n > 0 && strings.ContainsAny(words[i-1].after, ",;") && l.any(words[i+n:min(i+n+2, len(words))], Verb) {
			return true
		}
	}
	return false
}

// supposes reports whether the first verb of a clause only tells what might be: "Ada would
// love to drop it".
func (l *Language) supposes(words []token) bool {
	i := slices.IndexFunc(words, func(w token) bool { return l.Has("modal", w.lower) || l.Has("supposing", w.lower) })
	at, _ := l.verb(words)
	return i > 0 && i <= deepSubject && (at < 0 || at >= i)
}

// wishesReplies reports whether a clause says how what the user is given shall be: "keep
// replies short".
func (l *Language) wishesReplies(words []token) bool {
	if !l.holds(words, "replies") || l.any(words, Question) || len(words) < 3 {
		return false
	}
	first := words[0].lower
	return !l.Has(YesNo, first) && (!l.Has(Self, first) || l.any(words, You))
}

// vague reports whether a clause tells only how who speaks feels, or how they find
// something: "I'm sorry", "the team is quite small".
func (l *Language) vague(words []token) bool {
	if at := slices.IndexFunc(words, func(w token) bool { return w.lower == "been" }); at > 0 && at+1 < len(words) && strings.HasSuffix(words[at+1].lower, "ing") && !digits(words) {
		return true // "they have been shuffling ports again"
	}
	if at, _ := l.verb(words); len(words) < 4 && at < 2 && l.Has("pronoun", words[0].lower) && l.Has("date", words[len(words)-1].lower) {
		return true // "it's Friday"
	}
	if len(words) > deepSubject+1 || l.namesSomething(words) || l.any(words, "trait") {
		return false
	}
	empty := func(w token) bool {
		return digits([]token{w}) || l.Has("function", w.lower) || l.Has("number", w.lower) || l.Has("light", w.lower) || l.Has("nay", w.lower)
	}
	if !slices.ContainsFunc(words, func(w token) bool { return !empty(w) }) {
		return true // "we have three"
	}
	if digits(words) {
		return false
	}
	feels := l.Has(Self, words[0].lower) && (words[1].lower == "am" || l.Has("copula", words[1].lower))
	if at, n := l.verb(words); at > 0 && at+n < len(words) {
		rest := words[at+n:]
		past := l.Has("old", words[at].lower) && l.Has("determiner", words[0].lower) && !l.Has(Mine, words[0].lower)
		passes := len(rest) == 2 && l.Has("day", rest[1].lower) && !l.any(rest[:1], Function) && !l.Has(Mine, words[0].lower) // "the weather is nice today"
		return past || l.Has("copula", words[at].lower) && (l.opens(rest, "degree") > 0 || passes) || feels && at == 1 && len(rest) == 1
	}
	return feels && len(words) == 3
}

// namesSomething reports whether a word after the first is written as a name.
func (l *Language) namesSomething(words []token) bool {
	for i, w := range words[1:] {
		if startsAnew(w.text) && (l.ID != "de" || !l.Has("determiner", words[i].lower)) { // each noun of German is written as a name
			return true
		}
	}
	return false
}

// brief reports whether a clause gives something that has a value one, without a verb:
// "music budget 2500 eur", "release planned for october 8".
func (l *Language) brief(words []token) bool {
	first := words[0].lower
	if len(words) < 3 || len(words) > 3*deepSubject || !l.any(words, "measured") || digits(words[:1]) || l.Has(Function, first) || l.Has("command", first) {
		return false
	}
	dated := l.any(words, "date")
	return slices.ContainsFunc(words[1:], func(w token) bool { return digits([]token{w}) }) && (dated || !l.any(words, "relation") || l.Has("measured", first))
}

// onlySettles reports whether a clause says nothing but that something is decided.
func (l *Language) onlySettles(text string) bool {
	words := tokens(text)
	return l.holds(words, "settled") && len(words) <= bareSubject && !l.told(slices.DeleteFunc(words, func(w token) bool { return l.opens([]token{w}, "settled") > 0 || w.lower == "that's" }))
}

// tells reports whether a clause has a subject of its own, and a verb or a value.
func (l *Language) tells(text string, words []token) bool {
	if key, value, ok := strings.Cut(text, ": "); ok {
		name := tokens(key)
		return len(name) > 0 && len(name) <= bareSubject && !l.Has("command", name[0].lower) && !l.any(name, "preposition", "determiner", YesNo) && len(tokens(value)) <= 2*deepSubject && strings.ContainsFunc(value, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) || r == '@' || r == '/' })
	}
	first := words[0].lower
	switch {
	case l.presents(words):
		return true
	case (l.Has("pronoun", words[len(words)-1].lower) || l.Has("so", words[len(words)-1].lower)) && len(words) <= bareSubject:
		return false
	case l.Has("pronoun", first) && !l.Has("determiner", first), strings.HasSuffix(first, "'s"):
		value := startsAnew(words[len(words)-1].text) || digits(words)
		if long := len(words) > 3 && l.any(words[1:2], "article", "preposition"); long && (first == "it's" || first == "she's" || first == "he's") {
			return true
		}
		return value && !l.holds(words, "old") && (first == "it's" || l.Has("copula", words[1].lower) || l.holds(words, "change"))
	case l.Has(Self, first):
		seeks := slices.IndexFunc(words[1:], func(w token) bool { return l.Has("seek", w.lower) && !l.Has("referring", w.lower) })
		return len(words) > 2 && seeks < 0 && !l.any(words[1:min(len(words), deepSubject-1)], "referring") && !l.refers(words)
	case l.holds(words, "change") && len(words) > 2 && (l.verbOf(words) >= 0 || l.opens(words, "change") > 0 && digits(words)):
		return true
	}
	at := l.verbOf(words)
	if at < 0 && (l.Has("determiner", first) || startsAnew(words[0].text) || l.ID == "en" && strings.HasSuffix(first, "s")) {
		at = l.looksVerb(words)
	}
	return at > 0 && at <= deepSubject && at+1 < len(words) && (l.told(words[:at]) || l.Has("preposition", first))
}

// refers reports whether what who speaks tells is of something that was said before,
// and says no more of it: "I ran that just now".
func (l *Language) refers(words []token) bool {
	if digits(words) || l.namesSomething(words) {
		return false
	}
	for i := 2; i < min(len(words), 4); i++ {
		if l.Has("object", words[i].lower) && (i+1 == len(words) || l.any(words[i+1:i+2], Function)) {
			return true
		}
	}
	return false
}

// presents reports whether words say who speaks: "Ada here".
func (l *Language) presents(words []token) bool {
	return len(words) > 1 && l.Has("presents", words[1].lower) && (startsAnew(words[0].text) && len(words) == 2 || !l.Has(Function, words[0].lower) && words[0].start > 0)
}

// verbOf is where the verb after a subject stands; -1 where none is.
func (l *Language) verbOf(words []token) int {
	at, _ := l.verb(words)
	like := slices.IndexFunc(words, func(w token) bool { return l.Has("verblike", w.lower) || l.Has("selfverb", w.lower) })
	if at < 1 || like > 0 && like < at && at > deepSubject {
		return like
	}
	return at
}

// past reports whether words tell that something was done: "is renewed", "called
// the bank".
func (l *Language) past(words []token) bool {
	for i, w := range words {
		if i == 0 && l.ID == "en" && strings.HasSuffix(w.lower, "ed") && len(words) > 1 {
			return true
		}
		opens := i > 0 && i < deepSubject && i == len(words)-1 && l.ID == "en" && l.verbOf(words[:i]) < 0 && !l.Has("function", words[i-1].lower) || // "antennas ordered"
			i > 0 && l.Has("was done", words[i-1].lower) || i > 1 && l.Has("was done", words[i-2].lower) && l.Has(Function, words[i-1].lower) && !l.any(words[i-1:i], "instead of", Place) || i > 0 && l.Has(Self, words[i-1].lower) && l.ID == "en"
		if !opens && l.ID == "de" && i == len(words)-1 {
			opens = l.any(words[:i], "was done")
		}
		if opens && l.participle(w.lower) {
			return true
		}
	}
	return false
}

// participle reports whether a word has the form of one.
func (l *Language) participle(w string) bool {
	begins := l.Words("participle prefixes")
	return (len(begins) == 0 || strings.HasSuffix(w, "iert") || slices.ContainsFunc(begins, func(p string) bool { return strings.HasPrefix(w, p) })) &&
		slices.ContainsFunc(l.Words("participles"), func(e string) bool { return strings.HasSuffix(w, e) && len(w) > len(e)+2 })
}

// looksVerb is where a word stands that looks like a verb after its subject; -1
// where none does.
func (l *Language) looksVerb(words []token) int {
	for i := 1; i+1 < len(words) && i <= deepSubject; i++ {
		w := words[i].lower
		if w != words[i].text || len(w) < 4 || l.Has("determiner", words[i-1].lower) || l.Has("preposition", words[i-1].lower) || l.Has("preposition", w) {
			continue
		}
		switch l.ID {
		case "en":
			plural := i == 1 && len(words) > 3 && strings.HasSuffix(words[0].lower, "s") && !l.Has(Function, w) && !strings.HasSuffix(w, "ing")
			if plural || strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "ed") {
				return i
			}
		case "de":
			if strings.HasSuffix(w, "t") {
				return i
			}
		case "es":
			if strings.HasSuffix(w, "e") || strings.HasSuffix(w, "a") || strings.HasSuffix(w, "ó") {
				return i
			}
		}
	}
	return -1
}
