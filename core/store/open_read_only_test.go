package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// bytesIn are the files of a directory as they are, but for the shared memory in which
// connections note who reads.
func bytesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries := must.Get(os.ReadDir(dir))(t)
	for _, e := range entries {
		raw := must.Get(os.ReadFile(filepath.Join(dir, e.Name())))(t) //nolint:gosec // of a test
		if e.Name() == File+"-shm" {
			raw = nil
		}
		files[e.Name()] = string(raw)
	}
	return files
}

// stored are the rows of a conversation of a directory, with two facts of the room.
func stored(s *Store, thread, dir string) []core.Row {
	rows := append(storetest.Begin(thread), core.Session{ID: s.Room(), Started: storetest.At(0), Dir: dir}, storetest.Said(thread, thread+"/run", thread+"/said"))
	for i := range 3 {
		e := core.Event{Seq: uint64(i + 1), Time: storetest.At(10 - i), Body: core.ExpertJoined{Name: "calc"}}
		if i > 0 {
			e.Scope, e.Body = core.Scope{Thread: thread, Run: thread + "/run"}, core.TurnStart{}
		}
		rows = append(rows, core.EventRow{Event: &e})
	}
	return rows
}

func putRows(t *testing.T, s *Store, rows ...core.Row) {
	t.Helper()
	must.Do(t, s.Put(t.Context(), rows...))
}

func readAll(t *testing.T, s *Store) {
	t.Helper()
	if events, last, err := s.EventsAfter(t.Context(), EventQuery{Dir: "/here"}); err != nil || len(events) != 3 || last != 3 {
		t.Errorf("read %d events up to %d, %v", len(events), last, err)
	}
	if report, err := s.VerifyAudit(t.Context(), core.AuditHead{}); err != nil || len(report.Faults) > 0 || report.Rows != 2 {
		t.Errorf("the log is %+v, %v", report, err)
	}
	if threads, err := s.Threads(t.Context(), core.ThreadQuery{}); err != nil || len(threads) != 1 {
		t.Errorf("read %v, %v", threads, err)
	}
}

func TestWhoLooksChangesNoByteOfAnOpenDatabaseNorOfAClosedOne(t *testing.T) {
	dir := t.TempDir()
	s := openIn(t, dir)
	putRows(t, s, stored(s, "t", "/here")...)
	before := bytesIn(t, dir)
	looking := must.Get(OpenReadOnly(t.Context(), dir))(t)
	readAll(t, looking)
	if diff := cmp.Diff(before, bytesIn(t, dir)); diff != "" {
		t.Error("while it is open:", diff)
	}
	if err := looking.Put(t.Context(), core.Thread{ID: "mine"}); err == nil {
		t.Error("who looks has put something")
	}
	if _, err := looking.Forget(t.Context(), core.ForgetQuery{Thread: "t"}); err == nil {
		t.Error("who looks has made it forget")
	}
	must.Do(t, s.Close())
	before = bytesIn(t, dir)
	if _, open := before[File+"-wal"]; open {
		t.Error("the database was not closed as if nobody looked")
	}
	readAll(t, looking)
	must.Report(t, looking.Close())
	if diff := cmp.Diff(before, bytesIn(t, dir)); diff != "" {
		t.Error("while it is closed:", diff)
	}
}

func TestALookSeesWhatAnotherWindowStoresAndThatItDid(t *testing.T) {
	dir := t.TempDir()
	s := openIn(t, dir)
	putRows(t, s, stored(s, "t", "/here")...)
	looking := must.Get(OpenReadOnly(t.Context(), dir))(t)
	defer looking.Close() //nolint:errcheck // it was only read
	stamp := looking.Stamp()
	if looking.Stamp() != stamp {
		t.Error("the stamp is another one although nothing was stored")
	}
	putRows(t, s, core.EventRow{Event: &core.Event{Seq: 9, Time: storetest.At(20), Scope: core.Scope{Thread: "t"}, Body: core.TurnEnd{}}})
	if looking.Stamp() == stamp {
		t.Error("the stamp does not tell that something was stored")
	}
	for _, c := range []struct {
		name string
		q    EventQuery
		want []uint64
	}{
		{"what is new", EventQuery{Dir: "/here", After: 3}, []uint64{9}},
		{"all in the order of time", EventQuery{Dir: "/here"}, []uint64{3, 2, 1, 9}},
		{"the newest", EventQuery{Dir: "/here", Limit: 2}, []uint64{3, 9}},
		{"those of a conversation and of its room", EventQuery{Thread: "t", Dir: "/here"}, []uint64{3, 2, 1, 9}},
		{"none of another directory", EventQuery{Dir: "/there"}, nil},
		{"none of another conversation", EventQuery{Thread: "other", Dir: "/here"}, nil},
	} {
		events, _, err := looking.EventsAfter(t.Context(), c.q)
		var got []uint64
		for _, e := range events {
			got = append(got, e.Seq)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", c.name, err, diff)
		}
	}
}

func TestThereIsNothingToLookAtWhereNothingWasStored(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenReadOnly(t.Context(), dir); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("got %v", err)
	}
	if len(bytesIn(t, dir)) > 0 {
		t.Error("a file was made")
	}
}

func TestTheDatabaseOfAnotherYaapIsNotLookedAt(t *testing.T) {
	dir := t.TempDir()
	s := openIn(t, dir)
	must.Get(s.writer.ExecContext(t.Context(), "PRAGMA user_version = 3"))(t)
	if _, err := OpenReadOnly(t.Context(), dir); core.CodeOf(err) != core.CodeTooNew || core.HintOf(err) == "" {
		t.Errorf("got %v", err)
	}
}
