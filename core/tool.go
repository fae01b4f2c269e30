package core

import (
	"context"
	"encoding/json"
	"time"
)

// Tool is something a model can call. It is bound to its owner: a call reaches
// that owner or nobody, whoever holds the name by then.
type Tool interface {
	Spec() ToolSpec
	// Call runs the tool and blocks until it has answered, its own time limit
	// is over, or ctx ends. What went wrong is in the result; an error that is not
	// the end of ctx is told as a failure. It may be called from several goroutines.
	Call(ctx context.Context, c Call) (ToolResult, error)
}

// ToolSpec is what a model is told about a tool. Name, Description, Schema and
// Examples of an expert's tool come from the expert: they are bounded and
// stripped of control characters by the hub, and are still untrusted text.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema,omitempty"` // JSON Schema of the arguments; empty = one required string "prompt"
	Examples    []string        `json:"examples,omitempty"`
	Owner       string          `json:"owner,omitempty"`      // the expert behind it
	Timeout     time.Duration   `json:"timeout,omitempty"`    // 0 = the caller's default
	Sequential  bool            `json:"sequential,omitempty"` // never beside another call of the same turn
	SACP        bool            `json:"sacp,omitempty"`       // its owner promised to answer in SACP
	Claims      Claims          `json:"claims,omitzero"`      // what its owner says of its effects
	Acts        bool            `json:"acts,omitempty"`       // it may change something: it is called only when the user allowed it
	Origin      string          `json:"origin,omitempty"`     // tells how its owner is reached from any other way: a hash for a child, or peer
	Command     string          `json:"command,omitempty"`    // what its owner was started with, for people; empty for a peer
	Output      json.RawMessage `json:"output,omitempty"`     // JSON Schema of a result's Data; empty: its owner says none
}

// PromptSchema is the argument schema of a tool that declares none.
func PromptSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"prompt":{"type":"string","description":"What to ask, in plain language and complete in itself."}},"required":["prompt"]}`)
}

// Toolset is an immutable list of tools, sorted by name. Rev is the room's
// revision: it changes whenever the list does.
type Toolset struct {
	Rev   uint64
	Tools []Tool
}

// Find returns the tool of that name.
func (t Toolset) Find(name string) (Tool, bool) {
	for _, tool := range t.Tools {
		if tool.Spec().Name == name {
			return tool, true
		}
	}
	return nil, false
}

// Specs lists what a model is told about every tool.
func (t Toolset) Specs() []ToolSpec {
	specs := make([]ToolSpec, len(t.Tools))
	for i, tool := range t.Tools {
		specs[i] = tool.Spec()
	}
	return specs
}

// Names are those of tools, in their order.
func Names(specs []ToolSpec) []string {
	names := make([]string, len(specs))
	for i, spec := range specs {
		names[i] = spec.Name
	}
	return names
}

// Toolbox hands out the tools of this moment. It is asked before every model
// call: that is how an expert that joins in turn 1 is callable in turn 2.
type Toolbox interface {
	Tools() Toolset // never blocks
}

// ToolStatus says how a call ended.
type ToolStatus string

// How a call may end.
const (
	ToolSuccess          ToolStatus = "success"
	ToolError            ToolStatus = "error"
	ToolValidationError  ToolStatus = "validation_error"
	ToolPermissionDenied ToolStatus = "permission_denied"
	ToolNotFound         ToolStatus = "not_found"
	ToolWaiting          ToolStatus = "waiting" // for the user: the call is made again when there is an answer
)

// ToolCode says why a call is not a success, for programs.
type ToolCode string

// Why a call may fail.
const (
	ToolCodeInvalidInput      ToolCode = "INVALID_INPUT"        // the arguments do not fit the schema
	ToolCodeNotFound          ToolCode = "TOOL_NOT_FOUND"       // nobody has that name
	ToolCodeExpertLeft        ToolCode = "EXPERT_LEFT"          // its owner left before or while answering
	ToolCodeExecutionFailed   ToolCode = "EXECUTION_FAILED"     // it ran and failed
	ToolCodeTimeout           ToolCode = "TIMEOUT"              // it did not answer in time
	ToolCodeUnavailable       ToolCode = "RESOURCE_UNAVAILABLE" // too many calls are waiting for it
	ToolCodePermissionDenied  ToolCode = "PERMISSION_DENIED"    // it refused
	ToolCodeCancelled         ToolCode = "CANCELLED"            // the user stopped it
	ToolCodeMalformedResponse ToolCode = "MALFORMED_RESPONSE"   // it answered something unreadable
	ToolCodeTooLarge          ToolCode = "TOO_LARGE"            // it answered more than is read
)

// ToolResult is the result of a call. Text is what a model reads; Reply is set
// when the owner answered in SACP, and Text is then its message.
type ToolResult struct {
	Status    ToolStatus     `json:"status"`
	Code      ToolCode       `json:"code,omitempty"`
	Text      string         `json:"text"` // the answer, or what went wrong in words
	Data      map[string]any `json:"data,omitempty"`
	Reply     *Reply         `json:"reply,omitempty"`
	Pauses    []Pause        `json:"-"`                   // it waits for the user: there is no result yet, and the call is made again
	Files     []File         `json:"files,omitempty"`     // that the answer holds beside its text, which names them
	Truncated bool           `json:"truncated,omitempty"` // Text was longer than a model is given; it ends with how much of how much it is
}

// OK reports whether the call succeeded.
func (r ToolResult) OK() bool { return r.Status == ToolSuccess }

// Succeeded reports whether the call came to an answer: its owner did not ask back,
// and did not say that it failed.
func (r ToolResult) Succeeded() bool {
	return r.OK() && (r.Reply == nil || r.Reply.Status == StatusSuccess || r.Reply.Status == StatusCompleted || r.Reply.Status == "")
}

// AsksBack reports whether the owner needs to know more.
func (r ToolResult) AsksBack() bool {
	return r.OK() && r.Reply != nil && r.Reply.Status == StatusClarification
}

// ToolFailure returns a result that is not a success.
func ToolFailure(status ToolStatus, code ToolCode, text string) ToolResult {
	return ToolResult{Status: status, Code: code, Text: text}
}

// ToolProgress is what a tool says while it works. Fraction is 0 to 1, or
// negative when it cannot tell.
type ToolProgress struct {
	Message  string
	Fraction float64
}
