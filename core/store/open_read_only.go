package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/yaap-chat/yaap/core"
)

// OpenReadOnly opens the database in dir for reading alone, beside whoever writes to it: it
// makes no file, changes none and takes no part in who is there. What would write
// fails. Nothing is held between two queries: a room that closes meanwhile closes as
// if nobody looked. It fails with [core.CodeNotFound] where there is no database, and
// with [core.CodeTooNew] for one of another version. Close the Store when done.
func OpenReadOnly(ctx context.Context, dir string) (*Store, error) {
	s := &Store{path: filepath.Join(dir, File), room: &room{dir: dir}, queue: newQueue()}
	s.queue.closing = true // nothing is put
	if _, err := os.Stat(s.path); errors.Is(err, fs.ErrNotExist) {
		return nil, core.Fail(core.CodeNotFound, "nothing is stored in "+dir+" yet", "yaap opens a room, and what happens in it is stored")
	}
	steps, err := migrations()
	if err != nil {
		return nil, err
	}
	any, err := connect("", 0)
	if err != nil {
		return nil, err
	}
	s.reader = sql.OpenDB(glance{any.Driver(), s.path})
	s.reader.SetMaxOpenConns(readers)
	s.reader.SetMaxIdleConns(0)
	s.writer = s.reader // which refuses
	version, err := s.version(ctx)
	if err == nil && version != len(steps) {
		err = core.Fail(core.CodeTooNew, fmt.Sprintf("the database %s is of another yaap (version %d, this one reads %d)", s.path, version, len(steps)),
			"use the yaap that has it open; where that is older, close it: yaap brings the database up to date when it opens a room")
	}
	if err != nil {
		return nil, errors.Join(s.fail("look", err), s.Close())
	}
	return s, any.Close()
}

// glance connects for a query. Without a write-ahead log nobody has the database open:
// then it is read as it lies there, for SQLite would make a log.
type glance struct {
	driver driver.Driver
	path   string
}

// Connect implements [driver.Connector].
func (g glance) Connect(context.Context) (driver.Conn, error) {
	how := "&mode=ro"
	if _, err := os.Stat(g.path + "-wal"); err != nil {
		how += "&immutable=1"
	}
	return g.driver.Open(readerDSN(g.path) + how)
}

// Driver implements [driver.Connector].
func (g glance) Driver() driver.Driver { return g.driver }

// Stamp is another one when something may have been stored since. It costs no query. What
// has just changed it may be read only a moment later: look twice.
func (s *Store) Stamp() (stamp string) {
	for _, path := range []string{s.path, s.path + "-wal"} {
		if info, err := os.Stat(path); err == nil {
			stamp += fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano(), " ")
		}
	}
	return stamp
}

// EventQuery asks for events as they were stored.
type EventQuery struct {
	Dir    string // of the rooms in it, and of the conversations begun there
	Thread string // of this conversation alone, with what the rooms reported in which it was held
	After  int64  // the place of the last one that is known
	Limit  int    // the newest; below 1: all
}

// EventsAfter returns events in the order in which they happened, and the place of
// the one that was stored last.
func (s *Store) EventsAfter(ctx context.Context, q EventQuery) (events []core.Event, last int64, err error) {
	const (
		ofThread = `thread = ?2 OR thread IS NULL AND room IN (SELECT room FROM event WHERE thread = ?2)`
		ofDir    = `room IN (SELECT id FROM session WHERE dir = ?3) OR thread IN (SELECT thread.id FROM thread JOIN session ON session.id = thread.session WHERE dir = ?3)`
	)
	where := ofDir
	if q.Thread != "" {
		where = ofThread
	}
	found, err := collect(func(rows *sql.Rows) (*core.Event, error) {
		return scanEvent(rows, &last)
	})(s.reader.QueryContext(ctx, "SELECT place, "+eventColumns+" FROM (SELECT rowid AS place, * FROM event WHERE rowid > ?1 AND ("+where+") ORDER BY rowid DESC LIMIT ?4) ORDER BY place",
		q.After, q.Thread, q.Dir, bound(q.Limit)))
	if err != nil {
		return nil, q.After, s.fail("read events", err)
	}
	events = known(found)
	slices.SortStableFunc(events, func(a, b core.Event) int { return a.Time.Compare(b.Time) })
	return events, max(last, q.After), nil
}
