package room

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/store"
)

func TestTheStatusSaysWhetherAHeadOfTheAuditLogIsKept(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- s.Run(t.Context()) }()
	r := &Room{store: maskedStore{Store: s}}
	if got := r.auditHead(t.Context()); got != "0 rows"+noHead {
		t.Errorf("without a row: %s", got)
	}
	if err := s.Put(t.Context(), core.AuditRow{ID: "1", Time: time.Now()}); err != nil {
		t.Fatal(err)
	}
	head, err := s.KeptHead()
	want := "1 row, head `" + head.String() + "`"
	if got := r.auditHead(t.Context()); err != nil || got != want {
		t.Errorf("with a row: %s, %v; want %s", got, err, want)
	}
	if err := os.Remove(filepath.Join(dir, store.File+".head")); err != nil {
		t.Fatal(err)
	}
	if got := r.auditHead(t.Context()); got != want+noHead {
		t.Errorf("without the file: %s", got)
	}
	if err := errors.Join(s.Close(), <-written); err != nil {
		t.Error(err)
	}
}
