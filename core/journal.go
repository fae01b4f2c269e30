package core

import (
	"context"
	"encoding/json"
	"time"
)

// Journal is where runs keep what must not be lost.
type Journal interface {
	// Put stores all rows or none, and returns when they are on disk. Rows are
	// idempotent: putting one again changes nothing. A [RunRow] that starts a
	// root run is also the claim of its thread: when another living window
	// runs that thread, Put fails with [CodeBusy]. The first [Answer] to a
	// pause stays: one that says something else fails with [CodeConflict], and
	// one to a pause that is not stored with [CodeNotFound].
	Put(ctx context.Context, rows ...Row) error
	// Load returns what is stored of a run; Saved.Run.ID is empty when nothing is.
	Load(ctx context.Context, run string) (Saved, error)
}

// Row is one thing a [Journal] can store.
//
//sumtype:decl
type Row interface{ row() }

// Thread is one conversation.
type Thread struct {
	ID      string    `json:"id"`
	Session string    `json:"session"` // the sitting it was begun in
	Title   string    `json:"title"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	Count   int       `json:"count"` // messages of the conversation; filled in by queries, ignored by Put

	// Filled in by queries, as Count is.
	Dir        string `json:"dir,omitempty"`        // where it was begun; empty: not known
	Unattended bool   `json:"unattended,omitempty"` // it was begun with nobody in the chat, by yaap run
	Match      string `json:"match,omitempty"`      // the message in which the words of a [ThreadQuery] were found
	Root       string `json:"root,omitempty"`       // the conversation that it went on from in the end; empty: it went on from none
}

// ThreadQuery says which conversations are listed.
type ThreadQuery struct {
	Dir   string // those begun in this directory, or where that is not known; empty: everywhere
	Find  string // those with a title or a message that has all these words, or parts of words
	Limit int    // at most so many; below 1: all
}

// Branch says that a conversation goes on from another one: what was said there before
// a question is said in it, too.
type Branch struct {
	Thread string `json:"thread"`           // a [Thread] that is put with it
	From   string `json:"from"`             // the other conversation
	Before string `json:"before,omitempty"` // the run of the question; empty: after all that was said
}

// Page is a part of a conversation: runs with their messages and all that was
// reported of them, in order.
type Page struct {
	Messages []Message
	Events   []Event
	Earlier  bool // there are messages before these
}

// Session is one sitting, from start to quit.
type Session struct {
	ID      string
	Started time.Time
	Ended   time.Time // zero while it lasts

	Dir        string // that it works in
	Unattended bool   // nobody is in the chat
}

// RunState says how far a run is.
type RunState string

// The states of a run.
const (
	RunRunning     RunState = "running"
	RunCompleted   RunState = "completed"
	RunFailed      RunState = "failed"
	RunInterrupted RunState = "interrupted" // it can be resumed
)

// RunRow is one run. Put again with another State, it ends the run.
type RunRow struct {
	ID     string
	Thread string
	Parent string
	Runner string // agent/NAME, chain/NAME or expert/NAME
	State  RunState
	Code   Code // why it has failed or was interrupted: [CodeCancelled], [CodeTurnLimit]; empty where it waits for an answer
	Depth  int
	Time   time.Time // of this state
}

// Begin returns the rows that begin a run: its own, which is the claim of a
// root run's thread, and its question.
func Begin(s Scope, runner string, question Message) []Row {
	return []Row{s.RunRow(runner, RunRunning, question.Time), MessageRow{Thread: s.Thread, Message: question}}
}

// RunRow returns the row of the run, in a state since a time.
func (s Scope) RunRow(runner string, state RunState, since time.Time) RunRow {
	return RunRow{ID: s.Run, Thread: s.Thread, Parent: s.Parent, Runner: runner, State: state, Depth: s.Depth, Time: since}
}

// MessageRow stores a message at the end of its thread. What a root run said,
// and what belongs to no run, is the conversation; the messages of a run below
// another are that run's own.
type MessageRow struct {
	Thread  string
	Message Message
}

// EventRow stores a stamped event. Deltas and progress are not stored.
type EventRow struct{ Event *Event }

// Checkpoint is what one step of a run adds to its state: small, so that the
// steps of a run take room as they grow in number and not faster. The messages
// are stored beside it, not in it.
type Checkpoint struct {
	Run   string
	Step  int
	State json.RawMessage
	Time  time.Time
}

func (Pause) row()      {}
func (Answer) row()     {}
func (AuditRow) row()   {}
func (Thread) row()     {}
func (Branch) row()     {}
func (Session) row()    {}
func (RunRow) row()     {}
func (MessageRow) row() {}
func (EventRow) row()   {}
func (Checkpoint) row() {}

// Saved is what a [Journal] holds of a run.
type Saved struct {
	Run      RunRow
	Messages []Message    // those of the run, in order
	Steps    []Checkpoint // in order
	Pauses   []Pause      // that the run itself asked, answered ones included, in order
	Answers  []Answer     // to these
}

// Last returns the checkpoint of the last step; it is zero when there is none.
func (s Saved) Last() Checkpoint {
	if len(s.Steps) == 0 {
		return Checkpoint{}
	}
	return s.Steps[len(s.Steps)-1]
}

// Final returns the reply that a run has ended with: one that completed, or one
// that failed with a reply that says so. It reports false for any other run, and
// for one that has been let run again.
func (s Saved) Final() (Reply, bool) {
	reply, ok := s.LastReply()
	switch {
	case !ok:
		return Reply{}, false
	case s.Run.State == RunFailed:
		return reply, reply.Status == StatusFailure
	}
	return reply, s.Run.State == RunCompleted
}

// LastReply returns the reply in the run's last message. It reports false where
// that message holds none.
func (s Saved) LastReply() (Reply, bool) {
	if len(s.Messages) == 0 || s.Messages[len(s.Messages)-1].Reply == nil {
		return Reply{}, false
	}
	return *s.Messages[len(s.Messages)-1].Reply, true
}

// DiscardJournal is a Journal that keeps nothing: for dry runs and benchmarks.
type DiscardJournal struct{}

// Put accepts everything.
func (DiscardJournal) Put(context.Context, ...Row) error { return nil }

// Load finds nothing.
func (DiscardJournal) Load(context.Context, string) (Saved, error) { return Saved{}, nil }
