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

// compose answers with what the experts said.
func (p *plan) compose(synthesis bool) core.Reply {
	if !p.anyAsked() {
		return p.askBack(synthesis)
	}
	c := composer{plan: p, values: map[string]any{}}
	for i := range p.steps {
		c.step(&p.steps[i])
	}
	for _, m := range p.leftover {
		c.leftover(m)
	}
	return c.reply()
}

func (p *plan) anyAsked() bool {
	for _, s := range p.steps {
		if s.result != nil || len(s.lost) > 0 {
			return true
		}
	}
	return len(p.leftover) > 0
}

// composer gathers what the steps came to.
type composer struct {
	plan      *plan
	good      []string // answers
	bad       []string // what went wrong, in sentences
	open      []string // parts that nobody fits, in sentences
	questions []string
	options   []any
	used      []string // who was asked
	values    map[string]any
}

func (c *composer) step(s *step) {
	for _, tool := range s.lost {
		c.bad = append(c.bad, fmt.Sprintf("%s left the room before answering %s.", c.plan.room.ownerName(tool), quote(s.text)))
	}
	switch {
	case s.result != nil:
		c.result(s.pick.owner, s.prompt, *s.result)
	case s.failed:
		c.bad = append(c.bad, fmt.Sprintf("%s was not asked, because the step before it has no result.", quote(s.text)))
	case len(s.near) > 0:
		c.questions = append(c.questions, s.lines())
	case s.call != nil || s.waits:
		c.bad = append(c.bad, fmt.Sprintf("There was no turn left to ask about %s.", quote(s.text)))
	case len(s.lost) > 0:
		c.bad = append(c.bad, "Nobody else here can.")
	default:
		c.open = append(c.open, fmt.Sprintf("Nobody in the room can answer %s.", quote(s.text)))
	}
}

func (c *composer) leftover(m made) {
	who := c.plan.room.ownerName(m.call.Tool)
	asked := promptOf(m.call)
	switch {
	case m.result == nil:
	case gone(*m.result):
		c.bad = append(c.bad, fmt.Sprintf("%s left the room before answering %s.", who, quote(asked)))
	default:
		c.result(who, asked, *m.result)
	}
}

func (c *composer) result(who, asked string, r core.ToolResult) {
	text := strings.TrimSpace(r.Text)
	values := r.Data
	if r.Reply != nil {
		text, values = strings.TrimSpace(r.Reply.Message), r.Reply.Data
	}
	if !contains(c.used, who) {
		c.used = append(c.used, who)
	}
	if len(values) > 0 {
		c.keep(who, values)
	}
	switch {
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
	r := core.Reply{Thought: c.plan.conclude(), Status: core.StatusSuccess, Data: c.values}
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
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = t
		if separator == " " {
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

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

func appendNew(list []string, s string) []string {
	if contains(list, s) {
		return list
	}
	return append(list, s)
}

// lines names the tools that come close to a step, each with what to type.
func (s *step) lines() string {
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
		if does := short(n.tool.spec.Description, 80); does != "" {
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
