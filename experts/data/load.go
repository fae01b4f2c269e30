package data

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/experts/plain"
)

// sheet is a CSV or JSON file as a table. Cells are nil, bool, int64, float64
// or text, which SQLite turns into what the column's type says.
type sheet struct {
	columns []string
	types   []string
	units   []unit // around the numbers of each column
	rows    iter.Seq[[]any]
}

// sheetOf reads the CSV or JSON file p; what is nested in a small one may be unfolded.
func sheetOf(p string, r *bufio.Reader, small bool) (sheet, error) {
	if mark, _ := r.Peek(3); string(mark) == "\ufeff" {
		_, _ = r.Discard(3) // it was peeked
	}
	if kindOf(p) == "json" {
		s, err := readJSON(r)
		if small && err == nil {
			s = s.unfolded()
		}
		return s, err
	}
	return readCSV(r)
}

// load makes the CSV or JSON file p a temporary table of that name.
func (s *session) load(ctx context.Context, p, name string) error {
	bad := func(what string, most int) error {
		return core.Fail(core.CodeInvalid, fmt.Sprintf("%s has more than %d %s, the most that I load.", plain.Code(p), most, what), "Put it into a SQLite file, which may have any size.")
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
	sh, err := sheetOf(p, bufio.NewReaderSize(io.LimitReader(file, maxFile), 64<<10), info.Size() <= sampleBytes)
	if err == nil && len(sh.columns) == 0 {
		err = errors.New("it has no rows and no columns")
	}
	switch {
	case err != nil:
		return core.Fail(core.CodeInvalid, fmt.Sprintf("%s cannot be read as a table: %v.", plain.Code(p), err), "Is it another kind of file, or damaged?").Because(err)
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

//nolint:gochecknoglobals // never change; see plain.LazyRegexp
var (
	wholeNumber = plain.LazyRegexp(`^-?(?:0|[1-9]\d{0,17})$`)
	realNumber  = plain.LazyRegexp(`^-?(?:0|[1-9]\d{0,17})?(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$`)
)

// readCSV takes the first row for the names of the columns. An empty cell is
// NULL.
func readCSV(file *bufio.Reader) (sheet, error) {
	head, err := file.Peek(file.Size())
	if err != nil && !errors.Is(err, io.EOF) {
		return sheet{}, err
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return sheet{}, errors.New("it is binary")
	}
	r := csv.NewReader(file)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = separator(head), true, -1
	records, err := r.ReadAll()
	if err != nil || len(records) == 0 {
		return sheet{}, err
	}
	columns, width := records[0], 0
	for _, rec := range records { // a row may be longer than the first
		width = max(width, len(rec))
	}
	columns = append(columns, make([]string, width-len(columns))...)
	units := regular(records, width, r.Comma == ';')
	rows := func(yield func([]any) bool) {
		for _, rec := range records[1:] {
			row := make([]any, width)
			for i, c := range rec {
				if c = strings.TrimSpace(c); c != "" {
					row[i] = strings.ToValidUTF8(c, "\ufffd")
				}
			}
			if !yield(row) {
				return
			}
		}
	}
	return sheet{columns, types(records[1:], width), units, rows}, nil
}

// types finds the narrowest type that holds every cell of a column. Codes, such
// as 00042 and numbers of many digits, are text.
func types(records [][]string, width int) []string {
	all := slices.Repeat([]string{"INTEGER"}, width)
	for _, rec := range records {
		for i, c := range rec {
			switch c = strings.TrimSpace(c); {
			case c == "" || all[i] == "TEXT" || all[i] == "INTEGER" && wholeNumber().MatchString(c):
			case realNumber().MatchString(c):
				all[i] = "REAL"
			default:
				all[i] = "TEXT"
			}
		}
	}
	return all
}

// separator is a tab if the first line has one, else what it has most of.
func separator(head []byte) rune {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if bytes.IndexByte(line, '\t') >= 0 {
		return '\t'
	}
	if n := bytes.Count(line, []byte(";")); n > bytes.Count(line, []byte(",")) {
		return ';'
	}
	return ','
}

// unfolded is a sheet of one row, such as a file of settings, in which the fields of an object
// are columns with its name before theirs, as cache.size.
func (s sheet) unfolded() sheet {
	var columns []string
	var row []any
	var add func(name string, cell any, deep int)
	add = func(name string, cell any, deep int) {
		text, _ := cell.(string)
		inner, err := readJSON(bufio.NewReader(strings.NewReader(text)))
		if !strings.HasPrefix(text, "{") || err != nil || len(inner.columns) == 0 || inner.rows == nil || deep == maxDeep || len(columns) > maxColumns {
			columns, row = append(columns, name), append(row, cell)
			return
		}
		for cells := range inner.rows {
			for i, c := range cells {
				add(name+"."+inner.columns[i], c, deep+1)
			}
		}
	}
	if s.rows == nil {
		return s
	}
	for cells := range s.rows {
		if row != nil {
			return s
		}
		for i, c := range cells {
			add(s.columns[i], c, 0)
		}
	}
	if row == nil || len(columns) > maxColumns {
		return s
	}
	return sheet{columns, make([]string, len(columns)), make([]unit, len(columns)), slices.Values([][]any{row})}
}

const maxDeep = 3 // objects in objects whose fields are columns

// readJSON reads an array of objects, or one object after the other. What is
// nested stays JSON text. With an error come the rows that were read before it.
func readJSON(file *bufio.Reader) (sheet, error) {
	dec := json.NewDecoder(file)
	var columns []string
	var rows [][]any
	index := map[string]int{}
	read := func(err error) (sheet, error) {
		for i, row := range rows {
			rows[i] = append(row, make([]any, len(columns)-len(row))...)
		}
		return sheet{columns, make([]string, len(columns)), make([]unit, len(columns)), slices.Values(rows)}, err
	}
	for inArray := false; ; {
		t, err := dec.Token()
		switch {
		case errors.Is(err, io.EOF) && !inArray:
			return read(nil)
		case err != nil:
			return read(err)
		case t == json.Delim('[') && !inArray, t == json.Delim(']'):
			inArray = !inArray
			continue
		case t != json.Delim('{'):
			return read(errors.New("its rows are not objects"))
		}
		row := make([]any, len(columns))
		for dec.More() {
			key, err := dec.Token()
			var v json.RawMessage
			if err := errors.Join(err, dec.Decode(&v)); err != nil {
				return read(err)
			}
			name, _ := key.(string) // a key is one
			if _, ok := index[name]; !ok {
				index[name] = len(columns)
				columns, row = append(columns, name), append(row, nil)
			}
			row[index[name]] = cellOf(v)
		}
		if len(columns) > maxColumns {
			return sheet{columns: columns}, nil // which is refused
		}
		rows = append(rows, row)
		if _, err := dec.Token(); err != nil {
			return read(err)
		}
	}
}

// cellOf turns JSON into what is stored.
func cellOf(v json.RawMessage) any {
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n
	}
	var known any
	if v[0] != '{' && v[0] != '[' && json.Unmarshal(v, &known) == nil {
		return known
	}
	return string(v)
}
