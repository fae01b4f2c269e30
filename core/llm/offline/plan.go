package offline

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
)

// Bidders collects bids on what the user says.
type Bidders interface {
	// Bids asks all experts that bid what they read in the texts. It blocks for a
	// fraction of a second, and is called twice for a prompt at most, and once more for
	// each part of it that is read with the result of the part before.
	Bids(ctx context.Context, scope core.Scope, texts []string, said []core.Message) []core.Bids
	// Learned are questions that the expert has answered here.
	Learned(expert string) []string
	// DepartedExperts are those who were in the room, the last that left first.
	DepartedExperts() []core.Expert
}

// plan is who shall be asked what about one prompt. Its steps never change.
type plan struct {
	steps  []step
	tools  []tool
	lang   *lang.Language // of the prompt
	social string         // the phrase that answers courtesy
	noted  bool           // something was told
	reason string         // why the last answer is as it is, where nothing else is asked

	attached bool            // files came with the prompt
	away     func() []string // [Model.Away]

	key, prompt string // what it was made for

	read sync.Map // the texts of a step with results in them, to the reading of it: nobody is asked twice
}

// step is one part of the prompt that is asked on its own.
type step struct {
	text       string
	to         string // the expert that the user named, or empty
	candidates []candidate
	left       string  // who could, and has left, and how to bring them back
	frames     []frame // it wants the result of the step before: where that may stand
}

// reading is the text of a step that somebody reads, and who.
type reading struct {
	text       string
	candidates []candidate
}

// frame is a text with a place for an earlier result.
type frame struct {
	before, after string
	candidates    map[kind][]candidate // by what is put there; nil: they are asked when the result is there
}

// planning makes a plan.
type planning struct {
	*auction
	talk   talk
	tells  func(text string) bool // whether a text is a statement; may be nil
	notes  func(text string) bool // whether a text that nobody reads tells something; may be nil
	prompt string
	pieces []lang.Piece
	direct map[string]string // questions that are asked for others
	told   bool              // something stands before the pieces
}

const (
	maxSpan      = 3   // pieces of which spans are announced, beside the whole
	several      = 0.1 // less is the whole of some questions worth than each of them
	maxShort     = 3   // tokens of a piece that says little by itself
	maxCompleted = 6   // readings of a piece that leaves something out
)

func (p *planning) plan() *plan {
	made := &plan{tools: p.tools}
	p.prompt = lang.ToLatin(p.talk.prompt)
	if n := len(p.talk.past); n > 0 && lang.AllPhrases().Only(lang.Again, lang.Lex(p.prompt)) {
		p.prompt = p.talk.past[n-1].prompt
	}
	made.lang, made.social = lang.Of(p.prompt), social(p.prompt)
	if slices.Contains([]string{"why", "why that", "warum", "wieso", "weshalb", "por qué"}, strings.ToLower(strings.Trim(p.prompt, " ?!.¿"))) {
		made.reason = p.talk.reason()
	}
	if s, ok := p.toWhoAsked(p.prompt, false); ok {
		made.steps = []step{s}
		return made
	}
	p.without(lang.Unlist(p.prompt))
	p.cut(made)
	if len(p.pieces) == 0 {
		return made
	}
	texts := []string{p.text(span{0, len(p.pieces)}), afterFollow(p.pieces[0], p.prompt)}
	for i := range p.pieces {
		texts = append(texts, p.text(span{i, i + 1}))
	}
	_, amends := lang.ReadAmendment(p.prompt)
	asTyped := amends || len(p.pieces) == 1 && texts[0] != p.prompt
	if asTyped {
		texts = append(texts, p.prompt)
	}
	p.announce(texts)
	if asTyped && p.read(p.prompt) >= core.ReadWhole && (amends || p.read(texts[0]) < core.ReadWhole) { // it is no other reading of the question before
		made.steps = []step{{text: p.prompt, candidates: p.candidates(p.prompt)}}
		return made
	}
	if s, ok := p.followUp(); ok {
		made.steps = []step{s}
		return made
	}
	if asTyped && p.value(texts[0]) < callable && p.bidsOn(p.prompt) { // "can I borrow a wig?" is no order
		made.steps = []step{{text: p.prompt, candidates: p.candidates(p.prompt)}}
		return made
	}
	p.announce(p.secondTexts())
	p.reorder()
	for _, s := range choose(p.pieces, p.worth) {
		if one := p.step(s); p.tellsOnly(one) {
			made.noted = true
		} else {
			made.steps = append(made.steps, one)
		}
	}
	return made
}

// bidsOn reports whether somebody may be asked a text by a bid on it.
func (p *planning) bidsOn(text string) bool {
	list := p.candidates(text)
	to, _ := p.address(text)
	return to == "" && len(list) > 0 && list[0].bid != nil && list[0].worth >= callable
}

// tellsOnly reports whether a step that nobody reads tells something. Of a prompt that
// does so as a whole no part is a question about what was said.
func (p *planning) tellsOnly(s step) bool {
	if p.notes == nil || s.to != "" || s.left != "" {
		return false
	}
	read := len(s.candidates) > 0 && s.candidates[0].worth >= callable
	if read && s.candidates[0].tool.spec.Owner != "" {
		return false
	}
	return p.notes(p.prompt) && !lang.IsQuestion(s.text) || !read && p.notes(s.text)
}

// asked is a bid of the room's own tool that is enough to ask it where nobody else
// reads anything.
const asked = 0.4

// oursOnly asks the room's own tool, where nobody else reads anything in a text: it
// says what it does not know.
func oursOnly(list []candidate) []candidate {
	others := slices.ContainsFunc(list[min(len(list), 1):], func(c candidate) bool { return c.worth >= doubtful })
	if len(list) == 0 || list[0].tool.spec.Owner != "" || list[0].bid == nil || list[0].worth < asked || others {
		return list
	}
	list = slices.Clone(list)
	list[0].worth = max(list[0].worth, callable)
	return list
}

// cut sets the pieces of the prompt that ask for something. What is told is noted,
// unless it puts right what was asked before.
func (p *planning) cut(made *plan) {
	for _, one := range lang.Pieces(p.prompt) {
		told := p.tells != nil && p.tells(one.Text(p.prompt))
		one.Trim()
		corrects := len(p.talk.past) > 0 && lang.AllPhrases().Begins(lang.Correct, one.Tokens) > 0
		switch {
		case len(one.Tokens) == 0:
		case told && !corrects:
			made.noted, p.told = true, p.told || len(p.pieces) == 0
		case len(p.pieces) > 0 && isOpen(p.pieces[len(p.pieces)-1]):
			last := &p.pieces[len(p.pieces)-1]
			last.End = one.End
			last.Tokens = slices.DeleteFunc(lang.Lex(p.prompt), func(t lang.Token) bool { return t.Start < last.Tokens[0].Start || t.End > last.End })
		default:
			p.pieces = append(p.pieces, one)
		}
		if corrects {
			return
		}
	}
	if p.tells != nil && p.tells(p.prompt) {
		made.noted, p.pieces = true, nil
	}
}

// isOpen reports whether a piece ends between two things of which it has the first only:
// "what is the difference between the highest".
func isOpen(p lang.Piece) bool {
	at := slices.IndexFunc(p.Tokens, func(t lang.Token) bool { return slices.Contains([]string{"between", "zwischen", "entre"}, t.Lower) })
	_, joined := lang.AllPhrases().Find(lang.And, p.Tokens[max(at, 0):])
	return at >= 0 && joined == 0
}

// secondTexts are the spans of pieces that nobody read alone, and the pieces that
// want an earlier result with something in its place.
func (p *planning) secondTexts() (texts []string) {
	for from, one := range p.pieces {
		for to := from + 1; to <= min(len(p.pieces), from+maxSpan); to++ {
			texts = append(texts, p.instead(span{from, to})...)
			unread := func(one lang.Piece) bool { return p.read(one.Text(p.prompt)) < core.ReadWhole }
			if to > from+1 && to-from < len(p.pieces) && slices.ContainsFunc(p.pieces[from:to], unread) {
				texts = append(texts, p.text(span{from, to}))
			}
		}
		if from > 0 && p.dependent(one) {
			texts = append(texts, p.completed(from)...)
			for _, f := range framesOf(p.text(span{from, from + 1})) {
				for _, k := range kinds() {
					texts = append(texts, f.with(k.stand()))
				}
			}
		}
	}
	return texts
}

// instead are the questions that may be asked for a span of which nobody reads a piece:
// a direct one for a clause, what is left without words of other scripts, and "It is 26
// miles. How far is that in km?"
func (p *planning) instead(s span) (list []string) {
	if slices.ContainsFunc(p.pieces[s.from:s.to], func(one lang.Piece) bool { return p.value(one.Text(p.prompt)) >= callable }) {
		return nil
	}
	if s.to == s.from+1 {
		list = append(lang.DirectQuestions(p.text(s)), lang.WithoutForeignScript(p.text(s))...)
		list = append(list, p.withValue(s)...)
	}
	if p.told && s.from == 0 {
		list = append(list, p.prompt[:p.pieces[s.to-1].End])
	}
	return list
}

// withValue are the readings of a piece with the only value that was told before it in the
// prompt, where it refers to that: "A marathon is 26.2 miles. How far is that in km?"
func (p *planning) withValue(s span) (list []string) {
	text := p.text(s)
	_, refers := lang.AllPhrases().Refers(lang.Lex(text), false)
	asked := func(one lang.Piece) bool { return p.value(one.Text(p.prompt)) >= callable }
	if refers == 0 || slices.ContainsFunc(p.pieces[:s.from], asked) {
		return nil
	}
	value := onlyValue(p.prompt[:p.pieces[s.from].Start])
	if value == "" {
		return nil
	}
	for _, f := range framesOf(text) {
		list = append(list, f.with(value))
	}
	return list
}

// reorder asks another question instead of one that nobody reads.
func (p *planning) reorder() {
	p.direct = map[string]string{}
	for from := range p.pieces {
		for to := from + 1; to <= min(len(p.pieces), from+maxSpan); to++ {
			text, least := p.text(span{from, to}), callable
			if len(lang.WithoutForeignScript(text)) > 0 { // better asked back than not read
				least = doubtful
			}
			for _, question := range p.instead(span{from, to}) {
				if p.value(question) >= least && p.value(question) > max(p.value(text), p.value(p.direct[text])) {
					p.direct[text] = question
				}
			}
		}
	}
}

// dependent reports whether a piece may want the result of the one before. A short
// one may be read only because of what was said before the prompt: "rounded to 2 digits".
func (p *planning) dependent(one lang.Piece) bool {
	_, refers := lang.AllPhrases().Refers(one.Tokens, true)
	short := len(p.said) > 0 && len(one.Tokens) <= maxShort+1 && (one.Tokens[0].Shape == lang.Word || one.Tokens[0].Shape == lang.Sign)
	return refers > 0 || short || p.value(one.Text(p.prompt)) < callable
}

// completed are the readings of a piece that leaves out what the question before it
// says: "what time is it in Lima and in Oslo", "who added a.csv and how big is it".
func (p *planning) completed(i int) []string {
	one := p.pieces[i]
	if one.Boundary == lang.Sequence || one.Tokens[0].Shape == lang.Sign {
		return nil
	}
	from := i - 1
	for from > 0 && p.value(p.text(span{from, from + 1})) < callable {
		from--
	}
	if p.value(p.text(span{from, from + 1})) < doubtful {
		return nil // nobody reads that question either
	}
	unknown := core.ToolFailure(core.ToolError, "", "")
	list := variants(p.text(span{i, i + 1}), earlier{made: made{result: &unknown}, question: p.text(span{from, from + 1}), same: true})
	return list[:min(len(list), maxCompleted)]
}

// addressed is the expert whom a span turns to, if any, and what an expert is told
// of it.
func (p *planning) addressed(s span) (to, text string) {
	to, text = p.address(strings.Trim(p.prompt[p.pieces[s.from].Start:p.pieces[s.to-1].End], " \t\r\n,"))
	return to, cmp.Or(p.direct[text], text)
}

func (p *planning) text(s span) string {
	_, text := p.addressed(s)
	return text
}

// worth is the value of a span for the segmentation.
func (p *planning) worth(s span) float64 {
	to, text := p.addressed(s)
	for _, one := range p.pieces[s.from+1 : s.to] {
		if other, _ := p.address(p.prompt[one.Start:]); other != "" {
			return 0
		}
	}
	if to != "" {
		return 1
	}
	value := p.value(text)
	switch {
	case s.to > s.from+1:
		readAlone := func(one lang.Piece) bool { return p.read(one.Text(p.prompt)) >= core.ReadWhole }
		if p.read(text) == 0 && slices.ContainsFunc(p.pieces[s.from:s.to], readAlone) {
			return 0 // words are no reason to keep together what somebody reads a part of
		}
		if p.questions(s, value-several) {
			value -= several
		}
	case s.from > 0 && p.dependent(p.pieces[s.from]):
		for _, reading := range p.completed(s.from) {
			value = max(value, p.value(reading)-near)
		}
		for _, f := range p.framed(text) {
			for _, list := range f.candidates {
				value = max(value, list[0].worth-near)
			}
		}
	}
	return value
}

// questions reports whether each piece of a span is a question, joined by more than a
// comma, that is worth so much by itself: who reads the whole may answer one of them only.
func (p *planning) questions(s span, worth float64) bool {
	for i := s.from; i < s.to; i++ {
		one := p.pieces[i]
		joined := i == s.from || one.Boundary != lang.Soft || strings.Trim(p.prompt[p.pieces[i-1].End:one.Start], " ,¿¡") != ""
		bare := lang.AllPhrases().Only(lang.Question, one.Tokens) // "who changed it and when"
		if !joined || bare || lang.AllPhrases().Begins(lang.Question, one.Tokens) == 0 || p.worth(span{i, i + 1}) < worth {
			return false
		}
	}
	return true
}

// framed are the frames of a text that somebody reads, with who does.
func (p *planning) framed(text string) []frame {
	_, refers := lang.AllPhrases().Refers(lang.Lex(text), false)
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
func (p *planning) step(s span) step {
	to, text := p.addressed(s)
	made := step{text: text, to: to, left: p.left(text)}
	switch {
	case to != "":
		made.candidates = p.toolsOf(to, text)
	case !strings.HasPrefix(text, "@"): // else it is for somebody who is not here
		made.candidates = oursOnly(p.candidates(text))
		if s.from == 0 || s.to > s.from+1 || !p.dependent(p.pieces[s.from]) {
			break
		}
		_, refers := lang.AllPhrases().Refers(lang.Lex(text), true)
		for _, reading := range p.completed(s.from) {
			if p.value(reading) >= callable && (refers > 0 || p.value(text) < callable) {
				made = step{text: reading, candidates: p.candidates(reading)}
				if refers == 0 || !finds(p.pieces[s.from-1], text) {
					return made
				}
				break
			}
		}
		if made.frames = p.framed(text); len(made.frames) == 0 && refers > 0 {
			made.frames = framesOf(text) // who reads it with the result, as a stand-in was not
		}
	}
	return made
}

// finds reports whether a question is for something that a pronoun behind it stands for, and
// names nothing that it may stand for as well, such as a file.
func finds(question lang.Piece, behind string) bool {
	l, tokens := lang.AllPhrases(), lang.Lex(behind)
	at, _ := l.Refers(tokens, true)
	switch named := func(t lang.Token) bool { return t.Shape != lang.Word }; {
	case slices.ContainsFunc(question.Tokens, named):
		return false
	case l.Begins(lang.WhoFound, question.Tokens) > 0:
		return l.Begins(lang.Person, tokens[at:]) > 0
	}
	n := l.Begins(lang.Found, question.Tokens)
	return n > 0 && n < len(question.Tokens) && !strings.HasSuffix(question.Tokens[n].Lower, "s") // "it" is none of several files
}

// toolsOf are the tools of an expert that the user named, the one that fits best
// first. The user's word is worth everything.
func (p *planning) toolsOf(expert, text string) (list []candidate) {
	fits := p.fits(text)
	for i := range p.tools {
		if t := &p.tools[i]; t.owner == expert {
			c := candidate{tool: t, worth: 1 + fits[i].Score}
			if o, ok := p.bids[text][t.spec.Name]; ok && !o.bid.Declines() {
				c.bid, c.worth = &o.bid, 2+o.bid.Score // before its other tools
			}
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.worth, a.worth) })
	return list
}

// without takes "without NAME" off the prompt, where NAME is an expert, and leaves
// that expert out.
func (p *planning) without(prompt string) {
	p.prompt = prompt
	tokens := lang.Lex(prompt)
	for i := range tokens {
		n := lang.AllPhrases().Begins(lang.Without, tokens[i:])
		if n == 0 || i+n >= len(tokens) {
			continue
		}
		if who := p.expert(tokens[i+n].Text); who != "" {
			p.prompt, p.not = strings.TrimRight(prompt[:tokens[i].Start], " ,")+prompt[tokens[i+n].End:], who
			return
		}
	}
}

// address finds the expert whom a text turns to, and what it asks them: "@NAME …",
// "NAME, …" or "ask NAME …" with NAME at the end, too.
func (p *planning) address(text string) (to, rest string) {
	tokens, l := lang.Lex(text[:min(len(text), 400)]), lang.AllPhrases()
	last := len(tokens) - 1
	asks := l.Begins(lang.Ask, tokens)
	if asks == 0 && last > 1 && (tokens[last-1].Text == "@" || l.Begins(lang.Ask, tokens[last-1:]) == 1) { // "…? ask NAME"
		if who := p.expert(tokens[last].Text); who != "" {
			return who, strings.TrimRight(text[:tokens[last-1].Start], " ,")
		}
	}
	i, called := asks, asks > 0
	if called && i < last {
		i += l.Begins(lang.Article, tokens[i:])
	}
	if i < last && tokens[i].Text == "@" {
		i, called = i+1, true
	}
	if i >= last {
		return "", text
	}
	who, after := p.expert(tokens[i].Text), text[tokens[i].End:]
	if who == "" || !called && !strings.HasPrefix(after, ", ") && !strings.HasPrefix(after, ": ") {
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
	said = strings.ReplaceAll(said, "-", "_")
	for _, t := range p.tools {
		if t.spec.Owner != "" && strings.EqualFold(strings.ReplaceAll(t.owner, "-", "_"), said) {
			return t.owner
		}
	}
	return ""
}
