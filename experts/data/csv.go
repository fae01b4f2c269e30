package data

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
)

// readCSV goes through the file once for the kinds of its columns. Empty cells
// are NULL.
func readCSV(file *os.File, kind string) (sheet, error) {
	head, err := bufio.NewReaderSize(file, 64<<10).Peek(64 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return sheet{}, err
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return sheet{}, errors.New("it is binary")
	}
	comma := '\t'
	if kind == "csv" {
		comma = separator(head)
	}
	var cols []column
	for rec, err := range records(file, comma) {
		if err != nil {
			return sheet{}, err
		}
		if len(rec) > maxColumns {
			return sheet{}, errTooWide()
		}
		isHead := cols == nil
		cols = append(cols, make([]column, max(0, len(rec)-len(cols)))...) // a row may be longer than the first
		for i, c := range rec {
			if isHead {
				cols[i].name = c
			} else if c = strings.TrimSpace(c); c != "" {
				cols[i].kind = max(cols[i].kind, kindOfValue(c))
			}
		}
	}
	rows := func(yield func([]any, error) bool) {
		isHead := true
		for rec, err := range records(file, comma) {
			row := make([]any, len(cols))
			for i, c := range rec[:min(len(rec), len(cols))] {
				if strings.TrimSpace(c) != "" {
					row[i] = strings.ToValidUTF8(c, "\ufffd")
				}
			}
			if (!isHead || err != nil) && !yield(row, err) {
				return
			}
			isHead = false
		}
	}
	return sheet{cols, rows}, nil
}

// records reads file from its beginning; an error is the last.
func records(file *os.File, comma rune) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			yield(nil, err)
			return
		}
		r := csv.NewReader(skipBOM(io.LimitReader(file, maxFile)))
		r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = comma, true, -1, true
		for {
			rec, err := r.Read()
			if errors.Is(err, io.EOF) || !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

func errTooWide() error {
	return fmt.Errorf("it has more columns than the at most %d that I load", maxColumns)
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
