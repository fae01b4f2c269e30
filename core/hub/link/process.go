package link

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/processes"
	"github.com/yaap-chat/yaap/core/wire"
)

const (
	politeTime = time.Second            // for each step of asking a process to end
	ioGrace    = 50 * time.Millisecond  // for what a process printed before it ended
	endGrace   = 500 * time.Millisecond // for the end of a child to be known after that of its pipes
)

// process is a child that the guard process runs. One goroutine waits until it
// has ended and nothing is left of it.
type process struct {
	ward   *ward
	stdin  *os.File // our end; the deadline of a write is set by the writer
	stdout *os.File // our end
	frames *frames  // what comes out of stdout
	stderr *tail
	line   *wire.Line    // where what passes the pipes is seen
	exited chan struct{} // closed when the process and all that it started are gone
	once   sync.Once

	mu      sync.Mutex
	closing bool  // we asked it to end: it may take its time
	cause   error // why we killed it
	err     error // how it ended; set before exited is closed
}

// start runs the command of spec with nothing in its environment but what is
// allowed. It waits for the guard process, until ctx ends.
func start(ctx context.Context, spec hub.Spec, env []string, guard *Guard) (*process, error) {
	prog, err := locate(spec, env)
	if err != nil {
		return nil, err
	}
	var pipes [3]struct{ read, write *os.File }
	defer func() {
		if err != nil { // else some are ours
			for _, p := range pipes {
				_, _ = p.read.Close(), p.write.Close()
			}
		}
	}()
	for i := range pipes {
		if pipes[i].read, pipes[i].write, err = os.Pipe(); err != nil {
			return nil, err
		}
	}
	in, out, errors := pipes[0], pipes[1], pipes[2]
	p := &process{stdin: in.write, stdout: out.read, stderr: new(tail), exited: make(chan struct{})}
	if p.ward, err = guard.start(ctx, prog, in.read, out.write, errors.write); err != nil {
		return nil, err
	}
	_, _, _ = in.read.Close(), out.write.Close(), errors.write.Close() // the child has its own copies
	p.frames = newFrames(out.read, p.kill)
	go p.wait(errors.read)
	go p.watchOutput()
	go p.watchInput()
	return p, nil
}

// program is what is started.
type program struct {
	Path      string
	Args, Env []string
	Dir       string
}

// locate finds the program of a command as a shell would.
func locate(spec hub.Spec, env []string) (program, error) {
	//nolint:noctx // it is not run here
	cmd := exec.Command(spec.Command[0], spec.Command[1:]...)
	return program{Path: cmd.Path, Args: cmd.Args, Env: env, Dir: spec.Dir}, cmd.Err
}

// wait reads what the child prints to standard error until it has ended. What
// it wrote before that is still read, for a moment: who else holds its pipes is
// not waited for.
func (p *process) wait(stderr *os.File) {
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		_, _ = io.Copy(p.stderr, stderr)
	}()
	<-p.ward.exited
	timer := time.NewTimer(ioGrace)
	defer timer.Stop()
	for _, ended := range []<-chan struct{}{p.frames.ended, printed} {
		select {
		case <-ended:
		case <-timer.C:
			timer.Reset(0) // nor is the next one waited for
		}
	}
	_, _, _ = p.stdout.Close(), p.stdin.Close(), stderr.Close()

	p.mu.Lock()
	p.err = cmp.Or(p.cause, p.ward.err)
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
	timer := time.NewTimer(endGrace)
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
	p.cause = cmp.Or(p.cause, cause)
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

func (p *process) signal(s syscall.Signal) { p.ward.signal(s) }

func (p *process) done() <-chan struct{} { return p.exited }
func (p *process) printed() []string     { return p.stderr.lines() }
func (p *process) last() string          { return p.stderr.last() }
func (p *process) note(line string)      { _, _ = p.stderr.Write([]byte(line + "\n")) }

func (p *process) ended() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// exitWords says how a process ended; nil for exit status 0.
func exitWords(status syscall.WaitStatus) error {
	switch {
	case status.Signaled():
		return fmt.Errorf("killed by signal %d (%s)", int(status.Signal()), status.Signal())
	case status.ExitStatus() != 0:
		return fmt.Errorf("exited with status %d", status.ExitStatus())
	}
	return nil
}

// Environment is what a child is given: the basics and what spec allows.
func Environment(spec hub.Spec, lookup func(string) (string, bool)) []string {
	var env []string
	for _, name := range append(processes.InheritedEnv(), spec.Env...) {
		if value, ok := lookup(name); ok && !strings.ContainsAny(name, "=\x00") {
			env = append(env, name+"="+value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(spec.Vars)) {
		env = append(env, name+"="+spec.Vars[name]) // the last of a name counts
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
	switch err := w.stdin.SetWriteDeadline(time.Now().Add(writeTimeout)); {
	case errors.Is(err, os.ErrNoDeadline): // on Windows: only the end of who reads a pipe ends a write
		late := time.AfterFunc(writeTimeout, func() { w.kill(errDeaf) })
		defer late.Stop()
	case err != nil:
		return 0, err
	}
	w.line.RecordRPC(wire.Out, b, len(b))
	n, err := w.stdin.Write(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		w.kill(errDeaf)
	}
	return n, err
}

// Close implements [io.Closer]; the process closes its pipes itself.
func (w deadlineWriter) Close() error { return nil }

var _ io.WriteCloser = deadlineWriter{}
