// Package llmtest holds a scripted [llm.Model] for tests of what talks to
// models, and the contract that every provider has to keep.
package llmtest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
)

// Turn is what a scripted model does with one request: it thinks, talks, calls
// tools and stops, in this order.
type Turn struct {
	Thinking string
	Text     string
	Calls    []core.Call // calls without an ID get one
	Opaque   string      // JSON
	Reason   llm.Reason  // default: tool_calls with Calls, else stop
	Usage    core.Usage  // default: estimated from the lengths

	Pieces   int                                 // most bytes of Thinking and Text in a chunk, default 4; runes stay whole
	Check    func(t testing.TB, req llm.Request) // called with the request before the first chunk
	Hang     bool                                // waits after Text until ctx ends
	Truncate bool                                // breaks off after Text, as when the connection is lost
	Err      error                               // ends the stream after Text
	forever  bool
}

// Forever returns turn for a script that ends by answering every further
// request the same way.
func Forever(turn Turn) Turn {
	turn.forever = true
	return turn
}

// Script is a [llm.Model] that answers the first request with its first turn
// and so on, in the order in which streams are ranged over. It may be used from
// several goroutines.
type Script struct {
	t     testing.TB
	turns []Turn

	mu       sync.Mutex
	next     int
	used     bool // the turn at next, which is for ever, has answered
	over     bool // the test has ended; t must not be used any more
	requests []llm.Request
}

// New returns a model that answers with turns. The test fails when a turn is
// left over in the end, and when more is asked than there are turns; the
// surplus request is answered with a [core.Error].
func New(t testing.TB, turns ...Turn) *Script {
	t.Helper()
	for i, turn := range turns {
		if turn.forever && i < len(turns)-1 {
			t.Fatalf("llmtest: turn %d of %d is for ever: what follows is never reached", i+1, len(turns))
		}
	}
	s := &Script{t: t, turns: turns}
	t.Cleanup(s.end)
	return s
}

func (s *Script) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	used := s.next
	if s.used {
		used++
	}
	if used < len(s.turns) && !s.t.Failed() {
		s.t.Errorf("llmtest: the model was asked for %d of its %d turns", used, len(s.turns))
	}
}

// Name returns "script".
func (s *Script) Name() string { return "script" }

// Requests returns copies of all requests so far, in order.
func (s *Script) Requests() []llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Stream answers with the next turn.
func (s *Script) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		turn, n, err := s.take(req)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			yield(llm.Chunk{}, err)
			return
		}
		if turn.Check != nil {
			turn.Check(s.t, cloneRequest(req))
		}
		turn.play(ctx, req, n, yield)
	}
}

// take records req and returns the turn that answers it with its number.
func (s *Script) take(req llm.Request) (Turn, int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, cloneRequest(req))
	n := len(s.requests)
	if len(req.Tools) > 0 && len(req.Schema) > 0 {
		return Turn{}, n, core.Fail(core.CodeInternal, "a model was given tools and a schema at once", "")
	}
	if s.next == len(s.turns) {
		if !s.over {
			s.t.Errorf("llmtest: request %d, but the script has %d turns", n, len(s.turns))
		}
		return Turn{}, n, core.Fail(core.CodeInternal, "the script has no turn left", "")
	}
	turn := s.turns[s.next]
	if turn.forever {
		s.used = true
	} else {
		s.next++
	}
	return turn, n, nil
}

// play yields the turn as the answer to the n-th request.
func (turn Turn) play(ctx context.Context, req llm.Request, n int, yield func(llm.Chunk, error) bool) {
	for _, piece := range pieces(turn.Thinking, turn.Pieces) {
		if !send(ctx, yield, llm.Chunk{Thinking: piece}) {
			return
		}
	}
	for _, piece := range pieces(turn.Text, turn.Pieces) {
		if !send(ctx, yield, llm.Chunk{Text: piece}) {
			return
		}
	}
	switch {
	case turn.Hang:
		<-ctx.Done()
		yield(llm.Chunk{}, ctx.Err())
		return
	case turn.Truncate:
		yield(llm.Chunk{}, core.Fail(core.CodeUnreachable, "the model's answer broke off", ""))
		return
	case turn.Err != nil:
		yield(llm.Chunk{}, turn.Err)
		return
	}
	if calls := cloneCalls(turn.Calls); len(calls) > 0 {
		for i := range calls {
			calls[i].ID = cmp.Or(calls[i].ID, fmt.Sprintf("call_%d_%d", n, i+1))
			if calls[i].Args == nil {
				calls[i].Args = []byte("{}")
			}
		}
		if !send(ctx, yield, llm.Chunk{Calls: calls}) {
			return
		}
	}
	if turn.Opaque != "" && !send(ctx, yield, llm.Chunk{Opaque: []byte(turn.Opaque)}) {
		return
	}
	send(ctx, yield, llm.Chunk{Done: &llm.Done{Reason: turn.reason(), Usage: turn.usage(req)}})
}

// send yields c, or the error of a context that has ended, and reports whether
// to go on.
func send(ctx context.Context, yield func(llm.Chunk, error) bool, c llm.Chunk) bool {
	if err := ctx.Err(); err != nil {
		yield(llm.Chunk{}, err)
		return false
	}
	return yield(c, nil)
}

func (turn Turn) reason() llm.Reason {
	switch {
	case turn.Reason != "":
		return turn.Reason
	case len(turn.Calls) > 0:
		return llm.ReasonCalls
	}
	return llm.ReasonStop
}

func (turn Turn) usage(req llm.Request) core.Usage {
	if turn.Usage != (core.Usage{}) {
		return turn.Usage
	}
	prompt := len(req.System)
	for _, m := range req.Messages {
		prompt += len(m.Text)
	}
	return core.Usage{Prompt: 1 + prompt/4, Completion: 1 + (len(turn.Thinking)+len(turn.Text))/4, Estimated: true}
}

// pieces cuts s into parts of at most size bytes, but of at least one rune.
func pieces(s string, size int) []string {
	if size <= 0 {
		size = 4
	}
	var out []string
	for s != "" {
		n := min(size, len(s))
		for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
			n--
		}
		if n == 0 {
			_, n = utf8.DecodeRuneInString(s)
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// cloneRequest copies all of req that a careless user could write to.
func cloneRequest(req llm.Request) llm.Request {
	req.Messages = slices.Clone(req.Messages)
	for i := range req.Messages {
		req.Messages[i].Calls = cloneCalls(req.Messages[i].Calls)
	}
	req.Tools = slices.Clone(req.Tools)
	for i := range req.Tools {
		req.Tools[i].Schema = bytes.Clone(req.Tools[i].Schema)
		req.Tools[i].Examples = slices.Clone(req.Tools[i].Examples)
	}
	req.Schema = bytes.Clone(req.Schema)
	return req
}

func cloneCalls(calls []core.Call) []core.Call {
	calls = slices.Clone(calls)
	for i := range calls {
		calls[i].Args = bytes.Clone(calls[i].Args)
	}
	return calls
}
