// Package runlog folds the events of runs into what the runs have done. The live
// events of a run and its stored ones come to the same: deltas and progress, which
// are not stored, change nothing here. All texts are as they came.
package runlog

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
)

const (
	maxCalls   = 200      // of a turn
	maxTurns   = 500      // of a run, its newest
	maxNotes   = 50       // of a turn
	maxBelow   = 400      // runs right below one
	maxAsks    = 200      // approvals of a run
	maxOptions = 20       // of a question
	maxField   = 16 << 10 // bytes of an input, a thought, data or a message of a node
)

// Run is one run. Its zero value but for the ID is one that has not begun.
type Run struct {
	ID, Parent, Node      string // Node: of the chain that started it
	Runner, Agent, Prompt string
	Began                 time.Time
	Since                 time.Time     // it was resumed last
	Spent                 time.Duration // without the time in which it waited
	Plan                  core.AgentProcessing
	Has                   string  // the agent that has it after a handoff
	Turns                 []*Turn // in order
	Path                          // of a chain
	Todo                  []core.TodoItem
	Asks                  []Ask // also of the runs below a root run
	Options               []core.Option
	Final                 *core.FinalOutput
	End                   *core.RunEnd // nil while it runs
	Below                 []*Run       // the runs that it started
	Version               int          // rises with every change
}

// Turn is one turn of a run.
type Turn struct {
	N       int
	Model   string // the last that was asked; empty: none was
	Tools   int    // it was offered
	Tokens  int
	Thought string
	Said    string // beside calls
	Cut     string // what had come of an answer when the request failed
	Calls   []*Call
	Bids    []core.BidsMade
	Notes   []Note
}

// Call is one use of a tool.
type Call struct {
	ID, Tool, Expert string
	Args             json.RawMessage
	Began            time.Time
	Again            bool              // it was made before, and it is not known whether it was answered
	Waits            bool              // until the user allows it
	End              *core.ToolCallEnd // nil while it runs
}

// Note is an event that is told in a line of its own.
type Note struct {
	Event core.Event
	First bool // it came before the calls of its turn
}

// Ask is something that a run waits with until the user allows it.
type Ask struct {
	Pause, Run, Call string
	Tool, Expert     string
	Over             bool
}

// Chain is the name of the chain that is run; ok is false for any other run.
func (r *Run) Chain() (name string, ok bool) {
	if name, ok = strings.CutPrefix(r.Runner, "chain/"); !ok {
		return "", false
	}
	return name, true
}

// Apply takes an event of the run itself. It reports false for one that tells
// nothing.
func (r *Run) Apply(e core.Event) bool {
	switch b := e.Body.(type) {
	case core.RunStart:
		r.begin(e, b)
	case core.AgentProcessing:
		r.Plan = b
	case core.TurnStart:
		r.turn(e.Turn)
	case core.LLMCallStart:
		t := r.turn(e.Turn)
		t.Model, t.Tools, t.Tokens, t.Thought, t.Cut = b.Model, b.Tools, 0, "", ""
		r.Plan.Model = b.Model
	case core.LLMCallEnd:
		t := r.turn(e.Turn)
		t.Tokens += b.Usage.Total()
		if b.Error != "" {
			t.Thought, t.Cut = b.Thought, b.Text
		}
	case core.BidsMade:
		t := r.turn(e.Turn)
		t.Bids = append(t.Bids, b)
	case core.AssistantMessage:
		if b.Calls > 0 {
			r.turn(e.Turn).Said = b.Text
		}
	case core.ToolRequests:
		for _, c := range b.Calls {
			r.call(e, c.ID, c.Tool, "", c.Args)
		}
	case core.GuardrailViolation:
		if b.Stage != core.GuardOutput {
			return false
		}
		t := r.turn(e.Turn)
		t.Thought, t.Cut = "", ""
	case core.Handoff:
		r.Has = b.To
	case core.TodoChanged:
		r.Todo = b.Items
	case core.ClarificationRequested:
		r.offer(b.Options)
	case core.FinalOutput:
		r.Final = &b
		r.offer(b.Reply.Options())
		r.conclude(e.Turn, b.Reply.Thought)
	case core.RunEnd:
		r.End = &b
		r.Spent += time.Duration(b.MS) * time.Millisecond
	default:
		if !r.applyCall(e) && !r.applyNode(e) {
			return false
		}
	}
	r.Version++
	return true
}

func (r *Run) begin(e core.Event, b core.RunStart) {
	if r.Began.IsZero() {
		r.Began, r.Prompt = e.Time, b.Prompt
	}
	r.ID, r.Parent, r.Node = e.Run, e.Parent, e.Node
	r.Runner, r.Agent, r.Since = b.Runner, e.Agent, e.Time
	r.End, r.Final, r.Options, r.Pause = nil, nil, nil, nil
}

// applyCall takes what is told of one call.
func (r *Run) applyCall(e core.Event) bool {
	switch b := e.Body.(type) {
	case core.BeforeToolExecution:
		r.call(e, b.Call, b.Tool, b.Expert, b.Args)
	case core.ToolCallStart:
		c := r.call(e, b.Call, b.Tool, b.Expert, b.Args)
		c.Began, c.End, c.Waits, c.Again = e.Time, nil, false, c.Again || b.Again
	case core.ToolCallEnd:
		c := r.call(e, b.Call, b.Tool, b.Expert, nil)
		c.End, c.Waits = &b, b.Status == core.ToolWaiting
	default:
		return false
	}
	return true
}

// turn returns the turn of that number, which is begun when it is new.
func (r *Run) turn(n int) *Turn {
	i, found := slices.BinarySearchFunc(r.Turns, n, func(t *Turn, n int) int { return cmp.Compare(t.N, n) })
	if !found {
		r.Turns = slices.Insert(r.Turns, i, &Turn{N: n})
		if len(r.Turns) > maxTurns {
			r.Turns = slices.Delete(r.Turns, 0, 1)
			i = max(i-1, 0)
		}
	}
	return r.Turns[i]
}

// Last is the newest turn; it is never nil.
func (r *Run) Last() *Turn {
	if n := len(r.Turns); n > 0 {
		return r.Turns[n-1]
	}
	return new(Turn)
}

// call returns the call of that id, which is added when it is new.
func (r *Run) call(e core.Event, id, tool, expert string, args json.RawMessage) *Call {
	c := r.Call(id)
	if c == nil {
		c = &Call{ID: id, Began: e.Time}
		if t := r.turn(e.Turn); len(t.Calls) < maxCalls {
			t.Calls = append(t.Calls, c)
		}
	}
	c.Tool = tool
	c.Expert = cmp.Or(expert, c.Expert)
	if len(args) > 0 {
		c.Args = Shorten(args)
	}
	return c
}

// Call returns a call of the run by its id, nil where there is none.
func (r *Run) Call(id string) *Call {
	for _, t := range slices.Backward(r.Turns) {
		for _, c := range t.Calls {
			if c.ID == id {
				return c
			}
		}
	}
	return nil
}

// Calls are those of all turns.
func (r *Run) Calls() (all []*Call) {
	for _, t := range r.Turns {
		all = append(all, t.Calls...)
	}
	return all
}

// Find returns the run, or the one below it, of an id; nil where there is none.
func (r *Run) Find(id string) *Run {
	if r.ID == id {
		return r
	}
	for _, below := range r.Below {
		if found := below.Find(id); found != nil {
			return found
		}
	}
	return nil
}

// FindStarted returns the run that a call, or a visit of a node, has started.
func (r *Run) FindStarted(started func(*Run) bool) *Run {
	for _, below := range slices.Backward(r.Below) {
		if started(below) {
			return below
		}
	}
	return nil
}

// Called returns the run that a call has started, the last where it began anew.
func (r *Run) Called(c *Call) *Run {
	return r.FindStarted(func(below *Run) bool { return strings.TrimRight(below.ID, "+") == r.ID+"/"+c.ID })
}

// conclude takes the thought of the reply. One that an earlier turn streamed is
// not told twice; without one, what was streamed led to the reply.
func (r *Run) conclude(turn int, thought string) {
	last := r.turn(turn)
	if strings.TrimSpace(thought) == "" {
		return
	}
	last.Thought = ""
	for _, t := range r.Turns {
		if said := strings.TrimSpace(t.Thought); said != "" && strings.Contains(thought, said) {
			t.Thought = thought
			return
		}
	}
	last.Thought = thought
}

func (r *Run) offer(options []core.Option) {
	if len(options) > 0 {
		r.Options = options[:min(len(options), maxOptions)]
	}
}

// State is how far the run is.
func (r *Run) State() core.NodeState {
	switch end := r.End; {
	case end == nil:
		return core.NodeRunning
	case Waits(*end):
		return core.NodePaused
	case end.Outcome == "completed" && end.Status == core.StatusFailure:
		return core.NodeFailed
	case end.Outcome == "completed":
		return core.NodeCompleted
	case end.Outcome == "interrupted", end.Code == core.CodeCancelled, end.Code == core.CodeStopped:
		return core.NodeCancelled
	}
	return core.NodeFailed
}

// Over reports whether nothing of the run is left to do.
func (r *Run) Over() bool { return r.End != nil && !Waits(*r.End) }

// Waits reports whether a run ended because it waits for the user. One that was
// cut off tells why.
func Waits(end core.RunEnd) bool {
	return end.Outcome == "interrupted" && (end.Status == core.StatusClarification || end.Code == "")
}

// AsksBack reports whether the reply is a question.
func (r *Run) AsksBack() bool {
	return r.Final != nil && r.Final.Reply.Status == core.StatusClarification
}

// WaitsForApproval reports whether the run waits until the user allows something.
func (r *Run) WaitsForApproval() bool {
	return slices.ContainsFunc(r.Asks, func(a Ask) bool { return !a.Over })
}

// FindAsk returns what was asked with a pause, nil where nothing was.
func (r *Run) FindAsk(pause string) *Ask {
	for i := range r.Asks {
		if r.Asks[i].Pause == pause {
			return &r.Asks[i]
		}
	}
	return nil
}

// Wait notes that the run waits until the user allows something. What was read
// as cut off waits.
func (r *Run) Wait(a Ask) {
	if r.FindAsk(a.Pause) != nil || len(r.Asks) >= maxAsks {
		return
	}
	r.Asks = append(r.Asks, a)
	if asks := r.Find(a.Run); asks != nil {
		if c := asks.Call(a.Call); c != nil && (c.End == nil || c.End.Status != core.ToolSuccess) {
			c.Waits = true
		}
	}
	if r.End != nil && r.End.Outcome == "interrupted" {
		end := *r.End
		end.Code, end.Error, end.Hint = "", "", ""
		r.End = &end
	}
	r.Version++
}

// Shorten bounds what is kept of a text.
func Shorten[T ~string | ~[]byte](s T) T {
	if len(s) <= maxField {
		return s
	}
	return T(strings.ToValidUTF8(string(s[:maxField]), "") + "…")
}
