package must

import "testing"

// Fifo makes a named pipe, or skips the test where the system has none.
func Fifo(t testing.TB, _ string) {
	t.Helper()
	t.Skip("NOT RUN: no file of Windows is a pipe")
}
