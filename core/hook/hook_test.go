package hook_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hook"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/processes"
)

// shell is a hook that runs a script.
func shell(script string) hook.Hook { return hook.Hook{Command: []string{"sh", "-c", script}} }

// before runs hooks before a call of calc, and returns what they came to and what was
// reported.
func before(t *testing.T, hooks ...hook.Hook) (hook.Verdict, []core.HookRan) {
	t.Helper()
	return run(t, t.Context(), core.HookBeforeTool, hooks...)
}

func run(t *testing.T, ctx context.Context, event core.HookEvent, hooks ...hook.Hook) (hook.Verdict, []core.HookRan) { //nolint:revive // t is first in tests
	t.Helper()
	v, ran, _ := runIn(t, ctx, event, hooks...)
	return v, ran
}

// runIn is run, and tells the directory.
func runIn(t *testing.T, ctx context.Context, event core.HookEvent, hooks ...hook.Hook) (v hook.Verdict, ran []core.HookRan, dir string) { //nolint:revive // t is first in tests
	t.Helper()
	dir = t.TempDir()
	set := &hook.Set{
		Hooks: map[core.HookEvent][]hook.Hook{event: hooks}, Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH")},
	}
	c := core.Call{ID: "c1", Args: json.RawMessage(`{"prompt":"1 + 1"}`), Scope: core.Scope{Thread: "t", Run: "r", Agent: "yaap", Turn: 2}}
	m := hook.ToolInput(event, core.ToolSpec{Name: "calc__add", Owner: "calc"}, c)
	if event == core.HookAfterTool {
		m.Result = &hook.Result{Status: core.ToolSuccess, Text: "2", Data: map[string]any{"sum": 2.0}}
	}
	v = set.Run(ctx, m, func(b core.HookRan) {
		b.MS = 0
		ran = append(ran, b)
	})
	return v, ran, dir
}

func why(v hook.Verdict) string {
	if v.Denied == nil {
		return ""
	}
	return *v.Denied
}

func TestAHookIsShownTheCallAndRunsWhereItShallWithNothingOfTheEnvironment(t *testing.T) {
	t.Setenv("SECRET_OF_THE_ROOM", "42")
	v, ran, dir := runIn(t, t.Context(), core.HookBeforeTool, shell(`cat >seen; env | cut -d= -f1 | grep -v -e PWD -e SHLVL -e '^_$' >>seen`))
	raw := must.Get(os.ReadFile(filepath.Join(dir, "seen")))(t)
	want := `{"event":"before_tool","thread":"t","run":"r","agent":"yaap","turn":2,"call":"c1","tool":"calc__add","expert":"calc","args":{"prompt":"1 + 1"}}`
	if diff := cmp.Diff(want+"\nPATH\n", string(raw)); diff != "" {
		t.Errorf("what it was shown, and the names of its variables (-want +got)\n%s", diff)
	}
	if v.Denied != nil || v.Changed || len(ran) != 1 || ran[0].Decision != core.HookAllow {
		t.Errorf("a hook that says nothing came to %+v, %+v", v, ran)
	}
}

func TestHooksDenyByTheirAnswerAndByTheirStatus(t *testing.T) {
	for _, script := range []string{
		`echo '{"decision":"deny","reason":"not today"}'`,
		`echo not today >&2; exit 2`,
	} {
		v, ran := before(t, shell(script), shell(`echo '{"args":{}}'`))
		if why(v) != "not today" || v.Changed {
			t.Errorf("%s came to %q", script, why(v))
		}
		if len(ran) != 1 || ran[0].Decision != core.HookDeny || ran[0].Reason != "not today" || ran[0].Tool != "calc__add" || ran[0].Call != "c1" {
			t.Errorf("%s was reported as %+v", script, ran)
		}
	}
}

func TestEachHookIsShownWhatTheOneBeforeMadeOfIt(t *testing.T) {
	v, ran := before(t, shell(`echo '{"decision":"allow","args":{"prompt":"2 + 2"}}'`), shell(`grep -q '2 + 2' || exit 2`), shell(`echo '{"args":{ "prompt" : "2 + 2" }}'`))
	if v.Denied != nil || !v.Changed || string(v.Args) != `{"prompt":"2 + 2"}` && string(v.Args) != `{ "prompt" : "2 + 2" }` {
		t.Errorf("got %s, denied %q", v.Args, why(v))
	}
	var decisions []core.HookDecision
	for _, b := range ran {
		decisions = append(decisions, b.Decision)
	}
	must.Equal(t, []core.HookDecision{core.HookChange, core.HookAllow, core.HookAllow}, decisions)
}

func TestWhatAHookIsForIsAPattern(t *testing.T) {
	for match, want := range map[string]bool{"": true, "calc": true, "calc__*": true, "calc__add": true, "*": true, "clock": false, "add": false, "calc__sub*": false} {
		h := shell("exit 2")
		h.Match = match
		if v, ran := before(t, h); (v.Denied != nil) != want || (len(ran) == 1) != want {
			t.Errorf("%q is for the call: %v, want %v", match, v.Denied != nil, want)
		}
	}
}

func TestAHookThatFailsBeforeACallDeniesItAndSaysWhich(t *testing.T) {
	late := shell("sleep 1000")
	late.Timeout = 20 * time.Millisecond
	for _, test := range []struct {
		hook hook.Hook
		want string
	}{
		{hook.Hook{Command: []string{"/nobody/has/this"}}, "no such file or directory"},
		{shell("echo oops >&2; exit 1"), "exit status 1: oops"},
		{late, "it did not answer within 20ms"},
		{shell("echo yes"), `it printed "yes", which is no JSON object`},
		{shell("echo null"), `no JSON object`},
		{shell(`echo '{"decision":"alow"}'`), `it decided "alow"`},
		{shell(`echo '{"verdict":"deny"}'`), `it answered "verdict": before_tool takes decision, reason, args`},
		{shell(`echo '{"text":"x"}'`), `it answered "text"`},
		{shell(`echo '{"args":[1]}'`), "its args are no JSON object"},
		{shell(`echo '{"decision":7}'`), "its answer cannot be read"},
		{shell(`echo '{} {}'`), "no JSON object"},
		{shell("yes"), "it printed more than 1 MB"},
	} {
		v, ran := before(t, test.hook)
		if !strings.Contains(why(v), test.want) || !strings.Contains(why(v), "take it out of hooks:") {
			t.Errorf("%s came to %q, want %q", test.hook.Name(), why(v), test.want)
		}
		if len(ran) != 1 || ran[0].Decision != core.HookDeny || ran[0].Hook != test.hook.Name() {
			t.Errorf("%s was reported as %+v", test.hook.Name(), ran)
		}
	}
}

func TestAHookThatFailsAfterACallOrATurnChangesNothing(t *testing.T) {
	for _, event := range []core.HookEvent{core.HookAfterTool, core.HookTurnEnd} {
		v, ran := run(t, t.Context(), event, shell("exit 1"))
		if v.Denied != nil || v.Changed || len(ran) != 1 || ran[0].Decision != core.HookFail || !strings.Contains(ran[0].Reason, "exit status 1") {
			t.Errorf("%s: got %+v, %+v", event, v, ran)
		}
	}
}

func TestAHookChangesWhatACallCameTo(t *testing.T) {
	v, _ := run(t, t.Context(), core.HookAfterTool, shell(`grep -q '"result":{"status":"success","text":"2","data":{"sum":2}}' && echo '{"text":"two","data":{"sum":"two"}}'`))
	want := &hook.Result{Status: core.ToolSuccess, Text: "two", Data: map[string]any{"sum": "two"}}
	if diff := cmp.Diff(want, v.Result); diff != "" || !v.Changed {
		t.Errorf("the result (-want +got)\n%s", diff)
	}
}

func TestARemarkAtTheEndOfATurnIsReportedWithoutWhatATerminalObeys(t *testing.T) {
	_, ran := run(t, t.Context(), core.HookTurnEnd, shell(`printf '{"remark":"\\u001b[31mread"}'`))
	if len(ran) != 1 || ran[0].Decision != core.HookRemark || strings.Contains(ran[0].Reason, "\x1b") || !strings.HasSuffix(ran[0].Reason, "read") {
		t.Errorf("got %+v", ran)
	}
}

func TestAHookIsKilledWithAllThatItStartedWhenTheUserCancels(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "began")
	must.Fifo(t, fifo)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	child := make(chan int, 1)
	go func() {
		raw, _ := os.ReadFile(fifo) // it ends when the hook has written it
		pid, _ := strconv.Atoi(strings.TrimSpace(string(raw)))
		child <- pid
		cancel()
	}()
	v, ran := run(t, ctx, core.HookBeforeTool, shell(`sleep 1000 & echo $! >`+fifo+`; wait`))
	if !strings.Contains(why(v), "cut off") || len(ran) != 0 {
		t.Errorf("got %q, %+v", why(v), ran)
	}
	pid := <-child
	if pid <= 1 {
		t.Fatal("the hook did not begin")
	}
	for !gone(pid) {
		if t.Context().Err() != nil {
			t.Fatal("what it started is there still")
		}
	}
}

// gone reports whether a process has ended, waited for or not.
func gone(pid int) bool {
	if !processes.Alive(pid) {
		return true
	}
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err != nil || strings.Contains(string(raw), ") Z ")
}
