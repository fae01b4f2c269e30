//go:build unix

package link

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/yaap-chat/yaap/core"
)

const (
	orderTime = 10 * time.Second // for the guard process to take an order
	endTime   = 5 * time.Second  // for killed processes to end
)

// Guard starts the experts of a room, in a process of its own: the guard
// process is their parent, so that it, and on Linux nobody else, inherits
// whatever they start and leave behind. When yaap is gone, however it went, the
// guard process kills all of them and ends.
//
// When the guard process itself is killed, what it started ends, too, and the
// next expert is started by a new one.
type Guard struct {
	path string
	args []string

	mu    sync.Mutex
	post  *post    // the last guard process
	files []string // to be removed when yaap is gone
	shut  bool
}

// StartGuard starts the guard process: path with args must run [ServeGuard] on
// its standard input. The caller's process adopts orphans from now on.
func StartGuard(path string, args ...string) (*Guard, error) {
	adoptOrphans() // those of a guard process that is killed
	g := &Guard{path: path, args: args}
	_, err := g.onDuty()
	return g, err
}

// Close ends the guard process, which kills what is still there, and waits for
// it.
func (g *Guard) Close() error {
	g.mu.Lock()
	g.shut = true
	p := g.post
	g.mu.Unlock()
	if p == nil {
		return nil
	}
	_ = p.conn.Close() // it may be gone
	<-p.gone
	return p.err
}

// onDuty returns the guard process that runs; a new one, if the last was killed.
func (g *Guard) onDuty() (*post, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return nil, core.Fail(core.CodeUnreachable, "the room is closed", "start yaap again")
	}
	if g.post != nil {
		select {
		case <-g.post.gone:
		default:
			return g.post, nil
		}
	}
	p, err := launch(g.path, g.args)
	if err != nil {
		return nil, core.Fail(core.CodeInternal, "the process that starts the experts cannot be started", "check that this system lets you start programs").Because(err)
	}
	g.post = p
	for _, path := range g.files {
		p.leave(path)
	}
	return p, nil
}

// Leave has the file at path removed when yaap is gone, however it went.
func (g *Guard) Leave(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.files = append(g.files, path)
	if g.post != nil {
		g.post.leave(path)
	}
}

// start runs a program with files as its standard input, output and error.
func (g *Guard) start(ctx context.Context, prog program, files ...*os.File) (*ward, error) {
	p, err := g.onDuty()
	if err != nil {
		return nil, err
	}
	w, err := p.start(prog, files)
	if err != nil {
		return nil, errNoGuard(err)
	}
	select {
	case err = <-w.started:
		return w, err
	case <-w.exited: // with the guard process
		return nil, errNoGuard(w.err)
	case <-ctx.Done():
		w.signal(syscall.SIGKILL)
		return nil, ctx.Err()
	}
}

func errNoGuard(err error) error {
	return core.Fail(core.CodeUnreachable, "the process that starts the experts is gone", "it is started again with the next expert").Because(err)
}

// post is one guard process and what it runs.
type post struct {
	cmd  *exec.Cmd
	conn *net.UnixConn
	gone chan struct{} // closed when it and all that it started are gone
	err  error         // set before gone is closed

	mu    sync.Mutex // one order at a time is written
	last  int
	wards map[int]*ward // nil when the guard process is gone
}

// ward is a program that a guard process runs.
type ward struct {
	post    *post
	id      int
	started chan error    // holds one
	exited  chan struct{} // closed when it and what it left behind are gone
	err     error         // how it ended; set before exited is closed
}

// launch starts a guard process. It is given nothing of the environment, and
// has a session of its own: what ends the terminal must not end it first.
func launch(path string, args []string) (*post, error) {
	conn, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close() //nolint:errcheck // the guard process has its own copy
	//nolint:noctx // it must outlive everything; the end of its input ends it
	cmd := exec.Command(path, args...)
	cmd.Args[0] = guardName
	cmd.Stdin, cmd.Env = theirs, []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	p := &post{cmd: cmd, conn: conn, gone: make(chan struct{}), wards: map[int]*ward{}}
	go p.listen()
	return p, nil
}

// socketPair returns the two ends of a socket that files can be sent over. No
// program that is started meanwhile inherits them.
func socketPair() (*net.UnixConn, *os.File, error) {
	syscall.ForkLock.RLock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	theirs := os.NewFile(uintptr(fds[1]), "guard")
	conn, err := unixConn(os.NewFile(uintptr(fds[0]), "guard"))
	if err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return conn, theirs, nil
}

// unixConn makes a connection of f, and closes f.
func unixConn(f *os.File) (*net.UnixConn, error) {
	defer f.Close() //nolint:errcheck // the connection is a copy
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	if unix, ok := conn.(*net.UnixConn); ok {
		return unix, nil
	}
	return nil, errors.Join(errors.New("the guard's input is not a socket"), conn.Close())
}

// start orders the program to be started.
func (p *post) start(prog program, files []*os.File) (*ward, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wards == nil {
		return nil, p.err
	}
	p.last++
	w := &ward{post: p, id: p.last, started: make(chan error, 1), exited: make(chan struct{})}
	fds := make([]int, len(files))
	for i, f := range files {
		fds[i] = int(f.Fd())
	}
	if err := p.say(order{ID: w.id, Start: &prog}, syscall.UnixRights(fds...)); err != nil {
		return nil, err
	}
	p.wards[w.id] = w
	return w, nil
}

func (p *post) leave(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.say(order{Remove: path}, nil) // the next guard process is told again
}

// signal sends a signal to the program and its process group, if they are there.
func (w *ward) signal(s syscall.Signal) {
	w.post.mu.Lock()
	defer w.post.mu.Unlock()
	_ = w.post.say(order{ID: w.id, Signal: s}, nil) // without its guard process it is gone
}

// say sends an order; p.mu is held.
func (p *post) say(o order, rights []byte) error {
	raw, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if err := p.conn.SetWriteDeadline(time.Now().Add(orderTime)); err != nil {
		return err
	}
	n, _, err := p.conn.WriteMsgUnix(raw, rights, nil)
	if err == nil && n < len(raw) {
		_, err = p.conn.Write(raw[n:])
	}
	if err != nil { // half an order: it cannot be trusted with another
		_ = p.conn.Close()
	}
	return err
}

// listen takes the reports of the guard process until it is gone, and ends what
// a killed one left behind.
func (p *post) listen() {
	reports := json.NewDecoder(p.conn)
	for {
		var r report
		if reports.Decode(&r) != nil {
			break
		}
		p.note(r)
	}
	_ = p.conn.Close() // it has nothing more to do than to end what it started
	hung := time.AfterFunc(2*endTime, func() { _ = p.cmd.Process.Kill() })
	if p.err = p.cmd.Wait(); p.err != nil {
		endOrphans()
	}
	hung.Stop()
	p.mu.Lock()
	lost := p.wards
	p.wards = nil
	p.mu.Unlock()
	for _, w := range lost {
		w.err = errKilled
		close(w.exited)
	}
	close(p.gone)
}

var errKilled = errors.New("killed together with the process that started it")

func (p *post) note(r report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.wards[r.ID]
	switch {
	case w == nil:
	case r.Exited:
		delete(p.wards, r.ID)
		w.err = exitWords(r.Status)
		close(w.exited)
	case r.Failed != 0:
		delete(p.wards, r.ID)
		w.started <- r.Failed
	default:
		w.started <- nil
	}
}
