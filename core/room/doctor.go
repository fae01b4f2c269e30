package room

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/clipboard"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/store"
	"github.com/yaap-chat/yaap/core/text"
	"github.com/yaap-chat/yaap/core/wire"
)

const (
	leastFree   = 200 << 20 // bytes on the disk of the database
	doctorWaits = 5 * time.Second
)

// finding is what the doctor says of one thing. Mend says what to do where it is wrong.
type finding struct {
	What string `json:"what"`
	OK   bool   `json:"ok"`
	Says string `json:"says"`
	Mend string `json:"mend,omitempty"`
}

func doctorCommand() Command {
	return Command{
		Command: core.Command{Name: "doctor", Does: "what is wrong here, and how to fix it"}, JSON: true, Run: examine,
		Long: "Look at the terminal and the clipboard, the models, the experts (each is started once), the rooms that are\nopen, the disk and the database. Exit codes: 0 all is well, 1 something has to be fixed.",
	}
}

// examine looks at everything that a conversation needs.
func examine(ctx context.Context, c *Call) (core.Doc, error) {
	findings := []finding{c.terminal(), c.clipboard()}
	findings = append(findings, c.modelFindings(ctx)...)
	findings = append(findings, c.expertFindings(ctx)...)
	findings = append(findings, c.openRooms(), c.disk(), c.database(ctx), finding{What: "log", OK: true, Says: c.logFile()})
	doc := core.Doc{Data: findings}
	var rows [][]string
	for _, f := range findings {
		mark := "✓"
		if !f.OK {
			mark, doc.Failed = "✗", true
		}
		rows = append(rows, []string{mark, f.What, f.Says})
		if !c.inChat() {
			f.Mend = strings.ReplaceAll(f.Mend, "/model ", "--model ")
		}
		if f.Mend != "" {
			rows = append(rows, []string{"", "", "→ " + f.Mend})
		}
	}
	doc.Parts = []core.Part{{Kind: core.Table, Head: []string{"", "what", "how it is"}, Rows: rows}}
	return doc, nil
}

// found is a finding about what may have failed.
func found(what, says string, err error) finding {
	if err == nil {
		return finding{What: what, OK: true, Says: says}
	}
	return finding{What: what, Says: safe.Line(err.Error()), Mend: safe.Line(core.HintOf(err))}
}

func (c *Call) terminal() finding {
	kind, locale := c.Getenv("TERM"), ""
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale = c.Getenv(name); locale != "" {
			break
		}
	}
	f := finding{What: "terminal", OK: true, Says: safe.Line(strings.TrimSpace(kind + " " + c.Getenv("COLORTERM") + " " + locale))}
	switch {
	case c.Getenv("NO_COLOR") != "":
		f.Says += ", without colours (NO_COLOR)"
	case kind == "" || kind == "dumb":
		f.OK, f.Says, f.Mend = false, "TERM is "+core.QuoteWord(kind)+": nothing can be drawn", "set TERM=xterm-256color; without it the chat is in lines, as with yaap --plain"
	}
	if plain := strings.ToLower(locale); !strings.Contains(plain, "utf-8") && !strings.Contains(plain, "utf8") {
		f.OK, f.Says, f.Mend = false, f.Says+", and the locale is not of UTF-8", "set LANG=C.UTF-8"
	}
	return f
}

// clipboard says by which way a copy gets there. Whether the terminal takes one is not
// known: it does not say.
func (c *Call) clipboard() finding {
	words, missing := clipboard.Command(c.Getenv, clipboard.Has)
	f := finding{What: "clipboard", OK: true, Says: "the terminal's own (OSC 52)"}
	switch {
	case len(words) > 0:
		f.Says = words[0] + ", and " + f.Says
	case clipboard.Remote(c.Getenv):
		f.Says += ", as the shell is one of another machine"
	case len(missing) > 0:
		f.Mend = "where the terminal ignores what is copied, install " + strings.Join(missing, " or ")
	}
	return f
}

// modelFindings asks the provider of the model in use whether it has it, and names the
// providers that are set up and do not answer.
func (c *Call) modelFindings(ctx context.Context) []finding {
	ctx, stop := context.WithTimeout(ctx, doctorWaits)
	defer stop()
	m, err := newModels(c.Config, c.Getenv, new(wire.Tap), c.keeper())
	if err != nil {
		return []finding{found("model", "", err)}
	}
	name := c.Config.Model.V
	if c.Room != nil {
		name = c.Room.models.current().Name()
	}
	remark, err := m.check(ctx, name)
	says := name
	if model, failed := m.named(name, "model"); failed == nil && err == nil {
		if sized, ok := model.(llm.Sized); ok && sized.ContextWindow(ctx) > 0 {
			says += fmt.Sprintf(", reads %d tokens (models: in the configuration has another number)", sized.ContextWindow(ctx))
		}
	}
	list := []finding{found("model", strings.TrimSpace(says+" "+remark), err)}
	for _, p := range m.providers() {
		if p.speaks.version == nil {
			continue
		}
		if is, fault := p.speaks.version(ctx, m, p); is != "" {
			list = append(list, finding{What: p.name, OK: true, Says: "version " + safe.Line(is), Mend: fault})
		}
	}
	all, silent := m.available(ctx)
	list = append(list, finding{What: "models", OK: true, Says: text.Count(len(all), "can be used", "can be used")})
	for _, why := range silent {
		list = append(list, finding{What: "models", Says: safe.Line(why), Mend: "see that it runs and is reached, or take it out of " + safe.Line(c.Config.File)})
	}
	return list
}

// expertFindings are the experts as they are in the room; where none is open, in one that
// is opened for this and keeps nothing.
func (c *Call) expertFindings(ctx context.Context) (list []finding) {
	for _, fault := range c.Config.Faults {
		list = append(list, finding{What: "expert", Says: cannotCome(fault), Mend: safe.Line(core.HintOf(fault.Err))})
	}
	look := func(r *Room) {
		for _, e := range r.hub.Experts() {
			f := finding{What: "expert", OK: e.Present(), Says: safe.Line(e.Name + ": " + string(e.State))}
			if !f.OK {
				f.Says = safe.Line(e.Name + ": " + e.Message)
				f.Mend = "try it: yaap expert check -- " + safe.Line(strings.Join(e.Command, " "))
				spec, _ := r.hub.Spec(e.Name)
				if _, err := os.Stat(spec.Dir); spec.Dir != "" && err != nil {
					f.Mend = "make the directory, or name another one where " + safe.Line(e.Name) + " is listed"
				} else if e.Transport != hub.Child {
					f.Mend = "see that it runs and that " + safe.Line(strings.Join(e.Command, " ")) + " is where it is"
				}
			}
			list = append(list, f)
		}
	}
	if c.Room != nil {
		look(c.Room)
		return list
	}
	r, err := c.Alone(ctx)
	if err == nil {
		err = r.Run(ctx, func(ctx context.Context) error {
			defer look(r)
			return r.Settle(ctx)
		})
	}
	if err != nil {
		list = append(list, found("room", "", err))
	}
	return list
}

// openRooms are the rooms that are open. Files of rooms that were killed are removed.
func (c *Call) openRooms() finding {
	left := 0
	for _, dir := range c.Config.RunDirs {
		files, _ := filepath.Glob(filepath.Join(dir, "room-*.json")) // the pattern is one
		left += len(files)
	}
	rooms := server.Rooms(c.Config.RunDirs)
	f := finding{What: "rooms", OK: true, Says: text.Count(len(rooms), "room is open", "rooms are open")}
	for _, dir := range c.Config.RunDirs {
		files, _ := filepath.Glob(filepath.Join(dir, "room-*.json"))
		left -= len(files)
	}
	if left > 0 {
		f.Says += fmt.Sprintf("; what dead ones left is removed (%s)", text.Count(left, "file", "files"))
	}
	return f
}

// disk says whether the directory of the state can be written, and what is free there.
func (c *Call) disk() finding {
	dir := c.Config.StateDir
	for { // it is made when the first room opens
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	wrong := core.Fail(core.CodeInternal, dir+" cannot be written", "see who owns it and what is free: ls -ld "+core.QuoteWord(dir))
	probe, err := os.CreateTemp(dir, ".yaap-doctor-")
	if err == nil {
		_, err = probe.WriteString("yaap")
		err = errors.Join(err, probe.Close(), os.Remove(probe.Name()))
	}
	var free uint64
	if err == nil {
		free, err = freeBytes(dir)
	}
	if err != nil {
		wrong.Err = err
		return found("disk", "", wrong)
	}
	f := finding{What: "disk", OK: free >= leastFree, Says: fmt.Sprintf("%s: %d MB are free", safe.Line(dir), free>>20)}
	if !f.OK {
		f.Mend = "make room, or set XDG_STATE_HOME to another disk"
	}
	return f
}

// database opens what is stored.
func (c *Call) database(ctx context.Context) finding {
	path := filepath.Join(c.Config.StateDir, store.File)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return finding{What: "database", OK: true, Says: safe.Line(path) + " is made with the first conversation"}
	}
	if err == nil {
		err = c.stored(ctx, func(context.Context) error { return nil })
	}
	if err != nil {
		return found("database", "", err)
	}
	return finding{What: "database", OK: true, Says: fmt.Sprintf("%s: %d MB", safe.Line(path), info.Size()>>20)}
}

// logFile is where a room writes what is for nobody's eyes while it runs.
func (c *Call) logFile() string { return filepath.Join(c.Config.StateDir, logName) }
