package anthropic

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/web"
)

// event is one of a stream.
type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		Usage usage `json:"usage"`
	} `json:"message"`
	Block json.RawMessage `json:"content_block"`
	Delta struct {
		Text       string `json:"text"`
		Thinking   string `json:"thinking"`
		Signature  string `json:"signature"`
		Arguments  string `json:"partial_json"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage usage     `json:"usage"`
	Error web.Fault `json:"error"`
}

type usage struct {
	Input   int `json:"input_tokens"`
	Written int `json:"cache_creation_input_tokens"`
	Cached  int `json:"cache_read_input_tokens"`
	Output  int `json:"output_tokens"`
}

// read hands on what a server says.
func read(a *web.Answer, body io.Reader) error {
	r := reading{a: a, open: map[int]*part{}}
	if err := a.ReadEvents(body, r.take, &r.finished); err != nil {
		return err
	}
	return r.end()
}

// reading puts the events of a stream together.
type reading struct {
	a        *web.Answer
	finished bool
	stop     string // why
	usage    usage
	open     map[int]*part
	parts    []*part
}

// part is a block that is put together.
type part struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`

	raw       json.RawMessage // as it began
	said      int             // bytes of text
	thinking  strings.Builder
	signature strings.Builder
	args      bytes.Buffer
}

// take handles one event and reports whether it was the last.
func (r *reading) take(data []byte) (end bool, err error) {
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return true, r.a.Server().DecodeError(err)
	}
	if e.Error.Text != "" {
		return true, r.a.Server().Fail(0, e.Error)
	}
	for _, u := range []usage{e.Message.Usage, e.Usage} { // each tells all until then
		r.usage = usage{max(r.usage.Input, u.Input), max(r.usage.Written, u.Written), max(r.usage.Cached, u.Cached), max(r.usage.Output, u.Output)}
	}
	switch e.Type {
	case "content_block_start":
		return false, r.begin(e)
	case "content_block_delta":
		if p := r.open[e.Index]; p != nil && !r.finished {
			return false, r.add(p, e)
		}
	case "message_delta":
		if e.Delta.StopReason != "" && !r.finished {
			r.finished, r.stop = true, e.Delta.StopReason
			r.a.Stopping()
		}
	case "message_stop":
		r.finished = true
		return true, nil
	}
	return false, nil
}

func (r *reading) begin(e event) error {
	p := &part{}
	if err := json.Unmarshal(e.Block, p); err != nil {
		return r.a.Server().DecodeError(err)
	}
	if r.finished {
		return nil
	}
	p.raw = bytes.Clone(e.Block)
	r.open[e.Index] = p
	r.parts = append(r.parts, p)
	p.said = len(p.Text)
	p.thinking.WriteString(p.Thinking)
	p.signature.WriteString(p.Signature)
	return r.a.AddText(p.Thinking, p.Text)
}

func (r *reading) add(p *part, e event) error {
	d := e.Delta
	p.said += len(d.Text)
	p.thinking.WriteString(d.Thinking)
	p.signature.WriteString(d.Signature)
	if r.isAnswer(p) {
		d.Text += d.Arguments
	}
	_, _ = p.args.WriteString(d.Arguments) // it never fails
	return r.a.AddText(d.Thinking, d.Text)
}

// isAnswer reports whether a call is the answer that has to fit a schema.
func (r *reading) isAnswer(p *part) bool {
	return p.Type == "tool_use" && p.Name == answerTool && len(r.a.Req.Schema) > 0
}

// end hands on what is known only now.
func (r *reading) end() error {
	if r.stop == "refusal" {
		return r.a.ContentFilterError(r.stop)
	}
	cut := r.stop == "max_tokens" || r.stop == "model_context_window_exceeded"
	var calls []core.Call
	var keep opaque
	thought := false
	for _, p := range r.parts {
		k := kept{Text: p.said}
		switch p.Type {
		case "thinking":
			thoughts := map[string]string{"type": p.Type, "thinking": p.thinking.String(), "signature": p.signature.String()}
			k.Whole, _ = json.Marshal(thoughts) // strings
			thought = true
		case "redacted_thinking":
			k.Whole, thought = p.raw, true
		case "tool_use":
			c := core.Call{ID: p.ID, Tool: p.Name, Args: p.args.Bytes()}
			if len(c.Args) == 0 {
				c.Args = p.Input
			}
			if r.isAnswer(p) {
				if p.args.Len() == 0 { // it came at once
					if err := r.a.AddText("", string(p.Input)); err != nil {
						return err
					}
				}
				continue
			}
			if _, whole := web.Canonical(c.Args); cut && !whole {
				continue
			}
			calls = append(calls, c)
		default:
			if p.said == 0 {
				continue
			}
		}
		keep.Blocks = append(keep.Blocks, k)
	}
	if err := r.a.AddCalls(calls...); err != nil {
		return err
	}
	if thought && len(calls) > 0 && r.a.OffersTools() {
		if err := r.a.AddOpaque(keep); err != nil {
			return err
		}
	}
	u := r.usage
	return r.a.Done(cut, core.Usage{Prompt: u.Input + u.Written + u.Cached, Cached: u.Cached, Completion: u.Output})
}
