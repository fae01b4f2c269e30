package data

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"yaap/experts/plain"
)

//nolint:gochecknoglobals // never change; see plain.Expr
var (
	wholeNumber = plain.Expr(`^-?(?:0|[1-9]\d{0,17})$`)
	commaNumber = plain.Expr(`^-?(?:(?:0|[1-9]\d{0,14})|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$`)
	realNumber  = plain.Expr(`^-?(?:0|[1-9]\d{0,17})?(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$`)
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
	if r.Comma == ';' {
		decimals(records)
	}
	columns, width := records[0], 0
	for _, rec := range records { // a row may be longer than the first
		width = max(width, len(rec))
	}
	columns = append(columns, make([]string, width-len(columns))...)
	rows := func(yield func([]any) bool) {
		for _, rec := range records[1:] {
			row := make([]any, width)
			for i, c := range rec {
				if strings.TrimSpace(c) != "" {
					row[i] = strings.ToValidUTF8(c, "\ufffd")
				}
			}
			if !yield(row) {
				return
			}
		}
	}
	return sheet{columns, types(records[1:], width), rows}, nil
}

// decimals rewrites the columns whose numbers have a comma before the fraction.
func decimals(records [][]string) {
	for i := range records[0] {
		commas, all := false, true
		for _, rec := range records[1:] {
			if i < len(rec) && strings.TrimSpace(rec[i]) != "" {
				all = all && commaNumber().MatchString(strings.TrimSpace(rec[i]))
				commas = commas || strings.Contains(rec[i], ",")
			}
		}
		for _, rec := range records[1:] {
			if commas && all && i < len(rec) {
				rec[i] = strings.NewReplacer(".", "", ",", ".").Replace(rec[i])
			}
		}
	}
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
