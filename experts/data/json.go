package data

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
)

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
		return sheet{columns, make([]string, len(columns)), slices.Values(rows)}, err
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
