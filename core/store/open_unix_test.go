//go:build unix

package store

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// asStranger gives dir to a user without rights, and the test's process to that
// user, so that it is held by permissions even where tests run as root.
func asStranger(t *testing.T, dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	const nobody = 65534
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chown(path, nobody, nobody))
	})
	// The directory above is the test's own, too.
	must.Do(t, errors.Join(err, os.Chmod(filepath.Dir(dir), 0o755), syscall.Seteuid(nobody)))
	t.Cleanup(func() {
		must.Do(t, syscall.Seteuid(0))
	})
}

// The limit is one of the whole process, and that of the tests writes files of its
// own: another one has it.
func TestADatabaseThatCannotBeOpenedForWantOfRoomSaysSo(t *testing.T) {
	const place = "YAAP_TEST_NO_ROOM_IN"
	dir := os.Getenv(place)
	if dir == "" {
		dir = t.TempDir()
		must.Do(t, openIn(t, dir).Close())
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1")
		cmd.Env = append(os.Environ(), place+"="+dir)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, said)
		}
		return
	}
	var limit syscall.Rlimit
	must.Do(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	limit.Cur = 4096 // no file grows beyond that, the index of the log neither
	must.Do(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	_, err := Open(t.Context(), dir)
	if core.CodeOf(err) != core.CodeRefused || !strings.Contains(core.HintOf(err), "make room") {
		t.Errorf("%v, hint %q; want it to say that the disk is full", err, core.HintOf(err))
	}
}

func TestAPipeInPlaceOfTheHeadIsNotWaitedFor(t *testing.T) {
	s := logged(t, 1)
	must.Do(t, os.Remove(s.headFile()))
	must.Do(t, syscall.Mkfifo(s.headFile(), 0o600))
	mustPut(t, s, storetest.Said("a", "a/run", "more")) // keeps no head, and goes on
	if _, err := s.KeptHead(); core.CodeOf(err) != core.CodeRefused || core.HintOf(err) == "" {
		t.Errorf("got %v, want it refused", err)
	}
}
