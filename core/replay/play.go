package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
)

// Player gives a run what was recorded. Nobody is called. Its methods may be called from any goroutine.
type Player struct {
	rec *Recording

	mu     sync.Mutex
	asked  int            // requests, of all runs
	given  map[string]int // replies, by run, and results, by key
	others []string       // runs that asked a model something else than was recorded
}

// NewPlayer returns a Player at the beginning of a recording.
func NewPlayer(rec *Recording) *Player { return &Player{rec: rec, given: map[string]int{}} }

// Others is how many requests to models were others than those whose replies were given.
func (p *Player) Others() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.others)
}

// Tools implements [core.Toolbox]: those that were there when as many requests had been made.
func (p *Player) Tools() core.Toolset {
	p.mu.Lock()
	defer p.mu.Unlock()
	set := core.Toolset{Rev: 1}
	for _, then := range p.rec.Tools {
		if then.After <= p.asked {
			set = p.toolset(then.Tools)
		}
	}
	return set
}

func (p *Player) toolset(specs []core.ToolSpec) core.Toolset {
	set := core.Toolset{Rev: 1}
	for _, spec := range specs {
		set.Tools = append(set.Tools, played{spec, p})
	}
	return set
}

// Own are the room's own tools.
func (p *Player) Own() []core.Tool { return p.toolset(p.rec.Own).Tools }

// Refused is why an expert could not be asked, nil where it could be, or was not.
func (p *Player) Refused(name string) error {
	if found := p.rec.Experts[name]; found.Error != nil {
		return found.Error.err()
	}
	return nil
}

// Expert is the result of looking for an expert.
func (p *Player) Expert(name string) (core.Tool, error) {
	found := p.rec.Experts[name]
	if found.Spec == nil {
		return nil, core.Fail(core.CodeNotFound, "the recording does not know the expert "+name, "")
	}
	return played{*found.Spec, p}, nil
}

// Experts are none: nobody is here.
func (p *Player) Experts() []core.Expert { return nil }

// WaitSettled implements what a room with experts has: they are all here.
func (p *Player) WaitSettled(context.Context) error { return nil }

// Rank is a [Rank] in the order that was recorded.
func (p *Player) Rank(_ context.Context, scope core.Scope, text string, tools []core.ToolSpec, _ []core.Message) []core.ToolSpec {
	order, ok := p.rec.Orders[scope.Run+"\n"+text]
	if !ok {
		return tools
	}
	var fitting []core.ToolSpec
	for _, name := range order {
		if i := slices.IndexFunc(tools, func(spec core.ToolSpec) bool { return spec.Name == name }); i >= 0 {
			fitting = append(fitting, tools[i])
		}
	}
	return fitting
}

// NeedsApproval reports whether the user was asked whether a tool may be called.
func (p *Player) NeedsApproval(_ string, tool core.ToolSpec) bool { return p.request(tool.Name) != nil }

// Options are those that the user had.
func (p *Player) Options(tool core.ToolSpec) []core.Option {
	if asked := p.request(tool.Name); asked != nil {
		return asked.Options
	}
	return nil
}

// Allow keeps nothing.
func (p *Player) Allow(string, core.ToolSpec, string) error { return nil }

// Keep is the file that the whole of a long result was put into. Nothing is written.
func (p *Player) Keep(_, _ string, data []byte) (core.File, error) {
	for _, e := range p.rec.Events {
		if end, ok := e.Body.(core.ToolCallEnd); ok {
			if i := slices.IndexFunc(end.Files, func(f core.File) bool { return f.Size == len(data) }); i >= 0 {
				return end.Files[i], nil
			}
		}
	}
	return core.File{}, errors.New("it was not kept then")
}

// request is where the user was asked about a tool.
func (p *Player) request(tool string) *core.ApprovalRequested {
	for _, e := range p.rec.Events {
		if asked, ok := e.Body.(core.ApprovalRequested); ok && asked.Tool == tool {
			return &asked
		}
	}
	return nil
}

// played is a tool whose results were recorded.
type played struct {
	spec core.ToolSpec
	p    *Player
}

// Spec implements [core.Tool].
func (t played) Spec() core.ToolSpec { return t.spec }

// Call implements [core.Tool].
func (t played) Call(_ context.Context, c core.Call) (core.ToolResult, error) {
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	if kept := t.p.rec.Results[c.Key]; len(kept) > 0 && kept[0].Tool == c.Tool {
		n := t.p.given[c.Key]
		t.p.given[c.Key]++
		return kept[min(n, len(kept)-1)].Result, nil
	}
	return core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, "the recording has no result of this call"), nil
}

// Model is a model that says what the one of that name said.
func (p *Player) Model(name string) llm.Model {
	m := playedModel{name, p}
	if p.rec.Traits[name].AllTools {
		return playedChoosing{m}
	}
	return m
}

type playedModel struct {
	name string
	p    *Player
}

// playedChoosing chooses among all tools.
type playedChoosing struct{ playedModel }

// AllTools implements [llm.AllTools].
func (playedChoosing) AllTools() {}

// Name implements [llm.Model].
func (m playedModel) Name() string { return m.name }

// ContextWindow implements [llm.Sized].
func (m playedModel) ContextWindow(context.Context) int { return m.p.rec.Traits[m.name].Reads }

// AcceptsImages implements [llm.ImageModel].
func (playedModel) AcceptsImages(context.Context) bool { return true }

// Stream implements [llm.Model].
func (m playedModel) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		said, err := m.p.next(req)
		if err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		for _, chunk := range said.chunks() {
			if !yield(chunk, nil) {
				return
			}
		}
		if said.Error != nil {
			yield(llm.Chunk{}, said.Error.err())
			return
		}
		last := llm.Chunk{Opaque: said.Opaque, Done: &llm.Done{Reason: llm.Reason(said.Reason), Usage: said.Usage}}
		for _, c := range said.Calls {
			last.Calls = append(last.Calls, core.Call{ID: c.ID, Tool: c.Tool, Args: json.RawMessage(c.Args), Bid: c.Bid})
		}
		yield(last, nil)
	}
}

// chunks are the thinking and the text in the pieces that they came in. What these do not cover comes at once.
func (x Reply) chunks() (list []llm.Chunk) {
	thinking, text := x.Thinking, x.Text
	take := func(from *string, n int) (piece string) {
		n = max(min(n, len(*from)), 0)
		piece, *from = (*from)[:n], (*from)[n:]
		return piece
	}
	for _, n := range append(slices.Clone(x.Pieces), -len(x.Thinking), len(x.Text)) {
		if chunk := (llm.Chunk{Thinking: take(&thinking, -n), Text: take(&text, n)}); chunk.Thinking+chunk.Text != "" {
			list = append(list, chunk)
		}
	}
	return list
}

// next is the next reply of a run.
func (p *Player) next(req llm.Request) (Reply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	run := req.Scope.Run
	n := p.given[run]
	p.given[run]++
	if n >= len(p.rec.Replies[run]) {
		return Reply{}, core.Fail(core.CodeNotFound, fmt.Sprintf("the recording has no reply to request %d of the run", n+1), "")
	}
	said := p.rec.Replies[run][n]
	if said.Request != "" && said.Request != asked(req) {
		p.others = append(p.others, run)
	}
	return said, nil
}

// noWait is for how long a provider may want to be left alone for a request to be made again. It is then made at once.
const noWait = 10 * time.Second

// err is the failure as it was.
func (f Failure) err() error {
	e := core.Fail(f.Code, f.Message, f.Hint)
	if after := time.Duration(f.AfterMS) * time.Millisecond; after > noWait {
		return busy{e, &llm.BusyError{After: after, Err: e}}
	}
	return e
}

// busy is an error with how long its provider wants to be left alone.
type busy struct {
	err   *core.Error
	after *llm.BusyError
}

func (b busy) Error() string { return b.err.Error() }

// Unwrap returns both.
func (b busy) Unwrap() []error { return []error{b.err, b.after} }
