package tui

import (
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

// completeTool lists the tools of the expert that a text is for, and then what
// the tool takes that is not given yet: "@fs read_text_file path=a.txt he".
func completeTool(experts []core.Expert, before string) []choice {
	name, rest, ok := strings.Cut(before, " ")
	if !strings.HasPrefix(name, "@") || strings.Contains(before, "\n") {
		return nil
	}
	at := strings.LastIndex(before, " ") + 1
	last := before[at:]
	var out []choice
	for _, e := range experts {
		for _, t := range e.Tools {
			own, typed := strings.CutPrefix(t.Name, e.Name+"__")
			switch {
			case !typed || !e.Present():
			case !ok && strings.Contains(name, "__") && strings.HasPrefix(t.Name, name[1:]):
				out = append(out, choice{text: "@" + t.Name, help: t.Description, key: "@" + t.Name + " "})
			case ok && strings.EqualFold(name[1:], e.Name) && !strings.Contains(rest, " ") && strings.HasPrefix(own, rest):
				out = append(out, choice{text: own, help: t.Description, key: own + " ", at: at})
			case ok && strings.EqualFold(name[1:], t.Name), ok && strings.EqualFold(name[1:], e.Name) && strings.HasPrefix(rest, own+" "):
				out = append(out, completeArgument(t, before, last, at)...)
			}
		}
	}
	return out
}

func completeArgument(t core.ToolSpec, before, last string, at int) []choice {
	var out []choice
	params := t.Parameters()
	lacks := slices.ContainsFunc(params, func(p core.Parameter) bool { return p.Required && !strings.Contains(before, " "+p.Name+"=") })
	if last == "" && !lacks { // enter sends it
		return nil
	}
	for _, p := range params {
		if !strings.HasPrefix(p.Name, last) || strings.Contains(before, " "+p.Name+"=") {
			continue
		}
		help := p.Kind
		if p.Required {
			help += ", required"
		}
		if p.Description != "" {
			help += ": " + p.Description
		}
		name := safe.Line(p.Name)
		out = append(out, choice{text: name + "=", help: safe.Cut(safe.Line(strings.TrimPrefix(help, ", ")), 200), key: name + "=", at: at})
	}
	return out
}
