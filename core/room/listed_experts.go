package room

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/login"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/servers"
	"github.com/yaap-chat/yaap/core/userfile"
	"github.com/yaap-chat/yaap/core/yaap"
)

// lookAgain is how often the files are looked at that list experts.
const lookAgain = 2 * time.Second

// projectFiles are the lists of servers that a project may have, for Claude Code,
// VS Code, Cursor, opencode and crush.
func projectFiles() []string {
	return []string{".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json", "opencode.json", "crush.json"}
}

// listedExperts keeps the experts in the room that files list: the configuration, and the
// files of the project, whose every command the user has let in once.
type listedExperts struct {
	room  *Room
	flags []config.Expert // of the command line: no file takes them out

	syncing sync.Mutex // one looks at the files at a time

	mu      sync.Mutex
	stamps  map[string]string        // of the files, when they were read; nil: they were not yet
	wanted  map[string]*listedExpert // by name
	waiting []string                 // names of those that the user is to be asked about
	told    map[string]bool          // what was said of faults
}

// listedExpert is an expert of a file.
type listedExpert struct {
	spec    hub.Spec
	from    string // the file of a project that lists it; empty: the user's own
	written string
	tokens  int // of the room's model that it may use until the room closes
}

func newListedExperts(r *Room) *listedExperts {
	l := &listedExperts{room: r, wanted: map[string]*listedExpert{}, told: map[string]bool{}}
	for _, e := range r.Config.Experts {
		if e.File == "" {
			l.flags = append(l.flags, e)
		}
	}
	return l
}

// run looks at the files, those of written experts too, and asks the user, until ctx ends.
func (l *listedExperts) run(ctx context.Context) error {
	var asked sync.WaitGroup
	defer asked.Wait()
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for {
		l.mu.Lock()
		waiting := l.waiting
		l.waiting = nil
		l.mu.Unlock()
		for _, name := range waiting {
			asked.Go(func() { l.letIn(ctx, name) })
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			l.sync(ctx)
			l.room.written.sync(ctx)
			l.joinSignedIn()
		}
	}
}

// joinSignedIn starts the experts to which the user has signed in from another terminal.
func (l *listedExperts) joinSignedIn() {
	logins := login.New(l.room.Config.StateDir)
	for _, e := range l.room.hub.Experts() {
		if e.State == core.ExpertSignedOut && len(e.Command) > 0 && logins.Since(e.Command[0]).After(e.Since) {
			_ = l.room.hub.Restart(e.Name) // who is gone meanwhile does not come
		}
	}
}

// sync brings in what the files list now, and takes out what they no longer list,
// where a file has changed. Who has to be let in waits until somebody is asked.
func (l *listedExperts) sync(ctx context.Context) {
	l.syncing.Lock()
	defer l.syncing.Unlock()
	if !l.changed() {
		return
	}
	come, gone := l.compare(l.read())
	for _, name := range gone {
		if err := l.room.hub.Remove(ctx, name); err != nil && core.CodeOf(err) != core.CodeNotFound {
			l.room.log.Warn("an expert that no file lists any more did not leave", "expert", name, "err", err)
		}
	}
	var outside []string
	for _, name := range come {
		if l.room.Attended && l.is(name).from != "" {
			l.mu.Lock()
			l.waiting = append(l.waiting, name)
			l.mu.Unlock()
		} else if !l.letIn(ctx, name) {
			outside = append(outside, name)
		}
	}
	if len(outside) > 0 {
		names := strings.Join(outside, ", ")
		l.tell("this project lists "+names+": nobody has let them in yet", "start yaap here and let them in, or give --allow "+outside[0])
	}
}

// compare takes what the files list now, and returns what comes and what goes. What
// has changed does both.
func (l *listedExperts) compare(now map[string]*listedExpert) (come, gone []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(now)) {
		old := l.wanted[name]
		if old != nil && reflect.DeepEqual(old, now[name]) {
			now[name] = old
			continue
		}
		come = append(come, name)
	}
	for name, old := range l.wanted {
		if now[name] != old {
			gone = append(gone, name)
		}
	}
	l.wanted = now
	return come, gone
}

func (l *listedExperts) is(name string) *listedExpert {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wanted[name]
}

// letIn brings an expert in that may come. It blocks while the user is asked, and
// reports whether it came.
func (l *listedExperts) letIn(ctx context.Context, name string) bool {
	w := l.is(name)
	if w == nil || w.from != "" && l.admit(ctx, name, w) != nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wanted[name] != w { // its file says something else by now
		return true
	}
	if err := l.room.hub.Add(ctx, w.spec); err != nil {
		l.room.notice("warn", safe.Line(w.written)+" cannot come: "+err.Error(), core.HintOf(err))
	}
	return true
}

// changed reports whether a file has changed.
func (l *listedExperts) changed() bool {
	stamps := map[string]string{}
	for _, path := range l.files() {
		if stamp := stampOf(path); stamp != "" {
			stamps[path] = stamp
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stamps != nil && maps.Equal(stamps, l.stamps) {
		return false
	}
	l.stamps = stamps
	return true
}

// files are the configuration, and the lists of the project.
func (l *listedExperts) files() []string {
	files := []string{l.room.Config.File}
	for _, name := range projectFiles() {
		files = append(files, filepath.Join(l.room.Config.Dir, filepath.FromSlash(name)))
	}
	return files
}

// read returns what the files list now. Whoever is listed first has the name.
func (l *listedExperts) read() map[string]*listedExpert {
	r := l.room
	all := map[string]*listedExpert{}
	taken := map[string]bool{}
	for _, name := range r.Config.Builtin.V {
		taken[yaap.Canonical(name)] = true
	}
	add := func(e config.Expert, from string) {
		if taken[yaap.Canonical(e.Name)] {
			l.tell(fmt.Sprintf("%s in %s has the name of another expert", safe.Line(e.Written), e.File), "choose another name there")
			return
		}
		taken[yaap.Canonical(e.Name)] = true
		all[e.Name] = &listedExpert{from: from, written: cmp.Or(e.Written, e.Name), tokens: e.Sampling, spec: hub.Spec{
			Name: e.Name, Command: e.Command, Env: e.Pass, Vars: e.Env, Dir: cmp.Or(e.Dir, r.Config.Dir),
			URL: e.URL, Headers: e.Headers, SSE: e.SSE, OAuth: e.OAuth,
			Timeout: e.Timeout, Only: e.Only, Without: e.Without, Roots: e.Roots, Samples: e.Sampling > 0, Log: e.Log, Trusted: e.Trust,
		}}
	}
	for _, e := range l.flags {
		add(e, "")
	}
	experts, faults, err := r.Config.ListedExperts(r.Getenv)
	if err != nil {
		l.tell(err.Error(), core.HintOf(err))
		experts = r.Config.Experts // as they were
	}
	for _, e := range experts {
		if e.File != "" {
			add(e, "")
		}
	}
	l.complain(faults)
	for _, path := range l.files()[1:] {
		list := l.project(path)
		l.complain(list.Faults)
		for _, s := range list.Servers {
			add(config.Expert{Server: s}, s.File)
		}
	}
	return all
}

// project reads a list of the project, which need not be there.
func (l *listedExperts) project(path string) servers.List {
	raw, err := userfile.Read(path, servers.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return servers.List{}
	}
	name, _ := filepath.Rel(l.room.Config.Dir, path)
	if err != nil {
		l.tell(name+" cannot be read: "+err.Error(), "check the file and its permissions")
		return servers.List{}
	}
	list, err := servers.Read(l.room.Config.Place(name, l.room.Getenv), raw)
	if err != nil && strings.HasPrefix(filepath.Base(name), ".") || err != nil && strings.Contains(name, "/") { // the others hold more than lists
		l.tell(err.Error(), "fix it, or remove it")
	}
	return list
}

// admit blocks until the user has said whether an expert may come that a file of
// the project lists, unless that was said before of the very same command.
func (l *listedExperts) admit(ctx context.Context, name string, w *listedExpert) error {
	asked := []any{w.spec.Command, w.spec.Dir, w.spec.Vars, w.spec.URL, w.spec.Headers}
	if w.spec.OAuth.ID != "" {
		asked = append(asked, w.spec.OAuth)
	}
	about := map[string]any{}
	what, gives := "its command is started", slices.Sorted(maps.Keys(w.spec.Vars))
	if w.spec.URL != "" {
		about["address"] = w.spec.URL
		what, gives = "its server is called", slices.Sorted(maps.Keys(w.spec.Headers))
		if w.spec.OAuth.Secret != "" {
			gives = append(gives, "the secret of "+w.spec.OAuth.ID)
		}
	} else {
		about["starts"] = core.JoinWords(w.spec.Command)
	}
	if len(gives) > 0 {
		about["gives_it"] = gives
	}
	if w.spec.URL == "" && w.spec.Dir != l.room.Config.Dir {
		about["in"] = w.spec.Dir
	}
	return l.room.trust.AdmitListed(ctx, core.ToolSpec{
		Name: name, Owner: name, Description: w.from + " lists it: " + what + " whenever yaap runs in this directory", Origin: hub.Origin("listed", asked...),
	}, about)
}

// complain tells of faults.
func (l *listedExperts) complain(faults []servers.Fault) {
	for _, f := range faults {
		l.tell(cannotCome(f), core.HintOf(f.Err))
	}
}

// cannotCome says which entry of a file cannot be an expert, and why.
func cannotCome(f servers.Fault) string {
	return fmt.Sprintf("%s in %s cannot come: %s", safe.Line(f.Written), f.File, f.Err.Error())
}

// tell says something about the files, once.
func (l *listedExperts) tell(text, hint string) {
	l.mu.Lock()
	known := l.told[text]
	l.told[text] = true
	l.mu.Unlock()
	if !known {
		l.room.notice("warn", safe.Line(text), hint)
	}
}
