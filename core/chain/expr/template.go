package expr

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	maxTemplate = 256 << 10
	maxRendered = 1 << 20
)

// Ref is a reference in a template.
type Ref struct {
	Path
	HasDefault bool
}

// Template is a text with references. It may be resolved from any goroutine.
type Template struct {
	parts []part
}

// part is text, or a reference.
type part struct {
	text     string
	ref      *Ref
	fallback any
}

// MissingError says that a reference without a default leads nowhere.
type MissingError struct{ Path Path }

// Error implements error.
func (e *MissingError) Error() string { return "{{" + e.Path.String() + "}} leads to nothing" }

// ParseTemplate reads a text with references: {{path}} or
// {{path | default: literal}}. \{{ is two braces. Its error is a *SyntaxError.
func ParseTemplate(src string) (*Template, error) {
	if len(src) > maxTemplate {
		return nil, &SyntaxError{Message: fmt.Sprintf("the text is longer than %d bytes", maxTemplate)}
	}
	t := &Template{}
	text := func(s string) {
		if s != "" {
			t.parts = append(t.parts, part{text: s})
		}
	}
	for at := 0; at < len(src); {
		open := strings.Index(src[at:], "{{")
		if open < 0 {
			text(src[at:])
			break
		}
		open += at
		if open > at && src[open-1] == '\\' {
			text(src[at:open-1] + "{{")
			at = open + 2
			continue
		}
		text(src[at:open])
		shut := closing(src, open+2)
		if shut < 0 {
			return nil, &SyntaxError{Offset: open, Message: "{{ is not closed", Hint: `add }}, or write \{{ for two braces`}
		}
		ref, err := parseRef(src[open+2:shut], open+2)
		if err != nil {
			return nil, err
		}
		t.parts = append(t.parts, ref)
		at = shut + 2
	}
	return t, nil
}

// closing finds the }} that is not within quotes.
func closing(src string, at int) int {
	var quote byte
	for i := at; i < len(src); i++ {
		switch c := src[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '}' && i+1 < len(src) && src[i+1] == '}':
			return i
		}
	}
	return -1
}

func parseRef(src string, offset int) (part, error) {
	if len(src) > maxCond {
		return part{}, &SyntaxError{Offset: offset, Message: "the reference is too long"}
	}
	tokens, err := lex(src, offset)
	if err != nil {
		return part{}, err
	}
	p := &parser{tokens: tokens}
	path, err := p.path()
	if err != nil {
		return part{}, err
	}
	out := part{ref: &Ref{Path: path}}
	if _, ok := p.is("|"); ok {
		if t := p.take(); t.text != "default" {
			return part{}, p.fail(t, fmt.Sprintf("there is no filter %q", t.text), `there is default alone: {{x | default: "y"}}`)
		}
		p.is(":")
		if out.fallback, err = p.literal(); err != nil {
			return part{}, err
		}
		out.ref.HasDefault = true
	}
	if t := p.peek(); t.kind != tokEnd {
		return part{}, p.fail(t, fmt.Sprintf("the reference is over before %q", t.text), "")
	}
	return out, nil
}

// Refs returns the references in order.
func (t *Template) Refs() []Ref {
	var refs []Ref
	for _, p := range t.parts {
		if p.ref != nil {
			refs = append(refs, *p.ref)
		}
	}
	return refs
}

// Resolve puts values in the place of references. A template that is one
// reference and nothing else keeps the type of its value; in a text a list or
// an object is JSON and null is nothing. A reference that leads nowhere and has
// no default is a *MissingError. Values are not read for references again.
func (t *Template) Resolve(l Lookup) (any, error) {
	switch {
	case len(t.parts) == 0:
		return "", nil
	case len(t.parts) == 1 && t.parts[0].ref == nil:
		return t.parts[0].text, nil
	case len(t.parts) == 1:
		return t.parts[0].value(l)
	}
	var b strings.Builder
	for _, p := range t.parts {
		if p.ref == nil {
			b.WriteString(p.text)
			continue
		}
		v, err := p.value(l)
		if err != nil {
			return nil, err
		}
		s, err := render(v)
		if err != nil {
			return nil, fmt.Errorf("{{%s}}: %w", p.ref.Path, err)
		}
		b.WriteString(s)
		if b.Len() > maxRendered {
			return nil, fmt.Errorf("{{%s}} makes the text longer than %d bytes", p.ref.Path, maxRendered)
		}
	}
	return b.String(), nil
}

func (p part) value(l Lookup) (any, error) {
	v, ok := p.ref.get(l)
	switch {
	case ok && v != nil, ok && !p.ref.HasDefault:
		return v, nil
	case p.ref.HasDefault:
		return p.fallback, nil
	}
	return nil, &MissingError{p.ref.Path}
}

func render(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// Value is any value with references in the texts within it. It may be
// resolved from any goroutine.
type Value struct {
	fixed    any
	template *Template
	list     []*Value
	keys     []string
	values   []*Value
	isList   bool
	isMap    bool
}

// ParseValue reads a value. Its error names the place within it.
func ParseValue(v any) (*Value, error) { return parseValue(v, 0) }

func parseValue(v any, depth int) (*Value, error) {
	if depth > maxDepth {
		return nil, &SyntaxError{Message: "this is nested too deep"}
	}
	switch v := v.(type) {
	case string:
		t, err := ParseTemplate(v)
		return &Value{template: t}, err
	case []any:
		out := &Value{isList: true, list: make([]*Value, len(v))}
		for i, item := range v {
			parsed, err := parseValue(item, depth+1)
			if err != nil {
				return nil, fmt.Errorf("[%d]: %w", i, err)
			}
			out.list[i] = parsed
		}
		return out, nil
	case map[string]any:
		out := &Value{isMap: true, keys: slices.Sorted(maps.Keys(v))}
		for _, key := range out.keys {
			parsed, err := parseValue(v[key], depth+1)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			out.values = append(out.values, parsed)
		}
		return out, nil
	}
	return &Value{fixed: v}, nil
}

// Refs returns all references, in the order of keys and elements.
func (v *Value) Refs() []Ref {
	var refs []Ref
	if v.template != nil {
		refs = v.template.Refs()
	}
	for _, item := range slices.Concat(v.list, v.values) {
		refs = append(refs, item.Refs()...)
	}
	return refs
}

// Resolve is [Template.Resolve] for every text within.
func (v *Value) Resolve(l Lookup) (any, error) {
	switch {
	case v.template != nil:
		return v.template.Resolve(l)
	case v.isList:
		out := make([]any, len(v.list))
		for i, item := range v.list {
			resolved, err := item.Resolve(l)
			if err != nil {
				return nil, err
			}
			out[i] = resolved
		}
		return out, nil
	case v.isMap:
		out := make(map[string]any, len(v.keys))
		for i, key := range v.keys {
			resolved, err := v.values[i].Resolve(l)
			if err != nil {
				return nil, err
			}
			out[key] = resolved
		}
		return out, nil
	}
	return v.fixed, nil
}
