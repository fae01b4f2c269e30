package store

import (
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// openIn opens the database in dir, with its writer running.
func openIn(t testing.TB, dir string) *Store {
	t.Helper()
	return storetest.Open(t, dir, Open)
}

func mustPut(t testing.TB, s *Store, rows ...core.Row) {
	t.Helper()
	if err := s.Put(t.Context(), rows...); err != nil {
		t.Fatalf("Put: %v", err)
	}
}
