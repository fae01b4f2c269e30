package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/web"
)

const (
	fieldContent   = "reasoning_content"
	fieldReasoning = "reasoning"
)

// chunk is one event of a stream, or the whole of an answer that is none.
type chunk struct {
	Choices []struct {
		Index   int    `json:"index"`
		Delta   delta  `json:"delta"`
		Message delta  `json:"message"`
		Finish  string `json:"finish_reason"`
	} `json:"choices"`
	Usage *usage    `json:"usage"`
	Error web.Fault `json:"error"`
}

type delta struct {
	Content          words                        `json:"content"`
	Refusal          words                        `json:"refusal"`
	ReasoningContent words                        `json:"reasoning_content"`
	Reasoning        words                        `json:"reasoning"`
	Details          []map[string]json.RawMessage `json:"reasoning_details"`
	Calls            []fragment                   `json:"tool_calls"`
}

// fragment is a piece of a call.
type fragment struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
	Extra json.RawMessage `json:"extra_content"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	CacheHit   int `json:"prompt_cache_hit_tokens"` // DeepSeek
	Details    struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// words are a string, or a list of parts that have text or thinking; anything else is
// none.
type words struct{ text, thinking string }

// UnmarshalJSON never fails.
func (w *words) UnmarshalJSON(raw []byte) error {
	var parts []struct {
		Text     string `json:"text"`
		Thinking words  `json:"thinking"`
	}
	if json.Unmarshal(raw, &w.text) == nil || json.Unmarshal(raw, &parts) != nil {
		return nil
	}
	for _, p := range parts {
		w.text += p.Text
		w.thinking += p.Thinking.text
	}
	return nil
}

// read hands on what a server says.
func read(a *web.Answer, body io.Reader) error {
	r := reading{a: a}
	if err := a.ReadEvents(body, r.take, &r.finished); err != nil {
		return err
	}
	return r.end()
}

// reading puts the events of a stream together.
type reading struct {
	a        *web.Answer
	finished bool
	finish   string // why
	usage    core.Usage
	calls    []*part
	field    string // that the thinking comes in
	details  []*detail
}

// take handles one event and reports whether it was the last.
func (r *reading) take(data []byte) (end bool, err error) {
	if string(data) == "[DONE]" {
		r.finished = true
		return true, nil
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return true, r.a.Server().DecodeError(err)
	}
	if c.Error.Text != "" {
		return true, r.a.Server().Fail(0, c.Error)
	}
	if u := c.Usage; u != nil && u.Prompt+u.Completion > 0 {
		r.usage = core.Usage{Prompt: u.Prompt, Completion: u.Completion, Cached: max(u.Details.Cached, u.CacheHit)}
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 || r.finished { // there is one answer, with one end
			continue
		}
		for _, d := range []delta{choice.Delta, choice.Message} {
			if err := r.add(d); err != nil {
				return true, err
			}
		}
		if choice.Finish != "" {
			r.finished, r.finish = true, choice.Finish
			r.a.Stopping()
		}
	}
	return r.finished && r.usage != core.Usage{}, nil
}

func (r *reading) add(d delta) error {
	thinking := d.ReasoningContent.text
	switch {
	case thinking != "":
		r.field = fieldContent
	case d.Reasoning.text != "":
		thinking, r.field = d.Reasoning.text, fieldReasoning
	}
	for _, piece := range d.Details {
		r.detail(piece)
	}
	for _, f := range d.Calls {
		if err := r.fragment(f); err != nil {
			return err
		}
	}
	return r.a.AddText(thinking+d.Content.thinking, d.Content.text+d.Refusal.text)
}

// end hands on what is known only now.
func (r *reading) end() error {
	cut := r.finish == "length" || r.finish == "model_length"
	switch r.finish {
	case "content_filter":
		return r.a.ContentFilterError(r.finish)
	case "error", "insufficient_system_resource":
		return r.a.Server().Fail(0, web.Fault{Text: "finish_reason " + r.finish})
	}
	if _, spoken := r.a.Begun(); len(r.calls) > 0 && r.a.Req.NoCalls && !spoken {
		return errCalled
	}
	var calls []core.Call
	kept := opaque{Field: r.field}
	extra := false
	for _, p := range r.calls {
		c := core.Call{ID: p.id, Tool: p.name, Args: p.args.Bytes()}
		if _, whole := web.Canonical(c.Args); cut && !whole {
			continue
		}
		calls = append(calls, c)
		extra = extra || p.extra != nil
		kept.Extra = append(kept.Extra, p.extra)
	}
	if err := r.a.AddCalls(calls...); err != nil {
		return err
	}
	if !extra {
		kept.Extra = nil
	}
	for _, d := range r.details {
		raw, err := json.Marshal(d)
		if err != nil {
			return r.a.Server().DecodeError(err)
		}
		kept.Details = append(kept.Details, raw)
	}
	if len(calls) > 0 && r.a.OffersTools() && (kept.Field != "" || kept.Extra != nil || kept.Details != nil) {
		if err := r.a.AddOpaque(kept); err != nil {
			return err
		}
	}
	return r.a.Done(cut, r.usage)
}

// part is a call that is put together.
type part struct {
	index  *int
	id     string
	name   string
	args   bytes.Buffer
	extra  json.RawMessage
	looked int // how often its arguments were looked through
}

// whole reports whether the arguments can be all. It looks a few times only: a server
// may send any number of pieces.
func (p *part) whole() bool {
	const most = 16
	p.looked++
	return p.looked < most && bytes.HasSuffix(p.args.Bytes(), []byte("}")) && json.Valid(p.args.Bytes())
}

// empty reports whether the arguments are those of a call that has none, or stand for
// what is to come.
func (p *part) empty() bool { return p.args.Len() == 2 && p.args.String() == "{}" }

// fragment adds a piece to its call. Servers leave out the index or the id, give several
// calls the same, and send arguments again that were complete.
func (r *reading) fragment(f fragment) error {
	args := []byte(f.Function.Arguments)
	var text string
	if json.Unmarshal(args, &text) == nil { // null is nothing
		args = []byte(text)
	}
	p := r.part(f, args)
	if p == nil {
		if p = (&part{index: f.Index}); len(r.calls) == web.MaxCalls {
			return r.a.TooManyCallsError()
		}
		r.calls = append(r.calls, p)
	}
	p.id = cmp.Or(p.id, f.ID)
	p.name = cmp.Or(p.name, f.Function.Name)
	if f.Extra != nil {
		p.extra = f.Extra
	}
	if bytes.Equal(args, p.args.Bytes()) && json.Valid(args) { // once more
		return nil
	}
	if p.empty() {
		p.args.Reset()
	}
	_, _ = p.args.Write(args) // it never fails
	return nil
}

// part finds the call that a piece belongs to; nil: a new one.
func (r *reading) part(f fragment, args []byte) *part {
	for i := len(r.calls) - 1; i >= 0; i-- {
		p := r.calls[i]
		switch name := f.Function.Name; {
		case f.Index != nil && p.index != nil && *f.Index != *p.index,
			f.ID != "" && p.id != "" && f.ID != p.id,
			name != "" && p.name != "" && name != p.name,
			f.Index == nil && f.ID == "" && name == "" && i < len(r.calls)-1:
			continue
		case f.Index != nil && p.empty():
		case name != "" && p.name != "" && len(args) > 0 && !bytes.Equal(args, p.args.Bytes()) && p.whole():
			continue // begun anew
		}
		return p
	}
	return nil
}

// detail is a part of the reasoning that grows.
type detail struct {
	fields map[string]json.RawMessage
	grown  map[string]*strings.Builder
}

// MarshalJSON writes it whole.
func (d *detail) MarshalJSON() ([]byte, error) {
	for key, text := range d.grown {
		d.fields[key], _ = json.Marshal(text.String()) // a string
	}
	return json.Marshal(d.fields)
}

// detail adds a piece to the last part of the reasoning where it goes on with that.
func (r *reading) detail(piece map[string]json.RawMessage) {
	same := func(d *detail, key string) bool { return bytes.Equal(d.fields[key], piece[key]) }
	var d *detail
	if n := len(r.details); n > 0 {
		d = r.details[n-1]
	}
	if d == nil || !same(d, "type") || !same(d, "index") || piece["data"] != nil || piece["id"] != nil && d.fields["id"] != nil && !same(d, "id") {
		d = &detail{fields: map[string]json.RawMessage{}, grown: map[string]*strings.Builder{}}
		r.details = append(r.details, d)
	}
	for key, value := range piece {
		var text string
		switch {
		case string(value) == "null" && d.fields[key] != nil:
		case (key == "text" || key == "summary") && json.Unmarshal(value, &text) == nil:
			if d.grown[key] == nil {
				d.grown[key] = new(strings.Builder)
			}
			d.grown[key].WriteString(text)
		default:
			d.fields[key] = value
		}
	}
}
