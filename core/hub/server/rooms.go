package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/private"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/userfile"
)

const (
	addressFile = "hub.json" // a link to the file of the room that opened last
	roomPrefix  = "room-"    // of the file of each room
	roomSuffix  = ".json"
	lookEvery   = 2 * time.Second // at who is there
	maxAddress  = 64 << 10
)

// Address is how a room is reached. Each open room has a file with it, which the
// room keeps locked (flock) for as long as it is open: the system unlocks the
// file of a room that is gone, however it went, and whoever finds it unlocked
// removes it.
type Address struct {
	URL   string `json:"url"` // of the host; /yaap and /mcp are below it
	Token string `json:"token"`
	PID   int    `json:"pid"`
	Dir   string `json:"dir,omitempty"`  // where the room works, without symbolic links
	Wire  string `json:"wire,omitempty"` // the file that it writes every frame to; empty: none

	Since time.Time `json:"since,omitzero"` // when it opened
}

// announceIn announces a room in each of the directories until withdraw is
// called. leave is told the files.
func announceIn(ctx context.Context, dirs []string, a Address, leave func(path string)) (withdraw func(), err error) {
	// The names of rooms are in the order in which they opened.
	name := fmt.Sprintf("%s%d-%s%s", roomPrefix, time.Now().UnixNano(), Secret(4), roomSuffix)
	ctx, stop := context.WithCancel(ctx)
	var keepers sync.WaitGroup
	withdraw = func() {
		stop()
		keepers.Wait()
	}
	for _, dir := range dirs {
		n := &notice{dir: dir, name: name, address: a}
		leave(filepath.Join(dir, name)) // first: no moment is left in which nobody would remove it
		if err := n.post(); err != nil {
			withdraw()
			return nil, err
		}
		keepers.Go(func() { n.keep(ctx) })
	}
	return withdraw, nil
}

// notice is the file of an open room in one directory.
type notice struct {
	dir, name string
	address   Address
	file      *os.File // locked
}

// post writes the file, and lets hub.json speak of the room that opened last.
func (n *notice) post() error {
	if err := private.Dir(n.dir); err != nil {
		return err
	}
	raw, err := json.Marshal(n.address)
	if err != nil {
		return err
	}
	return inTurn(n.dir, func() error {
		f, err := private.OpenFile(filepath.Join(n.dir, n.name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fmt.Errorf("announce the room: %w", err)
		}
		if err = private.Lock(f, private.Exclusive); err == nil { // who looks whether it is locked holds it for a moment
			_, err = f.Write(raw)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("announce the room: %w", err), os.Remove(f.Name()), f.Close())
		}
		n.file = f
		return tidy(n.dir)
	})
}

// keep tidies the directory now and then until ctx ends, and takes the notice
// away.
func (n *notice) keep(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			_, _ = os.Remove(n.file.Name()), n.file.Close()        // somebody may have cleaned up
			_ = inTurn(n.dir, func() error { return tidy(n.dir) }) // else another room does it
			return
		case <-tick.C:
		}
		if _, err := os.Lstat(n.file.Name()); errors.Is(err, fs.ErrNotExist) { // somebody cleaned up
			old := n.file
			if n.post() == nil { // else the next look may do better
				_ = old.Close()
			}
			continue
		}
		_ = inTurn(n.dir, func() error { return tidy(n.dir) }) // the next look may do better
	}
}

// inTurn does what changes the notices in dir: one process at a time.
func inTurn(dir string, change func() error) error {
	lock, err := private.OpenDir(dir)
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // it was only locked
	if err := private.Lock(lock, private.Exclusive); err != nil {
		return err
	}
	return change()
}

// tidy removes the files of rooms that are gone, and lets hub.json speak of the
// one that opened last. It is this process' turn.
func tidy(dir string) error {
	newest := ""
	for _, name := range notices(dir) {
		path := filepath.Join(dir, name)
		if isOpen(path) {
			newest = name
		} else if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // a room that leaves removes its own
			return err
		}
	}
	path := filepath.Join(dir, addressFile)
	target, err := os.Readlink(path)
	switch {
	case newest == "" && errors.Is(err, fs.ErrNotExist), newest != "" && (target == newest || runtime.GOOS == "windows" && sameText(path, filepath.Join(dir, newest))):
		return nil
	case newest == "":
		return os.Remove(path)
	}
	aside := path + "." + Secret(4)
	if err := point(dir, newest, aside); err != nil {
		return err
	}
	if err := userfile.Rename(aside, path); err != nil {
		return errors.Join(err, os.Remove(aside))
	}
	return nil
}

// point makes a link to a notice: on Windows, where a link wants a right that few users
// have, a copy.
func point(dir, name, link string) error {
	if runtime.GOOS != "windows" {
		return os.Symlink(name, link)
	}
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	return os.WriteFile(link, raw, 0o600)
}

// sameText reports whether two files hold the same.
func sameText(a, b string) bool {
	one, err := os.ReadFile(a)
	other, otherErr := os.ReadFile(b)
	return err == nil && otherErr == nil && bytes.Equal(one, other)
}

// notices lists the files of rooms in dir, the one that opened last at the end.
func notices(dir string) (names []string) {
	entries, _ := os.ReadDir(dir) // no directory, no rooms
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), roomPrefix) && strings.HasSuffix(e.Name(), roomSuffix) {
			names = append(names, e.Name())
		}
	}
	return names
}

// isOpen reports whether the room of that file is open: it holds the lock.
func isOpen(path string) bool {
	f, err := private.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // it is only read
	return locked(f)
}

func locked(f *os.File) bool {
	return errors.Is(private.TryLock(f, private.Shared), private.ErrLocked)
}

// Rooms lists the rooms that are open, the one that opened last first, by the
// Config.RunDirs of theirs. It removes what rooms left behind that are gone.
func Rooms(dirs []string) (list []Address) {
	for _, dir := range dirs {
		for _, name := range slices.Backward(notices(dir)) {
			a, err := readAddress(filepath.Join(dir, name))
			if err == nil && !slices.Contains(list, a) {
				list = append(list, a)
			}
		}
		if _, err := os.Stat(dir); err == nil {
			_ = inTurn(dir, func() error { return tidy(dir) }) // a dead room is not believed anyway
		}
	}
	return list
}

// readAddress reads the file of an open room.
func readAddress(path string) (a Address, err error) {
	f, err := private.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return a, err
	}
	defer f.Close() //nolint:errcheck // it is only read
	if !locked(f) {
		return a, fmt.Errorf("the room of %s is gone: %w", path, fs.ErrNotExist)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxAddress))
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(raw, &a)
}

// Nearest returns the room that works in dir, or else in the nearest directory
// above it; of several, the one that opened last.
func Nearest(rooms []Address, dir string) (Address, bool) {
	for dir = resolved(dir); ; dir = filepath.Dir(dir) {
		for _, a := range rooms {
			if a.Dir == dir {
				return a, true
			}
		}
		if dir == filepath.Dir(dir) {
			return Address{}, false
		}
	}
}

// Choose returns the room of the directory that is named, or whose directory has that
// last part. Without a name it is that of dir, or the nearest one above it.
func Choose(rooms []Address, dir, name string) (Address, error) {
	if name == "" {
		if a, ok := Nearest(rooms, dir); ok {
			return a, nil
		}
		return Address{}, noRoom("no room is open in "+dir, rooms)
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return Address{}, err
	}
	path = resolved(path)
	var found []Address
	for _, a := range rooms {
		if a.Dir == path {
			return a, nil
		}
		if filepath.Base(a.Dir) == name {
			found = append(found, a)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Address{}, noRoom("no room is open in "+name, rooms)
	}
	return Address{}, noRoom("several rooms are called "+name, found)
}

// noRoom says which rooms are open.
func noRoom(message string, rooms []Address) error {
	hint := "type yaap or yaap serve there, and try again"
	for i, a := range rooms {
		if i == 0 {
			hint += "; open:"
		}
		hint += " --room " + core.QuoteWord(a.Dir)
	}
	return core.Fail(core.CodeNotFound, safe.Line(message), safe.Line(hint))
}

// resolved is dir without symbolic links, if it is there.
func resolved(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}
