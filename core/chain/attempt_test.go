package chain_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

func TestAnAttemptThatFailsIsMadeAgain(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a, retries: {max: 2, backoff: 1ms}}")+way("a"))
	n := 0
	s.play = func(context.Context, core.Input) (core.Result, error) {
		if n++; n < 3 {
			return core.Result{}, errors.New("no connection")
		}
		return core.Result{Reply: good("there", nil)}, nil
	}
	result, err := s.run("go", nil)
	if err != nil || result.Reply.Message != "there" || n != 3 {
		t.Errorf("got %+v, %v after %d", result.Reply, err, n)
	}
	want := []string{"start -> a", "start a#1", "end a failed", "start a#1", "end a failed", "start a#1", "end a completed", "a -> end default"}
	must.Equal(t, want, s.path())
}

func TestDataThatDoesNotFitIsAskedForOnceMore(t *testing.T) {
	source := nodes("a: {agent: x, prompt: a, data_schema: {type: object, required: [id]}}") + way("a")
	s := newStage(t, source)
	s.play = says(map[string][]core.Reply{"a": {good("one", nil), good("two", map[string]any{"id": 7})}})
	s.ends("two")
	if len(s.calls) != 2 || !strings.Contains(s.calls[1], "missing property 'id'") {
		t.Errorf("got the calls %q", s.calls)
	}
	s = newStage(t, source)
	s.play = says(map[string][]core.Reply{"a": {good("one", nil)}})
	result, err := s.run("go", nil)
	if err != nil || result.Reply.Status != core.StatusFailure || !strings.Contains(result.Reply.Message, "missing property 'id'") || len(s.calls) != 2 {
		t.Errorf("got %+v, %v after %q", result.Reply, err, s.calls)
	}
}

func TestAnAgentThatIsAskedForOtherDataKnowsWhatItsToolsFound(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: count, data_schema: {required: [n]}}")+way("a"))
	var told []string
	s.play = func(ctx context.Context, in core.Input) (core.Result, error) {
		told = nil
		for _, m := range in.Messages {
			told = append(told, fmt.Sprint(m.Role, " ", m.Text, len(m.Calls)))
		}
		if len(in.Messages) > 1 {
			return core.Result{Reply: good("three", map[string]any{"n": 3})}, nil
		}
		err := s.journal.Put(ctx,
			core.MessageRow{Thread: thread, Message: core.Message{ID: "calls", Run: in.Run, Role: core.RoleAssistant, Text: "I count.", Calls: []core.Call{{ID: "c", Tool: "counter"}}}},
			core.MessageRow{Thread: thread, Message: core.Message{ID: "result", Run: in.Run, Role: core.RoleTool, CallID: "c", Text: "3 herons"}})
		return core.Result{Reply: good("three", nil)}, err
	}
	if result, err := s.run("go", nil); err != nil || asJSON(result.Reply.Data) != `{"n":3}` {
		t.Fatalf("got %+v, %v", result.Reply, err)
	}
	want := []string{
		"user count0", "assistant I count.1", "tool 3 herons0",
		`assistant {"thought":"","status":"success","data":{},"message":"three"}0`,
	}
	if len(told) != 5 || cmp.Diff(want, told[:4]) != "" || !strings.Contains(told[4], "Answer again") {
		t.Errorf("told %q", told)
	}
}

func TestBase64IsRefusedWithTheReason(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a}")+way("a"))
	s.play = says(map[string][]core.Reply{"a": {good("", map[string]any{"image": []any{strings.Repeat("QUJD", 20_000)}})}})
	result, err := s.run("go", nil)
	if err != nil || !strings.Contains(result.Reply.Message, "data.image[0] carries more than 64 KiB") {
		t.Errorf("got %+v, %v", result.Reply.Message, err)
	}
}

func TestAnInputThatGrowsWithEachVisitIsRefused(t *testing.T) {
	double := func(of string) string {
		return `{x: ["{{` + of + `.data.x | default: 1}}", "{{` + of + `.data.x | default: 1}}"]}`
	}
	s := newStage(t, nodes("a: {function: set, input: "+double("b")+", max_visits: 1000}", "b: {function: set, input: "+double("a")+", max_visits: 1000}")+`
  - {from: start, to: a}
  - {from: a, to: b}
  - {from: b, to: a, when: response.status == "success"}
  - {from: b, to: end, default: true}
`)
	s.ends("b: input: it has more than 4 MiB with all references put in")
}

func TestANodeThatTakesTooLongFails(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a, timeout: 1ms}", "sorry: {function: set, input: {message: '{{error.message}}'}}")+`
  - {from: start, to: a}
  - {from: a, to: end}
  - {from: a, to: sorry, on_error: true}
  - {from: sorry, to: end}
`)
	s.play = func(ctx context.Context, _ core.Input) (core.Result, error) {
		<-ctx.Done()
		return core.Result{}, ctx.Err()
	}
	s.ends("a took longer than its 1ms")
}

func TestACancelEndsWhatRuns(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a}")+way("a"))
	ctx, cancel := context.WithCancel(t.Context())
	s.play = func(ctx context.Context, _ core.Input) (core.Result, error) {
		cancel()
		<-ctx.Done()
		return core.Result{}, ctx.Err()
	}
	_, err := s.chain.Runner(s.cfg).Run(ctx, s.begin("go", nil))
	if core.CodeOf(err) != core.CodeCancelled {
		t.Errorf("got %v", err)
	}
	s.path()
	s.play = says(map[string][]core.Reply{"a": {good("done", nil)}})
	if result, err := s.again(); err != nil || result.Reply.Message != "done" {
		t.Errorf("gone on with: %+v, %v", result.Reply, err)
	}
}

func TestANodeThatGivesNoSignOfLifeFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, nodes("a: {agent: x, prompt: a, idle_timeout: 20s}")+way("a"))
		s.play = func(ctx context.Context, in core.Input) (core.Result, error) {
			for range 3 {
				select {
				case <-time.After(15 * time.Second):
					in.Alive()
				case <-ctx.Done():
					return core.Result{}, ctx.Err()
				}
			}
			<-ctx.Done()
			return core.Result{}, ctx.Err()
		}
		began := time.Now()
		s.ends("a gave no sign of life for 20s")
		if took := time.Since(began); took != 65*time.Second {
			t.Errorf("it failed after %s, want 20s after the third sign", took)
		}
	})
}

func TestInputThatDoesNotFitItsSchemaIsAFailureBeforeAnybodyIsAsked(t *testing.T) {
	s := newStage(t, nodes(`a: {function: set, input: {n: "{{input}}"}, input_schema: {properties: {n: {type: integer}}}}`,
		`sorry: {function: set, input: {message: "{{error.message}}"}}`)+`
  - {from: start, to: a}
  - {from: a, to: end}
  - {from: a, to: sorry, on_error: true}
  - {from: sorry, to: end}
`)
	result, err := s.run("many", nil)
	if err != nil || !strings.Contains(result.Reply.Message, "input: n: got string, want integer") {
		t.Errorf("got %+v, %v", result.Reply, err)
	}
}

func TestTheTimeOfANodeIsTold(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a}")+way("a"))
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	s.cfg.Now = func() time.Time { return now }
	s.play = func(context.Context, core.Input) (core.Result, error) {
		now = now.Add(250 * time.Millisecond)
		return core.Result{Reply: good("a", nil)}, nil
	}
	must.Get(s.run("go", nil))(t)
	for _, e := range s.feed.Pending() {
		if b, ok := e.Body.(core.NodeEnd); ok && b.MS != 250 {
			t.Errorf("it took %d ms", b.MS)
		}
	}
}

// putting is a journal that is told of every Put before it is made.
type putting struct {
	core.Journal
	before func(rows []core.Row)
}

func (p putting) Put(ctx context.Context, rows ...core.Row) error {
	p.before(rows)
	return p.Journal.Put(ctx, rows...)
}

func TestWhatACancelCutsOffIsNoFailureOfANode(t *testing.T) {
	for range 20 { // which of two that are ready a select takes is chance
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t, nodes("a: {agent: x, prompt: a}", "b: {agent: x, prompt: b}", "c: {agent: x, prompt: '{{b.message}}'}",
				"sorry: {function: set, input: {message: a has failed}}")+`
  - {from: start, to: a}
  - {from: start, to: b}
  - {from: b, to: c}
  - {from: a, to: sorry, on_error: true}
  - {from: a, to: end}
  - {from: c, to: end}
  - {from: sorry, to: end}
`)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			replies := says(map[string][]core.Reply{"a": {good("a is done", nil)}, "b": {good("b is done", nil)}, "c": {good("c is done", nil)}})
			s.play = func(ctx context.Context, in core.Input) (core.Result, error) {
				if in.Node == "a" {
					<-ctx.Done()
					return core.Result{}, ctx.Err()
				}
				return replies(ctx, in)
			}
			s.cfg.Journal = putting{s.journal, func(rows []core.Row) {
				for _, row := range rows {
					if row, ok := row.(core.Checkpoint); ok && row.Step == 2 {
						cancel()
						synctest.Wait() // a has come to its end, and the chain does not know it yet
					}
				}
			}}
			if _, err := s.chain.Runner(s.cfg).Run(ctx, s.begin("go", nil)); core.CodeOf(err) != core.CodeCancelled {
				t.Fatalf("got %v", err)
			}
			s.path()
			s.cfg.Journal, s.play = s.journal, replies
			if result, err := s.again(); err != nil || result.Reply.Message == "a has failed" {
				t.Fatalf("gone on with: %+v, %v", result.Reply, err)
			}
			for _, line := range s.path() {
				if strings.Contains(line, "sorry") {
					t.Fatalf("the node that was cut off is taken for one that failed: %s", line)
				}
			}
		})
	}
}

func TestReplyWithAStatusThatIsNoneFails(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a}")+way("a"))
	s.play = says(map[string][]core.Reply{"a": {{Status: "great", Message: "trust me"}}})
	if result, err := s.run("go", nil); err != nil || result.Reply.Status != core.StatusFailure {
		t.Errorf("got %+v, %v", result.Reply, err)
	}
}
