package store

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"yaap/core"
	"yaap/core/store/storetest"
)

// logged returns a store with an audit log of n rows.
func logged(t testing.TB, n int) *Store {
	t.Helper()
	s := openIn(t, t.TempDir())
	for i := range n {
		mustPut(t, s, storetest.Said("a", "a/run", fmt.Sprint(i+1)))
	}
	return s
}

// tamper does to the audit log what the triggers refuse.
func tamper(t *testing.T, s *Store, statements string) {
	t.Helper()
	if _, err := s.writer.ExecContext(t.Context(),
		"DROP TRIGGER audit_append; DROP TRIGGER audit_keep; DROP TRIGGER audit_redact;"+statements); err != nil {
		t.Fatal(err)
	}
}

func verify(t *testing.T, s *Store) core.AuditReport {
	t.Helper()
	report, err := s.VerifyAudit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return report
}

const copyRow = "INSERT INTO audit SELECT %s, 'new', at_us, thread, run, actor, node, status, salt, payload, payload_hash, prev_hash, hash, NULL FROM audit WHERE seq = 2"

func TestWhatIsTamperedWithIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		statements string
		broken     int64
	}{
		"nothing":                     {"", 0},
		"the content":                 {`UPDATE audit SET payload = replace(payload, 'message', 'massage') WHERE seq = 3`, 3},
		"the salt":                    {`UPDATE audit SET salt = zeroblob(16) WHERE seq = 3`, 3},
		"the content and its hash":    {`UPDATE audit SET payload = '{}', payload_hash = zeroblob(32) WHERE seq = 3`, 3},
		"the content, unsaid":         {`UPDATE audit SET payload = NULL, salt = NULL WHERE seq = 3`, 3},
		"the time":                    {`UPDATE audit SET at_us = at_us + 1 WHERE seq = 1`, 1},
		"the thread":                  {`UPDATE audit SET thread = 'b' WHERE seq = 2`, 2},
		"the run":                     {`UPDATE audit SET run = 'b' WHERE seq = 2`, 2},
		"the id":                      {`UPDATE audit SET id = 'b' WHERE seq = 2`, 2},
		"the actor":                   {`UPDATE audit SET actor = 'agent/other' WHERE seq = 2`, 2},
		"what is whose":               {`UPDATE audit SET actor = actor || node, node = '' WHERE seq = 2`, 2},
		"the status":                  {`UPDATE audit SET status = 'success' WHERE seq = 5`, 5},
		"the hash":                    {`UPDATE audit SET hash = zeroblob(32) WHERE seq = 2`, 2},
		"the hash before":             {`UPDATE audit SET prev_hash = zeroblob(32) WHERE seq = 2`, 2},
		"a row is deleted":            {`DELETE FROM audit WHERE seq = 2`, 2},
		"the first is deleted":        {`DELETE FROM audit WHERE seq = 1`, 1},
		"the last is deleted":         {`DELETE FROM audit WHERE seq = 5`, 5},
		"all are deleted":             {`DELETE FROM audit`, 1},
		"deleted, the rest moved up":  {`DELETE FROM audit WHERE seq = 2; UPDATE audit SET seq = seq - 1 WHERE seq > 2`, 2},
		"a row is added":              {fmt.Sprintf(copyRow, "6"), 6},
		"a row is added far away":     {fmt.Sprintf(copyRow, "9223372036854775807"), 6},
		"a row is put before":         {fmt.Sprintf(copyRow, "0"), 1}, // there is no place 0: the row after it is named
		"a row is put far before":     {fmt.Sprintf(copyRow, "-9223372036854775808"), -9223372036854775808},
		"a row is put between":        {`UPDATE audit SET seq = -seq WHERE seq > 2; UPDATE audit SET seq = 1 - seq WHERE seq < 0; ` + fmt.Sprintf(copyRow, "3"), 3},
		"two rows swap places":        {`UPDATE audit SET seq = 9 WHERE seq = 2; UPDATE audit SET seq = 2 WHERE seq = 4; UPDATE audit SET seq = 4 WHERE seq = 9`, 2},
		"two rows swap their content": {`UPDATE audit SET (salt, payload) = (SELECT salt, payload FROM audit b WHERE b.seq = 7 - audit.seq) WHERE seq IN (3, 4)`, 3},
		"two rows":                    {`UPDATE audit SET actor = 'x' WHERE seq IN (4, 2)`, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := logged(t, 5)
			tamper(t, s, c.statements)
			report := verify(t, s)
			if report.Broken != c.broken || (report.Why == "") != (report.Rows == 5 && name == "nothing") {
				t.Errorf("got %+v, want row %d named with a reason", report, c.broken)
			}
		})
	}
}

func TestADeletedEndIsStillMissedWhenTheLogGoesOn(t *testing.T) {
	s := logged(t, 5)
	tamper(t, s, `DELETE FROM audit WHERE seq > 3`)
	mustPut(t, s, storetest.Said("a", "a/run", "new"))
	if report := verify(t, s); report.Broken != 4 {
		t.Errorf("got %+v, want row 4 missing", report)
	}
	tamperAgain := "DELETE FROM sqlite_sequence"
	if _, err := s.writer.ExecContext(t.Context(), tamperAgain); err != nil {
		t.Fatal(err)
	}
	mustPut(t, s, storetest.Said("a", "a/run", "newer")) // it does not keep anybody from working
	if report := verify(t, s); report.Rows != 5 || report.Broken != 4 {
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
		`INSERT OR REPLACE INTO audit SELECT seq, id, at_us, thread, run, actor, 'x', status, salt, payload, payload_hash, prev_hash, hash, NULL FROM audit WHERE seq = 3`,
	} {
		if _, err := s.writer.ExecContext(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v, want it refused", statement, err)
		}
	}
	if diff := cmp.Diff(want, verify(t, s)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestARedactedRowKeepsTheChain(t *testing.T) {
	s := logged(t, 3)
	want := verify(t, s)
	if _, err := s.writer.ExecContext(t.Context(), `UPDATE audit SET payload = NULL, salt = NULL, redacted_us = 1 WHERE seq = 2`); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, verify(t, s)); diff != "" || want.Broken != 0 {
		t.Errorf("%+v (-want +got)\n%s", want, diff)
	}
	entries, err := s.Audit(t.Context(), core.AuditQuery{})
	if err != nil || len(entries) != 3 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	full := storetest.Said("a", "a/run", "2")
	left := core.AuditRow{
		ID: "2", Time: full.Time, Thread: full.Thread, Run: full.Run, Actor: full.Actor, Node: full.Node,
		AuditReply: core.AuditReply{Said: full.Status, Status: full.Status},
	}
	if diff := cmp.Diff(left, entries[1].Row); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
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
		want := 1 + 2*len(windows)*putters*(puts-puts/3)
		if report := verify(t, s); report.Rows != want || report.Broken != 0 {
			t.Errorf("got %+v, want %d rows, all intact", report, want)
		}
	}
}

func TestTheLogIsReadInOrderWithItsHashes(t *testing.T) {
	s := logged(t, 3)
	var entries []core.AuditEntry
	for e, err := range s.AuditLog(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	prev := strings.Repeat("00", 32)
	for i, e := range entries {
		if e.Seq != int64(i+1) || e.PrevHash != prev || len(e.Hash) != 64 || e.Row.ID != fmt.Sprint(i+1) {
			t.Errorf("entry %d is %+v after %s", i, e, prev)
		}
		prev = e.Hash
	}
	if report := verify(t, s); report.Rows != len(entries) || report.Rows != 3 || report.Head != prev {
		t.Errorf("got %+v, want the head %s", report, prev)
	}
	for _, err := range s.AuditLog(t.Context()) {
		if err != nil {
			t.Error(err)
		}
		break // gives its connection back
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range s.AuditLog(ended) {
		if err == nil {
			t.Error("the log is read after the context has ended")
		}
	}
	if got := s.reader.Stats().InUse; got != 0 {
		t.Errorf("%d connections are in use", got)
	}
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

func BenchmarkPutAudit(b *testing.B) {
	s := openIn(b, b.TempDir())
	mustPut(b, s, storetest.Begin("a")...)
	n := 0
	for b.Loop() {
		n++
		mustPut(b, s, storetest.Say("a", "a/run", fmt.Sprint(n)), storetest.Said("a", "a/run", fmt.Sprint(n)))
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
		if report, err := s.VerifyAudit(b.Context()); err != nil || report.Broken != 0 {
			b.Fatal(report, err)
		}
	}
}
