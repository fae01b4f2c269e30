package offline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxVariants = 12 // readings of a prompt that goes on from the one before
	maxFollow   = 14 // words of such a prompt
)

// earlier is the call that a prompt may go on from.
type earlier struct {
	made
	question string
	at       int // its exchange
}

// earlier is the last call of the conversation, if there is one.
func (t talk) earlier() (earlier, bool) {
	for at, e := range slices.Backward(t.past) {
		if len(e.made) > 0 {
			return earlier{e.last(), strings.TrimRight(e.question(e.last()), " .?!"), at}, true
		}
	}
	return earlier{}, false
}

// followUp reads a prompt that only makes sense after the one before it. The
// expert that was asked last is sent the readings, alone; its best is the step.
func (p *planning) followUp(prompt string, pieces []piece) (step, bool) {
	before, ok := p.talk.earlier()
	if !ok || len(pieces) > 1 || len(pieces[0].tokens) > maxFollow {
		return step{}, false
	}
	text, tokens := pieces[0].text(prompt), pieces[0].tokens
	if to, _ := p.address(text); to != "" {
		return step{}, false
	}
	l := language()
	n := l.begins("follow", tokens)
	rest := text
	if n > 0 && n < len(tokens) {
		rest = strings.TrimSpace(prompt[tokens[n].start:pieces[0].end])
		p.ask([]string{rest}, "")
	}
	fragment := n > 0 || l.begins("relation", tokens) > 0 || tokens[0].class == sign
	best := max(p.value(text), p.value(rest))
	_, refers := l.find("refer", tokens)
	if refers == 0 {
		read := max(p.read(text), p.read(rest), best) >= readWhole
		complete := read && l.begins("question", tokens[min(n, len(tokens)-1):]) > 0
		switch {
		case complete, !fragment && best >= callable:
			return step{text: rest, candidates: p.candidates(rest)}, rest != text && p.value(rest) >= callable
		case !fragment && l.begins("question", tokens) > 0: // a question of its own
			return step{}, false
		}
	}
	if s, ok := p.goesOn(text, rest, strings.HasSuffix(strings.TrimSpace(prompt), "?"), before); ok {
		return s, true
	}
	if refers > 0 || best < callable { // what it goes on from may be for another expert
		return p.withResult(rest, before)
	}
	return step{}, false
}

// goesOn sends the expert that was asked last the readings of a text: the answer to
// what it asked back, or the question before, changed.
func (p *planning) goesOn(text, rest string, asking bool, before earlier) (step, bool) {
	i := slices.IndexFunc(p.tools, func(t tool) bool { return t.spec.Name == before.call.Tool })
	if i < 0 {
		return step{}, false
	}
	readings := variants(rest, before)
	answers := before.at == len(p.talk.past)-1 && asks(*before.result)
	if answers {
		readings = slices.Insert(readings, 0, strings.TrimRight(p.talk.askedFor(before.at), " .?!")+": "+text)
	}
	readings = readings[:min(len(readings), maxVariants)]
	for i := range readings {
		if asking {
			readings[i] = strings.TrimRight(readings[i], " .?!") + "?"
		}
	}
	p.ask(readings, p.tools[i].owner)
	for n, reading := range readings {
		if answers && n == 0 && !before.offers(text) && (asking || language().begins("question", lex(text)) > 0) {
			continue // a question of its own
		}
		for _, c := range p.candidates(reading) {
			if c.tool == &p.tools[i] && c.worth >= callable {
				return step{text: reading, candidates: []candidate{c}}, true
			}
		}
	}
	return step{}, false
}

// withResult puts the earlier result where a text refers to it, and asks everybody.
func (p *planning) withResult(text string, before earlier) (step, bool) {
	_, refers := language().find("refer", lex(text))
	readings := before.framed(text, refers > 0)
	p.ask(readings, "")
	for _, reading := range readings {
		if list := p.candidates(reading); len(list) > 0 && list[0].worth >= callable {
			return step{text: reading, candidates: list}, true
		}
	}
	return step{}, false
}

// framed puts what a pronoun may stand for into a text; numbers only, where it has
// no pronoun.
func (e earlier) framed(text string, refers bool) (readings []string) {
	for _, value := range e.referents() {
		for _, f := range framesOf(text) {
			if refers || kindOfValue(value) == aNumber {
				readings = append(readings, f.with(value))
			}
		}
	}
	return readings
}

// referents are what a pronoun may stand for: the result, or the file or the like
// that the question was about.
func (e earlier) referents() []string {
	var list []string
	for _, t := range lex(e.question) {
		if t.class == path || t.class == quoted || t.class == link {
			list = append(list, t.text)
		}
	}
	if !succeeded(*e.result) {
		return list
	}
	value := valueOf(*e.result, e.question)
	switch k := kindOfValue(value); {
	case strings.Contains(value, "\n") || len(value) > 80:
	case k == aNumber || k == aDate:
		list = slices.Insert(list, 0, value)
	default:
		list = append(list, value)
	}
	return list
}

// variants are the readings of a prompt after an earlier question, the likeliest
// first: the result put in, like put in for like, the phrase with the same
// preposition, and the prompt put after the question or the result.
func variants(text string, before earlier) []string {
	text = strings.TrimRight(text, " .?!")
	question, tokens, asked := before.question, lex(text), lex(before.question)
	if len(tokens) == 0 || len(asked) == 0 {
		return nil
	}
	l := language()
	_, refers := l.find("refer", tokens)
	put := func(from, to int) string { return question[:asked[from].start] + text + question[asked[to-1].end:] }
	var list []string
	goesOn := tokens[0].class == sign || refers > 0
	if goesOn {
		list = before.framed(text, true)
	}
	list = append(list, likeForLike(tokens, asked, question)...)
	if l.begins("relation", tokens) > 0 {
		if from, to := phrase(asked, tokens[0].lower); from >= 0 {
			list = append(list, put(from, to))
		}
		return append(list, question+" "+text)
	}
	if !goesOn {
		list = append(append(list, before.framed(text, false)...), question+" "+text)
	}
	if refers == 0 && len(tokens) <= 3 {
		list = append(list, put(len(asked)-1, len(asked)))
		for i := len(asked) - 1; i > 0; i-- {
			if l.begins("relation", asked[i-1:]) > 0 {
				_, to := phrase(asked, asked[i-1].lower)
				list = append(list, put(i, max(to, i+1)))
			}
		}
		for i, t := range asked { // what is written as a name
			if r, _ := utf8.DecodeRuneInString(t.text); i > 0 && t.class == word && unicode.IsUpper(r) {
				list = append(list, put(i, i+1))
			}
		}
	}
	return list
}

// likeForLike puts the only number, date, path or quotation of a text in place of
// one of the same kind, the last first: a percentage for a percentage.
func likeForLike(tokens, asked []token, question string) (list []string) {
	var shaped []token
	for _, t := range tokens {
		known := slices.ContainsFunc(asked, func(a token) bool { return a.lower == t.lower })
		switch {
		case t.class != word && t.class != sign:
			shaped = append(shaped, t)
		case t.class == word && !known && language().begins("article", []token{t}) == 0:
			return nil
		}
	}
	if len(shaped) != 1 {
		return nil
	}
	for _, t := range slices.Backward(asked) {
		if t.class == shaped[0].class && strings.HasSuffix(t.text, "%") == strings.HasSuffix(shaped[0].text, "%") {
			list = append(list, question[:t.start]+shaped[0].text+question[t.end:])
		}
	}
	return list
}

// phrase is where the last phrase with that preposition stands; from is -1 where
// there is none.
func phrase(asked []token, preposition string) (from, to int) {
	l := language()
	for i, t := range slices.Backward(asked) {
		if t.lower != preposition {
			continue
		}
		to = i + 1
		for to < len(asked) && l.begins("relation", asked[to:]) == 0 && l.begins("refer", asked[to:]) == 0 {
			to++
		}
		return i, to
	}
	return -1, 0
}
