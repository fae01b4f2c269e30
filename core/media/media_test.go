package media

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTheOldestFilesMakeRoom(t *testing.T) {
	k := &Keeper{Dir: filepath.Join(t.TempDir(), "files")}
	var names []string
	for i := range 3 {
		f, err := k.Keep("heron", "", []byte{byte(i)})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(f.Path, most/3); err != nil {
			t.Fatal(err)
		}
		old := time.Unix(int64(i+1), 0)
		if err := os.Chtimes(f.Path, old, old); err != nil {
			t.Fatal(err)
		}
		names = append(names, f.Path)
	}
	if _, err := k.Keep("heron", "", []byte("the fourth one")); err != nil {
		t.Fatal(err)
	}
	for i, path := range names {
		if _, err := os.Stat(path); (err == nil) != (i > 0) {
			t.Errorf("file %d: %v", i, err)
		}
	}
}

func TestTheSameDataIsThereOnce(t *testing.T) {
	k := &Keeper{Dir: filepath.Join(t.TempDir(), "files")}
	for range 2 {
		if _, err := k.Keep("a/../b c", "text/plain", []byte("herons")); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(k.Dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("there are %v, %v", entries, err)
	}
}
