package web

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

// Canonical returns the JSON object in raw with its keys sorted and its numbers
// as they were written. Nothing and null count as an empty object; a string
// counts as the JSON in it. It reports false for anything else.
func Canonical(raw json.RawMessage) (json.RawMessage, bool) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}"), true
	}
	var args map[string]any
	if core.DecodeJSON(raw, &args) != nil {
		return nil, false
	}
	out, err := core.EncodeJSON(args)
	return out, err == nil
}

// Arguments are those of a call as they can be sent.
func Arguments(c core.Call) json.RawMessage {
	if args, ok := Canonical(c.Args); ok {
		return args
	}
	return json.RawMessage("{}")
}

// Description is what a model is told about a tool.
func Description(spec core.ToolSpec) string {
	if n := min(3, len(spec.Examples)); n > 0 {
		return strings.TrimSpace(spec.Description + "\nExamples: " + strings.Join(spec.Examples[:n], "; "))
	}
	return spec.Description
}

// Schema is that of a tool's arguments: an object that has properties, and no
// alternatives of the whole, or servers refuse all tools.
func Schema(spec core.ToolSpec) json.RawMessage {
	if len(spec.Schema) == 0 {
		return core.PromptSchema()
	}
	fields := map[string]json.RawMessage{}
	_ = json.Unmarshal(spec.Schema, &fields) // what cannot be read says nothing
	n := len(fields)
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		delete(fields, key)
	}
	if len(fields) == n && string(fields["type"]) == `"object"` && fields["properties"] != nil {
		return spec.Schema
	}
	if fields == nil { // it was null
		fields = map[string]json.RawMessage{}
	}
	fields["type"] = json.RawMessage(`"object"`)
	if fields["properties"] == nil {
		fields["properties"] = json.RawMessage("{}")
	}
	raw, _ := json.Marshal(fields) // they were JSON
	return raw
}

// Strict reports whether providers accept a schema for strict structured output: every
// object in it lists all its properties and requires all of them.
func Strict(schema json.RawMessage) bool {
	var v any
	if json.Unmarshal(schema, &v) != nil {
		return false
	}
	root, _ := v.(map[string]any)
	return root["type"] == "object" && strict(root, 0)
}

func strict(v any, depth int) bool {
	const deepest = 5
	node, ok := v.(map[string]any)
	if !ok || depth > deepest {
		return false
	}
	for key, value := range node {
		switch key {
		case "type", "description", "title", "enum", "const", "required", "additionalProperties", "$ref":
		case "items":
			if !strict(value, depth+1) {
				return false
			}
		case "properties", "$defs":
			parts, _ := value.(map[string]any)
			for _, part := range parts {
				if !strict(part, depth+1) {
					return false
				}
			}
		case "anyOf":
			parts, _ := value.([]any)
			for _, part := range parts {
				if !strict(part, depth+1) {
					return false
				}
			}
		default:
			return false
		}
	}
	props, object := node["properties"].(map[string]any)
	types, _ := node["type"].([]any)
	if object = object || node["type"] == "object" || slices.Contains(types, any("object")); !object {
		return node["type"] != nil || node["anyOf"] != nil || node["$ref"] != nil || node["enum"] != nil || node["const"] != nil
	}
	required, _ := node["required"].([]any)
	for name := range props {
		if !slices.Contains(required, any(name)) {
			return false
		}
	}
	return node["additionalProperties"] == false
}

// FormatInstructions adds the schema of an answer to the instructions, for a model without
// structured output.
func FormatInstructions(system string, schema json.RawMessage) string {
	return strings.TrimSpace(system + "\n\nAnswer with one JSON object and nothing else. It must fit this JSON Schema:\n" + string(schema))
}

// PairCalls returns a conversation in which every call is followed by one result, in the
// order of the calls, and every result has its call: anything else is refused by
// providers, for good.
func PairCalls(messages []core.Message) []core.Message {
	var out []core.Message
	for i := 0; i < len(messages); i++ {
		m := messages[i]
		if m.Role == core.RoleTool { // its call is not there
			m = core.Message{Role: core.RoleUser, Text: "[" + m.Name + "] " + m.Text}
		}
		out = append(out, m)
		if m.Role != core.RoleAssistant || len(m.Calls) == 0 {
			continue
		}
		results := make(map[string]core.Message)
		var strangers []core.Message
		for ; i+1 < len(messages) && messages[i+1].Role == core.RoleTool; i++ {
			r := messages[i+1]
			_, twice := results[r.CallID]
			if twice || !slices.ContainsFunc(m.Calls, func(c core.Call) bool { return c.ID == r.CallID }) {
				strangers = append(strangers, core.Message{Role: core.RoleUser, Text: "[" + r.Name + "] " + r.Text})
				continue
			}
			results[r.CallID] = r
		}
		for _, c := range m.Calls {
			r, ok := results[c.ID]
			if !ok {
				r = core.Message{Role: core.RoleTool, Name: c.Tool, CallID: c.ID, Text: "There is no answer."}
			}
			out = append(out, r)
		}
		out = append(out, strangers...)
	}
	return out
}
