package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/private"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// logged returns a store with an audit log of n replies of a run, and two rows
// more: the run has begun, and has answered.
func logged(t testing.TB, n int) *Store {
	t.Helper()
	s := openIn(t, t.TempDir())
	for i := range n {
		mustPut(t, s, storetest.Said("a", "a/run", fmt.Sprint(i+1)))
	}
	mustPut(t, s, storetest.Begin("a")...)
	answer := storetest.Say("a", "a/run", "answer")
	answer.Message.Role, answer.Message.Reply = core.RoleAssistant, &core.Reply{Status: core.StatusSuccess}
	mustPut(t, s, answer, core.RunRow{ID: "a/run", Thread: "a", State: core.RunCompleted, Time: storetest.At(5)})
	return s
}

// tamper does to the audit log what the triggers refuse.
func tamper(t *testing.T, s *Store, statements string) {
	t.Helper()
	if _, err := s.writer.ExecContext(t.Context(), "PRAGMA foreign_keys = 0;"+
		"DROP TRIGGER audit_append; DROP TRIGGER audit_keep; DROP TRIGGER audit_redact;"+statements); err != nil {
		t.Fatal(err)
	}
}

func verify(t *testing.T, s *Store) core.AuditReport {
	t.Helper()
	report := must.Get(s.VerifyAudit(t.Context(), core.AuditHead{}))(t)
	return report
}

// faults are what a check of the log finds, without the directory.
func faults(t *testing.T, s *Store) []string {
	t.Helper()
	var found []string
	for _, f := range verify(t, s).Faults {
		found = append(found, strings.ReplaceAll(f.String(), filepath.Dir(s.path)+string(filepath.Separator), ""))
	}
	return found
}

const (
	copyRow = "INSERT INTO audit SELECT %s, 'new', at_us, thread, run, actor, node, status, salt, payload, payload_hash, prev_hash, hash, NULL, NULL FROM audit WHERE seq = 2"

	anewAt      = ": it is not the row that the head names that was kept in yaap.db.head: rows up to it were written anew, or the database is another one"
	cutAt       = ": the log ends before it, and the head that was kept in yaap.db.head names 7 rows: the last ones were taken away, or the database is an older copy"
	behind      = `row 6: run "a/run": the log has state "running", the table of runs "completed"`
	behindSince = `row 6: run "a/run": the log has state_us "2026-08-11T12:00:00.000001Z", the table of runs "2026-08-11T12:00:00.000005Z"`

	emptied = "row 1: the log is empty, and the head that was kept in yaap.db.head names 7 rows: it was emptied, or the database is another one"
	unknown = `1 runs are in the database and in no row, the first is run "a/run"`
	unsaid  = "answers of 1 runs are in no row, the first is that of run a/run"
)

func TestWhatIsTamperedWithIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		statements string
		want       []string
	}{
		"nothing":                       {"", nil},
		"the content and its hash":      {`UPDATE audit SET payload = '{}', payload_hash = zeroblob(32) WHERE seq = 3`, []string{"row 3: its content was changed"}},
		"the content, unsaid":           {`UPDATE audit SET payload = NULL, salt = NULL WHERE seq = 3`, []string{"row 3: its content was taken away"}},
		"the content, as if redacted":   {`UPDATE audit SET payload = NULL, salt = NULL, redacted_us = 7 WHERE seq = 3`, []string{"row 3: its content was taken away, and no row says that it was forgotten then"}},
		"the content, into the salt":    {`UPDATE audit SET salt = unhex(hex(salt) || hex(payload)), payload = '' WHERE seq = 3`, []string{"row 3: its content was changed"}},
		"what is whose":                 {`UPDATE audit SET actor = actor || node, node = '' WHERE seq = 2`, []string{"row 2: it was changed"}},
		"a row is deleted":              {`DELETE FROM audit WHERE seq = 2`, []string{"row 2: it is missing"}},
		"the first is deleted":          {`DELETE FROM audit WHERE seq = 1`, []string{"row 1: it is missing"}},
		"the last is deleted":           {`DELETE FROM audit WHERE seq = 7`, []string{"row 7: it is missing", "row 7" + cutAt, behind, behindSince}},
		"the last, with the sequence":   {`DELETE FROM audit WHERE seq > 3; UPDATE sqlite_sequence SET seq = 3 WHERE name = 'audit'`, []string{"row 4" + cutAt, unknown}},
		"all are deleted":               {`DELETE FROM audit`, []string{"row 1: it is missing", emptied, unknown, unsaid}},
		"all, with the sequence":        {`DELETE FROM audit; DELETE FROM sqlite_sequence`, []string{emptied, unknown, unsaid}},
		"all, and the runs":             {`DELETE FROM audit; DELETE FROM sqlite_sequence; DELETE FROM message; DELETE FROM run`, []string{emptied}},
		"the runs":                      {`DELETE FROM message; DELETE FROM run`, []string{"row 1: its run a/run is not in the database; 1 runs that the log names are not"}},
		"deleted, the rest moved up":    {`DELETE FROM audit WHERE seq = 2; UPDATE audit SET seq = seq - 1 WHERE seq > 2`, []string{"row 2: it does not follow the row before it", "row 7" + cutAt}},
		"a row is added":                {fmt.Sprintf(copyRow, "8"), []string{"row 8: it does not follow the row before it"}},
		"a row is added far away":       {fmt.Sprintf(copyRow, "9223372036854775807"), []string{"row 8: it is missing"}},
		"a row is put before":           {fmt.Sprintf(copyRow, "0"), []string{"row 1: it was put before the first"}}, // there is no place 0
		"a row is put far before":       {fmt.Sprintf(copyRow, "-9223372036854775808"), []string{"row -9223372036854775808: it was put before the first"}},
		"a row is put between":          {`UPDATE audit SET seq = -seq WHERE seq > 2; UPDATE audit SET seq = 1 - seq WHERE seq < 0; ` + fmt.Sprintf(copyRow, "3"), []string{"row 3: it does not follow the row before it", "row 7" + anewAt}},
		"two rows swap places":          {`UPDATE audit SET seq = 9 WHERE seq = 2; UPDATE audit SET seq = 2 WHERE seq = 4; UPDATE audit SET seq = 4 WHERE seq = 9`, []string{"row 2: it does not follow the row before it"}},
		"two rows swap their content":   {`UPDATE audit SET (salt, payload) = (SELECT salt, payload FROM audit b WHERE b.seq = 7 - audit.seq) WHERE seq IN (3, 4)`, []string{"row 3: its content was changed"}},
		"two rows":                      {`UPDATE audit SET actor = 'x' WHERE seq IN (4, 2)`, []string{"row 2: it was changed"}},
		"the last number is raised":     {`UPDATE sqlite_sequence SET seq = 9 WHERE name = 'audit'`, []string{"row 8: it is missing"}},
		"a run that answered is denied": {`UPDATE audit SET run = ''`, []string{"row 1: it was changed", unknown, unsaid}},
	} {
		t.Run(name, func(t *testing.T) {
			s := logged(t, 5)
			tamper(t, s, c.statements)
			must.Equal(t, c.want, faults(t, s))
		})
	}
}

func TestEveryColumnOfEveryRowIsWatched(t *testing.T) {
	changes := map[string]string{
		"seq": "seq + 100", "id": "'b'", "at_us": "at_us + 1", "thread": "'b'", "run": "'a/run/'", "actor": "'agent/other'", "node": "node || 'x'",
		"status": "'success'", "salt": "zeroblob(16)", "payload": "payload || ' '", "payload_hash": "zeroblob(32)",
		"prev_hash": "randomblob(32)", "hash": "zeroblob(32)", "redacted_us": "1", "state": "'failed'",
	}
	columns := columnsOf(t, logged(t, 1), "audit")
	if len(columns) != len(changes) {
		t.Fatalf("the columns are %v; each has a change", columns)
	}
	for _, column := range columns {
		for row := range 4 { // three replies, and one of a run
			s := logged(t, 3)
			tamper(t, s, fmt.Sprintf("UPDATE audit SET %s = %s WHERE seq = %d", column, changes[column], row+1))
			found := faults(t, s)
			if len(found) == 0 || !strings.HasPrefix(found[0], fmt.Sprintf("row %d: ", row+1)) {
				t.Errorf("%s of row %d: %q is found", column, row+1, found)
			}
		}
	}
}

// forge computes all hashes of the log anew.
func forge(t *testing.T, s *Store) {
	t.Helper()
	rows := must.Get(collect(scanAudit)(s.writer.QueryContext(t.Context(), selectAudit+"ORDER BY seq")))(t)
	prev := make([]byte, 32)
	for _, a := range rows {
		a.payloadHash, a.prev = a.sumPayload(), prev
		prev = a.sum()
		must.Get(s.writer.ExecContext(t.Context(), "UPDATE audit SET payload_hash = ?, prev_hash = ?, hash = ? WHERE seq = ?", a.payloadHash, a.prev, prev, a.seq))(t)
	}
}

func TestALogThatIsMadeAnewIsToldByTheHeadThatIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		statements string
		want       string
	}{
		"a word of the first row": {`UPDATE audit SET payload = replace(payload, 'message', 'massage') WHERE seq = 1`, "row 7" + anewAt},
		"the time of the last":    {`UPDATE audit SET at_us = 0 WHERE seq = 5`, "row 7" + anewAt},
		"a row less":              {`DELETE FROM audit WHERE seq = 2; UPDATE audit SET seq = seq - 1 WHERE seq > 2; UPDATE sqlite_sequence SET seq = 6 WHERE name = 'audit'`, "row 7" + cutAt},
		"a row more":              {fmt.Sprintf(copyRow, "8") + "; UPDATE audit SET seq = seq + 10 WHERE seq IN (1, 8); UPDATE audit SET seq = 8 WHERE seq = 11; UPDATE audit SET seq = 1 WHERE seq = 18", "row 7" + anewAt},
	} {
		t.Run(name, func(t *testing.T) {
			s := logged(t, 5)
			before := verify(t, s).Head
			tamper(t, s, c.statements)
			forge(t, s)
			must.Equal(t, []string{c.want}, faults(t, s))
			mustPut(t, s, storetest.Said("a", "a/run", "new"), storetest.Said("a", "a/run", "newer")) // that does not cover it up
			if found := faults(t, s); len(found) == 0 {
				t.Error("when the log went on nothing is found")
			}
			must.Do(t, os.Remove(s.headFile()))
			if found := faults(t, s); len(found) > 0 {
				t.Errorf("with no head %q is found", found)
			}
			report, err := s.VerifyAudit(t.Context(), before)
			if err != nil || len(report.Faults) != 1 || !strings.Contains(report.Faults[0].Why, "that was given") {
				t.Errorf("with the head from before: %+v, %v", report, err)
			}
		})
	}
	t.Run("the table is another one", func(t *testing.T) {
		s := logged(t, 5)
		var table string
		must.Do(t, s.writer.QueryRowContext(t.Context(), "SELECT sql FROM sqlite_schema WHERE name = 'audit'").Scan(&table))
		tamper(t, s, "DROP TABLE audit;"+table)
		must.Equal(t, []string{emptied, unknown, unsaid}, faults(t, s))
		must.Get(s.writer.ExecContext(t.Context(), "DROP TABLE audit"))(t)
		if _, err := s.VerifyAudit(t.Context(), core.AuditHead{}); core.CodeOf(err) != core.CodeCorrupt || core.HintOf(err) == "" {
			t.Errorf("without its table: %v", err)
		}
	})
}

func TestTheHeadThatIsKeptGoesWithTheLog(t *testing.T) {
	dir := t.TempDir()
	windows := []*Store{openIn(t, dir), openIn(t, dir)}
	mustPut(t, windows[0], storetest.Begin("a")...)
	for i := range 6 {
		s := windows[i%2]
		mustPut(t, s, storetest.Said("a", "a/run", fmt.Sprint(i)))
		report := verify(t, windows[0])
		if report.Kept != report.Head || report.Kept.Rows != int64(i+2) || len(report.Faults) > 0 {
			t.Errorf("after %d rows: %+v", i+1, report)
		}
	}
	entries := must.Get(os.ReadDir(dir))(t)
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm()&0o077 != 0 || strings.HasSuffix(e.Name(), partial) {
			t.Errorf("%s is there, with mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
}

func TestAHeadThatIsBehindIsNoTampering(t *testing.T) {
	for name, c := range map[string]struct {
		head  func(kept string) string // what is in the file after a crash
		rows  int64                    // of the head that is kept then
		fault string
	}{
		"a transaction": {head: func(string) string { return "OLDER" }, rows: 5},
		"no file":       {head: func(string) string { return "" }},
		"half of it":    {head: func(kept string) string { return kept[:20] }, fault: "the file yaap.db.head does not hold the head of an audit log"},
		"other bytes":   {head: func(string) string { return "\x00\x1b[2J" + strings.Repeat("x", 1<<16) }, fault: "the file yaap.db.head does not hold the head of an audit log"},
	} {
		t.Run(name, func(t *testing.T) {
			s := logged(t, 3)
			older := must.Get(os.ReadFile(s.headFile()))(t)
			mustPut(t, s, storetest.Said("a", "a/run", "4"))
			newer := must.Get(os.ReadFile(s.headFile()))(t)
			text := c.head(string(newer))
			if text == "OLDER" {
				text = string(older)
			}
			must.Do(t, os.WriteFile(s.headFile(), []byte(text), 0o600))
			var want []string
			if c.fault != "" {
				want = []string{c.fault}
			}
			if diff := cmp.Diff(want, faults(t, s)); diff != "" || verify(t, s).Kept.Rows != c.rows {
				t.Errorf("%+v (-want +got)\n%s", verify(t, s), diff)
			}
			mustPut(t, s, storetest.Said("a", "a/run", "5"))
			if report := verify(t, s); c.fault == "" && report.Kept.Rows != 7 {
				t.Errorf("after another row: %+v", report)
			}
		})
	}
}

func TestAHeadIsReadAsItIsPrinted(t *testing.T) {
	head := verify(t, logged(t, 3)).Head
	if got, err := core.ParseAuditHead(head.String()); err != nil || got != head {
		t.Errorf("%s is read as %v, %v", head, got, err)
	}
	if (core.AuditHead{}).String() != "" {
		t.Error("an empty log has a head")
	}
	for _, text := range []string{"", ":", "3", head.Hash, "0:" + head.Hash, "-1:" + head.Hash, "3:" + head.Hash[1:], "3:" + strings.Repeat("g", 64), head.String() + " "} {
		if _, err := core.ParseAuditHead(text); core.CodeOf(err) != core.CodeInvalid || core.HintOf(err) == "" {
			t.Errorf("%q: %v, want %s with a hint", text, err, core.CodeInvalid)
		}
	}
}

func TestADeletedEndIsStillMissedWhenTheLogGoesOn(t *testing.T) {
	s := logged(t, 5)
	tamper(t, s, `DELETE FROM audit WHERE seq > 3`)
	mustPut(t, s, storetest.Said("a", "a/run", "new"))
	if found := faults(t, s); len(found) == 0 || found[0] != "row 4: it is missing" {
		t.Errorf("got %q, want row 4 missing", found)
	}
	must.Get(s.writer.ExecContext(t.Context(), "DELETE FROM sqlite_sequence"))(t)
	mustPut(t, s, storetest.Said("a", "a/run", "newer")) // it does not keep anybody from working
	if report := verify(t, s); report.Rows != 5 || report.Faults[0].Row != 4 {
		t.Errorf("got %+v, want 5 rows and row 4 missing", report)
	}
}

func TestTheAuditLogIsAppendOnly(t *testing.T) {
	s := logged(t, 3)
	want := verify(t, s)
	for _, statement := range []string{
		`DELETE FROM audit WHERE seq = 3`,
		`UPDATE audit SET payload = '{}' WHERE seq = 2`,
		`UPDATE audit SET payload = NULL, salt = NULL WHERE seq = 2`,
		`UPDATE audit SET payload = NULL, salt = NULL, redacted_us = 1, actor = 'x' WHERE seq = 2`,
		fmt.Sprintf(copyRow, "4"), fmt.Sprintf(copyRow, "0"),
		`INSERT OR REPLACE INTO audit SELECT seq, id, at_us, thread, run, actor, 'x', status, salt, payload, payload_hash, prev_hash, hash, NULL, NULL FROM audit WHERE seq = 3`,
	} {
		if _, err := s.writer.ExecContext(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v, want it refused", statement, err)
		}
	}
	must.Equal(t, want, verify(t, s))
}

func TestARedactedRowKeepsTheChain(t *testing.T) {
	s := logged(t, 3)
	want := verify(t, s)
	note := storetest.Said("", "", "forgotten")
	note.Actor = forgetter
	must.Get(s.writer.ExecContext(t.Context(), `UPDATE audit SET payload = NULL, salt = NULL, redacted_us = ? WHERE seq = 2`, note.Time.UnixMicro()))(t)
	mustPut(t, s, note)
	got := verify(t, s)
	want.Rows, want.Redacted, want.Head, want.Kept = 6, 1, got.Head, got.Kept
	must.Equal(t, want, got)
	entries, err := s.Audit(t.Context(), core.AuditQuery{})
	if err != nil || len(entries) != 4 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	full := storetest.Said("a", "a/run", "2")
	left := core.AuditRow{
		ID: "2", Time: full.Time, Thread: full.Thread, Run: full.Run, Actor: full.Actor, Node: full.Node,
		AuditReply: core.AuditReply{Said: full.Status, Status: full.Status},
	}
	must.Equal(t, left, entries[1].Row)
}

func TestARowThatWasNotForgottenWithTheOthersIsNamed(t *testing.T) {
	s := logged(t, 3)
	mustPut(t, s, storetest.Begin("b")...)
	mustPut(t, s, storetest.Said("b", "b/run", "theirs"), core.RunRow{ID: "b/run", Thread: "b", State: core.RunCompleted, Time: storetest.At(6)})
	must.Get(s.Forget(t.Context(), core.ForgetQuery{Thread: "b"}))(t)
	if found := faults(t, s); len(found) > 0 {
		t.Fatal(found)
	}
	tamper(t, s, `UPDATE audit SET payload = NULL, salt = NULL, redacted_us = (SELECT max(redacted_us) FROM audit) WHERE seq = 2`)
	must.Equal(t, []string{"row 2: its content was taken away, and no row says that it was forgotten then"}, faults(t, s))
}

func TestOneChainIsKeptByTwoWindows(t *testing.T) {
	const putters, puts = 3, 20
	dir := t.TempDir()
	windows := []*Store{openIn(t, dir), openIn(t, dir)}
	mustPut(t, windows[0], storetest.Begin("a")...)
	var all sync.WaitGroup
	for w, s := range windows {
		for p := range putters {
			all.Go(func() {
				for n := range puts {
					id := fmt.Sprintf("%d-%d-%d", w, p, n)
					rows := []core.Row{storetest.Said("a", "a/run", id), storetest.Said("a", "a/run", id+"'"), storetest.Said("a", "a/run", "both")}
					if n%3 == 2 { // nothing of this one stays, and no gap either
						rows = append(rows, storetest.Say("nowhere", "", id))
					}
					if err := s.Put(t.Context(), rows...); (err != nil) != (n%3 == 2) {
						t.Errorf("Put %s: %v", id, err)
					}
				}
			})
		}
	}
	all.Wait()
	for _, s := range windows {
		want := 2 + 2*len(windows)*putters*(puts-puts/3)
		if report := verify(t, s); report.Rows != want || len(report.Faults) > 0 {
			t.Errorf("got %+v, want %d rows, all intact", report, want)
		}
	}
}

func TestTheLogIsReadInOrderWithItsHashes(t *testing.T) {
	s := logged(t, 3)
	var entries []core.AuditEntry
	for e, err := range s.AuditLog(t.Context()) {
		must.Do(t, err)
		entries = append(entries, e)
	}
	prev := strings.Repeat("00", 32)
	for i, e := range entries {
		if e.Seq != int64(i+1) || e.PrevHash != prev || len(e.Hash) != 64 || (e.Row.Ran == nil) != (i < 3) || i < 3 && e.Row.ID != fmt.Sprint(i+1) {
			t.Errorf("entry %d is %+v after %s", i, e, prev)
		}
		prev = e.Hash
	}
	if report := verify(t, s); report.Rows != len(entries) || report.Rows != 5 || report.Head.Hash != prev {
		t.Errorf("got %+v, want the head %s", report, prev)
	}
	for _, err := range s.AuditLog(t.Context()) {
		must.Report(t, err)
		break // gives its connection back
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range s.AuditLog(ended) {
		if err == nil {
			t.Error("the log is read after the context has ended")
		}
	}
	must.Equal(t, 0, s.reader.Stats().InUse)
}

func TestAnEntryThatCannotBeReadIsNotPassedOver(t *testing.T) {
	s := logged(t, 2)
	tamper(t, s, `UPDATE audit SET payload = '{"id":' WHERE seq = 2`)
	_, err := s.Audit(t.Context(), core.AuditQuery{})
	errs := map[string]error{"Audit": err}
	for _, err := range s.AuditLog(t.Context()) {
		errs["AuditLog"] = err
	}
	for name, err := range errs {
		if core.CodeOf(err) != core.CodeCorrupt || core.HintOf(err) == "" {
			t.Errorf("%s: %v, want %s with a hint", name, err, core.CodeCorrupt)
		}
	}
	if len(errs) != 2 {
		t.Errorf("only %v were tried", errs)
	}
}

func BenchmarkVerifyAudit(b *testing.B) {
	s := openIn(b, b.TempDir())
	for n := range 10 {
		var rows []core.Row
		for m := range 1000 {
			rows = append(rows, storetest.Said("a", "a/run", fmt.Sprint(n, "-", m)))
		}
		mustPut(b, s, rows...)
	}
	b.ReportAllocs()
	for b.Loop() {
		if report, err := s.VerifyAudit(b.Context(), core.AuditHead{}); err != nil || report.Rows != 10_000 {
			b.Fatal(report, err)
		}
	}
}

func TestAHeadThatAnotherHoldsIsNotWaitedForForEver(t *testing.T) {
	path := logged(t, 1).headFile()
	synctest.Test(t, func(t *testing.T) {
		f := must.Get(os.Open(path))(t)
		defer f.Close() //nolint:errcheck // it was only locked
		must.Do(t, private.Lock(f, private.Exclusive))
		s := &Store{path: strings.TrimSuffix(path, ".head")}
		if _, err := s.KeptHead(); core.CodeOf(err) != core.CodeBusy || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v, want it to name %s", err, path)
		}
	})
}
