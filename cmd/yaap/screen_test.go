package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"

	"github.com/yaap-chat/yaap/core/must"
)

// screen is an emulated terminal with the whole program in it.
type screen struct {
	t     *testing.T
	home  string
	in    *keyboard
	ended chan struct{} // closed when the program has ended

	mu   sync.Mutex
	emu  *vt.Emulator
	drew chan struct{} // closed and replaced whenever something was drawn
}

// keyboard is an input without bounds: the emulator answers the program's
// questions while it draws, and would wait for ever for a reader.
type keyboard struct {
	mu     sync.Mutex
	cond   *sync.Cond
	buf    bytes.Buffer
	closed bool
}

func (k *keyboard) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	defer k.cond.Broadcast()
	return k.buf.Write(p)
}

func (k *keyboard) Read(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for k.buf.Len() == 0 {
		if k.closed {
			return 0, io.EOF
		}
		k.cond.Wait()
	}
	return k.buf.Read(p)
}

func (k *keyboard) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	defer k.cond.Broadcast()
	k.closed = true
	return nil
}

// Write takes what the program draws. With no real terminal between, a line
// feed has to return the carriage here.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.emu.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		return 0, err
	}
	close(s.drew)
	s.drew = make(chan struct{})
	return len(p), nil
}

// openScreen runs yaap, its children included, on a terminal of that size. The
// room has directories of its own.
func openScreen(t *testing.T, width, height int) *screen {
	t.Helper()
	return openScreenIn(t, t.TempDir(), width, height, options{})
}

// openScreenIn is openScreen in directories that are there.
func openScreenIn(t *testing.T, home string, width, height int, o options) *screen {
	t.Helper()
	return onScreen(t, home, width, height, func(ctx context.Context, p *program) error {
		p.options = o
		p.options.Dir = home
		return p.chat(ctx)
	})
}

// onScreen runs what a program does on a terminal of that size.
func onScreen(t *testing.T, home string, width, height int, do func(context.Context, *program) error) *screen {
	t.Helper()
	s := &screen{t: t, in: &keyboard{}, emu: vt.NewEmulator(width, height), drew: make(chan struct{}), ended: make(chan struct{})}
	s.in.cond = sync.NewCond(&s.in.mu)
	var pump sync.WaitGroup
	pump.Go(func() { _, _ = io.Copy(s.in, s.emu) })

	s.home = home
	env := map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor", "CLICOLOR_FORCE": "1", "LANG": "C.UTF-8", "YAAP_BID_MS": "10000", "BROWSER": "browse"}
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"} {
		env[name] = filepath.Join(home, name)
	}
	p := &program{
		stdin: strings.NewReader(""), stdout: s, stderr: io.Discard,
		env: func(name string) string { return env[name] },
	}
	p.terminal.Input, p.terminal.Output = s.in, s
	p.terminal.Width, p.terminal.Height = width, height
	for name, value := range env {
		p.terminal.Environ = append(p.terminal.Environ, name+"="+value)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(s.ended)
		if err := do(ctx, p); err != nil {
			t.Errorf("the program ended with %v", err)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-s.ended
		_ = s.in.Close()
		if c, ok := s.emu.InputPipe().(io.Closer); ok {
			_ = c.Close()
		}
		pump.Wait()
	})
	return s
}

// text is what stands on the screen; s.mu is held.
func (s *screen) text() string {
	var b strings.Builder
	for y := range s.emu.Height() {
		for x := 0; x < s.emu.Width(); {
			cell := s.emu.CellAt(x, y)
			if cell == nil || cell.Content == "" {
				b.WriteByte(' ')
				x++
				continue
			}
			b.WriteString(cell.Content)
			x += max(cell.Width, 1)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// see waits until the screen matches, and returns what the first group did.
func (s *screen) see(pattern string) (found string) {
	s.t.Helper()
	wanted := regexp.MustCompile(pattern)
	s.until(strconv.Quote(pattern), func(text string) bool {
		groups := wanted.FindStringSubmatch(text)
		if groups != nil {
			found = groups[len(groups)-1]
		}
		return groups != nil
	})
	return found
}

// until waits until the screen is as it should be.
func (s *screen) until(what string, ok func(text string) bool) {
	s.t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		s.mu.Lock()
		text, drew := s.text(), s.drew
		s.mu.Unlock()
		if ok(text) {
			return
		}
		select {
		case <-drew:
		case <-timer.C:
			s.t.Fatalf("no %s on the screen after %v:\n%s", what, patience, text)
		}
	}
}

// enter types a line.
func (s *screen) enter(line string) { _, _ = io.WriteString(s.in, line+"\r") }

func TestAnExpertJoinsAnswersAndIsKilledBeforeTheUsersEyes(t *testing.T) {
	s := openScreen(t, 80, 24)
	s.enter("what is 12% of 840 and what time is it in Tokyo?") // it waits for the experts on their way
	s.see(`(?s)100\.8.*\d\d:\d\d in Tokyo`)
	s.see(`(calc, clock|clock, calc) · [\d.]+ m?s`)
	s.enter("/experts add heron")
	s.see(`→ heron joined`)

	s.enter("what do herons eat and what is 3 * 7?")
	s.see(`Herons eat fish, mostly\. 21`)

	s.enter("@heron which process are you?")
	pid := must.Get(strconv.Atoi(s.see(`I am process (\d+)\.`)))(t)
	heron := must.Get(os.FindProcess(pid))(t)
	must.Do(t, heron.Signal(syscall.SIGKILL))
	s.see(`(?s)← heron left.*→ heron joined`) // it is started again
	s.enter("@heron which process are you?")
	s.see(fmt.Sprintf(`(?s)I am process %d\..*I am process \d+\.`, pid))
	s.quit()
}

func TestARunThatAsksIsAnsweredFromAnotherConversation(t *testing.T) {
	s := openScreen(t, 120, 40)
	write(t, filepath.Join(s.home, "c.yaml"), askingChain)
	s.see(`calc, clock, data, files, git are in the room`)
	s.enter("/chain run c.yaml")
	s.see(`1 red`)
	s.ready()
	s.enter("/new")
	s.see(`Ask the room\. It can`)
	s.enter("/chain runs")
	run := s.see(`c\.yaml asks: Which colour\?\s+([0-9a-f]{8})`)
	s.enter("/chain answer " + run + " blue")
	s.see(`It is blue\.`)
	s.enter("/chain resume " + run)
	s.see(`this run has ended`)
	s.quit()
	s.see(`Go on with it: yaap --continue`)
}
