package store

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"yaap/core"
	"yaap/core/store/storetest"
)

func TestTheStoreIsAJournal(t *testing.T) {
	storetest.Suite(t, func(t *testing.T) core.Journal { return openIn(t, t.TempDir()) })
}

// fresh is a database that nothing was put into. To copy one is much faster
// than to make one, above all where races are looked for.
var fresh = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "yaap-store-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left is small
	s, err := Open(context.Background(), dir)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, File))
})

// openIn opens the database in dir, with its writer running.
func openIn(t testing.TB, dir string) *Store {
	t.Helper()
	if entries, err := os.ReadDir(dir); err == nil && len(entries) == 0 {
		db, err := fresh()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, File), db, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	start(t, s)
	return s
}

// start runs the writer of s and ends it with the test.
func start(t testing.TB, s *Store) {
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

func mustPut(t testing.TB, s *Store, rows ...core.Row) {
	t.Helper()
	if err := s.Put(t.Context(), rows...); err != nil {
		t.Fatalf("Put: %v", err)
	}
}
