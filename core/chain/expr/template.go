package expr

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

const maxRendered = 1 << 20

// ErrTooLong is returned for a template whose text with everything put in is
// longer than 1 MiB.
var ErrTooLong = errors.New("the text is longer than 1 MiB with all references put in")

// MissingError is returned for a reference that leads nowhere and has no default.
type MissingError struct{ Path Path }

func (e *MissingError) Error() string { return "{{" + e.Path.String() + "}} is missing" }

// Ref is a reference in a template.
type Ref struct {
	Path
	HasDefault bool
}

// Template is text with references.
type Template struct{ parts []part }

// part is text, or a reference.
type part struct {
	text  string
	isRef bool
	ref   Ref
	other any // its default
}

// ParseTemplate reads a template of at most 256 KiB. The error is a
// *SyntaxError.
func ParseTemplate(src string) (*Template, error) {
	if err := check("text", src, maxTemplate); err != nil {
		return nil, err
	}
	t := &Template{}
	for at := 0; ; {
		before, _, found := strings.Cut(src[at:], "{{")
		if !found {
			t.addText(before)
			return t, nil
		}
		at += len(before)
		bare := strings.TrimRight(before, `\`)
		slashes := len(before) - len(bare)
		t.addText(bare + strings.Repeat(`\`, slashes/2))
		if slashes%2 == 1 {
			t.addText("{{")
			at += len("{{")
			continue
		}
		p := parser{src: src, pos: at + len("{{"), inTemplate: true}
		t.parts = append(t.parts, p.reference())
		if p.err != nil {
			return nil, p.err
		}
		at = p.tok.end
	}
}

func (t *Template) addText(text string) {
	if text != "" {
		t.parts = append(t.parts, part{text: text})
	}
}

// reference reads what stands between {{ and }}, up to there.
func (p *parser) reference() part {
	open := p.pos - len("{{")
	p.next()
	ref := part{isRef: true, ref: Ref{Path: p.tok.path}}
	if p.tok.kind == tokPath {
		p.next()
	} else if p.tok.kind != tokEnd {
		p.unexpected("")
	}
	if p.tok.is("|") {
		p.next()
		p.want("default")
		p.want(":")
		ref.other = p.literal()
		ref.ref.HasDefault = true
	}
	if p.tok.kind == tokEnd {
		p.fail(open, "the {{ that stands here is not closed", `add }} behind the path, or write \{{ for braces that are text`)
	}
	if !p.tok.is("}}") {
		p.unexpected("")
	}
	return ref
}

// want goes over a word or a symbol.
func (p *parser) want(text string) {
	if !p.tok.is(text) {
		p.unexpected("")
	}
	p.next()
}

// Refs returns the references in the order of the source.
func (t *Template) Refs() []Ref {
	var refs []Ref
	for _, p := range t.parts {
		if p.isRef {
			refs = append(refs, p.ref)
		}
	}
	return refs
}

// Resolve puts the values in. A template that is one reference and nothing else
// is its value, with its type; anything else is a string, in which lists and
// objects are JSON and null is empty. The default of a reference stands for what
// is missing or null. The error is a *MissingError, [ErrTooLong], or that a value
// is not one of JSON.
func (t *Template) Resolve(l Lookup) (any, error) {
	if len(t.parts) == 1 && t.parts[0].isRef {
		return t.parts[0].value(l)
	}
	var b []byte
	for i := range t.parts {
		p := &t.parts[i]
		if !p.isRef {
			b = append(b, p.text...)
		} else {
			v, err := p.value(l)
			if err != nil {
				return nil, err
			}
			if b, err = appendText(b, v); err != nil {
				return nil, err
			}
		}
		if len(b) > maxRendered {
			return nil, ErrTooLong
		}
	}
	return string(b), nil
}

func (p *part) value(l Lookup) (any, error) {
	v, ok := l.get(&p.ref.Path)
	switch {
	case v == nil && p.ref.HasDefault:
		return p.other, nil
	case !ok:
		return nil, &MissingError{Path: p.ref.Path}
	}
	return v, nil
}

// appendText renders a value.
func appendText(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return b, nil
	case string:
		return append(b, v...), nil
	case json.Number:
		return append(b, withoutExponent(string(v))...), nil
	case float64:
		return appendFloat(b, v), nil
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...), nil
}

// withoutExponent writes a JSON number out where that loses nothing.
func withoutExponent(s string) string {
	const exact = 17 // bytes: no more digits than a float64 tells apart
	f, err := strconv.ParseFloat(s, 64)
	if !strings.ContainsAny(s, "eE") || len(s) > exact || err != nil {
		return s
	}
	return string(appendFloat(nil, f))
}

// appendFloat writes a number as JSON does: with an exponent only where it is
// very great or very small.
func appendFloat(b []byte, f float64) []byte {
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
		return strconv.AppendFloat(b, f, 'g', -1, 64)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}
