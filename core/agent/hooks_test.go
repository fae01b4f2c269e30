package agent_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/guard"
	"github.com/yaap-chat/yaap/core/hook"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/must"
)

// hooked is a set of one hook, a script. It also writes what it is shown to a file,
// whose lines shown returns.
func hooked(t *testing.T, event core.HookEvent, script string) (set *hook.Set, shown func() []hook.Input) {
	t.Helper()
	dir := t.TempDir()
	command := []string{"sh", "-c", "cat >>shown; " + script}
	set = &hook.Set{
		Hooks: map[core.HookEvent][]hook.Hook{event: {{Command: command}}}, Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH")},
	}
	return set, func() (list []hook.Input) {
		raw, err := os.ReadFile(filepath.Join(dir, "shown"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			var m hook.Input
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err)
			}
			list = append(list, m)
		}
		return list
	}
}

// decided are the decisions of hooks that were reported.
func decided(events []core.Event) (list []core.HookDecision) {
	for _, e := range events {
		if b, ok := e.Body.(core.HookRan); ok {
			list = append(list, b.Decision)
		}
	}
	return list
}

// asks is a model that makes one call of shell, and answers.
func asks(t *testing.T) *llmtest.Script {
	return llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "shell", "rm -r /")}}, llmtest.Turn{Text: reply("Done.")})
}

// lastRead is what the model was shown last.
func lastRead(script *llmtest.Script) string {
	messages := script.Requests()[1].Messages
	return messages[len(messages)-1].Text
}

func TestACallThatAHookDeniesIsNotMadeAndNobodyIsAskedAboutIt(t *testing.T) {
	var calls []string
	script := asks(t)
	s := newStage(t, script, counting("shell", &calls))
	s.cfg.Approvals = &careful{tools: []string{"shell"}}
	s.cfg.Hooks, _ = hooked(t, core.HookBeforeTool, `echo '{"decision":"deny","reason":"nothing is removed here"}'`)
	result, err := s.run("clean up")
	if err != nil || result.Reply.Message != "Done." || len(calls) != 0 {
		t.Fatalf("got %+v, %v after %q", result, err, calls)
	}
	if read := lastRead(script); !strings.Contains(read, "permission_denied") || !strings.Contains(read, "nothing is removed here") {
		t.Errorf("the model read %s", read)
	}
	if diff := cmp.Diff([]core.HookDecision{core.HookDeny}, decided(s.events())); diff != "" {
		t.Errorf("decisions (-want +got)\n%s", diff)
	}
}

func TestTheUserIsAskedAboutWhatAHookMadeOfACallAndTheHookRunsOnce(t *testing.T) {
	var calls []string
	s := newStage(t, asks(t), counting("shell", &calls))
	s.cfg.Approvals = &careful{tools: []string{"shell"}}
	var shown func() []hook.Input
	s.cfg.Hooks, shown = hooked(t, core.HookBeforeTool, `echo '{"decision":"allow","args":{"prompt":"ls"}}'`)
	in := s.input("clean up")
	result, err := agent.New(s.cfg).Run(t.Context(), in)
	if err != nil || len(result.Pauses) != 1 || string(result.Pauses[0].Call.Args) != `{"prompt":"ls"}` || len(calls) != 0 {
		t.Fatalf("got %+v, %v after %q", result, err, calls)
	}
	result, err = s.again(in, core.Answer{Pause: "run#a", ID: core.AllowOnce})
	if err != nil || result.Reply.Message != "Done." {
		t.Fatalf("got %+v, %v", result, err)
	}
	if diff := cmp.Diff([]string{`shell {"prompt":"ls"}`}, calls); diff != "" {
		t.Errorf("calls (-want +got)\n%s", diff)
	}
	if moments := shown(); len(moments) != 1 || string(moments[0].Args) != `{"prompt":"rm -r /"}` || moments[0].Turn != 1 || moments[0].Agent != "yaap" {
		t.Errorf("the hook was shown %+v", moments)
	}
	s.events()
}

func TestAHookRunsOnceForACallThatIsMadeAgainAfterACrash(t *testing.T) {
	s := newStage(t, llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "heron", "food?")}}, llmtest.Turn{Text: reply("Fish.")}))
	m := &process{Journal: s.journal}
	s.cfg.Journal = m
	var keys []string
	s.cfg.Tools = &box{tools: []core.Tool{kills(1, m, &keys)}}
	var shown func() []hook.Input
	s.cfg.Hooks, shown = hooked(t, core.HookBeforeTool, "")
	in, a := s.input("food?"), agent.New(s.cfg)
	if _, err := a.Run(t.Context(), in); err == nil {
		t.Fatal("it was not killed")
	}
	m.dead.Store(false)
	if _, err := a.Run(t.Context(), in); err != nil || len(keys) != 2 || len(shown()) != 1 {
		t.Errorf("got %v after %d calls; the hook ran %d times", err, len(keys), len(shown()))
	}
}

func TestWhatAHookMakesOfACallIsCheckedAsWhatAModelWrote(t *testing.T) {
	for args, want := range map[string]string{
		`{"promt":"ls"}`:                 "the arguments do not fit",
		`{"prompt":"use ` + token + `"}`: "GitHub token",
	} {
		var calls []string
		script := asks(t)
		s := newStage(t, script, counting("shell", &calls))
		s.cfg.Guards.Args = guard.Policy{Secrets: guard.Block}
		s.cfg.Hooks, _ = hooked(t, core.HookBeforeTool, `echo '{"args":`+args+`}'`)
		if _, err := s.run("go"); err != nil || len(calls) != 0 {
			t.Errorf("%s: got %v after %q", args, err, calls)
		}
		if read := lastRead(script); !strings.Contains(read, want) || strings.Contains(read, token) {
			t.Errorf("%s: the model read %s", args, read)
		}
		s.events()
	}
}

func TestAHookThatWasSetAfterTheUserAllowedACallDoesNotChangeWhatWasAllowed(t *testing.T) {
	var calls []string
	s := newStage(t, asks(t), counting("shell", &calls))
	s.cfg.Approvals = &careful{tools: []string{"shell"}}
	in := s.input("clean up")
	if _, err := agent.New(s.cfg).Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	s.cfg.Hooks, _ = hooked(t, core.HookBeforeTool, `echo '{"args":{"prompt":"ls"}}'`)
	if _, err := s.again(in, core.Answer{Pause: "run#a", ID: core.AllowOnce}); err != nil || len(calls) != 0 {
		t.Errorf("got %v after %q", err, calls)
	}
	s.events()
}

func TestTheModelReadsWhatAHookMakesOfAResult(t *testing.T) {
	for script, want := range map[string]string{
		`echo '{"text":"Thrush."}'`:                       "Thrush.",
		`echo '{"decision":"deny","reason":"not yours"}'`: "the call was made, and what it answered is held back: a hook of the user denies it: not yours",
		`exit 1`: "Fish.",
	} {
		model := llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "heron", "food?")}}, llmtest.Turn{Text: reply("So it is.")})
		s := newStage(t, model, says("heron", "Fish."))
		var shown func() []hook.Input
		s.cfg.Hooks, shown = hooked(t, core.HookAfterTool, script)
		if _, err := s.run("food?"); err != nil {
			t.Fatal(err)
		}
		if read := lastRead(model); !strings.Contains(read, want) || want != "Fish." && strings.Contains(read, "Fish") {
			t.Errorf("%s: the model read %s", script, read)
		}
		if moments := shown(); len(moments) != 1 || moments[0].Result.Text != "Fish." {
			t.Errorf("%s was shown %+v", script, moments)
		}
		s.events()
	}
}

func TestAHookIsToldHowEachTurnEnds(t *testing.T) {
	s := newStage(t, asks(t), says("shell", "gone"))
	var shown func() []hook.Input
	s.cfg.Hooks, shown = hooked(t, core.HookTurnEnd, `echo '{"remark":"noted"}'`)
	if _, err := s.run("clean up"); err != nil {
		t.Fatal(err)
	}
	var ends []string
	for _, m := range shown() {
		ends = append(ends, strings.TrimSpace(m.Outcome+" "+string(m.Status)+" "+m.Message))
	}
	if diff := cmp.Diff([]string{"goes_on", "answered success Done."}, ends); diff != "" {
		t.Errorf("ends (-want +got)\n%s", diff)
	}
	events := s.events()
	if diff := cmp.Diff([]core.HookDecision{core.HookRemark, core.HookRemark}, decided(events)); diff != "" {
		t.Errorf("decisions (-want +got)\n%s", diff)
	}
}

func TestACancelDoesNotWaitForAHook(t *testing.T) {
	var calls []string
	s := newStage(t, llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "shell", "rm -r /")}}), counting("shell", &calls))
	s.cfg.Hooks, _ = hooked(t, core.HookBeforeTool, "echo >began; sleep 1000")
	began := filepath.Join(s.cfg.Hooks.Dir, "began")
	must.Fifo(t, began)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		_, _ = os.ReadFile(began) // it ends when the hook runs
		cancel()
	}()
	if _, err := agent.New(s.cfg).Run(ctx, s.input("clean up")); core.CodeOf(err) != core.CodeCancelled || len(calls) != 0 {
		t.Errorf("got %v after %q", err, calls)
	}
	for _, e := range s.events() {
		if b, ok := e.Body.(core.HookRan); ok {
			t.Errorf("a hook that was cut off is told as %+v", b)
		}
	}
}

func TestHooksAreRunForAnExpertThatIsAskedDirectly(t *testing.T) {
	s := newStage(t, nil)
	s.cfg.Hooks, _ = hooked(t, core.HookBeforeTool, `echo no >&2; exit 2`)
	s.cfg.Hooks.Hooks[core.HookTurnEnd] = []hook.Hook{{Command: []string{"true"}}}
	heron := says("heron", "Fish.")
	heron.call = func(context.Context, core.Call) (core.ToolResult, error) {
		t.Error("the call was made")
		return core.ToolResult{}, nil
	}
	result, err := agent.AsRunner(heron, s.cfg).Run(t.Context(), s.input("food?"))
	if err != nil || result.Reply.Status != core.StatusFailure || !strings.Contains(result.Reply.Message, "denies it: no") {
		t.Errorf("got %+v, %v", result, err)
	}
	if diff := cmp.Diff([]core.HookDecision{core.HookDeny, core.HookAllow}, decided(s.events())); diff != "" {
		t.Errorf("decisions (-want +got)\n%s", diff)
	}
}

func TestAHookSeesAHandoffOnceAndNotTheAnswerThatComesBack(t *testing.T) {
	s := newStage(t, llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{handTo("a", "lawyer", "may we?")}},
		llmtest.Turn{Text: reply("MIT is fine.")},
		llmtest.Turn{Text: reply("We may.")},
	))
	s.cfg.Peers = team()
	var shown func() []hook.Input
	s.cfg.Hooks, shown = hooked(t, core.HookBeforeTool, "")
	s.cfg.Hooks.Hooks[core.HookAfterTool] = s.cfg.Hooks.Hooks[core.HookBeforeTool]
	if result, err := s.run("may I?"); err != nil || result.Reply.Message != "We may." {
		t.Fatalf("got %+v, %v", result, err)
	}
	var seen []string
	for _, m := range shown() {
		seen = append(seen, string(m.Event)+" "+m.Tool)
	}
	if diff := cmp.Diff([]string{"before_tool handoff_to_agent", "after_tool handoff_to_agent"}, seen); diff != "" {
		t.Errorf("seen (-want +got)\n%s", diff)
	}
	s.events()
}
