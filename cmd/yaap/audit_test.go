package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"

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

// tamper STATEMENTS changes the database past the program.
func tamperCommand(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	db, err := sql.Open("sqlite", ts.MkAbs("state/yaap/"+store.File))
	ts.Check(err)
	defer db.Close() //nolint:errcheck // the statements are done
	_, err = db.ExecContext(ctx, args[0])
	ts.Check(err)
}
