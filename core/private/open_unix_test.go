//go:build unix

package private_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/private"
)

func TestWhatIsNoFileOfTheDiskIsRefused(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	must.Do(t, syscall.Mkfifo(pipe, 0o600))
	must.Do(t, os.Symlink(filepath.Join(dir, "target"), link))
	for _, path := range []string{pipe, link, dir} {
		for _, how := range []int{os.O_RDONLY, os.O_RDWR, os.O_WRONLY | os.O_APPEND, os.O_RDWR | os.O_CREATE} {
			if f, err := private.OpenFile(path, how, 0o600); err == nil {
				t.Errorf("%s is opened with %#x: %v", filepath.Base(path), how, f.Close())
			}
		}
	}
}
