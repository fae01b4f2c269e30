package media

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core/must"
)

func TestTheOldestFilesMakeRoom(t *testing.T) {
	k := &Keeper{Dir: filepath.Join(t.TempDir(), "files")}
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
	k := &Keeper{Dir: filepath.Join(t.TempDir(), "files")}
	for range 2 {
		must.Get(k.Keep("a/../b c", "text/plain", []byte("herons")))(t)
	}
	entries, err := os.ReadDir(k.Dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("there are %v, %v", entries, err)
	}
}
