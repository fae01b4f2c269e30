package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/room"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/tui"
)

const goodbyeTime = 2 * time.Second // of a program that was started beside the demo

// demo is a room that lasts for as long as it is shown: everything in it is real, and nothing of it stays.
type demo struct {
	tour  *tui.Tour
	dir   string            // of all its files
	env   map[string]string // of its programs, beside what they need of this one's
	clock *exec.Cmd         // started in another terminal, as it were
	ended []chan struct{}   // of all that was started so
}

// showDemo has the command demo show it.
func (p *program) showDemo(cmd *cobra.Command) {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		call, err := p.call(cmd, args)
		if err != nil {
			return err
		}
		if list, _ := call.Values["list"].(bool); list {
			for i, s := range scenes() {
				say(p.stdout, fmt.Sprintf("%2d  %s", i+1, s.name))
			}
			return nil
		}
		show, err := call.Demo(len(scenes()))
		if err != nil {
			return err
		}
		if _, terminal := p.widthOfTerminal(); !terminal {
			return core.Fail(core.CodeInvalid, "the demo needs a terminal", "type yaap demo in one; yaap demo --list names its scenes")
		}
		return p.demo(cmd.Context(), show, nil)
	}
}

// demo shows the scenes from one on. keep sees the files when all is over; it may be nil.
func (p *program) demo(ctx context.Context, show room.DemoShow, keep func(dir string)) (err error) {
	dir, err := os.MkdirTemp("", "yaap-demo-")
	if err != nil {
		return core.Fail(core.CodeInvalid, "there is no place for the demo's files", "set TMPDIR to a directory that can be written").Because(err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ctx, end := context.WithCancel(ctx)
	d := &demo{tour: tui.NewTour(len(scenes()), show.Speed, show.Steps), dir: dir}
	defer d.goodbye()
	defer end()
	film, err := d.record(show.Record)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.tour.Recorded(), film()) }()
	if err := d.furnish(); err != nil {
		return err
	}
	played := make(chan error, 1)
	go func() {
		played <- d.play(ctx, show.Scene)
		end()
	}()
	err = d.rooms(ctx, p)
	end()
	failed := <-played
	if failed != nil && !errors.Is(failed, context.Canceled) {
		return errors.Join(failed, err)
	}
	d.goodbye()
	if err == nil && failed == nil {
		err = d.verify(context.WithoutCancel(ctx), p)
	}
	if err != nil {
		return err
	}
	if keep != nil {
		keep(dir)
	}
	say(p.stdout, afterDemo)
	return nil
}

const afterDemo = `That was yaap. All of it was real, and nothing of it is left.

  yaap                     the chat, with five experts, in this directory
  yaap expert new          an expert of your own, in the language you like
  yaap demo --list         the scenes; --scene N begins at one of them
  yaap help experts        how experts join, bid and answer`

// rooms opens the room, and again when it was closed for that.
func (d *demo) rooms(ctx context.Context, p *program) error {
	for again := false; ; again = true {
		r := d.program(p)
		r.options.Dir, r.options.goOn = filepath.Join(d.dir, "pond"), again
		if again {
			say(p.stdout, "The program has ended; its chain waits on the disk.\n\n$ yaap --continue\n")
			_ = d.tour.Wait(ctx, 3*time.Second) // the room says that ctx has ended
		}
		if err := r.chat(ctx); err != nil || ctx.Err() != nil || !d.tour.IsReopening() {
			return err
		}
	}
}

// program is this one, in the demo's place.
func (d *demo) program(p *program) *program {
	r := &program{stdin: p.stdin, stdout: p.stdout, stderr: p.stderr, env: d.getenv(p.env), terminal: p.terminal}
	r.terminal.Tour = d.tour
	return r
}

// verify checks the audit log, as everybody can who has it.
func (d *demo) verify(ctx context.Context, p *program) error {
	say(p.stdout, "$ yaap audit verify")
	cmd := d.program(p).command() //nolint:contextcheck // it is given below
	cmd.SetArgs([]string{"audit", "verify"})
	err := cmd.ExecuteContext(ctx)
	say(p.stdout, "")
	return err
}

// record keeps what is seen in a file, until what it returns is called.
func (d *demo) record(path string) (end func() error, err error) {
	if path == "" {
		return func() error { return nil }, nil
	}
	film, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // the user names it
	if err != nil {
		return nil, core.Fail(core.CodeInvalid, "it cannot be kept in "+safe.Line(path), "choose another file").Because(err)
	}
	d.tour.Record(film)
	return film.Close, nil
}

// furnish writes the files that the demo begins with.
func (d *demo) furnish() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	d.env = map[string]string{"OLLAMA_HOST": "127.0.0.1:1"} // nobody
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"} {
		d.env[name] = filepath.Join(d.dir, strings.ToLower(name))
	}
	for name, text := range map[string]string{
		filepath.Join(d.env["XDG_CONFIG_HOME"], "yaap", "config.yaml"):         fmt.Sprintf(demoConfig, self),
		filepath.Join(d.env["XDG_CONFIG_HOME"], "yaap", "chains", "trip.yaml"): demoChain,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return errors.Join(os.Mkdir(d.env["XDG_RUNTIME_DIR"], 0o700), os.Mkdir(filepath.Join(d.dir, "pond"), 0o700))
}

// getenv is the environment of the room: what says how to draw is the user's, and nothing else.
func (d *demo) getenv(of func(string) string) func(string) string {
	theirs := []string{"TERM", "COLORTERM", "NO_COLOR", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "TZ", "TMPDIR", "YAAP_BID_MS"}
	return func(name string) string {
		if slices.Contains(theirs, name) {
			return of(name)
		}
		return d.env[name]
	}
}

// play shows the scenes, those before the first one as fast as can be.
func (d *demo) play(ctx context.Context, first int) error {
	for i, scene := range scenes() {
		d.tour.Hurry(i+1 < first)
		for _, s := range scene.steps {
			if err := d.step(ctx, i+1, s); err != nil {
				if ctx.Err() == nil {
					err = core.Fail(core.CodeInternal, "scene "+scene.name, "").Because(err)
				}
				return err
			}
		}
	}
	return nil
}

// step says what comes, has it happen, waits until it is to be seen, and lets it be read.
func (d *demo) step(ctx context.Context, scene int, s step) error {
	d.tour.Say(scene, s.says)
	read := time.Second + time.Duration(len(s.says))*time.Second/20
	pressed, err := d.tour.WaitForUser(ctx, read/2, strings.Fields(s.yours)...)
	if err != nil {
		return err
	}
	if !pressed {
		if err := d.happens(ctx, s); err != nil {
			return err
		}
	}
	if err := d.tour.WaitFor(ctx, s.sees); err != nil {
		return err
	}
	if s.yours != "" {
		return nil // the outcome is said by the next step
	}
	return d.tour.Linger(ctx, read/2+time.Second)
}

// happens presses the keys of a step, and has done what is done elsewhere.
func (d *demo) happens(ctx context.Context, s step) error {
	if err := d.tour.Press(ctx, strings.Fields(s.keys)...); err != nil {
		return err
	}
	if s.types != "" {
		if err := d.tour.Type(ctx, s.types); err != nil {
			return err
		}
		if err := d.tour.Wait(ctx, 300*time.Millisecond); err != nil {
			return err
		}
		if err := d.tour.Press(ctx, "enter"); err != nil {
			return err
		}
	}
	if s.does != nil {
		return s.does(ctx, d)
	}
	return nil
}

// clockJoins starts this program in another terminal: the expert clock, for the room that is open.
func clockJoins(ctx context.Context, d *demo) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, "expert", "clock", "--join") //nolint:gosec // it is this program
	cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Join(d.dir, "pond"), io.Discard, io.Discard
	cmd.Env = append(os.Environ(), "PWD="+cmd.Dir)
	for name, value := range d.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = goodbyeTime
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it was killed, or asked to go
		close(ended)
	}()
	d.clock, d.ended = cmd, append(d.ended, ended)
	return nil
}

// clockDies kills it, as kill -9 does.
func clockDies(_ context.Context, d *demo) error { return d.clock.Process.Kill() }

// reopens ends the program, and opens it again.
func reopens(ctx context.Context, d *demo) error { return d.tour.Reopen(ctx) }

// goodbye waits for what was started beside the room, when its context has ended.
func (d *demo) goodbye() {
	for _, ended := range d.ended {
		<-ended
	}
	d.ended = nil
}
