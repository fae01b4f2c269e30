package userfile

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

const (
	openTime = 2 * time.Second // for who has a file open to close it
	openPoll = 2 * time.Millisecond
)

// Rename puts a file in the place of another, and fails like [os.Rename]. Windows refuses
// while somebody has the other one open: there it blocks for two seconds at most.
func Rename(from, to string) error {
	deadline := time.Now().Add(openTime)
	for {
		err := os.Rename(from, to)
		isOpen := errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
		if !isOpen || time.Now().After(deadline) {
			return err
		}
		time.Sleep(openPoll)
	}
}
