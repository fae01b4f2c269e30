package orchestrator

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// goOn asks for the rest of an answer of which the beginning is there.
const goOn = "Go on exactly where your last answer was cut off."

// Continue goes on with the last question of a conversation where its run was
// cut off, cancelled, or ran out of turns: it is given as many turns again, and
// finished calls are not made again. The rest of an answer that reached the limit of its
// model is asked for in a run of its own. It blocks like [Orchestrator.Prompt]. Its
// own errors, before anything runs, are [core.CodeNotFound] where nothing is
// left to do and [core.CodeBusy] while the conversation is being answered.
func (o *Orchestrator) Continue(ctx context.Context, thread string) (core.Result, error) {
	begin, stop := context.WithTimeout(context.WithoutCancel(ctx), beginTime)
	defer stop()
	messages, err := o.cfg.Conversations.Messages(begin, thread)
	if err != nil {
		return core.Result{}, err
	}
	if len(messages) == 0 {
		return core.Result{}, core.Fail(core.CodeNotFound, "nothing was asked in this conversation yet", "ask something")
	}
	if reply := messages[len(messages)-1].Reply; reply != nil && reply.CutOff() {
		return o.Prompt(ctx, core.Scope{Thread: thread}, goOn)
	}
	last := messages[len(messages)-1].Run
	if saved, err := o.cfg.Journal.Load(begin, last); err == nil && saved.Run.Thread != "" && saved.Run.Thread != thread {
		return core.Result{}, core.Fail(core.CodeNotFound, "nothing was asked yet since this conversation went on from another one", "ask something")
	}
	return o.resume(ctx, last)
}

// resume goes on with a run. Its runner is the one that began it. The rows are
// stored with the claim of the run, or not at all.
func (o *Orchestrator) resume(ctx context.Context, run string, rows ...core.Row) (core.Result, error) {
	begin, stop := context.WithTimeout(context.WithoutCancel(ctx), beginTime)
	defer stop()
	saved, err := o.cfg.Journal.Load(begin, run)
	if err != nil {
		return core.Result{}, err
	}
	row := saved.Run
	if row.ID == "" || row.State == core.RunCompleted {
		return core.Result{}, core.Fail(core.CodeNotFound, "the last question has been answered: there is nothing to go on with", "ask the next one")
	}
	steer, ok := o.expect(row.Thread)
	if !ok {
		return core.Result{}, stillAnswered()
	}
	defer o.forget(row.Thread, steer)
	row.State, row.Time = core.RunRunning, time.Now()
	if err := o.cfg.Journal.Put(begin, append(rows, row)...); err != nil {
		return core.Result{}, err
	}
	runner, messages, err := o.prepare(begin, row.Runner, row.Thread)
	if err != nil {
		row.State, row.Time = core.RunInterrupted, time.Now()
		return core.Result{}, errors.Join(err, o.cfg.Journal.Put(begin, row))
	}
	result, err := runner.Run(ctx, o.input(core.Scope{Thread: row.Thread, Run: row.ID, Depth: row.Depth}, messages, steer))
	return o.inOrder(ctx, result, err)
}

// inOrder puts the questions that a run waits with in the order in which they
// are answered, whichever its runner asked last: nobody shall allow one thing
// who was asked about another.
func (o *Orchestrator) inOrder(ctx context.Context, result core.Result, err error) (core.Result, error) {
	if len(result.Pauses) < 2 {
		return result, err
	}
	open, failed := o.cfg.Conversations.Pauses(context.WithoutCancel(ctx), result.Pauses[0].Thread)
	if failed != nil {
		return result, errors.Join(err, failed)
	}
	place := func(p core.Pause) int {
		return slices.IndexFunc(open, func(other core.Pause) bool { return other.ID == p.ID })
	}
	result.Pauses = slices.SortedStableFunc(slices.Values(result.Pauses), func(a, b core.Pause) int { return cmp.Compare(place(a), place(b)) })
	if first := result.Pauses[0]; result.Reply.Data["pause"] != first.ID {
		result.Reply.Message, result.Reply.Data = first.Question, map[string]any{"pause": first.ID}
	}
	return result, err
}

func stillAnswered() error {
	return core.Fail(core.CodeBusy, "this conversation is still being answered", "wait for the answer, or stop it first")
}
