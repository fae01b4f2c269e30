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

// Waited notes how long it took, and makes an empty list of none.
func (c Consistency) Waited(since time.Time) Consistency {
	if c.Failed == nil {
		c.Failed = []Failure{}
	}
	c.WaitedMS = time.Since(since).Milliseconds()
	return c
}

// MemoryState is a checkpoint of what the memory agent knows of a conversation:
// one step of it. What a step found and processed is kept by place and by id,
// not in words: what is forgotten is gone from here, too.
type MemoryState struct {
	ID      string    `json:"checkpoint_id"` // made by the caller: putting one again changes nothing
	Memory  string    `json:"memory_id"`
	Thread  string    `json:"thread_id"`
	Step    int       `json:"step"` // from 1, without gaps
	Control string    `json:"control"`
	Count   int       `json:"count"`      // messages since the session began
	Process []Message `json:"to_process"` // stored by their ids; they are part of the history from here on
	Tools   []string  `json:"tools"`      // used by the invocation so far
	Context int64     `json:"context"`    // the place of the context that was found; 0: none
	Content string    `json:"content"`    // its text; filled in by queries, ignored by Put
	Upto    int64     `json:"upto"`       // the place of the last entry that was found; 0: none
	Time    time.Time `json:"created"`
}

func (MemoryState) row() {}

// Check fails with [CodeInvalid] for a state that cannot be stored.
func (s MemoryState) Check() error {
	if err := checkIDs(field{"checkpoint", s.ID}, field{"memory", s.Memory}, field{"conversation", s.Thread}); err != nil {
		return err
	}
	if s.Step < 1 || s.Count < 0 || s.Context < 0 || s.Upto < 0 {
		return unfit("a checkpoint counts from below its beginning", "number the steps from 1, and everything else from 0")
	}
	return checkText("control", s.Control, MaxTitle, "use the name of a control state")
}
