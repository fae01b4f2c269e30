package offline

import (
	"fmt"
	"strings"

	"yaap/core"
)

// explain says why those are asked who are asked now.
func (p *plan) explain() string {
	var now []*step
	later := 0
	for i := range p.steps {
		switch s := &p.steps[i]; {
		case s.call != nil && s.result == nil:
			now = append(now, s)
		case s.waits:
			later++
		}
	}
	var b strings.Builder
	lost := false
	for _, s := range now {
		if len(s.lost) > 0 {
			lost = true
			fmt.Fprintf(&b, "%s left before answering %s; %s fits, too (%.2f). ", and(p.owners(s.lost)), quote(s.text), s.pick.owner, s.score)
		}
	}
	switch {
	case lost:
	case len(now) == 1:
		s := now[0]
		b.WriteString(p.opening(s))
		b.WriteString(s.reason(p.room))
	default:
		var texts, who, scores []string
		for _, s := range now {
			texts = append(texts, quote(s.text))
			who = append(who, s.pick.owner)
			scores = append(scores, fmt.Sprintf("%.2f", s.score))
		}
		fmt.Fprintf(&b, "%s, %s. ", numeral(len(now), "question", "questions"), and(texts))
		if same(who) {
			fmt.Fprintf(&b, "%s fits all of them best, %s; ", who[0], and(scores))
		} else {
			fmt.Fprintf(&b, "%s fit best, %s; ", and(who), and(scores))
		}
		if len(now) == 2 {
			b.WriteString("neither needs the other, so both at once.")
		} else {
			b.WriteString("none needs another, so all at once.")
		}
	}
	if later > 0 {
		b.WriteString(" " + numeral(later, "step waits", "steps wait") + " for the result.")
	}
	return strings.TrimSpace(b.String())
}

func (p *plan) owners(tools []string) []string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = p.room.ownerName(t)
	}
	return names
}

func (p *plan) opening(s *step) string {
	switch {
	case s.after && len(p.steps) > 1:
		return fmt.Sprintf("Now %s. ", quote(s.prompt))
	case s.prompt != p.talk.prompt && len(p.steps) == 1 && s.to == "":
		return fmt.Sprintf("I read it as %s. ", quote(s.prompt))
	case len(p.steps) > 1:
		return fmt.Sprintf("First %s. ", quote(s.text))
	}
	return ""
}

// reason says why the step's expert was chosen.
func (s *step) reason(r *room) string {
	who := s.pick.owner
	if s.follows && s.to != "" {
		return fmt.Sprintf("It goes on from what was said before: %s is for %s.", quote(s.prompt), who)
	}
	if s.to != "" {
		return who + " is asked by name."
	}
	reason := fmt.Sprintf("%s fits best, %.2f", who, s.score)
	switch {
	case s.why.example != "":
		reason += fmt.Sprintf(": it is like its example %s", quote(s.why.example))
	case len(s.why.words) > 0:
		reason += ": it speaks of " + and(quoteAll(first(unique(s.why.words), 3)))
	}
	for _, f := range s.fits {
		if f.tool.owner != who {
			if f.score >= 0.05 {
				reason += fmt.Sprintf("; next is %s with %.2f", f.tool.owner, f.score)
			}
			break
		}
	}
	return reason + "."
}

// conclude says, after the fact, who was asked and what came of it.
func (p *plan) conclude() string {
	var asked, lost []string
	failed := 0
	for _, s := range p.steps {
		lost = append(lost, p.owners(s.lost)...)
		if s.result == nil {
			continue
		}
		if !succeeded(*s.result) && !asks(*s.result) {
			failed++
		}
		what := s.pick.owner
		if s.score > 0 && s.to == "" {
			what = fmt.Sprintf("%s (%.2f)", s.pick.owner, s.score)
		}
		asked = append(asked, fmt.Sprintf("%s for %s", what, quote(s.prompt)))
	}
	var b strings.Builder
	if len(asked) > 0 {
		fmt.Fprintf(&b, "I asked %s", and(asked))
		switch {
		case failed == 0:
			b.WriteString(" and pass on what came back.")
		case failed == len(asked):
			b.WriteString("; that failed.")
		default:
			fmt.Fprintf(&b, "; %d of %d failed.", failed, len(asked))
		}
	}
	if len(lost) > 0 {
		fmt.Fprintf(&b, " %s left before answering.", and(unique(lost)))
	}
	for _, m := range p.leftover {
		if len(asked) == 0 && m.result != nil {
			fmt.Fprintf(&b, " I pass on what %s answered.", p.room.ownerName(m.call.Tool))
		}
	}
	return strings.TrimSpace(b.String())
}

// askBack answers a prompt that nobody was asked about.
func (p *plan) askBack(synthesis bool) core.Reply {
	r := core.Reply{Status: core.StatusClarification, Data: map[string]any{}}
	guests := p.room.guests()
	for _, s := range p.steps {
		if len(s.near) > 0 {
			r.Thought = s.near[0].tool.owner + " comes close; what it should be given is not beyond doubt."
			r.Message = s.lines()
			return r
		}
	}
	if calls := p.pending(); len(calls) > 0 {
		who := p.room.ownerName(calls[0].Tool)
		r.Thought = who + " fits, but nobody may be called any more."
		r.Message = fmt.Sprintf("There was no turn left to ask %s. Please ask again.", who)
		return r
	}
	if noted, ok := p.noted(); ok {
		return noted
	}
	stranger := p.room.stranger(p.talk.prompt)
	switch {
	case synthesis && len(guests) == 0:
		r.Thought = "Nobody was asked, and I know nothing myself."
		r.Message = "I have nothing to answer with: no expert was asked, and I know nothing myself."
	case len(guests) == 0:
		r.Thought = "Nobody is in the room, and I know nothing myself."
		r.Message = "I cannot answer that myself, and nobody is in the room. Let an expert join with /experts add COMMAND, then ask again."
	case stranger == "" && !strings.HasSuffix(p.talk.prompt, "?") && states(lex(clip(p.talk.prompt, 200), nil)):
		r.Thought = p.nearest()
		r.Message = "I read that as something to know, not as a question, so nobody was asked. If it is one, end it with a question mark."
	default:
		r.Thought = p.nearest()
		intro := "Nobody in the room can answer that."
		if len(p.steps) == 1 && len(told(lex(p.steps[0].text, nil))) == 0 && stranger == "" {
			intro = "I do not understand what you would like to know."
		}
		if stranger != "" {
			intro = fmt.Sprintf("Nobody here is called %s.", clip(stranger, 48))
		}
		lines := append([]string{intro + " Here are:", ""}, p.room.cards(guests, len(guests) <= fewGuests)...)
		lines = append(lines, "", "Ask one of them with @name, or let an expert join with /experts add COMMAND.")
		r.Message = strings.Join(lines, "\n")
	}
	return r
}

// nearest says who came closest, and how far off that is.
func (p *plan) nearest() string {
	var texts []string
	var best match
	for _, s := range p.steps {
		if s.text != "" {
			texts = append(texts, quote(s.text))
		}
		if len(s.fits) > 0 && s.fits[0].score > best.score {
			best = s.fits[0]
		}
	}
	thought := "Nothing that anybody here says of themselves fits"
	if len(texts) > 0 {
		thought += " " + and(first(texts, 3))
	}
	if best.tool == nil || best.score < 0.05 {
		return thought + "."
	}
	return fmt.Sprintf("%s; the nearest is %s with %.2f, and I ask nobody below %.2f.", thought, best.tool.owner, best.score, threshold)
}

func numeral(n int, one, many string) string {
	switch n {
	case 1:
		return "One " + one
	case 2:
		return "Two " + many
	case 3:
		return "Three " + many
	case 4:
		return "Four " + many
	}
	return fmt.Sprintf("%d %s", n, many)
}

func same(list []string) bool {
	for _, s := range list {
		if s != list[0] {
			return false
		}
	}
	return true
}

func unique(list []string) []string {
	var out []string
	for _, s := range list {
		out = appendNew(out, s)
	}
	return out
}

func quoteAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = quote(s)
	}
	return out
}
