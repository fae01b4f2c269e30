package room

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/bidding"
	"github.com/yaap-chat/yaap/core/chain"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/diagram"
	"github.com/yaap-chat/yaap/core/orchestrator"
	"github.com/yaap-chat/yaap/core/replay"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/text"
	"github.com/yaap-chat/yaap/core/wire"
)

const (
	rerunTime  = 5 * time.Minute
	maxCompare = 300 // bytes of a value that is another
	maxTitle   = 100 // characters of a question
	maxSpeed   = 1000
	maxPages   = 250 // of a conversation that is shown again
)

func replayCommands() []Command {
	return []Command{{
		Command: core.Command{Name: "replay", Args: "[THREAD|FILE]", Does: "play a conversation again, or check whether a recording still has the same outcome", Flags: []core.Flag{
			{Name: "at-once", Default: false, Does: "print all of it, as text"},
			{Name: "speed", Default: "1", Does: "how much faster than it happened: 1/8, 0.5, 4, max"},
			{Name: "rerun", Default: false, Does: "answer the question again with what was recorded, and compare the events"},
		}},
		Long: "See a conversation again as it happened: THREAD is its id, the beginning of that, or its\n" +
			"title, and without it the last one; FILE is what yaap run --record FILE has written. In\n" +
			"a terminal it goes at its own pace, but waits for nothing longer than three seconds:\n" +
			"space pauses, right and left are a step, [ and ] a question, + and - the speed.\n" +
			"Elsewhere, and with --at-once, all of it is printed.\n\n" +
			"With --rerun the question of FILE is answered again by this yaap, with the replies of the\n" +
			"models and the answers of the experts that are in it: nobody is asked, nothing is started\n" +
			"and nothing is kept. So are the questions of THREAD, as far as what they were given is\n" +
			"stored. Exit codes: 0 the same events came of it, 1 others did.",
		Most: 1, Where: atShell, Run: replayed,
	}}
}

// replayed runs a recording again, or the questions of a conversation that is stored.
func replayed(ctx context.Context, c *Call) (core.Doc, error) {
	if !c.isRecording() {
		return rerunThread(ctx, c)
	}
	rec, err := replay.Read(c.Args[0])
	if err != nil {
		return core.Doc{}, err
	}
	return rerun(ctx, c.Config, rec)
}

// rerunThread answers the questions of a conversation again, as far as what they were given is stored.
func rerunThread(ctx context.Context, c *Call) (doc core.Doc, err error) {
	var asked []core.Message
	err = c.stored(ctx, func(ctx context.Context) error {
		thread, err := c.conversation(ctx)
		if err != nil {
			return err
		}
		said, err := c.store.Messages(ctx, thread.ID)
		if err != nil {
			return err
		}
		for i, m := range said {
			if m.Role != core.RoleUser || m.Run == "" || slices.ContainsFunc(said[:i], func(before core.Message) bool { return before.Run == m.Run }) {
				continue
			}
			asked = append(asked, m)
			again, err := c.rerunStored(ctx, m.Run, said)
			if err != nil {
				again = core.Say(core.Remark, "not answered again: "+err.Error())
				again.Failed = true
			}
			doc.Parts = append(doc.Parts, core.Part{Kind: core.Block, Text: safe.Cut(safe.Line(m.Text), maxTitle)})
			for _, part := range again.Parts {
				part.Text = "  " + strings.ReplaceAll(strings.TrimRight(part.Text, "\n"), "\n", "\n  ")
				doc.Parts = append(doc.Parts, part)
			}
			doc.Failed = doc.Failed || again.Failed
		}
		return nil
	})
	if err == nil && len(asked) == 0 {
		doc = core.Say(core.Remark, "nothing was asked in this conversation")
	}
	return doc, err
}

// rerunStored answers a question again that is stored.
func (c *Call) rerunStored(ctx context.Context, run string, said []core.Message) (core.Doc, error) {
	s := replay.Stored{Said: said, Saved: map[string]core.Saved{}, Finder: agent.FindName, Choosing: offlineName, Head: replay.Head{
		Runner: c.Config.Runner.V, MaxTurns: c.Config.MaxTurns.V, ReAsks: c.Config.ReAsks.V, Guards: c.Config.Guard.V, Chains: c.Config.Chains.V,
	}}
	var err error
	if s.Root, err = c.store.FindRun(ctx, run); err != nil {
		return core.Doc{}, err
	}
	if s.Events, err = c.store.RunEvents(ctx, run); err != nil {
		return core.Doc{}, err
	}
	for _, e := range s.Events {
		if _, known := s.Saved[e.Run]; known {
			continue
		}
		if s.Saved[e.Run], err = c.store.Load(ctx, e.Run); err != nil {
			return core.Doc{}, err
		}
	}
	chains := map[string]bool{}
	for _, name := range c.Config.Chains.V {
		if found, _, _, err := readChain(c.Config, name); err == nil {
			chains["chain_"+found.Spec.Name] = true
		}
	}
	s.Adds = func(name string) bool { return agent.IsOwnTool(name) || chains[name] }
	if s.Agents, err = c.agents(); err != nil {
		return core.Doc{}, err
	}
	if args, ok := chain.InitialArgs(s.Saved[run]); ok && strings.HasPrefix(s.Root.Runner, "chain/") {
		s.Args = args
	}
	rec, err := s.Recording()
	if err != nil {
		return core.Doc{}, err
	}
	return rerun(ctx, c.Config, rec)
}

// agents are those of the user.
func (c *Call) agents() (list []replay.Agent, err error) {
	models, err := newModels(c.Config, c.Getenv, new(wire.Tap), c.keeper())
	if err != nil {
		return nil, err
	}
	all, err := readAgents(c.Config, models)
	return recordedAgents(all), err
}

// Replay is a conversation to be shown again.
type Replay struct {
	Thread, Title string
	Pages         []core.Page // the first first
	Speed         float64
	Graph         func(runner string) (diagram.Graph, error)
}

// LoadReplay reads the conversation, or the recording, that a call of the command replay names.
func LoadReplay(ctx context.Context, c *Call) (s Replay, err error) {
	if s.Speed, err = c.speed("replay"); err != nil {
		return s, err
	}
	s.Graph = c.written
	if !c.isRecording() {
		err = c.stored(ctx, func(ctx context.Context) error {
			thread, err := c.conversation(ctx)
			if err != nil {
				return err
			}
			s.Thread, s.Title = thread.ID, thread.Title
			s.Pages, err = pages(ctx, c.store.Store, thread.ID)
			return err
		})
		return s, err
	}
	rec, err := replay.Read(c.Args[0])
	if err != nil {
		return s, err
	}
	s.Thread, s.Title, s.Pages = rec.Thread, filepath.Base(c.Args[0]), []core.Page{rec.Page()}
	r := &Room{Options: Options{Config: c.Config}, replaySource: replaySource{player: replay.NewPlayer(rec), played: rec}}
	s.Graph = func(runner string) (diagram.Graph, error) {
		found, _, err := r.chain(strings.TrimPrefix(runner, "chain/"))
		if err != nil {
			return diagram.Graph{}, err
		}
		return graphOf(found.Spec), nil
	}
	return s, nil
}

// written is how a chain is written now.
func (c *Call) written(runner string) (diagram.Graph, error) { return writtenGraph(c.Config, runner) }

// isRecording reports whether what is named is a path, and not a conversation.
func (c *Call) isRecording() bool {
	word := strings.Join(c.Args, "")
	_, err := os.Stat(word)
	return err == nil || strings.HasSuffix(word, ".jsonl") || strings.ContainsRune(word, filepath.Separator)
}

// speed is how much faster than it happened something shall be shown.
func (c *Call) speed(command string) (float64, error) {
	above, below, divided := strings.Cut(c.text("speed"), "/")
	if above == "max" {
		return maxSpeed, nil
	}
	speed, err := strconv.ParseFloat(above, 64)
	if divided && err == nil {
		var by float64
		by, err = strconv.ParseFloat(below, 64)
		speed /= by
	}
	if err != nil || !(speed > 0 && speed <= maxSpeed) {
		return 0, c.misused(command, "the speed is a number above 0, and not "+safe.Line(c.text("speed")))
	}
	return speed, nil
}

// conversation finds the one that is named by its id, the beginning of that, or its title:
// the last one, where none is named.
func (c *Call) conversation(ctx context.Context) (core.Thread, error) {
	if len(c.Args) == 0 {
		return c.exported(ctx)
	}
	thread, err := c.store.Thread(ctx, c.Args[0])
	if core.CodeOf(err) != core.CodeNotFound {
		return thread, err
	}
	all, failed := c.store.Threads(ctx, core.ThreadQuery{})
	if failed != nil {
		return thread, failed
	}
	for _, t := range all { // the last first
		if strings.EqualFold(t.Title, c.Args[0]) {
			return t, nil
		}
	}
	return thread, misnamed(err, "yaap threads list shows them; a recording is named by its path")
}

// pages are all of a conversation, as far as it is shown again.
func pages(ctx context.Context, s *store.Store, thread string) (list []core.Page, err error) {
	for before := ""; len(list) < maxPages; {
		page, err := s.Page(ctx, thread, before, pageMessages)
		if err != nil {
			return nil, err
		}
		if len(page.Messages) == 0 {
			break
		}
		list = append(list, page)
		if before = page.Messages[0].Run; !page.Earlier || before == "" {
			break
		}
	}
	slices.Reverse(list)
	return list, nil
}

// rerun answers the question of a recording again, and says what is not the same.
func rerun(ctx context.Context, cfg config.Config, rec *replay.Recording) (core.Doc, error) {
	root, ok := rec.Root()
	if !ok {
		return core.Doc{}, core.Fail(core.CodeInvalid, "nothing was answered in this recording", "record another question")
	}
	if end, ended := rec.End(root.Run); !ended || end.Code == core.CodeCancelled {
		return core.Doc{}, core.Fail(core.CodeInvalid, "the answer was cut off, and when cannot be recorded", "record the question again, and let it be answered")
	}
	player := replay.NewPlayer(rec)
	events, err := playAgain(ctx, cfg, rec, player, core.Scope{Thread: rec.Thread, Run: root.Run})
	if err != nil {
		return core.Doc{}, err
	}
	first, same, err := rec.Compare(events)
	if err != nil {
		return core.Doc{}, err
	}
	var doc core.Doc
	if first == nil {
		doc = core.Say(core.Block, "the same "+text.Count(same, "event", "events"))
	} else {
		doc = core.Say(core.Block, differenceOf(*first))
		doc.Failed = true
	}
	if n := player.Others(); n > 0 {
		doc.Remark(text.Count(n, "request", "requests") + " to a model asked something else than when it was recorded; the recorded reply was given all the same")
	}
	if rec.Masked {
		doc.Remark("secrets were taken out of the recording: what guardrails find is not compared")
	}
	return doc, nil
}

// playAgain answers the question of a recording in a room of its own, and returns what happened.
func playAgain(ctx context.Context, cfg config.Config, rec *replay.Recording, player *replay.Player, in core.Scope) (events []core.Event, err error) {
	scratch, err := newEphemeralDir(cfg, false)
	if err != nil {
		return nil, err
	}
	defer func() {
		if removed := scratch.remove(); err == nil {
			err = removed
		}
	}()
	ctx, stop := context.WithTimeout(ctx, rerunTime)
	defer stop()
	err = store.With(ctx, scratch.dir, func(ctx context.Context, s *store.Store) error {
		r, err := newRerun(ctx, cfg, rec, player, s)
		if err != nil {
			return err
		}
		if err := s.Put(ctx, append([]core.Row{r.session}, before(rec)...)...); err != nil {
			return err
		}
		feed := r.bus.Feed()
		defer feed.Close()
		if rec.Args != nil {
			_, _ = r.chat.Start(ctx, in, rec.Runner, rec.Prompt, rec.Args)
		} else {
			_, _ = r.chat.Prompt(ctx, in, rec.Prompt)
		}
		events = feed.Pending() // its result is in them
		switch core.CodeOf(ctx.Err()) {
		case "":
			return nil
		case core.CodeTimedOut:
			return core.Fail(core.CodeTimedOut, "the rerun took longer than "+rerunTime.String(), "record a question that is answered sooner")
		}
		return core.Cancelled(ctx)
	})
	return events, err
}

// before is what was said before a recording began.
func before(rec *replay.Recording) (rows []core.Row) {
	if len(rec.Said) == 0 {
		return nil
	}
	now := time.Now()
	rows = []core.Row{core.Thread{ID: rec.Thread, Title: "recorded", Created: now, Updated: now}}
	seen := map[string]bool{"": true}
	for _, m := range rec.Said {
		if !seen[m.Run] {
			seen[m.Run] = true
			rows = append(rows, core.RunRow{ID: m.Run, Thread: rec.Thread, Runner: agentName, State: core.RunCompleted, Time: m.Time})
		}
		rows = append(rows, core.MessageRow{Thread: rec.Thread, Message: m})
	}
	return rows
}

// newRerun makes a room in which nobody is but a recording.
func newRerun(ctx context.Context, cfg config.Config, rec *replay.Recording, player *replay.Player, s *store.Store) (*Room, error) {
	cfg.MaxTurns.V, cfg.ReAsks.V, cfg.Runner.V, cfg.Chains.V, cfg.Guard.V = rec.MaxTurns, rec.ReAsks, rec.Runner, rec.Chains, rec.Guards
	r := &Room{Options: Options{Config: cfg}, log: slog.New(slog.DiscardHandler), bus: &maskedBus{masking: MaskingOf(cfg.Guard.V)}}
	r.store = maskedStore{Store: s, masking: r.bus.masking}
	r.replaySource = replaySource{here: player, player: player, played: rec}
	r.session = core.Session{ID: orchestrator.NewThread(), Started: time.Now()}
	r.models = &models{cfg: cfg, env: os.Getenv, model: player.Model(rec.Model)}
	for _, name := range rec.Fallbacks {
		r.models.fallbacks = append(r.models.fallbacks, player.Model(name))
	}
	var err error
	if r.ledger, err = bidding.NewLedger(ctx, r.store, r.log); err != nil {
		return nil, err
	}
	var agents []agent.Peer
	for _, a := range rec.Agents {
		p := agent.Peer{Name: a.Name, Description: a.Description, Tools: a.Tools, Handoffs: a.Handoffs}
		if a.Model != "" {
			p.Model = player.Model(a.Model)
		}
		agents = append(agents, p)
	}
	chains, err := r.chainTools(rec.Chains)
	if err != nil {
		return nil, err
	}
	room := r.agentConfig()
	room.Tools = tools{Toolbox: player, chains: chains, own: player.Own(), offline: r.models.offline}
	room.Rank = player.Rank
	r.team = newTeam(room, agents, r.models)
	r.chat = orchestrator.New(orchestrator.Config{
		Journal: r.journal(), Conversations: r.store, Lookup: r.lookup, Session: r.session.ID, Runner: rec.Runner,
		Guard: rec.Guards[core.GuardInput], Sink: r.bus,
	})
	return r, nil
}

// playedChain is a chain as it was recorded.
func (r *Room) playedChain(name string) (*chain.Chain, source, error) {
	find := func(name string) (source, error) {
		kept, ok := r.played.Sources[name]
		if !ok && r.played.Stored() { // how it was written then is not
			return findChain(r.Config, name)
		}
		if !ok || len(kept.Text) > maxChainFile {
			return source{}, core.Fail(core.CodeNotFound, "the recording does not have the chain "+safe.Line(name), "record the question again")
		}
		return source{name: kept.Called, path: kept.Path, dir: filepath.Clean(kept.Dir), text: []byte(kept.Text)}, nil
	}
	src, err := find(name)
	if err != nil {
		return nil, src, err
	}
	what := known(r.Config, src, find)
	what.Agents, what.Experts = nil, nil
	c, _, err := src.compile(what)
	return c, src, err
}

// differenceOf is the first difference, for people.
func differenceOf(d replay.Difference) string {
	var b strings.Builder
	value := func(v string) string { return safe.Cut(safe.Line(v), maxCompare) }
	place := func(e *core.Event) string {
		where := safe.Line(e.Type())
		if e.Turn > 0 {
			where += fmt.Sprintf(" of turn %d", e.Turn)
		}
		if e.Node != "" {
			where += " at the node " + safe.Line(e.Node)
		}
		return where
	}
	switch {
	case d.Recorded == nil:
		fmt.Fprintf(&b, "one event more than was recorded: %s\n", place(d.Now))
	case d.Now == nil:
		fmt.Fprintf(&b, "event %d, %s, does not come any more\n", d.At, place(d.Recorded))
	case d.Recorded.Type() != d.Now.Type():
		fmt.Fprintf(&b, "event %d is another\n- %s\n+ %s\n", d.At, place(d.Recorded), place(d.Now))
	default:
		fmt.Fprintf(&b, "event %d, %s, is another\n", d.At, place(d.Recorded))
		for _, f := range d.Fields {
			fmt.Fprintf(&b, "  %s\n- %s\n+ %s\n", value(f.Name), value(f.Recorded), value(f.Now))
		}
	}
	return b.String()
}
