package offline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"yaap/core"
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
		r.Data = map[string]any{}
		b.Reset()
		if e.Encode(r) != nil {
			return "{}"
		}
	}
	return strings.TrimSpace(b.String())
}

// readings says in a line who reads what: that is why they are asked.
func (p *progress) readings() string {
	var parts []string
	for i := range p.steps {
		s := &p.steps[i]
		if s.call == nil || s.result != nil {
			continue
		}
		for _, t := range s.tried {
			if gone(t.result) {
				parts = append(parts, t.who+" left")
			} else {
				parts = append(parts, t.who+" could not answer")
			}
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

// compose answers with what the experts said.
func (p *progress) compose(synthesis bool) core.Reply {
	asked := len(p.leftover) > 0 || slices.ContainsFunc(p.steps, func(s doing) bool { return s.result != nil || len(s.tried) > 0 })
	if !asked {
		return p.askBack(synthesis)
	}
	c := composer{values: map[string]any{}}
	for i := range p.steps {
		c.step(p, &p.steps[i])
	}
	for _, m := range p.leftover {
		if m.result != nil {
			c.result(p.ownerOf(m.call.Tool), promptOf(m.call), *m.result)
		}
	}
	return c.reply()
}

func (p *plan) ownerOf(name string) string {
	for _, t := range p.tools {
		if t.spec.Name == name {
			return t.owner
		}
	}
	return ownerOf(core.ToolSpec{Name: name})
}

// composer gathers what the steps came to.
type composer struct {
	good      []string // answers
	bad       []string // what went wrong, in sentences
	open      []string // parts that nobody reads, in sentences
	questions []string
	options   []any
	used      []string // who was asked
	values    map[string]any
}

func (c *composer) step(p *progress, s *doing) {
	for _, t := range s.tried {
		if gone(t.result) {
			c.bad = append(c.bad, fmt.Sprintf("%s left the room before answering %s.", t.who, quote(s.text)))
		}
	}
	switch {
	case s.result != nil:
		c.result(s.pick.tool.owner, s.asked, *s.result)
	case s.failed:
		c.bad = append(c.bad, fmt.Sprintf("%s was not asked, because the step before it has no result.", quote(s.text)))
	case len(s.near) > 0:
		c.questions = append(c.questions, s.lines())
	case s.call != nil || s.waits:
		c.bad = append(c.bad, fmt.Sprintf("There was no turn left to ask about %s.", quote(s.text)))
	case len(s.tried) > 0:
		c.bad = append(c.bad, "Nobody else here can.")
	default:
		c.open = append(c.open, fmt.Sprintf("Nobody here reads %s.", quote(s.text)))
	}
}

func (c *composer) result(who, asked string, r core.ToolResult) {
	text := strings.TrimSpace(r.Text)
	values := r.Data
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
	case asks(r):
		c.questions = appendNew(c.questions, text)
		if options, ok := values["options"].([]any); ok {
			c.options = append(c.options, options...)
		}
	case succeeded(r) && text == "":
		c.good = appendNew(c.good, who+" answered with nothing to read.")
	case succeeded(r):
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
	if len(c.used) > 0 {
		r.Data["tool_used"] = c.used
	}
	r.Message = join(slices.Concat(c.good, c.bad, c.open, c.questions))
	return r
}

// join puts answers one after the other: short ones as sentences, others as
// paragraphs.
func join(texts []string) string {
	if len(texts) == 1 {
		return texts[0]
	}
	const shortAnswer = 200
	separator := " "
	for _, t := range texts {
		if len(t) > shortAnswer || strings.Contains(t, "\n") {
			separator = "\n\n"
		}
	}
	out := slices.Clone(texts)
	if separator == " " {
		for i, t := range texts {
			out[i] = sentence(t)
		}
	}
	return strings.Join(out, separator)
}

// sentence ends s with a full stop where it ends with a letter or the like.
func sentence(s string) string {
	r, _ := utf8.DecodeLastRuneInString(s)
	if strings.ContainsRune(".!?:;…。！？*`)\"”", r) && !strings.HasSuffix(s, "**") && !strings.ContainsRune("`)\"”", r) {
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

// lines names the tools that come close to a step, each with what to type.
func (s *doing) lines() string {
	text := "I call nothing on a guess."
	switch {
	case strings.TrimSpace(s.text) == "":
		text += " This is what can be asked:"
	case len(s.near) > 1:
		text += " These come close to " + quote(s.text) + ":"
	default:
		text += " This comes close to " + quote(s.text) + ":"
	}
	for _, n := range s.near {
		text += "\n- `" + n.line + "`"
		if does := short(n.spec.Description, 80); does != "" {
			text += ": " + does
		}
	}
	return text
}

// and joins words as in a sentence.
func and(words []string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}

// quote shows a piece of text in a sentence.
func quote(s string) string {
	s = strings.TrimRight(strings.Join(strings.Fields(s), " "), "?.! ")
	return "“" + short(s, 60) + "”"
}

// short cuts s to about n bytes, at a word where that is possible.
func short(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= n {
		return s
	}
	s = clip(s, n)
	if i := strings.LastIndexByte(s, ' '); i > n/2 {
		s = s[:i]
	}
	return strings.TrimRight(s, " ,;:.") + "…"
}
