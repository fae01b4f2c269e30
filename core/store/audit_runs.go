package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/yaap-chat/yaap/core"
)

const (
	maxChanged  = 20 // columns that are named
	shownColumn = 80 // bytes of what one holds
)

// compareRuns checks that the table of runs is what the log tells of them: that
// every run is in the log as it is, that the runs which the log names are there,
// and that every answer is in it. Forgetting takes words, not runs.
func (s *Store) compareRuns(ctx context.Context, c *auditCheck) error {
	if err := s.compareColumns(ctx, c); err != nil {
		return err
	}
	var runs, rows, row int64
	var run, lost string
	err := s.reader.QueryRowContext(ctx, `
		SELECT count(*), coalesce(min(id), '') FROM run
		WHERE state IN ('completed', 'failed') AND NOT EXISTS (SELECT 1 FROM audit WHERE audit.run = run.id AND audit.state IS NULL)
			AND EXISTS (SELECT 1 FROM message WHERE message.run = run.id AND role = 'assistant'
				AND coalesce(json_extract(CASE WHEN json_valid(body) THEN body END, '$.reply.status'), ?1) <> ?1)`,
		string(core.StatusClarification), // a question is no answer
	).Scan(&runs, &run)
	if err != nil {
		return err
	}
	if runs > 0 {
		c.fault(0, fmt.Sprintf("answers of %d runs are in no row, the first is that of run %s", runs, run))
	}
	err = s.reader.QueryRowContext(ctx, `
		SELECT count(DISTINCT run), coalesce(min(seq), 0), coalesce(run, '') FROM audit -- the run of the first
		WHERE run <> '' AND NOT EXISTS (SELECT 1 FROM run WHERE run.id = audit.run)`).Scan(&rows, &row, &lost)
	if err != nil {
		return err
	}
	if rows > 0 {
		c.fault(row, fmt.Sprintf("its run %s is not in the database; %d runs that the log names are not", lost, rows))
	}
	return nil
}

// compareColumns checks every column of every run. What never changes is compared
// with the first row of the log that tells of the run, since a later one may tell
// of what was changed by then; the others are compared with the last.
func (s *Store) compareColumns(ctx context.Context, c *auditCheck) error {
	unknown, first, changed := 0, "", 0
	for r, err := range stream(scanLogged)(s.reader.QueryContext(ctx, `
		SELECT run.id, run.thread, coalesce(run.parent, ''), run.runner, run.room, run.state, run.code, run.depth, run.started_us, run.state_us,
			began.seq, began.thread, began.actor, began.payload, last.seq, last.at_us, last.payload
		FROM run
		LEFT JOIN audit AS began ON began.seq = (SELECT min(seq) FROM audit WHERE audit.run = run.id AND audit.state IS NOT NULL)
		LEFT JOIN audit AS last ON last.seq = (SELECT max(seq) FROM audit WHERE audit.run = run.id AND audit.state IS NOT NULL)
		ORDER BY run.id`)) {
		if err != nil {
			return err
		}
		if !r.began.Valid {
			if unknown++; unknown == 1 {
				first = r.now.Run
			}
			continue
		}
		for _, d := range r.differences() {
			if changed++; changed <= maxChanged {
				c.fault(d.row, fmt.Sprintf("run %s: the log has %s %s, the table of runs %s", shown(r.now.Run), d.column, shown(d.log), shown(d.table)))
			}
		}
	}
	if changed > maxChanged {
		c.fault(0, fmt.Sprintf("%d more columns of runs are not what the log says", changed-maxChanged))
	}
	if unknown > 0 {
		c.fault(0, fmt.Sprintf("%d runs are in the database and in no row, the first is run %s", unknown, shown(first)))
	}
	return nil
}

// loggedRun is a run as it is, and what the log tells of it.
type loggedRun struct {
	now           core.AuditRow
	began, last   sql.NullInt64 // places of the rows; none: the log knows nothing of it
	thread, actor sql.NullString
	since         sql.NullInt64
	first, latest sql.NullString // content of the rows
}

func scanLogged(rows *sql.Rows) (r loggedRun, err error) {
	var ran core.AuditRun
	r.now.Ran = &ran
	err = rows.Scan(&r.now.Run, &r.now.Thread, &ran.Parent, &r.now.Actor, &ran.Room, &ran.State, &ran.Code, &ran.Depth, stamp{&ran.Started}, stamp{&r.now.Time},
		&r.began, &r.thread, &r.actor, &r.first, &r.last, &r.since, &r.latest)
	return r, err
}

// difference is a column of a run that is not what a row of the log says.
type difference struct {
	row                int64
	column, log, table string
}

func (r loggedRun) differences() (found []difference) {
	var first, latest core.AuditRun
	if json.Unmarshal([]byte(r.first.String), &first) != nil || json.Unmarshal([]byte(r.latest.String), &latest) != nil {
		return nil // a content that was changed is told of as that
	}
	now := r.now.Ran
	for _, d := range []difference{
		{r.began.Int64, "thread", r.thread.String, r.now.Thread},
		{r.began.Int64, "parent", first.Parent, now.Parent},
		{r.began.Int64, "runner", r.actor.String, r.now.Actor},
		{r.began.Int64, "depth", strconv.Itoa(first.Depth), strconv.Itoa(now.Depth)},
		{r.began.Int64, "started_us", moment(first.Started), moment(now.Started)},
		{r.last.Int64, "room", latest.Room, now.Room},
		{r.last.Int64, "state", string(latest.State), string(now.State)},
		{r.last.Int64, "code", string(latest.Code), string(now.Code)},
		{r.last.Int64, "state_us", moment(micros(r.since.Int64)), moment(r.now.Time)},
	} {
		if d.log != d.table {
			found = append(found, d)
		}
	}
	return found
}

func moment(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// shown is what a column holds, whatever it is, in one short line.
func shown(text string) string {
	if len(text) > shownColumn {
		text = text[:shownColumn] + "…"
	}
	return strconv.Quote(text)
}
