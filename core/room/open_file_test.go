package room

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/must"
)

// opening is the command that opens a file, in a room with one; env is its environment.
func opening(t *testing.T, env map[string]string) (path string, open func(name string) error) {
	t.Helper()
	c := config.Config{Places: config.Places{StateDir: t.TempDir()}}
	must.Do(t, os.Mkdir(FilesDir(c), 0o700))
	path = filepath.Join(FilesDir(c), "my heron;id-1.png")
	must.Do(t, os.WriteFile(path, []byte("heron"), 0o600))
	return path, func(name string) error {
		_, err := openAnswered(t.Context(), &Call{Config: c, Getenv: func(name string) string { return env[name] }, Args: []string{name}})
		return err
	}
}

func TestAFileIsOpenedAsOneArgumentAndNeverByAShell(t *testing.T) {
	dir := t.TempDir()
	told, script := filepath.Join(dir, "told"), filepath.Join(dir, "opener")
	does := "#!/bin/sh\nprintf '%s|' \"$@\" > " + told + ".new && mv " + told + ".new " + told + "\n"
	must.Do(t, os.WriteFile(script, []byte(does), 0o700)) //nolint:gosec // it is run
	path, open := opening(t, map[string]string{"YAAP_OPENER": script + " --new-window"})
	must.Do(t, open(filepath.Base(path)))
	for {
		raw, err := os.ReadFile(told)
		if err == nil {
			if got := string(raw); got != "--new-window|"+path+"|" {
				t.Errorf("it is told %q", got)
			}
			return
		}
		runtime.Gosched()
	}
}

func TestOnlyFilesOfTheRoomAreOpened(t *testing.T) {
	path, open := opening(t, map[string]string{"YAAP_OPENER": "true"})
	must.Do(t, os.Symlink("/etc/passwd", filepath.Join(filepath.Dir(path), "link.png")))
	for _, name := range []string{"/etc/passwd", "../yaap.db", "link.png", ".", "..", "gone.png"} {
		if err := open(name); core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhereNothingOpensAFileItsPathIsSaid(t *testing.T) {
	for name, env := range map[string]map[string]string{"no opener": {"YAAP_OPENER": "no-such-opener"}, "no desktop": {}} {
		path, open := opening(t, env)
		if name == "no desktop" && runtime.GOOS == "darwin" { // there always is one
			continue
		}
		if err := open(filepath.Base(path)); core.CodeOf(err) != core.CodeFailed || !strings.Contains(core.HintOf(err), path) {
			t.Errorf("%s: %v (%s)", name, err, core.HintOf(err))
		}
	}
}
