package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core/must"
)

const (
	lastKill    = 2 * time.Second // after the start of a room, at most
	roomsAtOnce = 4
)

// brood is an expert that nothing polite ends, with descendants that leave its
// process group, its parenthood and its environment.
const brood = `trap '' TERM HUP INT
sleep 1000 &
setsid sleep 1000 &
(setsid sleep 1000 &)
(env -i setsid sleep 1000 &)
echo started >>started
sleep 1000
`

// killedRoom is a place where rooms are killed. All of their processes are
// known by it.
type killedRoom struct {
	t   *testing.T
	dir string
}

func newKilledRoom(t *testing.T) killedRoom {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("NOT RUN: only Linux lets a process adopt its descendants")
	}
	dir := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, "brood.sh"), []byte(brood), 0o600))
	return killedRoom{t, dir}
}

// start opens a room with the brood in it, which waits for it to say hello.
func (k killedRoom) start() *exec.Cmd {
	cmd := yaapIn(k.t, k.dir, "run", "--builtin", "calc", "--expert", "brood=sh brood.sh", "who is there?")
	must.Report(k.t, cmd.Start())
	return cmd
}

// brooding waits until the expert of the first room has started.
func (k killedRoom) brooding() {
	k.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if _, err := os.Stat(filepath.Join(k.dir, "started")); err == nil {
			return
		}
		if k.t.Context().Err() != nil {
			k.t.Fatal("the expert did not start")
		}
	}
}

// untilReady tells how long a room takes until its expert has started.
func (k killedRoom) untilReady() time.Duration {
	k.t.Helper()
	start := time.Now()
	room := k.start()
	k.brooding()
	took := time.Since(start)
	_ = room.Process.Kill() // it may have ended
	_ = room.Wait()
	nothingIsLeft(k.t, k.dir)
	return took
}

// processesIn lists who works in a directory or has one below it in its environment, by
// its files in /proc.
func processesIn(dir string) (list []string) {
	all, _ := filepath.Glob("/proc/[0-9]*") // the pattern is one
	for _, proc := range all {
		line, err := os.ReadFile(filepath.Join(proc, "cmdline"))
		if err != nil || len(line) == 0 { // it has ended
			continue
		}
		cwd, _ := os.Readlink(filepath.Join(proc, "cwd"))
		environ, _ := os.ReadFile(filepath.Join(proc, "environ"))
		if cwd == dir || bytes.Contains(environ, []byte("="+dir+"/")) {
			list = append(list, proc)
		}
	}
	return list
}

// nothingIsLeft waits until the last process of a directory is gone.
func nothingIsLeft(t *testing.T, dir string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for {
		left := processesIn(dir)
		if len(left) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			for _, proc := range left {
				line, _ := os.ReadFile(filepath.Join(proc, "cmdline"))
				t.Errorf("%s is left: %s", proc, bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
			}
			return
		}
	}
}

func TestARoomThatIsKilledAtAnyMomentLeavesNoProcess(t *testing.T) {
	t.Parallel()
	kills := 16
	if os.Getenv("YAAP_CI") != "" {
		kills = 150
	}
	if os.Getenv("YAAP_CI") == "race" { // the same rooms, four times as slow, after the kills without it
		kills = 40
	}
	moments := make(chan float64)
	var rooms sync.WaitGroup
	var places []killedRoom
	for range roomsAtOnce {
		k := newKilledRoom(t)
		places = append(places, k)
		rooms.Go(func() {
			last := min(3*k.untilReady(), lastKill)
			for moment := range moments {
				cmd := k.start()
				if cmd.Process == nil {
					continue
				}
				timer := time.NewTimer(time.Duration(moment * float64(last)))
				<-timer.C
				_ = cmd.Process.Kill() // it may have ended
				_ = cmd.Wait()
			}
		})
	}
	for range kills {
		moments <- rand.Float64()
	}
	close(moments)
	rooms.Wait()
	started := 0
	for _, k := range places {
		nothingIsLeft(k.t, k.dir)
		lines, _ := os.ReadFile(filepath.Join(k.dir, "started"))
		started += bytes.Count(lines, []byte("\n"))
	}
	t.Logf("%d rooms were killed; in %d the expert had started", kills+roomsAtOnce, started)
}

func TestWhoKillsEverythingCalledYAAPLeavesNoProcess(t *testing.T) {
	t.Parallel()
	k := newKilledRoom(t)
	room := k.start()
	k.brooding()
	for _, proc := range processesIn(k.dir) {
		name, err := os.ReadFile(filepath.Join(proc, "comm"))
		if err == nil && strings.TrimSpace(string(name)) == "yaap" {
			pid := must.Get(strconv.Atoi(filepath.Base(proc)))(t)
			_ = must.Get(os.FindProcess(pid))(t).Kill() // it may have ended
		}
	}
	_ = room.Wait()
	nothingIsLeft(k.t, k.dir)
}
