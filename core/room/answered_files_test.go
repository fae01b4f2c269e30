package room

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
)

// opening is the command that opens a file, in a room with one; env is its environment.
func opening(t *testing.T, env map[string]string) (path string, open func(name string) error) {
	t.Helper()
	c := config.Config{Places: config.Places{StateDir: t.TempDir()}}
	if err := os.Mkdir(Files(c), 0o700); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(Files(c), "my heron;id-1.png")
	if err := os.WriteFile(path, []byte("heron"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, func(name string) error {
		_, err := openAnswered(t.Context(), &Call{Config: c, Getenv: func(name string) string { return env[name] }, Args: []string{name}})
		return err
	}
}

func TestAFileIsOpenedAsOneArgumentAndNeverByAShell(t *testing.T) {
	dir := t.TempDir()
	told, script := filepath.Join(dir, "told"), filepath.Join(dir, "opener")
	does := "#!/bin/sh\nprintf '%s|' \"$@\" > " + told + ".new && mv " + told + ".new " + told + "\n"
	if err := os.WriteFile(script, []byte(does), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	path, open := opening(t, map[string]string{"YAAP_OPENER": script + " --new-window"})
	if err := open(filepath.Base(path)); err != nil {
		t.Fatal(err)
	}
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
	if err := os.Symlink("/etc/passwd", filepath.Join(filepath.Dir(path), "link.png")); err != nil {
		t.Fatal(err)
	}
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
