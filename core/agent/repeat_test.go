package agent_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

// process is the journal of a process that may be killed: nothing is stored then.
type process struct {
	core.Journal
	dead atomic.Bool
}

func (m *process) Put(ctx context.Context, rows ...core.Row) error {
	if m.dead.Load() {
		return errors.New("killed")
	}
	return m.Journal.Put(ctx, rows...)
}

// heard is a call as an expert was made it, and as it was told.
type heard struct {
	Key   string
	Again bool
}

// kills is an expert during whose calls the process is killed so many times.
func kills(times int, m *process, keys *[]string) tool {
	return tool{core.ToolSpec{Name: "heron", Owner: "heron"}, func(_ context.Context, c core.Call) (core.ToolResult, error) {
		*keys = append(*keys, c.Key)
		if len(*keys) <= times {
			m.dead.Store(true)
		}
		return core.ToolResult{Status: core.ToolSuccess, Text: "Fish."}, nil
	}}
}

// told returns the calls that were reported as begun.
func (s *stage) told() (calls []heard) {
	s.t.Helper()
	for _, e := range s.feed.Pending() {
		if b, ok := e.Body.(core.ToolCallStart); ok {
			calls = append(calls, heard{b.Key, b.Again})
		}
	}
	return calls
}

func TestACallThatIsMadeAgainAfterACrashHasTheSameKeyAndIsToldAsRepeated(t *testing.T) {
	for name, runner := range map[string]func(s *stage, heron core.Tool) core.Runner{
		"by a model": func(s *stage, heron core.Tool) core.Runner {
			s.cfg.Model = llmtest.New(s.t, llmtest.Turn{Calls: []core.Call{call("a", "heron", "food?")}}, llmtest.Turn{Text: reply("Fish.")})
			s.cfg.Tools = &box{tools: []core.Tool{heron}}
			return agent.New(s.cfg)
		},
		"directly": func(s *stage, heron core.Tool) core.Runner { return agent.AsRunner(heron, s.cfg) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, nil)
			m := &process{Journal: s.journal}
			s.cfg.Journal = m
			var keys []string
			r := runner(s, kills(2, m, &keys))
			in := s.input("food?")
			for range 2 {
				if _, err := r.Run(t.Context(), in); err == nil {
					t.Fatal("it was not killed")
				}
				m.dead.Store(false)
			}
			if result, err := r.Run(t.Context(), in); err != nil || result.Reply.Message != "Fish." {
				t.Fatalf("got %+v, %v", result.Reply, err)
			}
			if len(keys) != 3 || keys[0] == "" || keys[1] != keys[0] || keys[2] != keys[0] {
				t.Errorf("the keys are %q", keys)
			}
			want := []heard{{keys[0], false}, {keys[0], true}, {keys[0], true}}
			if diff := cmp.Diff(want, s.told()); diff != "" {
				t.Errorf("told (-want +got)\n%s", diff)
			}
		})
	}
}

func TestDifferentCallsHaveDifferentKeys(t *testing.T) {
	run := core.Scope{Run: "run"}
	keys := map[string]string{}
	for name, key := range map[string]string{
		"another call": run.CallKey("b"), "another run": core.Scope{Run: "other"}.CallKey("a"), "a run below": run.Child("x").CallKey("a"), "it": run.CallKey("a"),
	} {
		if before := keys[key]; before != "" || key == "" {
			t.Errorf("%s has the key of %s: %q", name, before, key)
		}
		keys[key] = name
	}
	if run.CallKey("a") != run.Anew().CallKey("a") {
		t.Error("the same question to an expert that has come back has another key")
	}
}

// A call that waited for the user was not made yet.
func TestACallThatWaitedIsNotToldAsRepeatedUntilItIs(t *testing.T) {
	s := newStage(t, llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "heron", "food?")}}, llmtest.Turn{Text: reply("Fish.")}))
	m := &process{Journal: s.journal}
	var keys []string
	s.cfg.Journal, s.cfg.Approvals, s.cfg.Tools = m, &careful{tools: []string{"heron"}}, &box{tools: []core.Tool{kills(1, m, &keys)}}
	in := s.input("go")
	result, err := agent.New(s.cfg).Run(t.Context(), in)
	if err != nil || len(result.Pauses) != 1 {
		t.Fatalf("got %+v, %v", result, err)
	}
	if _, err := s.again(in, core.Answer{Pause: result.Pauses[0].ID, ID: core.AllowOnce}); err == nil {
		t.Fatal("it was not killed")
	}
	m.dead.Store(false)
	if result, err := s.again(in); err != nil || result.Reply.Message != "Fish." {
		t.Fatalf("got %+v, %v", result.Reply, err)
	}
	if len(keys) != 2 || keys[0] != keys[1] {
		t.Errorf("the keys are %q", keys)
	}
	want := []heard{{keys[0], false}, {keys[0], false}, {keys[0], true}} // it waits, it is made, it is made again
	if diff := cmp.Diff(want, s.told()); diff != "" {
		t.Errorf("told (-want +got)\n%s", diff)
	}
}

// Another question of the same call is not the same call.
func TestAnExpertThatIsAskedForSACPAgainIsMadeAnotherCall(t *testing.T) {
	var keys []string
	answers := []string{`{"status": `, reply("Fish.")}
	heron := tool{core.ToolSpec{Name: "heron", Owner: "heron", SACP: true}, func(_ context.Context, c core.Call) (core.ToolResult, error) {
		keys = append(keys, c.Key)
		return core.ToolResult{Status: core.ToolSuccess, Text: answers[len(keys)-1]}, nil
	}}
	s := newStage(t, nil)
	s.cfg.ReAsks = 1
	if result, err := agent.AsRunner(heron, s.cfg).Run(t.Context(), s.input("food?")); err != nil || result.Reply.Message != "Fish." {
		t.Fatalf("got %+v, %v", result.Reply, err)
	}
	if len(keys) != 2 || keys[0] == keys[1] {
		t.Errorf("the keys are %q", keys)
	}
}

func TestACallThatIsCutOffSaysWhyAndForHowLong(t *testing.T) {
	deaf := tool{core.ToolSpec{Name: "heron", Owner: "heron", Timeout: time.Minute}, func(ctx context.Context, _ core.Call) (core.ToolResult, error) {
		<-ctx.Done()
		return core.ToolResult{}, ctx.Err()
	}}
	for _, c := range []struct {
		cause error
		code  core.Code
		text  string
	}{
		{&core.Error{Code: core.CodeTimedOut, Message: "read took longer than its 500ms"}, core.CodeTimedOut, "heron was cut off: read took longer than its 500ms"},
		{&core.Error{Code: core.CodeCancelled, Message: "read is not needed any more: quick was first"}, core.CodeCancelled, "heron was cut off: read is not needed any more: quick was first"},
		{context.Canceled, core.CodeCancelled, "heron was cancelled by the user"},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		s := newStage(t, nil)
		s.cfg.Sink = sink(func(scope core.Scope, b core.Body) core.Event {
			if _, ok := b.(core.ToolCallStart); ok {
				cancel(c.cause)
			}
			return s.bus.Emit(scope, b)
		})
		_, err := agent.AsRunner(deaf, s.cfg).Run(ctx, s.input("food?"))
		if core.CodeOf(err) != c.code {
			t.Errorf("got %v", err)
		}
		for _, e := range s.feed.Pending() {
			if b, ok := e.Body.(core.ToolCallEnd); ok && b.Text != c.text {
				t.Errorf("told is %q, want %q", b.Text, c.text)
			}
		}
	}
}
