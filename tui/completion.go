package tui

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

// choice is one line of a completion, the palette or a picker.
type choice struct {
	text  string // what is shown first
	help  string
	right string
	key   string   // what accepting it means to whoever shows it
	at    int      // completion: where in the input the accepted text begins
	runs  bool     // completion: accepting it with enter also sends
	names []string // of a command: what it may be typed as, its own first
	found string   // of a session: the words that were said in it
}

// apart is how far a command is from what is typed: 0 is the command of that name, 1 one
// that begins with it, 2 another choice.
func (c choice) apart(typed string) int {
	typed = strings.ToLower(typed)
	switch {
	case slices.Contains(c.names, typed):
		return 0
	case slices.ContainsFunc(c.names, func(n string) bool { return strings.HasPrefix(n, typed) }):
		return 1
	}
	return 2
}

// nearest puts the commands first whose names are nearest to what is typed.
func nearest(choices []choice, typed string) []choice {
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(a.apart(typed), b.apart(typed)) })
	return choices
}

// choiceOf is a command as one of a list.
func choiceOf(c command) choice {
	return choice{text: "/" + c.Name, help: c.Does, right: c.key, key: "/" + c.Name, runs: true, names: append([]string{c.Name}, c.Aliases...)}
}

// complete lists what the text before the cursor may go on as.
func complete(table []command, experts []core.Expert, before string) []choice {
	if strings.Contains(before, "\n") && strings.HasPrefix(before, "/") {
		return nil
	}
	if strings.HasPrefix(before, "/") {
		return completeCommand(table, experts, before)
	}
	if choices := completeTool(experts, before); len(choices) > 0 {
		return choices
	}
	at := strings.LastIndexFunc(before, unicode.IsSpace) + 1
	if at >= len(before) || before[at] != '@' {
		return nil
	}
	typed := strings.ToLower(before[at+1:])
	var out []choice
	for _, e := range experts {
		if e.Present() && strings.HasPrefix(strings.ToLower(e.Name), typed) {
			out = append(out, choice{text: "@" + e.Name, help: e.Description, key: "@" + e.Name + " ", at: at})
		}
	}
	return out
}

func completeCommand(table []command, experts []core.Expert, before string) []choice {
	name, rest, hasRest := strings.Cut(before[1:], " ")
	var out []choice
	for _, c := range table {
		if !hasRest {
			if offer := choiceOf(c); offer.apart(name) < 2 {
				if c.Args != "" {
					offer.key += " "
				}
				out = append(out, offer)
			}
			continue
		}
		if c.Name != name && !slices.Contains(c.Aliases, name) {
			continue
		}
		word, last, more := strings.Cut(rest, " ")
		takes := map[bool]string{false: c.takes}[more]
		for _, b := range c.below {
			switch {
			case more && b.Name == word:
				takes = b.Args
			case !more && strings.HasPrefix(b.Name, word):
				out = append(out, choice{text: strings.TrimSpace(b.Name + " " + b.Args), help: b.Does, key: b.Name + " ", at: len(before) - len(word), runs: b.Args == ""})
			}
		}
		if !more {
			last = word
		}
		if strings.Contains(takes, "EXPERT") && (more || last != "") {
			out = append(out, completeExpert(experts, last, len(before)-len(last))...)
		}
	}
	return nearest(out, name)
}

func completeExpert(experts []core.Expert, typed string, at int) []choice {
	var out []choice
	for _, e := range experts {
		if strings.HasPrefix(e.Name, typed) {
			out = append(out, choice{text: e.Name, help: e.Description, key: e.Name, at: at})
		}
	}
	return out
}

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
