package offline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/lang"
	"github.com/yaap-chat/yaap/core/rank"
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
// called when it claims only to read, when it needs one argument at most, and when
// that is the only thing that the prompt names: a path that exists, a number, or
// what stands in quotes. One that needs nothing has to be named: each word of its
// name is there.
func arguments(spec core.ToolSpec, prompt string, exists func(string) bool) (json.RawMessage, *lacking) {
	params := spec.Parameters()
	own := spec.Owner == "" || spec.Name == spec.Owner // it is the expert itself
	reads := spec.Owner == "" || spec.Claims.ReadsOnly()
	if name, ok := takesPrompt(spec, params); ok && (own || reads) {
		return object(map[string]any{name: prompt}), nil
	}
	needs, things := required(params), thingsIn(prompt, exists)
	args := map[string]any{}
	if len(needs) == 1 {
		fitting := slices.DeleteFunc(slices.Clone(things), func(t thing) bool { return t.as(needs[0]) == nil })
		if len(fitting) == 1 {
			args[needs[0].Name] = fitting[0].as(needs[0])
		}
	}
	called := len(args) == 1 && len(things) == 1 || len(needs)+len(things) == 0 && (own || names(prompt, spec))
	if reads && called && len(args) == len(needs) {
		return object(args), nil
	}
	return nil, &lacking{spec, callLine(spec, params, args)}
}

// textOf is what a tool calls the text that is all it needs, where it only reads; empty
// where that is not so.
func textOf(spec core.ToolSpec) string {
	needs := required(spec.Parameters())
	if len(needs) != 1 || needs[0].Kind != "string" || len(needs[0].Enum) > 0 || takesPath(needs[0]) || !spec.Claims.ReadsOnly() {
		return ""
	}
	return needs[0].Name
}

func required(params []core.Parameter) []core.Parameter {
	return slices.DeleteFunc(slices.Clone(params), func(p core.Parameter) bool { return !p.Required })
}

// names reports whether a prompt has each word of the tool's name.
func names(prompt string, spec core.ToolSpec) bool {
	said := rank.Terms(prompt)
	return !slices.ContainsFunc(nameOf(spec), func(w string) bool { return !slices.Contains(said, w) })
}

// namesPart reports whether a prompt has one of them.
func namesPart(prompt string, spec core.ToolSpec) bool {
	said := rank.Terms(prompt)
	return slices.ContainsFunc(nameOf(spec), func(w string) bool { return slices.Contains(said, w) })
}

func nameOf(spec core.ToolSpec) []string {
	return rank.Terms(rank.Spaced(strings.TrimPrefix(spec.Name, spec.Owner+"__")))
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
type thing struct {
	shape lang.Shape // a path, where it exists, a number, or quoted
	text  string
}

// thingsIn are the paths that exist, the numbers and what else has a shape.
func thingsIn(prompt string, exists func(string) bool) (list []thing) {
	for _, t := range lang.Lex(prompt) {
		text := lang.Unquote(t.Text)
		switch {
		case t.Shape != lang.Number && t.Shape != lang.Sign && exists != nil && exists(text):
			list = append(list, thing{lang.Path, text})
		case t.Shape == lang.Number:
			list = append(list, thing{lang.Number, strings.NewReplacer(",", "", "_", "").Replace(text)})
		case t.Shape != lang.Word && t.Shape != lang.Sign:
			list = append(list, thing{lang.Quoted, text})
		}
	}
	return list
}

// as is a thing as the value of a parameter; nil, where it can be none.
func (t thing) as(p core.Parameter) any {
	n := json.Number(t.text)
	_, notWhole := n.Int64()
	wants := lang.Quoted
	switch {
	case p.Kind == "number" || p.Kind == "integer":
		if t.shape == lang.Number && json.Valid([]byte(t.text)) && (p.Kind == "number" || notWhole == nil) {
			return n
		}
		return nil
	case takesPath(p):
		wants = lang.Path
	}
	if p.Kind != "string" || t.shape != wants || len(p.Enum) > 0 && !slices.Contains(p.Enum, t.text) {
		return nil
	}
	return t.text
}

// takesPath reports whether a parameter is the path of something that is there.
func takesPath(p core.Parameter) bool {
	return slices.ContainsFunc(rank.Words(rank.Spaced(p.Name)), func(w string) bool {
		return slices.Contains([]string{"path", "file", "filename", "directory", "dir", "folder", "filepath"}, w)
	})
}
