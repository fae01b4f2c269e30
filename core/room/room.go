// Package room is the room as a library: who is in it, who answers, what is
// recorded, and one table of the commands by which people use it. The terminal and
// the shell only show what it says.
package room

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

	"golang.org/x/sync/errgroup"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/bidding"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/hook"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/link"
	"github.com/yaap-chat/yaap/core/hub/login"
	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/media"
	"github.com/yaap-chat/yaap/core/memory"
	"github.com/yaap-chat/yaap/core/orchestrator"
	"github.com/yaap-chat/yaap/core/private"
	"github.com/yaap-chat/yaap/core/roomhelp"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/trust"
	"github.com/yaap-chat/yaap/core/wire"
	"github.com/yaap-chat/yaap/prompts"
)

// Options is what a room is made with.
type Options struct {
	Config   config.Config
	Getenv   func(string) string
	Version  string
	Builtins []string       // the names of the built-in experts
	Attended bool           // somebody sits here, and can be asked
	GoesOn   bool           // an earlier conversation is resumed
	Migrate  bool           // runs may go on although their chain's file has changed
	Wire     string         // the file that every frame is written to; empty: none
	Record   string         // the file that a question is recorded in; empty: none
	Cast     Cast           // nil: there is nobody who draws
	Guide    roomhelp.Guide // the keys, the flags and the commands of the shell
}

// Room is one room, wired: hub → agent → orchestrator → link, server.
type Room struct {
	Options
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
	own     roomTools
	trust   *trust.Store
	listed  *listedExperts
	written *promptExperts // the experts that are files of the user
	seen    sync.Map       // what the user was shown of an expert's changes: name → []core.ToolChange
	facts   *event.Feed    // of the recorder
	tap     wire.Tap       // where what passes between the room and others is seen
	sent    llm.Exchanges
	replaySource

	services []func(context.Context) error // beside the work
	unmet    func()                        // tells once which rules are for nobody
	closers  []func() error                // of what was opened, in order
}

// Open makes a room. Nothing runs before Run does. The program it is part of has to
// know the commands "expert NAME", which is a built-in expert, and "guard", which is
// [link.ServeGuard].
func Open(ctx context.Context, o Options) (_ *Room, err error) {
	cfg := o.Config
	a := &Room{Options: o, bus: &maskedBus{masking: MaskingOf(cfg.Guard.V)}}
	a.facts = a.bus.Feed()
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close())
		}
	}()
	sweepEphemeralDirs(cfg.TempDir)
	if cfg.Ephemeral.V {
		scratch, err := newEphemeralDir(cfg, o.GoesOn)
		if err != nil {
			return nil, err
		}
		a.closers = append(a.closers, scratch.remove)
		cfg.StateDir, cfg.RunDirs = scratch.dir, cfg.RunDirs[:1] // nothing of it in the home directory
	}
	a.Config = cfg
	if err := a.follow(); err != nil {
		return nil, err
	}
	a.trust = trust.New(cfg.StateDir, cfg.Dir, trust.Rules{Ask: cfg.Approve.V, Allow: cfg.Allow})
	if a.models, err = newModels(cfg, o.Getenv, &a.tap, a.trust); err != nil {
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
	a.store = maskedStore{db, a.bus.masking, new(memoryNews), &a.sent}
	a.closers = append(a.closers, a.store.Close)
	file, err := openLog(cfg.StateDir)
	if err != nil {
		return nil, err
	}
	a.closers = append(a.closers, file.Close) // Windows removes nothing that is open
	a.log = slog.New(slog.NewJSONHandler(maskedWriter{file}, nil))
	slog.SetDefault(a.log) // the MCP library logs to it
	if a.ledger, err = bidding.NewLedger(ctx, a.store, a.log); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	guard, err := link.StartGuard(self, "guard")
	if err != nil {
		return nil, err
	}
	a.closers = append(a.closers, func() error {
		if err := guard.Close(); err != nil { // somebody killed it; the experts are gone already
			a.log.Warn("the guard did not end in order", "err", err)
		}
		return nil
	})
	a.session = core.Session{ID: a.store.Room(), Started: time.Now(), Dir: a.Config.Dir, Unattended: !a.Attended}
	files := &media.FileStore{Dir: FilesDir(cfg)}
	opener := &link.Opener{Guard: guard, Lookup: os.LookupEnv, Version: o.Version, Logins: login.New(cfg.StateDir), Keep: files.Keep, Tap: &a.tap}
	opener.Ask = func(ctx context.Context, p core.Pause) (core.Answer, error) { return a.chat.Ask(ctx, p) }
	opener.Changed = a.changed
	opener.Log = func(b core.ExpertLogged) { a.bus.Emit(core.Scope{}, b) }
	opener.Sample = (&sampler{room: a, used: map[string]int{}}).sample
	a.hub = hub.New(noticeDedup{a.bus, a}, opener, a.trust)
	a.hub.SetMaxExperts(cfg.MaxExperts.V)
	if err := a.listen(); err != nil {
		return nil, err
	}
	return a, a.wire(rules, agents, guard)
}

// notice tells all who look on.
func (r *Room) notice(level, text, hint string) {
	r.bus.Emit(core.Scope{}, core.Notice{Level: level, Text: text, Hint: hint})
}

// close gives up what open has taken, the last first.
func (r *Room) close() (err error) {
	for _, closer := range slices.Backward(r.closers) {
		err = errors.Join(err, closer())
	}
	return err
}

// wire puts together who answers, and what runs beside.
func (r *Room) wire(rules memory.Prompts, agents []agent.Peer, guard *link.Guard) error {
	if r.Config.Memory.V {
		r.memory = r.newRecording(rules)
	}
	room := r.agentConfig()
	chains, err := r.chainTools(r.Config.Chains.V)
	if err != nil {
		return err
	}
	if err := r.openRoomTools(); err != nil {
		return err
	}
	own := r.own.tools()
	if r.memory != nil {
		own = append(own, r.memory.SearchTool())
	}
	bidders := r.Bidders(r.bidTime())
	r.models.embedded.Bidders = bidders
	r.models.embedded.Away = r.away
	if r.memory != nil {
		r.models.embedded.Statement = func(text string) bool { _, ok := lang.Statement(text); return ok }
		r.models.embedded.Note = lang.IsWorthNoting
	}
	room.Tools = tools{Toolbox: bidding.RecordOutcomes(r.here, r.ledger), chains: chains, own: r.tape.Tools(own), offline: r.models.offline}
	room.Rank = r.ranking(bidders)
	for i, a := range agents {
		agents[i].Model = r.tape.Model(a.Model)
	}
	r.team = newTeam(room, agents, r.models)
	said := store.NewMessageCache(r.store.Store, func(m core.Message) core.Message { return Clean(r.store.masking, m) })
	r.chat = orchestrator.New(orchestrator.Config{
		Journal: r.journal(), Conversations: conversations{r.store, said}, Lookup: r.lookup, Session: r.session.ID, Runner: r.Config.Runner.V,
		Guard: r.Config.Guard.V[core.GuardInput], Sink: r.bus, Attended: r.Attended, Ready: r.checkAnswerable,
	})
	if r.Attended {
		r.trust.SetAsker(r.chat)
	}
	var tools, graph []core.Tool // what other programs may do with what is remembered, and the same as a knowledge graph
	if r.memory != nil {
		cfg := r.toolsConfig(rules)
		tools, graph = memory.Tools(cfg), memory.GraphTools(cfg)
	}
	door := server.New(server.Config{
		Hub: r.hub, Chat: r.AskFromOutside, Thread: orchestrator.NewThread, Tools: tools, Graph: graph, Prompts: openPrompts(rules),
		Invite: r.takeIn, Experts: r.toolsForPrograms, Follow: r.hearOf, Resources: r.resources(),
		Dir: r.Config.Dir, RunDirs: r.Config.RunDirs, Leave: guard.Leave, Version: r.Version, Log: r.log, Tap: &r.tap, Wire: r.Wire,
	})
	r.store.news.updated.Store(new(door.Updated))
	joining, telling := r.bus.Feed(), r.bus.Feed()
	r.listed, r.written = newListedExperts(r), newPromptExperts(r)
	r.unmet = sync.OnceFunc(r.unmetRules)
	r.services = []func(context.Context) error{r.hub.Run, r.purge, r.models.preload, r.listed.run, func(ctx context.Context) error {
		defer joining.Close()
		return bidders.Run(ctx, joining.Next)
	}, func(ctx context.Context) error {
		defer telling.Close()
		return tellPrograms(ctx, telling, door)
	}, func(ctx context.Context) error {
		if err := door.Run(ctx); err != nil { // the room is as good without it
			r.log.Error("the door is shut", "err", err)
			r.notice("warn", "experts in other terminals cannot join: "+err.Error(), cmp.Or(core.HintOf(err), "those that the room starts itself work as ever"))
		}
		return nil
	}}
	if r.memory != nil {
		r.services = append(r.services, r.memory.Run, r.memory.meaning.Run)
	}
	r.record()
	return nil
}

// follow writes every frame to the file that the user named.
func (r *Room) follow() error {
	if r.Wire == "" {
		return nil
	}
	file, err := wire.Create(r.Wire)
	if err == nil {
		r.Wire, err = filepath.Abs(r.Wire) // others read it, too
	}
	if err == nil {
		r.tap.Subscribe(file.Write)
		r.closers = append(r.closers, file.Close)
	}
	return err
}

// purge removes the entries whose time is over.
func (r *Room) purge(ctx context.Context) error {
	n, err := r.store.PurgeExpired(ctx)
	if err != nil { // they are not found all the same
		r.log.Warn("expired entries were not removed", "err", err)
	} else if n > 0 {
		r.log.Info("expired entries were removed", "entries", n)
	}
	return nil
}

// bidTime is how long experts have to bid.
func (r *Room) bidTime() time.Duration { return time.Duration(r.Config.BidMS.V) * time.Millisecond }

// journal is where runs keep what must not be lost.
func (r *Room) journal() journal { return journal{maskedStore: r.store, memory: r.memory} }

// hooks are the commands of the user's, with as little of the environment as experts
// are given.
func (r *Room) hooks() *hook.Set {
	return &hook.Set{Hooks: r.Config.Hooks.V, Dir: r.Config.Dir, Env: link.Environment(hub.Spec{}, os.LookupEnv)}
}

// agentConfig is what every agent of the room has in common.
func (r *Room) agentConfig() agent.Config {
	reAsks := cmp.Or(r.Config.ReAsks.V, -1)
	cfg := agent.Config{
		Prompt: prompts.Orchestrator(), Project: r.project, ModelFor: func() llm.Model { return r.tape.Model(r.models.current()) }, Tools: r.here,
		Journal: r.journal(), Sink: r.bus, Log: r.log,
		Clarify:   true,
		Cites:     r.Config.Cites.V,
		Todo:      r.Config.Todo.V,
		Limits:    agent.Limits{MaxTurns: r.Config.MaxTurns.V, ReAsks: reAsks},
		Approvals: r.trust, Hooks: r.hooks(), Keep: (&media.FileStore{Dir: FilesDir(r.Config)}).Keep,
		Exchanges: &r.sent, Summing: prompts.Compact(),
		Guards: agent.Guards{
			Args: r.Config.Guard.V[core.GuardArgs], Results: r.Config.Guard.V[core.GuardResult], Output: r.Config.Guard.V[core.GuardOutput], Judge: r.models.judge,
		},
	}
	for _, m := range r.models.fallbacks {
		cfg.Fallbacks = append(cfg.Fallbacks, r.tape.Model(m))
	}
	if r.player != nil {
		cfg.Approvals, cfg.Keep, cfg.Project, cfg.Backoff = r.player, r.player.Keep, nil, llm.Backoff{Base: time.Nanosecond}
	}
	return cfg
}

// Run opens the room, does work in it, and closes it: first the experts and the
// door, then the recorder of what they did, then the store.
func (r *Room) Run(ctx context.Context, work func(context.Context) error) error {
	background := context.WithoutCancel(ctx)
	storing, endStore := context.WithCancel(background)
	defer endStore()
	var writer sync.WaitGroup
	var stored error
	writer.Go(func() { stored = r.store.Run(storing) })
	recording, endRecord := context.WithCancel(background)
	defer endRecord()
	var recorder sync.WaitGroup
	recorder.Go(func() { r.newRoomEventRecorder().run(recording) })

	living, endRoom := context.WithCancel(background)
	defer endRoom()
	room, living := errgroup.WithContext(living)
	err := r.store.Put(ctx, append(r.memory.rows(), r.session)...) // before anybody comes in who reads it
	if err == nil {
		for _, service := range r.services {
			room.Go(func() error { return service(living) })
		}
		err = r.invite(ctx)
	}
	if err == nil {
		room.Go(func() error { return r.watchRules(living) })
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
	r.session.Ended = time.Now()
	err = errors.Join(err, r.store.Put(background, r.session))
	endStore()
	writer.Wait()
	return errors.Join(err, stored, r.close())
}

// invite starts the experts that the user wants.
func (r *Room) invite(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, name := range r.Config.Builtin.V {
		spec := hub.Spec{Name: name, Command: []string{self, "expert", name}, Dir: r.Config.Dir, Trusted: true}
		if err := r.hub.Add(ctx, spec); err != nil {
			return err
		}
	}
	r.listed.sync(ctx)
	r.written.sync(ctx)
	return nil
}

const logName = "yaap.log"

// openLog opens the log file, lines of JSON: while the terminal is ours, nothing
// else may print.
func openLog(dir string) (*os.File, error) {
	path := filepath.Join(dir, logName)
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if info, err := os.Stat(path); err == nil && info.Size() > 8<<20 {
		flags |= os.O_TRUNC
	}
	f, err := private.OpenFile(path, flags, 0o600)
	if err != nil {
		return nil, core.Fail(core.CodeInternal, "cannot write the log file "+path, "take away what is in its place, or check its permissions").Because(err)
	}
	return f, nil
}
