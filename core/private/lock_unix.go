//go:build unix

package private

import (
	"os"
	"syscall"
)

func lock(f *os.File, how LockMode) error {
	op := map[LockMode]int{Shared: syscall.LOCK_SH, Exclusive: syscall.LOCK_EX}[how]
	for {
		switch err := syscall.Flock(int(f.Fd()), op|syscall.LOCK_NB); err {
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return ErrLocked
		default:
			return err
		}
	}
}
