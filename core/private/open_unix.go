//go:build unix

package private

import (
	"os"
	"syscall"
)

// OpenFile is [os.OpenFile] for a file that nobody else may have put there: a symbolic link
// is not followed, a pipe not waited for, and what is no regular file refused.
func OpenFile(path string, how int, mode os.FileMode) (*os.File, error) {
	return regular(os.OpenFile(path, how|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, mode))
}

// OpenDir opens what is locked to take turns at a directory: on Windows a file in it.
func OpenDir(path string) (*os.File, error) { return os.Open(path) }
