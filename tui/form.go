package tui

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxForms   = 8  // that wait at the same time
	maxFields  = 64 // of a form that are shown
	maxOffered = 64 // of a field
)

// form is what an expert needs of the user, as it is filled in: blanks by a JSON
// Schema, or a page to visit. Its texts are the expert's.
type form struct {
	pause   string
	expert  string
	message string
	url     string
	blanks  []*formBlank
	at      int    // the blank that is filled in
	wrong   string // why it cannot be sent
	since   time.Time
	sent    bool
}

// formBlank is one value of a form: a text, or what is chosen.
type formBlank struct {
	name  string // its key
	label string
	about string
	kind  string // JSON type
	must  bool
	edit  *editor // nil: choices are offered

	choices []formChoice
	chosen  map[int]bool
	cursor  int  // the choice that the keys are at
	several bool // more than one may be chosen
}

// formChoice is a value that may be chosen.
type formChoice struct {
	value any
	label string
}

// property is the schema of a blank.
type property struct {
	Type        string           `json:"type"`
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Format      string           `json:"format"`
	Default     any              `json:"default"`
	Enum        []any            `json:"enum"`
	EnumNames   []string         `json:"enumNames"`
	OneOf       []constant       `json:"oneOf"`
	AnyOf       []constant       `json:"anyOf"`
	Items       *json.RawMessage `json:"items"`
}

type constant struct {
	Const any    `json:"const"`
	Title string `json:"title"`
}

// newForm reads what an expert asks for. It reports false where that cannot be
// filled in here.
func newForm(p *pen, b core.ElicitationRequested, now time.Time) (*form, bool) {
	f := &form{pause: b.Pause, expert: b.Expert, message: b.Message, url: b.URL, since: now}
	if b.URL != "" {
		return f, true
	}
	var schema struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if json.Unmarshal(b.Schema, &schema) != nil {
		return f, false
	}
	properties, ok := core.Members(schema.Properties)
	if len(schema.Properties) > 0 && !ok || len(properties) > maxFields {
		return f, false
	}
	for _, m := range properties {
		var one property
		if json.Unmarshal(m.Value, &one) != nil {
			return f, false
		}
		blank := newBlank(p, m.Name, one)
		blank.must = slices.Contains(schema.Required, m.Name)
		f.blanks = append(f.blanks, blank)
	}
	return f, true
}

func newBlank(p *pen, name string, s property) *formBlank {
	b := &formBlank{name: name, label: cmp.Or(s.Title, name), about: s.Description, kind: s.Type, chosen: map[int]bool{}}
	if s.Items != nil && s.Type == "array" {
		var items property
		if json.Unmarshal(*s.Items, &items) == nil {
			b.choices, b.several = choicesOf(items), true
		}
	} else {
		b.choices = choicesOf(s)
	}
	if s.Type == "boolean" {
		b.choices = []formChoice{{true, "yes"}, {false, "no"}}
	}
	defaults, _ := s.Default.([]any)
	for i, c := range b.choices {
		if c.value == s.Default || slices.Contains(defaults, c.value) {
			b.chosen[i], b.cursor = true, i
		}
	}
	if len(b.choices) > 0 {
		return b
	}
	b.several = false
	if s.Format != "" {
		b.about = strings.TrimSpace(b.about + " (" + s.Format + ")")
	}
	text, _ := s.Default.(string)
	if n, ok := s.Default.(float64); ok {
		text = strconv.FormatFloat(n, 'f', -1, 64)
	}
	b.edit = newEditor(p, visible(text))
	b.edit.area.MoveToEnd()
	return b
}

func choicesOf(s property) (all []formChoice) {
	for i, value := range s.Enum {
		text, ok := value.(string)
		if !ok {
			continue
		}
		if i < len(s.EnumNames) {
			text = s.EnumNames[i]
		}
		all = append(all, formChoice{value, text})
	}
	for _, c := range slices.Concat(s.OneOf, s.AnyOf) {
		if text, ok := c.Const.(string); ok {
			all = append(all, formChoice{c.Const, cmp.Or(c.Title, text)})
		}
	}
	return all[:min(len(all), maxOffered)]
}

// value is what was filled in. It reports false where nothing was.
func (b *formBlank) value() (v any, ok bool) {
	if b.several {
		list := []any{}
		for i, c := range b.choices {
			if b.chosen[i] {
				list = append(list, c.value)
			}
		}
		return list, len(list) > 0 || b.must
	}
	for i, c := range b.choices {
		if b.chosen[i] {
			return c.value, true
		}
	}
	if b.edit == nil {
		return nil, false
	}
	text := strings.TrimSpace(b.edit.area.Value())
	if text == "" {
		return nil, false
	}
	if b.kind != "string" { // a number, or what a form should not ask for
		var v any
		if core.DecodeJSON([]byte(text), &v) == nil {
			return v, true
		}
	}
	return text, true
}

// wrong says what has to be filled in instead, empty where nothing is wrong.
func (b *formBlank) wrong() string {
	v, ok := b.value()
	n, number := v.(json.Number)
	whole := number && !strings.ContainsAny(n.String(), ".eE")
	name := safe.Cut(b.label, 60)
	switch {
	case !ok && b.must:
		return name + " has to be filled in"
	case ok && b.kind == "integer" && !whole:
		return name + " has to be a whole number, such as 3"
	case ok && b.kind == "number" && !number:
		return name + " has to be a number, such as 2.5"
	}
	return ""
}

// choose moves in the choices, or takes one.
func (b *formBlank) choose(n int, take bool) {
	if len(b.choices) == 0 {
		return
	}
	b.cursor = (b.cursor + n + len(b.choices)) % len(b.choices)
	switch {
	case b.several && take:
		b.chosen[b.cursor] = !b.chosen[b.cursor]
	case !b.several:
		clear(b.chosen)
		b.chosen[b.cursor] = true
	}
}

// content is the form as it is sent.
func (f *form) content() (json.RawMessage, error) {
	values := map[string]any{}
	for i, b := range f.blanks {
		if wrong := b.wrong(); wrong != "" {
			f.at = i
			return nil, core.Fail(core.CodeInvalid, wrong, "")
		}
		if v, ok := b.value(); ok {
			values[b.name] = v
		}
	}
	return json.Marshal(values)
}

// form is what the user is asked to fill in, nil when nothing is or something is
// to be allowed first.
func (m *model) form() *form {
	if len(m.forms) == 0 || m.asks.first() != nil {
		return nil
	}
	return m.forms[0]
}

// eliciting takes what the room reports of forms.
func (m *model) eliciting(e core.Event) tea.Cmd {
	switch b := e.Body.(type) {
	case core.ElicitationRequested:
		f, ok := newForm(m.pen, b, time.Now())
		if !ok || len(m.forms) >= maxForms {
			return tea.Batch(m.answerForm(f, core.Decline, nil), m.say(toneAsk, named(b.Expert)+" asks for what cannot be filled in here: declined"))
		}
		m.forms = append(m.forms, f)
		return tea.Batch(m.arm(), m.ring("waits until you fill something in"))
	case core.Sampled:
		n := lineNote{sign: m.pen.dot, head: named(b.Expert) + " asked " + named(b.Model), text: safe.Cut(b.Prompt, 120)}
		if b.Error != "" {
			n = lineNote{sign: "!", head: named(b.Expert) + " may not ask the model", text: safe.Cut(b.Error, 200), tone: toneAsk}
		}
		m.chat.push(n.remark())
	case core.ElicitationAnswered:
		m.forms = slices.DeleteFunc(m.forms, func(f *form) bool { return f.pause == b.Pause })
		n := lineNote{sign: m.pen.dash, head: "nothing was sent to " + named(b.Expert), tone: toneAsk}
		if b.Action == core.Accept {
			n = lineNote{sign: m.pen.done, head: "sent to " + named(b.Expert), tone: toneGood}
		}
		m.chat.push(n.remark())
		if f := m.form(); f != nil {
			f.since = time.Now()
			return m.arm()
		}
	default:
	}
	return nil
}

// keyForm takes a key while a form is shown. Too early a key was meant for something else:
// what is typed goes into the input.
func (m *model) keyForm(msg tea.KeyPressMsg) tea.Cmd {
	f := m.form()
	if now := time.Now(); now.Sub(f.since) < armAfter || m.screen.size == sizeTiny {
		f.since = now
		if msg.Text == "" {
			return m.arm()
		}
		m.toInput()
		return tea.Batch(m.typed(msg), m.arm())
	}
	name := msg.String()
	switch name {
	case "esc":
		return m.answerForm(f, core.Decline, nil)
	case "ctrl+s":
		return m.sendForm(f)
	case "enter":
		if f.at >= len(f.blanks)-1 {
			return m.sendForm(f)
		}
		if f.wrong = f.blanks[f.at].wrong(); f.wrong != "" {
			return nil
		}
		name = "tab"
	}
	if len(f.blanks) == 0 {
		return nil
	}
	f.wrong = ""
	switch name {
	case "tab", "down":
		f.at = (f.at + 1) % len(f.blanks)
		return nil
	case "shift+tab", "up":
		f.at = (f.at + len(f.blanks) - 1) % len(f.blanks)
		return nil
	}
	b := f.blanks[f.at]
	if b.edit != nil {
		return b.edit.take(msg)
	}
	switch name {
	case "left":
		b.choose(-1, false)
	case "right":
		b.choose(1, false)
	case "space":
		b.choose(0, true)
	}
	return nil
}

// sendForm gives the expert what was filled in, or agrees to visit its page.
func (m *model) sendForm(f *form) tea.Cmd {
	if f.url != "" {
		return m.answerForm(f, core.Accept, nil)
	}
	content, err := f.content()
	if err != nil {
		f.wrong = err.Error()
		return nil
	}
	return m.answerForm(f, core.Accept, content)
}

// answerForm tells the user's answer. One that does not fit is shown again.
func (m *model) answerForm(f *form, id string, content json.RawMessage) tea.Cmd {
	if f.sent {
		return nil
	}
	f.sent = true
	answer := core.Answer{Pause: f.pause, ID: id, Data: content, By: "user"}
	return await(m, func(ctx context.Context, b Backend) (core.Result, error) { return b.Answer(ctx, answer) }, func(_ core.Result, err error) tea.Cmd {
		f.sent = false
		switch core.CodeOf(err) {
		case "":
		case core.CodeInvalid:
			f.wrong = err.Error()
		default: // it waits no more
			m.forms = slices.DeleteFunc(m.forms, func(other *form) bool { return other == f })
		}
		return nil
	})
}
