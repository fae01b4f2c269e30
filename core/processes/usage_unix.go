//go:build unix

package processes

import (
	"syscall"
	"time"
)

// CPUTime returns the time that all processors have worked for this program; 0 where the system
// does not tell.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
