package chain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

const maxWhole = 1 << 53 // whole numbers beyond this would not stay what they are

// reader turns a document into a Spec and notes all that is wrong on the way.
type reader struct {
	source
	faults []Fault
	places places
}

func (r *reader) fault(n ast.Node, hint, format string, args ...any) {
	r.faults = append(r.faults, Fault{Pos: r.posOf(n), Message: fmt.Sprintf(format, args...), Hint: hint})
}

// posOf is where a value begins. That of a mapping without braces is its first
// key; the document knows it by the colon after it.
func (r *reader) posOf(n ast.Node) Pos {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return r.posOf(n.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return r.posOf(n.Key)
	}
	return tokenPos(n.GetToken())
}

// field reads the value of a key.
type field func(n ast.Node, path string)

// mapping calls visit with each pair of a mapping, in order.
func (r *reader) mapping(n ast.Node, what string, visit func(key ast.Node, name string, value ast.Node)) {
	var pairs []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		pairs = n.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{n}
	default:
		r.fault(n, "write it as key: value", "%s is %s, but must be a mapping", what, kindOf(n))
		return
	}
	if len(pairs) > maxKeys {
		r.fault(n, "split it into several chains", "%s has more than %d keys", what, maxKeys)
		return
	}
	seen := make(map[string]Pos, len(pairs))
	for _, pair := range pairs {
		name := pair.Key.GetToken().Value
		if first, ok := seen[name]; ok {
			r.fault(pair.Key, fmt.Sprintf("the first one is in line %d", first.Line), "%s has the key %q twice", what, name)
			continue
		}
		seen[name] = r.posOf(pair.Key)
		visit(pair.Key, name, pair.Value)
	}
}

// fields reads a mapping whose keys are known. It returns the keys that it has.
func (r *reader) fields(n ast.Node, what, path string, known map[string]field) map[string]ast.Node {
	has := map[string]ast.Node{}
	r.mapping(n, what, func(key ast.Node, name string, value ast.Node) {
		read, ok := known[name]
		if !ok {
			r.fault(key, meant(name, slices.Collect(maps.Keys(known))), "%s has no key %q", what, name)
			return
		}
		has[name] = key
		read(value, join(path, name))
	})
	return has
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// last is the name that a path ends with.
func last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

func isMapping(n ast.Node) bool {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return true
	}
	return false
}

func kindOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "empty"
	case *ast.BoolNode:
		return n.Token.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	}
	return "text"
}

// text reads a text and remembers where it is.
func (r *reader) text(to *string) field {
	return func(n ast.Node, path string) {
		switch n := n.(type) {
		case *ast.StringNode:
			*to = n.Value
		case *ast.LiteralNode:
			*to = n.Value.Value
		default:
			hint := "put it in quotes"
			switch n.(type) {
			case *ast.NullNode:
				hint = "write a text, or leave the key out"
			case *ast.SequenceNode:
				hint = "write a text"
				if last(path) == "over" {
					hint = `put the list into vars, and write over: "{{vars.NAME}}"`
				}
			case *ast.MappingNode, *ast.MappingValueNode:
				hint = "write a text"
				if at := r.byteAt(r.posOf(n)); strings.HasPrefix(r.source.text[min(at, len(r.source.text)):], "{{") {
					hint = `put a text that begins with {{ in quotes: "{{…}}"`
				}
			}
			r.fault(n, hint, "%s is %s, but must be text", last(path), kindOf(n))
			r.places[path] = place{pos: r.posOf(n), bad: true}
			return
		}
		r.places[path] = r.place(n)
	}
}

// version reads a text that is often written as a number.
func (r *reader) version(to *string) field {
	return func(n ast.Node, path string) {
		switch n := n.(type) {
		case *ast.IntegerNode, *ast.FloatNode:
			*to = n.GetToken().Value
		default:
			r.text(to)(n, path)
		}
	}
}

// choice reads one of several words.
func (r *reader) choice(to *string, words ...string) field {
	return func(n ast.Node, path string) {
		var word string
		before := len(r.faults)
		r.text(&word)(n, path)
		if len(r.faults) > before {
			return
		}
		if !slices.Contains(words, word) {
			r.fault(n, meant(word, words), "%s is %q, but must be %s", last(path), word, or(words))
			r.places[path] = place{pos: r.posOf(n), bad: true}
			return
		}
		*to = word
	}
}

// or lists words.
func or(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

func (r *reader) flag(to *bool) field {
	return func(n ast.Node, path string) {
		b, ok := n.(*ast.BoolNode)
		if !ok {
			r.fault(n, "", "%s is %s, but must be true or false", last(path), kindOf(n))
			return
		}
		*to = b.Value
	}
}

func (r *reader) number(to *int, least, most int) field {
	return func(n ast.Node, path string) {
		v, ok := whole(n)
		if !ok || v < float64(least) || v > float64(most) {
			written := kindOf(n)
			if ok {
				written = n.GetToken().Value
			}
			r.fault(n, "", "%s is %s, but must be a whole number from %d to %d", last(path), written, least, most)
			return
		}
		*to = int(v)
	}
}

func whole(n ast.Node) (float64, bool) {
	i, ok := n.(*ast.IntegerNode)
	if !ok {
		return 0, false
	}
	switch v := i.Value.(type) {
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	}
	return math.Inf(1), true
}

// span reads a duration.
func (r *reader) span(to *time.Duration) field {
	return func(n ast.Node, path string) {
		written := n.GetToken().Value
		if _, ok := whole(n); ok {
			r.fault(n, fmt.Sprintf("write %ss for seconds", written), "%s has no unit", last(path))
			return
		}
		d, err := time.ParseDuration(written)
		if _, ok := n.(*ast.StringNode); !ok || err != nil {
			r.fault(n, "write it like 30s, 2m or 1h30m", "%s is not a duration", last(path))
			return
		}
		if d <= 0 {
			r.fault(n, "leave the key out where there is to be no limit", "%s must be longer than 0", last(path))
			return
		}
		*to = d
	}
}

// list calls visit with each element of a list.
func (r *reader) list(n ast.Node, what string, visit func(i int, n ast.Node)) {
	l, ok := n.(*ast.SequenceNode)
	if !ok {
		r.fault(n, "write a list: [a, b]", "%s is %s, but must be a list", what, kindOf(n))
		return
	}
	for i, v := range l.Values {
		visit(i, v)
	}
}

// json writes a value as JSON, its keys in the order of the file.
func (r *reader) json(n ast.Node, path string) (raw json.RawMessage, ok bool) {
	var buf bytes.Buffer
	before := len(r.faults)
	r.writeJSON(&buf, n, path, 0)
	return buf.Bytes(), len(r.faults) == before
}

func (r *reader) writeJSON(buf *bytes.Buffer, n ast.Node, path string, depth int) {
	if depth > maxNesting {
		r.fault(n, "", "this is nested deeper than %d levels", maxNesting)
		return
	}
	switch n := n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		buf.WriteByte('{')
		first := true
		r.mapping(n, last(path), func(_ ast.Node, name string, value ast.Node) {
			if !first {
				buf.WriteByte(',')
			}
			first = false
			writeText(buf, name)
			buf.WriteByte(':')
			r.writeJSON(buf, value, path+"."+name, depth+1)
		})
		buf.WriteByte('}')
	case *ast.SequenceNode:
		buf.WriteByte('[')
		for i, v := range n.Values {
			if i > 0 {
				buf.WriteByte(',')
			}
			r.writeJSON(buf, v, path+"."+strconv.Itoa(i), depth+1)
		}
		buf.WriteByte(']')
	case *ast.StringNode, *ast.LiteralNode:
		p := r.place(n)
		r.places[path] = p
		writeText(buf, p.value)
	case *ast.BoolNode:
		buf.WriteString(strconv.FormatBool(n.Value))
	case *ast.NullNode:
		buf.WriteString("null")
	default:
		r.writeNumber(buf, n)
	}
}

func (r *reader) writeNumber(buf *bytes.Buffer, n ast.Node) {
	v, ok := whole(n)
	float, isFloat := n.(*ast.FloatNode)
	if isFloat {
		v = float.Value
	}
	if !isFloat && (!ok || math.Abs(v) > maxWhole) || math.IsInf(v, 0) || math.IsNaN(v) {
		r.fault(n, "put it in quotes", "%s is not a number that can be kept exactly", n.GetToken().Value)
		return
	}
	if t := n.GetToken(); t.Type == token.IntegerType || ok {
		buf.WriteString(strconv.FormatFloat(v, 'f', -1, 64))
		return
	}
	buf.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
}

func writeText(buf *bytes.Buffer, s string) {
	raw, _ := json.Marshal(s) // a string
	buf.Write(raw)
}

// object reads a mapping of any values.
func (r *reader) object(to *map[string]any) field {
	return func(n ast.Node, path string) {
		if !isMapping(n) {
			r.fault(n, "write it as key: value", "%s is %s, but must be a mapping", last(path), kindOf(n))
			return
		}
		r.places[path] = place{pos: r.posOf(n)}
		if raw, ok := r.json(n, path); ok {
			if err := json.Unmarshal(raw, to); err != nil {
				r.fault(n, "", "%s cannot be read: %v", last(path), err)
			}
		}
	}
}

// rawSchema reads a JSON Schema; whether it is one is checked later.
func (r *reader) rawSchema(to *json.RawMessage) field {
	return func(n ast.Node, path string) {
		if _, ok := n.(*ast.BoolNode); !ok && !isMapping(n) {
			r.fault(n, "write it like {type: object}", "%s is %s, but must be a JSON Schema", last(path), kindOf(n))
			return
		}
		if raw, ok := r.json(n, path); ok {
			*to = raw
			r.places[path] = place{pos: r.posOf(n)}
		}
	}
}
