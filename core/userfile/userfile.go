// Package userfile opens the files that a user names.
package userfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrIrregular says that a path leads to something that is no regular file: a
// directory, a FIFO, a device. Reading one could block for ever.
var ErrIrregular = errors.New("it is not a regular file")

// Open opens a regular file to read it. It fails with [ErrIrregular] for
// anything else, without opening it.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: path, Err: ErrIrregular}
	}
	return os.Open(path)
}

// Read reads a regular file of at most that many bytes.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	raw, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(raw)) > most {
		err = &os.PathError{Op: "read", Path: path, Err: fmt.Errorf("it has more than %d KiB", most>>10)}
	}
	return raw, err
}
