package private

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/yaap-chat/yaap/core"
)

const (
	turnTime = 2 * time.Second // for another process to be done
	turnPoll = 2 * time.Millisecond
)

// LockMode is the way in which a file is locked.
type LockMode int

// What a lock is for.
const (
	Shared    LockMode = iota // to read what it guards: others may do so, too
	Exclusive                 // to change what it guards
)

// ErrLocked says that another process has a file locked.
var ErrLocked = errors.New("locked by another process")

// Lock locks f against other processes; closing f unlocks it. It blocks while another has
// it locked, for two seconds at most, and fails with [core.CodeBusy] then.
func Lock(f *os.File, how LockMode) error {
	deadline := time.Now().Add(turnTime)
	for {
		err := TryLock(f, how)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, ErrLocked):
			return err
		case time.Now().After(deadline):
			return core.Fail(core.CodeBusy, "another yaap has had "+f.Name()+" locked for too long", "end the other yaap, then try again")
		}
		time.Sleep(turnPoll)
	}
}

// TryLock is Lock for who does not wait: it fails with [ErrLocked] while another process
// has f locked.
func TryLock(f *os.File, how LockMode) error {
	err := lock(f, how)
	if err != nil && !errors.Is(err, ErrLocked) {
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return err
}
