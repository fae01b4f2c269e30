package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"yaap/core"
)

// prefixLength is how much of a thread's id must be given at least.
const prefixLength = 6

// Load implements [core.Journal].
func (s *Store) Load(ctx context.Context, run string) (core.Saved, error) {
	saved, err := s.load(ctx, run)
	if err != nil {
		return core.Saved{}, s.fail("load run "+run, err)
	}
	return saved, nil
}

func (s *Store) load(ctx context.Context, run string) (saved core.Saved, err error) {
	tx, err := s.reader.BeginTx(ctx, nil) // what is read belongs together
	if err != nil {
		return saved, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	var at int64
	r := &saved.Run
	err = tx.QueryRowContext(ctx, "SELECT id, thread, coalesce(parent, ''), runner, state, depth, state_us FROM run WHERE id = ?", run).
		Scan(&r.ID, &r.Thread, &r.Parent, &r.Runner, &r.State, &r.Depth, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return core.Saved{}, nil
	}
	if err != nil {
		return saved, err
	}
	r.Time = micros(at)
	saved.Messages, err = collect(s.message)(tx.QueryContext(ctx, "SELECT id, body FROM message WHERE run = ? ORDER BY n", run))
	if err != nil {
		return saved, err
	}
	saved.Steps, err = collect(scanCheckpoint)(tx.QueryContext(ctx, "SELECT run, step, state, at_us FROM checkpoint WHERE run = ? ORDER BY step", run))
	return saved, err
}

func scanCheckpoint(rows *sql.Rows) (core.Checkpoint, error) {
	var (
		c     core.Checkpoint
		state string
		at    int64
	)
	err := rows.Scan(&c.Run, &c.Step, &state, &at)
	c.State, c.Time = json.RawMessage(state), micros(at)
	return c, err
}

const selectThread = `SELECT id, session, title, created_us, updated_us, (SELECT count(*) FROM message WHERE thread = thread.id) FROM thread `

// Threads returns the threads with the newest activity first, at most limit of
// them; a limit below 1 is none.
func (s *Store) Threads(ctx context.Context, limit int) ([]core.Thread, error) {
	threads, err := collect(scanThread)(s.reader.QueryContext(ctx, selectThread+"ORDER BY updated_us DESC, id DESC LIMIT ?", bound(limit)))
	if err != nil {
		return nil, s.fail("list threads", err)
	}
	return threads, nil
}

// Thread returns the thread of that id, or the only one whose id begins with
// it when at least 6 characters are given. It fails with [core.CodeNotFound]
// when there is none and with [core.CodeInvalid] when there are several.
func (s *Store) Thread(ctx context.Context, id string) (core.Thread, error) {
	last := id + string(rune(0x10FFFF))
	if len(id) < prefixLength {
		last = id
	}
	threads, err := collect(scanThread)(s.reader.QueryContext(ctx, selectThread+"WHERE id BETWEEN ? AND ? ORDER BY id LIMIT 2", id, last))
	switch {
	case err != nil:
		return core.Thread{}, s.fail("find thread "+id, err)
	case len(threads) == 0:
		return core.Thread{}, &core.Error{
			Code: core.CodeNotFound, Op: "store: thread",
			Message: fmt.Sprintf("there is no conversation %q", id),
			Hint:    "/sessions lists them",
		}
	case len(threads) > 1 && threads[0].ID != id:
		return core.Thread{}, &core.Error{
			Code: core.CodeInvalid, Op: "store: thread",
			Message: fmt.Sprintf("several conversations begin with %q", id),
			Hint:    "type more of it",
		}
	}
	return threads[0], nil
}

// Messages returns the messages of a thread in order.
func (s *Store) Messages(ctx context.Context, thread string) ([]core.Message, error) {
	messages, err := collect(s.message)(s.reader.QueryContext(ctx, "SELECT id, body FROM message WHERE thread = ? ORDER BY n", thread))
	if err != nil {
		return nil, s.fail("read the messages of thread "+thread, err)
	}
	return messages, nil
}

// Events returns the newest events of a thread in order, at most limit of
// them; a limit below 1 is none. Events of a type that this yaap does not know
// are left out.
func (s *Store) Events(ctx context.Context, thread string, limit int) ([]core.Event, error) {
	bodies, err := collect(func(rows *sql.Rows) (body string, err error) {
		return body, rows.Scan(&body)
	})(s.reader.QueryContext(ctx, "SELECT body FROM event WHERE thread = ? ORDER BY at_us DESC, room DESC, seq DESC LIMIT ?", thread, bound(limit)))
	if err != nil {
		return nil, s.fail("read the events of thread "+thread, err)
	}
	events := make([]core.Event, 0, len(bodies))
	for _, body := range slices.Backward(bodies) {
		var e core.Event
		if json.Unmarshal([]byte(body), &e) == nil {
			events = append(events, e)
		}
	}
	return events, nil
}

// bound is a limit in SQLite's terms.
func bound(limit int) int {
	if limit < 1 {
		return -1
	}
	return limit
}

func scanThread(rows *sql.Rows) (core.Thread, error) {
	var (
		t                core.Thread
		created, updated int64
	)
	err := rows.Scan(&t.ID, &t.Session, &t.Title, &created, &updated, &t.Count)
	t.Created, t.Updated = micros(created), micros(updated)
	return t, err
}

func (s *Store) message(rows *sql.Rows) (m core.Message, err error) {
	var id, body string
	if err := rows.Scan(&id, &body); err != nil {
		return m, err
	}
	dec := json.NewDecoder(strings.NewReader(body))
	dec.UseNumber() // keeps every digit
	if err := dec.Decode(&m); err != nil {
		return m, &core.Error{
			Code: core.CodeCorrupt, Op: "store: message " + id,
			Message: "a message in " + s.path + " cannot be read",
			Hint:    "begin another conversation with /new; the rest of the database is not touched by this",
			Err:     err,
		}
	}
	return m, nil
}

// collect returns a function that reads all rows of a query.
func collect[T any](scan func(*sql.Rows) (T, error)) func(*sql.Rows, error) ([]T, error) {
	return func(rows *sql.Rows, err error) ([]T, error) {
		if err != nil {
			return nil, err
		}
		defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
		var all []T
		for rows.Next() {
			v, err := scan(rows)
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		return all, rows.Err()
	}
}

func micros(us int64) time.Time { return time.UnixMicro(us).UTC() }
