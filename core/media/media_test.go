package media

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core/must"
)

func TestTheOldestFilesMakeRoom(t *testing.T) {
	k := &FileStore{Dir: filepath.Join(t.TempDir(), "files")}
	var names []string
	for i := range 3 {
		f := must.Get(k.Keep("heron", "", []byte{byte(i)}))(t)
		must.Do(t, os.Truncate(f.Path, most/3))
		old := time.Unix(int64(i+1), 0)
		must.Do(t, os.Chtimes(f.Path, old, old))
		names = append(names, f.Path)
	}
	must.Get(k.Keep("heron", "", []byte("the fourth one")))(t)
	for i, path := range names {
		if _, err := os.Stat(path); (err == nil) != (i > 0) {
			t.Errorf("file %d: %v", i, err)
		}
	}
}

func TestTheSameDataIsThereOnce(t *testing.T) {
	k := &FileStore{Dir: filepath.Join(t.TempDir(), "files")}
	for range 2 {
		must.Get(k.Keep("a/../b c", "text/plain", []byte("herons")))(t)
	}
	entries, err := os.ReadDir(k.Dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("there are %v, %v", entries, err)
	}
}

func TestSecretsInTextAreMasked(t *testing.T) {
	const secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789"
	k := &FileStore{Dir: filepath.Join(t.TempDir(), "files")}
	for _, claimed := range []string{"text/plain", "application/octet-stream", "image/svg+xml"} {
		file := must.Get(k.Keep("notes", claimed, []byte("<svg>herons "+secret)))(t)
		if got := string(must.Get(os.ReadFile(file.Path))(t)); strings.Contains(got, secret) || !strings.Contains(got, "herons") || len(got) != file.Size {
			t.Errorf("%s: %q of %d bytes", claimed, got, file.Size)
		}
	}
}
