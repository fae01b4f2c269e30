package main

import (
	"slices"
	"strings"

	"yaap/core"
	"yaap/core/agent"
)

// tools are those of the experts in the room, and the chains that the user lets
// the agent call.
type tools struct {
	core.Toolbox
	chains []core.Tool
}

// Tools implements [core.Toolbox].
func (t tools) Tools() core.Toolset {
	set := t.Toolbox.Tools()
	if len(t.chains) == 0 {
		return set
	}
	all := slices.Concat(set.Tools, t.chains)
	slices.SortFunc(all, func(a, b core.Tool) int { return strings.Compare(a.Spec().Name, b.Spec().Name) })
	return core.Toolset{Rev: set.Rev, Tools: all}
}

// chainTools makes tools of chains. A chain that takes a single text is asked
// in plain words.
func (a *app) chainTools(names []string) ([]core.Tool, error) {
	var list []core.Tool
	for _, name := range names {
		c, src, _, err := readChain(a.cfg, name)
		if err != nil {
			return nil, err
		}
		spec := core.ToolSpec{
			Name: "chain_" + c.Spec.Name, Description: c.Spec.Description, Schema: c.ToolSchema(), Timeout: c.Timeout(),
		}
		list = append(list, agent.AsTool(spec, lookup{app: a, name: "chain/" + src.name}, "chain/"+src.name, agent.Config{Journal: journal{a.store}, Sink: a.bus}))
	}
	return list, nil
}
