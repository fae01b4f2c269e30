package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/safe"
)

// readings says in a line who reads what: that is why they are asked.
func (p *progress) readings() string {
	var parts []string
	for i := range p.steps {
		s := &p.steps[i]
		if s.call == nil {
			continue
		}
		for _, m := range s.tried {
			parts = append(parts, p.ownerOf(m)+map[bool]string{true: " left", false: " could not answer"}[gone(*m.result)])
		}
		switch c := s.pick; {
		case c.bid != nil && c.bid.Reads != "":
			parts = append(parts, c.tool.owner+" reads "+c.bid.Reads)
		case s.to != "":
			parts = append(parts, c.tool.owner+" is asked by name")
		case len(c.words) > 0:
			parts = append(parts, c.tool.owner+" speaks of "+strings.Join(c.words[:min(len(c.words), 3)], ", "))
		default:
			parts = append(parts, c.tool.owner+" fits")
		}
	}
	return strings.Join(slices.Compact(parts), " · ")
}

// ownerOf is the expert that a call asked.
func (p *plan) ownerOf(m made) string {
	for _, t := range p.tools {
		if t.spec.Name == m.call.Tool {
			return t.owner
		}
	}
	return ownerOf(core.ToolSpec{Name: m.call.Tool})
}

// compose answers with what the experts said, and names each part that has no answer.
func (p *progress) compose() core.Reply {
	c := composer{plan: p.plan, values: map[string]any{}}
	for i := range p.steps {
		c.step(&p.steps[i])
	}
	for _, m := range p.leftover {
		c.result(promptOf(m.call), m)
	}
	return c.reply()
}

// composer gathers the results of the steps.
type composer struct {
	*plan
	good      []string // answers
	bad       []string // what went wrong, in sentences
	open      []string // parts that nobody reads, quoted
	unsaid    bool     // the last of them asks for something that was not said
	near      []candidate
	left      string // who might have answered them, and has left
	questions []string
	options   []any
	used      []string // who was asked
	values    map[string]any
}

func (c *composer) step(s *doing) {
	for _, m := range s.tried {
		if gone(*m.result) {
			c.result(s.asked, m)
		}
	}
	switch {
	case s.made != nil:
		c.result(s.asked, *s.made)
	case s.failed:
		c.bad = append(c.bad, c.say("room no result", quote(s.text)))
	case s.call != nil || s.waits:
		c.bad = append(c.bad, c.say("room no turn", quote(s.text)))
	case len(s.lack) > 0:
		c.questions = append(c.questions, s.lines(c.plan))
	case len(s.candidates) > 0 && s.candidates[0].worth >= doubtful && !onlyRecall(s.candidates):
		c.doubt(s)
	case slices.ContainsFunc(s.tried, func(m made) bool { return gone(*m.result) }): // who reads it has left
	default:
		c.open, c.unsaid = append(c.open, quote(s.text)), onlyRecall(s.candidates)
		if c.unsaid {
			break
		}
		c.near, c.left = append(c.near, s.candidates...), cmp.Or(c.left, s.left)
	}
}

// recall is the name of the room's own tool that tells what was said.
const recall = "recall"

// onlyRecall reports whether what may have been said is all that a text is like: it was not
// said, then.
func onlyRecall(list []candidate) bool {
	list = byOwner(slices.DeleteFunc(slices.Clone(list), func(c candidate) bool { return c.worth < doubtful }))
	return len(list) == 1 && list[0].tool.spec.Name == recall && list[0].tool.spec.Owner == ""
}

// doubt names the readings of a text that are too unsure to call anybody.
func (c *composer) doubt(s *doing) {
	var names []string
	for _, o := range byOwner(s.candidates) {
		if o.worth >= doubtful {
			c.options = append(c.options, "@"+o.tool.owner+" "+s.asked)
			names = append(names, o.tool.owner+o.why())
		}
	}
	c.questions = append(c.questions, c.say("room whose", quote(s.text), strings.Join(names, c.say("room or for")+" ")))
}

func (c *composer) result(asked string, m made) {
	who, r := c.ownerOf(m), *m.result
	text, values := strings.TrimSpace(r.Text), r.Data
	if r.Reply != nil {
		text, values = strings.TrimSpace(r.Reply.Message), r.Reply.Data
	}
	c.used = appendNew(c.used, who)
	if len(values) > 0 {
		c.keep(who, values)
	}
	switch {
	case gone(r):
		c.bad = appendNew(c.bad, c.say("room left", who, quote(asked)))
	case r.AsksBack():
		c.questions = appendNew(c.questions, text)
		if options, ok := values["options"].([]any); ok {
			c.options = append(c.options, options...)
		}
	case r.Succeeded() && text == "":
		c.good = appendNew(c.good, c.say("room nothing", who))
	case r.Succeeded():
		c.good = appendNew(c.good, text)
	case text == "":
		c.bad = appendNew(c.bad, c.say("room silent", who, quote(asked)))
	default:
		c.bad = appendNew(c.bad, c.say("room failed", who, quote(asked), sentence(text)))
	}
}

// keep puts an expert's data under its name; the second time under a list.
func (c *composer) keep(who string, values map[string]any) {
	switch have := c.values[who].(type) {
	case nil:
		c.values[who] = values
	case []any:
		c.values[who] = append(have, values)
	default:
		c.values[who] = []any{have, values}
	}
}

func (c *composer) reply() core.Reply {
	r := core.Reply{Status: core.StatusClarification, Data: c.values}
	if len(c.options) > 0 {
		r.Data["options"] = c.options
	}
	if len(c.used) > 0 {
		r.Data["tool_used"] = c.used
	}
	rest := slices.Concat(c.bad, c.questions)
	nothing := len(c.good)+len(rest) == 0
	switch {
	case nothing && c.social != "":
		return core.Reply{Status: core.StatusSuccess, Message: c.say(c.social)}
	case nothing && c.reason != "":
		return core.Reply{Status: core.StatusSuccess, Message: c.reason}
	case nothing && len(c.open) > 0:
		r.Message = c.miss()
		return r
	case len(c.open) > 0:
		rest = append(rest, c.unread(c.open))
	case nothing && c.noted:
		return core.Reply{Status: core.StatusSuccess, Message: c.say("room noted")}
	case nothing && len(c.guests()) == 0:
		rest = append(rest, cmp.Or(c.absent(), c.say("room nobody")))
	case nothing:
		rest = append(rest, c.say("room unclear"))
	case len(c.questions) == 0 && len(c.bad) > 0:
		r.Status = core.StatusFailure
	case len(c.questions) == 0:
		r.Status = core.StatusSuccess
	}
	r.Message = join(append(c.good, rest...))
	if len(c.good) > 0 && len(rest) > 0 {
		unanswered := join(rest)
		r.Data[core.DataUnanswered], r.Message = unanswered, join(c.good)+"\n\n"+unanswered
	}
	return r
}

// miss says in two lines that nobody reads what was asked, and who comes nearest or
// where to look.
func (c *composer) miss() string {
	line := c.unread(c.open[:min(len(c.open), 3)]) + "\n"
	if who, ok := strings.CutPrefix(c.steps[0].text, "@"); ok {
		who, _, _ = strings.Cut(who, " ")
		line, c.near = c.say("room uncalled", safe.Cut(who, 48))+"\n", nil
		if slices.Contains(c.guests(), who) {
			return c.say("room unasked", who, who)
		}
	}
	var near []string
	for _, o := range byOwner(c.near) {
		near = append(near, c.say("room nearest", o.tool.owner, o.why()))
	}
	switch {
	case c.attached:
		return line + c.say("room attached")
	case c.left != "":
		return line + c.left
	case len(near) > 0:
		return line + strings.Join(near, " ")
	case len(c.guests()) == 0:
		return line + cmp.Or(c.absent(), c.say("room empty"))
	}
	return strings.TrimSuffix(line+c.say("room here")+"\n"+c.absent(), "\n")
}

// absent says in lines why some cannot be asked; empty where all can.
func (p *plan) absent() string {
	if p.away == nil {
		return ""
	}
	const most = 3
	var lines []string
	for _, why := range p.away() {
		lines = append(lines, sentence(safe.Line(why)))
	}
	return strings.Join(lines[:min(len(lines), most)], "\n")
}

// unread says of some parts that nobody reads them, and of the only one whether anything
// was said of it.
func (c *composer) unread(parts []string) string {
	if c.unsaid && len(c.open) == 1 {
		return c.say("room unsaid", parts[0])
	}
	return c.say("room unread", strings.Join(parts, ", "))
}

// byOwner are the best two of different experts.
func byOwner(candidates []candidate) (list []candidate) {
	for _, c := range candidates {
		if len(list) < 2 && !slices.ContainsFunc(list, func(o candidate) bool { return o.tool.owner == c.tool.owner }) {
			list = append(list, c)
		}
	}
	return list
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
func (s *doing) lines(p *plan) string {
	text, lead := p.say("room close"), "\n- "
	if len(s.lack) == 1 {
		lead = " "
	}
	for _, n := range s.lack {
		text += lead + "`" + n.line + "`"
		if does := safe.Cut(n.spec.Description, 80); does != "" {
			text += ": " + does
		}
	}
	return text
}

// social is the phrase that answers what people say without asking for anything:
// courtesy, and thanks with a tail.
func social(prompt string) string {
	l, tokens := lang.AllPhrases(), lang.Lex(prompt)
	_, thanks := l.Find(lang.Thanks, tokens)
	_, greeting := l.Find(lang.Greeting, tokens)
	switch {
	case thanks > 0 && !strings.Contains(prompt, "?"):
		return "room welcome"
	case len(tokens) == 0 || !l.Only(lang.Courtesy, tokens):
		return ""
	case greeting > 0:
		return "room hello"
	}
	return "room fine"
}

// say words a sentence of the room itself in the language of the prompt.
func (p *plan) say(phrase string, parts ...any) string {
	return fmt.Sprintf(p.lang.Phrase(phrase), parts...)
}

// join puts answers one after the other: short ones as sentences, others as
// paragraphs.
func join(texts []string) string {
	const shortAnswer = 200
	if len(texts) == 1 {
		return texts[0]
	}
	if slices.ContainsFunc(texts, func(t string) bool { return len(t) > shortAnswer || strings.Contains(t, "\n") }) {
		return strings.Join(texts, "\n\n")
	}
	sentences := make([]string, len(texts))
	for i, t := range texts {
		sentences[i] = sentence(t)
	}
	return strings.Join(sentences, " ")
}

// sentence ends s with a full stop where it ends with a letter or the like.
func sentence(s string) string {
	if r, _ := utf8.DecodeLastRuneInString(s); strings.ContainsRune(".!?:;…。！？", r) {
		return s
	}
	return s + "."
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// quote shows a piece of text in a sentence.
func quote(s string) string {
	return "“" + safe.Cut(strings.TrimRight(strings.TrimSpace(s), "?.! "), 60) + "”"
}
