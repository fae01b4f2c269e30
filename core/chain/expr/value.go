package expr

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const maxValueNodes = 100_000 // aliases in YAML can make few lines a great many values

// Value is a JSON or YAML value in which every string is a template, at any
// depth. Keys are no templates.
type Value struct {
	template *Template
	list     []*Value
	object   map[string]*Value
	constant any // when none of these is set
	at       string
}

// ParseValue reads a value. The error is a *SyntaxError behind the place that it
// is in: items[2].name.
func ParseValue(v any) (*Value, error) {
	left := maxValueNodes
	return parseValue(v, "", 0, &left)
}

func parseValue(v any, at string, depth int, left *int) (*Value, error) {
	if *left--; *left < 0 || depth > maxValueDepth {
		return nil, fault(at, &SyntaxError{Message: "the value is too large", Hint: "make it smaller"})
	}
	out := &Value{at: at}
	var err error
	switch v := v.(type) {
	case []any:
		out.list = make([]*Value, len(v))
		for i := range v {
			step := Step{Index: i, IsIndex: true}
			if out.list[i], err = parseValue(v[i], at+step.String(), depth+1, left); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out.object = make(map[string]*Value, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			step := strings.TrimPrefix(at+Step{Key: key}.String(), ".")
			if out.object[key], err = parseValue(v[key], step, depth+1, left); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	out.constant = plain(v)
	switch c := out.constant.(type) {
	case nil, bool:
	case string:
		if out.template, err = ParseTemplate(c); err != nil {
			return nil, fault(at, err)
		}
	default:
		if _, ok := toNumber(c); !ok {
			return nil, fault(at, &SyntaxError{Message: fmt.Sprintf("a %T cannot stand here", v), Hint: "use text, numbers, booleans, []any and map[string]any"})
		}
	}
	return out, nil
}

func fault(at string, err error) error {
	if at == "" {
		return err
	}
	return fmt.Errorf("%s: %w", at, err)
}

// Refs returns all references, objects in the order of their keys.
func (v *Value) Refs() []Ref {
	var refs []Ref
	switch {
	case v.template != nil:
		refs = v.template.Refs()
		for i := range refs {
			refs[i].In = v.at
		}
	case v.object != nil:
		for _, key := range slices.Sorted(maps.Keys(v.object)) {
			refs = append(refs, v.object[key].Refs()...)
		}
	default:
		for _, e := range v.list {
			refs = append(refs, e.Refs()...)
		}
	}
	return refs
}

// Resolve returns the value with every template resolved, in lists and objects
// of its own. The errors are those of [Template.Resolve] behind the place.
func (v *Value) Resolve(l Lookup) (any, error) {
	switch {
	case v.template != nil:
		out, err := v.template.Resolve(l)
		if err != nil {
			return nil, fault(v.at, err)
		}
		return out, nil
	case v.object != nil:
		out := make(map[string]any, len(v.object))
		for _, key := range slices.Sorted(maps.Keys(v.object)) {
			e, err := v.object[key].Resolve(l)
			if err != nil {
				return nil, err
			}
			out[key] = e
		}
		return out, nil
	case v.list != nil:
		out := make([]any, len(v.list))
		for i, e := range v.list {
			var err error
			if out[i], err = e.Resolve(l); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	return v.constant, nil
}
