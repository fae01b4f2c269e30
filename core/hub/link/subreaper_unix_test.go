//go:build unix

package link_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/must"
)

// waitForBrood waits until descendants of all the kinds run.
func waitForBrood(t *testing.T, mark string, kinds ...string) {
	t.Helper()
	eventually(t, "its descendants run", func() bool {
		all := strings.Join(marked(t, mark), "\n") + "\n"
		for _, kind := range kinds {
			if !strings.Contains(all, " "+kind+" \n") {
				return false
			}
		}
		return true
	})
}

func TestNothingThatAnExpertStartedOutlivesItHoweverItLeaves(t *testing.T) {
	onlyLinux(t)
	for how, leave := range map[string]struct {
		args []string
		do   func(*room)
	}{
		"it is stopped": {nil, func(r *room) {
			must.Report(r.t, r.Stop(r.t.Context(), "heron"))
		}},
		"it is deaf and stopped": {[]string{"deaf"}, func(r *room) {
			must.Report(r.t, r.Stop(r.t.Context(), "heron"))
		}},
		"the room closes": {nil, func(r *room) { r.stop() }},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			r, mark := open(t), filepath.Join(t.TempDir(), "mark")
			r.add("", "brood", append([]string{mark}, leave.args...)...)
			r.joined("heron")
			waitForBrood(t, mark, "child", "session", "forked")
			leave.do(r)
			if left := marked(t, mark); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func TestWhatAnExpertLeftToRunStaysWhileItIsThereWhoeverElseLeaves(t *testing.T) {
	onlyLinux(t)
	r, dir := open(t), t.TempDir()
	stays, goes := filepath.Join(dir, "stays"), filepath.Join(dir, "goes")
	r.add("stays", "helped", stays)
	r.joined("stays")
	r.add("goes", "brood", goes)
	r.joined("goes")
	waitForBrood(t, stays, "forked")
	waitForBrood(t, goes, "child", "session", "forked")
	must.Do(t, r.Stop(t.Context(), "goes"))
	if left := marked(t, goes); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if left := marked(t, stays); len(left) != 2 {
		t.Errorf("of the other one there are %q, want itself and its helper", left)
	}
	must.Do(t, r.Stop(t.Context(), "stays"))
	if left := marked(t, stays); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestWhenTheGuardProcessIsKilledItsExpertsEndAndAreStartedByANewOne(t *testing.T) {
	onlyLinux(t)
	mark := filepath.Join(t.TempDir(), "mark")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "child", "guarded", "brood", mark)
	cmd.Stderr = os.Stderr
	must.Do(t, cmd.Start())
	waitForBrood(t, mark, "child", "session", "forked")
	before := expertIn(t, mark)
	guard := must.Get(parent(before))(t)
	must.Do(t, syscall.Kill(guard, syscall.SIGKILL))
	eventually(t, "the expert is back", func() bool {
		now := expertIn(t, mark)
		return now != 0 && now != before
	})
	waitForBrood(t, mark, "child", "session", "forked")
	must.Do(t, cmd.Process.Kill())
	_ = cmd.Wait()
	eventually(t, "nothing is left", func() bool { return len(marked(t, mark)) == 0 })
}

// Nobody is left then who could end what the expert has started.
func TestAnExpertEndsEvenWhenTheRoomAndTheGuardProcessAreKilledTogether(t *testing.T) {
	onlyLinux(t)
	mark := filepath.Join(t.TempDir(), "mark")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "child", "guarded", "sleeper", mark)
	must.Do(t, cmd.Start())
	expert := readPIDs(t, mark, 1)[0]
	guard := must.Get(parent(expert))(t)
	for _, pid := range []int{cmd.Process.Pid, guard} { // stopped, neither sees the other one go
		must.Do(t, syscall.Kill(pid, syscall.SIGSTOP))
	}
	for _, pid := range []int{cmd.Process.Pid, guard} {
		must.Do(t, syscall.Kill(pid, syscall.SIGKILL))
	}
	_ = cmd.Wait()
	eventually(t, "the expert is gone", func() bool { return !alive(expert) })
}

// expertIn returns the process of the expert that has the brood of that mark, or 0.
func expertIn(t *testing.T, mark string) int {
	t.Helper()
	for _, line := range marked(t, mark) {
		pid, name, _ := strings.Cut(line, " ")
		if strings.Contains(name, " child brood ") {
			n := must.Get(strconv.Atoi(pid))(t)
			return n
		}
	}
	return 0
}

func parent(pid int) (int, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	return strconv.Atoi(fields[1])
}

func TestTheGuardProcessHandsNothingOfTheEnvironmentOn(t *testing.T) {
	t.Setenv("YAAP_TEST_SECRET", "hunter2")
	onlyLinux(t)
	pids := filepath.Join(t.TempDir(), "pids")
	r := open(t)
	must.Do(t, r.Add(t.Context(), hub.Spec{Command: []string{os.Args[0], "child", "sleeper", pids}}))
	r.joined("echo")
	guard := must.Get(parent(readPIDs(t, pids, 1)[0]))(t)
	if env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", guard)); err != nil || len(env) > 0 {
		t.Errorf("the guard process has %q, %v", env, err)
	}
}

func TestACommandThatCannotBeRunIsNamed(t *testing.T) {
	r := open(t)
	path := filepath.Join(t.TempDir(), "text")
	must.Do(t, os.WriteFile(path, []byte("no program"), 0o700))
	must.Do(t, r.Add(t.Context(), hub.Spec{Name: "text", Command: []string{path}}))
	if s := r.state("text", core.ExpertQuarantined); !strings.Contains(s.Message, "cannot run "+path) {
		t.Errorf("got %+v", s)
	}
}
