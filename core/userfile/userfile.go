// Package userfile opens and replaces the files that a user names.
package userfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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

// Replace writes a file that the user alone may read, in the place of the one that is
// there: whoever reads it meanwhile reads the old one or the new one.
func Replace(path string, text []byte) error {
	out, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".")
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	if err = errors.Join(err, out.Sync(), out.Close()); err == nil {
		err = Rename(out.Name(), path)
	}
	if err != nil {
		_ = os.Remove(out.Name())
	}
	return err
}
