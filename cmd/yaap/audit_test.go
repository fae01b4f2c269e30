package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/store"
)

// audited FILE puts the audit rows that stand in the file, one in a line of
// JSON, with the conversation and the run of each.
func auditedCommand(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := store.Open(ctx, ts.MkAbs("state/yaap"))
	ts.Check(err)
	written := make(chan error, 1)
	go func() { written <- s.Run(ctx) }()
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var row core.AuditRow
		ts.Check(json.Unmarshal([]byte(line), &row))
		ts.Check(s.Put(ctx, row,
			core.Thread{ID: row.Thread, Created: row.Time, Updated: row.Time},
			core.RunRow{ID: row.Run, Thread: row.Thread, Runner: row.Actor, State: core.RunCompleted, Time: row.Time}))
	}
	ts.Check(s.Close())
	ts.Check(<-written)
}

// head NAME sets NAME to the head of the audit log that was printed.
func headCommand(ts *testscript.TestScript, _ bool, args []string) {
	found := regexp.MustCompile(`head (\d+:[0-9a-f]{64})`).FindStringSubmatch(ts.ReadFile("stdout"))
	if found == nil {
		ts.Fatalf("no head was printed")
	}
	ts.Setenv(args[0], found[1])
}

// checkAudit fails unless the audit log that the story leaves is as the program
// wrote it, and knows all its runs.
func (s *story) checkAudit(t *testing.T) {
	dir := filepath.Join(s.work, "state", "yaap")
	if _, err := os.Stat(filepath.Join(dir, store.File)); err != nil || s.tampers {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	db, err := store.Open(ctx, dir)
	if err != nil {
		return // it is a story of databases that cannot be opened
	}
	defer db.Close() //nolint:errcheck // it was only read
	report, err := db.VerifyAudit(ctx, core.AuditHead{})
	if err != nil || len(report.Faults) > 0 {
		t.Errorf("the audit log in %s: %v, %v", dir, report.Faults, err)
	}
}

// tamper STATEMENTS changes the database past the program.
func tamperCommand(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	storyOf(ts).tampers = true
	db, err := sql.Open("sqlite", ts.MkAbs("state/yaap/"+store.File))
	ts.Check(err)
	defer db.Close() //nolint:errcheck // the statements are done
	_, err = db.ExecContext(ctx, args[0])
	ts.Check(err)
}

// TestEveryColumnOfTheRunsOfARealRoomIsWatched changes each column of each run that
// the program has made, past the program.
func TestEveryColumnOfTheRunsOfARealRoomIsWatched(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"asks.yaml": askingChain, "fails.yaml": failingChain} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for _, args := range [][]string{{"run", "what is 6 * 7 and what time is it in Tokyo?"}, {"chain", "run", "asks.yaml"}, {"chain", "run", "fails.yaml"}} {
		cmd := yaapIn(t, dir, append(args, "--builtin", "calc,clock")...)
		var failed *exec.ExitError
		if said, err := cmd.CombinedOutput(); err != nil && (!errors.As(err, &failed) || !slices.Contains([]int{exitFailed, exitClarification}, failed.ExitCode())) {
			t.Fatalf("yaap %s: %v\n%s", strings.Join(args, " "), err, said)
		}
	}
	s := must.Get(store.Open(t.Context(), filepath.Join(dir, "state", "yaap")))(t)
	defer s.Close() //nolint:errcheck // it was only read
	db := must.Get(sql.Open("sqlite", filepath.Join(dir, "state", "yaap", store.File)))(t)
	defer db.Close() //nolint:errcheck // its statements are done
	faults := func() string {
		t.Helper()
		report := must.Get(s.VerifyAudit(t.Context(), core.AuditHead{}))(t)
		return strings.Trim(fmt.Sprint(report.Faults), "[]")
	}
	if found := faults(); found != "" {
		t.Fatalf("as the program wrote it: %s", found)
	}
	runs, columns := listed(t, db, "SELECT id FROM run"), listed(t, db, "SELECT name FROM pragma_table_info('run')")
	if states := listed(t, db, "SELECT DISTINCT state FROM run ORDER BY 1"); len(runs) < 5 || !slices.Equal(states, []string{"completed", "failed", "interrupted"}) {
		t.Fatalf("there are runs %q, in the states %q", runs, states)
	}
	for _, column := range columns {
		for _, run := range runs {
			var was any
			err := db.QueryRowContext(t.Context(), "SELECT "+column+" FROM run WHERE id = ?", run).Scan(&was)
			if err == nil {
				err = change(t, db, column, run, was)
			}
			if err != nil {
				t.Fatalf("%s of %s: %v", column, run, err)
			}
			found := faults()
			if want := fmt.Sprintf("run %q: the log has %s ", run, column); column != "id" && !strings.Contains(found, want) || column == "id" && !strings.Contains(found, run+" is not in the database") {
				t.Errorf("%s of %s: found is %q", column, run, found)
			}
			changed := run
			if column == "id" {
				changed = run + "x"
			}
			must.Get(db.ExecContext(t.Context(), "UPDATE run SET "+column+" = ? WHERE id = ?", was, changed))(t)
		}
	}
	if found := faults(); found != "" {
		t.Errorf("when all is as it was: %s", found)
	}
}

func listed(t *testing.T, db *sql.DB, query string) (list []string) {
	t.Helper()
	rows := must.Get(db.QueryContext(t.Context(), query))(t)
	defer rows.Close() //nolint:errcheck // all were read
	for rows.Next() {
		var text string
		must.Do(t, rows.Scan(&text))
		list = append(list, text)
	}
	must.Do(t, rows.Err())
	return list
}

// change gives a column of a run another value that it may have.
func change(t *testing.T, db *sql.DB, column, run string, was any) error {
	t.Helper()
	var value any = "other"
	switch was := was.(type) {
	case int64:
		value = was + 1
	case string:
		value = was + "x"
		if column == "state" {
			value = map[bool]string{true: "completed", false: "failed"}[was == "failed"]
		}
	}
	_, err := db.ExecContext(t.Context(), "UPDATE run SET "+column+" = ? WHERE id = ?", value, run)
	return err
}
