package data

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strings"

	"yaap/core"
)

// sheet is a CSV or JSON file as a table. Its rows can be gone through more
// than once; their numbers are text, which SQLite turns into what the column is.
type sheet struct {
	columns []column
	rows    iter.Seq2[[]any, error]
}

type column struct {
	name string
	kind valueKind
}

// valueKind is the narrowest type that holds every value of a column.
type valueKind int

const (
	whole valueKind = iota
	real
	text
)

func (k valueKind) String() string { return []string{"INTEGER", "REAL", "TEXT"}[k] }

var (
	wholeNumber = regexp.MustCompile(`^-?(?:0|[1-9]\d{0,17})$`)
	realNumber  = regexp.MustCompile(`^-?(?:0|[1-9]\d{0,17})?(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$`)
)

// kindOfValue takes codes, such as 00042 and numbers of many digits, for text.
func kindOfValue(s string) valueKind {
	switch {
	case wholeNumber.MatchString(s):
		return whole
	case realNumber.MatchString(s):
		return real
	}
	return text
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
	var sh sheet
	switch kindOf(p) {
	case "json":
		sh, err = readJSON(file)
	default:
		sh, err = readCSV(file, kindOf(p))
	}
	var ask *unclear
	switch {
	case errors.As(err, &ask):
		return err
	case err != nil:
		return &core.Error{Code: core.CodeInvalid, Message: fmt.Sprintf("%s cannot be read as a table: %v.", code(p), err), Err: err}
	case len(sh.columns) == 0:
		return &core.Error{Code: core.CodeInvalid, Message: code(p) + " has no rows and no columns."}
	}
	return s.insert(ctx, p, name, sh)
}

func (s *session) insert(ctx context.Context, p, name string, sh sheet) error {
	defs, marks := make([]string, len(sh.columns)), make([]string, len(sh.columns))
	for i, c := range unique(sh.columns) {
		defs[i], marks[i] = ident(c.name)+" "+c.kind.String(), "?"
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
	for row, err := range sh.rows {
		if n++; n > maxRows {
			return &core.Error{Code: core.CodeInvalid, Message: fmt.Sprintf("%s has more than %d rows.", code(p), maxRows), Hint: "Put it into a SQLite file, which may have any size."}
		}
		if err != nil {
			return err
		}
		if _, err := stmt.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// unique gives every column a name of its own; case does not tell them apart.
func unique(cols []column) []column {
	seen := map[string]bool{}
	for i, c := range cols {
		base := strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(c.name, "\x00", ""), "\ufffd")), " ")
		if base == "" {
			base = fmt.Sprintf("column%d", i+1)
		}
		if r := []rune(base); len(r) > 100 {
			base = string(r[:100])
		}
		name := base
		for n := 2; seen[strings.ToLower(name)]; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		seen[strings.ToLower(name)] = true
		cols[i].name = name
	}
	return cols
}
