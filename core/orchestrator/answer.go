package orchestrator

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/schema"
)

// Answer answers a question. Where a run waits with it, that goes on: Answer
// blocks like Prompt. Where Ask waits with it, Answer is [Orchestrator.Decide].
// Where there are options, a.ID or a.Text is one of them: its id, label or
// number. Where the question has a schema, a.Text must fit it. Where it is
// whether something may be called, a.Data is what it is called with instead.
// The first answer wins: a later one fails with [core.CodeConflict], or with
// [core.CodeNotFound] when nobody waits any more. One that could not be carried
// out now, as an expert is away, fails with [core.CodeNotFound], too: the question
// stays open.
func (o *Orchestrator) Answer(ctx context.Context, a core.Answer) (core.Result, error) {
	if err := o.Decide(a); core.CodeOf(err) != core.CodeNotFound {
		return core.Result{}, err
	}
	p, err := o.cfg.Conversations.Pause(ctx, a.Pause)
	if core.CodeOf(err) == core.CodeNotFound {
		err = nobodyWaits()
	}
	if err != nil {
		return core.Result{}, err
	}
	return o.answer(ctx, p, a)
}

func (o *Orchestrator) answer(ctx context.Context, p core.Pause, said core.Answer) (core.Result, error) {
	if err := o.waits(ctx, p); err != nil {
		return core.Result{}, err
	}
	text, err := o.taken(p.Thread, cmp.Or(said.ID, said.Text))
	if err != nil {
		return core.Result{}, err
	}
	a := core.Answer{Pause: p.ID, Text: strings.TrimSpace(text), By: cmp.Or(said.By, "user"), Time: time.Now()}
	if p.Kind == core.PauseApproval {
		if a.Data, err = o.takenArgs(p.Thread, said.Data); err != nil {
			return core.Result{}, err
		}
	}
	if err := choose(p, &a); err != nil {
		return core.Result{}, err
	}
	if err := fit(p, &a); err != nil {
		return core.Result{}, err
	}
	if o.cfg.Ready != nil {
		if err := o.cfg.Ready(ctx, p, a); err != nil {
			return core.Result{}, core.Fail(core.CodeNotFound, "the answer was not taken, and the question is still open", core.HintOf(err)).Because(err)
		}
	}
	rows := []core.Row{a}             // with the claim of the run, so that an answer that nobody takes up is not stored
	if p.Kind != core.PauseApproval { // which is a decision about a call, and nothing that was said
		rows = append(rows, core.MessageRow{Thread: p.Thread, Message: core.Message{
			ID: uuid.Must(uuid.NewV7()).String(), Run: p.Root, Role: core.RoleUser, Text: text, Time: a.Time,
		}})
	}
	return o.resume(ctx, p.Root, rows...)
}

// Question returns the open question of a run that id names, the end of its
// [core.Pause.Ref] behind the colon; without an id the only one that is open. It
// fails with [core.CodeNotFound] where there is none, with [core.CodeBusy] while the
// run goes on, and with [core.CodeInvalid] where there are several: the hint then
// has a line to type for each.
func (o *Orchestrator) Question(ctx context.Context, run core.RunRow, id string) (core.Pause, error) {
	open, err := o.Waiting(ctx, run.Thread)
	if err != nil {
		return core.Pause{}, err
	}
	open = slices.DeleteFunc(open, func(p core.Pause) bool { return p.Root != run.ID })
	switch {
	case run.State == core.RunRunning:
		return core.Pause{}, stillAnswered()
	case id == "" && len(open) > 0:
		return only(open)
	}
	named := slices.DeleteFunc(slices.Clone(open), func(p core.Pause) bool { return p.Ref() != run.ID+":"+id })
	if len(named) == 1 {
		return named[0], nil
	}
	gone := core.Fail(core.CodeNotFound, "this run asks nothing", "yaap chain runs shows what waits")
	if id != "" {
		gone.Message = "this question is not open: it was answered, or its run was given up"
	}
	if len(open) > 0 {
		gone.Hint = "what this run asks now is answered with\n" + lines(open)
	}
	return core.Pause{}, gone
}

// only returns the only one of the questions that are open.
func only(open []core.Pause) (core.Pause, error) {
	if len(open) == 1 {
		return open[0], nil
	}
	return core.Pause{}, core.Fail(core.CodeInvalid, fmt.Sprintf("it is not said which of %d questions is answered", len(open)),
		"name it, with your answer in the place of "+core.AnswerWord+"\n"+lines(open))
}

// lines tells of each question how it is answered.
func lines(open []core.Pause) string {
	var b strings.Builder
	for _, p := range open {
		b.WriteString(safe.Line(p.Question))
		for i, option := range p.Options {
			fmt.Fprintf(&b, ", %d %s", i+1, safe.Line(option.Label))
		}
		b.WriteString("\n  " + p.Line() + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// waits fails where nobody waits with a question any more, or not yet again:
// another window may have answered it, or another question of its run.
func (o *Orchestrator) waits(ctx context.Context, p core.Pause) error {
	open, err := o.cfg.Conversations.Pauses(ctx, p.Thread)
	if err != nil || slices.ContainsFunc(open, func(other core.Pause) bool { return other.ID == p.ID }) {
		return err
	}
	saved, err := o.cfg.Journal.Load(ctx, p.Root)
	if err != nil {
		return err
	}
	if saved.Run.State == core.RunRunning {
		return stillAnswered()
	}
	return core.Fail(core.CodeConflict, "this question has been answered, or its run was given up", "open the conversation again to see what came of it")
}

// choose finds the option that an answer means.
func choose(p core.Pause, a *core.Answer) error {
	if len(p.Options) == 0 {
		return nil
	}
	if option := p.Chosen(a.Text); option != nil {
		a.ID, a.Text = option.ID, option.Label
		return nil
	}
	labels := make([]string, len(p.Options))
	for i, option := range p.Options {
		labels[i] = option.Label
	}
	return core.Fail(core.CodeInvalid, fmt.Sprintf("%q is not one of the answers to: %s", a.Text, p.Question), "answer with one of: "+strings.Join(labels, ", ")+toGiveUp(p))
}

// fit reads an answer as the JSON that its question wants: what was typed, or
// that as a text.
func fit(p core.Pause, a *core.Answer) error {
	if len(p.Schema) == 0 {
		return nil
	}
	wanted, err := schema.Compile(p.Schema)
	if err != nil {
		return err
	}
	typed := json.RawMessage(a.Text)
	quoted, _ := json.Marshal(a.Text) // a string
	var issues []string
	for _, value := range []json.RawMessage{quoted, typed} {
		if !json.Valid(value) {
			continue
		}
		if issues = wanted.Check(value); len(issues) == 0 {
			a.Data = value
			return nil
		}
	}
	return core.Fail(core.CodeInvalid, fmt.Sprintf("%q does not answer: %s (%s)", a.Text, p.Question, strings.Join(issues, "; ")),
		"answer what fits, as JSON where it is more than a text"+toGiveUp(p))
}

// toGiveUp says how a run that waits is ended without an answer.
func toGiveUp(p core.Pause) string {
	if p.Root == "" {
		return ""
	}
	return "; /chain cancel gives the run up"
}

// Waiting returns the questions that wait for the user in a conversation.
func (o *Orchestrator) Waiting(ctx context.Context, thread string) ([]core.Pause, error) {
	return o.cfg.Conversations.Pauses(ctx, thread)
}

// Resume goes on with a run that was cut off or failed, by its id. It blocks like Prompt,
// and fails like Continue, and with [core.CodeNotFound] where who a call that waits to be
// allowed is for is not here: it would fail for good.
func (o *Orchestrator) Resume(ctx context.Context, run core.RunRow) (core.Result, error) {
	open, err := o.Waiting(ctx, run.Thread)
	if err != nil {
		return core.Result{}, err
	}
	for _, p := range open {
		if p.Root != run.ID || p.Kind != core.PauseApproval || o.cfg.Ready == nil {
			continue
		}
		if err := o.cfg.Ready(ctx, p, core.Answer{ID: core.AllowOnce}); err != nil {
			return core.Result{}, core.Fail(core.CodeNotFound, "the run still waits, and does not go on", core.HintOf(err)).Because(err)
		}
	}
	return o.resume(ctx, run.ID)
}
