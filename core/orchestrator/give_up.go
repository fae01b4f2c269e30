package orchestrator

import (
	"context"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// GiveUp ends a run that nobody works on. Like any end of a run it is reported and stored.
// runs is what the user types to see the runs that have not ended.
func GiveUp(ctx context.Context, j core.Journal, sink core.Sink, run core.RunRow, runs string) error {
	switch run.State {
	case core.RunCompleted, core.RunFailed:
		return &core.Error{Code: core.CodeConflict, Op: "orchestrator: give up", Message: "this run has ended", Hint: runs + " lists those that have not"}
	case core.RunRunning:
		return &core.Error{Code: core.CodeBusy, Op: "orchestrator: give up", Message: "this run is being worked on", Hint: "press esc in its window"}
	}
	scope := core.Scope{Thread: run.Thread, Run: run.ID, Parent: run.Parent, Trace: run.ID, Depth: run.Depth}
	run.State, run.Code, run.Time = core.RunFailed, core.CodeCancelled, time.Now()
	return j.Put(ctx, run,
		core.EventRow{Event: sink.Emit(scope, core.RunStart{Runner: run.Runner, Resumed: true})},
		core.EventRow{Event: sink.Emit(scope, core.RunEnd{
			Outcome: "error", Code: core.CodeCancelled, Error: "given up", Hint: "yaap chain resume " + run.ID + " takes it up again",
		})})
}

// lapse gives up the runs whose question lapses with a prompt that does not answer it, and
// returns the questions that stay.
func (o *Orchestrator) lapse(ctx context.Context, pauses []core.Pause, text string) ([]core.Pause, error) {
	var stay []core.Pause
	for _, p := range pauses {
		if !p.Lapses || p.Chosen(text) != nil || o.cfg.Sink == nil {
			stay = append(stay, p)
			continue
		}
		saved, err := o.cfg.Journal.Load(ctx, p.Root)
		if err == nil && saved.Run.State == core.RunRunning { // it is being answered in another window
			err = stillAnswered()
		}
		if err == nil {
			err = GiveUp(ctx, o.cfg.Journal, o.cfg.Sink, saved.Run, "/chain runs")
		}
		if err != nil {
			return nil, err
		}
	}
	return stay, nil
}
