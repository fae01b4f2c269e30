// Package experts is the kit for writing an expert of a yaap room.
//
// An expert says who it is and answers questions in plain language:
//
//	err := experts.Serve(ctx, experts.Expert{
//		Name:        "heron",
//		Description: "Knows everything about grey herons.",
//		Examples:    []string{"what do herons eat?"},
//		Answer: func(ctx context.Context, q experts.Question) (core.Reply, error) {
//			return experts.Success("Fish, mostly.", map[string]any{"food": "fish"}), nil
//		},
//	})
//
// The room starts it as a child process and speaks MCP with it over its
// standard input and output. Nothing else may be printed to standard output.
package experts

import (
	"context"

	"github.com/yaap-chat/yaap/core"
)

// Expert is one expert: who it is, and how it answers.
type Expert struct {
	Name        string   // ^[a-z][a-z0-9_-]{1,47}$
	Description string   // 1-1024 characters: what it knows, in words a user would use
	Examples    []string // at most 5 short prompts that it answers well
	Context     bool     // it wants the recent conversation with each question
	Acts        bool     // it changes something in the world: the user is asked before each question

	// Here says which prompts it answers well with what is at hand, in place of Examples
	// when it joins; it takes a moment at most. Nil: Examples.
	Here func(ctx context.Context) []string

	// Answer replies to one question. Several may be asked at the same time.
	// ctx ends when the room cancels the call. An error, and a panic, is
	// reported to the room as a failed call; a question that is not understood
	// is a reply with status clarification_needed.
	Answer func(ctx context.Context, q Question) (core.Reply, error)

	// Bid says what the expert reads in a text, before it is asked: the share of
	// the text's content words that it read and can use, and what it understood.
	// It comes from reading alone, takes a few milliseconds and changes nothing.
	// A word that was skipped is a word that was not read, and what the answer
	// would be does not count. The zero Bid declines, for good. said is the recent
	// conversation, empty unless Context. Nil: the room judges the expert by its
	// description and examples.
	Bid func(ctx context.Context, text string, said []core.Message) core.Bid
}

// The scores of a [core.Bid].
const (
	ReadAll     = 0.95 // every word
	ReadOperand = 0.9  // every word, one of them free text: a name, a pattern
	Understood  = 0.6  // and ambiguous, or refused for a reason; needs says what is missing
	ReadShape   = 0.4  // the shape is known, one word is not
)

// Question is what an expert is asked.
type Question struct {
	Prompt string
	// Call names the call. It is the same one when the room asks again after a
	// crash, as it does not know whether it was answered: an expert that acts can
	// tell that it has done it. It is empty where no room asks.
	Call    string
	Context []core.Message // the recent conversation, bounded; empty unless Expert.Context

	// Progress shows text, and a fraction from 0 to 1 or a negative one,
	// beside the running call. It never blocks.
	Progress func(text string, fraction float64)
}

// Success returns the reply to a question that was answered.
func Success(message string, data map[string]any) core.Reply {
	return core.Reply{Status: core.StatusSuccess, Message: message, Data: data}
}

// Failure returns the reply to a question that could not be answered.
func Failure(message string, data map[string]any) core.Reply {
	return core.Reply{Status: core.StatusFailure, Message: message, Data: data}
}

// Clarify returns the reply to a question that was not understood; message
// says what would help. Options may be empty.
func Clarify(message string, options ...string) core.Reply {
	reply := core.Reply{Status: core.StatusClarification, Message: message}
	if len(options) > 0 {
		reply.Data = map[string]any{"options": options}
	}
	return reply
}
