package core

import (
	"encoding/json"
	"strings"
	"time"
)

// Role says who speaks in a [Message].
type Role string

// The four roles a model knows.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of a conversation. Messages are never changed once
// stored; ids are UUIDv7 made by whoever creates the message.
type Message struct {
	ID       string      `json:"id"`
	Run      string      `json:"run,omitempty"` // the run that made it, or that it started
	Role     Role        `json:"role"`
	Name     string      `json:"name,omitempty"` // the agent that speaks, or the tool that answered
	Text     string      `json:"text,omitempty"`
	Thinking string      `json:"thinking,omitempty"` // the model's own reasoning; never sent to another agent
	Files    []File      `json:"files,omitempty"`    // RoleUser: the pictures that are attached
	Calls    []Call      `json:"calls,omitempty"`    // RoleAssistant: the tools it asks for
	CallID   string      `json:"call_id,omitempty"`  // RoleTool: the call it answers
	Result   *ToolResult `json:"result,omitempty"`   // RoleTool: what Text was written from
	Reply    *Reply      `json:"reply,omitempty"`    // RoleAssistant: the final answer of its run
	Model    string      `json:"model,omitempty"`    // RoleAssistant: the model that wrote it
	// Opaque is what the provider of Model must be sent back as it was, such as signed
	// reasoning. Nobody else is shown it.
	Opaque json.RawMessage `json:"opaque,omitempty"`
	Time   time.Time       `json:"time"`
}

// Steer is the name of what the user says while the run of a message goes on. It is no
// question of its own.
const Steer = "/steer"

// Steers reports whether a message was said to a run that went on already.
func (m Message) Steers() bool { return m.Role == RoleUser && m.Name == Steer }

// Call is a model's request to use a tool. Scope, Context and Progress are for
// the tool that is called; they are not stored.
type Call struct {
	ID   string          `json:"id"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`          // a JSON object
	Bid  *Bid            `json:"bid,omitempty"` // on which the call was awarded, if it was

	Scope    Scope                    `json:"-"` // the run that calls
	Key      string                   `json:"-"` // [Scope.CallKey]
	Context  []Message                `json:"-"` // the bounded recent conversation, which a tool may ignore
	Progress func(ToolProgress)       `json:"-"` // may be nil; never blocks; may be called from any goroutine until Call returns
	Log      func(level, text string) `json:"-"` // what the tool says of its work, at a level of MCP; as Progress
	// Hold stops the call's time while the user is asked, until resume is called;
	// may be nil; as Progress may be called.
	Hold func() (resume func()) `json:"-"`
}

// Usage counts tokens. Estimated says that the provider gave no numbers.
type Usage struct {
	Prompt     int  `json:"prompt"`
	Cached     int  `json:"cached,omitempty"` // of Prompt: those that the provider still had from before
	Completion int  `json:"completion"`
	Estimated  bool `json:"estimated,omitempty"`
}

// Total is the sum of both directions.
func (u Usage) Total() int { return u.Prompt + u.Completion }

// Add returns the sum of two usages, estimated when one of them is.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Prompt: u.Prompt + v.Prompt, Cached: u.Cached + v.Cached, Completion: u.Completion + v.Completion,
		Estimated: u.Estimated || v.Estimated,
	}
}

// attachedMark begins what is attached to a prompt.
const attachedMark = "\n\n[attached: "

// Attach adds something that the user wants read with a prompt.
func Attach(prompt, name, content string) string {
	return prompt + attachedMark + name + "]\n" + content
}

// WithoutAttached is a prompt as the user wrote it.
func WithoutAttached(prompt string) string {
	written, _, _ := strings.Cut(prompt, attachedMark)
	return written
}

// Reattached is a prompt as the user wrote it, to be sent once more: what was attached to
// it is named as what shall be.
func Reattached(prompt string) string {
	written, rest, _ := strings.Cut(prompt, attachedMark)
	for _, part := range strings.Split(rest, attachedMark) {
		name, _, ok := strings.Cut(part, "]\n")
		if i := strings.Index(written, name); ok && i >= 0 && (i == 0 || written[i-1] != '@') {
			written = written[:i] + "@" + QuotePath(name) + written[i+len(name):]
		}
	}
	return written
}

// QuotePath is a path as it is written behind an @.
func QuotePath(path string) string {
	if strings.ContainsAny(path, " \t") {
		return `"` + path + `"`
	}
	return path
}
