package offline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"yaap/core"
	"yaap/core/lang"
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
	g := given{tokens: lang.Lex(prompt)}
	g.find(exists)
	args, complete := map[string]any{}, spec.Owner == "" || spec.Claims.ReadsOnly()
	for _, param := range required(params) {
		if value, ok := g.value(param, params); ok {
			args[param.Name] = value
		} else {
			complete = false
		}
	}
	if complete && len(g.things) == 0 && (own || g.used || names(prompt, spec)) {
		return object(args), nil
	}
	return nil, &lacking{spec, callLine(spec, params, args)}
}

func required(params []core.Parameter) []core.Parameter {
	return slices.DeleteFunc(slices.Clone(params), func(p core.Parameter) bool { return !p.Required })
}

// names reports whether a prompt has each word of the tool's name.
func names(prompt string, spec core.ToolSpec) bool {
	said := rank.Terms(prompt)
	name := rank.Spaced(strings.TrimPrefix(spec.Name, spec.Owner+"__"))
	return !slices.ContainsFunc(rank.Terms(name), func(w string) bool { return !slices.Contains(said, w) })
}

// takesPrompt reports whether all that a tool has to be given is plain language:
// one text that is called prompt, or for a tool of the room itself query.
func takesPrompt(spec core.ToolSpec, params []core.Parameter) (name string, ok bool) {
	needs := required(params)
	if len(needs) == 0 {
		needs = params
	}
	if len(needs) != 1 || needs[0].Kind != "string" && needs[0].Kind != "" {
		return "", false
	}
	name = needs[0].Name
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
			line += " " + p.Name + "=" + core.QuoteWord(fmt.Sprint(value))
		case p.Required:
			line += " " + p.Name + "=…"
		}
	}
	return strings.ReplaceAll(line, "`", "'")
}

// thing is something that a prompt names and that an argument can be.
type thing struct{ kind, text string } // of the kinds path, number and text

// given is what a prompt gives for arguments. A piece of it is used once.
type given struct {
	tokens []lang.Token
	things []thing
	used   bool // an argument came out of the prompt
}

// find finds the paths that exist, the numbers and what stands in quotes. A path
// that does not exist is a text.
func (g *given) find(exists func(string) bool) {
	for _, t := range g.tokens {
		text := lang.Unquote(t.Text)
		switch {
		case (t.Shape == lang.Path || t.Shape == lang.Quoted || t.Shape == lang.Word) && exists != nil && exists(text):
			g.things = append(g.things, thing{"path", text})
		case t.Shape == lang.Number:
			g.things = append(g.things, thing{"number", strings.NewReplacer(",", "", "_", "").Replace(t.Text)})
		case t.Shape != lang.Word && t.Shape != lang.Sign:
			g.things = append(g.things, thing{"text", text})
		}
	}
}

// value is the only thing that the prompt names for a parameter, which is the
// only required one of its kind.
func (g *given) value(param core.Parameter, params []core.Parameter) (any, bool) {
	if len(param.Enum) > 0 {
		return g.choice(param.Enum)
	}
	kind := kindOf(param)
	rivals := 0
	for _, p := range required(params) {
		if len(p.Enum) == 0 && kindOf(p) == kind {
			rivals++
		}
	}
	var found []int
	for i, p := range g.things {
		if p.kind == kind {
			found = append(found, i)
		}
	}
	if kind == "" || len(found) != 1 || rivals != 1 {
		return nil, false
	}
	text := g.things[found[0]].text
	n := json.Number(text)
	if _, notWhole := n.Int64(); kind == "number" && (!json.Valid([]byte(text)) || param.Kind == "integer" && notWhole != nil) {
		return nil, false
	}
	g.used = true
	g.things = slices.Delete(g.things, found[0], found[0]+1)
	if kind == "number" {
		return n, true
	}
	return text, true
}

// kindOf says which things a parameter may be given; empty: none.
func kindOf(p core.Parameter) string {
	switch p.Kind {
	case "number", "integer":
		return "number"
	case "string":
		for _, w := range rank.Words(rank.Spaced(p.Name)) {
			if slices.Contains([]string{"path", "file", "filename", "directory", "dir", "folder", "filepath"}, w) {
				return "path"
			}
		}
		return "text"
	}
	return ""
}

// choice is the only one of the allowed values that the prompt names.
func (g *given) choice(allowed []string) (any, bool) {
	named := slices.DeleteFunc(slices.Clone(allowed), func(v string) bool {
		return !slices.ContainsFunc(g.tokens, func(t lang.Token) bool { return strings.EqualFold(lang.Unquote(t.Text), v) })
	})
	g.used = g.used || len(named) == 1
	if len(allowed) == 1 {
		named = allowed
	}
	if len(named) != 1 {
		return nil, false
	}
	g.things = slices.DeleteFunc(g.things, func(p thing) bool { return strings.EqualFold(p.text, named[0]) })
	return named[0], true
}
