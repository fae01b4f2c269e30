package store

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store/storetest"
)

// ran returns a store with runs of every state: one that was interrupted, went on
// and completed; one below it that failed; one that waits for an answer; and one
// that goes on.
func ran(t *testing.T, dir string) *Store {
	t.Helper()
	s := openIn(t, dir)
	for _, thread := range []string{"a", "b", "c"} {
		mustPut(t, s, storetest.Begin(thread)...)
	}
	at := func(id, parent string, depth int, state core.RunState, code core.Code, second int) {
		mustPut(t, s, core.RunRow{ID: id, Thread: id[:1], Parent: parent, Runner: "agent/main", State: state, Code: code, Depth: depth, Time: storetest.At(second)})
	}
	at("a/run/call", "a/run", 1, core.RunRunning, "", 2)
	at("a/run/call", "a/run", 1, core.RunFailed, core.CodeTurnLimit, 3)
	at("a/run", "", 0, core.RunInterrupted, core.CodeStopped, 4)
	at("a/run", "", 0, core.RunRunning, "", 5)
	at("a/run", "", 0, core.RunCompleted, "", 6)
	at("b/run", "", 0, core.RunInterrupted, "", 4)
	return s
}

func columnsOf(t *testing.T, s *Store, table string) []string {
	t.Helper()
	columns, err := collect(func(rows *sql.Rows) (name string, err error) { return name, rows.Scan(&name) })(
		s.reader.QueryContext(t.Context(), "SELECT name FROM pragma_table_info(?)", table))
	must.Do(t, err)
	return columns
}

func TestEveryColumnOfEveryRunIsWatched(t *testing.T) {
	changes := map[string]string{
		"id": "id || 'x'", "thread": "'z'", "parent": "CASE WHEN parent IS NULL THEN 'b/run' END", "runner": "'agent/other'", "room": "'r'",
		"state": "CASE state WHEN 'completed' THEN 'failed' ELSE 'completed' END", "code": "code || 'x'", "depth": "depth + 1",
		"started_us": "started_us - 1", "state_us": "state_us + 1",
	}
	s := ran(t, t.TempDir())
	if found := faults(t, s); len(found) > 0 {
		t.Fatalf("as they were written %q is found", found)
	}
	columns := columnsOf(t, s, "run")
	if len(columns) != len(changes) {
		t.Fatalf("the columns are %v; each has a change", columns)
	}
	for _, column := range columns {
		for _, run := range []string{"a/run", "a/run/call", "b/run", "c/run"} {
			s := ran(t, t.TempDir())
			var was, is any
			read := func(id string, value *any) {
				t.Helper()
				must.Do(t, s.reader.QueryRowContext(t.Context(), "SELECT "+column+" FROM run WHERE id = ?", id).Scan(value))
			}
			read(run, &was)
			tamper(t, s, fmt.Sprintf("UPDATE run SET %s = %s WHERE id = '%s'", column, changes[column], run))
			found := strings.Join(faults(t, s), "\n")
			if column == "id" {
				if !strings.Contains(found, "its run "+run+" is not in the database") || !strings.Contains(found, `in no row, the first is run "`+run+`x"`) {
					t.Errorf("%s of %s: %q is found", column, run, found)
				}
				continue
			}
			read(run, &is)
			told := func(v any) string {
				switch n, number := v.(int64); {
				case v == nil:
					return `""`
				case number && strings.HasSuffix(column, "_us"):
					return fmt.Sprintf("%q", moment(micros(n)))
				}
				return fmt.Sprintf("%q", fmt.Sprint(v))
			}
			if want := fmt.Sprintf(": run %q: the log has %s %s, the table of runs %s", run, column, told(was), told(is)); !strings.HasSuffix(found, want) || strings.Contains(found, "\n") {
				t.Errorf("%s of %s: %q is found, want it to end with %q", column, run, found, want)
			}
		}
	}
}

// TestEveryTableIsCheckedOrKnownNotToBe fails for a table that nobody has thought
// about: the first ones are watched column by column.
func TestEveryTableIsCheckedOrKnownNotToBe(t *testing.T) {
	known := []string{
		"audit", "run",
		"session", "thread", "branch", // titles and times for people; a thread is in each row of the log
		"message", "event", "checkpoint", "pause", "answer", // the log has the replies, and not all that led to them
		"learned", "standing", "recording", "unrecorded", "forgotten", "vault", "memory", "entry", "entry_part", "entry_tag", "entry_life", "context", "embedding", "memory_state",
	}
	tables, err := collect(func(rows *sql.Rows) (name string, err error) { return name, rows.Scan(&name) })(
		ran(t, t.TempDir()).reader.QueryContext(t.Context(), "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite%'"))
	must.Do(t, err)
	slices.Sort(known)
	slices.Sort(tables)
	must.Equal(t, known, tables)
}

func TestARunThatIsAddedByHandIsNamed(t *testing.T) {
	s := ran(t, t.TempDir())
	tamper(t, s, `INSERT INTO run(id, thread, runner, room, state, depth, started_us, state_us)
		SELECT 'new', thread, runner, room, state, depth, started_us, state_us FROM run WHERE id = 'a/run'`)
	must.Equal(t, []string{`1 runs are in the database and in no row, the first is run "new"`}, faults(t, s))
}

func TestARunThatGoesOnAfterItWasChangedDoesNotCoverThatUp(t *testing.T) {
	s := ran(t, t.TempDir())
	tamper(t, s, `UPDATE run SET runner = 'agent/other', started_us = 1 WHERE id = 'b/run'`)
	mustPut(t, s, core.RunRow{ID: "b/run", Thread: "b", State: core.RunRunning, Time: storetest.At(8)})
	mustPut(t, s, core.RunRow{ID: "b/run", Thread: "b", State: core.RunCompleted, Time: storetest.At(9)})
	if found := strings.Join(faults(t, s), "\n"); !strings.Contains(found, `runner "agent/main", the table of runs "agent/other"`) || !strings.Contains(found, "started_us") {
		t.Errorf("%q is found", found)
	}
}

func TestManyRunsThatWereChangedAreCounted(t *testing.T) {
	s := openIn(t, t.TempDir())
	mustPut(t, s, core.Thread{ID: "a"})
	for i := range maxChanged + 5 {
		mustPut(t, s, core.RunRow{ID: fmt.Sprint("a/", i), Thread: "a", State: core.RunCompleted, Time: storetest.At(i)})
	}
	tamper(t, s, `UPDATE run SET runner = printf('%.*c', 100000, 'x')`)
	found := faults(t, s)
	if len(found) != maxChanged+1 || found[maxChanged] != "5 more columns of runs are not what the log says" {
		t.Errorf("%d are found, the last is %q", len(found), found[len(found)-1])
	}
	if size := len(strings.Join(found, "")); size > 8<<10 {
		t.Errorf("they are said in %d bytes", size)
	}
}

func TestRunsThatEndInTheirOwnWaysAreNoFalseAlarm(t *testing.T) {
	t.Run("their window dies", func(t *testing.T) {
		dir := t.TempDir()
		s := ran(t, dir)
		must.Do(t, s.Close())
		s = openIn(t, dir) // interrupts c/run
		if saved, err := s.Load(t.Context(), "c/run"); err != nil || saved.Run.State != core.RunInterrupted {
			t.Fatalf("%+v, %v", saved.Run, err)
		}
		if found := faults(t, s); len(found) > 0 {
			t.Errorf("%q is found", found)
		}
	})
	t.Run("they are forgotten", func(t *testing.T) {
		s := ran(t, t.TempDir())
		for _, thread := range []string{"a", "b"} {
			must.Get(s.Forget(t.Context(), core.ForgetQuery{Thread: thread}))(t)
			if found := faults(t, s); len(found) > 0 {
				t.Errorf("%s: %q is found", thread, found)
			}
		}
		if report := verify(t, s); report.Redacted != 0 { // there were no replies
			t.Errorf("%+v", report)
		}
	})
	t.Run("the same is put again, and what is stale", func(t *testing.T) {
		s := ran(t, t.TempDir())
		before := verify(t, s).Rows
		mustPut(t, s, core.RunRow{ID: "a/run", Thread: "a", State: core.RunCompleted, Time: time.Now()},
			core.RunRow{ID: "b/run", Thread: "b", State: core.RunFailed, Time: storetest.At(1)})
		if report := verify(t, s); report.Rows != before || len(report.Faults) > 0 {
			t.Errorf("%+v, with %d rows before", report, before)
		}
	})
}

func TestWhatBecameOfARunIsNeverRedacted(t *testing.T) {
	s := ran(t, t.TempDir())
	const redact = `UPDATE audit SET payload = NULL, salt = NULL, redacted_us = 7 WHERE seq = 2`
	if _, err := s.writer.ExecContext(t.Context(), redact); err == nil || !strings.Contains(err.Error(), "append-only") {
		t.Errorf("%v, want it refused", err)
	}
	tamper(t, s, redact)
	if found := faults(t, s); len(found) == 0 || found[0] != "row 2: its content was taken away, and it tells of a run, of which nothing is forgotten" {
		t.Errorf("%q is found", found)
	}
}

func TestNobodyPutsWhatBecameOfARunByHand(t *testing.T) {
	s := ran(t, t.TempDir())
	if err := s.Put(t.Context(), core.AuditRow{ID: "x", Run: "a/run", Ran: &core.AuditRun{State: core.RunFailed}}); err == nil {
		t.Error("it is accepted")
	}
}

func TestTheHeadThatIsKeptKnowsOfRuns(t *testing.T) {
	if report := verify(t, ran(t, t.TempDir())); report.Kept != report.Head || report.Rows != 9 {
		t.Errorf("%+v", report)
	}
}
