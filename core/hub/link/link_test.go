package link_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/link"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/processes"
)

// room is a hub with real children.
type room struct {
	*hub.Hub
	t    testing.TB
	feed *event.Feed
	stop func()
	seen []core.Event
}

func open(t testing.TB) *room {
	t.Helper()
	return openWith(t, &link.Opener{Version: "test", Lookup: func(name string) (string, bool) {
		if name == "SECRET" {
			return "hunter2", true
		}
		return os.LookupEnv(name)
	}})
}

// with opens a room with an expert in it, which plays a part of those of children.
func with(t testing.TB, joins, how string, args ...string) *room {
	t.Helper()
	r := open(t)
	r.add("", how, args...)
	r.joined(joins)
	return r
}

func openWith(t testing.TB, opener *link.Opener) *room {
	t.Helper()
	bus := new(event.Bus)
	guard := must.Get(link.StartGuard(os.Args[0], "child", "guard"))(t)
	t.Cleanup(func() {
		must.Report(t, guard.Close())
	})
	opener.Guard = guard
	h := hub.New(bus, opener, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		must.Report(t, h.Run(ctx))
	}()
	r := &room{Hub: h, t: t, feed: bus.Feed(), stop: func() { cancel(); <-done }}
	t.Cleanup(r.stop)
	return r
}

func (r *room) add(name, how string, args ...string) {
	r.t.Helper()
	spec := hub.Spec{Name: name, Command: append([]string{os.Args[0], "child", how}, args...)}
	must.Do(r.t, r.Add(r.t.Context(), spec))
}

// wait returns the first event for which is holds.
func (r *room) wait(what string, is func(core.Event) bool) core.Event {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	for {
		for i, e := range r.seen {
			if is(e) {
				r.seen = r.seen[i+1:]
				return e
			}
		}
		events, err := r.feed.Next(ctx)
		if err != nil {
			r.t.Fatalf("waited in vain for %s; the room: %+v", what, r.Experts())
		}
		r.seen = events
	}
}

func (r *room) joined(name string) {
	r.t.Helper()
	r.wait(name+" joining", func(e core.Event) bool { b, ok := e.Body.(core.ExpertJoined); return ok && b.Name == name })
}

// joinedSomeone returns the next expert that joins.
func (r *room) joinedSomeone() core.ExpertJoined {
	r.t.Helper()
	e := r.wait("somebody joining", func(e core.Event) bool { _, ok := e.Body.(core.ExpertJoined); return ok })
	return e.Body.(core.ExpertJoined)
}

func (r *room) left(name string) core.ExpertLeft {
	r.t.Helper()
	e := r.wait(name+" leaving", func(e core.Event) bool { b, ok := e.Body.(core.ExpertLeft); return ok && b.Name == name })
	return e.Body.(core.ExpertLeft)
}

func (r *room) state(name string, state core.ExpertState) core.ExpertStatus {
	r.t.Helper()
	e := r.wait(fmt.Sprint(name, " being ", state), func(e core.Event) bool {
		b, ok := e.Body.(core.ExpertStatus)
		return ok && b.Name == name && b.State == state
	})
	return e.Body.(core.ExpertStatus)
}

func (r *room) call(ctx context.Context, tool, prompt string, more ...func(*core.Call)) core.ToolResult {
	r.t.Helper()
	found, ok := r.Tools().Find(tool)
	if !ok {
		r.t.Fatalf("there is no tool %s in %v", tool, r.Tools().Specs())
	}
	args := must.Get(json.Marshal(map[string]string{"prompt": prompt}))(r.t)
	c := core.Call{ID: "call_1", Tool: tool, Args: args}
	for _, edit := range more {
		edit(&c)
	}
	result, err := found.Call(ctx, c)
	if err != nil && ctx.Err() == nil {
		r.t.Fatal(err)
	}
	return result
}

func TestAChildSaysHelloInItsHandshakeAndAnswers(t *testing.T) {
	r := with(t, "heron", "heron")
	history := []core.Message{{Role: core.RoleUser, Text: "hi"}, {Role: core.RoleAssistant, Reply: &core.Reply{Thought: "secret", Message: "hello"}}}
	result := r.call(t.Context(), "heron", "what do you eat?", func(c *core.Call) { c.Context = history })
	if !result.OK() || !strings.Contains(result.Text, `"message":"Herons: what do you eat?"`) {
		t.Errorf("got %+v", result)
	}
	if !strings.Contains(result.Text, `"heard":2`) {
		t.Errorf("the recent conversation did not reach the expert: %s", result.Text)
	}
	if e := r.Experts()[0]; e.State != core.ExpertReady || e.Calls != 1 || e.Transport != hub.Child {
		t.Errorf("got %+v", e)
	}
}

func TestAPanicInAnExpertIsAnErrorResultAndTheExpertStays(t *testing.T) {
	r := with(t, "heron", "heron")
	if result := r.call(t.Context(), "heron", "panic"); result.OK() || !strings.Contains(result.Text, "no fish") {
		t.Errorf("got %+v", result)
	}
	if result := r.call(t.Context(), "heron", "again"); !result.OK() {
		t.Errorf("got %+v", result)
	}
}

func TestTheUsersNameForAnExpertCounts(t *testing.T) {
	r := open(t)
	r.add("wader", "heron")
	r.joined("wader")
	if result := r.call(t.Context(), "wader", "hi"); !result.OK() {
		t.Errorf("got %+v", result)
	}
}

func TestAGoodbyeRemovesTheExpertAndItIsNotStartedAgain(t *testing.T) {
	r := with(t, "heron", "goodbye")
	r.call(t.Context(), "heron", "hi")
	if left := r.left("heron"); left.Reason != core.LeftGoodbye || left.Count != 0 {
		t.Errorf("got %+v", left)
	}
	if tools := r.Tools().Tools; len(tools) != 0 {
		t.Errorf("its tool is still there: %v", tools)
	}
	if s := r.state("heron", core.ExpertGone); s.Message != "said goodbye" {
		t.Errorf("got %+v", s)
	}
}

func TestACrashDuringACallIsTypedAndTheChildComesBack(t *testing.T) {
	r := with(t, "heron", "crash")
	held, _ := r.Tools().Find("heron")
	result := r.call(t.Context(), "heron", "hi")
	if result.Code != core.ToolCodeExpertLeft || !strings.Contains(result.Text, "exited with status 3: heron: out of fish") {
		t.Errorf("got %+v", result)
	}
	r.left("heron")
	r.state("heron", core.ExpertRestarting)
	if e := r.Experts()[0]; len(e.Stderr) != 1 || e.Stderr[0] != "heron: out of fish" {
		t.Errorf("what it printed is not shown: %+v", e)
	}
	r.joined("heron")
	if late, _ := held.Call(t.Context(), core.Call{ID: "x"}); late.Code != core.ToolCodeExpertLeft {
		t.Errorf("a tool of the dead child reached somebody: %+v", late)
	}
}

func TestACancelReachesTheChildAndItsProgressReachesTheCaller(t *testing.T) {
	r := with(t, "heron", "slow")
	ctx, cancel := context.WithCancel(t.Context())
	var heard core.ToolProgress
	r.call(ctx, "heron", "fish", func(c *core.Call) {
		c.Progress = func(p core.ToolProgress) { heard = p; cancel() }
	})
	if heard.Message != "thinking about fish" || heard.Fraction != 0.5 {
		t.Errorf("got %+v", heard)
	}
	eventually(t, "the child says that it was cancelled", func() bool {
		return strings.Contains(strings.Join(r.Experts()[0].Stderr, ""), "cancelled")
	})
}

func TestAChildGetsTheBasicsOfTheEnvironmentAndNothingElse(t *testing.T) {
	t.Setenv("YAAP_TEST_SECRET", "hunter2")
	r := open(t)
	must.Do(t, r.Add(t.Context(), hub.Spec{Command: []string{os.Args[0], "child", "env"}, Env: []string{"SECRET"}, Vars: map[string]string{"LEVEL": "2"}}))
	r.joined("heron")
	var reply core.Reply
	must.Do(t, json.Unmarshal([]byte(r.call(t.Context(), "heron", "env").Text), &reply))
	given := append(processes.InheritedEnv(), "SECRET", "LEVEL", "YAAP_EXPERT")
	for line := range strings.Lines(reply.Message) {
		name, _, _ := strings.Cut(line, "=")
		if !slices.Contains(given, name) {
			t.Errorf("the child was given %s", line)
		}
	}
	if !strings.Contains(reply.Message, "SECRET=hunter2") || !strings.Contains(reply.Message, "LEVEL=2") {
		t.Errorf("a variable is missing that it is given: %s", reply.Message)
	}
}

func TestWhatAFailingCommandSaidIsShown(t *testing.T) {
	for _, c := range []struct {
		how   string
		state core.ExpertState
		says  []string
	}{
		{"exit", core.ExpertRestarting, []string{"exited with status 1", "JIRA_URL is not set", "starting again in 500ms"}},
		{"node", core.ExpertRestarting, []string{"exited with status 1: TypeError: fetch failed"}},
		{"rubbish", core.ExpertRestarting, []string{"10000 lines", "Welcome to my server!"}},
		{"misshapen", core.ExpertRestarting, []string{"it does not speak MCP: capabilities must be an object"}},
		{"later", core.ExpertQuarantined, []string{`it speaks the version "2099-01-01" of MCP`, "2025-06-18"}},
		{"endless", core.ExpertRestarting, []string{"8 MiB"}},
		{"crooked", core.ExpertRestarting, []string{"it did not list its tools: tools is an object, not a list"}},
	} {
		t.Run(c.how, func(t *testing.T) {
			r := open(t)
			r.add("poor", c.how)
			status := r.state("poor", c.state)
			for _, want := range c.says {
				if !strings.Contains(status.Message, want) {
					t.Errorf("got %q, want it to say %q", status.Message, want)
				}
			}
			if strings.ContainsAny(status.Message, "\x1b\a") {
				t.Errorf("the message holds an escape: %q", status.Message)
			}
		})
	}
}

func TestACommandThatDoesNotExistIsSaidAtOnce(t *testing.T) {
	r := open(t)
	must.Do(t, r.Add(t.Context(), hub.Spec{Name: "nobody", Command: []string{"no-such-command-of-yaap"}}))
	if status := r.state("nobody", core.ExpertQuarantined); status.Message != "there is no command no-such-command-of-yaap" {
		t.Errorf("got %q", status.Message)
	}
	must.Report(t, r.WaitSettled(t.Context()))
}

func TestADirectoryThatIsNotThereIsSaidAtOnce(t *testing.T) {
	r := open(t)
	away := filepath.Join(t.TempDir(), "away")
	must.Do(t, r.Add(t.Context(), hub.Spec{Name: "homeless", Command: []string{"true"}, Dir: away}))
	if status := r.state("homeless", core.ExpertQuarantined); status.Message != "there is no directory "+away+", where it is to run" {
		t.Errorf("got %q", status.Message)
	}
}

func TestAChildThatNeverSaysHelloCanBeStopped(t *testing.T) {
	r := open(t)
	r.add("mute", "mute")
	must.Do(t, r.Stop(t.Context(), "mute"))
	if experts := r.Experts(); len(experts) != 1 || experts[0].State != core.ExpertStopped {
		t.Errorf("got %+v", experts)
	}
}

func TestAHelloThatBreaksTheContractIsRefusedWithTheRule(t *testing.T) {
	for hello, want := range map[string]string{
		`{"v":2,"name":"echo","description":"Echoes."}`:                     "its hello has v 2: this room speaks yaap 1",
		`{"name":"echo","description":"Echoes."}`:                           "its hello has v 0: this room speaks yaap 1",
		`{"v":1,"name":12,"description":"Echoes."}`:                         "its hello cannot be read: name must be a string",
		`{"v":1,"name":"echo","description":"Echoes.","examples":"say it"}`: "its hello cannot be read: examples must be a list",
		`"hello"`: "its hello cannot be read: it must be an object",
		`{"v":1,"name":"Echo","description":"Echoes."}`: `the name "Echo" is not allowed`,
		`{"v":1,"name":"echo"}`:                         "a description is required",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			r := open(t)
			r.add("", "boast", hello)
			e := r.wait("it to join or to be refused", func(e core.Event) bool {
				status, ok := e.Body.(core.ExpertStatus)
				_, joined := e.Body.(core.ExpertJoined)
				return joined || ok && status.State != core.ExpertJoining
			})
			status, _ := e.Body.(core.ExpertStatus)
			if status.State != core.ExpertQuarantined || !strings.HasPrefix(status.Message, want) {
				t.Errorf("got %+v", e.Body)
			}
		})
	}
}

func TestANoisyChildWorks(t *testing.T) {
	r := with(t, "heron", "noisy")
	if result := r.call(t.Context(), "heron", "hi"); !result.OK() {
		t.Errorf("got %+v", result)
	}
}

func TestAnOrdinaryServerIsAdopted(t *testing.T) {
	r := with(t, "echo", "strict")
	found, ok := r.Tools().Find("echo")
	if !ok {
		t.Fatalf("got the tools %v", r.Tools().Specs())
	}
	if strings.Contains(string(found.Spec().Schema), "x-mcp-header") {
		t.Errorf("the schema still chooses headers: %s", found.Spec().Schema)
	}
	result, err := found.Call(t.Context(), core.Call{ID: "1", Key: "5ca1ab1e", Tool: "echo"}) // no arguments at all
	if err != nil || !strings.Contains(result.Text, `"arguments":{}`) || !strings.Contains(result.Text, `"yaap/call":"5ca1ab1e"`) {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestAServerOfTheNewerEraOnlyIsUnderstood(t *testing.T) {
	r := with(t, "newt", "modern")
	if result := r.call(t.Context(), "newt", "hi"); result.Text != "newts" {
		t.Errorf("got %+v", result)
	}
}

func TestADeafChildHoldsNobody(t *testing.T) {
	for _, how := range []string{"adopted", "aware"} {
		r := with(t, "echo", "deaf", how)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		start := time.Now()
		r.call(ctx, "echo", strings.Repeat("x", 1<<20))
		must.Do(t, r.Stop(t.Context(), "echo"))
		if took := time.Since(start); took > time.Minute/2 {
			t.Errorf("%s: it took %s", how, took)
		}
	}
}

func TestNothingOfAnImmortalChildIsLeft(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	r := with(t, "heron", "immortal", pids)
	living := readPIDs(t, pids, 2)
	r.stop()
	for _, pid := range living {
		eventually(t, fmt.Sprintf("process %d is gone", pid), func() bool { return !alive(pid) })
	}
}

func TestNothingIsLeftWhenTheRoomIsKilled(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "child", "guarded", "immortal", pids)
	cmd.Stderr = os.Stderr
	must.Do(t, cmd.Start())
	living := readPIDs(t, pids, 2)
	must.Do(t, cmd.Process.Kill())
	_ = cmd.Wait()
	for _, pid := range living {
		eventually(t, fmt.Sprintf("process %d is gone", pid), func() bool { return !alive(pid) })
	}
}

// guarded is a room in a process of its own.
func guarded(ctx context.Context, args []string) {
	guard, err := link.StartGuard(os.Args[0], "child", "guard")
	if err != nil {
		os.Exit(1)
	}
	h := hub.New(new(event.Bus), &link.Opener{Guard: guard, Lookup: os.LookupEnv}, nil)
	go func() {
		if h.Add(ctx, hub.Spec{Command: append([]string{os.Args[0], "child"}, args...)}) != nil {
			os.Exit(1)
		}
	}()
	if h.Run(ctx) != nil {
		os.Exit(1)
	}
}

func readPIDs(t *testing.T, path string, n int) []int {
	t.Helper()
	var pids []int
	eventually(t, fmt.Sprintf("%d processes run", n), func() bool {
		text, _ := os.ReadFile(path)
		pids = nil
		for _, field := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
		return len(pids) == n
	})
	return pids
}

// onlyLinux skips a test of what other systems cannot promise.
func onlyLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("NOT RUN: only Linux lets a process adopt its descendants")
	}
}

// alive reports whether a process runs; a zombie does not.
func alive(pid int) bool {
	if !processes.Alive(pid) {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // which only Linux has
	return runtime.GOOS != "linux" || err == nil && !strings.Contains(string(stat), ") Z ")
}

// eventually waits for what another process does; there is nothing to wait on.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for !is() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("in vain: %s", what)
		}
	}
}

func TestASloppyAnnotationIsNoClaimAndBarsNobody(t *testing.T) {
	r := open(t)
	r.add("sloppy", "sloppy")
	r.joined("sloppy")
	acts := map[string]bool{}
	for _, spec := range r.Tools().Specs() {
		acts[spec.Name] = spec.Acts
	}
	want := map[string]bool{
		"sloppy__text": true, "sloppy__number": true, "sloppy__list": true, "sloppy__none": true,
		"sloppy__cased": true, "sloppy__misnamed": true, "sloppy__loud": true, "sloppy__half": false, "sloppy__reads": false, "sloppy__writes": true,
	}
	if !maps.Equal(acts, want) {
		t.Errorf("to be allowed first: %v, want %v", acts, want)
	}
}

func TestAServerThatSaidNoHelloIsToldNothingOfTheConversation(t *testing.T) {
	r := open(t)
	r.add("sloppy", "sloppy")
	r.joined("sloppy")
	said := []core.Message{{Role: core.RoleUser, Text: "we meet at nine"}}
	got := r.call(t.Context(), "sloppy__reads", "hi", func(c *core.Call) { c.Context = said })
	if !got.OK() || strings.Contains(got.Text, "nine") {
		t.Errorf("it was sent %s", got.Text)
	}
}
