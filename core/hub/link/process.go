package link

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"yaap/core/hub"
)

const (
	politeTime = time.Second           // for each step of asking a process to end
	ioGrace    = 50 * time.Millisecond // for standard error after the process has ended
)

// process is a child in a process group of its own. One goroutine waits for it
// and, when it has ended, kills what it left behind.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File // our end; the deadline of a write is set by the writer
	stdout *os.File // our end
	frames *frames  // what comes out of stdout
	stderr *tail
	guard  *Guard
	exited chan struct{} // closed when the process and its group are gone
	once   sync.Once

	mu      sync.Mutex
	closing bool  // we asked it to end: it may take its time
	cause   error // why we killed it
	err     error // how it ended; set before exited is closed
}

// start runs the command of spec with nothing in its environment but what is
// allowed.
func start(spec hub.Spec, env []string, guard *Guard) (*process, error) {
	childIn, ourIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer childIn.Close() //nolint:errcheck // the child has its own copy
	ourOut, childOut, err := os.Pipe()
	if err != nil {
		_ = ourIn.Close()
		return nil, err
	}
	defer childOut.Close() //nolint:errcheck // the child has its own copy

	p := &process{stdin: ourIn, stdout: ourOut, stderr: new(tail), guard: guard, exited: make(chan struct{})}
	p.frames = newFrames(ourOut, p.kill)
	//nolint:noctx // its end is ordered: input closed, TERM, KILL to the whole group
	p.cmd = exec.Command(spec.Command[0], spec.Command[1:]...)
	p.cmd.Dir, p.cmd.Env = spec.Dir, env
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = childIn, childOut, p.stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = ioGrace
	if err := p.cmd.Start(); err != nil {
		_, _ = ourIn.Close(), ourOut.Close()
		return nil, err
	}
	guard.add(p.cmd.Process.Pid)
	go p.wait()
	go p.watchOutput()
	go p.watchInput()
	return p, nil
}

// wait reaps the process and ends its group: a grandchild that holds the pipe
// would otherwise keep its readers waiting. What the child wrote before it
// ended is still read.
func (p *process) wait() {
	err := p.cmd.Wait()
	p.signal(syscall.SIGKILL)
	p.guard.remove(p.cmd.Process.Pid)
	timer := time.NewTimer(ioGrace)
	defer timer.Stop()
	select {
	case <-p.frames.ended:
	case <-timer.C:
	}
	_, _ = p.stdout.Close(), p.stdin.Close()

	p.mu.Lock()
	p.err = p.cause
	if p.err == nil {
		p.err = exitWords(err)
	}
	p.mu.Unlock()
	close(p.exited)
}

// watchOutput waits until the child's output has ended.
func (p *process) watchOutput() {
	select {
	case <-p.frames.ended:
		p.closed(errNoOutput)
	case <-p.exited:
	}
}

// watchInput waits until nobody can read the child's input any more.
func (p *process) watchInput() {
	conn, err := p.stdin.SyscallConn()
	if err != nil {
		return
	}
	woken := false
	// Our end of the pipe is never readable: what wakes us is its failure.
	err = conn.Read(func(uintptr) bool {
		defer func() { woken = true }()
		return woken
	})
	if err == nil { // else we closed it ourselves
		p.closed(errNoInput)
	}
}

// closed ends a child that closed a pipe, unless it is about to end anyway.
func (p *process) closed(why error) {
	timer := time.NewTimer(ioGrace)
	defer timer.Stop()
	select {
	case <-p.exited:
		return
	case <-timer.C:
	}
	p.mu.Lock()
	closing := p.closing
	p.mu.Unlock()
	if !closing {
		p.kill(why)
	}
}

// kill ends the whole group at once and notes why.
func (p *process) kill(cause error) {
	p.mu.Lock()
	if p.cause == nil {
		p.cause = cause
	}
	p.mu.Unlock()
	p.signal(syscall.SIGKILL)
}

// close asks the process to end: by the end of its input, by TERM, by KILL,
// as MCP's lifecycle has it. It returns when it is gone.
func (p *process) close() {
	p.once.Do(func() {
		p.mu.Lock()
		p.closing = true
		p.mu.Unlock()
		_ = p.stdin.Close()
		for _, next := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
			timer := time.NewTimer(politeTime)
			select {
			case <-p.exited:
				timer.Stop()
				return
			case <-timer.C:
				p.signal(next)
			}
		}
	})
	<-p.exited
}

func (p *process) signal(s syscall.Signal) {
	// The group may be gone already.
	_ = syscall.Kill(-p.cmd.Process.Pid, s)
}

func (p *process) ended() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// exitWords says how a process ended; nil for exit status 0.
func exitWords(err error) error {
	var exit *exec.ExitError
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return nil
	case !errors.As(err, &exit):
		return err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return fmt.Errorf("killed by signal %d (%s)", int(status.Signal()), status.Signal())
	}
	return fmt.Errorf("exited with status %d", exit.ExitCode())
}

// environment is what a child is given: the basics and what spec allows.
func environment(spec hub.Spec, lookup func(string) (string, bool)) []string {
	var env []string
	for _, name := range append([]string{"PATH", "HOME", "LANG", "TMPDIR"}, spec.Env...) {
		if value, ok := lookup(name); ok && !strings.ContainsAny(name, "=\x00") {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// deadlineWriter gives every write to a child its own time limit, so that one
// that does not read cannot hold its callers.
type deadlineWriter struct {
	*process
}

const writeTimeout = 10 * time.Second

var (
	errDeaf     = errors.New("it stopped reading its input")
	errNoInput  = errors.New("it closed its standard input")
	errNoOutput = errors.New("it closed its standard output")
)

// Write implements [io.Writer].
func (w deadlineWriter) Write(b []byte) (int, error) {
	if err := w.stdin.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	n, err := w.stdin.Write(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		w.kill(errDeaf)
	}
	return n, err
}

// Close implements [io.Closer]; the process closes its pipes itself.
func (w deadlineWriter) Close() error { return nil }

var _ io.WriteCloser = deadlineWriter{}
