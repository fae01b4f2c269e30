package room

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/private"
	"github.com/yaap-chat/yaap/core/processes"
)

const ephemeralPrefix = "yaap-ephemeral-"

// ephemeralDir is the state directory of a room that keeps nothing. Its name tells
// the process, which has it locked for as long as it lives: a directory that a
// killed one left behind is removed at the next start.
type ephemeralDir struct {
	dir  string
	lock *os.File
}

// newEphemeralDir makes the directory, for the user's eyes only.
func newEphemeralDir(cfg config.Config, goesOn bool) (*ephemeralDir, error) {
	if goesOn {
		return nil, core.Fail(core.CodeInvalid, "a room that keeps nothing cannot go on with a conversation", "leave out what says that nothing is kept: "+cfg.Ephemeral.From)
	}
	if cfg.TempDir == cfg.RunDirs[0] {
		if err := private.Dir(cfg.TempDir); err != nil {
			return nil, err
		}
	} else if err := os.MkdirAll(cfg.TempDir, 0o700); err != nil { // it is for everybody
		return nil, noEphemeralDir(cfg.TempDir, err)
	}
	dir, err := os.MkdirTemp(cfg.TempDir, fmt.Sprintf("%s%d-", ephemeralPrefix, os.Getpid()))
	if err != nil {
		return nil, noEphemeralDir(cfg.TempDir, err)
	}
	lock, err := private.OpenDir(dir)
	if err == nil {
		err = private.TryLock(lock, private.Exclusive)
	}
	d := &ephemeralDir{dir: dir, lock: lock}
	if err != nil {
		return nil, noEphemeralDir(dir, errors.Join(err, d.remove()))
	}
	return d, nil
}

func noEphemeralDir(dir string, err error) error {
	return core.Fail(core.CodeRefused, "nothing can be put for a while into "+dir, "set XDG_RUNTIME_DIR or TMPDIR to a directory that you can write to").Because(err)
}

// remove removes the directory and all that is in it.
func (d *ephemeralDir) remove() error {
	err := os.RemoveAll(d.dir)
	if d.lock != nil {
		_ = d.lock.Close() // it was only locked
	}
	if err != nil { // Windows removes nothing that is open
		err = os.RemoveAll(d.dir)
	}
	return err
}

// sweepEphemeralDirs removes the directories that processes of this user left behind.
// What cannot be looked at is left alone.
func sweepEphemeralDirs(base string) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, e := range entries {
		id, ours := strings.CutPrefix(e.Name(), ephemeralPrefix)
		id, _, _ = strings.Cut(id, "-")
		pid, err := strconv.Atoi(id)
		if !ours || err != nil || pid <= 0 || !e.IsDir() || processes.Alive(pid) {
			continue
		}
		if info, err := e.Info(); err != nil || !private.OwnedByUser(info) {
			continue
		}
		path := filepath.Join(base, e.Name())
		if f, err := private.OpenDir(path); err == nil {
			if private.TryLock(f, private.Exclusive) == nil { // a process that cannot be seen from here may have it
				_ = (&ephemeralDir{dir: path, lock: f}).remove() // the next start tries again
			}
			_ = f.Close() // it was only locked
		}
	}
}
