package data

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
	"modernc.org/sqlite/vfs"

	"yaap/core"
)

// session is the private database of one question: a SQLite file or an empty
// one in memory, and beside it the files that were loaded.
type session struct {
	folder *folder
	file   string // the SQLite file, if any
	db     *sql.DB
	conn   *sql.Conn
	loaded map[string]bool
	notes  []string
	closed []func() error
}

// oneFile is a file system with a single file in it, open already.
type oneFile struct{ file *os.File }

type heldFile struct{ *os.File }

func (heldFile) Close() error { return nil } // the session closes it

func (o oneFile) Open(name string) (fs.File, error) {
	if name != "db" {
		return nil, fs.ErrNotExist
	}
	return heldFile{o.file}, nil
}

// session opens the SQLite file at p, or an empty database where p is empty.
// The caller closes it.
func (f *folder) session(ctx context.Context, p string) (s *session, err error) {
	s = &session{folder: f, file: p, loaded: map[string]bool{}}
	defer func() {
		if err != nil {
			s.close()
			s = nil
		}
	}()
	dsn := "file::memory:?"
	if p != "" {
		file, _, err := f.open(p)
		if err != nil {
			return s, err
		}
		s.closed = append(s.closed, file.Close)
		name, fsys, err := vfs.New(oneFile{file})
		if err != nil {
			return s, err
		}
		s.closed = append(s.closed, fsys.Close)
		dsn = "file:db?vfs=" + name + "&mode=ro&immutable=1&"
		if wal, err := f.root.Stat(p + "-wal"); err == nil && wal.Size() > 0 {
			s.notes = append(s.notes, "Changes that "+code(p+"-wal")+" still holds are not seen.")
		}
	}
	if s.db, err = sql.Open("sqlite", dsn+"_defensive=1&_pragma=temp_store(2)&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)"); err != nil {
		return s, err
	}
	s.closed = append(s.closed, s.db.Close)
	if s.conn, err = s.db.Conn(ctx); err != nil {
		return s, badFile(p, err)
	}
	s.closed = append(s.closed, s.conn.Close)
	for id, most := range map[int]int{
		sqlite3.SQLITE_LIMIT_ATTACHED:            0,
		sqlite3.SQLITE_LIMIT_LENGTH:              maxValue,
		sqlite3.SQLITE_LIMIT_SQL_LENGTH:          1 << 18,
		sqlite3.SQLITE_LIMIT_COLUMN:              maxColumns + 1,
		sqlite3.SQLITE_LIMIT_VDBE_OP:             100_000,
		sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1000,
		sqlite3.SQLITE_LIMIT_WORKER_THREADS:      0,
	} {
		if _, err := sqlite.Limit(s.conn, id, most); err != nil {
			return s, err
		}
	}
	var n int
	if err := s.conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&n); err != nil {
		return s, badFile(p, err)
	}
	return s, nil
}

func badFile(p string, err error) error {
	if p == "" {
		return err
	}
	return &core.Error{Code: core.CodeCorrupt, Message: code(p) + " cannot be read as a SQLite database.", Hint: "Is it another kind of file, encrypted or damaged?", Err: err}
}

func (s *session) close() {
	for i := len(s.closed) - 1; i >= 0; i-- {
		_ = s.closed[i]() // nothing was written
	}
	s.closed = nil
}

type result struct {
	columns   []string
	rows      [][]any
	count     int
	truncated bool
	sql       string
	notes     []string
}

var errMemory = errors.New("too much memory")

// run runs one checked statement. It returns when the time limit is over even
// where SQLite is slow to notice; what is left of the session is then closed
// as soon as it has. Nobody may use the session after run.
func (s *session) run(ctx context.Context, statement string) (result, error) {
	if err := check(statement); err != nil {
		s.close()
		return result{}, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	type outcome struct {
		result
		error
	}
	done := make(chan outcome, 1)
	go func() {
		res, err := s.collect(ctx, statement)
		s.close()
		done <- outcome{res, err}
	}()
	before := resident()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if resident()-before > maxMemory {
				stop(errMemory)
			}
		case o := <-done:
			if errors.Is(context.Cause(ctx), errMemory) {
				return o.result, tooMuch()
			}
			return o.result, s.words(o.error)
		case <-ctx.Done():
			select {
			case o := <-done:
				if o.error == nil {
					return o.result, nil
				}
			case <-time.After(200 * time.Millisecond):
			}
			if errors.Is(context.Cause(ctx), errMemory) {
				return result{}, tooMuch()
			}
			return result{}, ctx.Err()
		}
	}
}

func tooMuch() error {
	return &core.Error{Code: core.CodeRefused, Message: fmt.Sprintf("That needed more than %d MiB of memory.", maxMemory>>20), Hint: "Ask for less: a condition or a LIMIT."}
}

// resident is the memory of this process in bytes, 0 where it is not known.
func resident() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(b))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

func (s *session) collect(ctx context.Context, statement string) (result, error) {
	res := result{sql: statement, notes: s.notes, rows: [][]any{}}
	if _, err := s.conn.ExecContext(ctx, "PRAGMA query_only=1"); err != nil {
		return res, err
	}
	rows, err := s.conn.QueryContext(ctx, statement)
	if err != nil {
		return res, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err
	if res.columns, err = rows.Columns(); err != nil {
		return res, err
	}
	size := 0
	cells, ptrs := make([]any, len(res.columns)), make([]any, len(res.columns))
	for i := range cells {
		ptrs[i] = &cells[i]
	}
	for rows.Next() {
		res.count++
		if res.count > maxCounted {
			res.truncated = true
			break
		}
		if len(res.rows) == maxData || size > maxReply {
			res.truncated = true
			continue
		}
		if err := rows.Scan(ptrs...); err != nil {
			return res, err
		}
		row := make([]any, len(cells))
		for i, c := range cells {
			row[i] = plain(c)
			size += len(fmt.Sprint(row[i])) + 4
		}
		res.rows = append(res.rows, row)
	}
	if err := rows.Err(); err != nil && len(res.rows) < maxData {
		return res, err
	}
	return res, nil
}

// plain turns what SQLite returns into what JSON can hold.
func plain(v any) any {
	switch v := v.(type) {
	case int64:
		return json.Number(strconv.FormatInt(v, 10))
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return fmt.Sprint(v)
		}
		return v
	case bool:
		return v
	case time.Time:
		if v.Equal(v.Truncate(24 * time.Hour)) {
			return v.Format(time.DateOnly)
		}
		return v.Format(time.DateTime)
	case []byte:
		if len(v) > 16 {
			return fmt.Sprintf("blob of %d bytes", len(v))
		}
		return "x'" + hex.EncodeToString(v) + "'"
	case string:
		v = strings.ToValidUTF8(v, "\ufffd")
		if len(v) > 2000 {
			v = strings.ToValidUTF8(v[:2000], "") + "…"
		}
		return v
	}
	return v
}

// words says SQLite's error so that the next try can be right.
func (s *session) words(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_TOOBIG:
		return &core.Error{Code: core.CodeRefused, Message: fmt.Sprintf("A value or row there is larger than %d MiB.", maxValue>>20), Err: err}
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return badFile(s.file, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_AUTH:
		return refused("That would change something or leave the table.")
	}
	msg := strings.TrimPrefix(e.Error(), "SQL logic error: ")
	if i := strings.LastIndex(msg, " ("); i > 0 {
		msg = msg[:i]
	}
	return &core.Error{Code: core.CodeInvalid, Message: "SQL: " + msg + ".", Hint: "Ask for the columns of the file to see their names.", Err: err}
}
