// Package processes runs commands that can be ended together with all that they start.
package processes

import (
	"os/exec"
	"runtime"
)

// NewGroup makes a group of a command that is not started. A signal of the terminal does
// not reach it, and when the command's context ends, all of it is killed.
func NewGroup(cmd *exec.Cmd) *Group { return newGroup(cmd, false) }

// NewSession makes a group that has no terminal, either.
func NewSession(cmd *exec.Cmd) *Group { return newGroup(cmd, true) }

func newGroup(cmd *exec.Cmd, session bool) *Group {
	g := &Group{cmd: cmd}
	apart(cmd, session)
	if cmd.Cancel != nil { // it has a context
		cmd.Cancel = g.Kill
	}
	return g
}

// Run starts the command and waits for it, and fails like [exec.Cmd.Run].
func (g *Group) Run() error {
	defer runtime.KeepAlive(g)
	if err := g.Start(); err != nil {
		return err
	}
	return g.cmd.Wait()
}

// Detach has a command that is not started outlive this program: no signal of the terminal
// reaches it.
func Detach(cmd *exec.Cmd) { apart(cmd, true) }
