package chain_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/chain"
	"github.com/yaap-chat/yaap/core/must"
)

func TestAForkTakesOverStepsWithChanges(t *testing.T) {
	source := nodes("a: {agent: x, prompt: a}", "b: {agent: x, prompt: 'score {{a.data.score}}'}") + way("a", "b")
	s := newStage(t, source)
	s.play = says(map[string][]core.Reply{"a": {good("a", map[string]any{"score": 0.1})}, "b": {good("b", nil)}})
	must.Get(s.run("go", nil))(t)
	saved := must.Get(s.journal.Load(t.Context(), runID))(t)
	if _, err := chain.Fork(saved, 9, nil); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("a step that is not there: %v", err)
	}
	steps := must.Get(chain.Fork(saved, 2, []string{"a.data.score=0.9"}))(t)
	f := newStage(t, source)
	f.play = s.play
	in := f.begin("go", nil)
	for i, step := range steps {
		must.Do(t, f.journal.Put(t.Context(), core.Checkpoint{Run: runID, Step: i + 1, State: step}))
	}
	result, err := f.chain.Runner(f.cfg).Run(t.Context(), in)
	if err != nil || result.Reply.Message != "b" {
		t.Fatalf("got %+v, %v", result, err)
	}
	must.Equal(t, []string{"b: score 0.9"}, f.calls)
}

func TestAStoredRunTellsWhatItWasStartedWith(t *testing.T) {
	source := nodes("a: {agent: x, prompt: a}") + way("a")
	for name, c := range map[string]struct {
		inputs string
		args   map[string]any
		want   map[string]any
	}{
		"its question": {want: map[string]any{"text": "go"}},
		"its inputs":   {"inputs: {n: {type: integer}}\n", map[string]any{"n": json.Number("3")}, map[string]any{"n": json.Number("3")}},
	} {
		s := newStage(t, c.inputs+source)
		s.play = says(map[string][]core.Reply{"a": {good("a", nil)}})
		must.Get(s.run("go", c.args))(t)
		saved := must.Get(s.journal.Load(t.Context(), runID))(t)
		got, ok := chain.InitialArgs(saved)
		if diff := cmp.Diff(c.want, got); diff != "" || !ok {
			t.Errorf("%s: %v (-want +got)\n%s", name, ok, diff)
		}
	}
	if _, ok := chain.InitialArgs(core.Saved{}); ok {
		t.Error("a run without a step tells what it was started with")
	}
}

func TestAForkOfARunThatWaitsAsksAnew(t *testing.T) {
	source := nodes("a: {condition: true, fanout: true}", "b: {agent: x, prompt: b}", "c: {agent: x, prompt: c}", "d: {aggregate: concat}") + `
  - {from: start, to: a}
  - {from: a, to: b}
  - {from: a, to: c}
  - {from: b, to: d}
  - {from: c, to: d}
  - {from: d, to: end}
`
	s := newStage(t, "limits: {parallel: 1}\n"+source)
	s.play = says(map[string][]core.Reply{"b": {{Status: core.StatusClarification, Message: "b?"}}, "c": {good("c", nil)}})
	must.Get(s.run("go", nil))(t)
	saved := must.Get(s.journal.Load(t.Context(), runID))(t)
	for at := 1; at <= len(saved.Steps); at++ {
		f := s.fork(saved, at)
		f.play = s.play
		result, err := f.again()
		if err != nil || len(result.Pauses) != 1 {
			t.Fatalf("forked at %d: %+v, %v", at, result, err)
		}
		f.answer(result.Pauses[0].ID, "yes")
		f.play = says(map[string][]core.Reply{"b": {good("b", nil)}})
		if result, err = f.again(); err != nil || result.Reply.Message != "b\n\nc" {
			t.Errorf("forked at %d: %+v, %v", at, result, err)
		}
	}
}

// fork is a stage with the fork of a run.
func (s *stage) fork(saved core.Saved, at int, sets ...string) *stage {
	s.t.Helper()
	steps := must.Get(chain.Fork(saved, at, sets))(s.t)
	f := stageOf(s.t, s.chain)
	f.begin("go", nil)
	for i, step := range steps {
		must.Do(s.t, f.journal.Put(s.t.Context(), core.Checkpoint{Run: runID, Step: i + 1, State: step}))
	}
	return f
}
