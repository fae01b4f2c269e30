package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"yaap/core"
	"yaap/core/store"
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
