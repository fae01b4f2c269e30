package room

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
)

func TestTheStatusSaysWhetherAHeadOfTheAuditLogIsKept(t *testing.T) {
	dir := t.TempDir()
	s := must.Get(store.Open(t.Context(), dir))(t)
	written := make(chan error, 1)
	go func() { written <- s.Run(t.Context()) }()
	r := &Room{store: maskedStore{Store: s}}
	if got := r.auditHead(t.Context()); got != "0 rows"+noHead {
		t.Errorf("without a row: %s", got)
	}
	must.Do(t, s.Put(t.Context(), core.AuditRow{ID: "1", Time: time.Now()}))
	head, err := s.KeptHead()
	want := "1 row, head `" + head.String() + "`"
	if got := r.auditHead(t.Context()); err != nil || got != want {
		t.Errorf("with a row: %s, %v; want %s", got, err, want)
	}
	must.Do(t, os.Remove(filepath.Join(dir, store.File+".head")))
	if got := r.auditHead(t.Context()); got != want+noHead {
		t.Errorf("without the file: %s", got)
	}
	must.Report(t, errors.Join(s.Close(), <-written))
}
