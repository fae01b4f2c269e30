package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/private"
)

// The head of the audit log is kept in a file beside the database, so that a log
// that was emptied, cut off or computed anew is told from one that only grew. It
// is written after the transaction and not forced to the disk: after a crash it
// may name fewer rows than there are, never more. Windows take turns by a lock on
// the file, which is always as long.

const headLine = 96 // bytes, longer than the longest head

func (s *Store) headFile() string { return s.path + ".head" }

// KeptHead returns the head of the audit log that is kept outside the database,
// the zero head where none is. It fails with [core.CodeCorrupt] for a file that
// holds something else.
func (s *Store) KeptHead() (core.AuditHead, error) {
	f, err := s.openHead(os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return core.AuditHead{}, nil
	}
	if err != nil {
		return core.AuditHead{}, cannotRead(s.headFile(), err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	if err := private.Lock(f, private.Shared); err != nil {
		return core.AuditHead{}, err
	}
	return s.readHeadFile(f)
}

// openHead opens the file, whatever there is in its place: a pipe is not waited
// for, and a link not followed.
func (s *Store) openHead(how int) (*os.File, error) {
	return private.OpenFile(s.headFile(), how, 0o600)
}

func (s *Store) readHeadFile(f *os.File) (core.AuditHead, error) {
	text := make([]byte, headLine+1)
	n, err := f.Read(text)
	if n == 0 { // a crash of the machine may leave it empty
		return core.AuditHead{}, nil
	}
	if err != nil {
		return core.AuditHead{}, cannotRead(s.headFile(), err)
	}
	head, err := core.ParseAuditHead(strings.TrimRight(string(text[:n]), " \n"))
	if err != nil {
		return core.AuditHead{}, core.Fail(core.CodeCorrupt, "the file "+s.headFile()+" does not hold the head of an audit log",
			"look at what it holds; without it a new one is kept from the next answer on").Because(err)
	}
	return head, nil
}

func cannotRead(path string, err error) error {
	return core.Fail(core.CodeRefused, "cannot read "+path, "make the file yours and readable").Because(err)
}

// AuditHead returns the head of the audit log as it is in the database.
func (s *Store) AuditHead(ctx context.Context) (core.AuditHead, error) {
	head, err := readHead(ctx, s.reader, "ORDER BY seq DESC LIMIT 1")
	return head, s.fail("read the audit log", err)
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

func (s *Store) advanceHead(ctx context.Context) (err error) {
	f, err := s.openHead(os.O_RDWR | os.O_CREATE)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := private.TryLock(f, private.Exclusive); err != nil {
		return err // another window is at it, or the check
	}
	kept, err := s.readHeadFile(f)
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
	_, err = f.WriteAt(fmt.Appendf(nil, "%-*s\n", headLine-1, head), 0)
	return err
}
