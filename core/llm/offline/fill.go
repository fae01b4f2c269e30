package offline

import (
	"encoding/json"
	"math"
	"sort"
	"strconv"
	"strings"
)

// missing says which arguments of a tool a prompt does not give.
type missing struct {
	tool   *profile
	params []string
}

// parameters is the part of a JSON Schema that is understood.
type parameters struct {
	Properties map[string]parameter `json:"properties"`
	Required   []string             `json:"required"`
}

type parameter struct {
	Type        any    `json:"type"`
	Description string `json:"description"`
	Enum        []any  `json:"enum"`
	Default     any    `json:"default"`
	Items       *struct {
		Type any `json:"type"`
	} `json:"items"`
}

func (p parameter) is(kind string) bool { return hasType(p.Type, kind) }

func hasType(t any, kind string) bool {
	switch t := t.(type) {
	case string:
		return t == kind
	case []any:
		for _, v := range t {
			if v == kind {
				return true
			}
		}
	}
	return false
}

// arguments fills the tool's parameters from prompt, or says what it lacks.
func (p *profile) arguments(prompt string) (json.RawMessage, *missing) {
	var schema parameters
	if len(p.spec.Schema) > 0 && json.Unmarshal(p.spec.Schema, &schema) != nil {
		schema = parameters{}
	}
	if len(schema.Properties) == 0 {
		if len(p.spec.Schema) > 0 && len(schema.Required) == 0 {
			return json.RawMessage(`{}`), nil
		}
		return object(map[string]any{"prompt": prompt}), nil
	}
	f := filler{tool: p, prompt: prompt, tokens: lex(prompt, nil), schema: schema}
	wanted := schema.Required
	if len(wanted) == 0 {
		if free := schema.free(); free != "" {
			wanted = []string{free}
		}
	}
	args := map[string]any{}
	lacks := &missing{tool: p}
	for _, n := range wanted {
		param := schema.Properties[n]
		v, ok := f.value(n, param)
		switch {
		case ok:
			args[n] = v
		case param.Default != nil:
			args[n] = param.Default
		default:
			lacks.params = append(lacks.params, n)
		}
	}
	if len(lacks.params) > 0 {
		return nil, lacks
	}
	return object(args), nil
}

func object(args map[string]any) json.RawMessage {
	b, err := json.Marshal(args)
	if err != nil {
		return json.RawMessage(`{}`) // cannot be: strings, numbers and lists of them
	}
	return b
}

// free is the optional parameter that takes plain language, if there is one.
func (s parameters) free() string {
	var texts []string
	for n, p := range s.Properties {
		if p.is("string") && p.Enum == nil {
			texts = append(texts, n)
		}
	}
	sort.Strings(texts)
	for _, n := range texts {
		if takesProse(n) {
			return n
		}
	}
	if len(texts) == 1 && len(s.Properties) == 1 {
		return texts[0]
	}
	return ""
}

func takesProse(param string) bool {
	switch strings.ToLower(param) {
	case "prompt", "query", "question", "text", "input", "message", "q", "request", "content", "instruction", "instructions", "search", "task", "utterance":
		return true
	}
	return false
}

// filler hands out the pieces of a prompt, each once.
type filler struct {
	tool   *profile
	prompt string
	tokens []token
	schema parameters
	used   map[int]bool
}

func (f *filler) value(param string, p parameter) (any, bool) {
	switch {
	case len(p.Enum) > 0:
		return f.choice(p.Enum)
	case p.is("number"), p.is("integer"):
		t, ok := f.take(f.left(number) == 1 || f.left(number) == f.wanting("number", "integer"), number)
		if !ok {
			return nil, false
		}
		v, err := strconv.ParseFloat(strings.NewReplacer(",", "", "_", "").Replace(t.text), 64)
		if err != nil || !p.is("number") && v != math.Trunc(v) {
			return nil, false
		}
		return json.Number(strconv.FormatFloat(v, 'f', -1, 64)), true
	case p.is("array"):
		return f.list(p)
	case p.is("string"), p.Type == nil:
		return f.text(param, p)
	}
	return nil, false
}

// choice is the one of the allowed values that the prompt names.
func (f *filler) choice(allowed []any) (any, bool) {
	for _, v := range allowed {
		s, ok := v.(string)
		if !ok {
			continue
		}
		for _, t := range f.tokens {
			if t.lower == strings.ToLower(s) {
				return v, true
			}
		}
	}
	if len(allowed) == 1 {
		return allowed[0], true
	}
	return nil, false
}

func (f *filler) list(p parameter) (any, bool) {
	var out []any
	for i, t := range f.tokens {
		switch {
		case p.Items == nil:
		case t.class == number && (hasType(p.Items.Type, "number") || hasType(p.Items.Type, "integer")):
			out = append(out, json.Number(strings.ReplaceAll(t.text, ",", "")))
		case hasType(p.Items.Type, "string") && (t.class == path || t.class == quoted || t.class == query || t.class == link) && !f.used[i]:
			out = append(out, unquote(t.text))
		}
	}
	return out, len(out) > 0
}

func (f *filler) text(param string, p parameter) (any, bool) {
	strs := f.wanting("string")
	if takesProse(param) && strs == 1 {
		return f.prompt, true
	}
	for _, c := range wantedShape(param, p.Description) {
		if t, ok := f.take(true, c); ok {
			return unquote(t.text), true
		}
		if c == path || c == link {
			return nil, false
		}
	}
	if strs > 1 {
		for _, c := range [...]class{quoted, path, name, label} {
			if t, ok := f.take(f.left(c) >= strs || len(f.used) > 0, c); ok {
				return unquote(t.text), true
			}
		}
		return nil, false
	}
	for _, c := range [...]class{quoted, query, path, link, label, name} {
		if f.left(c) == 1 {
			if t, ok := f.take(true, c); ok {
				return unquote(t.text), true
			}
		}
	}
	if rest := f.rest(); rest != "" {
		return rest, true
	}
	return f.prompt, true
}

// wantedShape guesses from a parameter's name and description what it takes.
func wantedShape(param, description string) []class {
	said := strings.ToLower(humanName(param))
	for _, w := range strings.Fields(said) {
		switch w {
		case "path", "file", "filename", "directory", "dir", "folder", "filepath":
			return []class{quoted, path}
		case "url", "uri", "link", "href":
			return []class{link}
		case "date", "day":
			return []class{date}
		case "id", "key", "ref", "sha", "hash":
			return []class{label, number, quoted, name}
		}
	}
	if strings.Contains(strings.ToLower(description), "url") {
		return []class{link}
	}
	return nil
}

// rest is the longest run of words that the tool has no word for: likely what
// the question is about.
func (f *filler) rest() string {
	best, from := "", -1
	last := 0
	flush := func() {
		if from >= 0 {
			if s := f.prompt[from:last]; len(s) > len(best) {
				best = s
			}
		}
		from = -1
	}
	for _, t := range f.tokens {
		known := t.weight > 0 && f.tool.told(t)
		switch {
		case known || t.weight == 0 && (isPreposition(t.lower) || isQuestionWord(t.lower) || from < 0) || t.weight > 0 && t.weight < 0.35:
			flush()
		default:
			if from < 0 {
				from = t.start
			}
			if t.weight > 0 {
				last = t.end
			}
		}
	}
	flush()
	return best
}

func (f *filler) left(c class) int {
	n := 0
	for i, t := range f.tokens {
		if t.class == c && !f.used[i] {
			n++
		}
	}
	return n
}

// wanting counts the required parameters of these types.
func (f *filler) wanting(kinds ...string) int {
	n := 0
	for _, r := range f.schema.Required {
		for _, k := range kinds {
			if p := f.schema.Properties[r]; p.is(k) && len(p.Enum) == 0 {
				n++
			}
		}
	}
	return max(n, 1)
}

func (f *filler) take(allowed bool, c class) (token, bool) {
	if !allowed {
		return token{}, false
	}
	for i, t := range f.tokens {
		if t.class == c && !f.used[i] {
			if f.used == nil {
				f.used = map[int]bool{}
			}
			f.used[i] = true
			return t, true
		}
	}
	return token{}, false
}

func unquote(s string) string {
	if t := strings.TrimSuffix(strings.TrimPrefix(s, "```"), "```"); t != s {
		return strings.TrimSpace(t)
	}
	return strings.Trim(s, "\"'`“”«»")
}
