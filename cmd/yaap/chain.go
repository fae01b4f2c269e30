package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"yaap/core"
	"yaap/core/chain"
	"yaap/core/safe"
	"yaap/core/store"
	"yaap/core/userfile"
)

func (p *program) chainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "chain",
		Short: "Run chains of agents and experts, and look at their runs",
		Long: "A chain is a file: a graph of agents, experts and functions in which one's reply\n" +
			"decides where the work goes next. NAME is the path of a file, or a name: of a file\n" +
			"in chains/ of the configuration directory, or of one that is built in.",
		Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		p.chainList(), p.chainCheck(), p.chainShow(), p.chainSchema(), p.chainPlan(),
		p.chainRun(), p.chainRuns(), p.chainResume(), p.chainAnswer(), p.chainFork(), p.chainCancel(),
	)
	return cmd
}

func (p *program) chainList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "The chains that have a name", Args: misuse(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			cfg, err := p.config()
			if err != nil {
				return err
			}
			for _, name := range chainNames(cfg) {
				line := name
				if c, _, _, err := readChain(cfg, name); err == nil {
					line = fmt.Sprintf("%-12s %s\n%-12s %s", name, safe.Line(c.Spec.Description), "", c.Usage())
				} else {
					line += "  has faults: yaap chain check " + name
				}
				if err := p.write(strings.TrimRight(line, " \n")); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func (p *program) chainCheck() *cobra.Command {
	return &cobra.Command{
		Use: "check NAME", Short: "Say everything that is wrong with a chain", Args: misuse(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, err := p.config()
			if err != nil {
				return err
			}
			c, src, faults, err := readChain(cfg, args[0])
			if len(faults) > 0 {
				say(p.stderr, strings.TrimRight(chain.Faults(src.path, faults, src.text), "\n"))
			}
			if c == nil && len(faults) > 0 {
				return exitStatus{exitFailed}
			}
			if err != nil {
				return err
			}
			return p.write(fmt.Sprintf("%s: %d nodes, %d edges, no faults", safe.Line(src.path), len(c.Spec.Nodes), len(c.Spec.Edges)))
		},
	}
}

func (p *program) chainSchema() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "The JSON Schema of the file format, for editors", Args: misuse(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error { return p.write(strings.TrimSpace(string(chain.Schema()))) },
	}
}

func (p *program) chainPlan() *cobra.Command {
	var fixtures string
	cmd := &cobra.Command{
		Use: "plan NAME [INPUT=VALUE...]", Short: "Run a chain with canned replies and show the path",
		Long: "Run a chain with canned replies: nobody is asked and nothing is kept. The fixtures are\n" +
			"YAML or JSON, from node to a reply or a list of replies. Exit codes as yaap run.",
		Args: misuse(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.plan(cmd.Context(), fixtures, args[0], args[1:])
		},
	}
	cmd.Flags().StringVar(&fixtures, "mock", "", "the file of canned replies")
	return cmd
}

// plan is a dry run.
func (p *program) plan(ctx context.Context, fixtures, name string, words []string) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	c, _, _, err := readChain(cfg, name)
	if err != nil {
		return err
	}
	args, err := readArgs(c, words)
	if err != nil {
		return err
	}
	canned, err := readFixtures(fixtures)
	if err != nil {
		return &core.Error{
			Code: core.CodeInvalid, Op: "chain: plan", Message: "the canned replies cannot be used",
			Hint: "--mock FILE is YAML or JSON, such as: NODE: {message: done, data: {x: 1}}", Err: err,
		}
	}
	bus := new(maskedBus)
	feed := bus.Feed()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	runner := c.Runner(chain.Config{Journal: core.Forget{}, Sink: bus, Lookup: canned.Lookup(stop)})
	in := core.Input{Scope: core.Scope{Run: "plan", Trace: "plan"}, Args: args}
	result, err := runner.Run(ctx, in)
	for _, e := range feed.Rest() {
		if e.Run != "plan" {
			continue
		}
		for _, line := range planLines(e.Body) {
			if err := p.write(line); err != nil {
				return err
			}
		}
	}
	if cause := context.Cause(ctx); core.CodeOf(cause) == core.CodeInvalid {
		return cause
	}
	if err != nil {
		return err
	}
	return errors.Join(p.write("= "+safe.Text(result.Reply.Message)), exitFor(result))
}

func readFixtures(path string) (*chain.Fixtures, error) {
	if path == "" {
		return chain.ReadFixtures(nil)
	}
	src, err := userfile.Read(path, maxChainFile)
	if err != nil {
		return nil, err
	}
	return chain.ReadFixtures(src)
}

// planLines are what a person wants to see of an event of a chain.
func planLines(b core.Body) []string {
	switch b := b.(type) {
	case core.NodeStart:
		line := safe.Sprintf("● %s", b.Node)
		if b.Visit > 1 || b.Attempt > 1 {
			line += fmt.Sprintf(" (visit %d, attempt %d)", b.Visit, b.Attempt)
		}
		return []string{strings.TrimRight(line+safe.Sprintf(" %s", b.Input), " ")}
	case core.NodeEnd:
		line := safe.Sprintf("%s %s", b.State, b.Status)
		if b.Error != "" {
			line += safe.Sprintf(": %s", b.Error)
		}
		return []string{strings.TrimRight("  "+line+safe.Sprintf(" %s", b.Data), " ")}
	case core.EdgeTaken:
		sign := "→"
		if !b.Taken {
			sign = "⤫"
		}
		line := safe.Sprintf("%s %s", sign, b.To)
		if b.Condition != "" {
			line += safe.Sprintf(" %s", b.Condition)
		}
		for _, path := range slices.Sorted(maps.Keys(b.Values)) {
			line += safe.Sprintf(" [%s = %s]", path, safe.JSON(asJSON(b.Values[path])))
		}
		if b.Problem != "" {
			line += safe.Sprintf(" ! %s", b.Problem)
		}
		return []string{"  " + line}
	case core.ChainPaused:
		lines := []string{"? " + safe.Line(b.Pause.Question)}
		for i, option := range b.Pause.Options {
			lines = append(lines, fmt.Sprintf("  %d  %s", i+1, safe.Line(option.Label)))
		}
		return lines
	default:
		return nil
	}
}

func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(raw)
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

func (p *program) chainRun() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "run NAME [INPUT=VALUE...]", Short: "Run a chain", Args: misuse(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := p.config()
			if err != nil {
				return err
			}
			// What cannot run is said before anybody is called into the room.
			c, _, _, err := readChain(cfg, args[0])
			if err != nil {
				return err
			}
			if _, err := readArgs(c, args[1:]); err != nil {
				return err
			}
			return p.run(cmd.Context(), func(ctx context.Context, a *app, thread string) (core.Result, error) {
				return a.startChain(ctx, thread, "/chain run "+strings.Join(args, " "), args[0], args[1:])
			}, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print every event as one line of JSON; the last is run_end")
	return cmd
}

func (p *program) chainResume() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "resume RUN", Short: "Go on with a run that was cut off, or at the node that failed", Args: misuse(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.onRun(cmd.Context(), args[0], asJSON, func(ctx context.Context, a *app, run core.RunRow) (core.Result, error) {
				return a.resumeRun(ctx, run)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print every event as one line of JSON; the last is run_end")
	cmd.Flags().BoolVar(&p.options.migrate, "migrate", false, "go on although the file of the chain has changed since")
	return cmd
}

// resumeRun goes on with a run that was cut off, or has failed.
func (a *app) resumeRun(ctx context.Context, run core.RunRow) (core.Result, error) {
	if run.State == core.RunCompleted {
		return core.Result{}, &core.Error{
			Code: core.CodeNotFound, Op: "chain: resume", Message: "this run has ended: there is nothing to go on with",
			Hint: "do a part of it again with yaap chain fork " + run.ID,
		}
	}
	return a.chat.Resume(ctx, run.ID)
}

// onRun goes on with a run, in its conversation.
func (p *program) onRun(ctx context.Context, id string, asJSON bool, do func(context.Context, *app, core.RunRow) (core.Result, error)) error {
	p.options.run = id
	return p.run(ctx, func(ctx context.Context, a *app, _ string) (core.Result, error) {
		run, err := a.store.FindRun(ctx, id)
		if err != nil {
			return core.Result{}, err
		}
		return do(ctx, a, run)
	}, asJSON)
}

// withStore does something that needs what is stored, and no room.
func (p *program) withStore(ctx context.Context, do func(context.Context, *store.Store) error) (err error) {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, cfg.StateDir)
	if err != nil {
		return err
	}
	writing, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- s.Run(writing) }()
	err = do(ctx, s)
	stop()
	return errors.Join(err, <-done, s.Close())
}

func (p *program) chainRuns() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "runs", Short: "What waits for you, and the runs of chains, the newest first", Args: misuse(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withStore(cmd.Context(), func(ctx context.Context, s *store.Store) error {
				runs, err := chainRuns(ctx, s, limit)
				if err != nil {
					return err
				}
				for _, run := range runs {
					line := fmt.Sprintf("%s  %s  %-20s %s", run.name(), run.Time.Local().Format(time.DateTime), strings.TrimPrefix(run.Runner, "chain/"), safe.Cut(safe.Line(run.state), 80))
					if err := p.write(safe.Line(line)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "how many")
	return cmd
}

// chainRow is a run of a chain, or any other that waits for the user.
type chainRow struct {
	core.RunRow
	state    string // for people
	question string // names the one of this row where the run asks several
}

// name is what one types to go on with a run, or to answer it.
func (r chainRow) name() string { return cmp.Or(r.question, r.ID) }

// chainRuns lists the runs of chains, the newest first, after all others that
// wait for the user. One that asks several things has a row for each.
func chainRuns(ctx context.Context, s *store.Store, limit int) ([]chainRow, error) {
	runs, err := s.Runs(ctx, "chain/", limit)
	if err != nil {
		return nil, err
	}
	pauses, err := s.Pauses(ctx, "")
	if err != nil {
		return nil, err
	}
	asks := map[string][]core.Pause{}
	for _, p := range pauses {
		asks[p.Root] = append(asks[p.Root], p)
	}
	var rows []chainRow
	add := func(run core.RunRow) {
		open := asks[run.ID]
		delete(asks, run.ID)
		for _, p := range open {
			row := chainRow{RunRow: run, state: "asks: " + p.Question}
			if len(open) > 1 {
				row.question = p.Ref()
			}
			rows = append(rows, row)
		}
		if len(open) == 0 {
			rows = append(rows, chainRow{RunRow: run, state: stateWord(run)})
		}
	}
	for _, p := range pauses {
		run, err := s.FindRun(ctx, p.Root)
		if err != nil {
			return nil, err
		}
		if len(asks[p.Root]) > 0 && !strings.HasPrefix(run.Runner, "chain/") {
			add(run)
		}
	}
	for _, run := range runs {
		add(run)
	}
	return rows, nil
}

// stateWord is how far a run is, in a word.
func stateWord(run core.RunRow) string {
	switch {
	case run.State == core.RunFailed && run.Code == core.CodeCancelled:
		return "cancelled"
	case run.State != core.RunInterrupted:
		return string(run.State)
	}
	switch run.Code {
	case core.CodeTurnLimit, core.CodeMaxTurns:
		return "turn limit"
	case core.CodeTimedOut:
		return "out of time"
	case core.CodeStopped:
		return "stopped"
	}
	return string(run.State)
}

func (p *program) chainFork() *cobra.Command {
	var at int
	var sets []string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "fork RUN --at STEP [--set NODE.data.KEY=VALUE]", Short: "Start another run from a step of one",
		Long: "Start another run from a step of one: what was done up to that step is taken over, with\n" +
			"what --set changes; what comes after is done again. --set takes input.NAME=VALUE and\n" +
			"NODE.data.KEY=VALUE. Without --at the steps are listed.",
		Args: misuse(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if at == 0 && len(sets) > 0 {
				return usageHint(errors.New("--set changes what a step came to: say with --at up to which step the run is taken over"), "yaap chain fork "+args[0]+" lists the steps")
			}
			if at == 0 {
				return p.listSteps(cmd.Context(), args[0])
			}
			return p.run(cmd.Context(), func(ctx context.Context, a *app, thread string) (core.Result, error) {
				return a.forkChain(ctx, thread, args[0], at, sets)
			}, asJSON)
		},
	}
	cmd.Flags().IntVar(&at, "at", 0, "the last step that is taken over")
	cmd.Flags().StringArrayVar(&sets, "set", nil, "a change: NODE.data.KEY=VALUE or input.NAME=VALUE (may be repeated)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print every event as one line of JSON; the last is run_end")
	return cmd
}

func (p *program) listSteps(ctx context.Context, id string) error {
	return p.withStore(ctx, func(ctx context.Context, s *store.Store) error {
		run, err := s.FindRun(ctx, id)
		if err != nil {
			return err
		}
		saved, err := s.Load(ctx, run.ID)
		if err != nil {
			return err
		}
		steps, err := chain.Steps(saved)
		if err != nil {
			return err
		}
		for _, step := range steps {
			if err := p.write(safe.Line(fmt.Sprintf("%4d  %s", step.N, step.Text))); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p *program) chainCancel() *cobra.Command {
	return &cobra.Command{
		Use: "cancel RUN", Short: "Give up a run that waits or was cut off", Args: misuse(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withStore(cmd.Context(), func(ctx context.Context, s *store.Store) error {
				run, err := s.FindRun(ctx, args[0])
				if err != nil {
					return err
				}
				return p.tell("The run was given up.", cancelRun(ctx, s, new(maskedBus), run))
			})
		},
	}
}

// cancelRun gives up a run that nobody works on. Like any end of a run it is
// reported and stored.
func cancelRun(ctx context.Context, j core.Journal, sink core.Sink, run core.RunRow) error {
	switch run.State {
	case core.RunCompleted, core.RunFailed:
		return &core.Error{Code: core.CodeConflict, Op: "chain: cancel", Message: "this run has ended", Hint: "yaap chain runs lists those that have not"}
	case core.RunRunning:
		return &core.Error{Code: core.CodeBusy, Op: "chain: cancel", Message: "this run is being worked on", Hint: "press esc in its window"}
	}
	scope := core.Scope{Thread: run.Thread, Run: run.ID, Parent: run.Parent, Trace: run.ID, Depth: run.Depth}
	run.State, run.Code, run.Time = core.RunFailed, core.CodeCancelled, time.Now()
	return j.Put(ctx, run,
		core.EventRow{Event: sink.Emit(scope, core.RunStart{Runner: run.Runner, Resumed: true})},
		core.EventRow{Event: sink.Emit(scope, core.RunEnd{
			Outcome: "error", Code: core.CodeCancelled, Error: "given up", Hint: "yaap chain resume " + run.ID + " takes it up again",
		})})
}

// forkChain starts another run from a step of one, in another conversation.
func (a *app) forkChain(ctx context.Context, thread, id string, at int, sets []string) (core.Result, error) {
	run, err := a.store.FindRun(ctx, id)
	if err != nil {
		return core.Result{}, err
	}
	saved, err := a.store.Load(ctx, run.ID)
	if err != nil {
		return core.Result{}, err
	}
	steps, err := chain.Fork(saved, at, sets)
	if err != nil {
		return core.Result{}, err
	}
	return a.chat.StartFrom(ctx, thread, run.Runner, fmt.Sprintf("/chain fork %s at step %d %s", run.ID, at, strings.Join(sets, " ")), steps)
}
