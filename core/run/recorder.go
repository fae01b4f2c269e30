// Package run is the frame of every run, of an agent or of a chain: it loads
// what is there, reports, keeps what waits for the next step, takes it to disk,
// and ends the run.
package run

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/yaap-chat/yaap/core"
)

// Cleanup is how long a run has to store its result, a cancelled one too.
const Cleanup = 5 * time.Second

const rowsOfStep = 16 // that it has about: the events, messages and the state

// NewID returns an id that sorts by time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// Recorder writes the steps and the events of a run to the journal. Emit, Report, Queue,
// QueueMessage, QueueAudit, Step and Put may be called from several goroutines; the other
// methods belong to the one that conducts the run.
type Recorder struct {
	Scope   core.Scope
	Runner  string // agent/NAME, chain/NAME or expert/NAME
	Journal core.Journal
	Sink    core.Sink
	Now     func() time.Time

	start time.Time
	step  int

	mu      sync.Mutex
	pending []core.Row
	events  []core.Event // to the last of which pending points
	due     bool         // there is more than events
}

// Open returns what is stored of the run and reports that it starts, unless it
// has its answer already. One that cannot be loaded is reported too.
func (f *Recorder) Open(ctx context.Context, asked core.Message) (core.Saved, error) {
	f.start = f.Now()
	start := core.RunStart{Runner: f.Runner, Prompt: core.Reattached(asked.Text), Files: asked.Files} // what the user wrote
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), Cleanup)
	defer stop()
	saved, err := f.Journal.Load(ctx, f.Scope.Run)
	if err != nil {
		f.Report(f.Scope, start)
		return saved, err
	}
	f.step = saved.Last().Step
	if _, ended := saved.Final(); !ended {
		start.Runner, start.Resumed = cmp.Or(saved.Run.Runner, f.Runner), len(saved.Steps) > 0
		f.Emit(f.Scope, start)
	}
	return saved, nil
}

// Emit reports an event and keeps it for the next step. One to which the sink gives no
// number is not kept.
func (f *Recorder) Emit(scope core.Scope, b core.Body) {
	e := f.Sink.Emit(scope, b)
	if e.Seq == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.events) == cap(f.events) {
		f.events = make([]core.Event, 0, rowsOfStep)
	}
	f.events = append(f.events, e)
	f.hold(core.EventRow{Event: &f.events[len(f.events)-1]})
}

// hold keeps rows for the next step; f.mu is held.
func (f *Recorder) hold(rows ...core.Row) {
	if f.pending == nil {
		f.pending = make([]core.Row, 0, rowsOfStep)
	}
	f.pending = append(f.pending, rows...)
}

// Report reports an event that is not stored.
func (f *Recorder) Report(scope core.Scope, b core.Body) { f.Sink.Emit(scope, b) }

// Queue holds rows for the next step.
func (f *Recorder) Queue(rows ...core.Row) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hold(rows...)
	f.due = true
}

// QueueMessage holds a message of the run for the next step.
func (f *Recorder) QueueMessage(m core.Message) {
	f.Queue(core.MessageRow{Thread: f.Scope.Thread, Message: m})
}

// QueueAudit holds a reply for the audit log; what all rows of a run share is filled in.
func (f *Recorder) QueueAudit(row core.AuditRow) {
	if row.Time.IsZero() {
		row.Time = f.Now()
	}
	row.ID, row.Thread, row.Run, row.Trace = cmp.Or(row.ID, NewID()), f.Scope.Thread, f.Scope.Run, f.Scope.Trace
	row.MS = f.ms()
	f.Queue(row)
}

// Step returns the row of a step: what it adds to the state of the run.
func (f *Recorder) Step(state any) (core.Checkpoint, error) {
	raw, err := json.Marshal(state)
	if err != nil {
		return core.Checkpoint{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.step++
	return core.Checkpoint{Run: f.Scope.Run, Step: f.step, State: raw, Time: f.Now()}, nil
}

// IsDue reports whether more than events waits.
func (f *Recorder) IsDue() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.due
}

// Put takes what waits and more to disk and returns when it is there. A cancel
// does not cut it off half-way: what has happened is stored, and then the run ends.
func (f *Recorder) Put(ctx context.Context, more ...core.Row) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), Cleanup)
	defer stop()
	f.mu.Lock()
	rows := append(f.pending, more...)
	f.pending, f.due = nil, false
	f.mu.Unlock()
	if len(rows) == 0 {
		return nil
	}
	return f.Journal.Put(ctx, rows...)
}

// Ending is how the run ended: with a reply of this status, or with cause.
func (f *Recorder) Ending(result core.Result, cause error) core.RunEnd {
	end := core.RunEnd{Outcome: "completed", Status: result.Reply.Status, Turns: result.Turns, Usage: result.Usage, MS: f.ms()}
	if cause == nil {
		return end
	}
	end.Outcome, end.Code, end.Error, end.Hint = "error", core.CodeOf(cause), cause.Error(), core.HintOf(cause)
	switch end.Code {
	case core.CodeTurnLimit, core.CodeMaxTurns, core.CodeStopped:
		end.Outcome = "interrupted"
	}
	return end
}

// Store takes how the run ended to disk with what waits, and gives its claim up.
// [Recorder.Close] reports it then.
func (f *Recorder) Store(ctx context.Context, end core.RunEnd) error {
	row := f.Scope.RunRow(f.Runner, endState(end), f.Now())
	row.Code = end.Code
	err := f.Put(ctx, row)
	if err == nil {
		return nil
	}
	row.State = core.RunFailed
	_ = f.Put(ctx, row) // at least the claim is given up
	return err
}

// Close reports how the run ended. failed is what Store returned: it counts more
// than the result of the run, unless that was an error too.
func (f *Recorder) Close(ctx context.Context, end core.RunEnd, failed error) {
	if failed != nil && end.Outcome != "error" {
		end = f.Ending(core.Result{Turns: end.Turns, Usage: end.Usage}, failed)
	}
	f.Emit(f.Scope, end)
	_ = f.Put(ctx) // only events: the result of the run is on disk
}

// Abort is Store and Close after a cancel: the user is told first and the disk
// second.
func (f *Recorder) Abort(ctx context.Context, end core.RunEnd) error {
	f.Emit(f.Scope, end)
	return f.Store(ctx, end)
}

func endState(end core.RunEnd) core.RunState {
	switch end.Outcome {
	case "completed":
		return core.RunCompleted
	case "interrupted":
		return core.RunInterrupted
	}
	return core.RunFailed
}

func (f *Recorder) ms() int64 { return f.Now().Sub(f.start).Milliseconds() }
