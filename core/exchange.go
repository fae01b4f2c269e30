package core

import (
	"encoding/json"
	"slices"
)

// Exchange is a request of a run to a model and what came back, without secrets.
type Exchange struct {
	Call  string `json:"call"` // [LLMCallStart].Call
	Model string `json:"model"`
	// Stored says that it was put together from what is on disk: the conversation as it
	// was then. What else was sent is not kept there.
	Stored bool `json:"stored,omitempty"`

	System   string          `json:"system,omitempty"`
	Now      string          `json:"now,omitempty"` // stands before the last question
	Messages []Message       `json:"messages"`      // oldest first
	Tools    []ToolSpec      `json:"tools,omitempty"`
	NoCalls  bool            `json:"no_calls,omitempty"` // no tool may be called
	Schema   json.RawMessage `json:"schema,omitempty"`   // of the answer
	Options  map[string]any  `json:"options,omitempty"`  // of the model, as they are configured

	Answer *Message `json:"answer,omitempty"` // nil: there is none, or none yet
	Error  string   `json:"error,omitempty"`  // why there is none
}

// ExchangeOf puts an exchange together from what is stored: the events of its run and
// of others, in order, and the conversation that the run had. It reports false where the
// run made no such request.
func ExchangeOf(run, call string, events []Event, said []Message) (x Exchange, ok bool) {
	var last, answer string // the request that was made last, and the message that came of it
	var own bool            // the message is what this one was answered
	for _, e := range events {
		if e.Run != run {
			continue
		}
		switch b := e.Body.(type) {
		case LLMCallStart:
			if last = b.Call; last == call {
				x, ok, answer, own = Exchange{Call: call, Model: b.Model, Stored: true}, true, "", false
			}
		case LLMCallEnd:
			if ok && b.Call == call && b.Error != "" {
				x.Error, x.Answer = b.Error, &Message{Role: RoleAssistant, Text: b.Text, Thinking: b.Thought}
			}
		case AssistantMessage:
			if ok && answer == "" {
				answer, own = b.ID, last == call
			}
		default:
		}
	}
	x.Messages = said
	if i := slices.IndexFunc(said, func(m Message) bool { return m.ID == answer }); i >= 0 {
		if x.Messages = said[:i:i]; own {
			x.Answer = &said[i]
		}
	}
	return x, ok
}
