package chain_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"yaap/core"
	"yaap/core/chain"
)

const research = `
chain: 1
name: email
inputs:
  company: {type: string}
nodes:
  researcher:
    agent: yaap
    prompt: "Find the e-mail address of the CEO of {{input.company}}"
  validator:
    agent: yaap
    prompt: "{{researcher.data.guesses}}"
edges:
  - {from: start, to: researcher}
  - {from: researcher, to: validator, when: 'response.status == "success"'}
  - {from: validator, to: end}
`

func TestTheExampleOfTheSpecificationIsRouted(t *testing.T) {
	s := newStage(t, research)
	s.play = says(map[string][]core.Reply{
		"researcher": {good("I identified the CEO as John Doe.", map[string]any{"guesses": []any{"john.doe@acme.com", "jdoe@acme.com"}})},
		"validator":  {good("The valid email is jdoe@acme.com", map[string]any{"valid_email": "jdoe@acme.com"})},
	})
	result, err := s.run("go", map[string]any{"company": "Acme Corp."})
	if err != nil || result.Reply.Message != "The valid email is jdoe@acme.com" {
		t.Fatalf("got %+v, %v", result, err)
	}
	want := []string{
		"start -> researcher", "start researcher#1", "end researcher completed",
		`researcher -> validator response.status == "success"`, "start validator#1", "end validator completed", "validator -> end default",
	}
	if diff := cmp.Diff(want, s.path()); diff != "" {
		t.Errorf("path (-want +got)\n%s", diff)
	}
	calls := []string{"researcher: Find the e-mail address of the CEO of Acme Corp.", `validator: ["john.doe@acme.com","jdoe@acme.com"]`}
	if diff := cmp.Diff(calls, s.calls); diff != "" {
		t.Errorf("calls (-want +got)\n%s", diff)
	}
	messages, err := s.journal.Messages(t.Context(), thread)
	if err != nil || messages[len(messages)-1].Reply == nil {
		t.Errorf("the answer is not stored: %+v, %v", messages, err)
	}
}

func TestAQuestionIsTheOnlyTextInput(t *testing.T) {
	s := newStage(t, research)
	s.play = says(map[string][]core.Reply{"researcher": {bad("who?")}})
	result, err := s.run("Acme", nil)
	if err != nil || result.Reply.Status != core.StatusFailure || result.Reply.Message != "who?" {
		t.Errorf("got %+v, %v", result, err)
	}
	if len(s.calls) != 1 || !strings.HasSuffix(s.calls[0], "CEO of Acme") {
		t.Errorf("got the calls %q", s.calls)
	}
}

func TestInputsThatDoNotFitAreRefusedWithTheRightOnes(t *testing.T) {
	s := newStage(t, research)
	_, err := s.run("", map[string]any{"firm": 3})
	if core.CodeOf(err) != core.CodeInvalid || !strings.Contains(core.HintOf(err), "company=STRING") {
		t.Errorf("got %v (%s)", err, core.HintOf(err))
	}
}

func nodes(lines ...string) string {
	return "chain: 1\nname: test\nnodes:\n  " + strings.Join(lines, "\n  ") + "\nedges:\n"
}

func TestWhatNoConditionTakesGoesToTheDefaultAndFailuresToOnError(t *testing.T) {
	source := nodes(
		"a: {agent: x, prompt: a}", "high: {agent: x, prompt: h}", "low: {agent: x, prompt: l}",
		`sorry: {function: set, input: {message: "{{error.node}} failed: {{error.message}}"}}`) + `
  - {from: start, to: a}
  - {from: a, to: high, when: response.data.score > 0.8}
  - {from: a, to: low, default: true}
  - {from: a, to: sorry, on_error: true}
  - {from: high, to: end}
  - {from: low, to: end}
  - {from: sorry, to: end}
`
	for name, c := range map[string]struct {
		reply core.Reply
		want  string
	}{
		"a high score":          {good("", map[string]any{"score": 0.93}), "high"},
		"a low one":             {good("", map[string]any{"score": 0.2}), "low"},
		"none":                  {good("", nil), "low"},
		"a score that is text":  {good("", map[string]any{"score": "0.93"}), "low"},
		"data that is a list":   {good("", map[string]any{"value": []any{1, 2}}), "low"},
		"a failure with a high": {core.Reply{Status: core.StatusFailure, Data: map[string]any{"score": 1.0}}, "high"},
		"a failure":             {bad("no luck"), "a failed: no luck"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, source)
			s.play = says(map[string][]core.Reply{"a": {c.reply}, "high": {good("high", nil)}, "low": {good("low", nil)}})
			result, err := s.run("go", nil)
			if err != nil || result.Reply.Message != c.want {
				t.Errorf("got %+v, %v, want %q", result.Reply, err, c.want)
			}
		})
	}
}

func TestAFailureThatNothingTakesCareOfStopsTheChain(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a}", "b: {agent: x, prompt: b}")+`
  - {from: start, to: a}
  - {from: a, to: b}
  - {from: b, to: end}
`)
	s.play = says(map[string][]core.Reply{"a": {bad("the disk is full")}})
	result, err := s.run("go", nil)
	if err != nil || result.Reply.Status != core.StatusFailure || result.Reply.Message != "the disk is full" {
		t.Errorf("got %+v, %v", result.Reply, err)
	}
}

func TestCompletedEndsTheChainAtOnce(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a}", "b: {agent: x, prompt: b}")+`
  - {from: start, to: a}
  - {from: a, to: b}
  - {from: b, to: end}
`)
	s.play = says(map[string][]core.Reply{"a": {{Status: core.StatusCompleted, Message: "all done"}}})
	result, err := s.run("go", nil)
	if err != nil || result.Reply.Status != core.StatusSuccess || result.Reply.Message != "all done" || len(s.calls) != 1 {
		t.Errorf("got %+v, %v after %q", result.Reply, err, s.calls)
	}
}

const diamond = `
  - {from: start, to: a}
  - {from: a, to: b}
  - {from: a, to: c, when: response.data.wide == true}
  - {from: b, to: d}
  - {from: c, to: d}
  - {from: d, to: end}
`

func TestAJoinWaitsForAllThatCanStillCome(t *testing.T) {
	for name, c := range map[string]struct {
		wide bool
		want string
	}{
		"both branches": {true, `{"from":["b","c"]}`},
		"one branch":    {false, `{"from":["b"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, nodes("a: {agent: x, prompt: a, fanout: true}", "b: {agent: x, prompt: b}", "c: {agent: x, prompt: c}", "d: {aggregate: concat}")+diamond)
			release := make(chan struct{})
			s.play = func(_ context.Context, in core.Input) (core.Result, error) {
				switch in.Node {
				case "b": // the first branch in the file is the last to end
					if c.wide {
						<-release
					}
				case "c":
					defer close(release)
				}
				return core.Result{Reply: good(in.Node, map[string]any{"from": []any{in.Node}, "wide": c.wide})}, nil
			}
			result, err := s.run("go", nil)
			if err != nil {
				t.Fatal(err)
			}
			items, _ := result.Reply.Data["items"].([]any)
			want := 1
			if c.wide {
				want = 2
			}
			if len(items) != want || items[0] != "b" {
				t.Errorf("got %v", items)
			}
		})
	}
}

func TestTheFirstSuccessCancelsTheOthers(t *testing.T) {
	s := newStage(t, nodes("a: {condition: true, fanout: true}", "slow: {agent: x, prompt: s}", "quick: {agent: x, prompt: q}", "d: {aggregate: first, join: first_success}")+`
  - {from: start, to: a}
  - {from: a, to: slow}
  - {from: a, to: quick}
  - {from: slow, to: d}
  - {from: quick, to: d}
  - {from: d, to: end}
`)
	s.play = func(ctx context.Context, in core.Input) (core.Result, error) {
		if in.Node == "slow" {
			<-ctx.Done()
			return core.Result{}, ctx.Err()
		}
		return core.Result{Reply: good("quick", nil)}, nil
	}
	result, err := s.run("go", nil)
	if err != nil || result.Reply.Message != "quick" {
		t.Fatalf("got %+v, %v", result.Reply, err)
	}
	if path := strings.Join(s.path(), "\n"); !strings.Contains(path, "end slow cancelled") {
		t.Errorf("got\n%s", path)
	}
}

func TestALoopGoesRoundAsOftenAsItMay(t *testing.T) {
	source := nodes("write: {agent: x, prompt: w, max_visits: 3}", "judge: {agent: x, prompt: '{{write.message}}', max_visits: 3}") + `
  - {from: start, to: write}
  - {from: write, to: judge}
  - {from: judge, to: end, when: response.data.ok == true}
  - {from: judge, to: write, default: true}
`
	no, yes := good("no", map[string]any{"ok": false}), good("yes", map[string]any{"ok": true})
	s := newStage(t, source)
	s.play = says(map[string][]core.Reply{"write": {good("one", nil), good("two", nil)}, "judge": {no, yes}})
	if result, err := s.run("go", nil); err != nil || result.Reply.Message != "yes" || len(s.calls) != 4 {
		t.Errorf("got %+v, %v after %q", result.Reply, err, s.calls)
	}
	s = newStage(t, source)
	s.play = says(map[string][]core.Reply{"write": {good("one", nil)}, "judge": {no}})
	result, err := s.run("go", nil)
	if err != nil || result.Reply.Status != core.StatusFailure || !strings.Contains(result.Reply.Message, "write was to be visited more than 3 times") {
		t.Errorf("got %+v, %v", result.Reply, err)
	}
}

func TestOneLimitIsEnoughForACircle(t *testing.T) {
	s := newStage(t, nodes("write: {agent: x, prompt: w}", "judge: {agent: x, prompt: '{{write.message}}', max_visits: 3}")+`
  - {from: start, to: write}
  - {from: write, to: judge}
  - {from: judge, to: end, when: response.data.ok == true}
  - {from: judge, to: write, default: true}
`)
	no, yes := good("no", nil), good("yes", map[string]any{"ok": true})
	s.play = says(map[string][]core.Reply{"write": {good("w", nil)}, "judge": {no, no, yes}})
	if result, err := s.run("go", nil); err != nil || result.Reply.Message != "yes" {
		t.Errorf("got %+v, %v", result.Reply, err)
	}
}

func TestRetryWithInstructionSendsTheWorkBack(t *testing.T) {
	s := newStage(t, nodes("write: {agent: x, prompt: w, max_visits: 3}", "judge: {agent: x, prompt: '{{write.message}}', max_visits: 3}")+`
  - {from: start, to: write}
  - {from: write, to: judge}
  - {from: judge, to: end}
`)
	again := core.Reply{Status: core.StatusFailure, Message: "shorter, please", Data: map[string]any{}}
	again.MarkRetry("retry_with_instruction")
	s.play = says(map[string][]core.Reply{"write": {good("long", nil), good("short", nil)}, "judge": {again, good("fine", nil)}})
	result, err := s.run("go", nil)
	if err != nil || result.Reply.Message != "fine" {
		t.Fatalf("got %+v, %v", result.Reply, err)
	}
	if diff := cmp.Diff([]string{"write: w", "judge: long", "write: shorter, please", "judge: short"}, s.calls); diff != "" {
		t.Errorf("calls (-want +got)\n%s", diff)
	}
}

func TestAHintIsFollowedOnlyWhereTheChainAllowsIt(t *testing.T) {
	edges := `
  - {from: start, to: a}
  - {from: a, to: b, when: response.data.b == true}
  - {from: a, to: c, default: true}
  - {from: b, to: end}
  - {from: c, to: end}
`
	for head, want := range map[string]string{"dynamic_routing: true\n": "b", "": "c"} {
		s := newStage(t, head+nodes("a: {agent: x, prompt: a}", "b: {agent: x, prompt: b}", "c: {agent: x, prompt: c}")+edges)
		hint := good("a", nil)
		hint.NextStepHint = "b"
		s.play = says(map[string][]core.Reply{"a": {hint}, "b": {good("b", nil)}, "c": {good("c", nil)}})
		if result, err := s.run("go", nil); err != nil || result.Reply.Message != want {
			t.Errorf("%q: got %+v, %v", head, result.Reply, err)
		}
	}
}

func TestAnAttemptThatFailsIsMadeAgain(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a, retries: {max: 2, backoff: 1ms}}")+`
  - {from: start, to: a}
  - {from: a, to: end}
`)
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
	if diff := cmp.Diff(want, s.path()); diff != "" {
		t.Errorf("path (-want +got)\n%s", diff)
	}
}

func TestDataThatDoesNotFitIsAskedForOnceMore(t *testing.T) {
	source := nodes("a: {agent: x, prompt: a, data_schema: {type: object, required: [id]}}") + `
  - {from: start, to: a}
  - {from: a, to: end}
`
	s := newStage(t, source)
	s.play = says(map[string][]core.Reply{"a": {good("one", nil), good("two", map[string]any{"id": 7})}})
	if result, err := s.run("go", nil); err != nil || result.Reply.Message != "two" {
		t.Errorf("got %+v, %v", result.Reply, err)
	}
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

const each = `
chain: 1
name: test
nodes:
  list: {function: set, input: {names: [ann, bob, cid]}}
  greet:
    agent: x
    prompt: "greet {{name}}, number {{index}}"
    for_each: {over: "{{list.data.names}}", as: name, parallel: 2, on_failure: FAILURE}
edges:
  - {from: start, to: list}
  - {from: list, to: greet}
  - {from: greet, to: end}
`

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

func TestThoughtsAndTemplatesInRepliesReachNobody(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a}", "b: {agent: x, prompt: '{{a.data.text}} {{a.data}}'}")+`
  - {from: start, to: a}
  - {from: a, to: b}
  - {from: b, to: end}
`)
	s.play = says(map[string][]core.Reply{"a": {good("", map[string]any{"text": "{{input}}"})}, "b": {good("", nil)}})
	if _, err := s.run("the input", nil); err != nil {
		t.Fatal(err)
	}
	if got := s.calls[1]; got != `b: {{input}} {"text":"{{input}}"}` {
		t.Errorf("got %q", got)
	}
}

func TestBase64IsRefusedWithTheReason(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a}")+`
  - {from: start, to: a}
  - {from: a, to: end}
`)
	s.play = says(map[string][]core.Reply{"a": {good("", map[string]any{"image": []any{strings.Repeat("QUJD", 20_000)}})}})
	result, err := s.run("go", nil)
	if err != nil || !strings.Contains(result.Reply.Message, "data.image[0] carries more than 64 KiB") {
		t.Errorf("got %+v, %v", result.Reply.Message, err)
	}
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
	result, err := s.run("go", nil)
	if err != nil || result.Reply.Message != "a took longer than its 1ms" {
		t.Errorf("got %+v, %v", result.Reply, err)
	}
}

func TestACancelEndsWhatRuns(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a}")+`
  - {from: start, to: a}
  - {from: a, to: end}
`)
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

func TestAQuestionPausesTheChainUntilItIsAnswered(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: which}", "b: {agent: x, prompt: '{{a.message}}'}")+`
  - {from: start, to: a}
  - {from: a, to: b}
  - {from: b, to: end}
`)
	asks := core.Reply{Status: core.StatusClarification, Message: "Which one?", Data: map[string]any{"options": []any{"red", "blue"}}}
	s.play = says(map[string][]core.Reply{"a": {asks, good("blue it is", nil)}, "b": {good("done", nil)}})
	result, err := s.run("go", nil)
	if err != nil || len(result.Pauses) != 1 || result.Reply.Status != core.StatusClarification {
		t.Fatalf("got %+v, %v", result, err)
	}
	p := result.Pauses[0]
	if p.Question != "Which one?" || len(p.Options) != 2 || p.Options[1].Label != "blue" || p.Root != runID {
		t.Errorf("got %+v", p)
	}
	if result, err := s.again(); err != nil || len(result.Pauses) != 1 { // nobody has answered
		t.Errorf("got %+v, %v", result, err)
	}
	if err := s.journal.Put(t.Context(), core.Answer{Pause: p.ID, Text: "blue", Time: time.Now()}); err != nil {
		t.Fatal(err)
	}
	s.path()
	if result, err := s.again(); err != nil || result.Reply.Message != "done" {
		t.Fatalf("got %+v, %v", result, err)
	}
	want := []string{"resumed", "start a#1", "end a completed", "a -> b default", "start b#1", "end b completed", "b -> end default"}
	if diff := cmp.Diff(want, s.path()); diff != "" {
		t.Errorf("path (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a: which", "a: blue", "b: blue it is"}, s.calls); diff != "" {
		t.Errorf("calls (-want +got)\n%s", diff)
	}
}

func TestAQuestionMaySayWhatItsAnswerMustBeLike(t *testing.T) {
	s := newStage(t, nodes(
		`much: {function: ask, input: {question: "How much?", schema: {type: integer, minimum: 1}}}`,
		`told: {function: set, input: {much: "{{much.data.answer}}"}}`)+`
  - {from: start, to: much}
  - {from: much, to: told, when: response.data.answer > 10}
  - {from: told, to: end}
`)
	result, err := s.run("go", nil)
	if err != nil || len(result.Pauses) != 1 || string(result.Pauses[0].Schema) != `{"minimum":1,"type":"integer"}` {
		t.Fatalf("got %+v, %v", result.Pauses, err)
	}
	answer := core.Answer{Pause: result.Pauses[0].ID, Text: "12", Data: []byte("12"), Time: time.Now()}
	if err := s.journal.Put(t.Context(), answer); err != nil {
		t.Fatal(err)
	}
	if result, err := s.again(); err != nil || asJSON(result.Reply.Data) != `{"much":12}` {
		t.Errorf("got %+v, %v", result.Reply, err)
	}
}

func TestANodeThatGivesNoSignOfLifeFails(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a, idle_timeout: 20ms}")+`
  - {from: start, to: a}
  - {from: a, to: end}
`)
	signs := 0
	s.play = func(ctx context.Context, in core.Input) (core.Result, error) {
		for ; signs < 3 && ctx.Err() == nil; signs++ {
			in.Alive()
		}
		<-ctx.Done()
		return core.Result{}, ctx.Err()
	}
	result, err := s.run("go", nil)
	if err != nil || result.Reply.Message != "a gave no sign of life for 20ms" || signs != 3 {
		t.Errorf("got %+v, %v after %d signs", result.Reply, err, signs)
	}
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

func TestAChangedFileIsNoticed(t *testing.T) {
	edges := `
  - {from: start, to: a}
  - {from: a, to: end}
`
	s := newStage(t, nodes("a: {agent: x, prompt: a}")+edges)
	s.play = says(map[string][]core.Reply{"a": {{Status: core.StatusClarification, Message: "?"}}})
	if _, err := s.run("go", nil); err != nil {
		t.Fatal(err)
	}
	other := compile(t, nodes("a: {agent: x, prompt: other}")+edges)
	other.Hash = "another"
	s.chain = other
	if _, err := s.again(); core.CodeOf(err) != core.CodeConflict || !strings.Contains(core.HintOf(err), "--migrate") {
		t.Errorf("got %v", err)
	}
	s.cfg.Migrate = true
	if result, err := s.again(); err != nil || len(result.Pauses) != 1 {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestAForkTakesOverStepsWithChanges(t *testing.T) {
	source := nodes("a: {agent: x, prompt: a}", "b: {agent: x, prompt: 'score {{a.data.score}}'}") + `
  - {from: start, to: a}
  - {from: a, to: b}
  - {from: b, to: end}
`
	s := newStage(t, source)
	s.play = says(map[string][]core.Reply{"a": {good("a", map[string]any{"score": 0.1})}, "b": {good("b", nil)}})
	if _, err := s.run("go", nil); err != nil {
		t.Fatal(err)
	}
	saved, err := s.journal.Load(t.Context(), runID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chain.Fork(saved, 9, nil); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("a step that is not there: %v", err)
	}
	steps, err := chain.Fork(saved, 2, []string{"a.data.score=0.9"})
	if err != nil {
		t.Fatal(err)
	}
	f := newStage(t, source)
	f.play = s.play
	in := f.begin("go", nil)
	for i, step := range steps {
		if err := f.journal.Put(t.Context(), core.Checkpoint{Run: runID, Step: i + 1, State: step}); err != nil {
			t.Fatal(err)
		}
	}
	result, err := f.chain.Runner(f.cfg).Run(t.Context(), in)
	if err != nil || result.Reply.Message != "b" {
		t.Fatalf("got %+v, %v", result, err)
	}
	if diff := cmp.Diff([]string{"b: score 0.9"}, f.calls); diff != "" {
		t.Errorf("calls (-want +got)\n%s", diff)
	}
}

func TestTheTimeOfANodeIsTold(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a}")+`
  - {from: start, to: a}
  - {from: a, to: end}
`)
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	s.cfg.Now = func() time.Time { return now }
	s.play = func(context.Context, core.Input) (core.Result, error) {
		now = now.Add(250 * time.Millisecond)
		return core.Result{Reply: good("a", nil)}, nil
	}
	if _, err := s.run("go", nil); err != nil {
		t.Fatal(err)
	}
	for _, e := range s.feed.Rest() {
		if b, ok := e.Body.(core.NodeEnd); ok && b.MS != 250 {
			t.Errorf("it took %d ms", b.MS)
		}
	}
}
