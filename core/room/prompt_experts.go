package room

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/yaap"
)

// writtenTurns are those of an expert that is written down and says nothing of them.
const writtenTurns = 5

// writtenTime is what a model may take for one question, with the calls that it makes.
const writtenTime = 2 * time.Minute

// writtenCalls are those that it answers at a time: as many as agents may make for one
// prompt, so that those that call one another do not wait for themselves.
const writtenCalls = 64

// promptExperts are the experts of the files experts/NAME.md beside the configuration, a
// prompt with a head each. An expert joins when its file is written, is replaced when it
// changes, and leaves when it is removed.
type promptExperts struct {
	room *Room
	dir  string

	mu   sync.Mutex             // one looks at the files at a time
	here map[string]*promptFile // by the path of its file
}

// promptFile is a file as it was last read.
type promptFile struct {
	stamp string
	seat  *hub.Membership // nil: it could not come
}

func newPromptExperts(r *Room) *promptExperts {
	w := &promptExperts{room: r, here: map[string]*promptFile{}}
	if r.Config.File != "" {
		w.dir = filepath.Join(filepath.Dir(r.Config.File), "experts")
	}
	return w
}

// sync adds the experts of new and changed files, and removes those whose file is gone.
func (w *promptExperts) sync(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	found := map[string]string{}
	for _, path := range promptFiles(w.dir) {
		if stamp := stampOf(path); stamp != "" {
			found[path] = stamp
		}
	}
	for path, n := range w.here {
		if found[path] == "" {
			delete(w.here, path)
			n.leave("its file is gone")
		}
	}
	for path, stamp := range found {
		n := w.here[path]
		if n != nil && n.stamp == stamp {
			continue
		}
		if n == nil {
			n = &promptFile{}
			w.here[path] = n
		}
		n.stamp = stamp
		if err := w.bring(ctx, path, n); err != nil && ctx.Err() == nil {
			n.leave("its file cannot be used")
			w.room.notice("warn", safe.Line(err.Error()), core.HintOf(err))
		}
	}
}

// stampOf is another text when a file has changed; empty if there is none.
func stampOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size())
}

func (n *promptFile) leave(why string) {
	if n.seat != nil {
		n.seat.Goodbye(why)
		n.seat = nil
	}
}

// bring reads a file and adds its expert, in place of its former one.
func (w *promptExperts) bring(ctx context.Context, path string, n *promptFile) error {
	p, err := readAgent(path, w.room.models)
	if err != nil {
		return err
	}
	if len(p.Tools) == 0 {
		p.Tools = []string{} // none, unless it says so
	}
	in := yaap.Introduction{Name: p.Name, Description: hub.Description(p.Description), Concurrency: writtenCalls, CallTimeoutMS: int(writtenTime.Milliseconds())}
	link := &promptLink{room: w.room, peer: p, done: make(chan struct{}), signals: make(chan hub.Signal)}
	seat, err := w.room.hub.Join(ctx, hub.Entry{Introduction: in, Instance: path, Transport: hub.File, Link: link}) // the same file again is the same expert
	if refusal := (*yaap.Refusal)(nil); errors.As(err, &refusal) {
		return core.Fail(core.CodeInvalid, "the expert "+path+": "+refusal.Message, "mend the file, or call it otherwise")
	}
	if err == nil {
		n.seat = seat
	}
	return err
}

// promptFiles are the files NAME.md of a directory.
func promptFiles(dir string) (paths []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // mostly there is none
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if info, err := os.Stat(path); strings.HasSuffix(path, ".md") && (err != nil || info.Mode().IsRegular()) {
			paths = append(paths, path)
		}
	}
	return paths
}

// promptLink is an expert that is a prompt for a model. It implements [hub.Link].
type promptLink struct {
	room    *Room
	peer    agent.Peer
	signals chan hub.Signal
	once    sync.Once
	done    chan struct{}
}

var _ hub.Link = (*promptLink)(nil)

// Tools implements [hub.Link].
func (l *promptLink) Tools(context.Context) ([]core.ToolSpec, error) {
	return []core.ToolSpec{{Name: l.peer.Name, Schema: core.PromptSchema()}}, nil
}

// Call implements [hub.Link]: each is a run of its own.
func (l *promptLink) Call(ctx context.Context, c core.Call) (core.ToolResult, error) {
	if l.peer.Model == nil && l.room.models.offline() {
		choose := "--model"
		if l.room.Attended {
			choose = "/model"
		}
		return core.ToolFailure(core.ToolError, core.ToolCodeUnavailable, l.peer.Name+" needs a model that follows a prompt: choose one with "+choose), nil
	}
	cfg := l.room.team.room.As(l.peer)
	cfg.Peers, cfg.MaxTurns, cfg.Sink = nil, cmp.Or(l.peer.MaxTurns, writtenTurns), l.peer.Tells.Sink(cfg.Sink)
	own := agent.Config{Journal: l.room.journal(), Sink: l.room.bus}
	result, err := agent.AsTool(core.ToolSpec{Name: l.peer.Name, Schema: core.PromptSchema()}, agent.New(cfg), "expert/"+l.peer.Name, own).Call(ctx, c)
	return l.peer.Given(result), err
}

// Signals implements [hub.Link].
func (l *promptLink) Signals() <-chan hub.Signal { return l.signals }

// Done implements [hub.Link].
func (l *promptLink) Done() <-chan struct{} { return l.done }

// Err implements [hub.Link].
func (l *promptLink) Err() error { return nil }

// Close implements [hub.Link].
func (l *promptLink) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}
