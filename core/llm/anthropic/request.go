package anthropic

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/web"
)

// answerTool is the tool that has to be called where an answer must fit a schema.
const answerTool = "answer"

// minBudget is the least that may be spent on reasoning, and what is left beside it.
const minBudget = 1024

// request is the body of /v1/messages.
type request struct {
	Model        string            `json:"model"`
	MaxTokens    int               `json:"max_tokens"`
	Stream       bool              `json:"stream"`
	System       []block           `json:"system,omitempty"`
	Messages     []message         `json:"messages"`
	Tools        []tool            `json:"tools,omitempty"`
	ToolChoice   map[string]string `json:"tool_choice,omitempty"`
	Thinking     map[string]any    `json:"thinking,omitempty"`
	OutputConfig map[string]any    `json:"output_config,omitempty"`
	Temperature  *float64          `json:"temperature,omitempty"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Source    *source         `json:"source,omitempty"`
	Cache     *cache          `json:"cache_control,omitempty"`

	whole json.RawMessage // instead of all that: as it came
}

// source is a picture.
type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

// MarshalJSON writes what came as it came.
func (b block) MarshalJSON() ([]byte, error) {
	if b.whole != nil {
		return b.whole, nil
	}
	type plain block
	return json.Marshal(plain(b))
}

// cache marks the end of a beginning that is kept for the next request.
type cache struct {
	Type string `json:"type"`
}

func cached() *cache { return &cache{Type: "ephemeral"} }

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
	Cache       *cache          `json:"cache_control,omitempty"`
}

// request puts req into the server's terms. It only reads req.
func (m *Model) request(req llm.Request, f form, limit int) request {
	r := request{
		Model: m.cfg.Model, MaxTokens: limit, Stream: true, Temperature: m.cfg.Options.Temperature,
		Messages: conversation(req.SentMessages()), OutputConfig: map[string]any{},
	}
	for _, spec := range req.Tools {
		r.Tools = append(r.Tools, tool{Name: spec.Name, Description: web.Description(spec), InputSchema: web.Schema(spec)})
	}
	if len(r.Tools) == 0 { // a conversation with calls in it is refused without tools
		r.Tools = called(req.Messages)
	}
	if len(r.Tools) > 0 && (req.NoCalls || len(req.Tools) == 0) {
		r.ToolChoice = map[string]string{"type": "none"}
	}
	system, forced := req.System, false
	switch {
	case len(req.Schema) == 0:
	case !f.noFormat && web.Strict(req.Schema):
		r.OutputConfig["format"] = map[string]any{"type": "json_schema", "schema": req.Schema}
	case !f.noForce:
		forced = true
		r.Tools = append(r.Tools, tool{Name: answerTool, Description: "Takes your answer.", InputSchema: req.Schema})
		r.ToolChoice = map[string]string{"type": "tool", "name": answerTool}
	default:
		system = web.FormatInstructions(system, req.Schema)
	}
	if !forced { // it excludes reasoning
		m.think(&r, req.Messages)
	}
	if system != "" {
		r.System = []block{{Type: "text", Text: system, Cache: cached()}}
	}
	if n := len(r.Tools); n > 0 {
		r.Tools[n-1].Cache = cached()
	}
	remember(r.Messages)
	return r
}

// remember marks what is kept of a conversation: all before the last question, which is
// the same in the next turn, and all of it, which is the same while tools are called.
func remember(messages []message) {
	i := len(messages) - 1
	mark := func(m message) { m.Content[len(m.Content)-1].Cache = cached() }
	mark(messages[i])
	asks := func(m message) bool {
		return m.Role == string(core.RoleUser) && slices.ContainsFunc(m.Content, func(b block) bool { return b.Type == "text" })
	}
	for i > 0 && !asks(messages[i]) {
		i--
	}
	if i > 0 {
		mark(messages[i-1])
	}
}

// think turns reasoning on as the options say.
func (m *Model) think(r *request, messages []core.Message) {
	switch o := m.cfg.Options; {
	case o.Effort == "none":
		r.Thinking = map[string]any{"type": "disabled"}
		return
	case o.Effort != "":
		r.Thinking = map[string]any{"type": "adaptive", "display": "summarized"}
		r.OutputConfig["effort"] = o.Effort
	case o.Budget > 0 && thoughtful(messages):
		budget := max(o.Budget, minBudget)
		r.Thinking = map[string]any{"type": "enabled", "budget_tokens": budget}
		r.MaxTokens = max(r.MaxTokens, budget+minBudget)
	default:
		return
	}
	r.Temperature = nil // it may not be set then
}

// thoughtful reports whether the calls whose results the model is to read have the
// reasoning before them: else there may be none after them.
func thoughtful(messages []core.Message) bool {
	for _, m := range slices.Backward(messages) {
		switch {
		case m.Role == core.RoleTool:
		case m.Role == core.RoleAssistant && len(m.Calls) > 0:
			if len(keptOf(m)) == 0 {
				return false
			}
		default:
			return true
		}
	}
	return true
}

// called are the tools that were called in a conversation.
func called(messages []core.Message) []tool {
	var tools []tool
	for _, m := range messages {
		for _, c := range m.Calls {
			if !slices.ContainsFunc(tools, func(t tool) bool { return t.Name == c.Tool }) {
				tools = append(tools, tool{Name: c.Tool, InputSchema: json.RawMessage(`{"type":"object","properties":{}}`)})
			}
		}
	}
	return tools
}

// conversation puts messages into the server's terms: the user begins and ends, nobody
// speaks twice in a row, and nothing is empty.
func conversation(messages []core.Message) []message {
	user, assistant := string(core.RoleUser), string(core.RoleAssistant)
	var out []message
	add := func(role string, blocks ...block) {
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Content = append(out[n-1].Content, blocks...)
		} else if len(blocks) > 0 {
			if n == 0 && role != user {
				out = append(out, message{Role: user, Content: []block{{Type: "text", Text: "(The conversation goes on.)"}}})
			}
			out = append(out, message{Role: role, Content: blocks})
		}
	}
	for _, m := range web.PairCalls(messages) {
		switch m.Role {
		case core.RoleAssistant:
			add(assistant, spoken(m)...)
		case core.RoleTool:
			add(user, block{Type: "tool_result", ToolUseID: id(m.CallID), Content: m.Text, IsError: m.Result != nil && !m.Result.OK()})
		default:
			for _, f := range m.Files {
				add(user, block{Type: "image", Source: &source{Type: "base64", MediaType: f.Type, Data: f.Data}})
			}
			add(user, text(m.Text)...)
		}
	}
	if n := len(out); n == 0 || out[n-1].Role != user {
		add(user, block{Type: "text", Text: "Go on."})
	}
	return out
}

func text(s string) []block {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	return []block{{Type: "text", Text: s}}
}

// opaque is what a message with calls is sent back with.
type opaque struct {
	Blocks []kept `json:"blocks"`
}

// kept is a block of a message: reasoning as it came, otherwise where the text and the
// calls were.
type kept struct {
	Whole json.RawMessage `json:"whole,omitempty"`
	Text  int             `json:"text,omitempty"` // bytes; 0: a call
}

func keptOf(m core.Message) []kept {
	var o opaque
	_ = json.Unmarshal(m.Opaque, &o) // another provider's is nothing
	return o.Blocks
}

// spoken is a message of the model's, in the order in which it came.
func spoken(m core.Message) []block {
	blocks := keptOf(m)
	said, calls := 0, 0
	for _, k := range blocks {
		said += k.Text
		if k.Whole == nil && k.Text == 0 {
			calls++
		}
	}
	if said != len(m.Text) || calls != len(m.Calls) { // it is not what it was
		blocks = slices.DeleteFunc(blocks, func(k kept) bool { return k.Whole == nil })
		blocks = append(blocks, kept{Text: len(m.Text)})
		blocks = append(blocks, make([]kept, len(m.Calls))...)
	}
	var out []block
	said, calls = 0, 0
	for _, k := range blocks {
		switch {
		case k.Whole != nil:
			out = append(out, block{whole: k.Whole})
		case k.Text > 0:
			out = append(out, text(m.Text[said:said+k.Text])...)
			said += k.Text
		case calls < len(m.Calls):
			c := m.Calls[calls]
			out = append(out, block{Type: "tool_use", ID: id(c.ID), Name: c.Tool, Input: web.Arguments(c)})
			calls++
		}
	}
	return out
}

// id is that of a call as the server takes it: of letters, digits, _ and -.
func id(id string) string {
	const length, allowed = 16, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	if id != "" && strings.Trim(id, allowed) == "" {
		return id
	}
	return "call_" + core.Hash(id)[:length]
}
