package core

import "encoding/json"

// NodeState says how far a node of a chain is.
type NodeState string

// The states of a node.
const (
	NodePending   NodeState = "pending"
	NodeRunning   NodeState = "running"
	NodeCompleted NodeState = "completed"
	NodeFailed    NodeState = "failed"
	NodeSkipped   NodeState = "skipped" // no edge led to it
	NodePaused    NodeState = "paused"  // it waits for the user
	NodeCancelled NodeState = "cancelled"
)

// NodeStart opens one visit of a node.
type NodeStart struct {
	Chain   string          `json:"chain"`
	Node    string          `json:"node"`
	Visit   int             `json:"visit"`   // from 1
	Attempt int             `json:"attempt"` // from 1: a retry is another attempt of the same visit
	Input   json.RawMessage `json:"input,omitempty"`
}

func (NodeStart) eventType() string { return "node_start" }

// NodeEnd closes what NodeStart opened.
type NodeEnd struct {
	Chain   string          `json:"chain"`
	Node    string          `json:"node"`
	Visit   int             `json:"visit"`
	Attempt int             `json:"attempt"`
	State   NodeState       `json:"state"`
	Status  Status          `json:"status,omitempty"` // of the reply
	Thought string          `json:"thought,omitempty"`
	Message string          `json:"message,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
	Error   string          `json:"error,omitempty"`
	MS      int64           `json:"ms"`
}

func (NodeEnd) eventType() string { return "node_end" }

// EdgeTaken says that an edge of a chain was followed, or judged and not
// followed.
type EdgeTaken struct {
	Chain     string         `json:"chain"`
	From      string         `json:"from"`
	To        string         `json:"to"`
	Taken     bool           `json:"taken"`
	Condition string         `json:"condition,omitempty"` // as written, or default, on_error, hint, retry
	Values    map[string]any `json:"values,omitempty"`    // what the condition saw
	Problem   string         `json:"problem,omitempty"`   // why a part of the condition could not be judged
}

func (EdgeTaken) eventType() string { return "edge_taken" }

// ChainPaused says that a chain waits for the user.
type ChainPaused struct {
	Chain string `json:"chain"`
	Node  string `json:"node"`
	Pause Pause  `json:"pause"`
}

func (ChainPaused) eventType() string { return "chain_paused" }

// ChainResumed says that a chain goes on.
type ChainResumed struct {
	Chain  string  `json:"chain"`
	Node   string  `json:"node,omitempty"`   // that has its answer, or that had failed
	Answer *Answer `json:"answer,omitempty"` // nil: it had been cut off, or had failed
}

func (ChainResumed) eventType() string { return "chain_resumed" }

// ClarificationRequested says that the user is asked something.
type ClarificationRequested struct {
	ID       string   `json:"clarification_id"` // of the pause
	Question string   `json:"question"`
	Options  []Option `json:"options,omitempty"`
}

func (ClarificationRequested) eventType() string { return "clarification_requested" }

// ClarificationProvided says what the user answered.
type ClarificationProvided struct {
	ID       string `json:"clarification_id"`
	Selected string `json:"selected_option"`       // as the user wrote it, or the label of the option
	Option   string `json:"selected_id,omitempty"` // the id of the option
}

func (ClarificationProvided) eventType() string { return "clarification_provided" }

// DecodeError says why a reply did not fit the schema that it had to.
type DecodeError struct {
	Errors []string `json:"errors"`
}

func (DecodeError) eventType() string { return "decode_error" }
