package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"runtime"
	"slices"

	"github.com/yaap-chat/yaap/core"
)

// batchLimit is how many Puts share a transaction at most.
const batchLimit = 256

// Put implements [core.Journal]. It may be called before Run and then waits
// for it. The order of the rows does not matter where one refers to another;
// messages, events and entries keep theirs. A row that refers to a thread or a run that
// is not stored is an error. When ctx ends, Put returns ctx's error, and the
// rows may or may not be stored; putting them again is safe.
func (s *Store) Put(ctx context.Context, rows ...core.Row) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	records, err := records(s.room.id, rows)
	if err != nil {
		return err
	}
	if len(records) == 0 {
		return nil
	}
	p := newPut(records)
	if !s.queue.add(p) {
		return errClosed()
	}
	select {
	case <-p.settled:
		return p.err
	case <-ctx.Done():
		s.queue.withdraw(p, ctx.Err())
		return ctx.Err()
	}
}

// Run writes what is put, until ctx ends or the Store is closed; it then takes
// no more Puts, stores those it has taken, and returns nil. Give it a context
// that outlives everything that puts. A second Run beside it is an error.
func (s *Store) Run(ctx context.Context) error {
	if !s.queue.start() {
		return core.Fail(core.CodeInternal, "the database's writer runs already", "start yaap again")
	}
	defer s.queue.stop()
	defer context.AfterFunc(ctx, s.queue.close)()
	unended := context.WithoutCancel(ctx)
	for {
		// Those whose Puts were stored come first: what they put next shares the
		// next transaction, in place of waiting for it.
		runtime.Gosched()
		batch := s.queue.take(batchLimit)
		if len(batch) == 0 {
			return nil
		}
		s.write(unended, batch)
	}
}

// write stores the batch and tells every Put what became of it.
func (s *Store) write(ctx context.Context, batch []*put) {
	errs, err := s.commit(ctx, batch)
	if err != nil && len(batch) > 1 && sqliteCode(err) != codeBusy {
		// The transaction as a whole failed, for a full disk say. Some of the
		// Puts may still be possible.
		for i := range batch {
			s.write(ctx, batch[i:i+1])
		}
		return
	}
	if err == nil && slices.ContainsFunc(batch, (*put).audited) {
		s.keepHead(ctx)
	}
	for i, p := range batch {
		s.queue.settle(p, s.fail("put", cmp.Or(err, errs[i])))
	}
}

// audited reports whether the Put may have a row for the audit log.
func (p *put) audited() bool {
	return slices.ContainsFunc(p.records, func(r record) bool { return r.kind == kindAudit || r.kind == kindRun })
}

// commit stores the batch in one transaction. It returns what was wrong with
// each Put; or, when nothing is stored, what was wrong with the transaction.
func (s *Store) commit(ctx context.Context, batch []*put) ([]error, error) {
	err := s.together(ctx, batch)
	if err == nil || len(batch) == 1 || sqliteCode(err) == codeBusy {
		return make([]error, len(batch)), err
	}
	return s.apart(ctx, batch)
}

// together stores the batch when nothing is wrong with any Put of it, and
// nothing otherwise. That is nearly always so, and savepoints are not free: at
// each of them the search index writes out what it has.
func (s *Store) together(ctx context.Context, batch []*put) error {
	return transact(ctx, s.writer, func(tx *sql.Tx) error {
		var entries []record // that came one after the other
		for _, p := range batch {
			if onlyEntries(p.records) {
				entries = append(entries, p.records...)
				continue
			}
			if err := s.storeEntries(ctx, tx, entries); err != nil {
				return err
			}
			entries = nil
			if err := s.store(ctx, tx, p.records); err != nil {
				return err
			}
		}
		return s.storeEntries(ctx, tx, entries)
	})
}

func onlyEntries(records []record) bool {
	return !slices.ContainsFunc(records, func(r record) bool { return r.kind != kindEntry && r.kind != kindParts })
}

// storeEntries stores entries, many with one statement: the full-text index is
// written once for each statement, and that is most of the work.
func (s *Store) storeEntries(ctx context.Context, tx *sql.Tx, records []record) error {
	var entries, parts []record
	for _, r := range records {
		if r.kind == kindParts {
			parts = append(parts, r)
		} else {
			entries = append(entries, r)
		}
	}
	for i := len(s.entries) - 1; i >= 0; i-- {
		for n := 2 << i; len(entries) >= n; entries = entries[n:] {
			var args []any
			for _, e := range entries[:n] {
				args = append(args, e.args...)
			}
			if _, err := tx.StmtContext(ctx, s.entries[i]).ExecContext(ctx, args...); err != nil {
				return err
			}
		}
	}
	return s.store(ctx, tx, append(entries, parts...))
}

// apart is commit for a batch in which something is wrong.
func (s *Store) apart(ctx context.Context, batch []*put) ([]error, error) {
	errs := make([]error, len(batch))
	return errs, transact(ctx, s.writer, func(tx *sql.Tx) error {
		for i, p := range batch {
			if _, err := tx.ExecContext(ctx, "SAVEPOINT one"); err != nil {
				return err
			}
			if errs[i] = s.store(ctx, tx, p.records); errs[i] != nil {
				// SQLite answers some failures by rolling back everything. There
				// is no savepoint then, and no transaction to go on with.
				if _, err := tx.ExecContext(ctx, "ROLLBACK TO one"); err != nil {
					return errs[i]
				}
			}
			if _, err := tx.ExecContext(ctx, "RELEASE one"); err != nil {
				return err
			}
		}
		return nil
	})
}

// store stores the rows of one Put. Should that panic, for a fault of ours,
// then this Put fails and the writer goes on.
func (s *Store) store(ctx context.Context, tx *sql.Tx, records []record) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = core.Fail(core.CodeInternal, fmt.Sprintf("what was to be stored cannot be: %v", fault),
				"this is a fault of yaap; what was stored before is safe")
		}
	}()
	for _, r := range records {
		var err error
		switch r.kind {
		case kindRun:
			err = s.storeRun(ctx, tx, r.run)
		case kindVault:
			err = storeVault(ctx, tx, r.vault)
		case kindMemory:
			err = storeMemory(ctx, tx, r.memory)
		case kindRecording:
			err = s.storeRecording(ctx, tx, r)
		case kindEntry:
			err = s.storeIn(ctx, tx, r)
		case kindTag, kindExpiry:
			err = s.storeBeside(ctx, tx, r)
		case kindContext:
			err = s.storeContext(ctx, tx, r)
		case kindState:
			err = s.storeState(ctx, tx, r)
		case kindAnswer:
			err = s.storeAnswer(ctx, tx, r.answer)
		case kindAudit:
			err = s.storeAudit(ctx, tx, r.audit)
		default:
			_, err = tx.StmtContext(ctx, s.insert[r.kind]).ExecContext(ctx, r.args...)
		}
		if err != nil {
			return r.failed(err)
		}
	}
	return nil
}
