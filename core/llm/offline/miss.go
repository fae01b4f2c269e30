package offline

import (
	"fmt"
	"slices"
	"strings"

	"yaap/core"
	"yaap/core/lang"
	"yaap/core/safe"
)

// askBack answers a prompt that nobody was asked about: with the readings that
// are in doubt, or who comes nearest and what they would need.
func (p *progress) askBack(synthesis bool) core.Reply {
	reply := func(lines ...string) core.Reply {
		lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
		return core.Reply{Status: core.StatusClarification, Message: strings.Join(lines, "\n")}
	}
	for i := range p.steps {
		switch s := &p.steps[i]; {
		case s.call != nil:
			return reply(fmt.Sprintf("There was no turn left to ask %s. Please ask again.", s.pick.tool.owner))
		case len(s.near) > 0:
			return reply(s.lines())
		}
	}
	guests := p.guests()
	switch {
	case synthesis && len(guests) == 0:
		return reply("I have nothing to answer with: no expert was asked, and I know nothing myself.")
	case len(guests) == 0:
		return reply("I cannot answer that myself, and nobody is in the room. Let an expert join with /experts add COMMAND, then ask again.")
	case len(p.steps) == 0:
		return reply("I do not understand what you would like to know.")
	}
	if who, ok := strings.CutPrefix(p.steps[0].text, "@"); ok {
		who, _, _ = strings.Cut(who, " ")
		return reply("Nobody here is called "+safe.Cut(who, 48)+".", here(guests))
	}
	near := p.nearest()
	if len(p.steps) == 1 && len(near) > 0 && near[0].worth >= doubtful {
		return p.inDoubt(near)
	}
	var texts []string
	for _, s := range p.steps {
		texts = append(texts, quote(s.text))
	}
	line := here(guests)
	if len(near) > 0 {
		line = ""
		for _, c := range near {
			line += c.tool.owner + " comes nearest" + c.why() + ". "
		}
	}
	return reply("Nobody here reads "+strings.Join(texts[:min(len(texts), 3)], ", ")+".", strings.TrimSpace(line))
}

// inDoubt names the readings of a text that are too unsure to call anybody.
func (p *progress) inDoubt(near []candidate) core.Reply {
	text := p.steps[0].text
	var options []any
	var names []string
	for _, c := range near {
		if c.worth >= doubtful {
			options = append(options, "@"+c.tool.owner+" "+text)
			names = append(names, c.tool.owner+c.why())
		}
	}
	return core.Reply{
		Status: core.StatusClarification, Data: map[string]any{"options": options},
		Message: fmt.Sprintf("Is %s for %s?", quote(text), strings.Join(names, ", or for ")),
	}
}

// why says by what somebody comes near.
func (c candidate) why() string {
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

// nearest are the two who come closest to any step.
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

// here says who is in the room.
func here(guests []string) string {
	const most = 5
	line := "Here are " + strings.Join(guests[:min(len(guests), most)], ", ")
	if n := len(guests) - most; n > 0 {
		line += fmt.Sprintf(" and %d more", n)
	}
	return line + ": /experts says what they can do, /experts add COMMAND lets another one join."
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

// lines names the tools that come close to a step, each with what to type.
func (s *doing) lines() string {
	text := "I call nothing on a guess. What comes close to " + quote(s.text) + ":"
	for _, n := range s.near {
		text += "\n- `" + n.line + "`"
		if does := safe.Cut(n.spec.Description, 80); does != "" {
			text += ": " + does
		}
	}
	return text
}

// social answers what people say without asking for anything.
func social(prompt string) (core.Reply, bool) {
	l, tokens := lang.AllPhrases(), lang.Lex(prompt)
	if len(tokens) == 0 || len(tokens) > 12 || !l.Only(lang.Courtesy, tokens) {
		return core.Reply{}, false
	}
	reply := core.Reply{Status: core.StatusSuccess, Message: "Good to hear."}
	if _, n := l.Find(lang.Thanks, tokens); n > 0 {
		reply.Message = "You are welcome."
	} else if _, n := l.Find(lang.Greeting, tokens); n > 0 {
		reply.Message = "Hello. Ask what you would like to know; “help” says how."
	}
	return reply, true
}
