package private

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// OpenFile is [os.OpenFile] for a file that nobody else may have put there: a symbolic link
// is not followed, a pipe not waited for, and what is no regular file refused.
func OpenFile(path string, how int, mode os.FileMode) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ELOOP}
	}
	return regular(os.OpenFile(path, how, mode))
}

// OpenDir opens what is locked to take turns at a directory: on Windows a file in it.
func OpenDir(path string) (*os.File, error) {
	return OpenFile(filepath.Join(path, ".lock"), os.O_CREATE|os.O_RDWR, 0o600)
}
