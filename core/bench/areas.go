package bench

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/chain"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/sacp"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/yaap"
)

const turns = 10 // of a run that is measured

func start(ctx context.Context, each time.Duration) ([]Figure, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	w := watch{each: each}
	for w.more() {
		if err := exec.CommandContext(ctx, self, "--version").Run(); err != nil {
			return nil, err
		}
		w.took()
	}
	f := w.figure("yaap --version")
	f.Allocs = 0 // of another process
	return []Figure{f}, nil
}

// caller is a model that calls the one tool for ever, each time with something else.
type caller struct{}

// Name implements [llm.Model].
func (caller) Name() string { return "bench" }

// Stream implements [llm.Model].
func (caller) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		call := core.Call{ID: "call", Tool: "adder", Args: fmt.Appendf(nil, `{"prompt":"1+%d"}`, len(req.Messages))}
		if yield(llm.Chunk{Calls: []core.Call{call}}, nil) {
			yield(llm.Chunk{Done: &llm.Done{Reason: llm.ReasonCalls}}, nil)
		}
	}
}

// adder is a tool that answers at once. It says what it is from memory, as experts'
// tools do.
type adder struct{ spec core.ToolSpec }

// Spec implements [core.Tool].
func (a adder) Spec() core.ToolSpec { return a.spec }

// Call implements [core.Tool].
func (adder) Call(context.Context, core.Call) (core.ToolResult, error) {
	return core.ToolResult{Status: core.ToolSuccess, Text: "2"}, nil
}

// box has one tool.
type box []core.Tool

// Tools implements [core.Toolbox].
func (b box) Tools() core.Toolset { return core.Toolset{Rev: 1, Tools: b} }

func turn(ctx context.Context, each time.Duration) ([]Figure, error) {
	tool := adder{core.ToolSpec{Name: "adder", Owner: "adder", Description: "Adds.", Schema: core.PromptSchema(), Claims: core.Claims{ReadOnly: new(true)}}}
	a := agent.New(agent.Config{
		Prompt: "Answer.", Model: caller{}, Tools: box{tool}, Journal: core.DiscardJournal{}, Sink: new(event.Bus), Limits: agent.Limits{MaxTurns: turns},
	})
	w := watch{each: each}
	for n := 0; w.more(); n++ {
		in := core.Input{Scope: core.Scope{Thread: "bench", Run: fmt.Sprint("run", n)}, Messages: []core.Message{{ID: "q", Role: core.RoleUser, Text: "go"}}}
		if _, err := a.Run(ctx, in); core.CodeOf(err) != core.CodeMaxTurns {
			return nil, fmt.Errorf("the run ended with %w", err)
		}
		w.took()
	}
	return []Figure{w.figure("a turn with one call").per(turns)}, nil
}

// line is a chain of n functions that answer at once.
func line(n int) chain.Spec {
	spec := chain.Spec{Name: "line", Limits: chain.Limits{Steps: n + 1}}
	from := chain.Start
	for i := range n {
		id := fmt.Sprint("n", i)
		spec.Nodes = append(spec.Nodes, chain.Node{ID: id, Kind: chain.KindFunction, Name: "set"})
		spec.Edges = append(spec.Edges, chain.Edge{From: from, To: id})
		from = id
	}
	spec.Edges = append(spec.Edges, chain.Edge{From: from, To: chain.End})
	return spec
}

func chains(ctx context.Context, each time.Duration) (figures []Figure, err error) {
	for _, n := range []int{10, 1000} {
		c, err := chain.Compile(line(n), "")
		if err != nil {
			return nil, err
		}
		runner := c.Runner(chain.Config{Journal: core.DiscardJournal{}, Sink: new(event.Bus)})
		w := watch{each: each}
		for w.more() {
			if _, err := runner.Run(ctx, core.Input{Scope: core.Scope{Run: "run", Trace: "run"}}); err != nil {
				return nil, err
			}
			w.took()
		}
		figures = append(figures, w.figure(fmt.Sprintf("a node of %d", n)).per(n))
	}
	return figures, nil
}

func stream(_ context.Context, each time.Duration) (figures []Figure, err error) {
	for _, kb := range []int{10, 100} {
		reply := string(sacp.Encode(core.Reply{Status: core.StatusSuccess, Thought: "I see.", Message: strings.Repeat("A line of \"text\" with é and 😀.\n", kb*31)}))
		pieces := 0
		w := watch{each: each}
		for w.more() {
			var d sacp.Decoder
			pieces = 0
			for i := 0; i < len(reply); i += 40 {
				d.Write(reply[i:min(i+40, len(reply))])
				pieces++
			}
			d.Close()
			w.took()
		}
		figures = append(figures, w.figure(fmt.Sprintf("40 bytes of %d KB", kb)).per(pieces))
	}
	return figures, nil
}

// guest is an expert without a process.
type guest struct {
	name string
	done chan struct{}
}

func (g guest) Tools(context.Context) ([]core.ToolSpec, error) {
	return []core.ToolSpec{{Name: g.name, Description: "Adds numbers.", Claims: core.Claims{ReadOnly: new(true)}}}, nil
}

func (g guest) Call(_ context.Context, c core.Call) (core.ToolResult, error) {
	if c.Tool == yaap.ToolBid {
		return core.ToolResult{Status: core.ToolSuccess, Text: `{"bids":[{"score":0.5,"reads":"some of it"}]}`}, nil
	}
	return core.ToolResult{Status: core.ToolSuccess, Text: "2"}, nil
}

func (guest) Signals() <-chan hub.Signal { return nil }

func (g guest) Done() <-chan struct{} { return g.done }

func (guest) Err() error { return nil }

func (guest) Close() error { return nil }

// hello measures a room of 10 experts, and one of 100.
func hello(ctx context.Context, each time.Duration) (figures []Figure, err error) {
	for _, n := range []int{10, 100} {
		h := hub.New(new(event.Bus), nil, nil)
		living, end := context.WithCancel(ctx)
		ended := make(chan error, 1)
		go func() { ended <- h.Run(living) }()
		join := func(name string) error {
			in := yaap.Introduction{Name: name, Description: "Adds numbers.", Bids: true}
			seat, err := h.Join(living, hub.Entry{Introduction: in, Transport: hub.Peer, Link: guest{name, make(chan struct{})}})
			if err != nil {
				return err
			}
			if _, found := h.Tools().Find(seat.Tool); !found {
				return fmt.Errorf("%s cannot be called", name)
			}
			return nil
		}
		for i := range n {
			if err := join(fmt.Sprint("expert", i)); err != nil {
				end()
				return nil, errors.Join(err, <-ended)
			}
		}
		joins, bids := watch{each: each / 2}, watch{each: each / 2}
		for i := 0; joins.more() && err == nil; i++ {
			name := fmt.Sprint("late", i)
			err = join(name)
			joins.took()
			err = errors.Join(err, h.Stop(ctx, name))
		}
		for bids.more() && err == nil {
			if made := h.Bids(living, []string{"what is 1+1"}, nil, "", time.Second); len(made) < n {
				err = fmt.Errorf("%d of %d bid", len(made), n)
			}
			bids.took()
		}
		end()
		if err = errors.Join(err, <-ended); err != nil {
			return nil, err
		}
		figures = append(figures, joins.figure(fmt.Sprintf("hello to callable among %d", n)), bids.figure(fmt.Sprintf("the bids of %d", n)))
	}
	return figures, nil
}

// stored measures a memory of 1 000 entries, and one of 10 000.
func stored(ctx context.Context, each time.Duration) (figures []Figure, err error) {
	dir, err := os.MkdirTemp("", "yaap-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	err = store.With(ctx, dir, func(ctx context.Context, s *store.Store) error {
		figures, err = inStore(ctx, s, each)
		return err
	})
	return figures, err
}

func inStore(ctx context.Context, s *store.Store, each time.Duration) (figures []Figure, err error) {
	now := time.Now()
	if err := s.Put(ctx, core.Session{ID: "s"}, core.Thread{ID: "t", Session: "s", Created: now}, core.Vault{ID: "v", Title: "v", Created: now}, core.Memory{ID: "m", Vault: "v", Title: "m", Created: now}); err != nil {
		return nil, err
	}
	w := watch{each: each}
	for n := 0; w.more(); n++ {
		row := core.MessageRow{Thread: "t", Message: core.Message{ID: fmt.Sprint("m", n), Role: core.RoleUser, Text: "what is 12% of 840?", Time: now}}
		if err := s.Put(ctx, row); err != nil {
			return nil, err
		}
		w.took()
	}
	figures = append(figures, w.figure("a message that is kept"))
	entries := 0
	for _, n := range []int{1000, 10_000} {
		for entries < n {
			var rows []core.Row
			for range 1000 {
				entries++
				words := fmt.Sprintf("entry%d speaks of herons%d and of newts%d", entries, entries%97, entries%89)
				rows = append(rows, core.Entry{ID: fmt.Sprint("e", entries), Memory: "m", Thread: "t", Role: core.RoleUser, Raw: words, Summary: words, Created: now})
			}
			if err := s.Put(ctx, rows...); err != nil {
				return nil, err
			}
		}
		w := watch{each: each}
		for i := 0; w.more(); i++ {
			if _, err := s.Search(ctx, core.SearchQuery{Text: fmt.Sprintf("herons%d newts%d", i%97, i%89), Memories: []string{"m"}, Limit: 10}); err != nil {
				return nil, err
			}
			w.took()
		}
		figures = append(figures, w.figure(fmt.Sprintf("a search of %d entries", n)))
	}
	return figures, nil
}
