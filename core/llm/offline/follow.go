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

// followUp reads a prompt that only makes sense after the one before it. The
// expert that was asked last is sent the readings, alone; its best is the step.
func (p *planning) followUp(prompt string, pieces []piece) (step, bool) {
	earlier, at := p.lastAsked()
	if at < 0 || len(pieces) > 1 || len(pieces[0].tokens) > maxFollow {
		return step{}, false
	}
	tokens := pieces[0].tokens
	text := strings.TrimSpace(prompt[pieces[0].start:pieces[0].end])
	if to, _ := p.address(text); to != "" {
		return step{}, false
	}
	l := language()
	n := l.begins("follow", tokens)
	fragment := n > 0 || l.begins("relation", tokens) > 0 || tokens[0].class == sign
	rest := text
	if n > 0 && n < len(tokens) {
		rest = strings.TrimSpace(prompt[tokens[n].start:pieces[0].end])
		p.ask([]string{rest}, "")
	}
	best := max(p.value(text), p.value(rest))
	whole := max(p.read(text), p.read(rest), best) >= readWhole
	_, refers := l.find("refer", tokens)
	complete := l.begins("question", tokens[min(n, len(tokens)-1):]) > 0 && whole
	if refers == 0 && (complete || !fragment && best >= callable) {
		return step{text: rest, candidates: p.candidates(rest)}, rest != text && p.value(rest) >= callable
	}
	if refers == 0 && !fragment && l.begins("question", tokens) > 0 {
		return step{}, false // a question of its own
	}
	asksBack := at == len(p.talk.past)-1 && earlier.result != nil && asks(*earlier.result)
	readings := variants(rest, earlier, p.talk.past[at])
	if asksBack {
		question := strings.TrimRight(p.talk.askedFor(at), " .?!")
		readings = append([]string{question + ": " + text}, readings...)
	}
	readings = readings[:min(len(readings), maxVariants)]
	if strings.HasSuffix(strings.TrimSpace(prompt), "?") {
		for i := range readings {
			readings[i] = strings.TrimRight(readings[i], " .?!") + "?"
		}
	}
	tool := p.toolOf(earlier.call.Tool)
	if tool == nil || len(readings) == 0 {
		return step{}, false
	}
	p.ask(readings, tool.owner)
	for i, reading := range readings {
		list := p.candidates(reading)
		j := slices.IndexFunc(list, func(c candidate) bool { return c.tool == tool && c.worth >= callable })
		if j < 0 {
			continue
		}
		if asksBack && i == 0 && !earlier.offers(text) && p.elsewhere(text) {
			continue
		}
		return step{text: reading, candidates: []candidate{list[j]}}, true
	}
	if refers > 0 || best < callable { // what it goes on from may be for another expert
		return p.withResult(rest, earlier, p.talk.past[at])
	}
	return step{}, false
}

// elsewhere reports whether a text that might answer an expert's question is a
// question of its own.
func (p *planning) elsewhere(text string) bool {
	return language().begins("question", lex(text)) > 0 || strings.HasSuffix(text, "?")
}

// withResult puts the earlier result where a text refers to it, and asks everybody.
func (p *planning) withResult(text string, earlier made, in past) (step, bool) {
	var readings []string
	_, refers := language().find("refer", lex(text))
	for _, value := range referents(earlier, in) {
		for _, f := range framesOf(text) {
			if refers > 0 || kindOfValue(value) == aNumber {
				readings = append(readings, f.with(value))
			}
		}
	}
	p.ask(readings, "")
	for _, reading := range readings {
		if list := p.candidates(reading); len(list) > 0 && list[0].worth >= callable {
			return step{text: reading, candidates: list}, true
		}
	}
	return step{}, false
}

// lastAsked is the last call of the conversation, and the exchange that it is of;
// -1 where there is none.
func (p *planning) lastAsked() (made, int) {
	for at, exchange := range slices.Backward(p.talk.past) {
		if len(exchange.made) > 0 {
			return exchange.lastMade(), at
		}
	}
	return made{}, -1
}

func (p *planning) toolOf(name string) *tool {
	for i := range p.tools {
		if p.tools[i].spec.Name == name {
			return &p.tools[i]
		}
	}
	return nil
}

// referents are what a pronoun may stand for: the result, or the file or the like
// that the question was about.
func referents(earlier made, in past) []string {
	question := earlier.question(in)
	var list []string
	for _, t := range lex(question) {
		if t.class == path || t.class == quoted || t.class == link {
			list = append(list, t.text)
		}
	}
	if earlier.result != nil && succeeded(*earlier.result) {
		value := valueOf(*earlier.result, question)
		switch k := kindOfValue(value); {
		case strings.Contains(value, "\n") || len(value) > 80:
		case k == aNumber || k == aDate:
			list = append([]string{value}, list...)
		default:
			list = append(list, value)
		}
	}
	return list
}

// variants are the readings of a prompt after an earlier question, the likeliest
// first: the result put in, like put in for like, the phrase with the same
// preposition, and the prompt put after the question or the result.
func variants(text string, earlier made, in past) []string {
	question := strings.TrimRight(earlier.question(in), " .?!")
	text = strings.TrimRight(text, " .?!")
	tokens, asked := lex(text), lex(question)
	if len(tokens) == 0 || len(asked) == 0 {
		return nil
	}
	l := language()
	var list []string
	add := func(reading string) {
		if !slices.Contains(list, reading) {
			list = append(list, reading)
		}
	}
	_, refers := l.find("refer", tokens)
	goesOn := tokens[0].class == sign || refers > 0
	for _, value := range referents(earlier, in) {
		for _, f := range framesOf(text) {
			if goesOn {
				add(f.with(value))
			}
		}
	}
	for _, reading := range likeForLike(tokens, asked, question) {
		add(reading)
	}
	if l.begins("relation", tokens) > 0 {
		if from, to := phrase(asked, tokens[0].lower); from >= 0 {
			add(question[:asked[from].start] + text + question[asked[to-1].end:])
		}
		add(question + " " + text)
		return list
	}
	if !goesOn {
		for _, value := range referents(earlier, in) {
			for _, f := range framesOf(text) {
				if kindOfValue(value) == aNumber {
					add(f.with(value))
				}
			}
		}
		add(question + " " + text)
	}
	if refers == 0 && len(tokens) <= 3 {
		add(question[:asked[len(asked)-1].start] + text)
		for i := len(asked) - 1; i > 0; i-- {
			if l.begins("relation", asked[i-1:]) > 0 {
				_, to := phrase(asked, asked[i-1].lower)
				add(question[:asked[i].start] + text + question[asked[max(to, i+1)-1].end:])
			}
		}
		for _, i := range names(asked) {
			add(question[:asked[i].start] + text + question[asked[i].end:])
		}
	}
	return list
}

// likeForLike puts each number, date, path or quotation of a text in place of one
// of the same kind: a percentage for a percentage.
func likeForLike(tokens, asked []token, question string) (list []string) {
	shaped := slices.DeleteFunc(slices.Clone(tokens), func(t token) bool { return t.class == word || t.class == sign })
	said := func(w token) bool {
		return slices.ContainsFunc(asked, func(t token) bool { return t.lower == w.lower })
	}
	for _, t := range tokens {
		if t.class == word && !said(t) && language().begins("article", []token{t}) == 0 {
			return nil
		}
	}
	if len(shaped) != 1 {
		return nil
	}
	put := shaped[0]
	for i, t := range asked {
		if t.class == put.class && strings.HasSuffix(t.text, "%") == strings.HasSuffix(put.text, "%") {
			list = append(list, question[:asked[i].start]+put.text+question[asked[i].end:])
		}
	}
	slices.Reverse(list) // the last is the likeliest
	return list
}

// phrase is where the phrase after that preposition stands, with it; from is -1
// where there is none.
func phrase(asked []token, preposition string) (from, to int) {
	l := language()
	for i := len(asked) - 1; i >= 0; i-- {
		if asked[i].lower != preposition {
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

// names are the words of a question that are written as names.
func names(asked []token) (at []int) {
	for i, t := range asked {
		if r, _ := utf8.DecodeRuneInString(t.text); i > 0 && t.class == word && unicode.IsUpper(r) {
			at = append(at, i)
		}
	}
	return at
}
