package core

import (
	"slices"
	"time"
)

// ExpertState says what an expert in the room is doing.
type ExpertState string

// The states of an expert.
const (
	ExpertJoining     ExpertState = "joining"     // started, has not said hello
	ExpertReady       ExpertState = "ready"       // idle
	ExpertBusy        ExpertState = "busy"        // working on a call
	ExpertSuspect     ExpertState = "suspect"     // not heard of for a while; it may be called
	ExpertDraining    ExpertState = "draining"    // said goodbye, finishing a call
	ExpertRestarting  ExpertState = "restarting"  // waits before it is started again
	ExpertQuarantined ExpertState = "quarantined" // failed too often; only the user brings it back
	ExpertSignedOut   ExpertState = "signed-out"  // its server wants the user to sign in first
	ExpertStopped     ExpertState = "stopped"     // by the user; only the user brings it back
	ExpertGone        ExpertState = "left"        // it is not here any more
)

// OAuthClient is what the user has registered yaap as with those who sign users in at a
// server. Without an ID yaap registers itself.
type OAuthClient struct {
	ID, Secret string
	Scopes     []string // to ask for; empty: those that the server names
	Redirect   string   // where the browser comes back to, on this machine; empty: anywhere
}

// LeaveReason says why an expert left.
type LeaveReason string

// Why an expert leaves.
const (
	LeftGoodbye     LeaveReason = "goodbye"
	LeftExited      LeaveReason = "exited"      // its process ended
	LeftLost        LeaveReason = "lost"        // its connection ended
	LeftRemoved     LeaveReason = "removed"     // the user or the configuration took it out
	LeftQuarantined LeaveReason = "quarantined" // it failed too often
)

// Expert is a snapshot of one expert for people to look at. All text in it is
// safe for a terminal.
type Expert struct {
	Name        string       `json:"name"`
	Description string       `json:"description,omitempty"`
	Examples    []string     `json:"examples,omitempty"`
	Tools       []ToolSpec   `json:"tools,omitempty"`     // as the model knows them
	Changes     []ToolChange `json:"changes,omitempty"`   // tools that are hidden until the user allows the change
	Omitted     []string     `json:"omitted,omitempty"`   // tools that are not offered, each with the reason
	Transport   string       `json:"transport,omitempty"` // child or peer
	Command     []string     `json:"command,omitempty"`   // what runs, for a child
	State       ExpertState  `json:"state"`
	Message     string       `json:"message,omitempty"` // why it is in that state, in words
	Stderr      []string     `json:"stderr,omitempty"`  // the last lines it printed there
	Since       time.Time    `json:"since"`             // in this state since
	CallStats
	Bidding BidRecord `json:"bidding,omitzero"`
}

// CallStats counts the calls of an expert.
type CallStats struct {
	Calls   int           `json:"calls"`
	Errors  int           `json:"errors"`
	Latency time.Duration `json:"latency"` // of the last answered call
}

// Present reports whether the expert can be called.
func (e Expert) Present() bool {
	switch e.State {
	case ExpertReady, ExpertBusy, ExpertSuspect:
		return true
	}
	return false
}

// LogLevels are the levels at which an expert logs, the mildest first.
func LogLevels() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

// LogLevel is the place of a level among [LogLevels]; that of a warning where it is none.
func LogLevel(name string) int {
	if at := slices.Index(LogLevels(), name); at >= 0 {
		return at
	}
	return slices.Index(LogLevels(), "warning")
}
