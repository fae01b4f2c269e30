// Package private makes directories that are the user's alone, as ssh and gnupg
// want them: nobody else can read, replace or plant what is in them.
package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

const (
	maxLinks = 16
	overflow = 65534 // who owns what belongs to nobody here, as / in a container without root
)

// Dir makes the directory at path, which must be absolute, with its parents,
// and lets only the user into it. It refuses one that belongs to somebody else,
// that holds what somebody else has put there, or that somebody else could
// replace, on the way to it or behind a symbolic link. On Windows it trusts the access
// lists of the user's profile.
func Dir(path string) error {
	if err := way(path, maxLinks); err != nil {
		return err
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return refused("cannot make the directory "+path, "make its parent yours and writable, or choose another directory", err)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return refused("cannot look at "+path, "choose another directory", err)
	case owner(info) != os.Geteuid():
		return refused(path+" belongs to another user", fmt.Sprintf("choose another directory, or make it yours: chown %d %s", os.Geteuid(), path), nil)
	case info.Mode().Perm()&0o077 != 0:
		if err := os.Chmod(path, 0o700); err != nil {
			return refused("other users can look into "+path, "make it private: chmod 700 "+path, err)
		}
	}
	return own(path)
}

// own fails when something in the directory belongs to somebody else: it was
// put there while others could.
func own(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return refused("cannot look into "+path, "make it yours: chmod 700 "+path, err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || owner(info) != os.Geteuid() {
			return refused("another user has put "+e.Name()+" into "+path, "look at it, and move it away", err)
		}
	}
	return nil
}

// way checks every directory that leads to path, as far as it is there, and
// every symbolic link on the way.
func way(path string, links int) error {
	if links == 0 {
		return refused("too many symbolic links lead to "+path, "choose another directory", nil)
	}
	const separator = string(filepath.Separator)
	volume := filepath.VolumeName(path)
	at := volume + separator
	names := strings.Split(strings.Trim(filepath.Clean(path)[len(volume):], separator), separator)
	for i, name := range names {
		if err := step(at); err != nil {
			return err
		}
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return refused("cannot look at "+next, "choose another directory", err)
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(next)
			if err != nil || !trusted(owner(info)) {
				return refused(next+" is a symbolic link of another user", "remove it, or choose another directory", err)
			}
			if !filepath.IsAbs(target) {
				target = filepath.Join(at, target)
			}
			return way(filepath.Join(append([]string{target}, names[i+1:]...)...), links-1)
		}
		at = next
	}
	return nil
}

// step fails when somebody else can replace what is in the directory.
func step(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return refused("cannot look at "+dir, "choose another directory", err)
	}
	switch {
	case !trusted(owner(info)):
		return refused(dir+" belongs to another user, who can replace what is in it", "choose a directory of your own", nil)
	case writable(info) && info.Mode()&fs.ModeSticky == 0:
		return refused("other users can replace what is in "+dir, "forbid it: chmod go-w "+dir, nil)
	}
	return nil
}

func trusted(uid int) bool { return uid == 0 || uid == overflow || uid == os.Geteuid() }

// OwnedByUser reports whether something belongs to the user.
func OwnedByUser(info fs.FileInfo) bool { return owner(info) == os.Geteuid() }

func refused(message, hint string, err error) error {
	return core.Fail(core.CodeRefused, message, hint).Because(err)
}

// regular closes a file again that is none of the disk: reading it could block for ever.
func regular(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(&fs.PathError{Op: "open", Path: f.Name(), Err: errors.New("it is not a regular file")}, err, f.Close())
	}
	return f, nil
}
