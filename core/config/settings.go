package config

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Setting is a key of the configuration file.
type Setting struct {
	Name, Does string
	Type       string // text, number, yes or no, list, or an object
	Default    string // as it is written; empty: nothing
	Also       string // the flag and the variable that say the same, the stronger first
	value      func(c *Config) (value any, from string)
}

// settings is the row of a value of any type.
func setting[T any](name, does, kind, standard, also string, of func(c *Config) *Value[T]) Setting {
	return Setting{name, does, kind, standard, also, func(c *Config) (any, string) { v := of(c); return v.V, v.From }}
}

// Settings are the keys that the configuration file may have.
func Settings() []Setting {
	const text, number, yesNo, list, object = "text", "number", "yes or no", "list", "object"
	return []Setting{
		setting("model", "the model that answers: offline, or ollama/NAME", text, "offline", "--model, YAAP_MODEL", func(c *Config) *Value[string] { return &c.Model }),
		setting("fallback", "the models that answer, in order, when the model fails", list, "", "", func(c *Config) *Value[[]string] { return &c.Fallback }),
		setting("builtin", "the built-in experts that come, where not all shall", list, "all", "--builtin, YAAP_BUILTIN", func(c *Config) *Value[[]string] { return &c.Builtin }),
		{"experts", "the experts that are there from the start, each with its command", object, "", "--expert", func(c *Config) (any, string) { return c.expertNames(), c.File }},
		setting("runner", "who answers: agent/yaap, or chain/NAME", text, "agent/yaap", "--runner", func(c *Config) *Value[string] { return &c.Runner }),
		setting("chains", "the chains that the agent may call as tools", list, "", "", func(c *Config) *Value[[]string] { return &c.Chains }),
		setting("approve", "what is asked about each time, whatever it claims to do", list, "", "", func(c *Config) *Value[[]string] { return &c.Approve }),
		setting("guard", "what is looked for in what passes: secrets, personal data", object, "secrets: redact", "", func(c *Config) *Value[Guards] { return &c.Guard }),
		setting("memory", "whether conversations are remembered: true or false", yesNo, "true", "", func(c *Config) *Value[bool] { return &c.Memory }),
		setting("memory_embeddings", "the model of Ollama by which the memory is searched by meaning, or none", text, "", "", func(c *Config) *Value[string] { return &c.Embeddings }),
		setting("memory_every", "the messages until the context of the memory is written anew, 1 to 50", number, "6", "", func(c *Config) *Value[int] { return &c.Every }),
		setting("bid_ms", "how long experts have to say what they read in a question, in milliseconds; 100 by default", number, "100", "YAAP_BID_MS", func(c *Config) *Value[int] { return &c.BidMS }),
		setting("max_turns", "the turns that one answer may take, 1 to 100", number, "10", "", func(c *Config) *Value[int] { return &c.MaxTurns }),
		setting("re_asks", "how often an unreadable answer is asked for again, 0 to 2", number, "1", "", func(c *Config) *Value[int] { return &c.ReAsks }),
		setting("ephemeral", "whether nothing is kept when the program ends", yesNo, "false", "--ephemeral", func(c *Config) *Value[bool] { return &c.Ephemeral }),
	}
}

// expertNames are the names of the experts that the user listed.
func (c *Config) expertNames() (names []string) {
	for _, e := range c.Experts {
		names = append(names, e.Name)
	}
	return names
}

// Said is a setting with its value in a configuration and where that comes from.
type Said struct{ Name, Value, From string }

// Said are all settings, as they are.
func (c Config) Said() (list []Said) {
	for _, s := range Settings() {
		value, from := s.value(&c)
		text := fmt.Sprint(value)
		switch v := value.(type) {
		case []string:
			text = strings.Join(v, ", ")
		case Guards:
			text = v.String()
		}
		if from == "" || s.Name == "experts" && text == "" {
			from = "default"
		}
		list = append(list, Said{s.Name, text, from})
	}
	return list
}

// Schema is the JSON Schema of the configuration file, for editors.
func Schema() []byte {
	types := map[string]string{"text": "string", "number": "integer", "yes or no": "boolean", "list": "array", "object": "object"}
	properties := map[string]any{}
	for _, s := range Settings() {
		property := map[string]any{"type": types[s.Type], "description": s.Does}
		if s.Type == "list" {
			property["items"] = map[string]any{"type": "string"}
		}
		properties[s.Name] = property
	}
	text := func(kind string) map[string]any { return map[string]any{"type": kind} }
	properties["experts"] = map[string]any{
		"type": "object", "description": "Experts by name.", "additionalProperties": map[string]any{
			"type": "object", "additionalProperties": false, "required": []string{"command"},
			"properties": map[string]any{
				"command": map[string]any{"type": "array", "items": text("string"), "minItems": 1},
				"env":     map[string]any{"type": "array", "items": text("string")}, "dir": text("string"), "trust": text("boolean"),
			},
		},
	}
	raw, _ := json.MarshalIndent(map[string]any{ // nothing in it cannot be written
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "yaap configuration",
		"type": "object", "additionalProperties": false, "properties": properties,
	}, "", "  ")
	return raw
}

// Table is the settings as the document of them has them, in Markdown.
func Table() string {
	var b strings.Builder
	b.WriteString("| key | what it says | default | also |\n|---|---|---|---|\n")
	code := func(s string) string {
		if s == "" {
			return ""
		}
		return "`" + strings.ReplaceAll(s, ", ", "`, `") + "`"
	}
	for _, s := range Settings() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.Name, s.Does, code(s.Default), code(s.Also))
	}
	return b.String()
}
