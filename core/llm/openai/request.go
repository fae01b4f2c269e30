package openai

import (
	"encoding/base64"
	"encoding/json"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/web"
)

// request is the body of /chat/completions.
type request struct {
	Model               string          `json:"model"`
	Messages            []message       `json:"messages"`
	Tools               []tool          `json:"tools,omitempty"`
	ToolChoice          string          `json:"tool_choice,omitempty"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
	Stream              bool            `json:"stream"`
	StreamOptions       map[string]bool `json:"stream_options,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	ReasoningEffort     string          `json:"reasoning_effort,omitempty"`
}

type message struct {
	Role             string            `json:"role"`
	Content          any               `json:"content"` // text, or parts
	ToolCalls        []call            `json:"tool_calls,omitempty"`
	ToolCallID       string            `json:"tool_call_id,omitempty"`
	ReasoningContent string            `json:"reasoning_content,omitempty"`
	Reasoning        string            `json:"reasoning,omitempty"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`
}

// content is a part of a message that has pictures.
type content struct {
	Type     string            `json:"type"`
	Text     string            `json:"text,omitempty"`
	ImageURL map[string]string `json:"image_url,omitempty"`
}

type call struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Function callFunction    `json:"function"`
	Extra    json.RawMessage `json:"extra_content,omitempty"`
}

type callFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict,omitempty"` // left out it is false
}

type responseFormat struct {
	Type       string      `json:"type"`
	JSONSchema *jsonSchema `json:"json_schema,omitempty"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

// opaque is what a message with calls has to be sent back with.
type opaque struct {
	Field   string            `json:"field,omitempty"`   // where its thinking goes
	Details []json.RawMessage `json:"details,omitempty"` // of the reasoning, as they came
	Extra   []json.RawMessage `json:"extra,omitempty"`   // of each call: null, or as it came
}

// request puts req into the server's terms. It only reads req.
func (m *Model) request(req llm.Request, f form) request {
	o := m.cfg.Options
	r := request{Model: m.cfg.Model, Stream: true, Temperature: o.Temperature, ReasoningEffort: o.Effort, MaxTokens: o.MaxTokens}
	if f.newMax {
		r.MaxTokens, r.MaxCompletionTokens = 0, o.MaxTokens
	}
	if !f.noUsage {
		r.StreamOptions = map[string]bool{"include_usage": true}
	}
	system := req.System
	switch {
	case len(req.Schema) == 0:
	case !f.noSchema:
		r.ResponseFormat = &responseFormat{Type: "json_schema", JSONSchema: &jsonSchema{Name: "answer", Schema: req.Schema, Strict: web.Strict(req.Schema)}}
	default:
		system = web.FormatInstructions(system, req.Schema)
		if !f.inWords {
			r.ResponseFormat = &responseFormat{Type: "json_object"}
		}
	}
	if system != "" {
		r.Messages = append(r.Messages, message{Role: string(core.RoleSystem), Content: system})
	}
	for _, msg := range web.PairCalls(req.SentMessages()) {
		r.Messages = append(r.Messages, f.encode(msg))
	}
	if req.NoCalls && f.noChoice {
		return r
	}
	for _, spec := range req.Tools {
		schema := web.Schema(spec)
		r.Tools = append(r.Tools, tool{Type: "function", Function: function{
			Name: spec.Name, Description: web.Description(spec), Parameters: schema, Strict: !f.noStrict && web.Strict(schema),
		}})
	}
	if req.NoCalls && len(r.Tools) > 0 {
		r.ToolChoice = "none"
	}
	return r
}

func (f form) encode(m core.Message) message {
	w := message{Role: string(m.Role), Content: m.Text, ToolCallID: f.id(m.CallID)}
	if len(m.Files) > 0 {
		parts := []content{{Type: "text", Text: m.Text}}
		for _, f := range m.Files {
			parts = append(parts, content{Type: "image_url", ImageURL: map[string]string{"url": "data:" + f.Type + ";base64," + base64.StdEncoding.EncodeToString(f.Data)}})
		}
		w.Content = parts
	}
	if m.Role != core.RoleAssistant {
		return w
	}
	var kept opaque
	if !f.noThoughts {
		_ = json.Unmarshal(m.Opaque, &kept) // another provider's is nothing
	}
	for i, c := range m.Calls {
		w.ToolCalls = append(w.ToolCalls, call{
			ID: f.id(c.ID), Type: "function", Function: callFunction{Name: c.Tool, Arguments: string(web.Arguments(c))},
		})
		if len(kept.Extra) == len(m.Calls) && string(kept.Extra[i]) != "null" {
			w.ToolCalls[i].Extra = kept.Extra[i]
		}
	}
	w.ReasoningDetails = kept.Details
	switch kept.Field {
	case fieldContent:
		w.ReasoningContent = m.Thinking
	case fieldReasoning:
		w.Reasoning = m.Thinking
	}
	return w
}

// id is that of a call as the server takes it.
func (f form) id(id string) string {
	const length = 9
	if !f.shortIDs || id == "" {
		return id
	}
	return core.Hash(id)[:length]
}
