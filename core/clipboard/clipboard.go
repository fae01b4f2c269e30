// Package clipboard puts text into the clipboard of the system with a program that is
// there for it. The terminal has a way of its own, which works over a remote shell too and
// which some terminals ignore.
package clipboard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
)

const (
	maxWait    = 3 * time.Second        // for a program to take the text
	detachTime = 200 * time.Millisecond // for its words to arrive, when it has ended and left a part of it behind
	maxSaid    = 200                    // bytes of what a program says that fails
)

// way is a program that takes text on its standard input.
type way struct {
	words []string
	here  func(env func(string) string) bool // whether it can work
}

// ways are those that are known, the best first. Another one has its row here.
func ways() []way {
	set := func(name string) func(func(string) string) bool {
		return func(env func(string) string) bool { return env(name) != "" }
	}
	on := func(system string) func(func(string) string) bool {
		return func(func(string) string) bool { return runtime.GOOS == system }
	}
	return []way{
		{[]string{"pbcopy"}, on("darwin")},
		{[]string{"clip.exe"}, on("windows")},
		{[]string{"clip.exe"}, set("WSL_DISTRO_NAME")},
		{[]string{"termux-clipboard-set"}, set("TERMUX_VERSION")},
		{[]string{"wl-copy"}, set("WAYLAND_DISPLAY")},
		{[]string{"xclip", "-selection", "clipboard"}, set("DISPLAY")},
		{[]string{"xsel", "--clipboard", "--input"}, set("DISPLAY")},
	}
}

// Command is the program that puts what it reads into the clipboard of the one who sits at
// the terminal; none where there is no such. missing then are those that would, if they were
// there. In tmux that is tmux, which passes on to the terminal what is put into its buffer
// and not what a program inside writes.
func Command(env func(string) string, has func(program string) bool) (words, missing []string) {
	if !Remote(env) {
		for _, w := range ways() {
			switch {
			case !w.here(env):
			case has(w.words[0]):
				return w.words, nil
			default:
				missing = append(missing, w.words[0])
			}
		}
	}
	if env("TMUX") != "" && has("tmux") {
		return []string{"tmux", "load-buffer", "-w", "-"}, missing
	}
	return nil, missing
}

// Remote reports whether the shell is one of another machine, whose clipboard is not the
// user's.
func Remote(env func(string) string) bool { return env("SSH_CONNECTION")+env("SSH_TTY") != "" }

// Has reports whether there is a program of a name.
func Has(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// Copy puts text into the clipboard and returns the name of the program that did it, or
// was tried. Without one it fails with [core.CodeNotFound]. It blocks for seconds at most.
func Copy(ctx context.Context, env func(string) string, text string) (with string, err error) {
	words, _ := Command(env, Has)
	if len(words) == 0 {
		return "", core.Fail(core.CodeNotFound, "no program for the clipboard is here", "yaap doctor says which would be")
	}
	ctx, stop := context.WithTimeout(ctx, maxWait)
	defer stop()
	// What holds a selection goes on behind its parent: nothing of it is waited for, and it is not ended.
	run := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // one of the ways
	run.Stdin = strings.NewReader(text)
	run.WaitDelay = detachTime
	var said bytes.Buffer
	run.Stderr = &said
	err = run.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	if err != nil {
		why := strings.TrimSpace(said.String())
		err = fmt.Errorf("%s: %w %s", words[0], err, why[:min(len(why), maxSaid)])
	}
	return words[0], err
}
