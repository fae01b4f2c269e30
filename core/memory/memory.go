// Package memory records conversations and finds what was said again.
//
// The user's words are on disk before anything here begins. Behind the chat a
// worker per memory makes entries of them (the message byte for byte, and a
// summary of it) and keeps a context: what there is to know, as one document,
// written anew every six messages and when a session ends. Where no model can
// write them, summaries and contexts are extracts of what was said, and marked
// as such.
//
// What was said is data. Nothing in it is ever done.
package memory

import (
	"context"
	"log/slog"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
)

// Control is what the memory agent is to do.
type Control string

// The four control states.
const (
	StartSession           Control = "start_session"
	ProcessMessage         Control = "process_message"
	ProcessMessageAndFlush Control = "process_message_and_flush"
	EndSession             Control = "end_session"
)

const (
	flushEvery   = 6
	recentShown  = 10
	historyShown = 40        // messages of the conversation that a model is shown
	messageShown = 4000      // characters of each
	promptRoom   = 24_000    // characters of all that was said before
	freshMost    = 200       // entries that a context is brought up to date with
	answerMost   = 256 << 10 // bytes of a model's answer
	answerTime   = 2 * time.Minute
)

// NoContext is the text of a memory that nothing is known about yet. It counts
// as empty.
const NoContext = "This is the default context. Nothing is known yet."

// Store is what a memory is kept in.
type Store interface {
	correctable
	Entries(ctx context.Context, memory string, q core.EntryQuery) ([]core.Entry, error)
	Unrecorded(ctx context.Context, memory string, limit int) ([]core.Unrecorded, error)
	Search(ctx context.Context, q core.SearchQuery) ([]core.Found, error)
	Await(ctx context.Context, q core.AwaitQuery) (core.Consistency, error)
}

// Prompts are the rules that a model is given.
type Prompts struct {
	EntryCapture, Summary, Context string
}

// Config is what a memory agent is made of. Store and Memory are required.
type Config struct {
	Store   Store
	Vault   core.Vault
	Memory  core.Memory
	Prompts Prompts
	// Checkpoints keep what the agent knows of each conversation, so that a
	// restart goes on with it; they are put into the Store. Without them it is
	// known until the program ends.
	Checkpoints Checkpoints
	Every       int // messages of a session until the context is written anew; default 6
	// Model writes summaries and contexts; nil, or one that returns nil: they
	// are extracts.
	Model   func() llm.Model
	Backoff llm.Backoff
	Sink    core.Sink // where failures are told, and what was recorded; may be nil
	// Log is told of every step: agent_init, agent_invoke, observe_start,
	// llm_call, llm_tool_call, llm_retry, creating_tool_call, agent_complete.
	// What was said is not told. Default discards.
	Log *slog.Logger
	Now func() time.Time
}
