package offline

import (
	"encoding/json"
	"fmt"
	"maps"
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
// called when it claims only to read, and when the prompt names each thing that it needs
// and nothing else: a value that the argument lists, and for one argument beside these a
// path that exists, a number, or what stands in quotes. One that needs nothing has to be
// named: each word of its name is there.
func arguments(spec core.ToolSpec, prompt string, exists func(string) bool) (json.RawMessage, *lacking) {
	params := spec.Parameters()
	own := spec.Owner == "" || spec.Name == spec.Owner || spec.Name == spec.Owner+"__"+spec.Owner // it is the expert itself
	reads := spec.Owner == "" || spec.Claims.ReadsOnly()
	if name, ok := takesPrompt(spec, params); ok && (own || reads) {
		return object(spec, map[string]any{name: prompt}), nil
	}
	needs, things := required(params), thingsIn(prompt, exists)
	args := listed(params, prompt)
	given := len(args)
	things = slices.DeleteFunc(things, func(t thing) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(args)), func(v any) bool { return strings.EqualFold(t.text, fmt.Sprint(v)) })
	})
	left := slices.DeleteFunc(slices.Clone(needs), func(p core.Parameter) bool { return args[p.Name] != nil })
	if len(left) == 1 {
		for i, t := range things { // "cone 04" of a cone that is a text
			if t.shape == lang.Number && left[0].Kind == "string" && len(left[0].Enum) == 0 && says(prompt, left[0].Name+" "+t.text) {
				things[i].shape = lang.Quoted
			}
		}
		fitting := slices.DeleteFunc(slices.Clone(things), func(t thing) bool { return t.as(left[0]) == nil })
		if len(fitting) == 1 {
			args[left[0].Name] = fitting[0].as(left[0])
		}
	}
	named := len(needs)+len(things) == 0 && (own || names(prompt, spec))
	called := len(args) > 0 && len(things) == len(args)-given && (given == 0 || !undated(params, prompt)) || named
	if reads && called && len(args) >= len(needs) && !orders(prompt, spec) {
		return object(spec, args), nil
	}
	return nil, &lacking{spec, callLine(spec, params, args)}
}

// orders reports whether a prompt orders something to be changed that a tool says nothing
// of: "stop kiln 2" is no question for its status.
func orders(prompt string, spec core.ToolSpec) bool {
	order := lang.Of(prompt).OpeningWord(prompt, "acting")
	return order != "" && !slices.Contains(append(rank.Terms(spec.Description), nameOf(spec)...), rank.Stem(order))
}

// listed are the arguments of which a prompt names one of the values that they list, and
// that no other argument lists: "brest" of a harbour.
func listed(params []core.Parameter, prompt string) map[string]any {
	args := map[string]any{}
	for _, p := range params {
		same := slices.ContainsFunc(params, func(other core.Parameter) bool {
			return other.Name != p.Name && slices.ContainsFunc(other.Enum, func(v string) bool { return slices.Contains(p.Enum, v) })
		})
		said := slices.DeleteFunc(slices.Clone(p.Enum), func(v string) bool { return !says(prompt, v) })
		if len(said) == 1 && p.Kind == "string" && !same {
			args[p.Name] = said[0]
		}
	}
	return args
}

// says reports whether a prompt has the words of a value one after the other, in whatever
// case. Words that say nothing are no value: the lamp that is on.
func says(prompt, value string) bool {
	want := rank.Words(rank.Spaced(value))
	if len(want) == 0 || lang.Of(prompt).Has(lang.Function, strings.Join(want, " ")) {
		return false
	}
	words := rank.Words(prompt)
	for i := range words {
		if i+len(want) <= len(words) && slices.Equal(words[i:i+len(want)], want) {
			return true
		}
	}
	return false
}

// undated reports whether a prompt names a time that a tool could be given and is not.
func undated(params []core.Parameter, prompt string) bool {
	l := lang.Of(prompt)
	return slices.ContainsFunc(params, func(p core.Parameter) bool {
		return slices.ContainsFunc(rank.Words(rank.Spaced(p.Name)), func(w string) bool {
			return slices.Contains([]string{"date", "day", "time", "when", "from", "to", "month"}, w)
		})
	}) && slices.ContainsFunc(lang.Words(prompt), func(w string) bool {
		return l.Has("date", w) || l.Has("day words", w) && !l.Has(lang.Function, w) || l.Has("bygone", w)
	})
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
	name := nameOf(spec)
	known := append(rank.Terms(spec.Description), name...)
	asked := lang.Of(prompt).OpeningLength(prompt, lang.Question) > 0 && !slices.ContainsFunc(said, func(w string) bool { return !slices.Contains(known, w) })
	return !slices.ContainsFunc(name, func(w string) bool {
		return !slices.Contains(said, w) && (!asked || !slices.Contains([]string{"list", "get", "show"}, w)) // "which buoys are there?"
	})
}

// namesPart reports whether a prompt has one of them.
func namesPart(prompt string, spec core.ToolSpec) bool {
	said := rank.Terms(prompt)
	return slices.ContainsFunc(nameOf(spec), func(w string) bool { return slices.Contains(said, w) })
}

// behindName is a text without the name of the tool that it may begin with.
func behindName(spec core.ToolSpec, text string) string {
	name, words, ok := strings.Cut(text, " ")
	if words = strings.TrimSpace(words); ok && words != "" && strings.EqualFold(name, strings.TrimPrefix(spec.Name, spec.Owner+"__")) {
		return words
	}
	return text
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

func object(spec core.ToolSpec, args map[string]any) json.RawMessage {
	raw, _ := spec.Arguments(args) // strings and numbers
	return raw
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
