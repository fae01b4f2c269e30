//go:build unix

package link

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

const (
	guardName  = "room-guard"         // who kills every yaap does not kill it, and nothing survives
	markName   = "YAAP_EXPERT"        // the variable that says which expert a process belongs to
	straysTime = time.Second          // for what an expert left behind to end
	strayPause = 2 * time.Millisecond // at first, between two looks at what an expert left behind
	maxPause   = time.Second
	maxFiles   = 3
)

// order is what the room tells the guard process: to start the program ID, with
// the files that come along, to send it a signal, or to remove a file at the end.
type order struct {
	ID     int            `json:",omitempty"`
	Remove string         `json:",omitempty"`
	Start  *program       `json:",omitempty"`
	Signal syscall.Signal `json:",omitempty"`
}

// report is what the guard process tells the room about the program ID: that it
// runs, why it does not, or how it ended.
type report struct {
	ID     int
	Failed syscall.Errno      `json:",omitempty"`
	Exited bool               `json:",omitempty"`
	Status syscall.WaitStatus `json:",omitempty"`
}

// guardian is the guard process.
type guardian struct {
	reports *json.Encoder
	mark    string      // of the programs that this process starts
	files   []string    // to be removed at the end
	running map[int]int // the ids of the programs by process
	// sweeping is set while something may be left of a program that has ended.
	sweeping bool
	ended    []report       // not told yet: what they left behind still runs
	since    time.Time      // when the last of them ended
	again    *time.Timer    // while something is to be looked for again
	pause    time.Duration  // until then
	died     chan os.Signal // a child ended
}

// ServeGuard is the guard process: it starts what in, a socket, orders, tells
// how that ends, and returns when in has ended and nothing is left of what it
// started. It must be called by a program that does nothing else: it takes over
// its signals and its children.
func ServeGuard(in *os.File) error {
	// What it starts ends with the thread that started it.
	runtime.LockOSThread()
	// Not ignored, as this would be inherited: these are for others to die of.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	adoptOrphans()
	rename(guardName)
	conn, err := unixConn(in)
	if err != nil {
		return err
	}
	g := &guardian{
		reports: json.NewEncoder(conn), mark: rand.Text(), running: map[int]int{},
		again: time.NewTimer(0), pause: strayPause, died: make(chan os.Signal, 1),
	}
	signal.Notify(g.died, syscall.SIGCHLD)
	orders := make(chan delivery)
	go deliver(conn, orders)
	for {
		select {
		case d, open := <-orders:
			if !open {
				return g.end()
			}
			g.obey(d)
		case <-g.died:
			g.reap()
		case <-g.again.C:
			g.reap()
		}
	}
}

// delivery is an order with the files that came along.
type delivery struct {
	order
	files []int
}

// deliver hands on the orders of conn, and ends the channel with them.
func deliver(conn *net.UnixConn, orders chan<- delivery) {
	defer close(orders)
	in := &fileReader{conn: conn}
	decoder := json.NewDecoder(in)
	for {
		var d delivery
		if decoder.Decode(&d.order) != nil {
			return
		}
		if d.Start != nil {
			if len(in.files) < maxFiles {
				return
			}
			d.files, in.files = in.files[:maxFiles:maxFiles], in.files[maxFiles:]
		}
		orders <- d
	}
}

// fileReader reads what comes over a socket and collects the files among it. It
// implements [io.Reader].
type fileReader struct {
	conn  *net.UnixConn
	files []int
}

func (r *fileReader) Read(b []byte) (int, error) {
	oob := make([]byte, syscall.CmsgSpace(4*maxFiles))
	n, oobn, _, _, err := r.conn.ReadMsgUnix(b, oob)
	if err != nil { // n is negative then
		return 0, err
	}
	if n == 0 {
		return 0, io.EOF
	}
	messages, err := syscall.ParseSocketControlMessage(oob[:oobn])
	for _, m := range messages {
		files, wrong := syscall.ParseUnixRights(&m)
		if wrong != nil {
			return n, wrong
		}
		r.files = append(r.files, files...)
	}
	return n, err
}

func (g *guardian) obey(d delivery) {
	switch {
	case d.Start != nil:
		g.start(d)
		return
	case d.Remove != "":
		g.files = append(g.files, d.Remove)
		return
	}
	for pid, id := range g.running {
		if id == d.ID { // it has not been waited for: its number is its own
			_, _ = syscall.Kill(-pid, d.Signal), syscall.Kill(pid, d.Signal)
		}
	}
}

func (g *guardian) start(d delivery) {
	files := make([]uintptr, len(d.files))
	for i, fd := range d.files {
		files[i] = uintptr(fd)
	}
	pid, err := syscall.ForkExec(d.Start.Path, d.Start.Args, &syscall.ProcAttr{
		Dir: d.Start.Dir, Env: append(d.Start.Env, g.markOf(d.ID)), Files: files, Sys: startAttr(),
	})
	for _, fd := range d.files {
		_ = syscall.Close(fd)
	}
	r := report{ID: d.ID}
	if err != nil {
		errno, ok := err.(syscall.Errno) //nolint:errorlint // it is made so
		if !ok {
			errno = syscall.EINVAL
		}
		r.Failed = errno
	} else {
		g.running[pid] = d.ID
	}
	_ = g.reports.Encode(r) // nobody listens any more: the orders end, too
}

// markOf is the variable in the environment of the program ID.
func (g *guardian) markOf(id int) string { return markName + "=" + g.mark + "-" + strconv.Itoa(id) }

// reap takes note of the programs that have ended, kills what they left behind,
// and tells the room when that is gone.
func (g *guardian) reap() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			break
		}
		g.pause = strayPause
		if id, ours := g.running[pid]; ours {
			delete(g.running, pid)
			endGroup(pid)
			g.sweeping = true
			g.ended, g.since = append(g.ended, report{ID: id, Exited: true, Status: status}), time.Now()
		}
	}
	if !g.sweeping {
		return
	}
	left := killChildren(g.belongs)
	if g.sweeping = left > 0; g.sweeping { // some may be another user's, whom it cannot kill
		g.again.Reset(g.pause)
		g.pause = min(2*g.pause, maxPause)
	}
	if left == 0 || time.Since(g.since) > straysTime {
		for _, r := range g.ended {
			_ = g.reports.Encode(r) // nobody listens any more: the orders end, too
		}
		g.ended = nil
	}
}

// belongs reports whether c is a program that runs, or was started by one and
// then left by its parent. One that hides this does not belong.
func (g *guardian) belongs(c relative) bool {
	if _, ok := g.running[c.pid]; ok {
		return true
	}
	environ := environOf(c.pid)
	for _, id := range g.running {
		if environ[g.markOf(id)] {
			return true
		}
	}
	return false
}

// end removes the files and kills everything. That is gone when the system knows no child any more:
// whoever loses its parent becomes one.
func (g *guardian) end() error {
	for _, path := range g.files {
		_ = os.Remove(path) // an orderly end has removed it
	}
	deadline := time.NewTimer(endTime)
	defer deadline.Stop()
	for pid := range g.running {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	}
	for {
		left := killChildren(func(relative) bool { return false })
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if err == syscall.ECHILD {
				return nil
			}
			if pid <= 0 {
				break
			}
		}
		g.again.Reset(strayPause)
		select {
		case <-g.died:
		case <-g.again.C:
		case <-deadline.C:
			return fmt.Errorf("%d processes cannot be killed", left)
		}
	}
}
