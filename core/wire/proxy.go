package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxLine = 8 << 20          // bytes of a line that are read to know what it is
	endTime = 10 * time.Second // for what a command printed before it ended to be taken
)

// lines records each line as a frame.
type lines struct {
	line *Line
	dir  Direction
	text []byte // of the present line
	size int
}

// Write implements [io.Writer]. It never fails.
func (l *lines) Write(p []byte) (int, error) {
	n := len(p)
	for {
		i := bytes.IndexByte(p, '\n')
		part := p[:i+1]
		if i < 0 {
			part = p
		}
		l.size += len(part)
		l.text = append(l.text, part[:min(len(part), maxLine-len(l.text))]...)
		if p = p[len(part):]; i < 0 {
			return n, nil
		}
		l.end()
	}
}

func (l *lines) end() {
	l.line.RecordRPC(l.dir, l.text, l.size)
	l.text, l.size = l.text[:0], 0
}

// Proxy runs a command between in and out and records the frames at the line: out to the
// command, in from it. Every byte is passed on unchanged and at once, the end of a frame
// as soon as it is recorded, so that no answer is recorded before its request. It returns
// how the command ended, an [exec.ExitError] if it failed; when ctx ends, the command is
// asked to end.
func Proxy(ctx context.Context, line *Line, command []string, in io.Reader, out, stderr io.Writer) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // the user names it
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = endTime
	answers := &lines{line: line, dir: In}
	cmd.Stdout, cmd.Stderr = io.MultiWriter(answers, out), stderr
	input, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return core.Fail(core.CodeInvalid, "cannot run "+safe.Line(filepath.Base(command[0])), "check the command: yaap wire -- COMMAND ARGS").Because(err)
	}
	go func() { // it ends with the input; a read cannot be ended, and the program ends anyhow
		asked := &lines{line: line, dir: Out}
		_, _ = io.Copy(io.MultiWriter(asked, input), in) // the command may have closed its input
		asked.end()
		_ = input.Close()
	}()
	err = cmd.Wait()
	answers.end()
	if errors.Is(err, exec.ErrWaitDelay) { // it ended well; who else holds its output is not waited for
		err = nil
	}
	return err
}

// String is a frame as one line for people: its time, direction, method, id, duration,
// size, and its beginning.
func (f Frame) String() string {
	arrow := "→"
	if f.Dir == In {
		arrow = "←"
	}
	parts := []string{f.Time.Format("15:04:05.000"), arrow, string(f.Kind)}
	for _, part := range []string{f.Method, f.Tool} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if f.ID != "" {
		parts = append(parts, "#"+f.ID)
	}
	if f.To > 0 {
		parts = append(parts, fmt.Sprintf("%.1f ms", f.MS))
	}
	parts = append(parts, fmt.Sprintf("%d B", f.Size), string(f.Text))
	return safe.Cut(safe.Line(strings.Join(parts, " ")), 400)
}
