package storetest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Store is what Open opens: *store.Store, which this package does not import
// because the tests of store import it.
type Store interface {
	Run(ctx context.Context) error
	Close() error
}

// Open opens the store in dir with its writer running, and closes it with the
// test. The first empty database is made and the others are copies of it,
// which is much faster.
func Open[S Store](t testing.TB, dir string, open func(ctx context.Context, dir string) (S, error)) S {
	t.Helper()
	if err := fill(dir, func() error {
		s, err := open(context.WithoutCancel(t.Context()), dir)
		if err != nil {
			return err
		}
		return s.Close()
	}); err != nil {
		t.Fatal(err)
	}
	s, err := open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	Start(t, s)
	return s
}

// Start runs the writer of a store and closes the store with the test.
func Start(t testing.TB, s Store) {
	t.Helper()
	ended := make(chan error, 1)
	ctx := context.WithoutCancel(t.Context())
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

// fresh is the files of an empty database, by their names.
//
//nolint:gochecknoglobals // it is made once for all tests of a package
var fresh struct {
	sync.Mutex
	files map[string][]byte
}

// fill puts an empty database into a directory that is empty.
func fill(dir string, create func() error) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 { // what does not exist is for the store to make
		return nil
	}
	fresh.Lock()
	defer fresh.Unlock()
	for name, data := range fresh.files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return err
		}
	}
	if fresh.files != nil {
		return nil
	}
	if err := create(); err != nil {
		return err
	}
	if entries, err = os.ReadDir(dir); err != nil {
		return err
	}
	fresh.files = map[string][]byte{}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		if fresh.files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
