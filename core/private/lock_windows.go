package private

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// far is where the byte lies that is locked: behind all that a file holds, as Windows keeps
// others from reading and writing what is locked.
const far = 0x7fffffff // times 4 GiB

func lock(f *os.File, how LockMode) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if how == Exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: far})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}
