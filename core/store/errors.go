package store

import (
	"context"
	"errors"
	"fmt"

	"modernc.org/sqlite"

	"github.com/yaap-chat/yaap/core"
)

// Primary result codes of SQLite, from https://sqlite.org/rescode.html.
const (
	codeError    = 1
	codePerm     = 3
	codeBusy     = 5
	codeLocked   = 6
	codeReadOnly = 8
	codeIO       = 10
	codeCorrupt  = 11
	codeFull     = 13
	codeCantOpen = 14
	codeNotADB   = 26

	codeNoShm = codeIO | 19<<8 // SQLITE_IOERR_SHMSIZE: no room for the index of the log
)

// sqliteCode returns the primary result code in err's tree, 0 when there is none.
func sqliteCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		if e.Code() == codeNoShm {
			return codeFull // it is made when the database is opened
		}
		return e.Code() & 0xff
	}
	return 0
}

// fail says what went wrong during op in the user's words where the user can
// do something about it. Where nothing did it returns nil.
func (s *Store) fail(op string, err error) error {
	if _, ok := errors.AsType[*core.Error](err); ok || err == nil {
		return err
	}
	e := &core.Error{Err: err}
	switch sqliteCode(err) {
	case codeCorrupt, codeNotADB, codeError: // the statements are right, so the tables are not
		return s.damaged(op, err)
	case codePerm, codeReadOnly, codeCantOpen:
		return cannotWrite(s.path, err)
	case codeFull:
		e.Code = core.CodeRefused
		e.Message = "the disk is full"
		e.Hint = "make room where " + s.path + " is and try again"
	case codeBusy, codeLocked:
		e.Code = core.CodeBusy
		e.Message = "another program keeps the database locked"
		e.Hint = "end what else uses " + s.path + " and try again"
	case codeIO:
		e.Code = core.CodeInternal
		e.Message = "the database cannot be read or written"
		e.Hint = "look after the disk that holds " + s.path
	default:
		if s.queue.closed() {
			return errClosed()
		}
		return fmt.Errorf("store: %s: %w", op, err)
	}
	return e
}

func (s *Store) damaged(op string, err error) error {
	return core.Fail(core.CodeCorrupt, "the database "+s.path+" is damaged, or is not one of yaap's",
		"move it away to start anew, or put a copy in its place ("+s.path+".bak-… where there is one)").Because(err)
}

// unusable is fail for what goes wrong with a database while it is opened. A
// failure that has no words of its own then comes from what is in the file.
func (s *Store) unusable(ctx context.Context, err error) error {
	failed := s.fail("open", err)
	if codeIn(failed) == "" && ctx.Err() == nil {
		return s.damaged("open", err)
	}
	return failed
}

// missing says that there is nothing of that id.
func missing(what, id, hint string) error {
	return core.Fail(core.CodeNotFound, fmt.Sprintf("there is no %s %q", what, id), hint)
}

func errClosed() error {
	return core.Fail(core.CodeInternal, "the database is closed", "start yaap again")
}

func cannotWrite(path string, err error) error {
	return core.Fail(core.CodeRefused, "cannot write to "+path, "make the file and its directory yours and writable, or choose another directory").Because(err)
}
