package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

// Setting is a key of the configuration file. A variable of the environment goes
// before the file, a flag before both.
type Setting struct {
	Name, Does     string
	Variable, Flag string

	min, max int    // of a number
	schema   object // JSON Schema of its value
	begin    func(*Config)
	take     func(*Config, *file)
	value    func(Config) (any, string)
}

func themes() []string { return []string{"auto", "light", "dark"} }

func details() []string { return []string{"calm", "thoughts", "everything"} }

func pictures() []string { return []string{"auto", "off", "blocks", "kitty", "iterm2", "sixel"} }

type object = map[string]any

// row completes a setting with where it is kept and what it is by default.
func row[T any](s Setting, fallback T, of func(*Config) *Value[T], said func(*file) *T) Setting {
	s.begin = func(c *Config) { of(c).set(fallback, FromDefault) }
	s.take = func(c *Config, f *file) {
		if v := said(f); v != nil {
			of(c).set(*v, c.File)
		}
	}
	s.value = func(c Config) (any, string) { return of(&c).V, of(&c).From }
	return s
}

// SettingValue is a setting with its value in a configuration and where that comes from.
type SettingValue struct{ Name, Value, From string }

// SettingValues returns all settings with their values.
func (c Config) SettingValues() (list []SettingValue) {
	for _, s := range Settings() {
		value, from := s.value(c)
		list = append(list, SettingValue{s.Name, words(value), from})
	}
	return list
}

// words is a value as it is shown.
func words(value any) string {
	switch v := value.(type) {
	case []string:
		return strings.Join(v, ", ")
	case map[string]Provider: // their headers may be secret
		return strings.Join(slices.Sorted(maps.Keys(v)), ", ")
	case map[string]string:
		var pairs []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			pairs = append(pairs, key+": "+v[key])
		}
		return strings.Join(pairs, ", ")
	case map[string]map[string]string:
		return strings.Join(slices.Sorted(maps.Keys(v)), ", ")
	case map[string]Model:
		return strings.Join(slices.Sorted(maps.Keys(v)), ", ")
	}
	return fmt.Sprint(value)
}

// Settings are the keys that the configuration file may have.
func Settings() []Setting {
	const model = "^(offline|[^/]+/.+)$"
	return []Setting{
		row(Setting{Name: "model", Does: "the model that answers: offline, or PROVIDER/NAME such as ollama/qwen3.5:4b", Variable: "YAAP_MODEL", Flag: "--model", schema: text(model)},
			"offline", func(c *Config) *Value[string] { return &c.Model }, func(f *file) *string { return f.Model }),
		row(Setting{Name: "fallback", Does: "the models that answer, in order, when the model fails", schema: list(text(model))},
			nil, func(c *Config) *Value[[]string] { return &c.Fallback }, func(f *file) *[]string { return f.Fallback }),
		row(Setting{Name: "providers", Does: "where models are that yaap does not know by itself, and their keys", schema: providersSchema()},
			nil, func(c *Config) *Value[map[string]Provider] { return &c.Providers }, func(f *file) *map[string]Provider { return f.Providers }),
		row(Setting{Name: "models", Does: "what is wanted of single models: tokens that they read and write, prices", schema: modelsSchema()},
			nil, func(c *Config) *Value[map[string]Model] { return &c.Models }, func(f *file) *map[string]Model { return f.Models }),
		row(Setting{Name: "builtin", Does: "the built-in experts that come, where not all shall", Variable: "YAAP_BUILTIN", Flag: "--builtin", schema: object{"anyOf": []object{list(text(".")), text(".")}}},
			nil, func(c *Config) *Value[[]string] { return &c.Builtin }, func(f *file) *[]string { return (*[]string)(f.Builtin) }),
		expertsRow(),
		serversRow("mcpServers", "experts, as Claude Code, Claude Desktop, Cursor, Windsurf and Gemini CLI list servers"),
		serversRow("servers", "experts, as VS Code lists servers"),
		serversRow("mcp", "experts, as opencode and crush list servers"),
		row(Setting{Name: "runner", Does: "who answers: agent/yaap, or chain/NAME", Flag: "--runner", schema: text("^(agent/yaap|chain/.+)$")},
			agentRunner, func(c *Config) *Value[string] { return &c.Runner }, func(f *file) *string { return f.Runner }),
		row(Setting{Name: "chains", Does: "the chains that the agent may call as tools", schema: list(text("."))},
			nil, func(c *Config) *Value[[]string] { return &c.Chains }, func(f *file) *[]string { return f.Chains }),
		row(Setting{Name: "approve", Does: "what is asked about each time, whatever it claims to do: experts, EXPERT__TOOL with * for any letters, or all", schema: list(text("."))},
			nil, func(c *Config) *Value[[]string] { return &c.Approve }, func(f *file) *[]string { return f.Approve }),
		row(Setting{Name: "guard", Does: "what is looked for in what passes: secrets, personal data", schema: guardSchema()},
			defaultGuards(), func(c *Config) *Value[Guards] { return &c.Guard }, func(*file) *Guards { return nil }), // [readGuards] reads it
		row(Setting{Name: "judge", Does: "a model that looks at answers before you see them, and the rules that they must keep to", schema: object{
			"type": "object", "additionalProperties": false, "required": []string{"model", "rules"}, "properties": object{"model": text("."), "rules": text("."), "open": object{"type": "boolean"}},
		}}, Judge{}, func(c *Config) *Value[Judge] { return &c.Judge }, func(f *file) *Judge { return f.Judge }),
		row(Setting{Name: "hooks", Does: "commands of yours that are run before and after each call, and at the end of a turn", schema: hooksSchema()},
			nil, func(c *Config) *Value[Hooks] { return &c.Hooks }, func(f *file) *Hooks { return f.Hooks }),
		row(Setting{Name: "memory", Does: "whether conversations are remembered: true or false", schema: object{"type": "boolean"}},
			true, func(c *Config) *Value[bool] { return &c.Memory }, func(f *file) *bool { return f.Memory }),
		row(Setting{Name: "memory_embeddings", Does: "the model of Ollama by which the memory is searched by meaning, or none", schema: object{"type": "string"}},
			"", func(c *Config) *Value[string] { return &c.Embeddings }, func(f *file) *string { return f.Embeddings }),
		row(Setting{Name: "memory_every", Does: "the messages until the context of the memory is written anew, 1 to 50", min: 1, max: 50},
			6, func(c *Config) *Value[int] { return &c.Every }, func(f *file) *int { return f.Every }),
		row(Setting{Name: "bid_ms", Does: "how long experts have to say what they read in a question, 1 to 10000 milliseconds", Variable: "YAAP_BID_MS", min: 1, max: 10_000},
			100, func(c *Config) *Value[int] { return &c.BidMS }, func(f *file) *int { return f.BidMS }),
		row(Setting{Name: "max_turns", Does: "the turns that one answer may take, 1 to 100", min: 1, max: 100},
			10, func(c *Config) *Value[int] { return &c.MaxTurns }, func(f *file) *int { return f.MaxTurns }),
		row(Setting{Name: "max_experts", Does: "the experts that may be in the room at the same time, 1 to 4096", min: 1, max: 4096},
			256, func(c *Config) *Value[int] { return &c.MaxExperts }, func(f *file) *int { return f.MaxExperts }),
		row(Setting{Name: "re_asks", Does: "how often an unreadable answer is asked for again, 0 to 2", min: 0, max: 2},
			1, func(c *Config) *Value[int] { return &c.ReAsks }, func(f *file) *int { return f.ReAsks }),
		row(Setting{Name: "require_citations", Does: "whether an answer has to cite the sources that experts gave, as [1]: true or false", schema: object{"type": "boolean"}},
			false, func(c *Config) *Value[bool] { return &c.Cites }, func(f *file) *bool { return f.Cites }),
		row(Setting{Name: "todo", Does: "whether a model may keep a list of what it has to do, which you see: true or false", schema: object{"type": "boolean"}},
			false, func(c *Config) *Value[bool] { return &c.Todo }, func(f *file) *bool { return f.Todo }),
		row(Setting{Name: "agents_md", Does: "whether the AGENTS.md or CLAUDE.md of the directory is part of the model's instructions: true or false", schema: object{"type": "boolean"}},
			true, func(c *Config) *Value[bool] { return &c.Project }, func(f *file) *bool { return f.Project }),
		row(Setting{Name: "keys", Does: "keys of the chat that you want elsewhere, such as ctrl+s: ctrl+o", schema: object{"type": "object", "additionalProperties": text(".")}},
			nil, func(c *Config) *Value[map[string]string] { return &c.Keys }, func(f *file) *map[string]string { return f.Keys }),
		row(Setting{Name: "theme", Does: "the colours of the chat: auto, light or dark", Flag: "--theme", schema: object{"enum": themes()}},
			"auto", func(c *Config) *Value[string] { return &c.Theme }, func(f *file) *string { return f.Theme }),
		row(Setting{Name: "colors", Does: "your own colours of the themes light and dark, by what they colour: text, dim, accent, ok, warn, bad, thought, border, selected", schema: object{"type": "object", "additionalProperties": object{"type": "object", "additionalProperties": text("^#[0-9a-fA-F]{6}$")}}},
			nil, func(c *Config) *Value[map[string]map[string]string] { return &c.Colors }, func(f *file) *map[string]map[string]string { return f.Colors }),
		row(Setting{Name: "detail", Does: "how much of an answer the chat shows: calm, thoughts or everything; ctrl+t there keeps what you choose", schema: object{"enum": details()}},
			"calm", func(c *Config) *Value[string] { return &c.Detail }, func(f *file) *string { return f.Detail }),
		row(Setting{Name: "pictures", Does: "how the chat shows pictures: auto (as the terminal can), off, blocks (in half blocks), kitty, iterm2 or sixel", schema: object{"enum": pictures()}},
			"auto", func(c *Config) *Value[string] { return &c.Pictures }, func(f *file) *string { return f.Pictures }),
		row(Setting{Name: "mouse", Does: "whether the chat takes the mouse: true or false", schema: object{"type": "boolean"}},
			true, func(c *Config) *Value[bool] { return &c.Mouse }, func(f *file) *bool { return f.Mouse }),
		row(Setting{Name: "vi", Does: "whether the input of the chat has the keys of vi, esc for commands: true or false", schema: object{"type": "boolean"}},
			false, func(c *Config) *Value[bool] { return &c.Vi }, func(f *file) *bool { return f.Vi }),
		row(Setting{Name: "inline", Does: "whether the chat leaves what was said in the terminal's scrollback, and the mouse to it: true or false", Flag: "--inline", schema: object{"type": "boolean"}},
			false, func(c *Config) *Value[bool] { return &c.Inline }, func(f *file) *bool { return f.Inline }),
		row(Setting{Name: "ephemeral", Does: "whether nothing is kept when the program ends", Flag: "--ephemeral", schema: object{"type": "boolean"}},
			false, func(c *Config) *Value[bool] { return &c.Ephemeral }, func(f *file) *bool { return f.Ephemeral }),
	}
}

// serversRow is a list that was written for other programs; [Config.readExperts]
// reads it, and the row of the experts has what it lists.
func serversRow(name, does string) Setting {
	return Setting{
		Name: name, Does: does, schema: object{"type": "object", "additionalProperties": object{"type": "object"}},
		begin: func(*Config) {}, take: func(*Config, *file) {}, value: func(Config) (any, string) { return "", FromDefault },
	}
}

// expertsRow is the one setting to which flags add.
func expertsRow() Setting {
	expert := object{
		"type": "object", "additionalProperties": false,
		"oneOf": []object{{"required": []string{"command"}}, {"required": []string{"url"}}},
		"properties": object{
			"url":     object{"type": "string", "description": "The address of a server that runs elsewhere, in place of a command."},
			"command": object{"type": "array", "items": object{"type": "string"}, "minItems": 1},
			"env": object{"description": "Variables that it is given: the names of those that are handed on, or NAME: VALUE.", "oneOf": []object{
				list(object{"type": "string"}), {"type": "object", "additionalProperties": object{"type": "string"}},
			}},
			"dir":      object{"type": "string", "description": "Where it runs; from the directory of this file."},
			"roots":    object{"description": "Directories that it is told it may look into (MCP roots).", "type": "array", "items": object{"type": "string"}},
			"sampling": object{"type": "integer", "minimum": 0, "description": "Tokens of the room's model that it may use until yaap closes (MCP sampling); 0: none."},
			"log":      object{"description": "What it logs from this level on is shown among the events (f6); warning, where this is not there.", "enum": core.LogLevels()},
			"trust":    object{"type": "boolean", "description": "It is called without asking."},
		},
	}
	return Setting{
		Name: "experts", Does: "the experts that are there from the start, each with its command", Flag: "--expert",
		schema: object{"type": "object", "additionalProperties": expert},
		begin:  func(*Config) {}, take: func(*Config, *file) {}, // [Config.readFile] and [Config.readFlags] add to it
		value: func(c Config) (any, string) {
			var names, from []string
			for _, e := range c.Experts {
				if names = append(names, e.Name); !slices.Contains(from, e.From) {
					from = append(from, e.From)
				}
			}
			return names, cmp.Or(strings.Join(from, ", "), FromDefault)
		},
	}
}

func text(pattern string) object { return object{"type": "string", "pattern": pattern} }

func list(items object) object { return object{"type": "array", "items": items} }

func guardSchema() object {
	verdict := object{"enum": []string{"allow", "redact", "block", "force_failure"}}
	byStage := object{}
	for _, stage := range stages() {
		byStage[string(stage)] = verdict
	}
	policy := object{"oneOf": []object{verdict, {"type": "object", "additionalProperties": false, "properties": byStage}}}
	return object{"type": "object", "additionalProperties": false, "properties": object{"secrets": policy, "personal": policy, "injection": policy}}
}

// Schema returns the JSON Schema of the configuration file, for editors.
func Schema() []byte {
	properties := object{}
	for _, s := range Settings() {
		p := object{"type": "integer", "minimum": s.min, "maximum": s.max}
		if s.schema != nil {
			p = s.schema
		}
		p["description"] = s.Does
		switch value, _ := s.value(defaults()); value.(type) {
		case string, int, bool:
			p["default"] = value
		}
		properties[s.Name] = p
	}
	raw, _ := json.MarshalIndent(object{ // it holds nothing that JSON has not
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "yaap configuration",
		"type": "object", "additionalProperties": false, "properties": properties,
	}, "", "  ")
	return append(raw, '\n')
}

func defaults() (c Config) {
	for _, s := range Settings() {
		s.begin(&c)
	}
	return c
}
