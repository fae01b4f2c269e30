package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/processes"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxPrinted = 1 << 20 // bytes of an answer
	maxErrors  = 4 << 10 // bytes of standard error that are kept
	denyStatus = 2       // the exit status that denies, as Claude Code's hooks have it
	grace      = 500 * time.Millisecond
)

var (
	errTooMuch = errors.New("it printed more than 1 MB")
	errLate    = errors.New("its time was over")
)

// ask runs a hook and reads its answer. The error says how it failed.
func (s *Set) ask(ctx context.Context, h Hook, m Input) (answer, error) {
	shown, err := json.Marshal(m)
	if err != nil {
		return answer{}, err
	}
	limit := h.Timeout
	if limit <= 0 {
		limit = DefaultTimeout
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(limit, func() { cancel(errLate) })
	defer timer.Stop()

	cmd := exec.CommandContext(ctx, h.Command[0], h.Command[1:]...) //nolint:gosec // the user's own, of the configuration
	cmd.Dir, cmd.Env, cmd.WaitDelay = s.Dir, s.Env, grace
	cmd.Stdin = bytes.NewReader(append(shown, '\n'))
	printed := &limited{most: maxPrinted, over: func() { cancel(errTooMuch) }}
	complained := &limited{most: maxErrors, over: func() {}}
	cmd.Stdout, cmd.Stderr = printed, complained
	err = processes.NewSession(cmd).Run() // no terminal to write to
	var exit *exec.ExitError
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errLate):
		return answer{}, fmt.Errorf("it did not answer within %s", limit)
	case cause != nil:
		return answer{}, cause
	case errors.Is(err, exec.ErrWaitDelay): // it ended well, and something that it started holds its output
	case errors.As(err, &exit) && exit.ExitCode() == denyStatus && m.Event != core.HookTurnEnd:
		return answer{Decision: core.HookDeny, Reason: strings.TrimSpace(safe.Text(complained.kept.String()))}, nil
	case err != nil:
		if last := lastLine(complained.kept.String()); last != "" {
			return answer{}, fmt.Errorf("%w: %s", err, last)
		}
		return answer{}, err
	}
	return read(m.Event, printed.kept.Bytes())
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return safe.Cut(safe.Line(lines[len(lines)-1]), 200)
}

// limited keeps the beginning of what is written.
type limited struct {
	kept bytes.Buffer
	most int
	over func() // called when there is more
}

// Write implements [io.Writer].
func (l *limited) Write(b []byte) (int, error) {
	keep := min(len(b), l.most-l.kept.Len())
	_, _ = l.kept.Write(b[:keep])
	if keep < len(b) {
		l.over()
	}
	return len(b), nil
}

var _ io.Writer = (*limited)(nil)
