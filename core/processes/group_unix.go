//go:build unix

package processes

import (
	"errors"
	"os/exec"
	"syscall"
)

// Group is a command and all that it starts: its process group. A group must be
// started with its own Start or Run; its other methods may be called from any goroutine
// from then on. Nothing ends what is left of it but Kill.
type Group struct {
	cmd *exec.Cmd
}

func apart(cmd *exec.Cmd, session bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: session, Setpgid: !session}
}

// Start starts the command, and fails like [exec.Cmd.Start].
func (g *Group) Start() error { return g.cmd.Start() }

// Kill kills all of the group at once.
func (g *Group) Kill() error { return syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) }

// End asks all of the group to end: by SIGTERM, on Windows by ctrl+break, which only
// those hear that have the console of this program.
func (g *Group) End() error { return syscall.Kill(-g.cmd.Process.Pid, syscall.SIGTERM) }

// Alive reports whether there is a process of that number; where it cannot be told, there is.
func Alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// InheritedEnv names the variables of the environment that every program is given.
func InheritedEnv() []string { return []string{"PATH", "HOME", "LANG", "TZ", "TMPDIR"} }
