package data

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
)

var arrayOfObjects = regexp.MustCompile(`^\[\s*\{`)

// readJSON reads an array of objects, or one object after the other. What is
// nested stays JSON text.
func readJSON(file *bufio.Reader) (sheet, error) {
	dec := json.NewDecoder(file)
	var columns []string
	var rows [][]any
	index := map[string]int{}
	inArray, nested := false, false
	for {
		t, err := dec.Token()
		switch {
		case errors.Is(err, io.EOF) && !inArray:
			if nested && len(rows) == 1 {
				return sheet{}, &unclear{"The rows of that file are inside of one object. I read an array of objects, or one object on each line.", nil}
			}
			for i, row := range rows {
				rows[i] = append(row, make([]any, len(columns)-len(row))...)
			}
			return sheet{columns, make([]string, len(columns)), slices.Values(rows)}, nil
		case err != nil:
			return sheet{}, err
		case t == json.Delim('[') && !inArray, t == json.Delim(']'):
			inArray = !inArray
			continue
		case t != json.Delim('{'):
			return sheet{}, errors.New("its rows are not objects")
		}
		row := make([]any, len(columns))
		for dec.More() {
			key, err := dec.Token()
			var v json.RawMessage
			if err := errors.Join(err, dec.Decode(&v)); err != nil {
				return sheet{}, err
			}
			name, _ := key.(string) // a key is one
			if _, ok := index[name]; !ok {
				index[name] = len(columns)
				columns, row = append(columns, name), append(row, nil)
			}
			row[index[name]] = value(v)
			nested = nested || !inArray && arrayOfObjects.Match(v)
		}
		if len(columns) > maxColumns {
			return sheet{columns: columns}, nil // which is refused
		}
		rows = append(rows, row)
		if _, err := dec.Token(); err != nil {
			return sheet{}, err
		}
	}
}

// value turns JSON into what is stored.
func value(v json.RawMessage) any {
	var known any
	if v[0] != '{' && v[0] != '[' && json.Unmarshal(v, &known) == nil {
		if _, isNumber := known.(float64); !isNumber {
			return known
		}
	}
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n
	}
	if x, err := strconv.ParseFloat(string(v), 64); err == nil {
		return x
	}
	return string(v)
}
