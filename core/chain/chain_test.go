package chain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/chain"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

const (
	thread = "thread"
	runID  = "run"
)

// stage is a chain with what surrounds it. Its agents and experts answer as
// play says, once: a run that has ended returns its result again, as the real
// ones do.
type stage struct {
	t       testing.TB
	chain   *chain.Chain
	cfg     chain.Config
	journal *storetest.List
	bus     *event.Bus
	feed    *event.Feed
	play    func(ctx context.Context, in core.Input) (core.Result, error)

	detailed bool // path tells all

	mu    sync.Mutex
	calls []string // node: question
	heard []int    // how many messages each of them was shown
}

func newStage(t testing.TB, source string) *stage {
	t.Helper()
	return stageOf(t, compile(t, source))
}

func stageOf(t testing.TB, c *chain.Chain) *stage {
	t.Helper()
	s := &stage{t: t, chain: c, journal: new(storetest.List), bus: new(event.Bus)}
	s.feed = s.bus.Feed()
	s.cfg = chain.Config{Journal: s.journal, Sink: s.bus, Lookup: func(string) (core.Runner, error) { return actor{s}, nil }}
	return s
}

func compile(t testing.TB, source string) *chain.Chain {
	t.Helper()
	spec, faults := chain.Parse("test.yaml", []byte(source))
	faults = append(faults, chain.Check(spec, chain.Known{})...)
	for _, f := range faults {
		if !f.Warning {
			t.Fatalf("%d:%d: %s (%s)", f.Pos.Line, f.Pos.Col, f.Message, f.Hint)
		}
	}
	c := must.Get(chain.Compile(spec, "hash"))(t)
	return c
}

// actor answers for every agent and expert.
type actor struct{ *stage }

func (a actor) Run(ctx context.Context, in core.Input) (core.Result, error) {
	saved, err := a.cfg.Journal.Load(context.WithoutCancel(ctx), in.Run)
	if err != nil {
		return core.Result{}, err
	}
	if n := len(saved.Messages); saved.Run.State == core.RunCompleted && n > 0 && saved.Messages[n-1].Reply != nil {
		return core.Result{Reply: *saved.Messages[n-1].Reply}, nil
	}
	question := in.Messages[len(in.Messages)-1].Text
	a.mu.Lock()
	a.calls = append(a.calls, in.Node+": "+question)
	a.heard = append(a.heard, len(in.Messages))
	a.mu.Unlock()
	result, err := a.play(ctx, in)
	if err != nil || len(result.Pauses) > 0 {
		return result, err
	}
	row := saved.Run
	row.State, row.Time = core.RunCompleted, time.Now()
	return result, a.cfg.Journal.Put(context.WithoutCancel(ctx), row, core.MessageRow{Thread: in.Thread, Message: core.Message{
		ID: in.Run + "/reply", Run: in.Run, Role: core.RoleAssistant, Reply: &result.Reply,
	}})
}

// begin stores a run as the orchestrator does.
func (s *stage) begin(text string, args map[string]any) core.Input {
	s.t.Helper()
	m := core.Message{ID: "question", Run: runID, Role: core.RoleUser, Text: text, Time: time.Now()}
	err := s.journal.Put(s.t.Context(), core.Thread{ID: thread}, s.row(core.RunRunning), core.MessageRow{Thread: thread, Message: m})
	must.Do(s.t, err)
	return core.Input{Scope: core.Scope{Thread: thread, Run: runID, Trace: runID}, Messages: []core.Message{m}, Args: args}
}

func (s *stage) row(state core.RunState) core.RunRow {
	return core.RunRow{ID: runID, Thread: thread, Runner: "chain/test", State: state, Time: time.Now()}
}

func (s *stage) run(text string, args map[string]any) (core.Result, error) {
	s.t.Helper()
	return s.chain.Runner(s.cfg).Run(s.t.Context(), s.begin(text, args))
}

// again goes on with the run, as the orchestrator does.
func (s *stage) again() (core.Result, error) {
	s.t.Helper()
	must.Do(s.t, s.journal.Put(s.t.Context(), s.row(core.RunRunning)))
	messages := must.Get(s.journal.Messages(s.t.Context(), thread))(s.t)
	in := core.Input{Scope: core.Scope{Thread: thread, Run: runID, Trace: runID}, Messages: messages}
	return s.chain.Runner(s.cfg).Run(s.t.Context(), in)
}

// says makes a play of replies by node: the visits of a node take them in
// order, the last one again and again.
func says(replies map[string][]core.Reply) func(context.Context, core.Input) (core.Result, error) {
	var mu sync.Mutex
	next := map[string]int{}
	return func(_ context.Context, in core.Input) (core.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		list := replies[in.Node]
		if len(list) == 0 {
			return core.Result{}, fmt.Errorf("nobody plays %s", in.Node)
		}
		i := min(next[in.Node], len(list)-1)
		next[in.Node]++
		return core.Result{Reply: list[i]}, nil
	}
}

func good(message string, data map[string]any) core.Reply {
	if data == nil {
		data = map[string]any{}
	}
	return core.Reply{Thought: "secret", Status: core.StatusSuccess, Message: message, Data: data}
}

func bad(message string) core.Reply {
	return core.Reply{Status: core.StatusFailure, Message: message, Data: map[string]any{}}
}

// path tells what happened in the root run, in short; what happened in chains
// below it is told behind their id where detailed is set, together with what
// conditions saw.
func (s *stage) path() []string {
	s.t.Helper()
	var out []string
	open := map[string]int{}
	for _, e := range s.feed.Pending() {
		line, where := "", ""
		if e.Run != runID {
			if !s.detailed {
				continue
			}
			where = strings.TrimPrefix(e.Run, runID+"/") + "| "
		}
		switch b := e.Body.(type) {
		case core.NodeStart:
			open[where+b.Node]++
			line = fmt.Sprintf("start %s#%d", b.Node, b.Visit)
			if s.detailed && b.Attempt > 1 {
				line += fmt.Sprint(", attempt ", b.Attempt)
			}
		case core.NodeEnd:
			open[where+b.Node]--
			line = fmt.Sprintf("end %s %s", b.Node, b.State)
			if s.detailed && b.Error != "" {
				line += ": " + b.Error
			}
		case core.EdgeTaken:
			arrow := " -> "
			if !b.Taken {
				arrow = " -x "
			}
			line = strings.TrimSpace(b.From + arrow + b.To + " " + b.Condition)
			if s.detailed {
				line = strings.TrimSpace(line + " " + seen(b))
			}
		case core.ChainPaused:
			line = "paused at " + b.Node
			if s.detailed {
				line += ": " + asJSON(b.Pause.Question) + " " + asJSON(b.Pause.Options)
			}
		case core.ChainResumed:
			line = "resumed"
			if s.detailed && b.Node != "" {
				line += " at " + b.Node
			}
		default:
			continue
		}
		out = append(out, where+line)
	}
	for node, n := range open {
		if n != 0 {
			s.t.Errorf("%s: %+d starts without an end", node, n)
		}
	}
	return out
}

func asJSON(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}
