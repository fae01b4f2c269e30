package store

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/yaap-chat/yaap/core"
)

// prefixLength is how much of a thread's id must be given at least.
const prefixLength = 6

// Load implements [core.Journal].
func (s *Store) Load(ctx context.Context, run string) (core.Saved, error) {
	var saved core.Saved
	err := transact(ctx, s.reader, func(tx *sql.Tx) error { // what is read belongs together
		runs, err := collect(scanRun)(tx.QueryContext(ctx, selectRun+"WHERE id = ?", run))
		if err != nil || len(runs) == 0 {
			return err
		}
		saved.Run = runs[0]
		if saved.Messages, err = collect(s.message)(tx.QueryContext(ctx, "SELECT id, body FROM message WHERE run = ? ORDER BY n", run)); err != nil {
			return err
		}
		if saved.Steps, err = collect(scanCheckpoint)(tx.QueryContext(ctx, "SELECT run, step, state, at_us FROM checkpoint WHERE run = ? ORDER BY step", run)); err != nil {
			return err
		}
		if saved.Pauses, err = collect(s.pause)(tx.QueryContext(ctx, "SELECT id, body FROM pause WHERE run = ? ORDER BY n", run)); err != nil {
			return err
		}
		saved.Answers, err = collect(s.answer)(tx.QueryContext(ctx,
			"SELECT answer.pause, answer.body FROM pause JOIN answer ON answer.pause = pause.id WHERE pause.run = ? ORDER BY pause.n", run))
		return err
	})
	return saved, s.fail("load run "+run, err)
}

func scanCheckpoint(rows *sql.Rows) (c core.Checkpoint, err error) {
	err = rows.Scan(&c.Run, &c.Step, (*[]byte)(&c.State), stamp{&c.Time})
	return c, err
}

const selectThread = `SELECT thread.id, thread.session, title, created_us, updated_us,
	(SELECT count(*) FROM message LEFT JOIN run ON run.id = message.run WHERE message.thread = thread.id AND run.parent IS NULL),
	coalesce(dir, ''), coalesce(unattended, 0),
	coalesce((WITH RECURSIVE up(id) AS (SELECT parent FROM branch WHERE branch.thread = thread.id UNION ALL SELECT parent FROM branch JOIN up ON branch.thread = up.id)
		SELECT id FROM up WHERE NOT EXISTS (SELECT 1 FROM branch WHERE branch.thread = up.id)), ''),
	%s FROM thread LEFT JOIN session ON session.id = thread.session `

// inWords is what a message says: of an answer its message, and not its JSON.
const inWords = "coalesce(body ->> '$.reply.message', body ->> 'text')"

// Threads returns the threads that q asks for, with the newest activity first. One
// whose words were forgotten is none of them, nor is one that goes on from another and
// in which nothing was said yet.
func (s *Store) Threads(ctx context.Context, q core.ThreadQuery) ([]core.Thread, error) {
	match, where, args := "''", "WHERE (?1 = '' OR coalesce(dir, '') IN ('', ?1)) AND (EXISTS (SELECT 1 FROM message WHERE message.thread = thread.id) OR title <> '' AND NOT EXISTS (SELECT 1 FROM branch WHERE branch.thread = thread.id))", []any{q.Dir, bound(q.Limit)}
	if words := strings.Fields(q.Find); len(words) > 0 {
		titled, said := "1", "role IN ('user', 'assistant')"
		for _, word := range words {
			args = append(args, "%"+like(word)+"%")
			titled += fmt.Sprintf(` AND title LIKE ?%d ESCAPE '\'`, len(args))
			said += fmt.Sprintf(" AND "+inWords+` LIKE ?%d ESCAPE '\'`, len(args))
		}
		match = "coalesce((SELECT " + inWords + " FROM message WHERE message.thread = thread.id AND " + said + " ORDER BY n LIMIT 1), '') AS match"
		where += " AND (match <> '' OR " + titled + ")"
	}
	return list(ctx, s, "list threads", scanThread, fmt.Sprintf(selectThread, match)+where+" ORDER BY updated_us DESC, thread.id DESC LIMIT ?2", args...)
}

// Thread returns the thread of that id, or the only one whose id begins with
// it when at least 6 characters are given. It fails with [core.CodeNotFound]
// when there is none and with [core.CodeInvalid] when there are several.
func (s *Store) Thread(ctx context.Context, id string) (core.Thread, error) {
	return begun(ctx, s, "conversation", id, noThread(id), func(t core.Thread) string { return t.ID }, scanThread,
		fmt.Sprintf(selectThread, "''")+"WHERE thread.id BETWEEN ?1 AND ?2 ORDER BY thread.id LIMIT 2")
}

// begun returns what has that id, or the only one whose id begins with it. The query
// takes both ends of the ids and returns at most two.
func begun[T any](ctx context.Context, s *Store, what, id string, none error, idOf func(T) string, scan func(*sql.Rows) (T, error), query string) (v T, err error) {
	all, err := list(ctx, s, "find "+what+" "+id, scan, query, id, last(id))
	switch {
	case err != nil:
		return v, err
	case len(all) == 0:
		return v, none
	case len(all) > 1 && idOf(all[0]) != id:
		return v, core.Fail(core.CodeInvalid, fmt.Sprintf("several %ss begin with %q", what, id), "type more of it")
	}
	return all[0], nil
}

func noThread(id string) error {
	return missing("conversation", id, "/sessions lists them")
}

// last is the last id that begins with id, or id itself where that is too short
// to stand for another.
func last(id string) string {
	if len(id) < prefixLength {
		return id
	}
	return id + string(rune(0x10FFFF))
}

const selectRun = "SELECT id, thread, coalesce(parent, ''), runner, state, code, depth, state_us FROM run "

// FindRun returns the run of that id, or the only root run whose id begins or else ends
// with it when at least 6 characters are given: those of a day begin alike. It fails with
// [core.CodeNotFound] when there is none and with [core.CodeInvalid] when there are several.
func (s *Store) FindRun(ctx context.Context, id string) (core.RunRow, error) {
	none := missing("run", id, fmt.Sprintf("give its whole id, or at least the first or last %d characters", prefixLength))
	run, err := begun(ctx, s, "run", id, none, func(r core.RunRow) string { return r.ID }, scanRun,
		selectRun+"WHERE id BETWEEN ?1 AND ?2 AND (parent IS NULL OR id = ?1) ORDER BY id LIMIT 2")
	if core.CodeOf(err) != core.CodeNotFound || len(id) < prefixLength {
		return run, err
	}
	ends, failed := list(ctx, s, "find run "+id, scanRun, selectRun+"WHERE parent IS NULL AND substr(id, -length(?1)) = ?1 LIMIT 2", id)
	switch {
	case failed != nil:
		return run, failed
	case len(ends) > 1:
		return run, core.Fail(core.CodeInvalid, fmt.Sprintf("several runs end with %q", id), "type more of it")
	case len(ends) == 1:
		return ends[0], nil
	}
	return run, err
}

// Runs returns the root runs whose runner begins with prefix, the last begun
// first, at most limit of them; a limit below 1 is none.
func (s *Store) Runs(ctx context.Context, prefix string, limit int) ([]core.RunRow, error) {
	return list(ctx, s, "list runs", scanRun, selectRun+"WHERE parent IS NULL AND substr(runner, 1, length(?1)) = ?1 ORDER BY started_us DESC, id DESC LIMIT ?2", prefix, bound(limit))
}

func scanRun(rows *sql.Rows) (r core.RunRow, err error) {
	err = rows.Scan(&r.ID, &r.Thread, &r.Parent, &r.Runner, &r.State, &r.Code, &r.Depth, stamp{&r.Time})
	return r, err
}

// Messages returns the messages of a thread in order: those of its root runs
// and those of no run, and first those of the thread that it goes on from. What the runs below them said is in Load only.
func (s *Store) Messages(ctx context.Context, thread string) ([]core.Message, error) {
	return list(ctx, s, "read the messages of thread "+thread, s.message, aLine+`
		SELECT message.id, body FROM line JOIN message ON message.thread = line.thread AND n < line.upto LEFT JOIN run ON run.id = message.run
		WHERE run.parent IS NULL ORDER BY line.depth DESC, n`, thread)
}

// Page returns the last messages of a thread, at least limit of them, or those
// before the first of a run; none begins within a run. With them comes what was
// reported between the message before them and the one after.
func (s *Store) Page(ctx context.Context, thread, run string, limit int) (page core.Page, err error) {
	const shown = " FROM message LEFT JOIN run ON run.id = message.run WHERE message.thread = ?1 AND run.parent IS NULL AND n >= ?2 AND n < ?3 "
	err = transact(ctx, s.reader, func(tx *sql.Tx) error { // what is read belongs together
		parts, err := before(ctx, tx, thread, run)
		if err != nil {
			return err
		}
		number := func(query string, args ...any) (n int64) {
			if err == nil {
				err = tx.QueryRowContext(ctx, query, args...).Scan(&n)
			}
			return n
		}
		thread, to := parts[0].thread, parts[0].upto
		from := number("SELECT coalesce(min(n), 0) FROM (SELECT n"+shown+"ORDER BY n DESC LIMIT ?4)", thread, int64(math.MinInt64), to, limit)
		// By the index of runs (+), and by the nearest row: a page costs the same however long the thread is.
		from = number("SELECT coalesce(min(n), ?2) FROM message WHERE +thread = ?1 AND run IN (SELECT run FROM message WHERE thread = ?1 AND n >= ?2 AND n < ?3)", thread, from, to)
		after := number("SELECT coalesce((SELECT at_us FROM message WHERE thread = ?1 AND n < ?3 ORDER BY n DESC LIMIT 1), ?2)", thread, int64(math.MinInt64), from)
		until := number("SELECT coalesce((SELECT at_us FROM message WHERE thread = ?1 AND n >= ?3 ORDER BY n LIMIT 1), ?2)", thread, unbounded, to)
		if err != nil {
			return err
		}
		page.Earlier = after > math.MinInt64 || len(parts) > 1
		if page.Messages, err = collect(s.message)(tx.QueryContext(ctx, "SELECT message.id, body"+shown+"ORDER BY n", thread, from, to)); err != nil {
			return err
		}
		page.Events, err = inOrder(tx.QueryContext(ctx, selectEvents("thread = ? AND at_us > ? AND at_us < ?"), thread, after, until))
		return err
	})
	return page, s.fail("read thread "+thread, err)
}

// RecentPrompts returns what the user typed last in the conversations begun in a directory, or
// where that is not known: at most that many texts, the last one last.
func (s *Store) RecentPrompts(ctx context.Context, dir string, limit int) (texts []string, err error) {
	messages, err := collect(s.message)(s.reader.QueryContext(ctx, `
		WITH latest AS (SELECT thread.id FROM thread LEFT JOIN session ON session.id = thread.session
			WHERE coalesce(dir, '') IN ('', ?1) ORDER BY updated_us DESC LIMIT 100)
		SELECT message.id, body FROM latest JOIN message ON message.thread = latest.id LEFT JOIN run ON run.id = message.run
		WHERE role = 'user' AND run.parent IS NULL ORDER BY at_us DESC, n DESC LIMIT ?2`, dir, limit))
	if err != nil {
		return nil, s.fail("read what was said", err)
	}
	for _, m := range slices.Backward(messages) {
		texts = append(texts, m.Text)
	}
	return texts, nil
}

// RunEvents returns the events of a run and of the runs below it in order. Events of
// a type that this yaap does not know are left out.
func (s *Store) RunEvents(ctx context.Context, run string) ([]core.Event, error) {
	events, err := inOrder(s.reader.QueryContext(ctx, selectEvents("run = ?1 OR run >= ?2 AND run < ?3"), run, run+"/", run+"0")) // 0 comes after /
	return events, s.fail("read the events of run "+run, err)
}

func scanText(rows *sql.Rows) (text string, err error) { return text, rows.Scan(&text) }

// bound is a limit in SQLite's terms.
func bound(limit int) int {
	if limit < 1 {
		return -1
	}
	return limit
}

func scanThread(rows *sql.Rows) (t core.Thread, err error) {
	err = rows.Scan(&t.ID, &t.Session, &t.Title, stamp{&t.Created}, stamp{&t.Updated}, &t.Count, &t.Dir, &t.Unattended, &t.Root, &t.Match)
	return t, err
}

func (s *Store) message(rows *sql.Rows) (m core.Message, err error) {
	return scanBody[core.Message](s, "message ", rows)
}

// scanBody reads a row of an id and a body in JSON.
func scanBody[T any](s *Store, what string, rows *sql.Rows) (v T, err error) {
	var id, body string
	if err := rows.Scan(&id, &body); err != nil {
		return v, err
	}
	return decoded[T](s, what+id, body)
}

// decoded returns the value that was stored under a name as JSON.
func decoded[T any](s *Store, name, body string) (v T, err error) {
	if err := core.DecodeJSON([]byte(body), &v); err != nil {
		return v, core.Fail(core.CodeCorrupt, "something in "+s.path+" cannot be read: "+name,
			"begin another conversation with /new; the rest of the database is not touched by this").Because(err)
	}
	return v, nil
}

// list returns all rows of a query. A failure says that it happened during op.
func list[T any](ctx context.Context, s *Store, op string, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	all, err := collect(scan)(s.reader.QueryContext(ctx, query, args...))
	return all, s.fail(op, err)
}

// find returns the only row of a query, and fails with none where there is no row.
func find[T any](ctx context.Context, s *Store, op string, none error, scan func(*sql.Rows) (T, error), query string, args ...any) (v T, err error) {
	all, err := list(ctx, s, op, scan, query, args...)
	switch {
	case err != nil:
		return v, err
	case len(all) == 0:
		return v, none
	}
	return all[0], nil
}

// transact does something in a transaction, all of it or nothing.
func transact(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to roll back
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// collect returns a function that reads all rows of a query.
func collect[T any](scan func(*sql.Rows) (T, error)) func(*sql.Rows, error) ([]T, error) {
	return func(rows *sql.Rows, err error) ([]T, error) {
		var all []T
		for v, err := range stream(scan)(rows, err) {
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		return all, nil
	}
}

// stream returns a function that reads the rows of a query one by one, and ends
// with the first error.
func stream[T any](scan func(*sql.Rows) (T, error)) func(*sql.Rows, error) iter.Seq2[T, error] {
	return func(rows *sql.Rows, err error) iter.Seq2[T, error] {
		return func(yield func(T, error) bool) {
			var none T
			if err != nil {
				yield(none, err)
				return
			}
			defer rows.Close() //nolint:errcheck // rows.Err says what went wrong
			for rows.Next() {
				v, err := scan(rows)
				if !yield(v, err) || err != nil {
					return
				}
			}
			if err := rows.Err(); err != nil {
				yield(none, err)
			}
		}
	}
}

func micros(us int64) time.Time { return time.UnixMicro(us).UTC() }

// stamp is a time that is read from its microseconds.
type stamp struct{ *time.Time }

// Scan implements [sql.Scanner].
func (t stamp) Scan(us any) error {
	n, ok := us.(int64)
	if !ok {
		return fmt.Errorf("%T is no time", us)
	}
	*t.Time = micros(n)
	return nil
}
