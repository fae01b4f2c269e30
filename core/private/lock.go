package private

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/yaap-chat/yaap/core"
)

const (
	turnTime = 2 * time.Second // for another process to be done
	turnPoll = 2 * time.Millisecond
)

// Lock locks f against other processes, with syscall.LOCK_EX to change what it
// guards or LOCK_SH to read it; closing f unlocks it. It blocks while another has
// it locked, for two seconds at most, and fails with [core.CodeBusy] then.
func Lock(f *os.File, how int) error {
	deadline := time.Now().Add(turnTime)
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
			return fmt.Errorf("lock %s: %w", f.Name(), err)
		case time.Now().After(deadline):
			return &core.Error{
				Code: core.CodeBusy, Op: "lock", Message: "another yaap has had " + f.Name() + " locked for too long", Hint: "end the other yaap, then try again",
			}
		}
		time.Sleep(turnPoll)
	}
}
