package data

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"yaap/core"
)

// sheet is a CSV or JSON file as a table. Cells are nil, bool, int64, float64
// or text, which SQLite turns into what the column's type says.
type sheet struct {
	columns []string
	types   []string
	rows    iter.Seq[[]any]
}

// load makes the CSV or JSON file p a temporary table of that name.
func (s *session) load(ctx context.Context, p, name string) error {
	file, info, err := s.open(p)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // nothing was written
	if info.Size() > maxFile {
		return &core.Error{Code: core.CodeInvalid, Message: fmt.Sprintf("%s has %d MiB; I load at most %d MiB.", code(p), info.Size()>>20, maxFile>>20), Hint: "Put it into a SQLite file, which may have any size."}
	}
	if s.progress != nil && info.Size() > 1<<20 {
		s.progress("loading "+p, -1)
	}
	read := readCSV
	if kindOf(p) == "json" {
		read = readJSON
	}
	r := bufio.NewReaderSize(io.LimitReader(file, maxFile), 64<<10)
	if mark, _ := r.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = r.Discard(3) // it was peeked
	}
	sh, err := read(r)
	var ask *unclear
	switch {
	case errors.As(err, &ask):
		return err
	case err != nil:
		return &core.Error{Code: core.CodeInvalid, Message: fmt.Sprintf("%s cannot be read as a table: %v.", code(p), err), Err: err}
	case len(sh.columns) > maxColumns:
		return &core.Error{Code: core.CodeInvalid, Message: fmt.Sprintf("%s has more columns than the at most %d that I load.", code(p), maxColumns)}
	case len(sh.columns) == 0:
		return &core.Error{Code: core.CodeInvalid, Message: code(p) + " has no rows and no columns."}
	}
	return s.insert(ctx, p, name, sh)
}

func (s *session) insert(ctx context.Context, p, name string, sh sheet) error {
	defs, marks := make([]string, len(sh.columns)), make([]string, len(sh.columns))
	for i, c := range unique(sh.columns) {
		defs[i], marks[i] = ident(c)+" "+sh.types[i], "?"
	}
	for _, statement := range []string{"PRAGMA query_only=0", "CREATE TEMP TABLE " + ident(name) + " (" + strings.Join(defs, ", ") + ")"} {
		if _, err := s.conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	tx, err := s.conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	stmt, err := tx.PrepareContext(ctx, "INSERT INTO temp."+ident(name)+" VALUES ("+strings.Join(marks, ", ")+")")
	if err != nil {
		return err
	}
	defer func() { _ = stmt.Close() }() // each insert told its error
	n := 0
	for row := range sh.rows {
		if n++; n > maxRows {
			return &core.Error{Code: core.CodeInvalid, Message: fmt.Sprintf("%s has more than %d rows.", code(p), maxRows), Hint: "Put it into a SQLite file, which may have any size."}
		}
		if _, err := stmt.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// unique gives every column a name of its own; case does not tell them apart.
func unique(columns []string) []string {
	var out, seen []string
	for i, c := range columns {
		base := strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(c, "\x00", ""), "\ufffd")), " ")
		if base == "" {
			base = fmt.Sprintf("column%d", i+1)
		}
		base = strings.ToValidUTF8(base[:min(len(base), 200)], "")
		name := base
		for n := 2; slices.Contains(seen, strings.ToLower(name)); n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		out, seen = append(out, name), append(seen, strings.ToLower(name))
	}
	return out
}
