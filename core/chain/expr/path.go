// Package expr is the language of chains: conditions such as
//
//	response.status == "success" and response.data.score > 0.8
//
// and texts with references such as {{node.data.names[0] | default: "nobody"}}.
// It has no loops and no functions of its own: judging takes time in proportion
// to what is judged. What a reference leads to is data; it is never read as
// part of the language.
package expr

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Step is one step of a path.
type Step struct {
	Key     string
	Index   int
	IsIndex bool
}

// Path leads from a root through objects and lists.
type Path struct {
	Root   string
	Steps  []Step
	Offset int // bytes into the source
}

// String writes the path as it is read.
func (p Path) String() string {
	var b strings.Builder
	b.WriteString(p.Root)
	for _, s := range p.Steps {
		switch {
		case s.IsIndex:
			b.WriteString("[" + strconv.Itoa(s.Index) + "]")
		case isName(s.Key):
			b.WriteString("." + s.Key)
		default:
			b.WriteString("[" + strconv.Quote(s.Key) + "]")
		}
	}
	return b.String()
}

// Lookup finds the value of a root; it reports false where there is none.
type Lookup func(root string) (any, bool)

// Get follows steps. It reports false where one leads nowhere.
func Get(v any, steps []Step) (any, bool) {
	for _, s := range steps {
		switch in := v.(type) {
		case map[string]any:
			if s.IsIndex {
				return nil, false
			}
			next, ok := in[s.Key]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			if !s.IsIndex || s.Index < 0 || s.Index >= len(in) {
				return nil, false
			}
			v = in[s.Index]
		default:
			return nil, false
		}
	}
	return v, true
}

func (p Path) get(l Lookup) (any, bool) {
	v, ok := l(p.Root)
	if !ok {
		return nil, false
	}
	return Get(v, p.Steps)
}

// SyntaxError says what is wrong with a source and where.
type SyntaxError struct {
	Offset  int // bytes into the source
	Message string
	Hint    string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	if e.Hint != "" {
		return e.Message + "; " + e.Hint
	}
	return e.Message
}

// TypeName names the type of a value for people.
func TypeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "true or false"
	case string:
		return "text"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	if _, ok := number(v); ok {
		return "a number"
	}
	return fmt.Sprintf("a %T", v)
}

// isName reports whether a key can be written after a dot.
func isName(s string) bool {
	for i := range len(s) {
		if !nameByte(s[i], i == 0) {
			return false
		}
	}
	return s != ""
}

func nameByte(c byte, first bool) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c >= 0x80:
		return true
	case c >= '0' && c <= '9', c == '-', c == '$':
		return !first || c == '$'
	}
	return false
}

// number reads any number that JSON, YAML or Go may give.
func number(v any) (num, bool) {
	switch v := v.(type) {
	case int:
		return num{i: int64(v), whole: true}, true
	case int64:
		return num{i: v, whole: true}, true
	case uint64:
		if v <= 1<<63-1 {
			return num{i: int64(v), whole: true}, true
		}
		return num{f: float64(v), text: strconv.FormatUint(v, 10)}, true
	case float64:
		if i := int64(v); float64(i) == v && v > -1<<53 && v < 1<<53 {
			return num{i: i, whole: true}, true
		}
		return num{f: v}, true
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return num{i: i, whole: true}, true
		}
		f, err := v.Float64()
		if i := int64(f); err == nil && float64(i) == f && f > -1<<53 && f < 1<<53 {
			return num{i: i, whole: true}, true
		}
		return num{f: f, text: v.String()}, err == nil
	}
	return num{}, false
}
