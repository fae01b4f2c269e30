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
type Value struct{ tree any } // with a *Template for every string

// ParseValue reads a value. The error is a *SyntaxError behind the place that it
// is in: items[2].name.
func ParseValue(v any) (*Value, error) {
	left := maxValueNodes
	tree, err := walk(v, "", 0, func(at string, depth int, v any) (any, error) {
		if left--; left < 0 || depth > maxValueDepth {
			return nil, &SyntaxError{Message: "the value is too large", Hint: "make it smaller"}
		}
		switch v := v.(type) {
		case string:
			return ParseTemplate(v)
		case nil, bool, []any, map[string]any:
			return v, nil
		default:
			if _, ok := toNumber(v); !ok {
				return nil, &SyntaxError{Message: fmt.Sprintf("a %T cannot stand here", v), Hint: "use text, numbers, booleans, []any and map[string]any"}
			}
			return v, nil
		}
	})
	if err != nil {
		return nil, err
	}
	return &Value{tree}, nil
}

// Refs returns all references, objects in the order of their keys.
func (v *Value) Refs() []Ref {
	var refs []Ref
	_, _ = walk(v.tree, "", 0, func(_ string, _ int, v any) (any, error) {
		if t, ok := v.(*Template); ok {
			refs = append(refs, t.Refs()...)
		}
		return v, nil
	})
	return refs
}

// Resolve returns the value with every template resolved, in lists and objects
// of its own. The errors are those of [Template.Resolve] behind the place.
func (v *Value) Resolve(l Lookup) (any, error) {
	return walk(v.tree, "", 0, func(_ string, _ int, v any) (any, error) {
		if t, ok := v.(*Template); ok {
			return t.Resolve(l)
		}
		return v, nil
	})
}

// walk returns a copy of v with each value replaced by what visit makes of it,
// the outer ones and the lesser keys first. An error names its place.
func walk(v any, at string, depth int, visit func(at string, depth int, v any) (any, error)) (any, error) {
	made, err := visit(at, depth, v)
	if err != nil && at != "" {
		err = fmt.Errorf("%s: %w", at, err)
	}
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			if list[i], err = walk(e, at+Step{Index: i, IsIndex: true}.String(), depth+1, visit); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		object := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			place := strings.TrimPrefix(at+Step{Key: key}.String(), ".")
			if object[key], err = walk(v[key], place, depth+1, visit); err != nil {
				return nil, err
			}
		}
		return object, nil
	}
	return made, nil
}
