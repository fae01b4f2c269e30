package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"yaap/core"
	"yaap/core/chain"
	"yaap/core/diagram"
	"yaap/core/safe"
	"yaap/tui"
)

// chainWords are the words of "/chain run NAME …"; ok is false for any other
// text. Quotes keep the spaces of an input, room="the big one"; elsewhere they
// are part of what is said.
func chainWords(text string) (name string, words []string, ok bool) {
	fields := strings.Fields(text)
	if slices.ContainsFunc(fields, isQuoted) {
		if words, err := core.Words(text); err == nil {
			fields = words
		}
	}
	if len(fields) < 3 || fields[0] != "/chain" || fields[1] != "run" {
		return "", nil, false
	}
	return fields[2], fields[3:], true
}

// isQuoted reports whether the value of an input begins with a quote.
func isQuoted(word string) bool {
	_, value, _ := strings.Cut(word, "=")
	return strings.HasPrefix(value, `"`) || strings.HasPrefix(value, "'")
}

// changeChain does what /chain asks for, except running one.
func (b *backend) changeChain(ctx context.Context, thread string, args []string) (tui.Output, error) {
	usage := &core.Error{
		Code: core.CodeInvalid, Op: "chain", Message: "that is not something to do with a chain",
		Hint: "type /chain list, /chain run NAME INPUT=VALUE, /chain show NAME, /chain check NAME, /chain runs, /chain answer RUN[:QUESTION] ANSWER, /chain resume RUN, /chain fork RUN --at STEP or /chain cancel RUN",
	}
	if len(args) == 0 {
		args = []string{"list"}
	}
	switch {
	case args[0] == "list":
		return tui.Output{Text: b.listChains()}, nil
	case args[0] == "runs":
		return b.listRuns(ctx)
	case args[0] == "cancel" && len(args) == 1:
		return b.cancelWaiting(ctx, thread)
	case len(args) < 2:
		return tui.Output{}, usage
	case args[0] == "show":
		c, _, _, err := readChain(b.cfg, args[1])
		if err != nil {
			return tui.Output{}, err
		}
		return tui.Output{Text: "```\n" + diagram.ASCII(graphOf(c.Spec), 76) + "```"}, nil
	case args[0] == "check":
		return b.checkChain(args[1])
	case args[0] == "resume", args[0] == "answer" && len(args) > 2:
		return b.goOn(ctx, args)
	case args[0] == "cancel":
		run, err := b.store.FindRun(ctx, args[1])
		if err != nil {
			return tui.Output{}, err
		}
		return tui.Output{Text: "The run was given up."}, cancelRun(ctx, b.store, b.bus, run)
	case args[0] == "fork":
		return b.fork(ctx, thread, args[1:])
	}
	return tui.Output{}, usage
}

// goOn answers what a run asks, or resumes one that was cut off, and opens its
// conversation.
func (b *backend) goOn(ctx context.Context, args []string) (tui.Output, error) {
	id, question := args[1], ""
	if args[0] == "answer" {
		id, question, _ = strings.Cut(id, ":")
	}
	run, err := b.store.FindRun(ctx, id)
	if err != nil {
		return tui.Output{}, err
	}
	if args[0] == "answer" {
		_, err = b.answerRun(ctx, run, question, strings.Join(args[2:], " "))
	} else {
		_, err = b.resumeRun(ctx, run)
	}
	return tui.Output{Thread: run.Thread}, err
}

// cancelWaiting gives up the run that waits for the user here.
func (b *backend) cancelWaiting(ctx context.Context, thread string) (tui.Output, error) {
	pauses, err := b.chat.Waiting(ctx, thread)
	if err != nil {
		return tui.Output{}, err
	}
	if len(pauses) == 0 {
		return tui.Output{}, &core.Error{
			Code: core.CodeNotFound, Op: "chain: cancel", Message: "no run waits for you here", Hint: "esc stops one that runs; /chain runs lists them",
		}
	}
	run, err := b.store.FindRun(ctx, pauses[0].Root)
	if err != nil {
		return tui.Output{}, err
	}
	return tui.Output{Text: "The run was given up."}, cancelRun(ctx, b.store, b.bus, run)
}

func (b *backend) listChains() string {
	var s strings.Builder
	s.WriteString("| chain | what it does | inputs |\n|---|---|---|\n")
	for _, name := range chainNames(b.cfg) {
		c, _, _, err := readChain(b.cfg, name)
		if err != nil {
			fmt.Fprintf(&s, "| %s | has faults: `/chain check %s` | |\n", name, name)
			continue
		}
		fmt.Fprintf(&s, "| %s | %s | `%s` |\n", name, safe.Line(c.Spec.Description), c.Usage())
	}
	return s.String() + "\nRun one with `/chain run NAME INPUT=VALUE`."
}

func (b *backend) listRuns(ctx context.Context) (tui.Output, error) {
	runs, err := chainRuns(ctx, b.store.Store, 20)
	if err != nil || len(runs) == 0 {
		return tui.Output{Text: "No chain has run yet."}, err
	}
	return tui.Output{Text: runLines(runs)}, nil
}

// runLines lists runs as Markdown: in a table their ids would leave no room for
// what one can tell them by.
func runLines(runs []chainRow) string {
	var s strings.Builder
	for _, run := range runs {
		name := strings.TrimPrefix(run.Runner, "chain/")
		if filepath.IsAbs(name) {
			name = filepath.Base(name)
		}
		fmt.Fprintf(&s, "- %s  **%s** %s  `%s`\n", run.Time.Local().Format("02 Jan 15:04"), safe.Line(name), safe.Cut(safe.Line(run.state), 60), run.name())
	}
	return s.String()
}

func (b *backend) checkChain(name string) (tui.Output, error) {
	c, src, faults, err := readChain(b.cfg, name)
	switch {
	case c == nil && len(faults) == 0:
		return tui.Output{}, err
	case len(faults) > 0:
		return tui.Output{Text: "```\n" + chain.Faults(src.path, faults, src.text) + "```"}, nil
	}
	return tui.Output{Text: fmt.Sprintf("**%s** has no faults: %d nodes, %d edges.", safe.Line(name), len(c.Spec.Nodes), len(c.Spec.Edges))}, nil
}

// fork starts another run from a step of one, in this conversation. Without a
// step it lists them.
func (b *backend) fork(ctx context.Context, thread string, args []string) (tui.Output, error) {
	at, sets, err := readFork(args[1:])
	if err != nil {
		return tui.Output{}, err
	}
	if at > 0 {
		_, err := b.forkChain(ctx, thread, args[0], at, sets)
		return tui.Output{}, err
	}
	run, err := b.store.FindRun(ctx, args[0])
	if err != nil {
		return tui.Output{}, err
	}
	saved, err := b.store.Load(ctx, run.ID)
	if err != nil {
		return tui.Output{}, err
	}
	steps, err := chain.Steps(saved)
	if err != nil {
		return tui.Output{}, err
	}
	var s strings.Builder
	s.WriteString("| step | what |\n|---|---|\n")
	for _, step := range steps {
		fmt.Fprintf(&s, "| %d | %s |\n", step.N, strings.ReplaceAll(safe.Cut(safe.Line(step.Text), 100), "|", `\|`))
	}
	return tui.Output{Text: s.String() + "\nFork it with `/chain fork " + run.ID + " --at STEP --set NODE.data.KEY=VALUE`."}, nil
}

// readFork reads --at STEP and --set CHANGE; at is 0 where no step is given.
func readFork(words []string) (at int, sets []string, err error) {
	wrong := func(format string, args ...any) error {
		return &core.Error{
			Code: core.CodeInvalid, Op: "chain: fork", Message: fmt.Sprintf(format, args...),
			Hint: "type /chain fork RUN for the steps, then /chain fork RUN --at STEP --set NODE.data.KEY=VALUE",
		}
	}
	for len(words) > 0 {
		flag, value, joined := strings.Cut(words[0], "=")
		words = words[1:]
		if flag != "--at" && flag != "--set" {
			return 0, nil, wrong("/chain fork knows no %s", safe.Line(flag))
		}
		if !joined {
			if len(words) == 0 {
				return 0, nil, wrong("nothing follows %s", flag)
			}
			value, words = words[0], words[1:]
		}
		if flag == "--set" {
			sets = append(sets, value)
			continue
		}
		if at, err = strconv.Atoi(value); err != nil || at < 1 {
			return 0, nil, wrong("%q is not the number of a step", safe.Line(value))
		}
	}
	if len(sets) > 0 && at == 0 {
		return 0, nil, wrong("--set changes what a step came to: say up to which step the run is taken over")
	}
	return at, sets, nil
}

// Graph implements [tui.Look].
func (b *backend) Graph(_ context.Context, runner string) (diagram.Graph, error) {
	c, _, _, err := readChain(b.cfg, strings.TrimPrefix(runner, "chain/"))
	if err != nil {
		return diagram.Graph{}, err
	}
	return graphOf(c.Spec), nil
}

// RunEvents implements [tui.Look].
func (b *backend) RunEvents(ctx context.Context, run string) ([]core.Event, error) {
	return b.store.RunEvents(ctx, run, 5000)
}

// Audit implements [tui.Look].
func (b *backend) Audit(ctx context.Context, q core.AuditQuery) ([]core.AuditEntry, error) {
	return b.store.Audit(ctx, q)
}

// VerifyAudit implements [tui.Look].
func (b *backend) VerifyAudit(ctx context.Context) (core.AuditReport, error) {
	return b.store.VerifyAudit(ctx, core.AuditHead{})
}
