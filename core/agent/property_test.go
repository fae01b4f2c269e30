package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

// chaos makes a run out of a seed: a model that answers, calls, fails and
// falls silent, tools that answer, fail, panic and cancel, and a journal that
// may die.
type chaos struct {
	*rand.Rand
	t      *testing.T
	cancel context.CancelFunc
}

func (c chaos) tools() []core.Tool {
	made := func(name string, call func(context.Context, core.Call) (core.ToolResult, error)) core.Tool {
		return tool{core.ToolSpec{Name: name, Owner: name, SACP: c.IntN(2) == 0, Sequential: c.IntN(4) == 0}, call}
	}
	fine := core.ToolResult{Status: core.ToolSuccess, Text: `{"thought":"","status":"success","data":{},"message":"fine"}`}
	return []core.Tool{
		made("fine", func(context.Context, core.Call) (core.ToolResult, error) { return fine, nil }),
		made("prose", func(context.Context, core.Call) (core.ToolResult, error) {
			return core.ToolResult{Status: core.ToolSuccess, Text: "just words"}, nil
		}),
		made("fails", func(context.Context, core.Call) (core.ToolResult, error) {
			return core.ToolFailure(core.ToolError, core.ToolCodeExpertLeft, "gone"), nil
		}),
		made("panics", func(context.Context, core.Call) (core.ToolResult, error) { panic("boom") }),
		made("cancels", func(ctx context.Context, _ core.Call) (core.ToolResult, error) {
			c.cancel()
			<-ctx.Done()
			return core.ToolResult{}, ctx.Err()
		}),
	}
}

func (c chaos) turn() llmtest.Turn {
	names := []string{"fine", "prose", "fails", "panics", "nobody", "fine", "prose", "fine"}
	if c.IntN(8) == 0 {
		names = append(names, "cancels")
	}
	switch c.IntN(8) {
	case 0:
		return llmtest.Turn{Text: reply("done"), Thinking: "hm"}
	case 1:
		return llmtest.Turn{Text: "prose, not JSON"}
	case 2:
		return llmtest.Turn{}
	case 3:
		codes := []core.Code{core.CodeUnreachable, core.CodeNoModel, core.CodeModelBehavior, core.CodeInternal}
		return llmtest.Turn{Text: `{"thought":"ha`, Err: &core.Error{Code: codes[c.IntN(len(codes))], Message: "broken"}}
	}
	var calls []core.Call
	for i := range 1 + c.IntN(3) {
		args := []string{`{"prompt":"x"}`, `{}`, `{"prompt":`, `null`, `[1]`, ``}
		calls = append(calls, core.Call{ID: fmt.Sprint("c", i), Tool: names[c.IntN(len(names))], Args: json.RawMessage(args[c.IntN(len(args))])})
	}
	return llmtest.Turn{Text: "let me see", Calls: calls}
}

func TestWhateverHappensEveryStartHasItsEndAndTheHistoryStaysWhole(t *testing.T) {
	for seed := range uint64(300) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c := chaos{Rand: rand.New(rand.NewPCG(seed, 7)), t: t, cancel: cancel}
			s := newStage(t, endless{c}, c.tools()...)
			s.cfg.MaxTurns = 1 + c.IntN(5)
			in := s.input("go")
			if c.IntN(6) == 0 {
				s.cfg.Journal = &mortal{List: s.journal, left: c.IntN(8)}
			}
			if c.IntN(6) == 0 {
				stop := c.IntN(4)
				in.Steer = func() core.RunControl { stop--; return core.RunControl{Stop: stop < 0} }
			}
			_, _ = agent.New(s.cfg).Run(ctx, in) // any outcome will do
			s.events()
			whole(t, s)
		})
	}
}

// whole checks that the stored calls have at most one result each, and all of
// them one when the journal lived.
func whole(t *testing.T, s *stage) {
	t.Helper()
	messages, err := s.journal.Messages(t.Context(), thread)
	if err != nil {
		t.Fatal(err)
	}
	asked, answered := map[string]bool{}, map[string]int{}
	for _, m := range messages {
		for _, call := range m.Calls {
			if asked[call.ID] {
				t.Errorf("the call %s was asked for twice", call.ID)
			}
			asked[call.ID] = true
		}
		if m.Role == core.RoleTool {
			answered[m.CallID]++
		}
	}
	_, dies := s.cfg.Journal.(*mortal)
	for id := range asked {
		if n := answered[id]; n > 1 || n == 0 && !dies {
			t.Errorf("the call %s has %d results", id, n)
		}
	}
}

// endless is a model that makes up a turn for every request.
type endless struct{ c chaos }

func (endless) Name() string { return "endless" }

func (e endless) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	turn := e.c.turn()
	if req.NoCalls && e.c.IntN(2) == 0 {
		turn.Calls = nil
	}
	return llmtest.New(e.c.t, turn).Stream(ctx, req)
}
