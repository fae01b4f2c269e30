package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/safe"
)

// Recorder writes a recording. A nil Recorder records nothing, and returns what it is to listen to as it is. Its methods may be called
// from any goroutine.
type Recorder struct {
	path string

	mu    sync.Mutex
	f     *os.File
	begun bool   // the head is written: nothing is before it
	asked int    // requests put to models
	tools string // as written last
	err   error  // of the first line that could not be written; none follows it
}

// Create makes a file that only its owner can read. One that is there is refused.
func Create(path string) (*Recorder, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600) //nolint:gosec // the user names it
	if err != nil {
		e := core.Fail(core.CodeInvalid, "the recording cannot be written", "give --record a file in a directory that is yours").Because(err)
		if errors.Is(err, os.ErrExist) {
			e.Message, e.Hint, e.Err = path+" is there already", "give --record a new file, or remove that one first", nil
		}
		return nil, e
	}
	return &Recorder{path: path, f: f}, nil
}

// Begin writes the head. What happened before it is not recorded.
func (r *Recorder) Begin(h Head) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h, hits := guard.Clean(h)
	h.Masked = hits > 0
	r.begun = true
	r.line(typeHead, h)
}

// Close returns the first error that there was. A file without a head is removed.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.err
	if closed := r.f.Close(); err == nil {
		err = closed
	}
	if !r.begun {
		return errors.Join(err, os.Remove(r.path))
	}
	if err != nil {
		return fmt.Errorf("the recording %s is not whole: %w", r.path, err)
	}
	return nil
}

// line writes a line that is no event; r.mu is held.
func (r *Recorder) line(kind string, data any) {
	r.write(struct {
		Type string `json:"type"`
		Data any    `json:"data"`
	}{kind, data})
}

func (r *Recorder) write(v any) {
	if r.err != nil || !r.begun {
		return
	}
	raw, err := json.Marshal(v)
	if err == nil {
		_, err = r.f.WriteString(safe.JSON(string(raw)) + "\n")
	}
	r.err = err
}

// add writes a line without its secrets.
func add[T any](r *Recorder, kind string, data T, masked func(*T)) {
	data, hits := guard.Clean(data)
	if hits > 0 && masked != nil {
		masked(&data)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.line(kind, data)
}

// Event writes an event.
func (r *Recorder) Event(e core.Event) {
	e, _ = guard.Clean(e)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write(e)
}

// Chain writes a chain that is run.
func (r *Recorder) Chain(c Chain) {
	if r != nil {
		add(r, typeChain, c, nil)
	}
}

// Expert writes with what an expert is asked, and listens to it.
func (r *Recorder) Expert(name string, tool core.Tool) core.Tool {
	spec := tool.Spec()
	add(r, typeExpert, Expert{Name: name, Spec: &spec}, nil)
	return r.Tool(tool)
}

// Refused writes why an expert could not be asked.
func (r *Recorder) Refused(name string, err error) {
	if r != nil {
		add(r, typeExpert, Expert{Name: name, Error: failureOf(err)}, nil)
	}
}

// Toolset writes which tools there are where they are others than before, and listens to them.
func (r *Recorder) Toolset(set core.Toolset) core.Toolset {
	if r == nil {
		return set
	}
	now := Tools{Tools: set.Specs()}
	raw, err := json.Marshal(now)
	r.mu.Lock()
	if r.begun && err == nil && string(raw) != r.tools {
		r.tools, now.After = string(raw), r.asked
		now, _ = guard.Clean(now)
		r.line(typeTools, now)
	}
	r.mu.Unlock()
	return core.Toolset{Rev: set.Rev, Tools: r.Tools(set.Tools)}
}

// Tool listens to a tool.
func (r *Recorder) Tool(tool core.Tool) core.Tool {
	if r == nil || tool == nil {
		return tool
	}
	return heardTool{tool, r}
}

type heardTool struct {
	core.Tool
	r *Recorder
}

// Call implements [core.Tool]. What came of a call that was given up is not recorded.
func (t heardTool) Call(ctx context.Context, c core.Call) (core.ToolResult, error) {
	result, err := t.Tool.Call(ctx, c)
	if err == nil {
		add(t.r, typeResult, Result{Key: c.Key, Tool: c.Tool, Result: result}, func(x *Result) { x.Masked = true })
	}
	return result, err
}

// Tools listens to tools.
func (r *Recorder) Tools(list []core.Tool) []core.Tool {
	heard := make([]core.Tool, len(list))
	for i, tool := range list {
		heard[i] = r.Tool(tool)
	}
	return heard
}

// Rank orders tools by how well they fit a text.
type Rank = func(ctx context.Context, scope core.Scope, text string, tools []core.ToolSpec, said []core.Message) []core.ToolSpec

// Rank listens to an order.
func (r *Recorder) Rank(rank Rank) Rank {
	if r == nil {
		return rank
	}
	return func(ctx context.Context, scope core.Scope, text string, tools []core.ToolSpec, said []core.Message) []core.ToolSpec {
		fitting := rank(ctx, scope, text, tools, said)
		add(r, typeOrder, Order{Run: scope.Run, Text: text, Tools: core.Names(fitting)}, nil)
		return fitting
	}
}

// Model listens to a model.
func (r *Recorder) Model(m llm.Model) llm.Model {
	if r == nil || m == nil {
		return m
	}
	heard := heardModel{m, r}
	if _, ok := m.(llm.AllTools); ok {
		return choosing{heard}
	}
	return heard
}

type heardModel struct {
	llm.Model
	r *Recorder
}

// choosing is a model that chooses among all tools.
type choosing struct{ heardModel }

// AllTools implements [llm.AllTools].
func (choosing) AllTools() {}

// ContextWindow implements [llm.Sized].
func (m heardModel) ContextWindow(ctx context.Context) int {
	if sized, ok := m.Model.(llm.Sized); ok {
		return sized.ContextWindow(ctx)
	}
	return 0
}

// AcceptsImages implements [llm.ImageModel].
func (m heardModel) AcceptsImages(ctx context.Context) bool { return llm.AcceptsImages(ctx, m.Model) }

// Stream implements [llm.Model].
func (m heardModel) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		said := Reply{Run: req.Scope.Run, Model: m.Name(), Reads: m.ContextWindow(ctx), Request: asked(req)}
		_, said.AllTools = m.Model.(llm.AllTools)
		m.r.mu.Lock()
		m.r.asked++
		m.r.mu.Unlock()
		var thinking, text strings.Builder
		defer func() {
			said.Thinking, said.Text = thinking.String(), text.String()
			add(m.r, typeReply, said, func(x *Reply) { x.Masked = true })
		}()
		for chunk, err := range m.Model.Stream(ctx, req) {
			if err != nil {
				said.Error = failureOf(err)
				yield(chunk, err)
				return
			}
			thinking.WriteString(chunk.Thinking)
			text.WriteString(chunk.Text)
			for _, n := range []int{-len(chunk.Thinking), len(chunk.Text)} {
				if n != 0 {
					said.Pieces = append(said.Pieces, n)
				}
			}
			said.take(chunk)
			if !yield(chunk, nil) {
				return
			}
		}
	}
}

// take adds what a chunk has beside text.
func (x *Reply) take(chunk llm.Chunk) {
	for _, c := range chunk.Calls {
		x.Calls = append(x.Calls, Call{ID: c.ID, Tool: c.Tool, Args: string(c.Args), Bid: c.Bid})
	}
	if json.Valid(chunk.Opaque) {
		x.Opaque = chunk.Opaque
	}
	if chunk.Done != nil {
		x.Reason, x.Usage = string(chunk.Done.Reason), chunk.Done.Usage
	}
}

// asked is a hash of what a model is asked: what was said, and which tools it may call. What is said about the room around it,
// the time and what is remembered, is not in it.
func asked(req llm.Request) string {
	type message struct {
		Role  core.Role
		Name  string
		Text  string
		Calls []Call
		For   string
	}
	var said []message
	for _, m := range req.Messages {
		one := message{Role: m.Role, Name: m.Name, Text: m.Text, For: m.CallID}
		for _, c := range m.Calls {
			one.Calls = append(one.Calls, Call{ID: c.ID, Tool: c.Tool, Args: string(c.Args)})
		}
		said = append(said, one)
	}
	said, _ = guard.Clean(said)
	raw, _ := json.Marshal([]any{said, core.Names(req.Tools), req.NoCalls}) // strings
	return core.Hash(raw)[:32]
}

func failureOf(err error) *Failure {
	if err == nil {
		return nil
	}
	f := &Failure{Code: core.CodeOf(err), Message: err.Error(), Hint: core.HintOf(err)}
	var busy *llm.BusyError
	if errors.As(err, &busy) {
		f.AfterMS = busy.After.Milliseconds()
	}
	return f
}
