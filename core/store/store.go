// Package store keeps a journal in one SQLite file, and promises that nothing
// it acknowledged is ever lost.
//
// A [Store] is one window on the file. Any number of windows, in any number of
// processes, may have the same file open. What one window has put, the others
// read.
//
// Writing: [Store.Put] stores all its rows or none and returns when they are
// on disk. One goroutine writes, in [Store.Run]; Puts that come in while it
// waits for the disk share the next transaction, and each of them succeeds or
// fails on its own.
//
// Claims: one root run at a time goes on in a thread, across windows. A window
// is alive as long as it holds the lock on its file room-ID.lock, which the
// kernel releases however its process ends. The runs of a dead window are
// interrupted, and its claims are free.
//
// Times are kept to the microsecond, in UTC.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/private"
)

// File is the name of the database in its directory.
const File = "yaap.db"

// Store is one window on a database. All methods may be called from any
// goroutine.
type Store struct {
	path   string  // of the database
	room   *room   // this window
	writer *sql.DB // one connection
	reader *sql.DB // several that cannot write
	insert [kinds]*sql.Stmt
	// entries store 2, 4, 8 and 16 entries at once.
	entries [4]*sql.Stmt
	queue   *queue
	signs   signs
}

var _ core.Journal = (*Store)(nil)

// With does something with the store in a directory, while its writer runs. It blocks
// until that is done and the store is closed.
func With(ctx context.Context, dir string, do func(context.Context, *Store) error) error {
	s, err := Open(ctx, dir)
	if err != nil {
		return err
	}
	writing, stop := context.WithCancel(context.WithoutCancel(ctx))
	written := make(chan error, 1)
	go func() { written <- s.Run(writing) }()
	err = do(ctx, s)
	stop()
	return errors.Join(err, <-written, s.Close())
}

// Open opens the database in dir and creates both where they are missing, for
// the user's eyes only; a directory that is there keeps its mode. An older
// database is copied beside itself and brought up to date. It fails with
// [core.CodeTooNew] for a newer one and with [core.CodeCorrupt] for a file
// that is no database of yaap's, and then leaves the file as it is.
//
// Nothing runs until [Store.Run] is called. Close the Store when done.
func Open(ctx context.Context, dir string) (*Store, error) {
	steps, err := migrations()
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, dir, steps)
	if err == nil {
		s.scrubLate(ctx)
	}
	return s, err
}

func open(ctx context.Context, dir string, steps []string) (_ *Store, err error) {
	if dir == "" { // would be the working directory
		return nil, core.Fail(core.CodeInvalid, "no directory is given for the database", "name one")
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("store: open: %w", err)
	}
	s := &Store{path: filepath.Join(dir, File), queue: newQueue()}
	defer func() {
		if err != nil {
			_ = s.release() // the first error says more
		}
	}()
	if err := private.Dir(dir); err != nil {
		return nil, err
	}
	// Windows that open at the same time take turns: one of them creates and
	// migrates, and no lock file is swept away while it is being made.
	turn, err := takeTurn(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer turn.Close() //nolint:errcheck // nothing was written to it

	if s.room, err = enter(dir); err != nil {
		return nil, cannotWrite(s.path, err)
	}
	size, err := prepareFile(s.path)
	if err != nil {
		return nil, err
	}
	if size > 0 && size < smallest {
		return nil, s.damaged("open", fmt.Errorf("the file has %d bytes", size)) // SQLite would write over a single byte
	}
	if s.writer, err = connect(writerDSN(s.path), 1); err != nil {
		return nil, s.fail("open", err)
	}
	if err := s.whole(ctx, size); err != nil {
		return nil, s.unusable(ctx, err)
	}
	if err := s.migrate(ctx, steps); err != nil {
		return nil, err
	}
	if s.reader, err = connect(readerDSN(s.path), readers); err != nil {
		return nil, s.fail("open", err)
	}
	if err := s.prepare(ctx); err != nil {
		return nil, s.unusable(ctx, err)
	}
	if err := s.recover(ctx); err != nil {
		return nil, s.unusable(ctx, err)
	}
	return s, nil
}

// prepare prepares the statements of the writer.
func (s *Store) prepare(ctx context.Context) (err error) {
	for k, statement := range inserts() {
		if statement == "" {
			continue
		}
		if s.insert[k], err = s.writer.PrepareContext(ctx, statement); err != nil {
			return err
		}
	}
	for i := range s.entries {
		if s.entries[i], err = s.writer.PrepareContext(ctx, insertEntries(2<<i)); err != nil {
			return err
		}
	}
	return nil
}

// recover interrupts the runs that dead windows left behind, and removes the
// lock files of these windows.
func (s *Store) recover(ctx context.Context) error {
	if err := transact(ctx, s.writer, func(tx *sql.Tx) error { return s.interruptDead(ctx, tx, time.Now()) }); err != nil {
		return err
	}
	return s.room.sweep()
}

// Room returns the id of this window, a UUIDv7.
func (s *Store) Room() string { return s.room.id }

// Close ends the Store: Puts fail from now on, and Run returns after it has
// stored what was accepted before. It waits for Run. Puts that are waiting
// for a Run that was never called fail. Closing again does nothing.
func (s *Store) Close() error {
	if !s.queue.shut() {
		return nil
	}
	if err := s.release(); err != nil {
		return fmt.Errorf("store: close: %w", err)
	}
	return nil
}

// release gives back what open acquired, as far as it came.
func (s *Store) release() error {
	var errs []error
	if s.reader != nil {
		errs = append(errs, s.reader.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.Close())
	}
	if s.room != nil {
		errs = append(errs, s.room.leave())
	}
	return errors.Join(errs...)
}
