package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/room"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/tui"
)

// printQuestions prints what a run waits with.
func (p *program) printQuestions(pauses []core.Pause) (err error) {
	for _, pause := range pauses {
		text := cmp.Or(safe.Line(pause.NotCalled()), safe.Text(pause.Question))
		err = errors.Join(err, p.writeAnswer(text))
	}
	return err
}

// tellHowToGoOn says what the user may type when a run of a chain has failed: where it can
// be continued by its id, for another run may be the last one by then.
func (p *program) tellHowToGoOn(hint, run string) {
	if how, resumes := strings.CutPrefix(hint, "/continue "); resumes {
		hint = "it " + how + " with: /chain resume " + run
	}
	say(p.stderr, safe.Text("! "+p.atShell(hint)))
}

// tellHowToAnswer says what the user may type when a run waits, or has asked back with a
// choice.
func (p *program) tellHowToAnswer(cfg config.Config, result core.Result) {
	pauses := result.Pauses
	if len(pauses) == 0 {
		if len(tui.Choices(result.Reply)) > 0 && !cfg.Ephemeral.V && !p.options.quiet && !p.options.lines {
			say(p.stderr, safe.Line("answer it with: yaap run -c "+core.AnswerWord+p.roomFlags()))
		}
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
	if flags := p.roomFlags(); room.Clean(p.masking, flags) != flags {
		say(p.stderr, "put the secrets back that are not shown in what you type")
	}
}
