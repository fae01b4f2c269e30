package author

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/processes"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxLine   = 8 << 20 // bytes of a message
	maxStray  = 500     // lines that are no answers, which are kept
	flushing  = 2 * time.Second
	afterward = time.Second // for an answer to come after a line that is none
)

var (
	errLate  = errors.New("it does not answer")
	errHuge  = errors.New("its answer is too large")
	errEnded = errors.New("it has ended")
)

// refusal is the error of an answer.
type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (r *refusal) Error() string { return r.Message }

// session is a process to talk JSON-RPC with. One goroutine reads what it prints; the
// methods are for one goroutine.
type session struct {
	limit  time.Duration // for an answer
	cmd    *exec.Cmd
	group  *processes.Group
	input  io.WriteCloser
	stderr *lastWords
	huge   chan struct{} // closed when a line was larger than maxLine: what comes after it is not read
	ended  chan struct{} // closed when the process is gone

	last int // the id of the last request

	mu      sync.Mutex
	news    chan struct{}              // closed when something was printed, and made anew
	answers map[string]json.RawMessage // by id as it is written
	stray   []string                   // lines that are no answers
	calls   []string                   // ids of tool calls
	beside  string                     // the first line that is no message, rather one while a tool was called
	amidst  bool                       // it came while a tool was called
}

// start runs a command that no terminal belongs to.
func start(ctx context.Context, command []string, dir string, limit time.Duration) (*session, error) {
	if len(command) == 0 {
		return nil, core.Fail(core.CodeInvalid, "there is no command to check", "name one: yaap expert check -- python3 heron.py")
	}
	s := &session{limit: limit, stderr: new(lastWords), huge: make(chan struct{}), ended: make(chan struct{}), news: make(chan struct{}), answers: map[string]json.RawMessage{}}
	s.cmd = exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // the user names it
	s.cmd.Dir, s.cmd.Stderr = dir, s.stderr
	for _, name := range processes.InheritedEnv() { // as in a room
		if value, ok := os.LookupEnv(name); ok {
			s.cmd.Env = append(s.cmd.Env, name+"="+value)
		}
	}
	s.group, s.cmd.WaitDelay = processes.NewGroup(s.cmd), flushing
	var output io.ReadCloser
	var err error
	if s.input, err = s.cmd.StdinPipe(); err == nil {
		output, err = s.cmd.StdoutPipe()
	}
	if err == nil {
		err = s.group.Start()
	}
	if err != nil {
		return nil, core.Fail(core.CodeInvalid, "cannot run "+safe.Line(command[0]), "see that it is installed, and write its path in full where PATH does not have it").Because(err)
	}
	go s.read(output)
	return s, nil
}

// read takes the lines that the process prints until it has ended.
func (s *session) read(output io.Reader) {
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		s.take(lines.Bytes())
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		close(s.huge)
		_, _ = io.Copy(io.Discard, output) // it may go on
	}
	_ = s.cmd.Wait() // how it ended is not asked
	close(s.ended)
}

func (s *session) take(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	switch err := json.Unmarshal(line, &m); {
	case err == nil && m.Method != "": // a notification or a question of its own
	case err == nil && s.isOpen(m.ID) && (m.Result != nil || m.Error != nil):
		s.answers[string(m.ID)] = bytes.Clone(line)
	case len(bytes.TrimSpace(line)) > 0 && len(s.stray) < maxStray:
		s.stray = append(s.stray, string(line))
		amidst := slices.ContainsFunc(s.calls, func(id string) bool { return s.isOpen(json.RawMessage(id)) })
		if err != nil && (s.beside == "" || amidst && !s.amidst) {
			s.beside, s.amidst = string(line), amidst
		}
	}
	close(s.news)
	s.news = make(chan struct{})
}

// isOpen reports whether an id is that of a request without an answer; s.mu is held.
func (s *session) isOpen(id json.RawMessage) bool {
	answer, ok := s.answers[string(id)]
	return ok && answer == nil
}

// send sends a request and returns its id.
func (s *session) send(method string, params any) int {
	s.mu.Lock()
	s.last++
	id := s.last
	s.answers[fmt.Sprint(id)] = nil
	if method == "tools/call" {
		s.calls = append(s.calls, fmt.Sprint(id))
	}
	s.mu.Unlock()
	s.write(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return id
}

func (s *session) notify(method string, params any) {
	s.write(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

func (s *session) write(message any) {
	raw, err := json.Marshal(message)
	if err == nil {
		_, _ = s.input.Write(append(raw, '\n')) // who does not read does not answer
	}
}

// ask sends a request and waits for its result.
func (s *session) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	return s.await(ctx, s.send(method, params))
}

// await waits for the result of a request. It fails with [errLate], [errHuge], [errEnded], or
// the [refusal] of the answer.
func (s *session) await(ctx context.Context, id int) (json.RawMessage, error) {
	timer := time.NewTimer(s.limit)
	defer timer.Stop()
	for over := false; ; {
		s.mu.Lock()
		line, news := s.answers[fmt.Sprint(id)], s.news
		s.mu.Unlock()
		if line != nil {
			var m struct {
				Result json.RawMessage `json:"result"`
				Error  *refusal        `json:"error"`
			}
			if err := json.Unmarshal(line, &m); err != nil {
				return nil, err
			}
			if m.Error != nil {
				return nil, m.Error
			}
			return m.Result, nil
		}
		if over {
			return nil, errEnded
		}
		select {
		case <-news:
			s.mu.Lock()
			if len(s.stray) > 0 {
				timer.Reset(min(s.limit, afterward))
			}
			s.mu.Unlock()
		case <-s.ended:
			over = true // what it printed last is looked at
		case <-s.huge:
			return nil, errHuge
		case <-timer.C:
			return nil, errLate
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *session) closeInput() { _ = s.input.Close() }

// ends reports whether the process ends by itself.
func (s *session) ends(ctx context.Context) bool {
	timer := time.NewTimer(s.limit)
	defer timer.Stop()
	select {
	case <-s.ended:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// kill ends the process and all that it has started, and waits for that.
func (s *session) kill() {
	s.closeInput()
	_ = s.group.Kill() // it may have ended
	<-s.ended
}

// wrong finds out why something was not answered, and notes it.
func (c *checker) wrong(what string, err error) bool {
	var no *refusal
	if errors.As(err, &no) {
		return c.fault(fmt.Sprintf("it refuses %s: %s", what, no.Message), "answer it with a result")
	}
	c.mu.Lock()
	stray := strings.Join(c.stray, "\n")
	c.mu.Unlock()
	var message struct {
		ID     any `json:"id"`
		Result any `json:"result"`
	}
	first, _, _ := strings.Cut(stray, "\n")
	shown := safe.Cut(safe.Line(first), 60)
	switch {
	case errors.Is(err, errHuge):
		return c.fault(fmt.Sprintf("it writes a line of more than %d MiB, which no room reads", maxLine>>20), "answer with less, or name a file that has it")
	case stray == "" && errors.Is(err, errLate) && c.flushes():
		return c.fault("it does not flush: its answer came only when its input had ended", "flush standard output after each line: print(..., flush=True), fflush(stdout), stdout.flush()")
	case stray == "" && errors.Is(err, errEnded):
		return c.fault(c.silent(what, err), "run the command by itself, and see what it says; it is given PATH, HOME, LANG, TZ and TMPDIR")
	case stray == "" && c.answered() > 0:
		return c.fault(c.silent(what, err), fmt.Sprintf("see what it waits for: an answer is to come within %v", c.limit))
	case stray == "":
		return c.fault(c.silent(what, err), "read a line of JSON from standard input, and write the answer as a line to standard output; a command that first builds or downloads something (go run, npx) is to be run once before")
	case json.Unmarshal([]byte(first), &message) == nil && message.Result != nil && message.ID == nil:
		return c.fault("it answers without an id: "+shown, `put the id of the request into the answer: {"jsonrpc": "2.0", "id": ..., "result": ...}`)
	case json.Unmarshal([]byte(first), &message) == nil && message.Result != nil:
		id, _ := json.Marshal(message.ID) // it was JSON
		return c.fault(fmt.Sprintf("it answers with the id %s, which no request has", id), "give the id back as it came: a number stays a number")
	case json.Unmarshal([]byte(stray), &message) == nil:
		return c.fault("its answer takes several lines", "write a message as one line, without indentation")
	}
	return c.fault(fmt.Sprintf("it prints %q to standard output", shown), "standard output is for messages alone: log to standard error")
}

// flushes reports whether another answer comes when the input ends.
func (c *checker) flushes() bool {
	before := c.answered()
	c.closeInput()
	timer := time.NewTimer(flushing)
	defer timer.Stop()
	select {
	case <-c.ended:
	case <-timer.C:
	}
	c.mu.Lock()
	stray := len(c.stray) > 0
	c.mu.Unlock()
	return stray || c.answered() > before
}

// answered is how many requests have been answered.
func (s *session) answered() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, answer := range s.answers {
		if answer != nil {
			n++
		}
	}
	return n
}

// silent says that nothing came, with what the process has said last.
func (c *checker) silent(what string, err error) string {
	text, last := "it does not answer "+what, c.stderr.text()
	if errors.Is(err, errEnded) {
		text, last = "it ended before it answered "+what, cmp.Or(last, c.cmd.ProcessState.String())
	}
	if last != "" {
		text += ": " + last
	}
	return text
}

// lastWords keeps the end of what is written to it.
type lastWords struct {
	mu  sync.Mutex
	end []byte
}

// Write implements [io.Writer].
func (l *lastWords) Write(p []byte) (int, error) {
	const most = 4096
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end = append(l.end, p...)
	l.end = l.end[max(0, len(l.end)-most):]
	return len(p), nil
}

func (l *lastWords) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return safe.Cut(processes.ExitReason(strings.Split(strings.TrimSpace(string(l.end)), "\n")), 300)
}
