package ollama

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/web"
)

// tool is a tool as the server takes it. The server reads parameters into a
// fixed structure: it refuses the whole request when a part has another type
// than it expects, and it drops what it has no field for. So schemas are
// rebuilt here: references are resolved, and limits go into the descriptions,
// where the model sees them.
type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string     `json:"name"`
	Description string     `json:"description,omitempty"`
	Parameters  parameters `json:"parameters"`
}

type parameters struct {
	Type       string     `json:"type"`
	Required   []string   `json:"required,omitempty"`
	Properties properties `json:"properties"`
}

type property struct {
	AnyOf       []property        `json:"anyOf,omitempty"`
	Type        typeNames         `json:"type,omitempty"`
	Items       *property         `json:"items,omitempty"`
	Description string            `json:"description,omitempty"`
	Enum        []json.RawMessage `json:"enum,omitempty"`
	Properties  properties        `json:"properties,omitempty"`
}

// typeNames are written as the server writes them: one as a string.
type typeNames []string

// MarshalJSON writes a string or an array.
func (t typeNames) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// properties keep the order in which the author wrote them.
type properties []struct {
	name  string
	value property
}

// MarshalJSON writes an object.
func (p properties) MarshalJSON() ([]byte, error) {
	all := make([]core.Member, len(p))
	for i, e := range p {
		value, err := json.Marshal(e.value)
		if err != nil {
			return nil, err
		}
		all[i] = core.Member{Name: e.name, Value: value}
	}
	return core.Object(all), nil
}

// describe puts spec into the server's terms.
func describe(spec core.ToolSpec) tool {
	schema := spec.Schema
	if len(schema) == 0 {
		schema = core.PromptSchema()
	}
	c := converter{root: schema, budget: 500}
	node := c.resolve(parse(schema))
	params := parameters{Type: "object", Required: strs(node.get("required")), Properties: c.properties(node, 0)}
	return tool{Type: "function", Function: function{Name: spec.Name, Description: web.Description(spec), Parameters: params}}
}

// converter turns one schema into properties. The schema comes from an expert:
// budget bounds how many nodes are made of it, whatever refers to what.
type converter struct {
	root   json.RawMessage
	budget int
}

const maxDepth = 8

func (c *converter) properties(n node, depth int) properties {
	out := properties{}
	for _, p := range parse(n.get("properties")) {
		if c.budget <= 0 {
			break
		}
		out = append(out, struct {
			name  string
			value property
		}{p.Name, c.property(p.Value, depth+1)})
	}
	return out
}

func (c *converter) property(raw json.RawMessage, depth int) property {
	c.budget--
	n := parse(raw)
	var p property
	if c.budget < 0 || depth > maxDepth {
		return p
	}
	own := str(n.get("description"))
	n = c.resolve(n)
	own = cmp.Or(own, str(n.get("description")))
	p.Description = own
	p.Type = types(n.get("type"))
	p.Enum = list(n.get("enum"))
	if v := n.get("const"); v != nil && p.Enum == nil {
		p.Enum = []json.RawMessage{v}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		for _, alt := range list(n.get(key)) {
			if c.budget > 0 {
				p.AnyOf = append(p.AnyOf, c.property(alt, depth+1))
			}
		}
	}
	if items := n.get("items"); len(parse(items)) > 0 {
		v := c.property(items, depth+1)
		p.Items = &v
	}
	if props := c.properties(n, depth); len(props) > 0 {
		p.Properties = props
	}
	if len(p.Type) == 0 && len(p.AnyOf) == 0 {
		switch {
		case p.Properties != nil:
			p.Type = []string{"object"}
		case p.Items != nil:
			p.Type = []string{"array"}
		case slices.ContainsFunc(p.Enum, func(v json.RawMessage) bool { return str(v) != "" }):
			p.Type = []string{"string"}
		}
	}
	if limits := limits(n); limits != "" {
		p.Description = strings.TrimSpace(p.Description + " (" + limits + ")")
	}
	return p
}

// resolve follows local references and lone allOf entries.
func (c *converter) resolve(n node) node {
	for range maxDepth {
		if ref := str(n.get("$ref")); ref != "" {
			n = c.lookup(ref)
			continue
		}
		all := list(n.get("allOf"))
		if len(all) != 1 || n.get("properties") != nil {
			return n
		}
		n = parse(all[0])
	}
	return nil
}

func (c *converter) lookup(ref string) node {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	raw := c.root
	for part := range strings.SplitSeq(path, "/") {
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		raw = parse(raw).get(part)
	}
	return parse(raw)
}

// limits lists in words what the server has no field for.
func limits(n node) string {
	var out []string
	for _, key := range []string{
		"required", "default", "format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
		"multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems",
	} {
		raw := n.get(key)
		var b bytes.Buffer
		if raw == nil || json.Compact(&b, raw) != nil || b.Len() > 200 {
			continue
		}
		value := b.String()
		if key == "required" {
			if value = strings.Join(strs(raw), ", "); value == "" {
				continue
			}
		}
		out = append(out, key+": "+strings.Trim(value, `"`))
	}
	return strings.Join(out, "; ")
}

// node is a JSON object with the order of its keys; anything else is empty.
type node []core.Member

func (n node) get(key string) json.RawMessage {
	if i := slices.IndexFunc(n, func(m core.Member) bool { return m.Name == key }); i >= 0 {
		return n[i].Value
	}
	return nil
}

func parse(raw json.RawMessage) node {
	all, _ := core.Members(raw)
	return all
}

func str(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func list(raw json.RawMessage) []json.RawMessage {
	var l []json.RawMessage
	if json.Unmarshal(raw, &l) != nil {
		return nil
	}
	return l
}

func strs(raw json.RawMessage) []string {
	var out []string
	for _, r := range list(raw) {
		if s := str(r); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func types(raw json.RawMessage) []string {
	if s := str(raw); s != "" {
		return []string{s}
	}
	return strs(raw)
}
