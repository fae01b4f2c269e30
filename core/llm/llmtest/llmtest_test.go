package llmtest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

func TestAScriptKeepsTheContractOfModels(t *testing.T) {
	llmtest.Suite(t, func(t *testing.T, turn llmtest.Turn) (llm.Model, func() int) {
		s := llmtest.New(t, llmtest.Forever(turn))
		return s, func() int { return len(s.Requests()) }
	})
}

func TestAScriptAnswersTurnByTurn(t *testing.T) {
	boom := &core.Error{Code: core.CodeRateLimited, Message: "too many"}
	checked := false
	s := llmtest.New(t,
		llmtest.Turn{Text: "one", Calls: []core.Call{{Tool: "calc"}}},
		llmtest.Turn{Text: "two", Check: func(t testing.TB, req llm.Request) {
			checked = req.System == "second"
		}},
		llmtest.Turn{Text: "three", Err: boom},
	)
	a, err := llmtest.Read(t, s.Stream(t.Context(), llm.Request{}))
	if err != nil || a.Text != "one" || a.Calls[0].ID != "call_1_1" || string(a.Calls[0].Args) != "{}" {
		t.Errorf("first answer %+v, error %v", a, err)
	}
	a, err = llmtest.Read(t, s.Stream(t.Context(), llm.Request{System: "second"}))
	if err != nil || a.Text != "two" || !checked {
		t.Errorf("second answer %+v, error %v, checked %v", a, err, checked)
	}
	a, err = llmtest.Read(t, s.Stream(t.Context(), llm.Request{}))
	if !errors.Is(err, boom) || a.Text != "three" {
		t.Errorf("third answer %+v, error %v", a, err)
	}
	if r := s.Requests(); len(r) != 3 || r[1].System != "second" {
		t.Errorf("requests %+v", r)
	}
}

func TestAScriptRemembersTheRequestAsItWas(t *testing.T) {
	s := llmtest.New(t, llmtest.Turn{Text: "fine"})
	req := llmtest.Question()
	if _, err := llmtest.Read(t, s.Stream(t.Context(), req)); err != nil {
		t.Fatal(err)
	}
	req.Messages[0].Text = "changed"
	req.Tools[0].Schema[0] = 'X'
	if got := s.Requests()[0]; got.Messages[0].Text == "changed" || got.Tools[0].Schema[0] == 'X' {
		t.Error("the recorded request changed with the caller's")
	}
}

// recorder stands in for the test that a script or a check fails.
type recorder struct {
	testing.TB
	errors   []string
	cleanups []func()
}

func (r *recorder) Helper()           {}
func (r *recorder) Failed() bool      { return len(r.errors) > 0 }
func (r *recorder) Cleanup(f func())  { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Error(args ...any) { r.errors = append(r.errors, fmt.Sprint(args...)) }

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) end() string {
	for _, f := range r.cleanups {
		f()
	}
	return strings.Join(r.errors, "\n")
}

func TestAScriptFailsTheTestThatDoesNotUseItUp(t *testing.T) {
	for _, last := range []llmtest.Turn{{Text: "two"}, llmtest.Forever(llmtest.Turn{Text: "two"})} {
		r := &recorder{TB: t}
		s := llmtest.New(r, llmtest.Turn{Text: "one"}, last)
		if _, err := llmtest.Read(t, s.Stream(t.Context(), llm.Request{})); err != nil {
			t.Fatal(err)
		}
		if got := r.end(); !strings.Contains(got, "1 of its 2 turns") {
			t.Errorf("the test failed with %q", got)
		}
	}
}

func TestAScriptFailsTheTestThatAsksTooMuch(t *testing.T) {
	r := &recorder{TB: t}
	s := llmtest.New(r)
	if _, err := llmtest.Read(t, s.Stream(t.Context(), llm.Request{})); core.CodeOf(err) != core.CodeInternal {
		t.Errorf("error %v", err)
	}
	if got := r.end(); !strings.Contains(got, "request 1") {
		t.Errorf("the test failed with %q", got)
	}
}

func TestReadFindsWhatBreaksTheContract(t *testing.T) {
	done := llm.Chunk{Done: &llm.Done{Reason: llm.ReasonStop, Usage: core.Usage{Prompt: 1}}}
	fail := &core.Error{Code: core.CodeUnreachable, Message: "gone"}
	type item struct {
		c   llm.Chunk
		err error
	}
	for _, test := range []struct {
		name   string
		stream []item
		want   string
	}{
		{"neither Done nor error", []item{{c: llm.Chunk{Text: "x"}}}, "neither"},
		{"Done then error", []item{{c: done}, {err: fail}}, "went on"},
		{"error then Done", []item{{err: fail}, {c: done}}, "went on"},
		{"two Dones", []item{{c: done}, {c: done}}, "went on"},
		{"error with a chunk", []item{{c: llm.Chunk{Text: "x"}, err: fail}}, "came with"},
		{"foreign error", []item{{err: errors.New("boom")}}, "neither a *core.Error"},
		{"error without words", []item{{err: &core.Error{Code: core.CodeBusy}}}, "without code or message"},
		{"half a rune", []item{{c: llm.Chunk{Text: "\xc3"}}, {c: done}}, "UTF-8"},
		{"half a call", []item{{c: llm.Chunk{Calls: []core.Call{{ID: "1", Tool: "x", Args: []byte(`{"a":`)}}}}, {c: done}}, "not whole"},
		{"calls under one id", []item{{c: llm.Chunk{Calls: []core.Call{{ID: "1", Tool: "x", Args: []byte(`{}`)}, {ID: "1", Tool: "x", Args: []byte(`{}`)}}}}, {c: done}}, "taken"},
		{"no usage", []item{{c: llm.Chunk{Done: &llm.Done{Reason: llm.ReasonStop}}}}, "usage"},
		{"unknown reason", []item{{c: llm.Chunk{Done: &llm.Done{Reason: "tired", Usage: core.Usage{Prompt: 1}}}}}, "tired"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &recorder{TB: t}
			_, _ = llmtest.Read(r, func(yield func(llm.Chunk, error) bool) {
				for _, i := range test.stream {
					if !yield(i.c, i.err) {
						return
					}
				}
			})
			if got := r.end(); !strings.Contains(got, test.want) {
				t.Errorf("it found %q, want %q", got, test.want)
			}
		})
	}
}
