package llmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
)

// patience is how long the contract waits for what must happen.
const patience = 10 * time.Second

// Answer is a stream put together.
type Answer struct {
	Thinking string
	Text     string
	Calls    []core.Call
	Done     llm.Done // valid when there was no error
	Chunks   int      // how many chunks carried text
}

// Read ranges over stream to its end and returns what it brought. The test
// fails where the stream breaks the contract of [llm.Model]: when it ends with
// neither a Done nor an error or with both, goes on after its end, cuts a rune,
// or yields a call that is not whole.
func Read(t testing.TB, stream iter.Seq2[llm.Chunk, error]) (Answer, error) {
	t.Helper()
	var (
		a     Answer
		text  strings.Builder
		think strings.Builder
		done  *llm.Done
		fail  error
	)
	for c, err := range stream {
		if done != nil || fail != nil {
			t.Errorf("the stream went on after its end with chunk %+v, error %v", c, err)
		}
		if err != nil {
			if fail = err; c.Done != nil || c.Text != "" || c.Thinking != "" || len(c.Calls) > 0 {
				t.Errorf("error %v came with chunk %+v", err, c)
			}
			checkError(t, err)
			continue
		}
		if !utf8.ValidString(c.Text) || !utf8.ValidString(c.Thinking) {
			t.Errorf("a chunk is not valid UTF-8: %q", c.Text+c.Thinking)
		}
		if c.Text != "" {
			a.Chunks++
		}
		text.WriteString(c.Text)
		think.WriteString(c.Thinking)
		a.Calls = append(a.Calls, c.Calls...)
		done = c.Done
	}
	a.Text, a.Thinking = text.String(), think.String()
	checkCalls(t, a.Calls)
	if done == nil {
		if fail == nil {
			t.Error("the stream ended with neither a Done nor an error")
		}
		return a, fail
	}
	a.Done = *done
	switch done.Reason {
	case llm.ReasonStop, llm.ReasonLength, llm.ReasonCalls:
	default:
		t.Errorf("done with reason %q", done.Reason)
	}
	if (done.Reason == llm.ReasonCalls) != (len(a.Calls) > 0) && done.Reason != llm.ReasonLength {
		t.Errorf("done with reason %q and %d calls", done.Reason, len(a.Calls))
	}
	if done.Usage.Total() <= 0 {
		t.Errorf("done without usage: %+v", done.Usage)
	}
	return a, fail
}

func checkError(t testing.TB, err error) {
	t.Helper()
	var e *core.Error
	if !errors.As(err, &e) {
		if !ended(err) {
			t.Errorf("error %v (%T) is neither a *core.Error nor that of a context", err, err)
		}
		return
	}
	if e.Code == "" || e.Message == "" {
		t.Errorf("error without code or message: %+v", e)
	}
}

func checkCalls(t testing.TB, calls []core.Call) {
	t.Helper()
	seen := make(map[string]bool)
	for _, c := range calls {
		if c.ID == "" || seen[c.ID] {
			t.Errorf("call id %q is empty or taken", c.ID)
		}
		seen[c.ID] = true
		var args map[string]any
		if c.Tool == "" || json.Unmarshal(c.Args, &args) != nil || args == nil {
			t.Errorf("call of %q with arguments %s is not whole", c.Tool, c.Args)
		}
	}
}

func ended(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Contract checks what every model keeps, whatever it answers: req must be one
// that m answers without an error. It counts goroutines, so it must not run
// beside parallel tests.
func Contract(t *testing.T, m llm.Model, req llm.Request) {
	t.Helper()
	t.Run("has a name of one line", func(t *testing.T) {
		if n := m.Name(); n == "" || strings.ContainsAny(n, "\r\n\t") || n != m.Name() {
			t.Errorf("Name() = %q, then %q", n, m.Name())
		}
	})
	t.Run("ends with one Done and leaves the request alone", func(t *testing.T) {
		before := cloneRequest(req)
		if _, err := Read(t, m.Stream(t.Context(), req)); err != nil {
			t.Errorf("error %v", err)
		}
		if d := cmp.Diff(before, req); d != "" {
			t.Errorf("the request was changed (-before +after):\n%s", d)
		}
	})
	t.Run("answers with text when calls are forbidden", func(t *testing.T) {
		r := req
		r.NoCalls = true
		a, err := Read(t, m.Stream(t.Context(), r))
		if err != nil || len(a.Calls) > 0 {
			t.Errorf("error %v, %d calls", err, len(a.Calls))
		}
	})
	t.Run("refuses tools and schema together", func(t *testing.T) {
		r := req
		r.Tools = []core.ToolSpec{{Name: "some_tool", Description: "Does something."}}
		r.Schema = json.RawMessage(`{"type":"object"}`)
		if _, err := Read(t, m.Stream(t.Context(), r)); core.CodeOf(err) != core.CodeInternal {
			t.Errorf("error %v, want code %s", err, core.CodeInternal)
		}
	})
	t.Run("ends at once when the context has ended", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if a, err := Read(t, m.Stream(ctx, req)); core.CodeOf(err) != core.CodeCancelled || a.Text != "" {
			t.Errorf("error %v, text %q", err, a.Text)
		}
	})
	t.Run("says so when the time is up", func(t *testing.T) {
		ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
		defer cancel()
		if _, err := Read(t, m.Stream(ctx, req)); core.CodeOf(err) != core.CodeTimedOut {
			t.Errorf("error %v, want code %s", err, core.CodeTimedOut)
		}
	})
	t.Run("does nothing until it is ranged over", func(t *testing.T) {
		settle(t, m, req, func() { _ = m.Stream(t.Context(), req) })
	})
	t.Run("can be broken off", func(t *testing.T) {
		settle(t, m, req, func() {
			for _, err := range m.Stream(t.Context(), req) {
				if err != nil {
					t.Errorf("error %v", err)
				}
				break
			}
		})
	})
	t.Run("can be asked from several goroutines", func(t *testing.T) {
		together(t, func() {
			if _, err := Read(t, m.Stream(t.Context(), req)); err != nil {
				t.Errorf("error %v", err)
			}
		})
	})
}

// settle runs f many times and waits until the goroutines that it started are
// gone.
func settle(t *testing.T, m llm.Model, req llm.Request, f func()) {
	t.Helper()
	const times = 20
	if _, err := Read(t, m.Stream(t.Context(), req)); err != nil { // opens connections that stay
		t.Fatalf("error %v", err)
	}
	before := runtime.NumGoroutine()
	for range times {
		f()
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	limit := time.After(patience)
	for runtime.NumGoroutine() >= before+times/2 {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

func together(t *testing.T, f func()) {
	t.Helper()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(f)
	}
	wg.Wait()
}

// Question returns a request with everything in it that a provider has to
// carry: every role, calls and their results, tools with and without a schema.
func Question() llm.Request {
	return llm.Request{
		System: "You are helpful.",
		Messages: []core.Message{
			{Role: core.RoleUser, Text: "What is the weather in Kraków?"},
			{
				Role: core.RoleAssistant, Text: "Let me look.", Thinking: "The weather expert knows.",
				Calls: []core.Call{{ID: "call_1", Tool: "weather", Args: json.RawMessage(`{"city":"Kraków"}`)}},
			},
			{Role: core.RoleTool, Name: "weather", CallID: "call_1", Text: "18 °C, rain"},
			{Role: core.RoleAssistant, Text: "18 °C and rain."},
			{Role: core.RoleUser, Text: "And in Oslo, and what is 2+2?"},
		},
		Tools: []core.ToolSpec{
			{
				Name: "weather", Description: "Tells the weather.",
				Schema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","minimum":1}},"required":["city"]}`),
			},
			{Name: "calc", Description: "Computes.", Examples: []string{"12% of 840"}},
		},
	}
}

// Provider makes a model that answers every request with turn, and tells how
// many requests have reached the place where answers are made. It makes none, and
// that case is left out, where that place cannot be made to answer so.
type Provider func(t *testing.T, turn Turn) (m llm.Model, requests func() int)

// Suite checks what every provider keeps that can be told what to answer. Like
// [Contract], it must not run beside parallel tests.
func Suite(t *testing.T, provide Provider) {
	t.Helper()
	const text = "Grüße aus Kraków, it is 18 °C. ☂"
	t.Run("contract", func(t *testing.T) {
		m, _ := provide(t, Turn{Text: text})
		Contract(t, m, Question())
	})
	t.Run("does not ask before it is ranged over", func(t *testing.T) {
		m, requests := provide(t, Turn{Text: text})
		_ = m.Stream(t.Context(), Question())
		stream := m.Stream(t.Context(), Question())
		if n := requests(); n != 0 {
			t.Errorf("%d requests before ranging", n)
		}
		if _, err := Read(t, stream); err != nil || requests() != 1 {
			t.Errorf("error %v, %d requests after ranging over one of two streams", err, requests())
		}
	})
	for _, turn := range []Turn{
		{Text: text},
		{Text: text, Pieces: 1},
		{Text: strings.Repeat(text, 1000), Pieces: 1000},
		{Text: text, Thinking: "Let me see…\nWell."},
		{Text: text, Reason: llm.ReasonLength},
		{Text: text, Usage: core.Usage{Prompt: 321, Completion: 45}},
		{Text: "Let me look.", Thinking: "Two experts.", Calls: []core.Call{
			{Tool: "weather", Args: json.RawMessage(`{"city":"Oslo","days":3}`)},
			{Tool: "calc", Args: json.RawMessage(`{"prompt":"2+2"}`)},
		}},
		{Calls: []core.Call{{Tool: "weather", Args: json.RawMessage(`{"city":"<Oslo> & \"æ\"","days":12345678901234567890}`)}}},
		{Calls: []core.Call{{Tool: "calc", Args: json.RawMessage(`{}`)}, {Tool: "calc", Args: json.RawMessage(`{}`)}}},
	} {
		if m, _ := provide(t, turn); m != nil {
			t.Run("carries "+turn.label(), func(t *testing.T) { carries(t, m, turn) })
		}
	}
	t.Run("reports a stream that breaks off", func(t *testing.T) {
		m, _ := provide(t, Turn{Text: text, Truncate: true})
		a, err := Read(t, m.Stream(t.Context(), Question()))
		if !core.Retryable(err) || ended(err) {
			t.Errorf("error %v, want one that can be retried", err)
		}
		if !strings.HasPrefix(text, a.Text) {
			t.Errorf("text %q", a.Text)
		}
	})
	t.Run("ends with the context while it waits", func(t *testing.T) { cancels(t, provide, text) })
	t.Run("lets go of a model that hangs", func(t *testing.T) {
		within(t, func() {
			m, _ := provide(t, Turn{Text: text, Hang: true})
			for c, err := range m.Stream(t.Context(), Question()) {
				if err != nil || c.Text == "" {
					t.Errorf("chunk %+v, error %v", c, err)
				}
				break
			}
		})
	})
	t.Run("keeps answers asked at the same time apart", func(t *testing.T) {
		m, _ := provide(t, Turn{Text: text, Pieces: 2})
		together(t, func() {
			if a, err := Read(t, m.Stream(t.Context(), Question())); err != nil || a.Text != text {
				t.Errorf("text %q, error %v", a.Text, err)
			}
		})
	})
}

func (turn Turn) label() string {
	switch {
	case len(turn.Calls) > 1 && turn.Text == "":
		return "the same call twice"
	case len(turn.Calls) > 1:
		return "text and two calls"
	case len(turn.Calls) > 0:
		return "a lonely call"
	case turn.Reason != "":
		return "an answer that was cut off"
	case turn.Usage.Total() > 0:
		return "usage"
	case turn.Thinking != "":
		return "thinking"
	case turn.Pieces == 1:
		return "text in small pieces"
	case turn.Pieces > 1:
		return "long text"
	}
	return "text"
}

func carries(t *testing.T, m llm.Model, turn Turn) {
	t.Helper()
	a, err := Read(t, m.Stream(t.Context(), Question()))
	if err != nil {
		t.Fatalf("error %v", err)
	}
	if a.Text != turn.Text || a.Thinking != turn.Thinking {
		t.Errorf("thinking %q, text %q; want %q, %q", a.Thinking, a.Text, turn.Thinking, turn.Text)
	}
	if a.Done.Reason != turn.reason() {
		t.Errorf("reason %q, want %q", a.Done.Reason, turn.reason())
	}
	if turn.Usage.Total() > 0 && a.Done.Usage != turn.Usage {
		t.Errorf("usage %+v, want %+v", a.Done.Usage, turn.Usage)
	}
	type call struct {
		Tool string
		Args any
	}
	plain := func(calls []core.Call) (out []call) {
		for _, c := range calls {
			dec := json.NewDecoder(bytes.NewReader(c.Args))
			dec.UseNumber()
			var args any
			if err := dec.Decode(&args); err != nil {
				t.Errorf("arguments %s: %v", c.Args, err)
			}
			out = append(out, call{c.Tool, args})
		}
		return out
	}
	if d := cmp.Diff(plain(turn.Calls), plain(a.Calls)); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
}

func cancels(t *testing.T, provide Provider, text string) {
	t.Helper()
	m, _ := provide(t, Turn{Text: text, Hang: true})
	within(t, func() {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		seen := 0
		stream := func(yield func(llm.Chunk, error) bool) {
			for c, err := range m.Stream(ctx, Question()) {
				if seen++; seen == 1 {
					cancel()
				}
				if !yield(c, err) {
					return
				}
			}
		}
		if _, err := Read(t, stream); core.CodeOf(err) != core.CodeCancelled {
			t.Errorf("error %v, want code %s", err, core.CodeCancelled)
		}
	})
}

// within fails the test when f does not return in time.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("it hangs")
	}
}
