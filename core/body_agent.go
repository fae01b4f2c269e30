package core

import (
	"encoding/json"
	"fmt"
)

// IterationSummary says in one line what a turn came to. It comes before the
// turn's end, and never changes what is done.
type IterationSummary struct {
	Text string `json:"text"`
}

// Fallback says that another model answers from here on.
type Fallback struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Reason string `json:"reason"`
}

// BidsMade says what the experts read in the texts that they were sent before one
// is called.
type BidsMade struct {
	Texts   []string `json:"texts"`
	Experts []Bids   `json:"experts"`
}

// Handoff says that another agent has the conversation now. Returned: the one
// that was called is done, and the caller has it back.
type Handoff struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Reason   string `json:"reason,omitempty"`
	Returned bool   `json:"returned,omitempty"`
}

// HandoffDenied says that an agent may not hand the conversation to another.
type HandoffDenied struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Reason string `json:"reason"`
}

// GuardStage is where something is looked at before it goes on.
type GuardStage string

// The four stages.
const (
	GuardInput  GuardStage = "input"        // what the user says
	GuardArgs   GuardStage = "tool_args"    // what a tool is given
	GuardResult GuardStage = "tool_results" // what a tool answers
	GuardOutput GuardStage = "output"       // the answer
)

// GuardrailCheck says that something was looked at, and what came of it.
type GuardrailCheck struct {
	Guardrail string     `json:"guardrail"` // secrets, personal or injection
	Stage     GuardStage `json:"stage"`
	Call      string     `json:"call,omitempty"` // at a tool's stages
	Valid     bool       `json:"valid"`
	Error     string     `json:"error,omitempty"` // the detector failed; what it looked at is blocked
}

// GuardrailViolation says what a guardrail did about what it found. The words
// that it found are not in it.
type GuardrailViolation struct {
	Guardrail string     `json:"guardrail"`
	Stage     GuardStage `json:"stage"`
	Call      string     `json:"call,omitempty"`
	Reason    string     `json:"reason"`  // the kinds of what was found, and how many
	Verdict   string     `json:"verdict"` // redact, block or force_failure
}

// ApprovalRequested says that something waits until the user allows it.
type ApprovalRequested struct {
	Pause  string          `json:"pause"` // its id: what an [Answer] names
	Call   string          `json:"call,omitempty"`
	Tool   string          `json:"tool"`
	Expert string          `json:"expert,omitempty"`
	Args   json.RawMessage `json:"args,omitempty"`
	Reason string          `json:"reason"`
	Claims string          `json:"claims,omitempty"` // what its owner says of its effects, in words

	Options []Option `json:"options,omitempty"` // the answers that the user may give
}

// ApprovalGiven says what the user decided.
type ApprovalGiven struct {
	Pause    string          `json:"pause"`
	Call     string          `json:"call,omitempty"`
	Decision string          `json:"decision"`       // allow, session or deny
	Args     json.RawMessage `json:"args,omitempty"` // where the user changed them
	By       string          `json:"by,omitempty"`
}

// Type implements [Body].
func (IterationSummary) Type() string { return "iteration_summary" }

// Type implements [Body].
func (BidsMade) Type() string { return "bids" }

// Type implements [Body].
func (Fallback) Type() string { return "fallback" }

// Type implements [Body].
func (Handoff) Type() string { return "handoff" }

// Type implements [Body].
func (HandoffDenied) Type() string { return "handoff_denied" }

// Type implements [Body].
func (GuardrailCheck) Type() string { return "guardrail_check" }

// Type implements [Body].
func (GuardrailViolation) Type() string { return "guardrail_violation" }

// Type implements [Body].
func (ApprovalRequested) Type() string { return "approval_requested" }

// Type implements [Body].
func (ApprovalGiven) Type() string { return "approval_given" }

func (IterationSummary) body()   {}
func (BidsMade) body()           {}
func (Fallback) body()           {}
func (Handoff) body()            {}
func (HandoffDenied) body()      {}
func (GuardrailCheck) body()     {}
func (GuardrailViolation) body() {}
func (ApprovalRequested) body()  {}
func (ApprovalGiven) body()      {}

// decodeAgentBody reads the bodies of this file.
func decodeAgentBody(name string, raw json.RawMessage) (Body, error) {
	switch name {
	case "iteration_summary":
		return decode[IterationSummary](raw)
	case "bids":
		return decode[BidsMade](raw)
	case "fallback":
		return decode[Fallback](raw)
	case "handoff":
		return decode[Handoff](raw)
	case "handoff_denied":
		return decode[HandoffDenied](raw)
	case "guardrail_check":
		return decode[GuardrailCheck](raw)
	case "guardrail_violation":
		return decode[GuardrailViolation](raw)
	case "approval_requested":
		return decode[ApprovalRequested](raw)
	case "approval_given":
		return decode[ApprovalGiven](raw)
	}
	return nil, fmt.Errorf("unknown event type %q", name)
}
