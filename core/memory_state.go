package core

import "time"

// AwaitQuery asks that what was written to a memory can be relied upon.
type AwaitQuery struct {
	Memory string
	Keep   bool // what failed is told again the next time
}

// Consistency says what became of the writes to a memory that were accepted
// before it was asked for.
type Consistency struct {
	Durable  int64     `json:"durable_seq"` // the last entry that is on disk and can be searched; 0: none
	Failed   []Failure `json:"failed"`
	WaitedMS int64     `json:"waited_ms"`
}

// Failure is a write that was accepted and then failed.
type Failure struct {
	ID     string `json:"id"` // of the entry, or of the message that it was to be made of
	Reason string `json:"reason"`
}

// Waited notes how long it took.
func (c Consistency) Waited(since time.Time) Consistency {
	c.WaitedMS = time.Since(since).Milliseconds()
	return c
}
