package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/private"
)

// room is a window's sign of life: a file that is locked for as long as the
// process has it open. Go opens files close-on-exec, so no child keeps it.
type room struct {
	id   string
	dir  string
	lock *os.File
}

// newID returns an id that sorts by time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// enter makes a room in dir.
func enter(dir string) (*room, error) {
	r := &room{id: newID(), dir: dir}
	var err error
	if r.lock, err = os.OpenFile(lockPath(dir, r.id), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600); err != nil {
		return nil, err
	}
	if err := private.TryLock(r.lock, private.Exclusive); err != nil {
		_ = r.leave() // the first error says more
		return nil, err
	}
	return r, nil
}

// leave ends the room.
func (r *room) leave() error {
	if r.lock == nil {
		return nil
	}
	removed := os.Remove(r.lock.Name())
	if err := r.lock.Close(); err != nil {
		return err
	}
	if removed != nil { // Windows removes nothing that is open
		removed = os.Remove(r.lock.Name())
	}
	if removed != nil && !errors.Is(removed, fs.ErrNotExist) {
		return removed
	}
	return nil
}

// alive reports whether the window of that id still lives. When it cannot be
// told, it does.
func (r *room) alive(id string) bool {
	if id == r.id {
		return true
	}
	f, err := os.Open(lockPath(r.dir, id))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer f.Close() //nolint:errcheck // it was only looked at
	// Shared, so that two windows that look at the same time do not take each
	// other for the one they look for.
	return private.TryLock(f, private.Shared) != nil
}

// sweep removes the lock files of dead windows. It is called while nobody
// makes one.
func (r *room) sweep() error {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		id, ok := lockID(e.Name())
		if !ok || r.alive(id) {
			continue
		}
		if err := os.Remove(lockPath(r.dir, id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func lockPath(dir, id string) string {
	return filepath.Join(dir, "room-"+id+".lock")
}

func lockID(name string) (string, bool) {
	name, hasPrefix := strings.CutPrefix(name, "room-")
	name, hasSuffix := strings.CutSuffix(name, ".lock")
	return name, hasPrefix && hasSuffix
}

// How long a window waits for its turn to open, and how often it looks.
const (
	turnLimit = 10 * time.Second
	turnPoll  = 10 * time.Millisecond
)

// takeTurn waits until no other window is opening the database in dir.
// Closing the file ends the turn; the file stays.
func takeTurn(ctx context.Context, dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "open.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, cannotWrite(filepath.Join(dir, File), err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, turnLimit, core.Fail(core.CodeBusy, "another yaap has been opening the database in "+dir+" for too long",
		"end the other yaap and start again"))
	defer cancel()
	for {
		err := private.TryLock(f, private.Exclusive)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, private.ErrLocked) {
			_ = f.Close() // the first error says more
			return nil, fmt.Errorf("store: %w", err)
		}
		select {
		case <-ctx.Done():
			_ = f.Close() // the first error says more
			return nil, context.Cause(ctx)
		case <-time.After(turnPoll):
		}
	}
}
