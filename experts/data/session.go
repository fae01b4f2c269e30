package data

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
	"modernc.org/sqlite/vfs"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts/plain"
)

// session is the private database of one question: a SQLite file or an empty
// one in memory, and beside it the files that were loaded.
type session struct {
	*folder
	file   string // the SQLite file, if any
	conn   *sql.Conn
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
func (f *folder) session(ctx context.Context, p string) (*session, error) {
	s := &session{folder: f, file: p}
	if err := s.start(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *session) start(ctx context.Context) error {
	dsn := "file::memory:?"
	if s.file != "" {
		name, err := s.mount()
		if err != nil {
			return err
		}
		dsn = "file:db?vfs=" + name + "&mode=ro&immutable=1&"
	}
	if err := addFunctions(); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", dsn+"_defensive=1&_pragma=temp_store(2)&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)")
	if err != nil {
		return err
	}
	s.closed = append(s.closed, db.Close)
	if s.conn, err = db.Conn(ctx); err != nil {
		return s.badFile(err)
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
			return err
		}
	}
	if _, err := s.tables(ctx); err != nil {
		return s.badFile(err)
	}
	return nil
}

// mount makes the SQLite file the only one of a file system that cannot write,
// and returns that system's name.
func (s *session) mount() (name string, err error) {
	if wal, err := s.root.Stat(s.file + "-wal"); err == nil && wal.Size() > 0 {
		return "", core.Fail(core.CodeRefused, "Another program is changing "+plain.Code(s.file)+": what "+plain.Code(s.file+"-wal")+" holds is not seen by me.",
			"Close that program, or work on a copy.")
	}
	file, _, err := s.open(s.file)
	if err != nil {
		return "", err
	}
	s.closed = append(s.closed, file.Close)
	name, fsys, err := vfs.New(oneFile{file})
	if err != nil {
		return "", err
	}
	s.closed = append(s.closed, fsys.Close)
	return name, nil
}

func (s *session) close() {
	for i := len(s.closed) - 1; i >= 0; i-- {
		_ = s.closed[i]() // nothing was written
	}
}

// query runs one statement that only reads. A table that SQLite misses is
// loaded from the file of that name.
func (s *session) query(ctx context.Context, statement string) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	for range maxLoads {
		res, err := s.run(ctx, statement)
		var e *sqlite.Error
		missing := missingTable().FindStringSubmatch(fmt.Sprint(err))
		if !errors.As(err, &e) || missing == nil {
			return res, s.words(err)
		}
		if err := s.supply(ctx, missing[1]); err != nil {
			return result{}, err
		}
	}
	return result{}, refused("That names too many files.")
}

//nolint:gochecknoglobals // never changes; see plain.LazyRegexp
var missingTable = plain.LazyRegexp(`(?s)no such table: (.+) \(\d+\)$`)

// supply makes the table that name stands for: a loaded file, or the only
// table of the SQLite file.
func (s *session) supply(ctx context.Context, name string) error {
	p, err := s.find(name)
	var known *core.Error
	if errors.As(err, &known) && known.Code == core.CodeNotFound && kindOf(name) == "" {
		return asks("which table?", "I find no table or file "+plain.Code(name)+". A table in a SQLite file is named behind it: SELECT * FROM app.db "+name+".")
	}
	if err != nil {
		return err
	}
	if kindOf(p) == "sqlite" {
		tables, err := s.tables(ctx)
		if p != s.file || err != nil {
			tables = []string{"TABLE"}
		}
		return whichTable(p, tables)
	}
	return s.load(ctx, p, name)
}

const isTable = `type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`

// tables lists the tables and views of the SQLite file.
func (s *session) tables(ctx context.Context) (names []string, err error) {
	return s.texts(ctx, "SELECT name FROM main.sqlite_schema WHERE "+isTable)
}

// whichTable asks back for a table of a SQLite file.
func whichTable(file string, tables []string) error {
	if len(tables) == 0 {
		return core.Fail(core.CodeNotFound, "There are no tables in "+plain.Code(file)+".", "Which other file do you mean?")
	}
	var options []string
	for _, t := range tables[:min(len(tables), 10)] {
		options = append(options, "describe "+t+" in "+file)
	}
	return asks("which table?", "Which table of "+plain.Code(file)+"? It has "+some(tables)+". In SQL it is named behind the file: SELECT * FROM "+source(file)+" "+source(tables[0])+".", options...)
}

// texts runs a statement of ours with one column.
func (s *session) texts(ctx context.Context, statement string) (all []string, err error) {
	res, err := s.run(ctx, statement)
	for _, row := range res.rows {
		all = append(all, fmt.Sprint(row[0]))
	}
	return all, err
}

func (s *session) badFile(err error) error {
	if s.file == "" {
		return err
	}
	return core.Fail(core.CodeCorrupt, plain.Code(s.file)+" cannot be read as a SQLite database.", "Is it another kind of file, encrypted or damaged?").Because(err)
}

// words says SQLite's error so that the next try can be right.
func (s *session) words(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_TOOBIG:
		return core.Fail(core.CodeRefused, fmt.Sprintf("A value or row there is larger than %d MiB.", maxValue>>20), "").Because(err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return s.badFile(err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_AUTH:
		return refused("That would change something or leave the table.")
	}
	msg := strings.TrimPrefix(e.Error(), "SQL logic error: ")
	if i := strings.LastIndex(msg, " ("); i > 0 {
		msg = msg[:i]
	}
	return core.Fail(core.CodeInvalid, "SQL: "+msg+".", "Ask for the columns of the file to see their names.").Because(err)
}

// aggregate is an SQL function of the numbers of a group that SQLite lacks.
type aggregate struct {
	values []float64
	of     func(sorted []float64) any
}

//nolint:gochecknoglobals // SQLite has one list of functions; it is filled when it is used first
var addFunctions = sync.OnceValue(func() error {
	register := func(name string, of func(sorted []float64) any) error {
		return sqlite.RegisterFunction(name, &sqlite.FunctionImpl{NArgs: 1, Deterministic: true, MakeAggregate: func(sqlite.FunctionContext) (sqlite.AggregateFunction, error) {
			return &aggregate{of: of}, nil
		}})
	}
	median := func(sorted []float64) any {
		n := len(sorted)
		return (sorted[(n-1)/2] + sorted[n/2]) / 2
	}
	return errors.Join(register("median", median), register("stddev", deviation))
})

// deviation is the standard deviation of a sample, nil of a single number.
func deviation(values []float64) any {
	mean, squares := 0.0, 0.0
	for i, v := range values {
		d := v - mean
		mean += d / float64(i+1)
		squares += d * (v - mean)
	}
	if len(values) < 2 {
		return nil
	}
	return math.Sqrt(squares / float64(len(values)-1))
}

func (a *aggregate) Step(_ *sqlite.FunctionContext, args []driver.Value) error {
	switch v := args[0].(type) {
	case int64:
		a.values = append(a.values, float64(v))
	case float64:
		a.values = append(a.values, v)
	}
	return nil
}

func (*aggregate) WindowInverse(*sqlite.FunctionContext, []driver.Value) error {
	return errors.New("this is no window function")
}

func (a *aggregate) WindowValue(*sqlite.FunctionContext) (driver.Value, error) {
	if len(a.values) == 0 {
		return nil, nil
	}
	slices.Sort(a.values)
	return a.of(a.values), nil
}

func (*aggregate) Final(*sqlite.FunctionContext) {}

func ident(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
