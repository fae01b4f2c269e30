// Package runlog makes of the events of runs what the runs did. Events as they
// are told and as they are stored give the same.
//
// Events are untrusted: what is kept of a run is bounded, and all text in it is
// as it came.
package runlog

import (
	"slices"
	"strings"
	"time"

	"yaap/core"
)

// MaxVisits bounds the attempts of a run that are kept.
const MaxVisits = 128

const (
	maxEdges = 128      // that were judged after one visit
	maxField = 16 << 10 // bytes of an input, a thought, data or a message that are kept
	maxText  = 1 << 20  // bytes of all texts of a run that are kept
)

// Run is what a run did. It begins empty.
type Run struct {
	ID, Thread, Parent string
	Runner, Prompt     string
	Began, Since       time.Time        // Since: it was gone on with last
	Spent              time.Duration    // until it ended last, without the time in which it waited
	Visits             []Visit          // attempts, in the order in which they began
	Begun              int              // visits of nodes, those that are forgotten too
	Edges              []core.EdgeTaken // that were judged before the first visit
	Asks               []core.Pause     // what it waits for
	Reply              *core.Reply
	End                *core.RunEnd // nil while it runs
	Version            int          // rises with every event that told something
}

// Visit is one attempt of one visit of a node.
type Visit struct {
	core.NodeStart
	Began  time.Time
	Beside bool             // it began while the one before it ran
	End    core.NodeEnd     // nil while it runs
	Ended  int              // of two visits the greater one ended later
	Edges  []core.EdgeTaken // that were judged after it
}

// Read returns the run with an id. What other events tell is left out.
func Read(run string, events []core.Event) *Run {
	r := &Run{}
	for _, e := range events {
		if e.Run == run {
			r.Apply(e)
		}
	}
	return r
}

// Waits reports whether a run ended because it waits for the user. One that was
// cut off tells why.
func Waits(end core.RunEnd) bool {
	return end.Outcome == "interrupted" && (end.Status == core.StatusClarification || end.Code == "")
}

// State is how far a run is.
func (r *Run) State() core.NodeState {
	switch {
	case r.End == nil:
		return core.NodeRunning
	case Waits(*r.End):
		return core.NodePaused
	case r.End.Outcome == "completed" && r.End.Status == core.StatusFailure:
		return core.NodeFailed
	case r.End.Outcome == "completed":
		return core.NodeCompleted
	case r.End.Outcome == "interrupted", r.End.Code == core.CodeCancelled, r.End.Code == core.CodeStopped:
		return core.NodeCancelled
	}
	return core.NodeFailed
}

// Over reports whether nothing of a run is left to do.
func (r *Run) Over() bool { return r.End != nil && !Waits(*r.End) }

// Last returns the newest attempt of a node, nil where there is none.
func (r *Run) Last(node string) *Visit {
	for i := range slices.Backward(r.Visits) {
		if r.Visits[i].Node == node {
			return &r.Visits[i]
		}
	}
	return nil
}

// Apply takes an event of the run itself.
func (r *Run) Apply(e core.Event) {
	r.Version++
	switch b := e.Body.(type) {
	case core.RunStart:
		if r.Began.IsZero() {
			r.ID, r.Thread, r.Parent, r.Runner, r.Prompt, r.Began = e.Run, e.Thread, e.Parent, b.Runner, Shorten(b.Prompt), e.Time
		}
		r.Since, r.End, r.Asks, r.Reply = e.Time, nil, nil, nil
	case core.NodeStart:
		b.Input = Shorten(b.Input)
		r.enter(Visit{NodeStart: b, Began: e.Time, End: core.NodeEnd{State: core.NodeRunning}})
	case core.NodeEnd:
		r.leave(e.Time, b)
	case core.EdgeTaken:
		edges := &r.Edges
		if v := r.Last(b.From); v != nil {
			edges = &v.Edges
		}
		if len(*edges) < maxEdges {
			*edges = append(*edges, b)
		}
	case core.ChainPaused:
		if len(r.Asks) < maxEdges {
			r.Asks = append(r.Asks, b.Pause)
		}
	case core.FinalOutput:
		r.Reply = &b.Reply
	case core.RunEnd:
		r.End = &b
		r.Spent += time.Duration(b.MS) * time.Millisecond
		r.close(e.Time)
	default:
		r.Version--
	}
}

// Cut ends a run of which no end is told and that nobody works on any more.
func (r *Run) Cut() {
	if r.End == nil {
		r.Apply(core.Event{Time: r.Since, Body: core.RunEnd{Outcome: "interrupted", Code: core.CodeStopped}})
	}
}

// close ends the attempts that a run left open.
func (r *Run) close(at time.Time) {
	for _, v := range r.Visits {
		if v.End.State == core.NodeRunning {
			r.leave(at, core.NodeEnd{Chain: v.Chain, Node: v.Node, Visit: v.Visit, Attempt: v.Attempt, State: core.NodeCancelled})
		}
	}
}

// enter adds an attempt, or begins one anew that is there already, and returns
// where it is.
func (r *Run) enter(v Visit) int {
	i := r.find(v.Node, v.Visit, v.Attempt)
	if i >= 0 {
		r.Visits[i] = v
		return i
	}
	if last := r.Last(v.Node); last == nil || last.Visit < v.Visit {
		r.Begun++
	}
	n := len(r.Visits)
	v.Beside = v.Beside || n > 0 && r.Visits[n-1].End.State == core.NodeRunning
	r.Visits = append(r.Visits, v)
	r.trim()
	return len(r.Visits) - 1
}

func (r *Run) leave(at time.Time, b core.NodeEnd) {
	b.Data, b.Thought, b.Message, b.Error = Shorten(b.Data), Shorten(b.Thought), Shorten(b.Message), Shorten(b.Error)
	i := r.find(b.Node, b.Visit, b.Attempt)
	if i < 0 { // it began before what is kept
		i = r.enter(Visit{NodeStart: core.NodeStart{Chain: b.Chain, Node: b.Node, Visit: b.Visit, Attempt: b.Attempt}, Began: at})
	}
	v := &r.Visits[i]
	if b.MS == 0 {
		b.MS = max(at.Sub(v.Began).Milliseconds(), 0)
	}
	v.End, v.Ended = b, r.Version
	r.trim()
}

func (r *Run) find(node string, n, attempt int) int {
	return slices.IndexFunc(r.Visits, func(v Visit) bool { return v.Node == node && v.Visit == n && v.Attempt == attempt })
}

// trim forgets what is too much: the oldest attempt, but the newest of a node
// last, and the texts of the oldest.
func (r *Run) trim() {
	if len(r.Visits) > MaxVisits {
		i := slices.IndexFunc(r.Visits, func(v Visit) bool {
			last := r.Last(v.Node)
			return last.Visit != v.Visit || last.Attempt != v.Attempt
		})
		r.Visits = slices.Delete(r.Visits, max(i, 0), max(i, 0)+1)
	}
	room := maxText
	for i := range slices.Backward(r.Visits) {
		v := &r.Visits[i]
		if room -= len(v.Input) + len(v.End.Data) + len(v.End.Thought) + len(v.End.Message) + len(v.End.Error); room < 0 {
			v.Input, v.End.Data, v.End.Thought, v.End.Message, v.End.Error = nil, nil, "", "", ""
		}
	}
}

// Shorten bounds what is kept of a text.
func Shorten[T ~string | ~[]byte](s T) T {
	if len(s) <= maxField {
		return s
	}
	return T(strings.ToValidUTF8(string(s[:maxField]), "") + "…")
}

// Join takes what stored events tell of the same run, which began before the
// events that r took.
func (r *Run) Join(stored *Run) {
	live := *r
	r.Visits, r.Edges, r.Begun, r.Began = slices.Clone(stored.Visits), stored.Edges, stored.Begun, stored.Began
	r.Version += stored.Version
	r.Spent += stored.Spent
	for _, v := range live.Visits {
		if i := r.find(v.Node, v.Visit, v.Attempt); i >= 0 && r.Visits[i].End.State != core.NodeRunning && v.End.State == core.NodeRunning {
			continue // the store is ahead
		}
		v.Ended += stored.Version
		r.enter(v)
	}
	if r.End == nil && len(live.Visits) == 0 {
		r.End, r.Asks = stored.End, stored.Asks
	}
}
