package offline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"yaap/core"
	"yaap/core/rank"
)

const maxClose = 4 // tools that are listed when none can be called

// lacking is a tool that comes close to a prompt, and the line that would call
// it: with what the prompt gives, and what it has to be given beside.
type lacking struct {
	spec core.ToolSpec
	line string
}

// arguments are those of a call that prompt asks for, or what keeps the model
// from making it. A tool that takes a prompt is given it. Any other is only
// called when it claims only to read, when each required argument is identified
// beyond doubt, and when nothing that the prompt names is left over. One that
// takes nothing from the prompt has to be named: each word of its name is there.
func arguments(spec core.ToolSpec, prompt string, exists func(string) bool) (json.RawMessage, *lacking) {
	params := spec.Parameters()
	own := spec.Owner == "" || spec.Name == spec.Owner // it is the expert itself
	if name, ok := takesPrompt(spec, params); ok && (own || spec.Claims.ReadsOnly()) {
		return object(map[string]any{name: prompt}), nil
	}
	f := filler{tokens: lex(prompt), exists: exists}
	f.findThings()
	args, complete := map[string]any{}, spec.Owner == "" || spec.Claims.ReadsOnly()
	for _, param := range params {
		if !param.Required {
			continue
		}
		value, ok := f.value(param, params)
		if !ok {
			complete = false
			continue
		}
		args[param.Name] = value
	}
	if complete && len(f.things) == 0 && (own || f.given || namesTool(prompt, spec)) {
		return object(args), nil
	}
	return nil, &lacking{spec, callLine(spec, params, args)}
}

// namesTool reports whether each word of the tool's name is one of the prompt.
func namesTool(prompt string, spec core.ToolSpec) bool {
	said := rank.Terms(prompt)
	for _, word := range rank.Terms(humanName(strings.TrimPrefix(spec.Name, spec.Owner+"__"))) {
		if !slices.Contains(said, word) {
			return false
		}
	}
	return true
}

// takesPrompt reports whether all that a tool has to be given is plain language:
// one text that is called prompt, or for a tool of the room itself query.
func takesPrompt(spec core.ToolSpec, params []core.Parameter) (name string, ok bool) {
	required := slices.DeleteFunc(slices.Clone(params), func(p core.Parameter) bool { return !p.Required })
	if len(required) == 0 && len(params) == 1 {
		required = params
	}
	if len(required) != 1 || required[0].Kind != "string" && required[0].Kind != "" {
		return "", false
	}
	name = required[0].Name
	return name, name == "prompt" || spec.Owner == "" && name == "query"
}

func object(args map[string]any) json.RawMessage {
	b, err := json.Marshal(args)
	if err != nil {
		return json.RawMessage(`{}`) // cannot be: strings and numbers
	}
	return b
}

// callLine is what the user types to call a tool.
func callLine(spec core.ToolSpec, params []core.Parameter, args map[string]any) string {
	line := spec.Name
	if own, ok := strings.CutPrefix(spec.Name, spec.Owner+"__"); ok {
		line = "@" + spec.Owner + " " + own
	}
	for _, p := range params {
		switch value, known := args[p.Name]; {
		case known:
			line += " " + p.Name + "=" + typed(value)
		case p.Required:
			line += " " + p.Name + "=…"
		}
	}
	return strings.ReplaceAll(line, "`", "'")
}

// typed writes a value as [core.ToolSpec.ReadArguments] reads it.
func typed(value any) string {
	text := fmt.Sprint(value)
	if text != "" && !strings.ContainsAny(text, " \t\n\"'\\[{") {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'"'"'`) + "'"
}

// thing is something that a prompt names and that an argument can be.
type thing struct {
	kind string // path, number, text
	text string
}

// filler finds the arguments that a prompt gives beyond doubt. A piece of it is
// used once.
type filler struct {
	tokens []token
	exists func(string) bool
	things []thing
	given  bool // an argument came out of the prompt
}

// findThings finds what the prompt names: the paths that exist, the numbers and
// what stands in quotes. A path that does not exist is a text.
func (f *filler) findThings() {
	for _, t := range f.tokens {
		text := unquote(t.text)
		switch {
		case (t.class == path || t.class == quoted || t.class == word) && f.exists != nil && f.exists(text):
			f.things = append(f.things, thing{"path", text})
		case t.class == path, t.class == quoted, t.class == link, t.class == date:
			f.things = append(f.things, thing{"text", text})
		case t.class == number:
			f.things = append(f.things, thing{"number", strings.NewReplacer(",", "", "_", "").Replace(t.text)})
		}
	}
}

// value is the only thing that the prompt names for a parameter, which is the
// only required one of its kind.
func (f *filler) value(param core.Parameter, params []core.Parameter) (any, bool) {
	if len(param.Enum) > 0 {
		return f.choice(param.Enum)
	}
	kind := kindOf(param)
	rivals := slices.DeleteFunc(slices.Clone(params), func(p core.Parameter) bool {
		return !p.Required || len(p.Enum) > 0 || kindOf(p) != kind
	})
	var found []int
	for i, p := range f.things {
		if p.kind == kind {
			found = append(found, i)
		}
	}
	if kind == "" || len(found) != 1 || len(rivals) != 1 {
		return nil, false
	}
	f.given = true
	text := f.things[found[0]].text
	if kind == "number" {
		n := json.Number(text)
		_, notWhole := n.Int64()
		if _, err := n.Float64(); err != nil || param.Kind == "integer" && notWhole != nil || !json.Valid([]byte(text)) {
			return nil, false // a word, say
		}
		f.things = slices.Delete(f.things, found[0], found[0]+1)
		return n, true
	}
	f.things = slices.Delete(f.things, found[0], found[0]+1)
	return text, true
}

// kindOf says which pieces a parameter may be given; empty: none.
func kindOf(p core.Parameter) string {
	switch p.Kind {
	case "number", "integer":
		return "number"
	case "string":
		if isPath(p) {
			return "path"
		}
		return "text"
	}
	return ""
}

// isPath reports whether a parameter takes the path of something that is there.
func isPath(p core.Parameter) bool {
	for _, w := range strings.Fields(strings.ToLower(humanName(p.Name))) {
		switch w {
		case "path", "file", "filename", "directory", "dir", "folder", "filepath":
			return true
		}
	}
	return false
}

// choice is the only one of the allowed values that the prompt names.
func (f *filler) choice(allowed []string) (any, bool) {
	var named []string
	for _, v := range allowed {
		if slices.ContainsFunc(f.tokens, func(t token) bool { return strings.EqualFold(unquote(t.text), v) }) {
			named = append(named, v)
		}
	}
	f.given = f.given || len(named) == 1
	if len(allowed) == 1 {
		named = allowed
	}
	if len(named) != 1 {
		return nil, false
	}
	f.things = slices.DeleteFunc(f.things, func(p thing) bool { return strings.EqualFold(p.text, named[0]) })
	return named[0], true
}
