package runlog

import (
	"cmp"
	"slices"

	"github.com/yaap-chat/yaap/core"
)

// Set is runs by their ids, those below others too. Its zero value is empty.
type Set struct {
	runs map[string]*Run
	list []*Run // in the order in which they began
}

// Read folds stored events. thinking is what the model thought before the messages
// of these ids.
func Read(events []core.Event, thinking map[string]string) *Set {
	s := new(Set)
	for _, e := range events {
		s.Apply(e)
		if m, ok := e.Body.(core.AssistantMessage); ok {
			s.SetThought(e, thinking[m.ID])
		}
	}
	return s
}

// Run returns a run by its id, nil where it is not known.
func (s *Set) Run(id string) *Run { return s.runs[id] }

// Runs are all, in the order in which they began.
func (s *Set) Runs() []*Run { return s.list }

// Add puts a run that is to begin into the set, in place of one of its id.
func (s *Set) Add(r *Run) {
	if s.runs == nil {
		s.runs = map[string]*Run{}
	}
	if old := s.runs[r.ID]; old != nil {
		for i := range s.list {
			if s.list[i] == old {
				s.list[i] = r
			}
		}
	} else {
		s.list = append(s.list, r)
	}
	s.runs[r.ID] = r
}

// Root is the run that the user started, of an event.
func Root(e core.Event) string { return cmp.Or(e.Trace, e.Run) }

// Apply takes an event. A run is known from its run_start on.
func (s *Set) Apply(e core.Event) {
	r := s.runs[e.Run]
	if r == nil && e.Run != "" {
		if _, begins := e.Body.(core.RunStart); begins {
			r = s.begin(e)
		}
	}
	root := s.runs[Root(e)]
	if r != nil && r.Apply(e) && root != nil && root != r {
		root.Version++
	}
	if root != nil {
		root.tell(e)
	}
}

func (s *Set) begin(e core.Event) *Run {
	r := &Run{ID: e.Run}
	if parent := s.runs[e.Parent]; parent != nil {
		if len(parent.Below) >= maxBelow {
			return nil
		}
		parent.Below = append(parent.Below, r)
	}
	s.Add(r)
	return r
}

// SetThought sets the thought that led to a message, or to a reply without a thought.
func (s *Set) SetThought(e core.Event, thought string) {
	if r := s.runs[e.Run]; r != nil && thought != "" {
		r.turn(e.Turn).Thought = thought
		r.Version++
	}
}

// tell takes what a root run tells of itself and of those below it.
func (r *Run) tell(e core.Event) {
	switch b := e.Body.(type) {
	case core.ClarificationRequested:
		if len(r.Options) == 0 {
			r.offer(b.Options)
		}
	case core.ApprovalRequested:
		r.Wait(Ask{Pause: b.Pause, Run: e.Run, Call: b.Call, Tool: b.Tool, Expert: b.Expert})
	case core.ApprovalGiven:
		if a := r.FindAsk(b.Pause); a != nil {
			a.Over = true
		}
		r.Note(e)
	case core.ContextFitted, core.Fallback, core.Steered, core.Handoff, core.HandoffDenied, core.GuardrailViolation, core.HookRan, core.IterationSummary:
		r.Note(e)
	default:
	}
}

// Note keeps an event that is told in a line. What belongs to no turn of the run is
// told with its last.
func (r *Run) Note(e core.Event) {
	n := e.Turn
	if e.Run != r.ID || n == 0 {
		n = r.Last().N
	}
	t := r.turn(n)
	if len(t.Notes) >= maxNotes {
		return
	}
	_, sum := e.Body.(core.IterationSummary)
	t.Notes = append(t.Notes, Note{Event: e, First: len(t.Calls) == 0 && !sum})
	r.Version++
}

// Continue puts a run in the place of r that goes on with what r has done, because the
// user answered what it asked. r stays as it is.
func (s *Set) Continue(r *Run) *Run {
	next := s.copy(r)
	next.Turns, next.Asks, next.Plan.Model = nil, nil, ""
	return next
}

func (s *Set) copy(r *Run) *Run {
	next := *r
	next.Turns, next.Path, next.Below = slices.Clone(r.Turns), r.clone(), nil
	for _, below := range r.Below {
		next.Below = append(next.Below, s.copy(below))
	}
	s.Add(&next)
	return &next
}

// Forget drops a root run and those below it.
func (s *Set) Forget(root string) {
	r := s.runs[root]
	if r == nil {
		return
	}
	for _, below := range r.Below {
		s.Forget(below.ID)
	}
	delete(s.runs, root)
	s.list = slices.DeleteFunc(s.list, func(other *Run) bool { return other == r })
}

// Prepend adds older runs before the others. Runs that are known already stay.
func (s *Set) Prepend(older *Set) {
	newer := s.list
	s.list = nil
	for _, r := range older.list {
		if s.runs[r.ID] == nil {
			s.Add(r)
		}
	}
	s.list = append(s.list, newer...)
}

// CutOff ends a run, and those below it, that nobody works on any more.
func (r *Run) CutOff() {
	for _, below := range r.Below {
		below.CutOff()
	}
	if r.End == nil {
		r.End = &core.RunEnd{Outcome: "interrupted", Code: core.CodeStopped, Error: "this answer was interrupted"}
		r.Version++
	}
}
