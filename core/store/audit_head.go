package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"yaap/core"
)

// The head of the audit log is kept in a file beside the database, so that a log
// that was emptied, cut off or computed anew is told from one that only grew. It
// is written after the transaction and not forced to the disk: after a crash it
// may name fewer rows than there are, never more.

func (s *Store) headFile() string { return s.path + ".head" }

// KeptHead returns the head of the audit log that is kept outside the database,
// the zero head where none is. It fails with [core.CodeCorrupt] for a file that
// holds something else.
func (s *Store) KeptHead() (core.AuditHead, error) {
	f, err := os.OpenFile(s.headFile(), os.O_RDONLY|syscall.O_NONBLOCK, 0) // what is there may be no file
	if errors.Is(err, fs.ErrNotExist) {
		return core.AuditHead{}, nil
	}
	if err != nil {
		return core.AuditHead{}, cannotRead(s.headFile(), err)
	}
	defer f.Close()           //nolint:errcheck // it was only read
	text := make([]byte, 128) // more than the longest
	n, err := f.Read(text)
	if n == 0 { // a crash of the machine may leave it empty
		return core.AuditHead{}, nil
	}
	if err != nil {
		return core.AuditHead{}, cannotRead(s.headFile(), err)
	}
	head, err := core.ParseAuditHead(strings.TrimSuffix(string(text[:n]), "\n"))
	if err != nil {
		return core.AuditHead{}, &core.Error{
			Code: core.CodeCorrupt, Op: "store: audit", Message: "the file " + s.headFile() + " does not hold the head of an audit log",
			Hint: "look at what it holds; without it a new one is kept from the next answer on", Err: err,
		}
	}
	return head, nil
}

func cannotRead(path string, err error) error {
	return &core.Error{Code: core.CodeRefused, Op: "store: audit", Message: "cannot read " + path, Hint: "make the file yours and readable", Err: err}
}

// AuditHead returns the head of the audit log as it is in the database.
func (s *Store) AuditHead(ctx context.Context) (core.AuditHead, error) {
	head, err := readHead(ctx, s.reader, "ORDER BY seq DESC LIMIT 1")
	if err != nil {
		return core.AuditHead{}, s.fail("read the audit log", err)
	}
	return head, nil
}

func readHead(ctx context.Context, db *sql.DB, which string, args ...any) (head core.AuditHead, err error) {
	var hash []byte
	err = db.QueryRowContext(ctx, "SELECT seq, hash FROM audit "+which, args...).Scan(&head.Rows, &hash)
	if errors.Is(err, sql.ErrNoRows) {
		return core.AuditHead{}, nil
	}
	head.Hash = hex.EncodeToString(hash)
	return head, err
}

// keepHead keeps the head of the log, unless the one that is kept already is not
// of this log: that stays, for the next check to tell. What goes wrong here
// changes nothing for who put the row; the check tells how far the file is behind.
func (s *Store) keepHead(ctx context.Context) {
	_ = s.advanceHead(ctx)
}

func (s *Store) advanceHead(ctx context.Context) error {
	kept, err := s.KeptHead()
	if err != nil {
		return err
	}
	head, err := readHead(ctx, s.writer, "ORDER BY seq DESC LIMIT 1")
	if err != nil || head.Rows <= kept.Rows {
		return err
	}
	if kept.Rows > 0 {
		same, err := readHead(ctx, s.writer, "WHERE seq = ?", kept.Rows)
		if err != nil || same != kept {
			return err
		}
	}
	f, err := os.CreateTemp(filepath.Dir(s.path), filepath.Base(s.headFile())+"-*"+partial) // for the user's eyes only
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, head)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), s.headFile())
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error says more
	}
	return err
}
