package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"yaap/core"
	"yaap/core/agent"
	"yaap/core/bidding"
	"yaap/core/config"
	"yaap/core/event"
	"yaap/core/hub"
	"yaap/core/hub/link"
	"yaap/core/hub/server"
	"yaap/core/lang"
	"yaap/core/memory"
	"yaap/core/orchestrator"
	"yaap/core/store"
	"yaap/core/trust"
	"yaap/prompts"
)

// app is one room, wired: hub → agent → orchestrator → link, server.
type app struct {
	cfg     config.Config
	log     *slog.Logger
	bus     *maskedBus
	store   maskedStore
	hub     *hub.Hub
	ledger  *bidding.Ledger // of what their bids were worth
	team    *team
	chat    *orchestrator.Orchestrator
	models  *models
	session core.Session
	memory  *recording // nil: nothing is remembered
	own     own
	trust   *trust.Keeper
	migrate bool        // runs may go on although their chain's file has changed
	facts   *event.Feed // of the recorder
	lifecycle
}

// lifecycle is what runs beside the work, and what ends with it.
type lifecycle struct {
	services []func(context.Context) error
	closers  []func() error // of what was opened, in order
}

// open makes a room. Nothing runs before run does.
func (p *program) open(ctx context.Context) (_ *app, err error) {
	cfg, err := p.config()
	if err != nil {
		return nil, err
	}
	a := &app{bus: &maskedBus{masking: p.masking}, migrate: p.options.migrate}
	a.facts = a.bus.Feed()
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close())
		}
	}()
	sweepScratch(cfg.TempDir)
	if cfg.Ephemeral.V {
		scratch, err := p.newScratch(cfg)
		if err != nil {
			return nil, err
		}
		a.closers = append(a.closers, scratch.remove)
		cfg.StateDir, cfg.RunDirs = scratch.dir, cfg.RunDirs[:1] // nothing of it in the home directory
	}
	a.cfg = cfg
	a.trust = trust.New(cfg.StateDir, cfg.Dir, trust.Rules{Ask: cfg.Approve.V, Allow: cfg.Allow})
	if a.models, err = newModels(cfg, p.env); err != nil {
		return nil, err
	}
	agents, err := readAgents(cfg, a.models)
	if err != nil {
		return nil, err
	}
	rules, err := memoryPrompts(cfg)
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, cfg.StateDir)
	if err != nil {
		return nil, err
	}
	a.store = maskedStore{db, p.masking}
	a.closers = append(a.closers, a.store.Close)
	if a.log, err = openLog(cfg.StateDir); err != nil {
		return nil, err
	}
	if a.ledger, err = bidding.NewLedger(ctx, a.store, a.log); err != nil {
		return nil, err
	}
	guard, err := startGuard()
	if err != nil {
		return nil, err
	}
	a.closers = append(a.closers, func() error {
		if err := guard.Close(); err != nil { // somebody killed it; the experts are gone already
			a.log.Warn("the guard did not end in order", "err", err)
		}
		return nil
	})
	a.session = core.Session{ID: uuid.Must(uuid.NewV7()).String(), Started: time.Now()}
	a.hub = hub.New(news{a.bus, a}, &link.Opener{Guard: guard, Lookup: os.LookupEnv, Version: version()}, a.trust)
	return a, a.wire(rules, agents, guard, p.options.attended) //nolint:contextcheck // the help lists the commands of the shell, and runs none
}

// close gives up what open has taken, the last first.
func (a *app) close() (err error) {
	for _, closer := range slices.Backward(a.closers) {
		err = errors.Join(err, closer())
	}
	return err
}

// wire puts together who answers, and what runs beside.
func (a *app) wire(rules memory.Prompts, agents []agent.Peer, guard *link.Guard, attended bool) error {
	if a.cfg.Memory.V {
		a.memory = a.newRecording(rules)
	}
	room := a.agentConfig()
	chains, err := a.chainTools(a.cfg.Chains.V)
	if err != nil {
		return err
	}
	if a.memory != nil {
		chains = append(chains, a.memory.SearchTool())
	}
	if err := a.openOwn(); err != nil {
		return err
	}
	bidders := &bidding.Room{Experts: a.hub, Own: a.ownBidders(), Ledger: a.ledger, Sink: a.bus, Wait: a.bidTime()}
	a.models.embedded.Room = bidders
	if a.memory != nil {
		a.models.embedded.Statement = func(text string) bool { _, ok := lang.Statement(text); return ok }
	}
	room.Tools = tools{Toolbox: bidding.Watch(a.hub, a.ledger), chains: chains, own: a.own.tools(), offline: a.models.offline}
	room.Rank = bidders.Rank
	a.team = newTeam(room, agents, a.models)
	a.chat = orchestrator.New(orchestrator.Config{
		Journal: a.journal(), Conversations: a.store, Lookup: a.lookup, Session: a.session.ID, Runner: a.cfg.Runner.V,
		Guard: a.cfg.Guard.V[core.GuardInput], Sink: a.bus, Attended: attended,
		Ready: func(ctx context.Context, p core.Pause, answer core.Answer) error {
			return a.ready(ctx, p, answer, attended)
		},
	})
	if attended {
		a.trust.Attend(a.chat)
	}
	door := server.New(server.Config{
		Hub: a.hub, Chat: a.askedFromOutside, Thread: orchestrator.NewThread, Tools: a.memoryTools(rules), Prompts: openPrompts(rules),
		Dir: a.cfg.Dir, RunDirs: a.cfg.RunDirs, Leave: guard.Leave, Version: version(), Log: a.log,
	})
	joining := a.bus.Feed()
	a.services = []func(context.Context) error{a.hub.Run, a.purge, func(ctx context.Context) error {
		defer joining.Close()
		return bidders.Run(ctx, joining.Next)
	}, func(ctx context.Context) error {
		if err := door.Run(ctx); err != nil { // the room is as good without it
			a.log.Error("the door is shut", "err", err)
			a.bus.Emit(core.Scope{}, core.Notice{
				Level: "warn", Text: "experts in other terminals cannot join: " + err.Error(),
				Hint: cmp.Or(core.HintOf(err), "those that the room starts itself work as ever"),
			})
		}
		return nil
	}}
	if a.memory != nil {
		a.services = append(a.services, a.memory.Run, a.memory.meaning.Run)
	}
	return nil
}

// purge removes the entries whose time is over.
func (a *app) purge(ctx context.Context) error {
	n, err := a.store.PurgeExpired(ctx)
	if err != nil { // they are not found all the same
		a.log.Warn("expired entries were not removed", "err", err)
	} else if n > 0 {
		a.log.Info("expired entries were removed", "entries", n)
	}
	return nil
}

// bidTime is how long experts have to bid.
func (a *app) bidTime() time.Duration { return time.Duration(a.cfg.BidMS.V) * time.Millisecond }

// journal is where runs keep what must not be lost.
func (a *app) journal() journal { return journal{maskedStore: a.store, memory: a.memory} }

// agentConfig is what every agent of the room has in common.
func (a *app) agentConfig() agent.Config {
	reAsks := a.cfg.ReAsks.V
	if reAsks == 0 {
		reAsks = -1
	}
	return agent.Config{
		Prompt: prompts.Orchestrator(), ModelFor: a.models.current, Fallbacks: a.models.fallbacks, Tools: a.hub,
		Journal: a.journal(), Sink: a.bus, Log: a.log,
		Limits:    agent.Limits{MaxTurns: a.cfg.MaxTurns.V, ReAsks: reAsks},
		Approvals: a.trust,
		Guards: agent.Guards{
			Args: a.cfg.Guard.V[core.GuardArgs], Results: a.cfg.Guard.V[core.GuardResult], Output: a.cfg.Guard.V[core.GuardOutput],
		},
	}
}

// run opens the room, does work in it, and closes it: first the experts and the
// door, then the recorder of what they did, then the store.
func (a *app) run(ctx context.Context, work func(context.Context) error) error {
	background := context.WithoutCancel(ctx)
	storing, endStore := context.WithCancel(background)
	defer endStore()
	var writer sync.WaitGroup
	var stored error
	writer.Go(func() { stored = a.store.Run(storing) })
	recording, endRecord := context.WithCancel(background)
	defer endRecord()
	var recorder sync.WaitGroup
	recorder.Go(func() { a.recorder().run(recording) })

	living, endRoom := context.WithCancel(background)
	defer endRoom()
	room, living := errgroup.WithContext(living)
	for _, service := range a.services {
		room.Go(func() error { return service(living) })
	}
	err := a.store.Put(ctx, append(a.memory.rows(), a.session)...)
	if err == nil {
		err = a.invite(ctx)
	}
	if err == nil {
		// A service that fails ends the work; its error is the room's.
		working, stop := context.WithCancel(ctx)
		defer context.AfterFunc(living, stop)()
		err = work(working)
		stop()
	}
	endRoom()
	err = errors.Join(err, room.Wait())
	endRecord()
	recorder.Wait()
	a.session.Ended = time.Now()
	err = errors.Join(err, a.store.Put(background, a.session))
	endStore()
	writer.Wait()
	return errors.Join(err, stored, a.close())
}

// invite starts the experts that the user wants.
func (a *app) invite(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, name := range a.cfg.Builtin.V {
		spec := hub.Spec{Name: name, Command: []string{self, "expert", name}, Dir: a.cfg.Dir, Trusted: true}
		if err := a.hub.Add(ctx, spec); err != nil {
			return err
		}
	}
	for _, e := range a.cfg.Experts {
		spec := hub.Spec{Name: e.Name, Command: e.Command, Env: e.Env, Dir: e.Dir, Trusted: e.Trust}
		if spec.Dir == "" {
			spec.Dir = a.cfg.Dir
		}
		if err := a.hub.Add(ctx, spec); err != nil {
			return err
		}
	}
	return nil
}

// openLog makes the log file, lines of JSON: while the terminal is ours, nothing
// else may print. The MCP library logs to the default logger.
func openLog(dir string) (*slog.Logger, error) {
	path := filepath.Join(dir, "yaap.log")
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if info, err := os.Stat(path); err == nil && info.Size() > 8<<20 {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return nil, &core.Error{Code: core.CodeInternal, Op: "log", Message: "cannot write the log file " + path, Hint: "check its permissions", Err: err}
	}
	log := slog.New(slog.NewJSONHandler(maskedWriter{f}, nil))
	slog.SetDefault(log)
	return log, nil
}
