package store

import (
	"context"
	"database/sql"

	"github.com/yaap-chat/yaap/core"
)

// The audit log tells of every run what its row in the table is: a row of the
// log is appended in the transaction in which the run begins or comes into
// another state.

// runColumns are all columns of a run, in the order of [scanRunState].
const runColumns = "id, thread, coalesce(parent, ''), runner, room, state, code, depth, started_us, state_us"

// scanRunState reads a run as the audit log tells of it.
func scanRunState(rows *sql.Rows) (core.AuditRow, error) {
	var ran core.AuditRun
	row := core.AuditRow{Ran: &ran}
	err := rows.Scan(&row.Run, &row.Thread, &ran.Parent, &row.Actor, &ran.Room, &ran.State, &ran.Code, &ran.Depth, stamp{&ran.Started}, stamp{&row.Time})
	return row, err
}

// changeRuns inserts or updates runs with a statement, and appends to the audit
// log what they are since.
func (s *Store) changeRuns(ctx context.Context, tx *sql.Tx, statement string, args ...any) error {
	changed, err := collect(scanRunState)(tx.QueryContext(ctx, statement+" RETURNING "+runColumns, args...))
	if err != nil {
		return err
	}
	return s.logRuns(ctx, tx, changed)
}

func (s *Store) logRuns(ctx context.Context, tx *sql.Tx, runs []core.AuditRow) error {
	for _, row := range runs {
		row.ID = newID()
		payload, err := encode(row.Ran)
		if err != nil {
			return err
		}
		a := sealed(row, payload)
		a.state = sql.NullString{String: string(row.Ran.State), Valid: true}
		if err := s.storeAudit(ctx, tx, a); err != nil {
			return err
		}
	}
	return nil
}

// logOldRuns appends the runs of a database from before the audit log told of
// runs, as they are.
func (s *Store) logOldRuns(ctx context.Context, tx *sql.Tx) (err error) {
	// The store's own statements are prepared when the database is up to date.
	if s.insert[kindAudit], err = tx.PrepareContext(ctx, inserts()[kindAudit]); err != nil {
		return err
	}
	const many = 500
	for after, more := "", true; more; {
		runs, err := collect(scanRunState)(tx.QueryContext(ctx, "SELECT "+runColumns+" FROM run WHERE id > ? ORDER BY id LIMIT ?", after, many))
		if err != nil {
			return err
		}
		if err := s.logRuns(ctx, tx, runs); err != nil {
			return err
		}
		if more = len(runs) == many; more {
			after = runs[many-1].Run
		}
	}
	return nil
}
