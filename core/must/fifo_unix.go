//go:build unix

package must

import (
	"syscall"
	"testing"
)

// Fifo makes a named pipe, or skips the test where the system has none.
func Fifo(t testing.TB, path string) {
	t.Helper()
	Do(t, syscall.Mkfifo(path, 0o600))
}
