package store

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the database driver "sqlite"

	"github.com/yaap-chat/yaap/core"
)

//go:embed migrations/*.sql
var files embed.FS

const (
	application = 0x79616170 // "yaap", in the header of the file
	smallest    = 512        // bytes of a database that is not empty
	readers     = 4          // connections
	backups     = 3          // copies kept
	logsRuns    = 7          // the version from which on the audit log tells of runs
	hasParts    = 12         // and from which on parts of words are in an index
)

// migrations returns what brings a database from version i to i+1, for each i.
func migrations() ([]string, error) {
	entries, err := files.ReadDir("migrations") // sorted by name
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	steps := make([]string, len(entries))
	for i, e := range entries {
		b, err := files.ReadFile("migrations/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
		steps[i] = string(b)
	}
	return steps, nil
}

func writerDSN(path string) string {
	return dsn(path, "immediate",
		"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(1)",
		"recursive_triggers(1)", "trusted_schema(0)", "journal_size_limit(67108864)")
}

func readerDSN(path string) string {
	return dsn(path, "deferred", "busy_timeout(5000)", "query_only(1)", "trusted_schema(0)")
}

func dsn(path, lock string, pragmas ...string) string {
	if filepath.VolumeName(path) != "" { // file:///C:/Users
		path = "/" + filepath.ToSlash(path)
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{"_txlock": {lock}, "_pragma": pragmas}.Encode()}
	return u.String()
}

func connect(dsn string, conns int) (*sql.DB, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

// prepareFile creates the database's file, or takes it away from everybody
// but its owner, and returns its size; 0 also while some of the database is in
// the write-ahead log. It never opens a file that is there: closing it again
// would release the locks that SQLite holds on it in this process.
func prepareFile(path string) (size int64, err error) {
	_, noLog := os.Stat(path + "-wal") // before the file: it goes when the file is complete
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return 0, cannotWrite(path, err)
		}
		return 0, f.Close()
	case err != nil:
		return 0, cannotWrite(path, err)
	case !info.Mode().IsRegular():
		return 0, core.Fail(core.CodeInvalid, path+" is not a file", "move it away, or choose another directory")
	case info.Mode().Perm()&0o077 != 0:
		if err := os.Chmod(path, 0o600); err != nil {
			return 0, core.Fail(core.CodeRefused, "other users can read "+path, "make it yours (chown) and private: chmod 600 "+path).Because(err)
		}
	}
	if info.Mode()&0o200 != 0 {
		// These may be from when it could only be read: SQLite gave them its mode.
		_ = os.Chmod(path+"-shm", 0o600)
		_ = os.Chmod(path+"-wal", 0o600)
	}
	if noLog == nil {
		return 0, nil
	}
	return info.Size(), nil
}

// whole fails when the file is not as long as its header says: SQLite takes a
// last page that is cut off for one that ends in zeros.
func (s *Store) whole(ctx context.Context, size int64) error {
	var pages, page int64
	err := s.writer.QueryRowContext(ctx, "SELECT page_count, page_size FROM pragma_page_count, pragma_page_size").Scan(&pages, &page)
	if err != nil {
		return err
	}
	if size > 0 && size != pages*page {
		return fmt.Errorf("the file has %d bytes and should have %d", size, pages*page)
	}
	return nil
}

// migrate checks that the database is one of ours and brings it up to date.
func (s *Store) migrate(ctx context.Context, steps []string) error {
	version, err := s.version(ctx)
	if err != nil {
		return s.unusable(ctx, err)
	}
	if version > len(steps) {
		return core.Fail(core.CodeTooNew, fmt.Sprintf("the database %s was written by a newer yaap (version %d, this one knows %d)", s.path, version, len(steps)),
			"use the newer yaap, or choose another directory; nothing was changed")
	}
	hint := "nothing was changed"
	if version > 0 && version < len(steps) {
		copied, err := s.backup(ctx, version)
		if err != nil {
			return s.unusable(ctx, err)
		}
		hint = "it stays as it was; a copy of it is " + copied
	}
	for ; version < len(steps); version++ {
		if err := s.step(ctx, version, steps[version]); err != nil {
			return core.Fail(cmp.Or(codeIn(s.fail("migrate", err)), core.CodeInternal), fmt.Sprintf("the database %s cannot be brought from version %d to %d", s.path, version, version+1),
				hint).Because(err)
		}
	}
	return nil
}

// codeIn returns the code of the [core.Error] in err's tree, if there is one.
func codeIn(err error) core.Code {
	if e, ok := errors.AsType[*core.Error](err); ok {
		return e.Code
	}
	return ""
}

// version returns the version of the schema, 0 for an empty database.
func (s *Store) version(ctx context.Context) (version int, err error) {
	var app, objects int
	err = s.writer.QueryRowContext(ctx,
		"SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_user_version, pragma_application_id",
	).Scan(&version, &app, &objects)
	if err != nil {
		return 0, err
	}
	if version < 0 || app != application && (version != 0 || objects != 0) {
		return 0, core.Fail(core.CodeCorrupt, s.path+" is a database of another program",
			"move it away, or choose another directory; nothing was changed")
	}
	return version, nil
}

// step makes one migration, all of it or nothing.
func (s *Store) step(ctx context.Context, version int, statements string) error {
	return transact(ctx, s.writer, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, statements)
		switch {
		case err != nil:
			return err
		case version+1 == logsRuns:
			err = s.logOldRuns(ctx, tx)
		case version+1 == hasParts:
			err = s.partOld(ctx, tx)
		}
		if err == nil {
			_, err = tx.ExecContext(ctx, "PRAGMA user_version = "+strconv.Itoa(version+1))
		}
		return err
	})
}

// copies is what the names of the database's copies begin with.
func (s *Store) copies() string { return s.path + ".bak-" }

// backup copies the database beside itself and returns where. The last few
// copies are kept.
func (s *Store) backup(ctx context.Context, version int) (string, error) {
	path := s.copies() + strconv.Itoa(version) + "-" + time.Now().UTC().Format("20060102T150405.000000")
	// VACUUM INTO takes an empty file and keeps its mode.
	f, err := os.OpenFile(path+partial, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return "", cannotWrite(path, err)
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	if _, err := s.writer.ExecContext(ctx, "VACUUM INTO ?", path+partial); err != nil {
		_ = os.Remove(path + partial) // the first error says more
		return "", err
	}
	if err := os.Rename(path+partial, path); err != nil {
		return "", err
	}
	return path, prune(s.copies(), backups)
}

// partial is what the name of a copy ends with until it is complete.
const partial = ".part"

// prune removes all but the newest complete copies. It is called while nobody
// makes one.
func prune(prefix string, keep int) error {
	entries, err := os.ReadDir(filepath.Dir(prefix))
	if err != nil {
		return err
	}
	var copies, old []string
	for _, e := range entries {
		switch name := e.Name(); {
		case !strings.HasPrefix(name, filepath.Base(prefix)):
		case strings.HasSuffix(name, partial):
			old = append(old, name)
		default:
			copies = append(copies, name)
		}
	}
	made := func(name string) string { return name[strings.LastIndexByte(name, '-')+1:] }
	slices.SortFunc(copies, func(a, b string) int { return strings.Compare(made(b), made(a)) })
	for _, name := range append(old, copies[min(keep, len(copies)):]...) {
		if err := os.Remove(filepath.Join(filepath.Dir(prefix), name)); err != nil {
			return err
		}
	}
	return nil
}
