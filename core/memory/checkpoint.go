package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

// State is what the agent knows of one conversation. History accumulates; the
// other fields are those of the last invocation and replace what was there, so
// that no invocation ever sees the tools of another.
type State struct {
	Step        int            // how many steps led here
	Count       int            // messages since the session began
	History     []core.Message // the conversation, and what was found at the start of its sessions
	ToProcess   []core.Message
	ToolHistory []string // the tools that were used
	Control     Control
}

// going reports whether a session goes on.
func (s State) going() bool { return s.Control != "" && s.Control != EndSession }

// after is the state after a step. found is what was found at the start of a
// session.
func (s State) after(step core.MemoryState, found []core.Message) State {
	s.Step, s.Count, s.Control = step.Step, step.Count, Control(step.Control)
	s.ToProcess, s.ToolHistory = step.Process, step.Tools
	s.History = append(s.History, found...)
	for _, m := range step.Process {
		same := func(old core.Message) bool { return old.ID == m.ID }
		// A step repeats what the one before it processed, when it belongs to
		// the same invocation.
		if recent := s.History[max(0, len(s.History)-len(step.Process)):]; m.ID == "" || !slices.ContainsFunc(recent, same) {
			s.History = append(s.History, m)
		}
	}
	return s
}

// Checkpoints is where the states of conversations are kept.
type Checkpoints interface {
	States(ctx context.Context, memory, thread string, upto int) ([]core.MemoryState, error)
	LastStates(ctx context.Context, memory string, limit int) ([]core.MemoryState, error)
	DeleteStates(ctx context.Context, memory, thread string) error
	Entries(ctx context.Context, memory string, q core.EntryQuery) ([]core.Entry, error)
}

// Checkpointer keeps the states of the conversations of one memory: durably,
// each apart from the others, and every step of them. A step is saved in the
// transaction of the entries that it made; see [Agent.Invoke].
type Checkpointer struct {
	kept   Checkpoints
	memory string
}

// NewCheckpointer returns the checkpointer of a memory.
func NewCheckpointer(kept Checkpoints, memory string) *Checkpointer {
	return &Checkpointer{kept: kept, memory: memory}
}

// Load returns the state of a conversation as it was after a step; after the
// last one when step is 0. Of a conversation without checkpoints it is zero.
// Words that were forgotten since are missing.
func (c *Checkpointer) Load(ctx context.Context, thread string, step int) (s State, err error) {
	steps, err := c.kept.States(ctx, c.memory, thread, step)
	if err != nil {
		return s, err
	}
	for _, step := range steps {
		var found []core.Message
		if Control(step.Control) == StartSession {
			var recent []core.Entry
			if step.Upto > 0 {
				if recent, err = c.kept.Entries(ctx, c.memory, core.EntryQuery{Limit: recentShown, Before: step.Upto + 1}); err != nil {
					return s, err
				}
			}
			found = known(step.Content, recent)
		}
		step.Process = read(step.Process)
		s = s.after(step, found)
	}
	return s, nil
}

// Steps returns the checkpoints of a conversation, in order.
func (c *Checkpointer) Steps(ctx context.Context, thread string) ([]core.MemoryState, error) {
	return c.kept.States(ctx, c.memory, thread, 0)
}

// List returns the last checkpoint of every conversation, the newest first, at
// most limit of them; a limit below 1 is none.
func (c *Checkpointer) List(ctx context.Context, limit int) ([]core.MemoryState, error) {
	return c.kept.LastStates(ctx, c.memory, limit)
}

// Delete removes the checkpoints of a conversation: its session begins anew.
// What was said, and what is remembered of it, stays.
func (c *Checkpointer) Delete(ctx context.Context, thread string) error {
	return c.kept.DeleteStates(ctx, c.memory, thread)
}

// known is what was found at the start of a session, as two messages of the
// system. The default context counts as none; what was corrected, or has no
// words any more, is left out.
func known(content string, recent []core.Entry) []core.Message {
	if strings.TrimSpace(content) == NoContext {
		content = ""
	}
	var b strings.Builder
	for _, e := range slices.Backward(recent) {
		if holds(e) {
			b.WriteString("- " + e.Created.Format("2006-01-02") + " " + speaker(e) + ": " + e.Summary + "\n")
		}
	}
	return []core.Message{
		{Role: core.RoleSystem, Text: "Previous session context:\n" + content},
		{Role: core.RoleSystem, Text: "Recent entries:\n" + b.String()},
	}
}

// holds reports whether an entry tells what counts.
func holds(e core.Entry) bool { return e.Redacted.IsZero() && e.Corrected == "" }

// speaker is who said an entry.
func speaker(e core.Entry) string {
	if e.Corrects != "" {
		return string(e.Role) + ", correcting what was said before"
	}
	return string(e.Role)
}
