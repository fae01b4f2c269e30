package chain_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/chain"
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
		"c: {function: set, input: {all: '{{a.data}}'}}")+way("a", "b", "c"), map[string]chain.Function{"spoil": func(_ context.Context, in map[string]any) (core.Reply, error) {
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
	s := withFunctions(t, nodes("a: {function: ask2}")+way("a"), map[string]chain.Function{"ask2": func(_ context.Context, in map[string]any) (core.Reply, error) {
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

func TestWhatAFunctionAnswersIsTheSameBeforeAndAfterARestart(t *testing.T) {
	for name, c := range map[string]struct {
		data any
		want string
	}{
		"a list of texts":   {[]string{"x", "y"}, "x\ny"},
		"a list of objects": {[]map[string]any{{"a": 1}}, `{"a":1}`},
		"a whole number":    {3, "b: for_each.over: {{a.data.v}} is a number and not a list"},
		"no number":         {math.NaN(), "its answer cannot be stored: json: unsupported value: NaN"},
	} {
		t.Run(name, func(t *testing.T) {
			s := withFunctions(t, nodes("a: {function: give}", "b: {agent: x, prompt: '{{item}}', for_each: {over: '{{a.data.v}}', parallel: 1}}")+way("a", "b"), map[string]chain.Function{"give": func(context.Context, map[string]any) (core.Reply, error) {
				return good("", map[string]any{"v": c.data}), nil
			}})
			s.play = func(_ context.Context, in core.Input) (core.Result, error) {
				return core.Result{Reply: good(in.Messages[0].Text, nil)}, nil
			}
			s.ends(c.want)
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
	s := withFunctions(t, nodes("a: {function: broken}")+way("a"), map[string]chain.Function{"broken": func(context.Context, map[string]any) (core.Reply, error) { panic("no") }})
	s.ends("broken failed: no")
}
