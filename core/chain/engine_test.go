package chain_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"yaap/core"
	"yaap/core/chain"
)

// withFunctions is a stage whose functions are those given.
func withFunctions(t *testing.T, source string, functions map[string]chain.Function) *stage {
	t.Helper()
	s := newStage(t, source)
	s.cfg.Functions = functions
	return s
}

func TestWhatAFunctionDoesToItsInputChangesNothingElse(t *testing.T) {
	s := withFunctions(t, nodes(
		"a: {function: set, input: {list: [1, 2], deep: {x: 1}}}",
		"b: {function: spoil, input: {all: '{{a.data}}'}}",
		"c: {function: set, input: {all: '{{a.data}}'}}")+`
  - {from: start, to: a}
  - {from: a, to: b}
  - {from: b, to: c}
  - {from: c, to: end}
`, map[string]chain.Function{"spoil": func(_ context.Context, in map[string]any) (core.Reply, error) {
		all := in["all"].(map[string]any)
		all["list"].([]any)[0] = "spoilt"
		all["deep"].(map[string]any)["x"] = "spoilt"
		delete(all, "list")
		return good("", nil), nil
	}})
	result, err := s.run("go", nil)
	if got := asJSON(result.Reply.Data); err != nil || got != `{"all":{"deep":{"x":1},"list":[1,2]}}` {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestAFunctionWithoutInputMayAsk(t *testing.T) {
	s := withFunctions(t, nodes("a: {function: ask2}")+`
  - {from: start, to: a}
  - {from: a, to: end}
`, map[string]chain.Function{"ask2": func(_ context.Context, in map[string]any) (core.Reply, error) {
		if answer, ok := in["answer"].(string); ok {
			return good(answer, nil), nil
		}
		return core.Reply{Status: core.StatusClarification, Message: "?"}, nil
	}})
	result, err := s.run("go", nil)
	if err != nil || len(result.Pauses) != 1 {
		t.Fatalf("got %+v, %v", result, err)
	}
	s.answer(result.Pauses[0].ID, "yes")
	if result, err = s.again(); err != nil || result.Reply.Message != "yes" {
		t.Errorf("got %+v, %v", result, err)
	}
}

func (s *stage) answer(pause, text string) {
	s.t.Helper()
	if err := s.journal.Put(s.t.Context(), core.Answer{Pause: pause, Text: text, Time: time.Now()}); err != nil {
		s.t.Fatal(err)
	}
}

func TestWhatAFunctionAnswersIsTheSameBeforeAndAfterARestart(t *testing.T) {
	for name, c := range map[string]struct {
		data any
		want string
	}{
		"a list of texts":   {[]string{"x", "y"}, "x\ny"},
		"a list of objects": {[]map[string]any{{"a": 1}}, `{"a":1}`},
		"a whole number":    {3, "for_each.over: {{a.data.v}} is a number and not a list"},
		"no number":         {math.NaN(), "its answer cannot be stored: json: unsupported value: NaN"},
	} {
		t.Run(name, func(t *testing.T) {
			s := withFunctions(t, nodes("a: {function: give}", "b: {agent: x, prompt: '{{item}}', for_each: {over: '{{a.data.v}}', parallel: 1}}")+`
  - {from: start, to: a}
  - {from: a, to: b}
  - {from: b, to: end}
`, map[string]chain.Function{"give": func(context.Context, map[string]any) (core.Reply, error) {
				return good("", map[string]any{"v": c.data}), nil
			}})
			s.play = func(_ context.Context, in core.Input) (core.Result, error) {
				return core.Result{Reply: good(in.Messages[0].Text, nil)}, nil
			}
			if result, err := s.run("go", nil); err != nil || result.Reply.Message != c.want {
				t.Errorf("got %+v, %v", result, err)
			}
		})
	}
}

func TestAFunctionThatDoesNotListenIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deaf := make(chan struct{})
		defer close(deaf)
		s := withFunctions(t, nodes("a: {function: deaf, timeout: 1s}", "sorry: {function: set, input: {message: '{{error.message}}'}}")+`
  - {from: start, to: a}
  - {from: a, to: end}
  - {from: a, to: sorry, on_error: true}
  - {from: sorry, to: end}
`, map[string]chain.Function{"deaf": func(context.Context, map[string]any) (core.Reply, error) {
			<-deaf
			return good("", nil), nil
		}})
		began := time.Now()
		result, err := s.run("go", nil)
		if err != nil || result.Reply.Message != "a took longer than its 1s" || time.Since(began) > 2*time.Second {
			t.Errorf("got %+v, %v after %s", result.Reply, err, time.Since(began))
		}
	})
}

func TestAFunctionThatPanicsFails(t *testing.T) {
	s := withFunctions(t, nodes("a: {function: broken}")+`
  - {from: start, to: a}
  - {from: a, to: end}
`, map[string]chain.Function{"broken": func(context.Context, map[string]any) (core.Reply, error) { panic("no") }})
	if result, err := s.run("go", nil); err != nil || result.Reply.Message != "broken failed: no" {
		t.Errorf("got %+v, %v", result.Reply, err)
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

func TestANodeThatIsStoppedIsGoneOnWith(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a, retries: 2}", "sorry: {agent: x, prompt: sorry}")+`
  - {from: start, to: a}
  - {from: a, to: end}
  - {from: a, to: sorry, on_error: true}
  - {from: sorry, to: end}
`)
	stop := false
	s.play = func(context.Context, core.Input) (core.Result, error) {
		stop = true
		return core.Result{}, &core.Error{Code: core.CodeStopped, Message: "stopped after the running calls"}
	}
	in := s.begin("go", nil)
	in.Steer = func() core.Steer { return core.Steer{Stop: stop} }
	if _, err := s.chain.Runner(s.cfg).Run(t.Context(), in); core.CodeOf(err) != core.CodeStopped {
		t.Fatalf("got %v", err)
	}
	s.path()
	s.play = says(map[string][]core.Reply{"a": {good("done", nil)}})
	if result, err := s.again(); err != nil || result.Reply.Message != "done" {
		t.Errorf("gone on with: %+v, %v", result.Reply, err)
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
	if _, err := s.run("go", nil); err != nil {
		t.Fatal(err)
	}
	saved, err := s.journal.Load(t.Context(), runID)
	if err != nil {
		t.Fatal(err)
	}
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
	steps, err := chain.Fork(saved, at, sets)
	if err != nil {
		s.t.Fatal(err)
	}
	f := stageOf(s.t, s.chain)
	f.begin("go", nil)
	for i, step := range steps {
		if err := f.journal.Put(s.t.Context(), core.Checkpoint{Run: runID, Step: i + 1, State: step}); err != nil {
			s.t.Fatal(err)
		}
	}
	return f
}

func TestRecordsThatDoNotFitAreRefused(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: '{{item}}', for_each: {over: '{{vars.list}}'}}")+`
  - {from: start, to: a}
  - {from: a, to: end}
vars: {list: [1, 2]}
`)
	for _, rec := range []string{
		`{"node":"a","visit":1,"item":7,"attempt":1,"reply":{"status":"success"}}`,
		`{"node":"a","visit":1,"item":-3,"attempt":1,"reply":{"status":"success"}}`,
		`{"node":"a","visit":1,"attempt":1,"reply":{"status":"success"}}`,
		`{"node":"a","visit":2,"item":0,"attempt":1,"reply":{"status":"success"}}`,
		`{"node":"a","visit":1,"item":0,"attempt":1,"pause":"x"}`,
		`{"node":"b","visit":1,"attempt":1,"reply":{"status":"success"}}`,
		`[]`,
	} {
		f := stageOf(t, s.chain)
		f.begin("go", nil)
		for i, raw := range []string{`{"begin":{"chain":"test","hash":"hash","given":{}}}`, rec} {
			if err := f.journal.Put(t.Context(), core.Checkpoint{Run: runID, Step: i + 1, State: []byte(raw)}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := f.again(); core.CodeOf(err) != core.CodeConflict && core.CodeOf(err) != core.CodeCorrupt {
			t.Errorf("%s: got %v", rec, err)
		}
	}
}

func TestReplyWithAStatusThatIsNoneFails(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a}")+`
  - {from: start, to: a}
  - {from: a, to: end}
`)
	s.play = says(map[string][]core.Reply{"a": {{Status: "great", Message: "trust me"}}})
	if result, err := s.run("go", nil); err != nil || result.Reply.Status != core.StatusFailure {
		t.Errorf("got %+v, %v", result.Reply, err)
	}
}

// The list of the second visit has fewer items than the one of the first, of
// which some are still running when the second begins.
func TestAListThatIsBegunAgainKnowsOnlyItsOwnItems(t *testing.T) {
	s := newStage(t, nodes(
		"a: {agent: x, prompt: a, max_visits: 2}",
		"b: {agent: x, prompt: '{{item}}', max_visits: 2, retries: {max: 1, backoff: 1ms}, for_each: {over: '{{a.data.list}}', parallel: 3}}")+`
  - {from: start, to: a}
  - {from: a, to: b}
  - {from: b, to: a, on_error: true}
  - {from: b, to: end}
`)
	round := 0
	s.play = func(ctx context.Context, in core.Input) (core.Result, error) {
		switch question := in.Messages[0].Text; {
		case in.Node == "a" && round == 0:
			round++
			return core.Result{Reply: good("", map[string]any{"list": []any{"slow", "bad", "slow"}})}, nil
		case in.Node == "a":
			return core.Result{Reply: good("", map[string]any{"list": []any{"good"}})}, nil
		case question == "slow":
			<-ctx.Done()
			return core.Result{}, ctx.Err()
		case question == "bad":
			return core.Result{}, errors.New("bad")
		}
		return core.Result{Reply: good("good", nil)}, nil
	}
	if result, err := s.run("go", nil); err != nil || result.Reply.Message != "good" {
		t.Errorf("got %+v, %v", result.Reply, err)
	}
	s.path()
}

// A node that any edge begins is come to again while it works.
func TestANodeIsNotBegunTwiceAtOnce(t *testing.T) {
	for _, join := range []string{"any", "first_success", "1"} {
		s := newStage(t, nodes(
			"a: {agent: x, prompt: a, fanout: true, max_visits: 3}", "b: {agent: x, prompt: b, max_visits: 3}",
			"c: {agent: x, prompt: c, max_visits: 3, join: "+join+"}")+`
  - {from: start, to: a}
  - {from: a, to: c}
  - {from: a, to: b, when: visits < 3}
  - {from: b, to: a}
  - {from: c, to: end}
`)
		release := make(chan struct{})
		rounds := 0
		s.play = func(_ context.Context, in core.Input) (core.Result, error) {
			switch in.Node {
			case "b":
				if rounds++; rounds == 2 {
					defer close(release)
				}
			case "c":
				<-release
			}
			return core.Result{Reply: good(in.Node, nil)}, nil
		}
		if result, err := s.run("go", nil); err != nil || result.Reply.Status == core.StatusClarification || len(result.Pauses) > 0 {
			t.Errorf("%s: got %+v, %v", join, result, err)
		}
		if path := strings.Join(s.path(), "\n"); strings.Contains(path, "start c#1\nstart c#2") {
			t.Errorf("%s: got\n%s", join, path)
		}
	}
}

// What was cancelled before a restart is not begun after it.
func TestAListThatWasCancelledStaysSo(t *testing.T) {
	s := newStage(t, "limits: {parallel: 1}\n"+nodes(
		"a: {condition: true, fanout: true}", "quick: {agent: x, prompt: q}",
		"list: {agent: x, prompt: '{{item}}', for_each: {over: '{{vars.list}}', parallel: 1}}",
		"d: {aggregate: first, join: first_success}", "e: {agent: x, prompt: e}")+`
  - {from: start, to: a}
  - {from: a, to: quick}
  - {from: a, to: list}
  - {from: quick, to: d}
  - {from: list, to: d}
  - {from: d, to: e}
  - {from: e, to: end}
vars: {list: [1, 2, 3]}
`)
	s.play = func(ctx context.Context, in core.Input) (core.Result, error) {
		switch in.Node {
		case "list":
			<-ctx.Done()
			return core.Result{}, ctx.Err()
		case "e":
			return core.Result{Reply: core.Reply{Status: core.StatusClarification, Message: "?"}}, nil
		}
		return core.Result{Reply: good(in.Node, nil)}, nil
	}
	result, err := s.run("go", nil)
	if err != nil || len(result.Pauses) != 1 {
		t.Fatalf("got %+v, %v", result, err)
	}
	before := len(s.calls)
	s.answer(result.Pauses[0].ID, "yes")
	s.play = says(map[string][]core.Reply{"e": {good("e", nil)}, "list": {bad("it was cancelled")}})
	if result, err = s.again(); err != nil || result.Reply.Message != "e" {
		t.Errorf("got %+v, %v", result, err)
	}
	if diff := cmp.Diff([]string{"e: yes"}, s.calls[before:]); diff != "" {
		t.Errorf("calls (-want +got)\n%s", diff)
	}
}

// counted is a journal that counts the bytes of what is put.
type counted struct {
	core.Journal
	bytes int
}

func (c *counted) Put(ctx context.Context, rows ...core.Row) error {
	for _, row := range rows {
		c.bytes += len(asJSON(row))
	}
	return c.Journal.Put(ctx, rows...)
}

func TestWhatARunStoresGrowsWithItsSteps(t *testing.T) {
	loop := func(n int) chain.Spec {
		return chain.Spec{
			Name: "loop", Limits: chain.Limits{Steps: 2*n + 2},
			Nodes: []chain.Node{
				{ID: "a", Kind: chain.KindFunction, Name: "noop", MaxVisits: n + 1},
				{ID: "b", Kind: chain.KindFunction, Name: "noop", MaxVisits: n + 1},
			},
			Edges: []chain.Edge{
				{From: chain.Start, To: "a"},
				{From: "a", To: "b"},
				{From: "b", To: "a", When: fmt.Sprintf("visits < %d", n/2)},
				{From: "b", To: chain.End, Default: true},
			},
		}
	}
	each := func(n int) chain.Spec {
		items := make([]any, n)
		for i := range items {
			items[i] = i
		}
		return chain.Spec{
			Name: "each", Vars: map[string]any{"items": items},
			Nodes: []chain.Node{{ID: "each", Kind: chain.KindFunction, Name: "noop", Each: &chain.Each{Over: "{{vars.items}}"}}},
			Edges: []chain.Edge{{From: chain.Start, To: "each"}, {From: "each", To: chain.End}},
		}
	}
	for name, spec := range map[string]func(int) chain.Spec{"line": line, "loop": loop, "for_each": each} {
		per := map[int]int{}
		for _, n := range []int{10, 100, 1000} {
			c, err := chain.Compile(spec(n), "")
			if err != nil {
				t.Fatal(err)
			}
			s := stageOf(t, c)
			s.cfg.Functions = map[string]chain.Function{"noop": noop}
			j := &counted{Journal: core.Forget{}}
			s.cfg.Journal = j
			if result, err := s.run("go", nil); err != nil || result.Reply.Status != core.StatusSuccess {
				t.Fatalf("%s of %d: %+v, %v", name, n, result.Reply, err)
			}
			per[n] = j.bytes / n
		}
		if per[1000] > per[100]*11/10 || per[100] > per[10]*11/10 {
			t.Errorf("%s: the bytes of a node grow with their number: %v", name, per)
		}
	}
}
