package core

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// AuditRow records one SACP reply, for people who want to know later why a
// program decided as it did; or, with Ran, what became of a run, of which Actor
// is the runner then. Rows are only ever added, and each holds the hash
// of the one before it, which the journal computes. What is secret is masked
// when the row is stored.
type AuditRow struct {
	ID     string    `json:"id"` // idempotence: the same reply has the same id
	Time   time.Time `json:"time"`
	Thread string    `json:"thread"`
	Run    string    `json:"run"`
	Trace  string    `json:"trace"`          // the root run
	Actor  string    `json:"actor"`          // agent/NAME, expert/NAME, chain/NAME, function/NAME
	Node   string    `json:"node,omitempty"` // of the chain that asked
	AuditReply
	Model  string `json:"model,omitempty"`
	Tokens int    `json:"tokens,omitempty"`
	MS     int64  `json:"ms"`

	Ran *AuditRun `json:"ran,omitempty"` // the journal writes these rows itself
}

// AuditRun is a run that has come into another state at the time of its row.
type AuditRun struct {
	Parent  string    `json:"parent,omitempty"`
	Room    string    `json:"room"` // the window that it ran in
	State   RunState  `json:"state"`
	Code    Code      `json:"code,omitempty"`
	Depth   int       `json:"depth"`
	Started time.Time `json:"started"`
}

// AuditReply is a reply as the audit log keeps it.
type AuditReply struct {
	Said     Status `json:"said"`   // the status as it was answered
	Status   Status `json:"status"` // the status that was routed on
	Thought  string `json:"thought"`
	Data     string `json:"data"` // JSON
	Message  string `json:"message"`
	RawHash  string `json:"raw_hash"` // SHA-256 of the text as it was answered, hex
	Outcome  string `json:"outcome"`  // how it was read: read, repaired, fallback, forced; or composed by us
	Severity string `json:"severity"` // info, warn, error
}

// Audited returns a reply as the audit log keeps it: raw is the text as it was
// answered and said its status there.
func Audited(r Reply, said Status, raw, outcome string) AuditReply {
	data := []byte("{}")
	if r.Data != nil {
		if object, err := json.Marshal(r.Data); err == nil {
			data = object
		}
	}
	a := AuditReply{
		Said: said, Status: r.Status, Thought: r.Thought, Data: string(data), Message: r.Message,
		RawHash: Hash(raw), Outcome: outcome, Severity: "info",
	}
	switch {
	case r.Status == StatusFailure:
		a.Severity = "error"
	case outcome != "read" && outcome != "composed":
		a.Severity = "warn"
	}
	return a
}

// AuditEntry is a row as it stands in the log.
type AuditEntry struct {
	Seq      int64    `json:"seq"` // its place, from 1
	Row      AuditRow `json:"row"`
	PrevHash string   `json:"prev_hash"` // Hash of the entry before it, hex
	Hash     string   `json:"hash"`      // SHA-256, hex
}

// AuditQuery says which entries are asked for. The zero query asks for all.
type AuditQuery struct {
	Thread string
	Run    string // this run and those below it
	Text   string // stands in the thought or the message; case does not matter
	Limit  int    // at most so many, the newest; below 1: all
}

// Matches reports whether an entry is among those that q asks for, whatever
// its limit.
func (q AuditQuery) Matches(e AuditEntry) bool {
	return (q.Thread == "" || e.Row.Thread == q.Thread) &&
		(q.Run == "" || e.Row.Run == q.Run || strings.HasPrefix(e.Row.Run, q.Run+"/")) &&
		(q.Text == "" || contains(e.Row.Thought, q.Text) || contains(e.Row.Message, q.Text))
}

func contains(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// AuditHead names a whole audit log by its last row: who knows an earlier head
// can tell whether the rows up to it are still the same. The zero head is that of
// an empty log.
type AuditHead struct {
	Rows int64  // how many rows there were
	Hash string // of the last one, hex
}

// String returns the head as it is printed, 12:9f86d0… say; "" for the zero head.
func (h AuditHead) String() string {
	if h == (AuditHead{}) {
		return ""
	}
	return strconv.FormatInt(h.Rows, 10) + ":" + h.Hash
}

// ParseAuditHead reads a printed head. It fails with [CodeInvalid].
func ParseAuditHead(s string) (AuditHead, error) {
	rows, hash, ok := strings.Cut(s, ":")
	n, err := strconv.ParseInt(rows, 10, 64)
	sum, invalid := hex.DecodeString(hash)
	if !ok || err != nil || n < 1 || invalid != nil || len(sum) != sha256.Size {
		return AuditHead{}, Fail(CodeInvalid, strconv.Quote(s)+" is not the head of an audit log",
			"give one as it was printed: a number, a colon and 64 hexadecimal digits")
	}
	return AuditHead{Rows: n, Hash: hex.EncodeToString(sum)}, nil
}

// AuditReport is what a check of the whole log found.
type AuditReport struct {
	Rows     int          // how many there are
	Redacted int          // of how many the content was taken away
	Head     AuditHead    // of the log as it is
	Kept     AuditHead    // the head that was kept outside the database; zero: none was
	Faults   []AuditFault // none: the log is intact
}

// AuditFault is something in the audit log that is not as it was written.
type AuditFault struct {
	Row int64  // its place; 0: the log as a whole
	Why string // what is wrong with it, in words
}

func (f AuditFault) String() string {
	if f.Row == 0 {
		return f.Why
	}
	return "row " + strconv.FormatInt(f.Row, 10) + ": " + f.Why
}
