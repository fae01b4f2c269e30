package offline

import (
	"fmt"
	"slices"
	"strings"

	"yaap/core"
)

// askBack answers a prompt that nobody was asked about: with the readings that
// are in doubt, or who comes nearest and what they would need.
func (p *progress) askBack(synthesis bool) core.Reply {
	r := core.Reply{Status: core.StatusClarification, Data: map[string]any{}}
	guests := p.guests()
	for i := range p.steps {
		if s := &p.steps[i]; len(s.near) > 0 {
			r.Message = s.lines()
			return r
		}
	}
	if calls := p.pending(); len(calls) > 0 {
		r.Message = fmt.Sprintf("There was no turn left to ask %s. Please ask again.", p.ownerOf(calls[0].Tool))
		return r
	}
	switch {
	case synthesis && len(guests) == 0:
		r.Message = "I have nothing to answer with: no expert was asked, and I know nothing myself."
		return r
	case len(guests) == 0:
		r.Message = "I cannot answer that myself, and nobody is in the room. Let an expert join with /experts add COMMAND, then ask again."
		return r
	case len(p.steps) == 0:
		r.Message = "I do not understand what you would like to know."
		return r
	}
	if name, ok := strings.CutPrefix(p.steps[0].text, "@"); ok {
		name, _, _ = strings.Cut(name, " ")
		r.Message = "Nobody here is called " + clip(name, 48) + ".\n" + p.hint(nil, guests)
		return r
	}
	near := p.nearest()
	if len(p.steps) == 1 && len(near) > 0 && near[0].worth >= doubtful {
		return p.inDoubt(near)
	}
	var texts []string
	for _, s := range p.steps {
		texts = append(texts, quote(s.text))
	}
	r.Message = "Nobody here reads " + and(texts[:min(len(texts), 3)]) + "."
	if hint := p.hint(near, guests); hint != "" {
		r.Message += "\n" + hint
	}
	return r
}

// inDoubt names the readings of a text that are too unsure to call anybody.
func (p *progress) inDoubt(near []candidate) core.Reply {
	text := p.steps[0].text
	var options []any
	var names []string
	for _, c := range near[:min(len(near), 3)] {
		if c.worth < doubtful {
			break
		}
		options = append(options, "@"+c.tool.owner+" "+text)
		names = append(names, c.tool.owner+p.why(c))
	}
	return core.Reply{
		Status: core.StatusClarification, Data: map[string]any{"options": options},
		Message: fmt.Sprintf("Is %s for %s? `@%s %s` asks.", quote(text), strings.Join(names, ", or for "), near[0].tool.owner, strings.ReplaceAll(short(text, 60), "`", "'")),
	}
}

func (p *progress) why(c candidate) string {
	switch {
	case c.bid != nil && len(c.bid.Needs) > 0:
		return " (" + c.bid.Needs[0] + ")"
	case c.bid != nil && c.bid.Reads != "":
		return " (" + c.bid.Reads + ")"
	case len(c.words) > 0:
		return " (" + strings.Join(c.words[:min(len(c.words), 3)], ", ") + ")"
	}
	return ""
}

// nearest are those who come closest to any step, each expert once.
func (p *progress) nearest() []candidate {
	var near []candidate
	for _, s := range p.steps {
		for _, c := range s.candidates {
			if !slices.ContainsFunc(near, func(o candidate) bool { return o.tool.owner == c.tool.owner }) {
				near = append(near, c)
			}
		}
	}
	return near[:min(len(near), 2)]
}

// hint says what the nearest would need, or who is here.
func (p *progress) hint(near []candidate, guests []string) string {
	var parts []string
	for _, c := range near {
		parts = append(parts, c.tool.owner+" comes nearest"+p.why(c))
	}
	if len(parts) > 0 {
		return strings.Join(parts, "; ") + "."
	}
	const most = 5
	here := strings.Join(guests[:min(len(guests), most)], ", ")
	if n := len(guests) - most; n > 0 {
		here += fmt.Sprintf(" and %d more", n)
	}
	return "Here are " + here + ": /experts says what they can do, /experts add COMMAND lets another one join."
}

// guests lists the experts in the room, each once, in the room's order.
func (p *plan) guests() []string {
	var guests []string
	for _, t := range p.tools {
		if t.spec.Owner != "" { // a tool of the room itself is nobody
			guests = appendNew(guests, t.owner)
		}
	}
	return guests
}

// social answers what people say without asking for anything.
func social(prompt string) (core.Reply, bool) {
	l, tokens := language(), lex(prompt)
	if len(tokens) == 0 || len(tokens) > 12 || !l.only("courtesy", tokens) {
		return core.Reply{}, false
	}
	reply := core.Reply{Status: core.StatusSuccess, Message: "Good to hear."}
	switch {
	case l.begins("thanks", tokens) > 0 || l.contains("thanks", tokens):
		reply.Message = "You are welcome."
	case l.contains("greeting", tokens):
		reply.Message = "Hello. Ask what you would like to know; “help” says how."
	}
	return reply, true
}

func (l lists) contains(list string, tokens []token) bool {
	_, n := l.find(list, tokens)
	return n > 0
}
