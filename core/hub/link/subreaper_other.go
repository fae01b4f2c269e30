//go:build unix && !linux

package link

import "syscall"

// Where a process cannot adopt orphans, those are missed that leave the process
// group of their program.

type relative struct{ pid int }

func adoptOrphans() {}

func rename(string) {}

func startAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func endGroup(group int) { _ = syscall.Kill(-group, syscall.SIGKILL) }

func killChildren(func(relative) bool) (left int) { return 0 }

func environOf(int) map[string]bool { return nil }

// endOrphans does nothing: the programs are not ours when their parent is gone.
func endOrphans() {}
