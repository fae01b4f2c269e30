package data

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"yaap/core"
	"yaap/experts/plain"
)

// sheet is a CSV or JSON file as a table. Cells are nil, bool, int64, float64
// or text, which SQLite turns into what the column's type says.
type sheet struct {
	columns []string
	types   []string
	rows    iter.Seq[[]any]
}

// sheetOf reads the CSV or JSON file p.
func sheetOf(p string, r *bufio.Reader) (sheet, error) {
	if mark, _ := r.Peek(3); string(mark) == "\ufeff" {
		_, _ = r.Discard(3) // it was peeked
	}
	if kindOf(p) == "json" {
		return readJSON(r)
	}
	return readCSV(r)
}

// load makes the CSV or JSON file p a temporary table of that name.
func (s *session) load(ctx context.Context, p, name string) error {
	bad := func(what string, most int) error {
		return &core.Error{Code: core.CodeInvalid, Message: fmt.Sprintf("%s has more than %d %s, the most that I load.", plain.Code(p), most, what), Hint: "Put it into a SQLite file, which may have any size."}
	}
	file, info, err := s.open(p)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // nothing was written
	if info.Size() > maxFile {
		return bad("MiB", maxFile>>20)
	}
	if s.progress != nil && info.Size() > 1<<20 {
		s.progress("loading "+p, -1)
	}
	sh, err := sheetOf(p, bufio.NewReaderSize(io.LimitReader(file, maxFile), 64<<10))
	if err == nil && len(sh.columns) == 0 {
		err = errors.New("it has no rows and no columns")
	}
	switch {
	case err != nil:
		return &core.Error{Code: core.CodeInvalid, Message: fmt.Sprintf("%s cannot be read as a table: %v.", plain.Code(p), err), Hint: "Is it another kind of file, or damaged?", Err: err}
	case len(sh.columns) > maxColumns:
		return bad("columns", maxColumns)
	}
	defs, marks := make([]string, len(sh.columns)), slices.Repeat([]string{"?"}, len(sh.columns))
	for i, c := range unique(sh.columns) {
		defs[i] = ident(c) + " " + sh.types[i]
	}
	if _, err := s.conn.ExecContext(ctx, "PRAGMA query_only=0; CREATE TEMP TABLE "+ident(name)+" ("+strings.Join(defs, ", ")+")"); err != nil {
		return err
	}
	tx, err := s.conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	insert, err := tx.PrepareContext(ctx, "INSERT INTO temp."+ident(name)+" VALUES ("+strings.Join(marks, ", ")+")")
	if err != nil {
		return err
	}
	defer func() { _ = insert.Close() }() // each row told its error
	n := 0
	for row := range sh.rows {
		if n++; n > maxRows {
			return bad("rows", maxRows)
		}
		if _, err := insert.ExecContext(ctx, row...); err != nil {
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
