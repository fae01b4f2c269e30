package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/room"
	"github.com/yaap-chat/yaap/core/runlog"
	"github.com/yaap-chat/yaap/core/sacp"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/text"
	"github.com/yaap-chat/yaap/tui"
	"github.com/yaap-chat/yaap/tui/markdown"
)

const hintRun = `type yaap run "what is 12% of 840?"`

// The forms in which an answer is printed.
const (
	asMarkdown = "markdown" // as it was written
	asText     = "text"     // without marks
	asEvents   = "json"
)

func (p *program) runCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "run [PROMPT]",
		Short: "Answer one prompt without the terminal",
		Long: "Answer one prompt: the answer goes to standard output, what happens meanwhile to\n" +
			"standard error. What is piped in is attached to the prompt, or is the prompt where none\n" +
			"is given; with -n it is left to others, such as the loop around it. yaap \"PROMPT\" is\n" +
			"the same in short.\n\n" + exitCodes,
		Example: "  yaap run \"what is 12% of 840?\"\n  git diff | yaap run -q \"review this\" >review.md\n  git ls-files | while read -r f; do yaap run -n \"what is in $f?\"; done",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageHint(fmt.Errorf("yaap run takes one prompt, in quotes; there are %d words", len(args)), hintRun)
			}
			if len(args) == 1 && strings.TrimSpace(args[0]) == "" {
				return usageHint(errors.New("there is no question"), hintRun)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if asJSON {
				p.options.output = asEvents
			}
			return p.runPrompt(cmd.Context(), strings.Join(args, ""))
		},
	}
	p.registerRun(cmd)
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usageHint(err, "type yaap run --help; a question that begins with a dash follows two: yaap run -- \"-5 + 3\"")
	})
	p.options.registerRoom(cmd.Flags())
	cmd.Flags().BoolVarP(&p.options.goOn, "continue", "c", false, "go on with the last conversation; without a PROMPT: with its answer that was cut off or ran out of turns")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the same as --output json")
	cmd.Flags().StringVar(&p.options.record, "record", "", "keep what happens, and all that models and experts say, in a new file for yaap replay: without secrets, for you alone (0600)")
	return cmd
}

// registerRun registers how a question is read and an answer printed.
func (p *program) registerRun(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&p.options.quiet, "quiet", "q", false, "print the answer and nothing of what happens meanwhile")
	cmd.Flags().BoolVarP(&p.options.alone, "no-input", "n", false, "leave standard input alone, as in a shell loop that reads it")
	cmd.Flags().StringVar(&p.options.output, "output", "", "the answer as markdown, as plain text, or every event as a line of json of which the last is run_end (default text in a terminal, else markdown)")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{asMarkdown, asText, asEvents}, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
}

// runPrompt answers what was typed and piped in.
func (p *program) runPrompt(ctx context.Context, prompt string) error {
	if !slices.Contains([]string{"", asMarkdown, asText, asEvents}, p.options.output) {
		return usageHint(fmt.Errorf("there is no output %q", p.options.output), "use --output "+asMarkdown+", "+asText+" or "+asEvents)
	}
	wait := idlePipe
	if prompt == "" && !p.options.goOn {
		wait = 0
	}
	piped, err := p.piped(ctx, wait)
	switch {
	case err != nil:
		return err
	case prompt == "":
		prompt = piped
	case piped != "":
		prompt = core.Attach(prompt, "standard input", piped)
		if !p.options.quiet {
			say(p.stderr, "· read with it: "+text.Count(strings.Count(piped, "\n")+1, "line", "lines")+" of standard input; -n leaves them to others")
		}
	}
	if prompt == "" {
		if !p.options.goOn {
			return usageHint(errors.New("yaap run takes one prompt, in quotes, or what is piped in"), hintRun)
		}
		if p.options.record != "" {
			return usageHint(errors.New("--record takes a question from its beginning"), hintRun)
		}
	}
	return p.run(ctx, func(ctx context.Context, r *room.Room, thread string) (core.Result, error) {
		if prompt == "" {
			return r.Continue(ctx, thread)
		}
		return r.Ask(ctx, thread, prompt)
	}, p.options.output == asEvents)
}

// run has one question answered. The code of the exit says how it went.
func (p *program) run(ctx context.Context, ask func(context.Context, *room.Room, string) (core.Result, error), asJSON bool) error {
	r, err := p.open(ctx)
	if err != nil {
		return err
	}
	watch := &watcher{p: p, feed: r.Feed(), awaited: awaited(r.Config), json: asJSON, done: make(chan struct{})}
	var result core.Result
	err = r.Run(ctx, func(ctx context.Context) error {
		thread, err := p.conversation(ctx, r)
		if err != nil {
			return err
		}
		watch.thread = thread.ID
		var watching sync.WaitGroup
		following, stop := context.WithCancel(context.WithoutCancel(ctx))
		watching.Go(func() { watch.follow(following) })
		if err = r.Settle(ctx); err == nil {
			result, err = ask(ctx, r, thread.ID)
		}
		if err != nil && !watch.ended() {
			stop() // there was no run, so there is no run_end to wait for
		}
		watching.Wait()
		stop()
		return errors.Join(err, watch.failed)
	})
	switch {
	case err != nil && result.Reply.Status == "":
		return err
	case !asJSON && len(result.Pauses) > 0:
		err = errors.Join(err, p.printQuestions(result.Pauses))
	case !asJSON:
		err = errors.Join(err, p.print(result.Reply))
	}
	if err != nil {
		p.complain(err)
		return exitStatus{exitCode(err)}
	}
	p.tellHowToAnswer(r.Config, result)
	return exitFor(result)
}

// exitFor is how the program ends after a result.
func exitFor(r core.Result) error {
	switch r.Reply.Status {
	case core.StatusFailure:
		return exitStatus{exitFailed}
	case core.StatusClarification:
		return exitStatus{exitClarification}
	}
	return nil
}

// print writes the answer, and below it what may be asked next. What a model said that could not be read is still
// what the user asked for.
func (p *program) print(r core.Reply) error {
	if raw, ok := r.Data["raw_output"].(string); ok && r.Status == core.StatusFailure {
		say(p.stderr, "! "+safe.Text(r.Message))
		return p.writeAnswer(safe.Text(raw))
	}
	if strings.TrimSpace(safe.Text(r.Message)) == "" {
		say(p.stderr, "! the answer has no message; --json tells what is in it")
	}
	lines := []string{safe.Text(r.Message)}
	if r.Status == core.StatusClarification { // it may say what to type
		lines[0] = p.atShell(lines[0])
	}
	lead := ""
	if p.options.lines {
		lead = "yaap: "
	}
	if rows, ok := p.asRows(lines[0], lead); ok {
		lines = rows
	}
	for _, choice := range tui.Choices(r) {
		lines = append(lines, "  "+choice)
	}
	return p.writeAnswer(strings.Join(lines, "\n"))
}

// asRows is markdown as rows of plain text behind the lead, and whether it is printed so:
// where that was asked for, and in a terminal where nothing was.
func (p *program) asRows(text, lead string) (rows []string, printed bool) {
	cells, terminal := p.widthOfTerminal()
	if p.options.output != asText && (p.options.output != "" || !terminal) {
		return nil, false
	}
	if !terminal {
		cells = widest
	}
	for i, row := range markdown.Render(text, cells-len(lead), markdown.Style{}) {
		if i > 0 {
			lead = strings.Repeat(" ", len(lead))
		}
		rows = append(rows, strings.TrimRight(lead+row, " "))
	}
	return rows, true
}

// write prints a line that the user asked for: without it the command has failed.
func (p *program) write(line string) error {
	if _, err := fmt.Fprintln(p.stdout, line); err != nil {
		return unwritten(err, "look where standard output leads: is the disk full?")
	}
	return nil
}

// writeAnswer is write for what was answered.
func (p *program) writeAnswer(line string) error {
	if _, err := fmt.Fprintln(p.stdout, line); err != nil {
		return unwritten(err, "it is kept: open it with yaap --continue")
	}
	return nil
}

func unwritten(err error, hint string) error {
	return core.Fail(core.CodeInternal, "the answer cannot be written", hint).Because(err)
}

// watcher prints what happens.
type watcher struct {
	p    *program
	feed *event.Feed
	json bool

	thread string        // the conversation that is answered; others may go on beside it
	done   chan struct{} // closed when its run has ended
	failed error         // why events could not be printed
	again  string        // why something was tried again last

	awaited map[string]bool // who comes at the start: that they join is not told
}

// awaited are the experts that come at the start of a room.
func awaited(cfg config.Config) map[string]bool {
	names := map[string]bool{}
	for _, name := range cfg.Builtin.V {
		names[name] = true
	}
	for _, e := range cfg.Experts {
		names[e.Name] = true
	}
	return names
}

// follow prints events until the run of the conversation has ended or ctx does.
func (w *watcher) follow(ctx context.Context) {
	for {
		events, err := w.feed.Next(ctx)
		if err != nil {
			return
		}
		for _, e := range events {
			if w.json {
				w.printJSON(e)
			} else {
				w.progress(e)
			}
			if _, ok := e.Body.(core.RunEnd); ok && e.Thread == w.thread && e.Parent == "" {
				close(w.done)
				return
			}
		}
	}
}

// ended gives the watcher a moment to see a run_end that was emitted.
func (w *watcher) ended() bool {
	timer := time.NewTimer(200 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-w.done:
		return true
	case <-timer.C:
		return false
	}
}

func (w *watcher) printJSON(e core.Event) {
	line, err := json.Marshal(e)
	if err == nil {
		err = w.p.writeAnswer(safe.JSON(string(line)))
	}
	w.failed = cmp.Or(w.failed, err)
}

// progress is what a person wants to see of an event.
func (w *watcher) progress(e core.Event) {
	if w.p.options.quiet {
		return
	}
	var line, hint string
	switch b := e.Body.(type) {
	case core.ExpertJoined:
		if !w.awaited[b.Name] {
			line = safe.Sprintf("→ %s joined", b.Name)
		}
		delete(w.awaited, b.Name) // who comes back is told
	case core.ExpertLeft:
		why := b.Detail
		switch {
		case why == "":
			why = string(b.Reason)
		case b.Reason == core.LeftGoodbye:
			why = safe.Sprintf("goodbye: %s", why)
		}
		line = safe.Sprintf("← %s left: %s", b.Name, why)
	case core.ExpertChanged:
		if len(b.Hidden) > 0 {
			line = safe.Sprintf("! %s changed %s: hidden until you have seen how, with %s", b.Name, strings.Join(b.Hidden, ", "), w.p.atShell("/trust "+b.Name))
		}
	case core.ExpertStatus:
		if b.Message != "" {
			line = safe.Sprintf("! %s %s: %s", b.Name, b.State, w.p.atShell(b.Message))
		}
	case core.SACPRepaired:
		if slices.Contains(b.Steps, sacp.StepPlainText) {
			line = "! the model answered in plain words, not as the protocol has it"
		}
	case core.ToolCallStart:
		line = safe.Sprintf("… %s %s", b.Tool, runlog.Asked(b.Args))
		if b.Again {
			say(w.p.stderr, safe.Sprintf("! %s is asked again: it is not known whether it had answered", b.Tool))
		}
	case core.ToolCallEnd:
		switch b.Status {
		case core.ToolSuccess:
			line = safe.Sprintf("✓ %s %d ms", b.Tool, b.MS)
		case core.ToolWaiting:
			line = safe.Sprintf("? %s waits", b.Tool)
		default:
			line = safe.Sprintf("✗ %s %d ms: %s", b.Tool, b.MS, b.Text)
		}
	case core.ContextFitted:
		if b.Summed > 0 {
			line = safe.Sprintf("… what was said first, %s, is summed up for %s", text.Count(b.Summed, "question", "questions"), b.Model)
		}
		if b.LeftOut > 0 {
			line = safe.Sprintf("… %s is not shown the first %d questions any more", b.Model, b.LeftOut)
		}
	case core.TodoChanged:
		for _, item := range b.Items {
			if item.Status == core.TodoBegun {
				line = "… " + item.Text
			}
		}
	case core.Fallback:
		line = safe.Sprintf("! %s answers from here, not %s: %s", b.To, b.From, b.Reason)
	case core.Steered:
		line = safe.Sprintf("→ taken in: %s", b.Text)
	case core.Handoff:
		line = safe.Sprintf("… %s → %s: %s", b.From, b.To, b.Reason)
	case core.GuardrailViolation:
		line = safe.Sprintf("! %s in %s, %s: %s", b.Guardrail, b.Stage, b.Verdict, b.Reason)
	case core.HookRan:
		switch b.Decision {
		case core.HookAllow:
		case core.HookRemark:
			line = "· " + b.Reason
		default:
			line = strings.TrimSuffix(safe.Sprintf("! hook %s (%s): %s: %s", b.Hook, b.Event, b.Decision, b.Reason), ": ")
		}
	case core.ApprovalRequested:
		line = safe.Sprintf("? %s has to be allowed: %s", b.Tool, b.Reason)
	case core.ApprovalGiven:
		line = "✓ allowed: " + b.Decision
		if b.Decision == core.Deny {
			line = "✗ denied"
		}
	case core.Retry:
		if b.Reason != w.again { // it is said once, however often it is tried
			line = "! again: " + b.Reason
		}
		w.again = b.Reason
	case core.Notice:
		line, hint = "! "+b.Text, b.Hint
	case core.RunEnd:
		if b.Code == core.CodeFailed && e.Depth == 0 {
			w.p.tellHowToGoOn(b.Hint, e.Run)
		}
	default: // the rest is for --json
	}
	if line != "" {
		say(w.p.stderr, safe.Cut(line, 200))
		w.p.advise(hint)
	}
}
