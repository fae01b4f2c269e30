package store

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// childDir, when it is set in the environment, makes the test binary a window
// that puts rows into the database there until it is killed.
const childDir = "STORE_TEST_CHILD_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		panic(putForEver(context.Background(), dir, os.Stdin, os.Stdout))
	}
	m.Run()
}

// putForEver begins to answer in thread "held" and, from the first line of in
// on, puts pairs of messages into thread "a" from several goroutines. It
// writes "ready" to out, and then the id of each pair that is acknowledged.
func putForEver(ctx context.Context, dir string, in io.Reader, out io.Writer) error {
	s, err := Open(ctx, dir)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() { cancel(s.Run(ctx)) }()
	if err := s.Put(ctx, append(storetest.Begin("held"), storetest.Begin("a")...)...); err != nil {
		return err
	}
	if _, err := io.WriteString(out, "ready\n"); err != nil {
		return err
	}
	if _, err := bufio.NewReader(in).ReadString('\n'); err != nil {
		return err
	}
	var acknowledged sync.Mutex
	for p := range 4 {
		go func() {
			for n := 0; ; n++ {
				id := fmt.Sprintf("%d-%d", p, n)
				err := s.Put(ctx, storetest.Say("a", "a/run", id), storetest.Say("a", "a/run", id+"'"))
				if err == nil {
					acknowledged.Lock()
					_, err = io.WriteString(out, id+"\n")
					acknowledged.Unlock()
				}
				if err != nil {
					cancel(err)
					return
				}
			}
		}()
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

func TestKillLosesNothingThatWasAcknowledged(t *testing.T) {
	for round := range 3 {
		t.Run(fmt.Sprint(round), killed)
	}
}

// killed kills a window at a random moment, beside one that lives on.
func killed(t *testing.T) {
	dir := t.TempDir()
	survivor := openIn(t, dir)
	claim := core.RunRow{ID: "mine", Thread: "held", State: core.RunRunning, Time: storetest.At(50)}

	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), childDir+"="+dir)
	child.Stderr = os.Stderr
	in := must.Get(child.StdinPipe())(t)
	out := must.Get(child.StdoutPipe())(t)
	must.Do(t, child.Start())
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the child does not begin")
	}
	if err := survivor.Put(t.Context(), claim); core.CodeOf(err) != core.CodeBusy || !strings.Contains(err.Error(), "another window") {
		t.Errorf("a claim beside the living window: %v, want %s", err, core.CodeBusy)
	}
	must.Get(io.WriteString(in, "go\n"))(t)
	var acknowledged []string
	last := 20 + rand.IntN(200)
	for lines.Scan() {
		acknowledged = append(acknowledged, lines.Text())
		if len(acknowledged) == last {
			must.Do(t, child.Process.Kill())
		}
	}
	if err := child.Wait(); err == nil || child.ProcessState.Exited() {
		t.Fatalf("the child was not killed: %v", child.ProcessState)
	}

	mustPut(t, survivor, claim)
	s := openIn(t, dir)
	states(t, s, map[string]core.RunState{"mine": core.RunRunning, "held/run": core.RunInterrupted, "a/run": core.RunInterrupted})
	stored := strings.Fields(ids(t, s, "a"))[1:]
	if len(stored)%2 != 0 {
		t.Errorf("%d messages are stored: a Put was split", len(stored))
	}
	at := map[string]int{}
	for i, id := range stored {
		at[id] = i
	}
	for _, id := range acknowledged {
		if i, ok := at[id]; !ok || i+1 >= len(stored) || stored[i+1] != id+"'" {
			t.Fatalf("%s, one of %d acknowledged, is lost or split", id, len(acknowledged))
		}
	}
}

// die ends a window as the kernel does when its process is killed, as far as
// others can see.
func die(t *testing.T, s *Store) {
	t.Helper()
	must.Do(t, s.room.lock.Close())
	s.room.lock = nil // Close finds nothing to leave
}

func TestTheClaimsOfADeadWindowAreFree(t *testing.T) {
	dir := t.TempDir()
	first, second, third := openIn(t, dir), openIn(t, dir), openIn(t, dir)
	mustPut(t, first, storetest.Begin("a")...)
	mustPut(t, first, storetest.Begin("b")...)
	mustPut(t, third, storetest.Begin("c")...)
	child := core.RunRow{ID: "b/run/call", Thread: "b", Parent: "b/run", State: core.RunRunning, Depth: 1, Time: storetest.At(3)}
	mustPut(t, first, child)
	resumed := core.RunRow{ID: "a/run", Thread: "a", Runner: "agent/main", State: core.RunRunning, Time: storetest.At(20)}
	fresh := core.RunRow{ID: "fresh", Thread: "a", Runner: "agent/main", State: core.RunRunning, Time: storetest.At(21)}

	for _, row := range []core.RunRow{resumed, fresh} {
		if err := second.Put(t.Context(), row); core.CodeOf(err) != core.CodeBusy {
			t.Errorf("%s beside the living window: %v, want %s", row.ID, err, core.CodeBusy)
		}
	}
	die(t, first)
	mustPut(t, second, resumed)
	states(t, second, map[string]core.RunState{
		"a/run": core.RunRunning, "b/run": core.RunInterrupted, "b/run/call": core.RunInterrupted, "c/run": core.RunRunning,
	})
	if err := third.Put(t.Context(), fresh); core.CodeOf(err) != core.CodeBusy {
		t.Errorf("beside the window that took over: %v, want %s", err, core.CodeBusy)
	}
	die(t, second)
	mustPut(t, third, fresh)
	states(t, third, map[string]core.RunState{"a/run": core.RunInterrupted, "fresh": core.RunRunning})
	child.Time = storetest.At(30)
	mustPut(t, third, child)
	states(t, third, map[string]core.RunState{"b/run/call": core.RunRunning})
}

func TestATakeoverThatFailsInterruptsNobody(t *testing.T) {
	dir := t.TempDir()
	first, second := openIn(t, dir), openIn(t, dir)
	mustPut(t, first, storetest.Begin("a")...)
	die(t, first)
	fresh := core.RunRow{ID: "fresh", Thread: "a", State: core.RunRunning, Time: storetest.At(20)}
	if err := second.Put(t.Context(), fresh, storetest.Say("a", "nowhere", "bad")); err == nil {
		t.Fatal("a bad Put is stored")
	}
	states(t, second, map[string]core.RunState{"a/run": core.RunRunning, "fresh": ""})
}

func TestOpenTidiesUpAfterDeadWindows(t *testing.T) {
	dir := t.TempDir()
	dead, living := openIn(t, dir), openIn(t, dir)
	mustPut(t, dead, storetest.Begin("a")...)
	mustPut(t, living, storetest.Begin("b")...)
	die(t, dead)
	s := openIn(t, dir)
	states(t, s, map[string]core.RunState{"a/run": core.RunInterrupted, "b/run": core.RunRunning})
	left := must.Get(filepath.Glob(filepath.Join(dir, "room-*.lock")))(t)
	if len(left) != 2 || strings.Contains(strings.Join(left, " "), dead.Room()) {
		t.Errorf("lock files %v, want those of %s and %s", left, living.Room(), s.Room())
	}
	must.Do(t, s.Close())
	if _, err := os.Stat(lockPath(dir, s.Room())); !os.IsNotExist(err) {
		t.Errorf("a closed window leaves its lock file: %v", err)
	}
}

func states(t *testing.T, s *Store, want map[string]core.RunState) {
	t.Helper()
	for id, state := range want {
		saved, err := s.Load(t.Context(), id)
		if err != nil || saved.Run.State != state {
			t.Errorf("run %s is %q, %v; want %q", id, saved.Run.State, err, state)
		}
	}
}
