package offline

import "strings"

// parts is what is to be asked: the prompt split, or an earlier prompt with
// what the new one changes in it.
func (r *room) parts(t talk) []part {
	prompt := withoutGreeting(t.prompt)
	asked := func(text string) bool {
		for _, m := range t.made {
			if promptOf(m.call) == text {
				return true
			}
		}
		return false
	}
	if p, ok := r.addressed(prompt); ok {
		return []part{p}
	}
	if earlier, ok := t.last(); ok {
		if isRetry(prompt) {
			return r.split(withoutGreeting(earlier.prompt), asked)
		}
		if p, ok := r.followUp(prompt, t); ok {
			p.follows = true
			return []part{p}
		}
	}
	return r.split(withoutOpener(prompt), asked)
}

// last is the exchange before this one.
func (t talk) last() (past, bool) {
	if len(t.past) == 0 {
		return past{}, false
	}
	return t.past[len(t.past)-1], true
}

// followUp reads a prompt that only makes sense after the one before it.
func (r *room) followUp(prompt string, t talk) (part, bool) {
	at := len(t.past) - 1
	for at >= 0 && len(t.past[at].made) == 0 {
		at--
	}
	if at < 0 {
		return part{}, false
	}
	m := t.past[at].lastMade()
	if r.find(m.call.Tool) == nil {
		return part{}, false
	}
	if to, _ := r.address(prompt); to != "" {
		return part{}, false
	}
	question, who := m.question(t.past[at]), r.ownerName(m.call.Tool)
	tokens := lex(prompt, nil)
	if len(tokens) > 24 {
		return part{}, false
	}
	if p, ok := r.withResult(prompt, tokens, question, m); ok {
		return p, true
	}
	if p, ok := r.withThing(prompt, tokens, question); ok {
		return p, true
	}
	if len(told(tokens)) > 5 {
		return part{}, false
	}
	asksBack := at == len(t.past)-1 && m.result != nil && asks(*m.result)
	if asksBack && !isEllipsis(prompt) {
		if !r.answers(prompt, tokens, question, m) {
			return part{}, false
		}
		return part{text: strings.TrimRight(t.askedFor(at), " .?!") + ": " + bare(prompt), request: true, to: who}, true
	}
	if !isEllipsis(prompt) {
		return part{}, false
	}
	rest := bare(prompt)
	if best := r.best(r.newPart(rest)); best.ok() && !asksBack && (best.score > 0.7 && len(best.words) > 0 || asksAnew(rest) || shaped(rest) && !isMeasure(rest)) {
		return part{}, false
	}
	text, ok := elliptic(question, prompt)
	if !ok {
		text = strings.TrimRight(question, " .?!") + " " + rest + "?"
	}
	return part{text: text, request: true, to: who}, true
}

// withResult puts the result of a call in place of the word that refers to it.
func (r *room) withResult(prompt string, tokens []token, question string, m made) (part, bool) {
	if m.result == nil || !succeeded(*m.result) {
		return part{}, false
	}
	value := valueOf(*m.result, question)
	if strings.Contains(value, "\n") {
		return part{}, false
	}
	complete := func(value string) string { return goOn(prompt, value) }
	if i, n := reference(prompt, tokens); n > 0 {
		complete = func(value string) string { return prompt[:tokens[i].start] + value + prompt[tokens[i+n-1].end:] }
	} else if stand(value) != value {
		return part{}, false
	}
	text := complete(stand(value))
	if text == "" {
		return part{}, false
	}
	best := r.best(r.newPart(text))
	if !best.ok() {
		return part{}, false
	}
	return part{text: complete(value), request: true, to: best.tool.owner}, true
}

// goOn completes a calculation that lacks what it begins with: "times 3", "and
// add 5", "now convert to feet". It is empty when text is none.
func goOn(text, value string) string {
	for {
		word, rest, ok := strings.Cut(text, " ")
		if !ok || !goesOn(word) {
			break
		}
		text = strings.TrimSpace(rest)
	}
	text = strings.TrimRight(text, " .?!")
	tokens := lex(text, nil)
	if len(tokens) == 0 {
		return ""
	}
	first, second := tokens[0], token{}
	if len(tokens) > 1 {
		second = tokens[1]
	}
	switch {
	case (first.text == "-" || first.text == "+") && len(tokens) > 2: // -5 + 3
	case first.class == operator && !isImperative(first.lower) && !multiplies(first.lower):
		return value + " " + text
	case len(tokens) == 2 && second.class == number && first.lower == "add":
		return value + " plus " + second.text
	case len(tokens) == 2 && second.class == number && first.lower == "subtract":
		return value + " minus " + second.text
	case isImperative(first.lower) && isPreposition(second.lower) && (first.class == operator || isUnit(tokens[len(tokens)-1].text)):
		return first.text + " " + value + text[first.end:]
	}
	return ""
}

// withThing puts the file or the like that a question was about in place of the
// pronoun that stands for it, where that is a question that somebody fits.
func (r *room) withThing(prompt string, tokens []token, question string) (part, bool) {
	var things []token
	for _, t := range lex(question, nil) {
		if t.class == path || t.class == link || t.class == label {
			things = append(things, t)
		}
	}
	if len(things) != 1 {
		return part{}, false
	}
	for _, t := range tokens {
		if t.lower != "it" {
			continue
		}
		p := r.newPart(prompt[:t.start] + things[0].text + prompt[t.end:])
		best := r.best(p)
		p.request = true
		return p, best.ok() && len(best.words) > 0 && r.best(r.newPart(prompt)).score <= best.score
	}
	return part{}, false
}

// answers reports whether a short text answers what an expert asked back: it is
// one of the options or a single thing, or it neither asks nor tells anything
// by itself and suits nobody else.
func (r *room) answers(text string, tokens []token, question string, m made) bool {
	best := r.best(r.newPart(text))
	if m.offers(text) { // an example of what it can be asked is no answer
		return !best.ok() || best.tool.owner != r.ownerName(m.call.Tool)
	}
	if said := told(tokens); len(said) == 1 && len(tokens) == 1 && said[0].class != word {
		return true
	}
	if len(tokens) == 0 || strings.HasSuffix(text, "?") || requestWord(tokens[0].lower) || best.ok() {
		return false
	}
	return !states(tokens) || isPronoun(tokens[0].lower) || shareWord(tokens, lex(question, nil))
}

// isPronoun reports whether w stands for what was spoken of.
func isPronoun(w string) bool {
	switch w {
	case "it", "its", "that", "this", "they", "he", "she":
		return true
	}
	return false
}

func shareWord(a, b []token) bool {
	for _, t := range a {
		for _, o := range b {
			if t.weight > 0 && t.lower == o.lower {
				return true
			}
		}
	}
	return false
}

// withoutOpener takes off the word by which a prompt goes on from the talk.
func withoutOpener(prompt string) string {
	word, rest, ok := strings.Cut(prompt, " ")
	if ok && goesOn(word) && requests(rest) {
		return strings.TrimSpace(rest)
	}
	return prompt
}

// goesOn reports whether a first word only ties a prompt to the talk.
func goesOn(word string) bool {
	switch strings.ToLower(strings.TrimRight(word, ",")) {
	case "and", "so", "then", "also", "now", "ok", "okay", "well":
		return true
	}
	return false
}

// isRetry reports whether the prompt asks for the one before again.
func isRetry(prompt string) bool {
	switch strings.ToLower(strings.Trim(prompt, " .!?")) {
	case "again", "try again", "retry", "once more", "try it again", "and now", "now", "try now", "ask again", "please try again", "same again":
		return true
	}
	return false
}

// isEllipsis reports whether text leaves out what it is about: "and in
// Paris?", "what about tomorrow?".
func isEllipsis(text string) bool {
	low := strings.ToLower(strings.TrimSpace(text))
	for _, opener := range openers() {
		if strings.HasPrefix(low, opener) {
			return len(told(lex(low[len(opener):], nil))) <= 5
		}
	}
	tokens := lex(text, nil)
	t := told(tokens)
	if len(t) == 0 || len(t) > 3 || len(tokens) > 5 {
		return false
	}
	if isPreposition(tokens[0].lower) {
		return true
	}
	for _, x := range t {
		if x.class == word {
			return false
		}
	}
	return strings.HasSuffix(strings.TrimSpace(text), "?") && len(t) == 1
}

func openers() []string {
	return []string{"and what about ", "and how about ", "what about ", "how about ", "same for ", "the same for ", "ok and ", "okay and ", "and also ", "and for ", "and "}
}

// bare is what is new in an elliptic text.
func bare(text string) string {
	text = strings.TrimSpace(text)
	low := strings.ToLower(text)
	for _, opener := range openers() {
		if strings.HasPrefix(low, opener) && len(low) == len(text) {
			if opener == "and for " {
				opener = "and "
			}
			text = text[len(opener):]
			break
		}
	}
	return strings.TrimRight(text, " .?!")
}

// elliptic fills what text leaves out from the question before it: the same
// question with the other place, day, number or whatever text gives.
func elliptic(question, text string) (string, bool) {
	if !isEllipsis(text) {
		return "", false
	}
	rest := bare(text)
	given := lex(rest, nil)
	if len(given) == 0 {
		return "", false
	}
	tail := question[len(strings.TrimRight(question, " .?!")):]
	old := lex(question, nil)
	if isPreposition(given[0].lower) && len(given) > 1 {
		for i := len(old) - 1; i >= 0; i-- {
			if old[i].lower == given[0].lower {
				end := phraseEnd(old, i)
				return question[:old[i].start] + rest + question[old[end].end:], true
			}
		}
	}
	want := told(given)
	if len(want) == 0 {
		return "", false
	}
	kind := want[0].class
	if kind == word && len(want) == 1 || kind == name {
		kind = name
	}
	for i := len(old) - 1; i > 0 || i == 0 && kind == number; i-- {
		fits := old[i].class == kind || kind == name && old[i].class == word && old[i].slot && old[i].weight == 1
		if !fits {
			continue
		}
		from := i
		for from > 1 && old[from-1].class == old[i].class && old[from-1].weight > 0 && !strings.Contains(question[old[from-1].end:old[from].start], ",") {
			from--
		}
		filler, end := rest, i
		if isMeasure(rest) && i+1 < len(old) && old[i+1].class == unit {
			end++
		}
		if from > 0 && isPreposition(given[0].lower) && isPreposition(old[from-1].lower) {
			filler = rest[given[min(1, len(given)-1)].start:]
		}
		return question[:old[from].start] + filler + question[old[end].end:], true
	}
	if kind == date || kind == hour || isPreposition(given[0].lower) {
		return strings.TrimRight(question, " .?!") + " " + rest + tail, true
	}
	return "", false
}

// isMeasure reports whether text is a number with its unit.
func isMeasure(text string) bool {
	tokens := lex(text, nil)
	return len(tokens) == 2 && tokens[0].class == number && tokens[1].class == unit
}

// phraseEnd is the last token of the phrase that begins with the preposition
// at i.
func phraseEnd(tokens []token, i int) int {
	end := i
	for j := i + 1; j < len(tokens); j++ {
		if isPreposition(tokens[j].lower) || tokens[j].class == date && tokens[i+1].class != date || tokens[j].weight == 0 && !isArticle(tokens[j].lower) {
			break
		}
		end = j
	}
	return end
}
