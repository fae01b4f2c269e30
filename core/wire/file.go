package wire

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

// File is where frames are written, a line of JSON each. Its methods may be called from
// any goroutine.
type File struct {
	mu  sync.Mutex
	f   *os.File
	err error // of the first line that could not be written; none follows it
}

// Create opens a file that only its owner can read, to append to it.
func Create(path string) (*File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600) //nolint:gosec // the user names it
	if err == nil {
		var info os.FileInfo
		if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s is no file", path)
		}
		if err == nil {
			err = f.Chmod(0o600) // it may have been there
		}
		if err != nil {
			_ = f.Close()
		}
	}
	if err != nil {
		return nil, core.Fail(core.CodeInvalid, "the frames cannot be written to "+path, "give --wire a file in a directory that is yours").Because(err)
	}
	return &File{f: f}, nil
}

// Write writes a frame.
func (w *File) Write(f Frame) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	line, err := json.Marshal(f)
	if err == nil {
		_, err = w.f.WriteString(safe.JSON(string(line)) + "\n")
	}
	w.err = err
}

// Close closes the file and returns the first error of all writes.
func (w *File) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.err
	if closed := w.f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("the frames are not all in the file: %w", err)
	}
	return nil
}
