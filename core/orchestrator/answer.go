package orchestrator

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"yaap/core"
)

// Answer answers a question that a run waits with, and goes on with the run:
// it blocks like Prompt. text is one of the options, by id, label or number,
// where there are options. The first answer wins: a later one fails with
// [core.CodeConflict].
func (o *Orchestrator) Answer(ctx context.Context, p core.Pause, text string) (core.Result, error) {
	return o.answer(ctx, p, text)
}

func (o *Orchestrator) answer(ctx context.Context, p core.Pause, text string) (core.Result, error) {
	if err := check(text); err != nil {
		return core.Result{}, err
	}
	a := core.Answer{Pause: p.ID, Text: strings.TrimSpace(text), By: "user", Time: time.Now()}
	if err := choose(p, &a); err != nil {
		return core.Result{}, err
	}
	begin, stop := context.WithTimeout(context.WithoutCancel(ctx), beginTime)
	defer stop()
	err := o.cfg.Journal.Put(begin, a, core.MessageRow{Thread: p.Thread, Message: core.Message{
		ID: uuid.Must(uuid.NewV7()).String(), Run: p.Root, Role: core.RoleUser, Text: text, Time: a.Time,
	}})
	if err != nil {
		return core.Result{}, err
	}
	return o.resume(ctx, p.Root)
}

// choose finds the option that an answer means.
func choose(p core.Pause, a *core.Answer) error {
	if len(p.Options) == 0 {
		return nil
	}
	var labels []string
	for i, option := range p.Options {
		if strings.EqualFold(a.Text, option.ID) || strings.EqualFold(a.Text, option.Label) || a.Text == fmt.Sprint(i+1) {
			a.ID, a.Text = option.ID, option.Label
			return nil
		}
		labels = append(labels, option.Label)
	}
	return &core.Error{
		Code: core.CodeInvalid, Op: "orchestrator: answer", Message: fmt.Sprintf("%q is not one of the answers to: %s", a.Text, p.Question),
		Hint: "answer with one of: " + strings.Join(labels, ", ") + "; /chain cancel gives the run up",
	}
}

// Waiting returns the questions that wait for the user in a conversation.
func (o *Orchestrator) Waiting(ctx context.Context, thread string) ([]core.Pause, error) {
	return o.cfg.Conversations.Pauses(ctx, thread)
}

// Resume goes on with a run by its id. It blocks like Prompt, and fails like
// Continue.
func (o *Orchestrator) Resume(ctx context.Context, run string) (core.Result, error) {
	return o.resume(ctx, run)
}
