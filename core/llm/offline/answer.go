package offline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"yaap/core"
	"yaap/core/safe"
)

// encode writes a reply as SACP: thought, status, data, message, in this order.
func encode(r core.Reply) string {
	if r.Data == nil {
		r.Data = map[string]any{}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil { // an expert's data that is no JSON
		return encode(core.Reply{Thought: r.Thought, Status: r.Status, Message: r.Message})
	}
	return strings.TrimSpace(b.String())
}

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

// compose answers with what the experts said.
func (p *progress) compose(synthesis bool) core.Reply {
	c := composer{plan: p.plan, values: map[string]any{}}
	for i := range p.steps {
		c.step(&p.steps[i])
	}
	for _, m := range p.leftover {
		c.result(promptOf(m.call), m)
	}
	if len(c.used) == 0 {
		return p.askBack(synthesis)
	}
	return c.reply()
}

// composer gathers what the steps came to.
type composer struct {
	*plan
	good      []string // answers
	bad       []string // what went wrong, in sentences
	open      []string // parts that nobody reads, in sentences
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
		c.bad = append(c.bad, fmt.Sprintf("%s was not asked, because the step before it has no result.", quote(s.text)))
	case s.call != nil || s.waits:
		c.bad = append(c.bad, fmt.Sprintf("There was no turn left to ask about %s.", quote(s.text)))
	case len(s.near) > 0:
		c.questions = append(c.questions, s.lines())
	default:
		c.open = append(c.open, fmt.Sprintf("Nobody here reads %s.", quote(s.text)))
	}
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
		c.bad = appendNew(c.bad, fmt.Sprintf("%s left the room before answering %s.", who, quote(asked)))
	case r.AsksBack():
		c.questions = appendNew(c.questions, text)
		if options, ok := values["options"].([]any); ok {
			c.options = append(c.options, options...)
		}
	case r.Succeeded() && text == "":
		c.good = appendNew(c.good, who+" answered with nothing to read.")
	case r.Succeeded():
		c.good = appendNew(c.good, text)
	case text == "":
		c.bad = appendNew(c.bad, fmt.Sprintf("%s failed on %s without saying why.", who, quote(asked)))
	default:
		c.bad = appendNew(c.bad, fmt.Sprintf("%s could not answer %s: %s", who, quote(asked), sentence(text)))
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
	r := core.Reply{Status: core.StatusSuccess, Data: c.values}
	switch {
	case len(c.questions) > 0, len(c.open) > 0:
		r.Status = core.StatusClarification
	case len(c.bad) > 0:
		r.Status = core.StatusFailure
	}
	if len(c.options) > 0 {
		r.Data["options"] = c.options
	}
	r.Data["tool_used"] = c.used
	r.Message = join(slices.Concat(c.good, c.bad, c.open, c.questions))
	return r
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
