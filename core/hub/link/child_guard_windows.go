package link

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/processes"
)

// Guard starts the experts of a room, each in a job of its own: whatever they start and
// leave behind ends with them, and all of them end with yaap, however it went.
type Guard struct {
	mu    sync.Mutex
	wards map[*ward]bool
	files []string // to be removed at the end
	shut  bool
}

// ward is a program that a guard runs.
type ward struct {
	group  *processes.Group
	exited chan struct{} // closed when it is gone and what it left behind was killed
	err    error         // how it ended; set before exited is closed
}

// StartGuard makes a guard. It starts nothing: the system itself ends what is left.
func StartGuard(string, ...string) (*Guard, error) { return &Guard{wards: map[*ward]bool{}}, nil }

// ServeGuard fails: there is no guard process on Windows.
func ServeGuard(*os.File) error { return errors.ErrUnsupported }

// Close kills what is still there, and waits for it.
func (g *Guard) Close() error {
	g.mu.Lock()
	g.shut = true
	files := g.files
	var left []*ward
	for w := range g.wards {
		left = append(left, w)
	}
	g.mu.Unlock()
	for _, w := range left {
		w.signal(syscall.SIGKILL)
		<-w.exited
	}
	for _, path := range files {
		_ = os.Remove(path) // an orderly end has removed it
	}
	return nil
}

// Leave has the file at path removed when the guard is closed; when yaap is killed it
// stays.
func (g *Guard) Leave(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.files = append(g.files, path)
}

// start runs a program with files as its standard input, output and error.
func (g *Guard) start(_ context.Context, prog program, files ...*os.File) (*ward, error) {
	cmd := &exec.Cmd{Path: prog.Path, Args: prog.Args, Env: prog.Env, Dir: prog.Dir, Stdin: files[0], Stdout: files[1], Stderr: files[2]}
	w := &ward{group: processes.NewSession(cmd), exited: make(chan struct{})}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return nil, core.Fail(core.CodeUnreachable, "the room is closed", "start yaap again")
	}
	if err := w.group.Start(); err != nil {
		return nil, err
	}
	g.wards[w] = true
	go func() {
		_ = cmd.Wait() // how it ended is in its state
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok {
			w.err = exitWords(status)
		}
		_ = w.group.Kill() // what it left behind
		g.mu.Lock()
		delete(g.wards, w)
		g.mu.Unlock()
		close(w.exited)
	}()
	return w, nil
}

// signal kills the program and its group at SIGKILL, and asks them to end at any other.
func (w *ward) signal(s syscall.Signal) {
	if s == syscall.SIGKILL {
		_ = w.group.Kill() // it may be gone
		return
	}
	_ = w.group.End() // one without a console is killed next
}
