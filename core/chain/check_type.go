package chain

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core/chain/expr"
)

// typ is a JSON Schema as far as a type can be told from it; nil is anything.
type typ map[string]any

// name is the only type that a value can have, or nothing.
func (t typ) name() string {
	if _, ok := t["const"]; ok || t["enum"] != nil {
		return ""
	}
	name, _ := t["type"].(string)
	return name
}

func (t typ) words() string {
	switch n := t.name(); n {
	case "":
		return "anything"
	case "string":
		return "text"
	case "array":
		return "a list"
	case "object", "integer":
		return "an " + n
	case "null":
		return "null"
	default:
		return "a " + n
	}
}

// open reports whether what is in a value cannot be told.
func (t typ) open() bool {
	for _, k := range []string{"$ref", "$dynamicRef", "anyOf", "oneOf", "allOf", "if", "not", "const", "enum"} {
		if _, ok := t[k]; ok {
			return true
		}
	}
	return false
}

func asTyp(v any) typ {
	m, _ := v.(map[string]any)
	return m
}

// step is the type of what a step leads to. It says what is wrong where a step
// can lead nowhere.
func (t typ) step(s expr.Step, of string) (to typ, wrong, hint string) {
	name := t.name()
	switch {
	case t == nil || t.open():
		return nil, "", ""
	case s.IsIndex && name == "array":
		if t["prefixItems"] != nil {
			return nil, "", ""
		}
		return asTyp(t["items"]), "", ""
	case s.IsIndex && name != "":
		return nil, of + " is " + t.words() + " and not a list", ""
	case s.IsIndex:
		return nil, "", ""
	case name == "array":
		return nil, of + " is a list and has no " + s.Key, "write " + of + "[0]." + s.Key + " for the first one's"
	case name != "" && name != "object":
		return nil, of + " is " + t.words() + " and has no " + s.Key, ""
	}
	properties := asTyp(t["properties"])
	if p, ok := properties[s.Key]; ok {
		return asTyp(p), "", ""
	}
	if t["patternProperties"] != nil {
		return nil, "", ""
	}
	if more, ok := t["additionalProperties"].(bool); ok && !more {
		names := slices.Sorted(maps.Keys(properties))
		hint = meant(s.Key, names)
		switch {
		case hint != "":
		case len(names) == 0:
			hint = "it is declared to be empty"
		case len(names) <= 20:
			hint = "there are: " + strings.Join(names, ", ")
		}
		return nil, of + " has no " + s.Key, hint
	}
	return asTyp(t["additionalProperties"]), "", ""
}

func decodeTyp(raw json.RawMessage) typ {
	var t typ
	if json.Unmarshal(raw, &t) != nil {
		return nil // true, or no schema at all
	}
	return t
}

// dataType is the type of data of a node's replies.
func (c *checker) dataType(at int) typ {
	if t, ok := c.types[at]; ok {
		return t
	}
	n := &c.spec.Nodes[at]
	t := decodeTyp(n.Schemas.Data)
	switch {
	case n.Each != nil:
		items := map[string]any{"type": "array"}
		if t != nil {
			items["items"] = map[string]any(t)
		}
		t = object(map[string]any{
			"items": items, "count": plainType("integer"), "failed": plainType("array"),
			"messages": map[string]any{"type": "array", "items": plainType("string")},
		})
	case n.Kind == KindAggregate && n.Name == "concat":
		t = object(map[string]any{"items": plainType("array")})
	case n.Kind == KindAggregate, n.Kind == KindCondition:
		t = nil
	}
	if c.types == nil {
		c.types = map[int]typ{}
	}
	c.types[at] = t
	return t
}

func plainType(name string) map[string]any { return map[string]any{"type": name} }

func object(properties map[string]any) typ {
	return typ{"type": "object", "properties": properties, "additionalProperties": false}
}

func replyType(data typ) typ {
	status := plainType("string")
	properties := map[string]any{
		"status": status, "message": plainType("string"), "next_step_hint": plainType("string"),
		"error": plainType("string"), "visits": plainType("integer"), "data": map[string]any(data),
	}
	return object(properties)
}

// rootType is the type of a root.
func (c *checker) rootType(s scope, root string) typ {
	if at, ok := c.index[root]; ok {
		return replyType(c.dataType(at))
	}
	switch root {
	case "input":
		return decodeTyp(c.spec.Inputs)
	case "vars":
		return typeOfValue(c.spec.Vars)
	case "visits", "index":
		return plainType("integer")
	case "instruction":
		return plainType("string")
	case "response":
		if s.cond && s.at < len(c.spec.Nodes) {
			return replyType(c.dataType(s.at))
		}
		return replyType(nil)
	case "error":
		return object(map[string]any{"node": plainType("string"), "message": plainType("string"), "input": nil, "data": nil})
	}
	if s.item && root == c.itemName(s.at) {
		over, err := expr.ParseTemplate(c.spec.Nodes[s.at].Each.Over)
		if err == nil && len(over.Refs()) == 1 && over.Refs()[0].Root != root {
			s.item = false
			return asTyp(c.typeOf(s, over.Refs()[0].Path)["items"])
		}
	}
	return nil
}

// typeOfValue is the type of a constant.
func typeOfValue(v any) typ {
	switch v := v.(type) {
	case map[string]any:
		properties := make(map[string]any, len(v))
		for k, e := range v {
			properties[k] = map[string]any(typeOfValue(e))
		}
		return object(properties)
	case []any:
		return plainType("array")
	case string:
		return plainType("string")
	case bool:
		return plainType("boolean")
	case float64, int:
		return plainType("number")
	}
	return nil
}

// typeOf is the type of what a path leads to.
func (c *checker) typeOf(s scope, p expr.Path) typ {
	t, _, _ := c.follow(s, p)
	return t
}

// typeOfTold tells where a path can lead nowhere.
func (c *checker) typeOfTold(s scope, p expr.Path) {
	if _, wrong, hint := c.follow(s, p); wrong != "" {
		c.fault(c.place(s, p.Offset), hint, "%s", wrong)
	}
}

func (c *checker) follow(s scope, p expr.Path) (t typ, wrong, hint string) {
	t = c.rootType(s, p.Root)
	if p.Root == "vars" && c.spec.Vars == nil && len(p.Steps) > 0 {
		return nil, p.String() + " is not there: the chain has no vars", "write vars: {" + p.Steps[0].Key + ": …}"
	}
	at := expr.Path{Root: p.Root}
	for _, step := range p.Steps {
		if t, wrong, hint = t.step(step, at.String()); wrong != "" || t == nil {
			return nil, wrong, hint
		}
		at.Steps = append(at.Steps, step)
	}
	return t, "", ""
}

// declares reports whether the chain has an input of that name.
func (c *checker) declares(name string) bool {
	_, ok := asTyp(decodeTyp(c.spec.Inputs)["properties"])[name]
	return ok
}

//nolint:gochecknoglobals // never changes; see pattern
var compared = pattern(`^\s*(==|!=|>=|<=|>|<)\s*(-?[0-9]|true\b|false\b|"[^"\\]*"|'[^'\\]*')`)

// comparison finds what a path is compared with that it can never be.
func (c *checker) comparison(s scope, src string, p expr.Path) {
	written := p.String()
	if !strings.HasPrefix(src[p.Offset:], written) {
		return
	}
	m := compared().FindStringSubmatchIndex(src[p.Offset+len(written):])
	if m == nil {
		return
	}
	rest := src[p.Offset+len(written):]
	op, value := rest[m[2]:m[3]], rest[m[4]:m[5]]
	pos := c.place(s, p.Offset+len(written)+m[4])
	is, with := c.typeOf(s, p), "a number"
	switch value[0] {
	case '"', '\'':
		with = "text"
	case 't', 'f':
		with = "a boolean"
	}
	have := is.words()
	if n := is.name(); n == "integer" {
		have = "a number"
	} else if n == "" {
		return
	}
	switch {
	case have != with:
		c.fault(pos, "", "%s is %s, but is compared with %s", written, is.words(), with)
	case with == "text" && op != "==" && op != "!=":
	case len(p.Steps) == 1 && p.Steps[0].Key == "status" && p.Root != "input" && p.Root != "vars":
		c.status(pos, written, strings.Trim(value, `"'`))
	}
}

// status checks a status that a reply is compared with.
func (c *checker) status(pos Pos, written, value string) {
	names := []string{"success", "failure", "clarification_needed", "completed"}
	if slices.Contains(names, value) {
		return
	}
	hint := meantOr(value, names)
	switch strings.ToLower(value) {
	case "ok", "done":
		hint = "write success"
	case "failed", "error":
		hint = "write failure"
	}
	c.fault(pos, hint, "%s is never %q", written, value)
}
