package core

import (
	"bytes"
	"encoding/json"
	"errors"
)

// EncodeJSON writes a value on one line, with <, > and & as they are: most of it is text
// that people read.
func EncodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// DecodeJSON is [json.Unmarshal] that keeps every digit of numbers, as [json.Number] where
// into says no kind.
func DecodeJSON(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if rest := bytes.TrimSpace(raw[dec.InputOffset():]); len(rest) > 0 {
		return errors.New("something stands behind the value")
	}
	return nil
}

// Member is a member of a JSON object.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Object writes members as a JSON object, in their order.
func Object(all []Member) json.RawMessage {
	b := []byte{'{'}
	for i, m := range all {
		if i > 0 {
			b = append(b, ',')
		}
		name, _ := json.Marshal(m.Name) // a string
		b = append(append(append(b, name...), ':'), m.Value...)
	}
	return append(b, '}')
}

// Members returns the members of a JSON object in their order, or false where raw is none.
func Members(raw json.RawMessage) (all []Member, ok bool) {
	if !json.Valid(raw) {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for dec.More() {
		var m Member
		name, _ := dec.Token() // raw is valid
		_ = dec.Decode(&m.Value)
		m.Name, _ = name.(string)
		all = append(all, m)
	}
	return all, true
}
