package chain_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

func TestForEachKeepsTheOrderAndSaysWhatFailed(t *testing.T) {
	for failure, want := range map[string]string{
		"collect": `{"count":2,"failed":[{"index":1,"item":"bob","message":"bob is out"}],"items":[{"who":"ann"},null,{"who":"cid"}],"messages":["hello ann",null,"hello cid"]}`,
		"skip":    `{"count":2,"failed":[{"index":1,"item":"bob","message":"bob is out"}],"items":[{"who":"ann"},{"who":"cid"}],"messages":["hello ann","hello cid"]}`,
		"fail":    `{"index":1,"item":"bob"}`,
	} {
		s := newStage(t, strings.Replace(each, "FAILURE", failure, 1))
		s.play = func(_ context.Context, in core.Input) (core.Result, error) {
			words := strings.Fields(strings.ReplaceAll(in.Messages[0].Text, ",", ""))
			if words[1] == "bob" {
				return core.Result{Reply: bad("bob is out")}, nil
			}
			return core.Result{Reply: good("hello "+words[1], map[string]any{"who": words[1]})}, nil
		}
		result, err := s.run("go", nil)
		if err != nil || asJSON(result.Reply.Data) != want {
			t.Errorf("%s: got %s, %v", failure, asJSON(result.Reply.Data), err)
		}
		if ok := result.Reply.Status == core.StatusSuccess; ok != (failure != "fail") {
			t.Errorf("%s: got %s", failure, result.Reply.Status)
		}
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
	s.ends("good")
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
	must.Equal(t, []string{"e: yes"}, s.calls[before:])
}
