package core

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Parameter is one argument of a tool, as far as its JSON Schema is read.
type Parameter struct {
	Name        string
	Kind        string // string, number, integer, boolean, array, object; empty: any
	Items       string // the kind of an array's items
	Enum        []string
	Required    bool            // and there is no default
	Default     json.RawMessage // of what its schema requires; empty: none
	Description string          // its owner's words
}

// Parameters lists what a tool takes: what is required in the order of its
// schema, then the others by name. A schema that cannot be read has none.
func (t ToolSpec) Parameters() []Parameter {
	raw := t.Schema
	if len(raw) == 0 {
		raw = PromptSchema()
	}
	var schema struct {
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
		Defs       map[string]property `json:"$defs"`
		Older      map[string]property `json:"definitions"`
	}
	if json.Unmarshal(raw, &schema) != nil {
		return nil
	}
	var list []Parameter
	names := slices.Concat(schema.Required, slices.Sorted(maps.Keys(schema.Properties)))
	for i, name := range names {
		p, known := schema.Properties[name]
		if !known || slices.Contains(names[:i], name) {
			continue
		}
		p = p.meant(schema.Defs).meant(schema.Older)
		list = append(list, p.parameter(name, i < len(schema.Required)))
	}
	return list
}

// property is the part of a parameter's schema that is read.
type property struct {
	Type        any        `json:"type"`
	Description any        `json:"description"`
	Enum        []any      `json:"enum"`
	AnyOf       []property `json:"anyOf"`
	OneOf       []property `json:"oneOf"`
	AllOf       []property `json:"allOf"`
	Items       *property  `json:"items"`
	Ref         any        `json:"$ref"`

	Default json.RawMessage `json:"default"`
}

// meant is the property with what it and its parts refer to by name in place of the
// references.
func (p property) meant(defs map[string]property) property {
	if len(defs) == 0 {
		return p
	}
	p = p.named(defs)
	for _, parts := range []*[]property{&p.AnyOf, &p.OneOf, &p.AllOf} {
		all := make([]property, len(*parts))
		for i, part := range *parts {
			all[i] = part.named(defs)
		}
		*parts = all
	}
	if p.Items != nil {
		items := p.Items.named(defs)
		p.Items = &items
	}
	return p
}

// named is what the property refers to, if it does, with its own description.
func (p property) named(defs map[string]property) property {
	ref, _ := p.Ref.(string)
	def, ok := defs[ref[strings.LastIndex(ref, "/")+1:]]
	if !ok || ref == "" {
		return p
	}
	if p.Description != nil {
		def.Description = p.Description
	}
	if p.Default != nil {
		def.Default = p.Default
	}
	return def
}

// parts are what the property may be besides null.
func (p property) parts() []property {
	return slices.DeleteFunc(slices.Concat(p.AnyOf, p.OneOf, p.AllOf), func(part property) bool { return part.Type == "null" })
}

// UnmarshalJSON takes true and false, which are schemas, too, and what is none
// as saying nothing.
func (p *property) UnmarshalJSON(raw []byte) error {
	type plain property
	var read plain
	if json.Unmarshal(raw, &read) == nil {
		*p = property(read)
	}
	return nil
}

func (p property) parameter(name string, required bool) Parameter {
	param := Parameter{Name: name, Kind: p.kind(), Required: required && p.Default == nil}
	if required {
		param.Default = p.Default
	}
	param.Description, _ = p.Description.(string)
	if p.Items != nil {
		param.Items = p.Items.kind()
	}
	enum := p.Enum
	if parts := p.parts(); len(enum) == 0 && len(parts) == 1 {
		enum = parts[0].Enum
	}
	for _, v := range enum {
		if s, ok := v.(string); ok {
			param.Enum = append(param.Enum, s)
		}
	}
	return param
}

// kind is the only type beside null that the property may have, if it is one.
func (p property) kind() string {
	var kinds []string
	switch t := p.Type.(type) {
	case string:
		kinds = []string{t}
	case []any:
		for _, v := range t {
			kinds = append(kinds, fmt.Sprint(v))
		}
	}
	for _, other := range p.parts() {
		kinds = append(kinds, other.kind())
	}
	kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == "null" || k == "" })
	if slices.Sort(kinds); len(slices.Compact(kinds)) == 1 {
		return kinds[0]
	}
	return ""
}

// WithDefaults adds the defaults of the schema to arguments that lack them, where they
// are required: servers that fill them in themselves say so, too. What is no object
// stays as it is.
func (t ToolSpec) WithDefaults(args json.RawMessage) json.RawMessage {
	if !bytes.Contains(t.Schema, []byte(`"default"`)) {
		return args
	}
	given, ok := Members(args)
	if !ok {
		return args
	}
	n := len(given)
	for _, p := range t.Parameters() {
		if p.Default != nil && !slices.ContainsFunc(given, func(m Member) bool { return m.Name == p.Name }) {
			given = append(given, Member{p.Name, p.Default})
		}
	}
	if len(given) == n {
		return args
	}
	return Object(given)
}

// Arguments writes arguments in the order of [ToolSpec.Parameters], and behind these, by
// name, what the tool does not know.
func (t ToolSpec) Arguments(args map[string]any) (json.RawMessage, error) {
	var all []Member
	params := t.Parameters()
	at := func(name string) int {
		if i := slices.IndexFunc(params, func(p Parameter) bool { return p.Name == name }); i >= 0 {
			return i
		}
		return len(params)
	}
	names := slices.Sorted(maps.Keys(args))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(at(a), at(b)) })
	for _, name := range names {
		value, err := json.Marshal(args[name])
		if err != nil {
			return nil, err
		}
		all = append(all, Member{name, value})
	}
	return Object(all), nil
}

// Usage is what a tool takes, in short: path=TEXT [head=NUMBER].
func (t ToolSpec) Usage() string {
	var words []string
	for _, p := range t.Parameters() {
		word := p.Name + "=" + p.placeholder()
		if !p.Required {
			word = "[" + word + "]"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func (p Parameter) placeholder() string {
	switch {
	case len(p.Enum) > 0 && len(p.Enum) <= 6:
		return strings.Join(p.Enum, "|")
	case p.Kind == "boolean":
		return "true|false"
	case p.Kind == "string":
		return "TEXT"
	case p.Kind == "array" && p.Items == "object", p.Kind == "object":
		return "JSON"
	case p.Kind == "array":
		return cmp.Or(map[string]string{"string": "TEXT", "number": "NUMBER", "integer": "NUMBER"}[p.Items], "VALUE") + "..."
	case p.Kind == "number", p.Kind == "integer":
		return "NUMBER"
	}
	return "VALUE"
}

var argumentKey = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_.$-]*=`)

// ReadArguments reads what a user typed after the name of a tool: nothing, a
// JSON object, or key=value pairs whose values are of the kind that the tool's
// schema wants; quotes keep spaces, a list is [...] or its key repeated. It
// reports false for anything else. Whether the arguments fit is not checked.
func (t ToolSpec) ReadArguments(text string) (json.RawMessage, bool) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		return json.RawMessage(text), true
	}
	kinds := map[string]Parameter{}
	for _, p := range t.Parameters() {
		kinds[p.Name] = p
	}
	args := map[string]any{}
	for text != "" {
		key := argumentKey.FindString(text)
		if key == "" {
			return nil, false
		}
		value, rest, ok := readValue(text[len(key):])
		if !ok {
			return nil, false
		}
		text = strings.TrimSpace(rest)
		name := strings.TrimSuffix(key, "=")
		p, known := kinds[name]
		list, repeated := args[name].([]any)
		if _, given := args[name]; given && p.Kind != "array" {
			return nil, false // which of the two?
		}
		if typed := p.typed(value, known); repeated && p.Kind == "array" {
			if more, ok := typed.([]any); ok {
				list = append(list, more...)
			}
			args[name] = list
		} else {
			args[name] = typed
		}
	}
	raw, err := t.Arguments(args)
	return raw, err == nil
}

// readValue takes a JSON list or object, or a word, off the front of text.
func readValue(text string) (value, rest string, ok bool) {
	if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{") {
		d := json.NewDecoder(strings.NewReader(text))
		var raw json.RawMessage
		if d.Decode(&raw) == nil {
			return string(raw), text[d.InputOffset():], true
		}
	}
	value, rest, err := nextWord(text)
	return value, rest, err == nil
}

// typed is a value as the kind that is wanted, where it can be one.
func (p Parameter) typed(value string, known bool) any {
	literal := json.RawMessage(value)
	switch p.Kind {
	case "string":
		return value
	case "array":
		if strings.HasPrefix(value, "[") && json.Valid(literal) {
			var list []any
			_ = json.Unmarshal(literal, &list) // it is valid, and a list
			return list
		}
		return []any{Parameter{Kind: p.Items}.typed(value, true)}
	case "number", "integer", "boolean", "object", "":
		if json.Valid(literal) && (known || strings.ContainsAny(value[:1], "[{")) {
			return literal
		}
	}
	return value
}
