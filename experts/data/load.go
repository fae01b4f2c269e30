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
	"os"
	"regexp"
	"strconv"
	"strings"

	"yaap/core"
)

// sheet is a CSV or JSON file as a table: its columns, and its rows, which can
// be gone through more than once.
type sheet struct {
	columns []string
	each    func(visit func(row []any) error) error
}

// load makes the file p a temporary table of that name.
func (s *session) load(ctx context.Context, p string) error {
	if s.loaded[p] {
		return nil
	}
	file, info, err := s.folder.open(p)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // nothing was written
	if info.Size() > maxFile {
		return &core.Error{Code: core.CodeInvalid, Message: fmt.Sprintf("%s has %d MiB; I load at most %d MiB.", code(p), info.Size()>>20, maxFile>>20), Hint: "Put it into a SQLite file, which may have any size."}
	}
	if s.folder.progress != nil && info.Size() > 1<<20 {
		s.folder.progress("loading "+p, -1)
	}
	var sh sheet
	if kindOf(p) == "json" {
		sh, err = readJSON(file)
	} else {
		sh, err = readCSV(file, kindOf(p))
	}
	var known *core.Error
	if err != nil && !errors.As(err, &known) {
		return &core.Error{Code: core.CodeInvalid, Message: fmt.Sprintf("%s cannot be read as a table: %v.", code(p), err), Err: err}
	}
	if err != nil {
		return err
	}
	if len(sh.columns) == 0 {
		return &core.Error{Code: core.CodeInvalid, Message: code(p) + " has no rows and no columns."}
	}
	if err := s.insert(ctx, p, sh); err != nil {
		return err
	}
	s.loaded[p] = true
	return nil
}

func (s *session) insert(ctx context.Context, p string, sh sheet) error {
	defs, marks := make([]string, len(sh.columns)), make([]string, len(sh.columns))
	for i, c := range sh.columns {
		defs[i], marks[i] = ident(c), "?"
	}
	if _, err := s.conn.ExecContext(ctx, "CREATE TEMP TABLE "+ident(p)+" ("+strings.Join(defs, ", ")+")"); err != nil {
		return err
	}
	tx, err := s.conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	stmt, err := tx.PrepareContext(ctx, "INSERT INTO temp."+ident(p)+" VALUES ("+strings.Join(marks, ", ")+")")
	if err != nil {
		return err
	}
	n := 0
	err = sh.each(func(row []any) error {
		if n++; n > maxRows {
			return &core.Error{Code: core.CodeInvalid, Message: fmt.Sprintf("%s has more than %d rows.", code(p), maxRows), Hint: "Put it into a SQLite file, which may have any size."}
		}
		_, err := stmt.ExecContext(ctx, row...)
		return err
	})
	if err := errors.Join(err, stmt.Close()); err != nil {
		return err
	}
	return tx.Commit()
}

var (
	wholeNumber = regexp.MustCompile(`^-?(?:0|[1-9]\d{0,17})$`)
	realNumber  = regexp.MustCompile(`^-?(?:0|[1-9]\d*)?(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$`)
)

// readCSV infers the type of each column from all of its cells: whole numbers,
// numbers, or text. Empty cells are NULL.
func readCSV(file *os.File, kind string) (sheet, error) {
	comma := '\t'
	if kind == "csv" {
		head, err := bufio.NewReaderSize(file, 64<<10).Peek(64 << 10)
		if err != nil && !errors.Is(err, io.EOF) {
			return sheet{}, err
		}
		if bytes.IndexByte(head, 0) >= 0 {
			return sheet{}, errors.New("it is binary")
		}
		comma = separator(head)
	}
	records := func(visit func([]string) error) error {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		r := csv.NewReader(skipBOM(io.LimitReader(file, maxFile)))
		r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = comma, true, -1, true
		for {
			rec, err := r.Read()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			if err := visit(rec); err != nil {
				return err
			}
		}
	}
	var head []string
	var whole, real []bool
	err := records(func(rec []string) error {
		if len(rec) > maxColumns {
			return tooWide()
		}
		if head == nil {
			head = append([]string{}, rec...)
			whole, real = trues(len(head)), trues(len(head))
			return nil
		}
		for len(head) < len(rec) { // a row longer than the first
			head, whole, real = append(head, ""), append(whole, true), append(real, true)
		}
		for i, c := range rec {
			if c = strings.TrimSpace(c); c != "" {
				whole[i] = whole[i] && wholeNumber.MatchString(c)
				real[i] = real[i] && realNumber.MatchString(c)
			}
		}
		return nil
	})
	if err != nil {
		return sheet{}, err
	}
	each := func(visit func([]any) error) error {
		first := true
		return records(func(rec []string) error {
			if first {
				first = false
				return nil
			}
			row := make([]any, len(head))
			for i, c := range rec {
				if i < len(row) {
					row[i] = typed(c, whole[i], real[i])
				}
			}
			return visit(row)
		})
	}
	return sheet{columns: unique(head), each: each}, nil
}

func tooWide() error {
	return &core.Error{Code: core.CodeInvalid, Message: fmt.Sprintf("That has more columns than the at most %d that I load.", maxColumns)}
}

func typed(c string, whole, real bool) any {
	t := strings.TrimSpace(c)
	if t == "" {
		return nil
	}
	if whole {
		if n, err := strconv.ParseInt(t, 10, 64); err == nil {
			return n
		}
	}
	if real {
		if x, err := strconv.ParseFloat(t, 64); err == nil {
			return x
		}
	}
	return strings.ToValidUTF8(c, "\ufffd")
}

// separator is the one that the first line has most of.
func separator(head []byte) rune {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	best, most := ',', 0
	for _, r := range ",;\t|" {
		if n := bytes.Count(line, []byte(string(r))); n > most {
			best, most = r, n
		}
	}
	return best
}

func skipBOM(r io.Reader) io.Reader {
	b := bufio.NewReaderSize(r, 64<<10)
	if head, _ := b.Peek(3); bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		_, _ = b.Discard(3) // it was peeked
	}
	return b
}

func trues(n int) []bool {
	b := make([]bool, n)
	for i := range b {
		b[i] = true
	}
	return b
}

// unique gives every column a name of its own; case does not tell them apart.
func unique(head []string) []string {
	seen := map[string]bool{}
	out := make([]string, len(head))
	for i, h := range head {
		h = strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(h, "\x00", ""), "\ufffd")), " ")
		if h == "" {
			h = fmt.Sprintf("column%d", i+1)
		}
		if r := []rune(h); len(r) > 100 {
			h = string(r[:100])
		}
		name := h
		for n := 2; seen[strings.ToLower(name)]; n++ {
			name = fmt.Sprintf("%s_%d", h, n)
		}
		seen[strings.ToLower(name)] = true
		out[i] = name
	}
	return out
}

// readJSON reads an array of objects, one object after the other, or an object
// that holds one array of objects. What is nested stays JSON text.
func readJSON(file *os.File) (sheet, error) {
	raw, err := io.ReadAll(skipBOM(io.LimitReader(file, maxFile+1)))
	if err != nil {
		return sheet{}, err
	}
	rows := func(visit func(json.RawMessage) error) error { return elements(raw, visit) }
	var only json.RawMessage
	n := 0
	if err := rows(func(r json.RawMessage) error { only = r; n++; return nil }); err != nil {
		return sheet{}, err
	}
	if n == 1 && raw[firstByte(raw)] == '{' {
		if inner := onlyArray(only); inner != nil {
			rows = func(visit func(json.RawMessage) error) error { return elements(inner, visit) }
		}
	}
	var columns []string
	index := map[string]int{}
	err = rows(func(r json.RawMessage) error {
		return fields(r, func(key string, _ json.RawMessage) error {
			if _, ok := index[key]; !ok {
				index[key] = len(columns)
				columns = append(columns, key)
			}
			if len(columns) > maxColumns {
				return tooWide()
			}
			return nil
		})
	})
	each := func(visit func([]any) error) error {
		return rows(func(r json.RawMessage) error {
			row := make([]any, len(columns))
			err := fields(r, func(key string, v json.RawMessage) error {
				row[index[key]] = value(v)
				return nil
			})
			if err != nil {
				return err
			}
			return visit(row)
		})
	}
	return sheet{columns: unique(columns), each: each}, err
}

func firstByte(raw []byte) int { return len(raw) - len(bytes.TrimLeft(raw, " \t\r\n")) }

// elements visits the elements of an array, or the values one after the other.
func elements(raw []byte, visit func(json.RawMessage) error) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if i := firstByte(raw); i < len(raw) && raw[i] == '[' {
		if _, err := dec.Token(); err != nil {
			return err
		}
		for dec.More() {
			var r json.RawMessage
			if err := dec.Decode(&r); err != nil {
				return err
			}
			if err := visit(r); err != nil {
				return err
			}
		}
		_, err := dec.Token()
		return err
	}
	for {
		var r json.RawMessage
		if err := dec.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := visit(r); err != nil {
			return err
		}
	}
}

// onlyArray returns the one array of objects among the values of an object.
func onlyArray(object json.RawMessage) (found json.RawMessage) {
	n := 0
	err := fields(object, func(_ string, v json.RawMessage) error {
		if v = bytes.TrimSpace(v); len(v) > 1 && v[0] == '[' && bytes.HasPrefix(bytes.TrimSpace(v[1:]), []byte("{")) {
			found, n = v, n+1
		}
		return nil
	})
	if err != nil || n != 1 {
		return nil
	}
	return found
}

// fields visits the members of an object in order; anything else is the one
// member "value".
func fields(r json.RawMessage, visit func(key string, v json.RawMessage) error) error {
	if r = bytes.TrimSpace(r); len(r) == 0 || r[0] != '{' {
		return visit("value", r)
	}
	dec := json.NewDecoder(bytes.NewReader(r))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return err
		}
		name, _ := key.(string) // a key is one
		if err := visit(name, v); err != nil {
			return err
		}
	}
	return nil
}

// value turns JSON into what SQLite stores.
func value(raw json.RawMessage) any {
	switch raw = bytes.TrimSpace(raw); string(raw) {
	case "null", "":
		return nil
	case "true":
		return int64(1)
	case "false":
		return int64(0)
	}
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
	}
	if raw[0] == '{' || raw[0] == '[' {
		return string(raw)
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n
	}
	if x, err := strconv.ParseFloat(string(raw), 64); err == nil {
		return x
	}
	return string(raw)
}
