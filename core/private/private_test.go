package private_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/private"
)

const stranger = 12345

func TestADirectoryIsMadeForTheUserAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	for range 2 {
		must.Do(t, private.Dir(path))
	}
	for _, dir := range []string{path, filepath.Dir(path)} {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", dir, info.Mode(), err)
		}
	}
}

func TestADirectoryOfTheUserThatOthersCanEnterIsMended(t *testing.T) {
	for _, mode := range []os.FileMode{0o777, 0o755, 0o710, 0o777 | os.ModeSticky} {
		path := filepath.Join(t.TempDir(), "open")
		makeDir(t, path, mode)
		must.Report(t, private.Dir(path))
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%v: got %v, %v", mode, info.Mode(), err)
		}
	}
}

func TestADirectoryThatOthersCanReplaceIsRefused(t *testing.T) {
	dir := t.TempDir()
	open := filepath.Join(dir, "open")
	makeDir(t, open, 0o777)
	link := filepath.Join(dir, "link")
	must.Do(t, os.Symlink(filepath.Join(open, "state"), link))
	for _, path := range []string{filepath.Join(open, "state"), filepath.Join(open, "a", "state"), link, filepath.Join(link, "state")} {
		refuses(t, path, "other users can replace what is in "+open, "chmod go-w "+open)
	}
	if entries, err := os.ReadDir(open); err != nil || len(entries) > 0 {
		t.Errorf("something was made there: %v, %v", entries, err)
	}
}

func TestALinkOfTheUserIsFollowed(t *testing.T) {
	dir := t.TempDir()
	for link, target := range map[string]string{"absolute": filepath.Join(dir, "real"), "relative": "real", "twice": "relative"} {
		must.Do(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	makeDir(t, filepath.Join(dir, "real"), 0o755)
	for _, link := range []string{"absolute", "relative", "twice"} {
		must.Report(t, private.Dir(filepath.Join(dir, link, "state")))
	}
	must.Do(t, os.Symlink("round", filepath.Join(dir, "round")))
	refuses(t, filepath.Join(dir, "round"), "too many symbolic links", "choose another directory")
}

// A directory of another user is one of root for everybody else; root makes one.
func TestWhatBelongsToAnotherUserIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		refuses(t, "/usr", "/usr belongs to another user", "choose another directory")
		return
	}
	dir := t.TempDir()
	theirs, mine := filepath.Join(dir, "theirs"), filepath.Join(dir, "mine")
	makeDir(t, theirs, 0o700)
	makeDir(t, mine, 0o700)
	must.Do(t, os.Symlink(mine, filepath.Join(dir, "link")))
	for _, path := range []string{theirs, filepath.Join(dir, "link")} {
		must.Do(t, os.Lchown(path, stranger, stranger))
	}
	refuses(t, theirs, theirs+" belongs to another user", "choose another directory")
	refuses(t, filepath.Join(theirs, "state"), theirs+" belongs to another user", "choose a directory of your own")
	refuses(t, filepath.Join(dir, "link"), "is a symbolic link of another user", "remove it")
	planted := filepath.Join(mine, "yaap.log")
	must.Do(t, os.Symlink("/etc/passwd", planted))
	must.Do(t, os.Lchown(planted, stranger, stranger))
	refuses(t, mine, "another user has put yaap.log into "+mine, "move it away")
}

func makeDir(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	must.Do(t, os.Mkdir(path, 0o700))
	must.Do(t, os.Chmod(path, mode))
}

func refuses(t *testing.T, path, message, hint string) {
	t.Helper()
	err := private.Dir(path)
	if core.CodeOf(err) != core.CodeRefused || !strings.Contains(err.Error(), message) || !strings.Contains(core.HintOf(err), hint) {
		t.Errorf("%s: got %v (%s), want %q (%s)", path, err, core.HintOf(err), message, hint)
	}
}
