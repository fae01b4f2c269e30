package agent

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	maxAbout = 240 // bytes of the description of a tool that is too long
	maxHint  = 80  // bytes of a parameter's
)

// shortened is a tool as a model is told of it in at most size bytes. Of a longer
// one the description is cut at a word, and of its schema goes what matters
// least, until it fits; a call is checked by the whole schema.
func shortened(spec core.ToolSpec, size int) core.ToolSpec {
	if bytesOf(spec) <= size {
		return spec
	}
	spec.Examples = nil
	spec.Description = beginning(spec.Description, maxAbout)
	spec.Schema = shortSchema(spec.Schema, size-len(spec.Name)-len(spec.Description))
	return spec
}

// bytesOf is how much a model has to read of a tool.
func bytesOf(spec core.ToolSpec) int {
	return len(spec.Name) + len(spec.Description) + len(spec.Schema) + len(strings.Join(spec.Examples, ""))
}

// beginning is the start of a text: in at most n bytes, up to the end of a word.
func beginning(text string, n int) string {
	const end = "…"
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= n {
		return text
	}
	short := safe.Prefix(text, n-len(end))
	if i := strings.LastIndexByte(short, ' '); i > n/2 {
		short = short[:i]
	}
	return short + end
}

// shortSchema is a schema in at most size bytes.
func shortSchema(raw json.RawMessage, size int) json.RawMessage {
	if len(raw) <= size {
		return raw
	}
	for _, hint := range []int{maxHint, maxHint / 2, 0} {
		var node any
		if json.Unmarshal(raw, &node) != nil {
			break
		}
		if short, err := json.Marshal(pruned(node, hint)); err == nil && len(short) <= size {
			return short
		}
	}
	return flat(raw, size)
}

// pruned is a node of a schema without what only people and tools of developers
// read; descriptions keep at most hint bytes.
func pruned(node any, hint int) any {
	switch node := node.(type) {
	case []any:
		for i := range node {
			node[i] = pruned(node[i], hint)
		}
	case map[string]any:
		for key, value := range node {
			switch text, isText := value.(string); {
			case slices.Contains([]string{"$schema", "$id", "$comment", "title", "examples", "default", "deprecated", "additionalProperties", "format", "pattern"}, key):
				delete(node, key)
			case key == "description" && (hint == 0 || !isText):
				delete(node, key)
			case key == "description":
				node[key] = beginning(text, hint)
			case slices.Contains([]string{"properties", "$defs", "definitions", "patternProperties"}, key): // its keys are names
				if named, ok := value.(map[string]any); ok {
					for name := range named {
						named[name] = pruned(named[name], hint)
					}
				}
			case key != "enum" && key != "const" && key != "required":
				node[key] = pruned(value, hint)
			}
		}
	}
	return node
}

// flat is an object of a schema's parameters and their types, the required ones
// first, as many as size bytes hold.
func flat(raw json.RawMessage, size int) json.RawMessage {
	properties, names := map[string]any{}, []string{}
	short := json.RawMessage(`{"type":"object"}`)
	for _, p := range (core.ToolSpec{Schema: raw}).Parameters() {
		property := map[string]any{}
		if p.Kind != "" {
			property["type"] = p.Kind
		}
		if len(p.Enum) > 0 {
			property["enum"] = p.Enum
		}
		if properties[p.Name] = property; p.Required {
			names = append(names, p.Name)
		}
		longer, err := json.Marshal(map[string]any{"type": "object", "required": names, "properties": properties})
		if err != nil || len(longer) > size {
			break
		}
		short = longer
	}
	return short
}
