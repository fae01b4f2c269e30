package link

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const prSetChildSubreaper = 36

// adoptOrphans makes this process the parent of every descendant that loses
// its own.
func adoptOrphans() {
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0) // since Linux 3.4 it cannot fail
}

// rename changes how this process is called in a list of processes.
func rename(name string) {
	_ = os.WriteFile("/proc/self/comm", []byte(name), 0) // it is as good under its old name
}

// startAttr gives each program a session of its own. Should the guard process
// be killed, the system kills the program.
func startAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// endGroup does nothing: who has lost its parent is a child of the guard process.
func endGroup(int) {}

// relative is a process as the system lists it.
type relative struct {
	pid, parent, group, session int
	zombie                      bool
}

// killChildren kills the children of this process, and their process groups,
// but for those to spare, and returns how many there were, those that have not
// been waited for included. No other process can be meant: a child keeps its
// number until then. Theirs in turn are children of this process afterwards; so
// when there were none, there are no descendants but those that were spared.
func killChildren(spare func(relative) bool) (left int) {
	for _, c := range children() {
		if spare(c) {
			continue
		}
		left++
		if c.zombie {
			continue
		}
		if c.group > 1 && c.group != syscall.Getpgrp() {
			_ = syscall.Kill(-c.group, syscall.SIGKILL)
		}
		_ = syscall.Kill(c.pid, syscall.SIGKILL) // it is another user's now, or dead
	}
	return left
}

// children lists the children of this process, dead ones included. Some kernels
// have no list of them: all processes are looked at.
func children() (list []relative) {
	self := os.Getpid()
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close() //nolint:errcheck // it is only read
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if c, ok := lookAt(pid); ok && c.parent == self {
			list = append(list, c)
		}
	}
	return list
}

// lookAt reads what the system says of a process.
func lookAt(pid int) (c relative, ok bool) {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return c, false
	}
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:])) // its name may have spaces
	if len(fields) < 4 {
		return c, false
	}
	c.pid, c.zombie = pid, fields[0] == "Z" || fields[0] == "X"
	for i, n := range []*int{&c.parent, &c.group, &c.session} {
		if *n, err = strconv.Atoi(fields[i+1]); err != nil {
			return c, false
		}
	}
	return c, true
}

// environOf returns the variables that a process was started with, NAME=VALUE.
func environOf(pid int) map[string]bool {
	raw, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ")) // it may not be shown to us
	set := map[string]bool{}
	for variable := range bytes.SplitSeq(raw, []byte{0}) {
		set[string(variable)] = true
	}
	return set
}

// endOrphans kills what a killed guard process has left to this process: those
// of its children that are in another session. yaap itself starts none such.
func endOrphans() {
	self, _ := lookAt(os.Getpid())
	deadline := time.Now().Add(endTime)
	tick := time.NewTicker(strayPause)
	defer tick.Stop()
	foreign := func(c relative) bool { return c.session != self.session }
	for time.Now().Before(deadline) {
		if killChildren(func(c relative) bool { return !foreign(c) }) == 0 {
			return
		}
		for _, c := range children() {
			if c.zombie && foreign(c) {
				_, _ = syscall.Wait4(c.pid, nil, syscall.WNOHANG, nil)
			}
		}
		<-tick.C
	}
}
