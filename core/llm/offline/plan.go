package offline

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"yaap/core"
)

// Room is who bids on what the user says.
type Room interface {
	// Bids asks all experts that bid, or the one called only, what they read in
	// the texts. It blocks for a fraction of a second.
	Bids(ctx context.Context, scope core.Scope, texts []string, said []core.Message, only string) []core.Bids
	// Learned are questions that the expert has answered here.
	Learned(expert string) []string
}

// step is one part of the prompt that is asked on its own.
type step struct {
	text       string
	to         string // the expert that the user named, or empty
	candidates []candidate
	frames     []frame // it wants the result of the step before: where that may stand
}

// frame is a text with a place for an earlier result.
type frame struct {
	before, after string
	candidates    map[kind][]candidate // by what is put there
}

// plan is who shall be asked what about one prompt. It never changes.
type plan struct {
	steps []step
	tools []tool
}

// planning makes a plan.
type planning struct {
	ctx   context.Context
	room  Room
	scope core.Scope
	said  []core.Message // before the prompt
	talk  talk
	tells func(text string) bool // whether a text is a statement
	*auction
}

const (
	maxTexts  = 64 // in one request for bids
	maxSpan   = 3  // pieces of which spans are announced, beside the whole
	readWhole = 0.9
)

func (p *planning) plan() *plan {
	prompt := p.talk.prompt
	if n := len(p.talk.past); n > 0 && language().only("again", lex(prompt)) {
		prompt = p.talk.past[n-1].prompt
	}
	made := &plan{tools: p.tools}
	prompt, p.not = p.without(unlist(prompt))
	pieces := p.askedPieces(prompt)
	if len(pieces) == 0 {
		return made
	}
	p.announce(prompt, pieces)
	if s, ok := p.followUp(prompt, pieces); ok {
		made.steps = []step{s}
		return made
	}
	p.announceSpans(prompt, pieces)
	spans := choose(pieces, func(s span) float64 { return p.worth(s, prompt, pieces) })
	for _, s := range spans {
		made.steps = append(made.steps, p.step(s, prompt, pieces))
	}
	return made
}

// askedPieces are the pieces of a prompt without those that are courtesy alone.
func (p *planning) askedPieces(prompt string) []piece {
	var asked []piece
	for _, one := range cut(prompt) {
		one.trim()
		if len(one.tokens) > 0 && !p.tells(one.text(prompt)) {
			asked = append(asked, one)
		}
	}
	return asked
}

// trim takes the words of courtesy off a piece, and what introduces a request.
func (p *piece) trim() {
	l := language()
	for {
		n := max(l.begins("opening", p.tokens), l.begins("courtesy", p.tokens))
		if n == 0 {
			break
		}
		p.tokens = p.tokens[n:]
		if len(p.tokens) == 0 {
			return
		}
		p.start = p.tokens[0].start
	}
	for n := len(p.tokens); n > 1 && l.only("trailer", p.tokens[n-1:]); n-- {
		p.tokens, p.end = p.tokens[:n-1], p.tokens[n-2].end
	}
}

// announce asks everybody about the whole prompt and each of its pieces.
func (p *planning) announce(prompt string, pieces []piece) {
	texts := []string{span{0, len(pieces)}.text(prompt, pieces)}
	for i := range pieces {
		texts = append(texts, p.textOf(span{i, i + 1}, prompt, pieces))
	}
	p.ask(texts, "")
}

// announceSpans asks everybody about the spans of pieces that nobody read alone,
// and about the pieces that want an earlier result with something in its place.
func (p *planning) announceSpans(prompt string, pieces []piece) {
	var texts []string
	for from := range pieces {
		for to := from + 2; to <= min(len(pieces), from+maxSpan); to++ {
			unread := slices.ContainsFunc(pieces[from:to], func(one piece) bool {
				return p.read(one.text(prompt)) < readWhole
			})
			if unread && to-from < len(pieces) {
				texts = append(texts, p.textOf(span{from, to}, prompt, pieces))
			}
		}
		if from > 0 && p.dependent(pieces[from], prompt) {
			for _, f := range framesOf(p.textOf(span{from, from + 1}, prompt, pieces)) {
				for _, k := range kinds() {
					texts = append(texts, f.with(k.stand()))
				}
			}
		}
	}
	p.ask(texts, "")
}

// ask announces the texts that were not announced yet.
func (p *planning) ask(texts []string, only string) {
	var fresh []string
	for _, text := range texts {
		if !p.told[text] && text != "" && !slices.Contains(fresh, text) && len(fresh) < maxTexts {
			fresh = append(fresh, text)
			p.told[text] = only == ""
		}
	}
	if p.room == nil || len(fresh) == 0 {
		return
	}
	p.hear(fresh, p.room.Bids(p.ctx, p.scope, fresh, p.said, only))
}

// dependent reports whether a piece may want the result of the one before.
func (p *planning) dependent(one piece, prompt string) bool {
	if _, n := language().reference(one.tokens); n > 0 {
		return true
	}
	return p.value(one.text(prompt)) < callable
}

// textOf is what an expert is told of a span: without the name of the one whom it
// is addressed to.
func (p *planning) textOf(s span, prompt string, pieces []piece) string {
	_, text := p.address(s.text(prompt, pieces))
	return text
}

// worth is the value of a span for the segmentation.
func (p *planning) worth(s span, prompt string, pieces []piece) float64 {
	text := s.text(prompt, pieces)
	to, rest := p.address(text)
	for _, one := range pieces[s.from+1 : s.to] {
		if other, _ := p.address(prompt[one.start:]); other != "" {
			return 0
		}
	}
	if to != "" {
		return 1
	}
	value := p.value(rest)
	if s.to > s.from+1 && p.read(rest) == 0 && slices.ContainsFunc(pieces[s.from:s.to], func(one piece) bool {
		return p.read(one.text(prompt)) >= readWhole
	}) {
		value = 0 // words are no reason to keep together what somebody reads a part of
	}
	if s.from > 0 && s.to == s.from+1 && p.dependent(pieces[s.from], prompt) {
		for _, f := range p.framed(rest) {
			for _, list := range f.candidates {
				value = max(value, list[0].worth-near)
			}
		}
	}
	return value
}

// framed are the frames of a text that somebody reads, with who does.
func (p *planning) framed(text string) []frame {
	_, refers := language().find("refer", lex(text))
	var read []frame
	for _, f := range framesOf(text) {
		f.candidates = map[kind][]candidate{}
		for _, k := range kinds() {
			if list := p.candidates(f.with(k.stand())); len(list) > 0 && list[0].worth >= callable && (refers > 0 || list[0].bid != nil) {
				f.candidates[k] = list
			}
		}
		if len(f.candidates) > 0 {
			read = append(read, f)
		}
	}
	return read
}

// step is what is asked of a span, and of whom.
func (p *planning) step(s span, prompt string, pieces []piece) step {
	to, text := p.address(s.text(prompt, pieces))
	made := step{text: text, to: to}
	if to != "" {
		fits := p.fits(text)
		for i := range p.tools {
			if t := &p.tools[i]; t.owner == to {
				c := candidate{tool: t, worth: fits[i].Score}
				if o, ok := p.bids[text][t.spec.Name]; ok && !o.bid.Declines() {
					c.bid = &o.bid
				}
				made.candidates = append(made.candidates, c)
			}
		}
		slices.SortStableFunc(made.candidates, func(a, b candidate) int { return cmp.Compare(b.worth, a.worth) })
		for i := range made.candidates { // the user's word is enough
			made.candidates[i].worth = 1
		}
		return made
	}
	if strings.HasPrefix(text, "@") { // it is for somebody who is not here
		return made
	}
	made.candidates = p.candidates(text)
	_, refers := language().reference(lex(text))
	if s.from > 0 && (refers > 0 || len(made.candidates) == 0 || made.candidates[0].worth < callable) {
		made.frames = p.framed(text)
	}
	return made
}

// without takes "without NAME" off a prompt, where NAME is an expert.
func (p *planning) without(prompt string) (rest string, not []string) {
	tokens := lex(prompt)
	for i := range tokens {
		n := language().begins("without", tokens[i:])
		if n == 0 || i+n >= len(tokens) {
			continue
		}
		if who := p.expert(tokens[i+n].text); who != "" {
			return strings.TrimRight(prompt[:tokens[i].start], " ,") + prompt[tokens[i+n].end:], []string{who}
		}
	}
	return prompt, nil
}

// address finds the expert whom a text turns to, and what it asks them: "@NAME …",
// "NAME, …" or "ask NAME …" with NAME at the end, too.
func (p *planning) address(text string) (to, rest string) {
	tokens := lex(clip(text, 400))
	l := language()
	asks := l.begins("ask", tokens)
	if i := len(tokens) - 1; asks == 0 && i > 1 && (tokens[i-1].text == "@" || l.begins("ask", tokens[i-1:]) == 1) { // "…? ask NAME"
		if who := p.expert(tokens[i].text); who != "" {
			return who, strings.TrimRight(text[:tokens[i-1].start], " ,")
		}
	}
	i := asks
	if asks > 0 && i < len(tokens) {
		i += l.begins("article", tokens[i:])
	}
	called := asks > 0
	if i < len(tokens)-1 && tokens[i].text == "@" {
		i, called = i+1, true
	}
	if i >= len(tokens)-1 {
		return "", text
	}
	who, after := p.expert(strings.TrimPrefix(tokens[i].text, "@")), text[tokens[i].end:]
	if who == "" || !called && !strings.HasPrefix(tokens[i].text, "@") && !strings.HasPrefix(after, ", ") && !strings.HasPrefix(after, ": ") {
		return "", text
	}
	after = strings.TrimLeft(after, " ,:")
	for _, w := range [...]string{"expert ", "to ", "for "} {
		after = strings.TrimPrefix(after, w)
	}
	return who, after
}

// expert is the name of an expert as the room writes it.
func (p *planning) expert(said string) string {
	said = strings.ReplaceAll(strings.ToLower(said), "-", "_")
	for _, t := range p.tools {
		if t.spec.Owner != "" && strings.ReplaceAll(strings.ToLower(t.owner), "-", "_") == said {
			return t.owner
		}
	}
	return ""
}
