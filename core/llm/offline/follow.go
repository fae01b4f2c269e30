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
	if earlier, ok := t.last(); ok {
		if isRetry(prompt) {
			return r.split(withoutGreeting(earlier.prompt), asked)
		}
		if p, ok := r.followUp(prompt, t); ok {
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
	var before past
	for i := len(t.past) - 1; i >= 0 && len(before.made) == 0; i-- {
		before = t.past[i]
	}
	if len(before.made) == 0 || r.find(before.made[len(before.made)-1].call.Tool) == nil {
		return part{}, false
	}
	if to, _ := r.address(prompt); to != "" {
		return part{}, false
	}
	m := before.made[len(before.made)-1]
	question, who := promptOf(m.call), r.ownerName(m.call.Tool)
	if question == "" {
		question = before.prompt
	}
	tokens := lex(prompt, nil)
	if len(tokens) > 24 {
		return part{}, false
	}
	if i, n := reference(prompt, tokens); n > 0 && m.result != nil && succeeded(*m.result) {
		value := valueOf(*m.result, question)
		p := part{text: prompt[:tokens[i].start] + value + prompt[tokens[i+n-1].end:], request: true}
		stood := prompt[:tokens[i].start] + stand(value) + prompt[tokens[i+n-1].end:]
		if best := r.best(r.newPart(stood)); best.ok() && !strings.Contains(value, "\n") {
			p.to = best.tool.owner
			return p, true
		}
	}
	asksBack := m.result != nil && asks(*m.result)
	short := len(told(tokens)) <= 5
	rest := bare(prompt)
	if !short || !asksBack && !isEllipsis(prompt) {
		return part{}, false
	}
	if best := r.best(r.newPart(rest)); best.ok() && !asksBack && (best.score > 0.7 && len(best.words) > 0 || asksAnew(rest) || shaped(rest)) {
		return part{}, false
	}
	if asksBack && !isEllipsis(prompt) {
		if best := r.best(r.newPart(prompt)); best.ok() {
			return part{}, false
		}
		return part{text: strings.TrimRight(question, " .?!") + ": " + rest, request: true, to: who}, true
	}
	text, ok := elliptic(question, prompt)
	if !ok {
		text = strings.TrimRight(question, " .?!") + " " + rest + "?"
	}
	return part{text: text, request: true, to: who}, true
}

// withoutOpener takes off the word by which a prompt goes on from the talk.
func withoutOpener(prompt string) string {
	word, rest, ok := strings.Cut(prompt, " ")
	switch strings.ToLower(strings.TrimRight(word, ",")) {
	case "and", "so", "then", "also", "now", "ok", "okay", "well":
		if ok && requests(rest) {
			return strings.TrimSpace(rest)
		}
	}
	return prompt
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
	for i := len(old) - 1; i > 0; i-- {
		fits := old[i].class == kind || kind == name && old[i].class == word && old[i].slot && old[i].weight == 1
		if !fits {
			continue
		}
		from := i
		for from > 1 && old[from-1].class == old[i].class && old[from-1].weight > 0 && !strings.Contains(question[old[from-1].end:old[from].start], ",") {
			from--
		}
		filler := rest
		if isPreposition(given[0].lower) && isPreposition(old[from-1].lower) {
			filler = rest[given[min(1, len(given)-1)].start:]
		}
		return question[:old[from].start] + filler + question[old[i].end:], true
	}
	if kind == date || kind == hour || isPreposition(given[0].lower) {
		return strings.TrimRight(question, " .?!") + " " + rest + tail, true
	}
	return "", false
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
