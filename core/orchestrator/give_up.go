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
		return core.Fail(core.CodeConflict, "this run has ended", runs+" lists those that have not")
	case core.RunRunning:
		return core.Fail(core.CodeBusy, "this run is being worked on", "press esc in its window")
	}
	begun := sink.Emit(scopeOf(run), core.RunStart{Runner: run.Runner, Resumed: true})
	return end(ctx, j, sink, run, core.RunEnd{Error: "given up", Hint: "yaap chain resume " + run.ID + " takes it up again"}, core.EventRow{Event: &begun})
}

func scopeOf(run core.RunRow) core.Scope {
	return core.Scope{Thread: run.Thread, Run: run.ID, Parent: run.Parent, Trace: run.ID, Depth: run.Depth}
}

// end stores that a run was cancelled, and how that is told.
func end(ctx context.Context, j core.Journal, sink core.Sink, run core.RunRow, told core.RunEnd, before ...core.Row) error {
	run.State, run.Code, run.Time = core.RunFailed, core.CodeCancelled, time.Now()
	told.Outcome, told.Code = "error", core.CodeCancelled
	ended := sink.Emit(scopeOf(run), told)
	return j.Put(ctx, append(append(before, run), core.EventRow{Event: &ended})...)
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
		if err == nil { // it does not begin again: what answers the prompt is another run
			err = end(ctx, o.cfg.Journal, o.cfg.Sink, saved.Run, core.RunEnd{Error: "not answered: something else was asked"})
		}
		if err != nil {
			return nil, err
		}
	}
	return stay, nil
}
