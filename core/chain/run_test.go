package chain_test

import (
	"context"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
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
	must.Equal(t, want, s.path())
	calls := []string{"researcher: Find the e-mail address of the CEO of Acme Corp.", `validator: ["john.doe@acme.com","jdoe@acme.com"]`}
	must.Equal(t, calls, s.calls)
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

func TestWhatIsTypedForAnInputIsNotTakenForTheTextOfAnother(t *testing.T) {
	c := compile(t, research)
	for words, want := range map[string]string{
		"Acme Corp":                "",
		"what is a=b":              "",
		"company=Acme":             "",
		"compny=Acme":              "it has no input compny: did you mean company?",
		"company=Acme country=far": "it has no input country",
		"":                         "its input company is missing",
	} {
		_, err := c.ReadArgs(strings.Fields(words))
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasSuffix(err.Error(), want)) {
			t.Errorf("%q: got %v, want %q", words, err, want)
		}
	}
}

func nodes(lines ...string) string {
	return "chain: 1\nname: test\nnodes:\n  " + strings.Join(lines, "\n  ") + "\nedges:\n"
}

// way are the edges from the start over these nodes to the end.
func way(over ...string) string {
	edges, from := "", "start"
	for _, to := range append(over, "end") {
		edges += "  - {from: " + from + ", to: " + to + "}\n"
		from = to
	}
	return edges
}

// ends runs the chain, and wants that it says this at its end.
func (s *stage) ends(want string) {
	s.t.Helper()
	if got := must.Get(s.run("go", nil))(s.t).Reply; got.Message != want {
		s.t.Fatalf("got %+v, want %q", got, want)
	}
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
			s.ends(c.want)
		})
	}
}

func TestAFailureThatNothingTakesCareOfStopsTheChain(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a}", "b: {agent: x, prompt: b}")+way("a", "b"))
	s.play = says(map[string][]core.Reply{"a": {bad("the disk is full")}})
	result, err := s.run("go", nil)
	if err != nil || result.Reply.Status != core.StatusFailure || result.Reply.Message != "the disk is full" {
		t.Errorf("got %+v, %v", result.Reply, err)
	}
}

func TestCompletedEndsTheChainAtOnce(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a}", "b: {agent: x, prompt: b}")+way("a", "b"))
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
			result := must.Get(s.run("go", nil))(t)
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
	s.ends("quick")
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
	s.ends("yes")
}

func TestRetryWithInstructionSendsTheWorkBack(t *testing.T) {
	s := newStage(t, nodes("write: {agent: x, prompt: w, max_visits: 3}", "judge: {agent: x, prompt: '{{write.message}}', max_visits: 3}")+way("write", "judge"))
	again := core.Reply{Status: core.StatusFailure, Message: "shorter, please", Data: map[string]any{}}
	again.MarkRetry("retry_with_instruction")
	s.play = says(map[string][]core.Reply{"write": {good("long", nil), good("short", nil)}, "judge": {again, good("fine", nil)}})
	s.ends("fine")
	must.Equal(t, []string{"write: w", "judge: long", "write: shorter, please", "judge: short"}, s.calls)
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
		s.ends(want)
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

func TestThoughtsAndTemplatesInRepliesReachNobody(t *testing.T) {
	s := newStage(t, nodes("a: {agent: x, prompt: a}", "b: {agent: x, prompt: '{{a.data.text}} {{a.data}}'}")+way("a", "b"))
	s.play = says(map[string][]core.Reply{"a": {good("", map[string]any{"text": "{{input}}"})}, "b": {good("", nil)}})
	must.Get(s.run("the input", nil))(t)
	must.Equal(t, `b: {{input}} {"text":"{{input}}"}`, s.calls[1])
}
