package data

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"os"
	"regexp"
)

var rowsInside = regexp.MustCompile(`\[\s*\{`)

// readJSON reads an array of objects, or one object after the other. What is
// nested stays JSON text.
func readJSON(file *os.File) (sheet, error) {
	raw, err := io.ReadAll(skipBOM(io.LimitReader(file, maxFile)))
	if err != nil {
		return sheet{}, err
	}
	raw = bytes.TrimSpace(raw)
	var cols []column
	index := map[string]int{}
	n := 0
	for object, err := range objects(raw) {
		if err != nil {
			return sheet{}, err
		}
		n++
		for key, v := range fields(object) {
			i, ok := index[key]
			if !ok {
				i, index[key] = len(cols), len(cols)
				cols = append(cols, column{name: key})
			}
			cols[i].kind = max(cols[i].kind, kindOfJSON(v))
		}
		if len(cols) > maxColumns {
			return sheet{}, errTooWide()
		}
	}
	if n == 1 && raw[0] == '{' && rowsInside.Match(raw) {
		return sheet{}, &unclear{"The rows of that file are inside of one object. I read an array of objects, or one object on each line.", nil}
	}
	rows := func(yield func([]any, error) bool) {
		for object, err := range objects(raw) {
			row := make([]any, len(cols))
			for key, v := range fields(object) {
				row[index[key]] = value(v)
			}
			if !yield(row, err) {
				return
			}
		}
	}
	return sheet{cols, rows}, nil
}

// objects goes through the elements of an array, or the values one after the
// other; an error is the last.
func objects(raw []byte) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		dec := json.NewDecoder(bytes.NewReader(raw))
		array := bytes.HasPrefix(raw, []byte("["))
		if array {
			_, _ = dec.Token() // the bracket
		}
		for !array || dec.More() {
			var r json.RawMessage
			err := dec.Decode(&r)
			if !array && errors.Is(err, io.EOF) || !yield(r, err) || err != nil {
				return
			}
		}
		if _, err := dec.Token(); err != nil {
			yield(nil, errors.New("its array is not closed"))
		}
	}
}

// fields goes through the members of a valid object in order; anything else is
// the one member "value".
func fields(object json.RawMessage) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		if !bytes.HasPrefix(object, []byte("{")) {
			if len(object) > 0 {
				yield("value", object)
			}
			return
		}
		dec := json.NewDecoder(bytes.NewReader(object))
		_, _ = dec.Token() // the brace
		for dec.More() {
			key, _ := dec.Token()
			name, _ := key.(string) // a key is one
			var v json.RawMessage
			if dec.Decode(&v) != nil || !yield(name, v) {
				return
			}
		}
	}
}

func kindOfJSON(v json.RawMessage) valueKind {
	switch v[0] {
	case 'n', 't', 'f':
		return whole
	case '"', '{', '[':
		return text
	}
	return kindOfValue(string(v))
}

// value turns JSON into what is stored.
func value(v json.RawMessage) any {
	switch v[0] {
	case 'n':
		return nil
	case 't':
		return "1"
	case 'f':
		return "0"
	case '"':
		var s string
		_ = json.Unmarshal(v, &s) // it is valid
		return s
	}
	return string(v)
}
