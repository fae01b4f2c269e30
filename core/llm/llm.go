// Package llm is the seam between yaap and language models: one small
// interface that every provider implements and one contract suite, llmtest,
// that every provider passes.
package llm

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

// Model is one language model.
type Model interface {
	// Name is what the user reads: "offline", "ollama/qwen3.5:4b".
	Name() string
	// Stream sends req and yields chunks as they arrive. Nothing happens until
	// it is ranged over. It ends with exactly one chunk whose Done is set, or
	// with exactly one error; a stream that ends early is an error. Breaking
	// off or ending ctx ends the request. Errors are [core.Error]s.
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// Sized is a [Model] that knows its context window: how many tokens it can read, its
// answer included; 0 where it does not. It may ask its server, once.
type Sized interface{ ContextWindow(ctx context.Context) int }

// ImageModel is a [Model] that may accept the pictures of messages; any other accepts none. It may ask its server, once.
type ImageModel interface {
	AcceptsImages(ctx context.Context) bool
}

// AcceptsImages reports whether a model accepts pictures.
func AcceptsImages(ctx context.Context, m Model) bool {
	sighted, ok := m.(ImageModel)
	return ok && sighted.AcceptsImages(ctx)
}

// AllTools is a [Model] that chooses among all tools of the room itself, however many
// there are.
type AllTools interface{ AllTools() }

// Request is one question to a model. Tools and Schema exclude each other.
type Request struct {
	System   string          // the instructions of this call, the same from call to call as far as may be
	Now      string          // what holds for the last question: the time, what is remembered; [Request.SentMessages] has it
	Messages []core.Message  // the conversation, oldest first, with the Data of pictures where the model sees
	Tools    []core.ToolSpec // what may be called; listed but forbidden when NoCalls is set
	NoCalls  bool            // the model must answer with text
	Schema   json.RawMessage // the answer's JSON Schema, keys in the order they shall be written
	Scope    core.Scope      // the run that asks; the zero one where there is none
}

// SentMessages returns the messages as they are sent: what holds now stands before the last
// question. It is put there, behind all that was sent before, so that a provider finds
// the beginning of each request in its cache.
func (r Request) SentMessages() []core.Message {
	i := len(r.Messages) - 1
	for i >= 0 && r.Messages[i].Role != core.RoleUser {
		i--
	}
	if i < 0 || r.Now == "" {
		return r.Messages
	}
	asked := slices.Clone(r.Messages)
	asked[i].Text = "<now>\n" + strings.TrimSpace(r.Now) + "\n</now>\n\n" + asked[i].Text
	return asked
}

// Chunk is a piece of an answer.
type Chunk struct {
	Thinking string          // the model's reasoning
	Text     string          // the answer
	Calls    []core.Call     // whole calls
	Opaque   json.RawMessage // the [core.Message]'s; at most once in a stream
	Done     *Done           // set in the last chunk only
}

// Done closes a stream.
type Done struct {
	Reason Reason
	Usage  core.Usage
}

// Reason says why a model stopped.
type Reason string

// Why a model stops.
const (
	ReasonStop   Reason = "stop"
	ReasonLength Reason = "length" // the answer was cut off
	ReasonCalls  Reason = "tool_calls"
)

// Info is what a provider tells about one model it has.
type Info struct {
	Name    string
	Tools   bool // it can call tools
	Sees    bool // it is known to see pictures
	Context int  // tokens it can read
}
