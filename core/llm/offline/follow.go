package offline

import (
	"slices"
	"strings"
	"unicode"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
)

const (
	maxEarlier  = 3  // experts whose last calls a prompt may go on from
	maxVariants = 12 // readings of a prompt that goes on from one of them
	maxFollow   = 14 // words of such a prompt
	maxStands   = 40 // bytes of a value that a pronoun may stand for
	maxNoun     = 5  // words of what a question names with an article
)

// earlier is a call that a prompt may go on from.
type earlier struct {
	made
	question string
	at       int  // its exchange
	same     bool // it is of the same prompt
	loose    bool // what follows does not say that it goes on: no "and", no question
	told     bool // it was answered with what was said before, which stands for nothing
	reads    bool // its expert bids on what follows as it stands, by what was said before
}

// earlier are the last calls of some experts, the last first.
func (t talk) earlier() (list []earlier) {
	for at, e := range slices.Backward(t.past) {
		for _, m := range slices.Backward(e.made) {
			known := slices.ContainsFunc(list, func(o earlier) bool { return o.call.Tool == m.call.Tool })
			if !known && len(list) < maxEarlier {
				list = append(list, earlier{made: m, question: strings.TrimRight(e.question(m), " .?!"), at: at})
			}
		}
	}
	return list
}

// follows is how many words say that a piece goes on from what was asked before.
func follows(p lang.Piece) int {
	l := lang.AllPhrases()
	return max(l.Begins(lang.Follow, p.Tokens), l.Begins(lang.Correct, p.Tokens))
}

// afterFollow is a piece without the words by which it goes on from the one before.
func afterFollow(p lang.Piece, prompt string) string {
	n := follows(p)
	if n == 0 || n == len(p.Tokens) {
		return p.Text(prompt)
	}
	return strings.TrimSpace(prompt[p.Tokens[n].Start:p.End])
}

// followUp reads a prompt that only makes sense after the one before it: as an
// answer to what was asked back, as the question before with something else in it,
// or as a question about its result.
func (p *planning) followUp() (step, bool) {
	before := slices.DeleteFunc(p.talk.earlier(), func(e earlier) bool { return p.changes(e.call.Tool) })
	text, rest, tokens := p.pieces[0].Text(p.prompt), afterFollow(p.pieces[0], p.prompt), p.pieces[0].Tokens
	if to, _ := p.address(text); to != "" || len(before) == 0 || len(p.pieces) > 1 || len(tokens) > maxFollow {
		return step{}, false
	}
	l := lang.AllPhrases()
	n := follows(p.pieces[0])
	if n < len(tokens) && l.Only(lang.Reword, tokens[n:]) { // which goes into no question
		return step{}, false
	}
	behind := asksBehind(tokens)
	fragment := n > 0 || l.Begins(lang.Relation, tokens) > 0 && !behind || tokens[0].Shape == lang.Sign || l.Only(lang.Question, tokens)
	best := max(p.value(text), p.value(rest))
	last := before[0]
	amends := last.at == len(p.talk.past)-1 && best >= callable && p.offers(rest, last.call.Tool) >= best-several
	at, refers := l.Refers(tokens, false)
	if _, strictly := l.Refers(tokens, true); strictly == 0 && at > 0 && tokens[at-1].IsCopula() && p.read(text) >= core.ReadWhole {
		refers = 0 // "it" stands for nothing, as in "what time is it in Oslo"
	}
	if refers == 0 {
		read := max(p.read(text), p.read(rest), best) >= core.ReadWhole
		asks := l.Begins(lang.Question, tokens[min(n, len(tokens)-1):]) > 0
		complete := read && (asks || isTerm(tokens[n:]))
		fragment = fragment || amends && !asks && len(tokens) <= maxShort // "today?" after "what changed yesterday?"
		switch {
		case !asks && p.isOwn(last.call.Tool) && p.notes != nil && p.notes(p.prompt): // told after what was told
			return step{}, false
		case amends && asks: // "how many were by Ravi?" is for who was asked last, if it reads that as well
			if n > 0 && p.offers(text, last.call.Tool) >= callable { // "and" tells it that this goes on
				rest = text
			}
			list := slices.DeleteFunc(p.candidates(rest), func(c candidate) bool { return c.tool.spec.Name != last.call.Tool })
			return step{text: rest, candidates: list}, len(list) > 0
		case complete, !fragment && best >= callable:
			return step{text: rest, candidates: p.candidates(rest)}, rest != text && p.value(rest) >= callable
		case !fragment && (behind || l.Begins(lang.Question, tokens) > 0): // a question of its own
			return step{}, false
		}
	}
	if offer := p.offers(text, last.call.Tool); refers > 0 && last.at == len(p.talk.past)-1 && offer >= max(core.ReadWhole, best) { // who answered knows best what "they" are
		list := slices.DeleteFunc(p.candidates(text), func(c candidate) bool { return c.tool.spec.Name != last.call.Tool })
		return step{text: text, candidates: list}, len(list) > 0
	}
	// In "will it rain" it may stand for nothing: a reading has to say more than the text.
	empty := refers == 1 && at > 0 && (tokens[at-1].IsCopula() || l.Begins(lang.Question, tokens[at-1:at]) > 0)
	says := func(c candidate) bool { return c.worth >= callable && p.fitsTyped(c, text) }
	saysMore := func(c candidate) bool { return says(c) && (!empty || c.worth > best) }
	own := strings.HasSuffix(strings.TrimSpace(p.prompt), "?") || l.Begins(lang.Question, tokens) > 0
	readings, about, texts := make([][]string, len(before)), make([][]string, len(before)), []string(nil)
	for i, b := range before {
		b.loose, b.told, b.reads = !fragment && !own, p.isOwn(b.call.Tool), p.offers(rest, b.call.Tool) >= callable
		readings[i], about[i] = p.readings(text, rest, b, own), b.framed(rest, refers > 0)
		texts = append(append(texts, readings[i]...), about[i]...)
	}
	p.announce(texts)
	for i, b := range before {
		for _, reading := range readings[i] {
			for _, c := range p.candidates(reading) {
				if c.tool.spec.Name == b.call.Tool && (saysMore(c) || says(c) && b.file(reading)) {
					return step{text: reading, candidates: []candidate{c}}, true
				}
			}
		}
	}
	if refers == 0 && best >= callable {
		return step{}, false
	}
	for i, b := range before { // what it goes on from may be for another expert
		for _, reading := range about[i] {
			list := p.candidates(reading)
			if len(list) > 0 && saysMore(list[0]) && (list[0].tool.spec.Owner != "" || p.isOwn(b.call.Tool)) {
				return step{text: reading, candidates: list}, true
			}
		}
	}
	if own || best >= doubtful || p.notes != nil && p.notes(text) {
		return step{}, false
	}
	return p.toWhoAsked(text, true)
}

// toWhoAsked is a text for the expert that asked back right before, also where no word of
// it is about its subject: one of the options that it gave, or as the last reading what asks
// nothing and nobody reads. An expert that bids on none of it gets an option, as the last.
func (p *planning) toWhoAsked(text string, last bool) (step, bool) {
	if len(p.talk.past) == 0 {
		return step{}, false
	}
	before := p.talk.past[len(p.talk.past)-1]
	for _, m := range slices.Backward(before.made) {
		at := slices.IndexFunc(p.tools, func(t tool) bool { return t.spec.Name == m.call.Tool })
		if at < 0 || !m.result.AsksBack() {
			continue
		}
		option := slices.ContainsFunc(m.result.Reply.Options(), func(o core.Option) bool { return strings.EqualFold(o.Label, text) })
		if !option && !last {
			continue
		}
		reading := strings.TrimRight(before.question(m), " .?!") + ": " + text
		p.announce([]string{text, reading})
		if p.value(text) >= core.ReadWhole && len(lang.Lex(text)) > maxShort { // a question of its own
			continue
		}
		list := slices.DeleteFunc(p.candidates(reading), func(c candidate) bool { return c.tool != &p.tools[at] || c.worth < callable })
		if len(list) == 0 && (option && last || !p.bound[m.call.Tool]) {
			list = []candidate{{tool: &p.tools[at], worth: callable}}
		}
		if len(list) > 0 {
			return step{text: reading, candidates: list}, true
		}
	}
	return step{}, false
}

// asksBehind reports whether a text is a question of its own that opens with a preposition:
// "on which port does the console listen", and not "in which file".
func asksBehind(tokens []lang.Token) bool {
	l := lang.AllPhrases()
	n := l.Begins(lang.Relation, tokens)
	return n > 0 && len(tokens) > maxShort && l.Begins(lang.Question, tokens[n:]) > 0
}

// fitsTyped reports whether a reading is for a tool also by what was typed, where only the
// words of its description choose it: what it said before would choose it again.
func (p *planning) fitsTyped(c candidate, text string) bool {
	return c.bid != nil || slices.ContainsFunc(p.candidates(text), func(o candidate) bool { return o.tool == c.tool && o.worth >= callable })
}

// isTerm reports whether a text reckons with values of its own: "5 + 5", but not "* 5",
// "by 6 * 7" or "9/16".
func isTerm(tokens []lang.Token) bool {
	for i, t := range tokens[:max(len(tokens)-1, 0)] {
		joins := t.Text == "/" || t.Text == "-" // 9/16 and 12-24 may be one value
		if i > 0 && t.Shape == lang.Sign && (!joins || tokens[i-1].End < t.Start) {
			return tokens[0].Shape != lang.Sign && lang.AllPhrases().Begins(lang.Relation, tokens) == 0
		}
	}
	return false
}

// readings are those of a prompt after a call: the answer to what was asked back,
// where it is no question of its own, and the variants of the question.
func (p *planning) readings(text, rest string, before earlier, own bool) []string {
	list := variants(rest, before)
	if before.at == len(p.talk.past)-1 && before.result.AsksBack() && !own {
		list = slices.Insert(list, 0, before.question+": "+text, before.question+" "+text)
	}
	return list[:min(len(list), maxVariants)]
}

// framed puts what a pronoun may stand for into a text; numbers only, where it has
// no pronoun.
func (e earlier) framed(text string, refers bool) (readings []string) {
	l, tokens, asked := lang.AllPhrases(), lang.Lex(text), lang.Lex(e.question)
	if i, n := l.Find(lang.There, tokens); n > 0 && (i == 0 || tokens[i].Lower != "there" || l.Begins(lang.Question, tokens[i-1:i]) == 0) { // not "are there"
		for at, t := range slices.Backward(asked) {
			if l.Begins(lang.Relation, asked[at:]) > 0 {
				_, to := phrase(asked, t.Lower)
				readings = append(readings, text[:tokens[i].Start]+e.question[t.Start:asked[to-1].End]+text[tokens[i+n-1].End:])
			}
		}
	}
	noun := "" // that a pronoun stands before: "this project" is no other thing
	if i, n := l.Refers(tokens, false); e.told && n > 0 && i+n < len(tokens) && l.Begins(lang.ThatOne, tokens[i:]) > 0 {
		noun = tokens[i+n].Lower
	}
	for _, value := range e.referents() {
		if !strings.Contains(strings.ToLower(value), noun) {
			continue
		}
		for _, f := range framesOf(text) {
			if refers || kindOfValue(value) == aNumber {
				readings = append(readings, f.with(value))
			}
		}
	}
	return readings
}

// referents are what a pronoun may stand for: the result, or the file, the name in
// code or the like that the question was about.
func (e earlier) referents() []string {
	var list []string
	for _, t := range lang.Lex(e.question) {
		if t.Shape == lang.Path || t.Shape == lang.Quoted || t.Shape == lang.Link || strings.IndexFunc(t.Text, unicode.IsUpper) > 0 {
			list = append(list, t.Text)
		}
	}
	if e.told {
		return append(list, e.named()...)
	}
	var named []string
	if e.same { // who is asked knows what an earlier prompt names
		named = e.named()
	}
	if !e.result.Succeeded() {
		return append(list, named...)
	}
	value := valuesOf(*e.result, e.question)[0]
	switch k := kindOfValue(value); {
	case strings.Contains(value, " ") && len(value) > maxStands: // a sentence or more is nothing that a pronoun stands for
		named = e.named()
	case strings.Contains(value, "\n") || len(value) > 80:
	case k == aNumber || k == aDate:
		list = slices.Insert(list, 0, value)
	default:
		list = append(list, value)
	}
	return append(list, named...)
}

// file reports whether a reading has a file or the like that the question was about.
func (e earlier) file(reading string) bool {
	return slices.ContainsFunc(lang.Lex(e.question), func(t lang.Token) bool {
		return (t.Shape == lang.Path || t.Shape == lang.Quoted || t.Shape == lang.Link) && strings.Contains(reading, t.Text)
	})
}

// named are the things that a question names by a word with a digit or with an
// article: "v0.1.0", "the first commit".
func (e earlier) named() (list []string) {
	l, tokens := lang.AllPhrases(), lang.Lex(e.question)
	for i, t := range tokens {
		if t.Shape == lang.Word && strings.ContainsFunc(t.Text, unicode.IsDigit) {
			list = append(list, t.Text)
		}
		if l.Begins(lang.Article, tokens[i:]) == 0 {
			continue
		}
		to := i + 1
		for to < len(tokens) && tokens[to].Shape == lang.Word && !tokens[to].IsCopula() && l.Begins(lang.Relation, tokens[to:])+l.Begins(lang.Question, tokens[to:]) == 0 {
			to++
		}
		if to > i+1 && to <= i+maxNoun {
			list = append(list, e.question[t.Start:tokens[to-1].End])
		}
	}
	return list
}

// variants are the readings of a prompt after an earlier question, the likeliest
// first: the result put in, like put in for like, the phrase with the same
// preposition, the prompt alone where its expert reads it so, and the prompt put
// after the question or the result.
func variants(text string, before earlier) []string {
	text = strings.TrimRight(text, " .?!")
	question, tokens, asked := before.question, lang.Lex(text), lang.Lex(before.question)
	if len(tokens) == 0 || len(asked) == 0 {
		return nil
	}
	l := lang.AllPhrases()
	_, refers := l.Refers(tokens, false)
	put := func(from, to int) string { return question[:asked[from].Start] + text + question[asked[to-1].End:] }
	if which := lang.WhichQuestion(question, text); which != "" {
		return []string{which}
	}
	if l.Only(lang.Question, tokens) { // "when?"
		if from := l.Begins(lang.Question, asked); from < len(asked) {
			return []string{text + " " + question[asked[from].Start:]}
		}
		return nil
	}
	var list []string
	goesOn := tokens[0].Shape == lang.Sign || refers > 0
	if goesOn {
		list = before.framed(text, true)
	}
	list = append(list, likeForLike(tokens, asked, question)...)
	if l.Begins(lang.Relation, tokens) > 0 {
		if before.reads { // which knows what "from March to May" takes the place of
			list = append(list, text)
		}
		if from, to := phrase(asked, tokens[0].Lower); from >= 0 {
			for _, t := range tokens[1:] { // "and from 3 to 4"
				_, end := phrase(asked, t.Lower)
				to = max(to, end)
			}
			list = append(list, put(from, to))
		}
		return append(list, question+" "+text)
	}
	if before.reads { // "last week" is read as it stands, and is not "last 4 week" after "4 files"
		list = append(list, text)
	}
	if !goesOn {
		if list = append(list, before.framed(text, false)...); !before.loose { // "theme light" is none of it
			list = append(list, question+" "+text)
		}
	}
	if refers == 0 && len(tokens) <= 3 {
		list = append(list, put(len(asked)-1, len(asked)), put(0, 1))
		for i := len(asked) - 1; i > 0; i-- {
			if l.Begins(lang.Relation, asked[i-1:]) > 0 {
				_, to := phrase(asked, asked[i-1].Lower)
				list = append(list, put(i, max(to, i+1)))
			}
		}
	}
	return list
}

// likeForLike puts the only number, date, path or quotation of a text in place of
// one of the same kind, the last first: a percentage for a percentage.
func likeForLike(tokens, asked []lang.Token, question string) (list []string) {
	var shaped []lang.Token
	asked = lang.Joined(asked)
	for _, t := range lang.Joined(tokens) {
		known := slices.ContainsFunc(asked, func(a lang.Token) bool { return a.Lower == t.Lower })
		switch {
		case known || t.Shape == lang.Sign:
		case t.Shape != lang.Word:
			shaped = append(shaped, t)
		case lang.AllPhrases().Begins(lang.Article, []lang.Token{t}) == 0:
			return nil
		}
	}
	if len(shaped) != 1 {
		return nil
	}
	for i, t := range slices.Backward(asked[:max(len(asked)-1, 0)]) { // 150 days for 147 days
		if t.Shape == shaped[0].Shape && t.Shape == lang.Number && unit(tokens, shaped[0]) == asked[i+1].Lower {
			list = append(list, question[:t.Start]+shaped[0].Text+question[t.End:])
		}
	}
	for i, t := range asked[:max(len(asked)-2, 0)] { // 7 for the 18 of "18 of 48", which are what it is about
		part := asked[i+2].Shape == t.Shape && slices.Contains([]string{"of", "von", "de"}, asked[i+1].Lower) && !strings.HasSuffix(t.Text, "%")
		if t.Shape == lang.Number && shaped[0].Shape == t.Shape && part && !strings.HasSuffix(shaped[0].Text, "%") {
			list = append(list, question[:t.Start]+shaped[0].Text+question[t.End:])
		}
	}
	signs := func(t lang.Token) string { return strings.Join(strings.FieldsFunc(t.Text, unicode.IsDigit), " ") }
	for _, alike := range []bool{true, false} { // 7/16 for 9/16, before 2
		for _, t := range slices.Backward(asked) {
			if t.Shape == shaped[0].Shape && (signs(t) == signs(shaped[0])) == alike && strings.HasSuffix(t.Text, "%") == strings.HasSuffix(shaped[0].Text, "%") {
				list = append(list, question[:t.Start]+shaped[0].Text+question[t.End:])
			}
		}
	}
	return list
}

// unit is the word behind a number; empty where there is none.
func unit(tokens []lang.Token, number lang.Token) string {
	if i := slices.IndexFunc(tokens, func(t lang.Token) bool { return t.Start > number.Start && t.Shape == lang.Word }); i > 0 {
		return tokens[i].Lower
	}
	return ""
}

// phrase is where the last phrase with that preposition stands; from is -1 where
// there is none.
func phrase(asked []lang.Token, preposition string) (from, to int) {
	l := lang.AllPhrases()
	for i, t := range slices.Backward(asked) {
		if t.Lower != preposition {
			continue
		}
		to = i + 1
		for to < len(asked) && l.Begins(lang.Relation, asked[to:]) == 0 && l.Begins(lang.Reference, asked[to:]) == 0 {
			to++
		}
		return i, to
	}
	return -1, 0
}
