package userfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/userfile"
)

func TestAFIFOADirectoryAndADeviceAreRefusedAtOnce(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	must.Fifo(t, fifo)
	link := filepath.Join(dir, "link")
	must.Do(t, os.Symlink(fifo, link))
	for _, path := range []string{fifo, link, dir, "/dev/zero"} {
		if _, err := userfile.Read(path, 10); !errors.Is(err, userfile.ErrIrregular) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v", path, err)
		}
	}
	if _, err := userfile.Read(filepath.Join(dir, "none"), 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestAFileIsReadUpToItsLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(path, []byte("0123456789"), 0o600))
	if raw, err := userfile.Read(path, 10); err != nil || string(raw) != "0123456789" {
		t.Errorf("got %q, %v", raw, err)
	}
	if _, err := userfile.Read(path, 9); err == nil {
		t.Error("a longer one was read")
	}
}

func TestAFileIsReplacedWhileOthersReadIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must.Do(t, userfile.Replace(path, []byte("old")))
	over := make(chan struct{})
	read := make(chan error, 1)
	go func() {
		defer close(read)
		for {
			select {
			case <-over:
				return
			default:
			}
			if raw, err := userfile.Read(path, 10); err == nil && string(raw) != "old" && string(raw) != "new" { // Windows lets nobody in for a moment
				read <- errors.New("half a file is read: " + string(raw))
				return
			}
		}
	}()
	for range 100 {
		must.Report(t, userfile.Replace(path, []byte("new")))
	}
	close(over)
	must.Report(t, <-read)
}
