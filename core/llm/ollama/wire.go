package ollama

import (
	"bytes"
	"encoding/json"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/web"
)

// request is the body of /api/chat.
type request struct {
	Model     string          `json:"model"`
	Messages  []message       `json:"messages,omitempty"`
	Tools     []tool          `json:"tools,omitempty"`
	Format    json.RawMessage `json:"format,omitempty"`
	Options   options         `json:"options"`
	Think     any             `json:"think,omitempty"` // a bool, or a level
	KeepAlive string          `json:"keep_alive"`
	Truncate  bool            `json:"truncate"` // the server would drop the oldest messages without a word
	Shift     bool            `json:"shift"`    // the server would forget the beginning while it writes
}

type options struct {
	NumCtx        int      `json:"num_ctx"`
	NumPredict    int      `json:"num_predict,omitempty"` // without it, as long as the model likes
	Temperature   *float64 `json:"temperature,omitempty"`
	RepeatPenalty float64  `json:"repeat_penalty"`
}

type message struct {
	Role       string     `json:"role"`
	Content    string     `json:"content"`
	Images     [][]byte   `json:"images,omitempty"`
	Thinking   string     `json:"thinking,omitempty"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolName   string     `json:"tool_name,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	ID       string `json:"id,omitempty"`
	Function struct {
		Index     int             `json:"index"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// response is one line of the answer to /api/chat.
type response struct {
	Message         message   `json:"message"`
	Done            bool      `json:"done"`
	DoneReason      string    `json:"done_reason"`
	PromptEvalCount int       `json:"prompt_eval_count"`
	EvalCount       int       `json:"eval_count"`
	Error           web.Fault `json:"error"`
}

// request puts req into the server's terms. It only reads req.
func (m *Model) request(req llm.Request, d details) request {
	r := request{Model: m.cfg.Model, Format: req.Schema, Options: m.options(d), Think: m.think(d), KeepAlive: keepAlive.String()}
	if req.System != "" {
		r.Messages = append(r.Messages, message{Role: string(core.RoleSystem), Content: req.System})
	}
	for _, msg := range req.SentMessages() {
		r.Messages = append(r.Messages, encode(msg))
	}
	if !req.NoCalls {
		for _, spec := range req.Tools {
			r.Tools = append(r.Tools, describe(spec))
		}
	}
	return r
}

func encode(m core.Message) message {
	w := message{Role: string(m.Role), Content: m.Text}
	for _, f := range m.Files {
		w.Images = append(w.Images, f.Data)
	}
	switch m.Role {
	case core.RoleAssistant:
		w.Thinking = m.Thinking
		for i, c := range m.Calls {
			call := toolCall{ID: c.ID}
			call.Function.Index = i
			call.Function.Name = c.Tool
			call.Function.Arguments = web.Arguments(c)
			w.ToolCalls = append(w.ToolCalls, call)
		}
	case core.RoleTool:
		w.ToolName, w.ToolCallID = m.Name, m.CallID
	}
	return w
}

// joined puts the lines of an answer that was streamed together, so that it can be
// read, and a secret in it found. What is no such answer stays as it is.
func joined(stream []byte) []byte {
	var whole response
	n := 0
	for line := range bytes.Lines(stream) {
		var r response
		if json.Unmarshal(line, &r) != nil {
			return stream
		}
		said := &whole.Message
		r.Message.Content, r.Message.Thinking = said.Content+r.Message.Content, said.Thinking+r.Message.Thinking
		r.Message.ToolCalls = append(said.ToolCalls, r.Message.ToolCalls...)
		whole = r
		n++
	}
	text, err := json.Marshal(whole)
	if err != nil || n < 2 {
		return stream
	}
	return text
}
