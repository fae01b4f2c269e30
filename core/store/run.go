package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// storeRun stores a run or brings it into another state:
//
//   - A run that ends, ends; once completed it stays so.
//   - A run that was interrupted or has failed may run again, in this window;
//     a row from before its end changes nothing.
//   - A root run that begins to run here claims its thread.
//   - A run that runs here already is left as it is.
func (s *Store) storeRun(ctx context.Context, tx *sql.Tx, row core.RunRow) error {
	var (
		room  string
		code  string
		state core.RunState
		since int64
	)
	err := tx.QueryRowContext(ctx, "SELECT room, state, code, state_us FROM run WHERE id = ?", row.ID).Scan(&room, &state, &code, &since)
	if errors.Is(err, sql.ErrNoRows) {
		if err := s.claim(ctx, tx, row); err != nil {
			return err
		}
		return s.changeRuns(ctx, tx,
			`INSERT INTO run(id, thread, parent, runner, room, state, code, depth, started_us, state_us) VALUES(?, ?, nullif(?, ''), ?, ?, ?, ?, ?, ?, ?)`,
			row.ID, row.Thread, row.Parent, row.Runner, s.room.id, string(row.State), string(row.Code), row.Depth, row.Time.UnixMicro(), row.Time.UnixMicro())
	}
	if err != nil {
		return err
	}
	stale := row.Time.UnixMicro() < since
	switch {
	case row.State == state && string(row.Code) == code && (state != core.RunRunning || room == s.room.id):
		return nil
	case state != core.RunRunning && stale:
		return nil
	case state == core.RunCompleted && row.State == core.RunRunning:
		return core.Fail(core.CodeConflict, "this question has been answered", "ask it again as a new one")
	case state == core.RunCompleted:
		return nil
	case row.State == core.RunRunning:
		if err := s.claim(ctx, tx, row); err != nil {
			return err
		}
	}
	return s.changeRuns(ctx, tx, "UPDATE run SET state = ?, code = ?, state_us = ?, room = ? WHERE id = ?",
		string(row.State), string(row.Code), row.Time.UnixMicro(), s.room.id, row.ID)
}

// claim makes sure that nobody else runs the thread of a root run that is
// about to run. Where the window that did is dead, its runs are interrupted.
func (s *Store) claim(ctx context.Context, tx *sql.Tx, row core.RunRow) error {
	if row.State != core.RunRunning || row.Parent != "" {
		return nil
	}
	var run, room string
	err := tx.QueryRowContext(ctx, "SELECT id, room FROM run WHERE thread = ? AND state = 'running' AND parent IS NULL", row.Thread).Scan(&run, &room)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	case !s.room.alive(room):
		return s.interruptDead(ctx, tx, row.Time)
	case room == s.room.id:
		return core.Fail(core.CodeBusy, "this conversation is still being answered", "wait for the answer, or stop it first")
	}
	return core.Fail(core.CodeBusy, "this conversation is being answered in another window",
		"wait until it is done there, or begin another conversation with /new")
}

// interruptDead marks the runs of dead windows as interrupted at that time.
func (s *Store) interruptDead(ctx context.Context, tx *sql.Tx, at time.Time) error {
	rooms, err := collect(scanText)(tx.QueryContext(ctx, "SELECT DISTINCT room FROM run WHERE state = 'running'"))
	if err != nil {
		return err
	}
	for _, room := range rooms {
		if s.room.alive(room) {
			continue
		}
		if err := s.changeRuns(ctx, tx, "UPDATE run SET state = 'interrupted', code = '', state_us = ? WHERE room = ? AND state = 'running'", at.UnixMicro(), room); err != nil {
			return fmt.Errorf("interrupt the runs of room %s: %w", room, err)
		}
	}
	return nil
}
