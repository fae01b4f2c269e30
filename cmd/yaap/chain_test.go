package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/processes"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/yaap"
	"github.com/yaap-chat/yaap/experts"
)

// tally FILE [FIFO] is an expert that writes down every question before it
// answers it. When it is asked to leave for the first time, it ends instead. It
// writes into FIFO that it was asked.
func tally() {
	diary := io.Discard
	if len(os.Args) > 2 {
		fifo, err := os.OpenFile(os.Args[2], os.O_WRONLY, 0)
		if err != nil {
			programFailed(err)
		}
		diary = fifo
	}
	f, err := os.OpenFile(os.Args[1], os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		programFailed(err)
	}
	err = experts.Serve(context.Background(), experts.Expert{
		Name: "tally", Description: "Knows everything about tallies.", Examples: []string{"tally me bananas"},
		Answer: func(_ context.Context, q experts.Question) (core.Reply, error) {
			before, err := os.ReadFile(os.Args[1])
			if err != nil {
				return core.Reply{}, err
			}
			note(f, q.Prompt)
			note(diary, "asked")
			if strings.Contains(q.Prompt, "leave") && !bytes.Contains(before, []byte(q.Prompt)) {
				os.Exit(1)
			}
			return experts.Success("Noted "+q.Prompt+".", map[string]any{"noted": q.Prompt, "letters": len(q.Prompt)}), nil
		},
	})
	if err != nil {
		programFailed(err)
	}
}

// latecomer [leaves] joins the room that runs and answers the first call. One
// that leaves says goodbye instead, joins again and answers then.
func latecomer() {
	if err := comeLate(len(os.Args) > 1); err != nil {
		programFailed(err)
	}
}

func comeLate(leaves bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	room, err := findRoom(ctx)
	if err != nil {
		return err
	}
	lease, err := enter(ctx, room)
	if err != nil {
		return err
	}
	if leaves {
		if err := leave(ctx, room, lease); err != nil {
			return err
		}
		fmt.Println("asked")
		if lease, err = enter(ctx, room); err != nil {
			return err
		}
	}
	if err := serve(ctx, room, lease); err != nil {
		return err
	}
	fmt.Println("answered")
	return nil
}

// leave waits for a call and says goodbye.
func leave(ctx context.Context, room server.Address, lease string) error {
	for {
		var events yaap.Events
		if err := call(ctx, room, "/yaap", yaap.ToolNext, yaap.Next{Lease: lease, WaitMS: 5000}, &events); err != nil {
			return err
		}
		if slices.ContainsFunc(events.Events, func(e yaap.Event) bool { return e.Type == yaap.EventCall }) {
			return call(ctx, room, "/yaap", yaap.ToolGoodbye, yaap.Goodbye{Lease: lease}, new(yaap.OK))
		}
	}
}

func enter(ctx context.Context, room server.Address) (string, error) {
	var welcome yaap.Welcome
	hello := yaap.Hello{YAAP: yaap.Version, Introduction: yaap.Introduction{
		Name: "newt", Description: "Knows everything about newts.", Examples: []string{"what do newts eat?"},
	}}
	err := call(ctx, room, "/yaap", yaap.ToolHello, hello, &welcome)
	return welcome.Lease, err
}

// calls has a call before, in and after a list, and two at the same time.
const calls = `chain: 1
name: calls
vars:
  items: [oak, ash, elm, yew, fir]
nodes:
  first:
    expert: tally
    prompt: first
  list:
    expert: tally
    for_each: {over: "{{vars.items}}", parallel: 2}
    prompt: "{{item}} {{index}} after {{first.data.noted}}"
    fanout: true
  left:
    expert: tally
    prompt: "left of {{list.data.count}}"
  right:
    expert: tally
    prompt: "right of {{list.data.count}}"
  last:
    aggregate: concat
edges:
  - {from: start, to: first}
  - {from: first, to: list}
  - {from: list, to: left}
  - {from: list, to: right}
  - {from: left, to: last}
  - {from: right, to: last}
  - {from: last, to: end}
output:
  data:
    list: "{{list.data.messages}}"
    both: "{{last.data}}"
`

func TestAChainThatIsKilledAnywhereEndsAsIfItWereNotAndRepeatsNoCall(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // chance, not secrecy
	whole := newKilling(t)
	begin := time.Now()
	want, lines := whole.finish("run", "calls.yaml")
	took := time.Since(begin)
	if n := len(whole.calls()); n != 8 {
		t.Fatalf("an undisturbed run makes the calls %v, want 8", whole.calls())
	}
	rounds := 12
	if os.Getenv("YAAP_CI") != "" {
		rounds = 30
	}
	for i := range rounds {
		// Half of them by the clock, which is mostly before the chain begins, and
		// half by what the program said last.
		line, delay := random.IntN(lines), time.Minute
		if i%2 == 0 {
			line, delay = lines, time.Duration(random.Int64N(int64(took)))
		}
		t.Run(fmt.Sprintf("%d after %v or %d events", i, delay, line), func(t *testing.T) {
			t.Parallel()
			k := newKilling(t)
			k.kill(delay, line)
			run, stored, done := k.stored()
			before := k.calls()
			got := done
			switch {
			case run == "":
				got, _ = k.finish("run", "calls.yaml")
			case done == nil:
				got, _ = k.finish("resume", run)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the data (-undisturbed +killed)\n%s", diff)
			}
			after := k.calls()
			if len(after) != 8 {
				t.Errorf("got the calls %v", after)
			}
			for question, n := range after {
				if n > 2 || n > 1 && stored[question] {
					t.Errorf("%q was asked %d times; its answer was stored before: %t", question, n, stored[question])
				}
			}
			t.Logf("killed with %d answers stored and %d asked", len(stored), len(before))
		})
	}
}

// killing is a directory in which a chain is run and killed.
type killing struct {
	t   *testing.T
	dir string
}

func newKilling(t *testing.T) killing {
	t.Helper()
	k := killing{t, t.TempDir()}
	must.Do(t, os.WriteFile(filepath.Join(k.dir, "calls.yaml"), []byte(calls), 0o600))
	return k
}

func (k killing) program(args ...string) (cmd *exec.Cmd, out *bufio.Scanner, complaints *bytes.Buffer) {
	k.t.Helper()
	args = append([]string{"--builtin", "none", "--expert", "tally=tally " + filepath.Join(k.dir, "calls"), "chain", args[0], "--json"}, args[1:]...)
	cmd = yaapIn(k.t, k.dir, args...)
	processes.Detach(cmd)
	complaints = new(bytes.Buffer)
	cmd.Stderr = complaints
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	must.Do(k.t, err)
	out = bufio.NewScanner(pipe)
	out.Buffer(nil, 1<<20)
	return cmd, out, complaints
}

// finish lets the program run to its end. It returns the data of the chain and
// how many events there were.
func (k killing) finish(args ...string) (data map[string]any, lines int) {
	k.t.Helper()
	cmd, out, complaints := k.program(args...)
	for out.Scan() {
		lines++
		var e core.Event
		must.Do(k.t, json.Unmarshal(out.Bytes(), &e))
		if b, ok := e.Body.(core.FinalOutput); ok && e.Parent == "" {
			data = plain(k.t, b.Reply.Data)
		}
	}
	if err := cmd.Wait(); err != nil {
		k.t.Fatalf("%v: %v: %s", args, err, complaints)
	}
	return data, lines
}

// plain is data with numbers of one kind, however it was read.
func plain(t *testing.T, data map[string]any) (same map[string]any) {
	t.Helper()
	raw, err := json.Marshal(data)
	if err == nil {
		err = json.Unmarshal(raw, &same)
	}
	must.Do(t, err)
	return same
}

// kill runs the chain and kills the program after a time, or after so many
// events.
func (k killing) kill(delay time.Duration, lines int) {
	k.t.Helper()
	cmd, out, _ := k.program("run", "calls.yaml")
	timer := time.AfterFunc(delay, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	for n := 0; n < lines && out.Scan(); n++ {
	}
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
}

// calls counts the questions that tally was asked.
func (k killing) calls() map[string]int {
	k.t.Helper()
	text, err := os.ReadFile(filepath.Join(k.dir, "calls"))
	if err != nil && !os.IsNotExist(err) {
		k.t.Fatal(err)
	}
	asked := map[string]int{}
	for line := range strings.Lines(string(text)) {
		asked[strings.TrimSpace(line)]++
	}
	return asked
}

// stored returns the run, if there is one, the questions whose answer was
// stored, and the data of the chain if it had ended.
func (k killing) stored() (run string, answered map[string]bool, done map[string]any) {
	k.t.Helper()
	ctx := k.t.Context()
	db := must.Get(store.Open(ctx, filepath.Join(k.dir, "state", "yaap")))(k.t)
	defer db.Close() //nolint:errcheck // it was only read
	runs, err := db.Runs(ctx, "chain/", 1)
	if err != nil || len(runs) == 0 {
		return "", nil, nil
	}
	saved := must.Get(db.Load(ctx, runs[0].ID))(k.t)
	if runs[0].State == core.RunCompleted {
		done = plain(k.t, saved.Messages[len(saved.Messages)-1].Reply.Data)
	}
	events := must.Get(db.RunEvents(ctx, runs[0].ID))(k.t)
	answered = map[string]bool{}
	for _, e := range events {
		if e.Run == runs[0].ID {
			continue
		}
		saved := must.Get(db.Load(ctx, e.Run))(k.t)
		for _, m := range saved.Messages {
			if m.Role == core.RoleTool {
				answered[saved.Messages[0].Text] = true
			}
		}
	}
	return runs[0].ID, answered, done
}
