// Package link reaches experts that run as MCP servers: children that the
// room starts, and servers of somebody else that it adopts.
//
// The room owns the process: its pipes, its session, its environment, what it
// starts in turn, and its end; [Guard] starts and ends it. The MCP library is given the pipes only, behind a limit on the
// length of a line and a deadline on every write, so that a child that floods,
// hangs or stops reading hurts nobody but itself.
package link

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/login"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/wire"
	"github.com/yaap-chat/yaap/core/yaap"
)

// Opener starts experts as child processes. It implements [hub.Opener].
type Opener struct {
	Guard   *Guard                      // who starts them
	Lookup  func(string) (string, bool) // the environment that children get their part of
	Version string                      // of yaap, told to the experts
	// Ask asks the user for what an expert needs while it is called; nil where
	// nobody sits: then experts are told so.
	Ask func(context.Context, core.Pause) (core.Answer, error)
	// Keep puts what an expert answers with on disk that is no text; nil: it is only
	// described.
	Keep func(name, kind string, data []byte) (core.File, error)
	// Sample answers an expert that may use the room's model; nil: none may.
	Sample func(context.Context, Sampling) (Sample, error)
	Log    func(core.ExpertLogged) // told what an expert logs; never blocks; nil: nobody is told
	// Changed is told that a resource is not any more what it was when it was watched;
	// never blocks; nil: nobody is told.
	Changed func(expert, uri string)
	Logins  *login.TokenStore // of the user, at servers that run elsewhere; nil: there are none
	Tap     *wire.Tap         // where what passes is seen; nil: nowhere
}

var _ hub.Opener = (*Opener)(nil)

// startError is a failed start with what the child printed. It implements
// [hub.StderrReporter].
type startError struct {
	error
	stderr []string
}

func (e startError) Stderr() []string { return e.stderr }
func (e startError) Unwrap() error    { return e.error }

// Open implements [hub.Opener].
func (o *Opener) Open(ctx, life context.Context, spec hub.Spec) (hub.Link, yaap.Introduction, error) {
	if spec.URL != "" {
		return o.openRemote(ctx, life, spec)
	}
	p, err := start(ctx, spec, Environment(spec, o.Lookup), o.Guard)
	if err != nil {
		return nil, yaap.Introduction{}, cannotStart(spec, err)
	}
	p.line = o.Tap.Line(cmp.Or(spec.Name, filepath.Base(spec.Command[0])), "stdio")
	p.frames.wire = p.line
	l := newLink(life, p)
	l.strict = p.frames.answers.said
	pipes := transport.NewIO(p.frames, deadlineWriter{p}, io.NopCloser(strings.NewReader("")))
	transport.WithCommandLogger(slog.New(slog.DiscardHandler))(pipes) // else it writes to the user's terminal
	in, err := o.handshake(ctx, life, l, spec, exchange{pipes, &p.frames.answers, spec})
	if err != nil {
		if !errors.As(err, new(*yaap.Refusal)) && !errors.As(err, new(*core.Error)) {
			err = p.noHello(ctx, err, l.isGone(err))
		}
		err = startError{err, p.stderr.lines()}
		_ = l.Close()
		return nil, yaap.Introduction{}, err
	}
	p.line.SetName(in.Name)
	return l, in, nil
}

func cannotStart(spec hub.Spec, err error) error {
	if errors.As(err, new(*core.Error)) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err // it is not the command's fault
	}
	if info, failed := os.Stat(spec.Dir); spec.Dir != "" && (failed != nil || !info.IsDir()) {
		return core.Fail(core.CodeInvalid, "there is no directory "+safe.Line(spec.Dir)+", where it is to run", "make it, or name another one")
	}
	name := safe.Line(spec.Command[0])
	hint := "check the command: /experts add CMD ARGS"
	if errors.Is(err, exec.ErrNotFound) {
		return core.Fail(core.CodeInvalid, "there is no command "+name, hint)
	}
	return core.Fail(core.CodeInvalid, "cannot run "+name, hint).Because(err)
}

// noHello says why there was no handshake, with the child's own last words.
func (p *process) noHello(ctx context.Context, err error, gone bool) error {
	var text string
	if ctx.Err() == nil && gone { // its pipe ends a moment before it does
		timer := time.NewTimer(politeTime)
		defer timer.Stop()
		select {
		case <-p.exited:
		case <-timer.C:
		}
	}
	select {
	case <-p.exited:
		if ended := p.ended(); ended != nil {
			text = ended.Error()
		} else {
			text = "it ended before it said hello"
		}
	default:
		if ctx.Err() != nil {
			text = "it did not say hello in time"
		} else {
			text = "it does not speak MCP: " + yaap.ExplainDecodeError(err)
		}
	}
	if last := p.last(); last != "" {
		text += ": " + last
	} else if junk := p.frames.printed(); junk != "" {
		text += fmt.Sprintf("; it printed %q", junk)
	}
	return errors.New(safe.Line(text))
}
