package link

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
)

// Guard tells a guard process which process groups belong to the room. When
// yaap is gone, however it went, the guard's input ends and it kills them: a
// child that ignores the end of its own input is no orphan either. A nil Guard
// guards nothing.
type Guard struct {
	mu  sync.Mutex
	in  io.WriteCloser
	cmd *exec.Cmd
}

// StartGuard starts the guard process; cmd must run [ServeGuard] on its
// standard input.
func StartGuard(cmd *exec.Cmd) (*Guard, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// A session of its own: what ends the terminal must not end the guard first.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the guard process: %w", err)
	}
	return &Guard{in: in, cmd: cmd}, nil
}

// Close ends the guard, which kills what is still registered, and waits for it.
func (g *Guard) Close() error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	err := g.in.Close()
	g.mu.Unlock()
	if err != nil {
		return err
	}
	return g.cmd.Wait()
}

func (g *Guard) add(group int)    { g.say("+", group) }
func (g *Guard) remove(group int) { g.say("-", group) }

func (g *Guard) say(verb string, group int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	// Without its guard a room still works; only kill -9 would leave orphans.
	_, _ = fmt.Fprintf(g.in, "%s%d\n", verb, group)
}

// ServeGuard is the guard process: it reads which groups to watch over from in
// and kills those that are left when in ends. The caller must ignore the
// signals that end a terminal's programs.
func ServeGuard(in io.Reader) {
	groups := map[int]bool{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		// "+7" and "-7" are numbers: their sign is the verb.
		n, err := strconv.Atoi(lines.Text())
		switch {
		case err != nil:
		case n > 1:
			groups[n] = true
		case n < -1:
			delete(groups, -n)
		}
	}
	for group := range groups {
		_ = syscall.Kill(-group, syscall.SIGKILL)
	}
}
