package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"yaap/core"
	"yaap/core/config"
	"yaap/core/safe"
)

func (p *program) chainAnswer() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "answer RUN[:QUESTION] ANSWER", Short: "Answer what a run asks, and go on with it",
		Long: "Answer what a run asks, and go on with it. A run that asks one thing needs no QUESTION;\n" +
			"yaap chain runs shows those of one that asks several. ANSWER is what you say, or the\n" +
			"number of an option.",
		Args: misuse(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, question, _ := strings.Cut(args[0], ":")
			return p.onRun(cmd.Context(), id, asJSON, func(ctx context.Context, a *app, run core.RunRow) (core.Result, error) {
				return a.answerRun(ctx, run, question, args[1])
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print every event as one line of JSON; the last is run_end")
	return cmd
}

// answerRun answers a question of a run, or the only one that it asks, and goes
// on with it.
func (a *app) answerRun(ctx context.Context, run core.RunRow, question, text string) (core.Result, error) {
	pause, err := a.chat.Question(ctx, run, question)
	if err != nil {
		return core.Result{}, err
	}
	if strings.TrimSpace(text) == core.AnswerWord {
		return core.Result{}, usageHint(errors.New("put your answer in the place of "+core.AnswerWord), "it is asked: "+safe.Line(pause.Question))
	}
	return a.chat.Answer(ctx, core.Answer{Pause: pause.ID, Text: text})
}

// printQuestions prints what a run waits with.
func (p *program) printQuestions(pauses []core.Pause) (err error) {
	for _, pause := range pauses {
		text := safe.Line(pause.NotCalled())
		if text == "" {
			text = safe.Text(pause.Question)
		}
		err = errors.Join(err, p.write(text))
	}
	return err
}

// tellHowToAnswer says what the user may type when a run waits.
func (p *program) tellHowToAnswer(cfg config.Config, pauses []core.Pause) {
	if len(pauses) == 0 {
		return
	}
	if cfg.Ephemeral.V {
		say(p.stderr, "it cannot be answered any more, as nothing is kept ("+safe.Line(cfg.Ephemeral.From)+"); ask in the chat instead")
		return
	}
	var tools []string
	for _, pause := range pauses {
		if len(pauses) > 1 {
			say(p.stderr, safe.Line(pause.Question))
		}
		for i, option := range pause.Options {
			say(p.stderr, fmt.Sprintf("  %d  %s", i+1, safe.Line(option.Label)))
		}
		say(p.stderr, safe.Text("it is kept and waits for you: "+p.atShell(pause.Line())))
		if pause.Kind == core.PauseApproval && !slices.Contains(tools, pause.Call.Tool) {
			tools = append(tools, pause.Call.Tool)
		}
	}
	for _, tool := range tools {
		say(p.stderr, safe.Line("or ask again with --allow "+tool))
	}
	if flags := p.roomFlags(); clean(p.masking, flags) != flags {
		say(p.stderr, "put the secrets back that are not shown in what you type")
	}
}
