package store

import (
	"context"
	"testing"

	"yaap/core"
	"yaap/core/store/storetest"
)

func TestTheStoreIsAJournal(t *testing.T) {
	storetest.Suite(t, func(t *testing.T) core.Journal { return openIn(t, t.TempDir()) })
}

// openIn opens the database in dir, with its writer running.
func openIn(t testing.TB, dir string) *Store {
	t.Helper()
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
