package core

import "time"

// AuditRow records one SACP reply, for people who want to know later why a
// program decided as it did. Rows are only ever added, and each holds the hash
// of the one before it, which the journal computes. What is secret is masked
// by whoever makes the row.
type AuditRow struct {
	ID       string    `json:"id"` // idempotence: the same reply has the same id
	Time     time.Time `json:"time"`
	Thread   string    `json:"thread"`
	Run      string    `json:"run"`
	Trace    string    `json:"trace"`          // the root run
	Actor    string    `json:"actor"`          // agent/NAME, expert/NAME, chain/NAME, function/NAME
	Node     string    `json:"node,omitempty"` // of the chain that asked
	Said     Status    `json:"said"`           // the status as it was answered
	Status   Status    `json:"status"`         // the status that was routed on
	Thought  string    `json:"thought"`
	Data     string    `json:"data"` // JSON
	Message  string    `json:"message"`
	RawHash  string    `json:"raw_hash"` // SHA-256 of the text as it was answered, hex
	Outcome  string    `json:"outcome"`  // read, repaired, fallback
	Severity string    `json:"severity"` // info, warn, error
	Model    string    `json:"model,omitempty"`
	Tokens   int       `json:"tokens,omitempty"`
	MS       int64     `json:"ms"`
}
