package room

import (
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/memory"
)

// tools are those of the experts in the room, the chains that the user lets the
// agent call, and those of the room itself, of which a model that searches the
// memory in its own words needs no recall, and what it is told is corrected by what it
// writes down.
type tools struct {
	core.Toolbox
	chains  []core.Tool
	own     []core.Tool
	offline func() bool
}

// Tools implements [core.Toolbox].
func (t tools) Tools() core.Toolset {
	set := t.Toolbox.Tools()
	all := slices.Concat(set.Tools, t.chains)
	for _, tool := range t.own {
		if t.offline() || tool.Spec().Name != memory.RecallName && tool.Spec().Name != memory.CorrectName {
			all = append(all, tool)
		}
	}
	if t.offline() { // it has recall
		all = slices.DeleteFunc(all, func(tool core.Tool) bool { return tool.Spec().Name == memory.SearchName })
	}
	slices.SortFunc(all, func(a, b core.Tool) int { return strings.Compare(a.Spec().Name, b.Spec().Name) })
	return core.Toolset{Rev: set.Rev, Tools: all}
}

// chainTools makes tools of chains. A chain that takes a single text is asked
// in plain words.
func (r *Room) chainTools(names []string) ([]core.Tool, error) {
	var list []core.Tool
	for _, name := range names {
		c, src, err := r.chain(name)
		if err != nil {
			return nil, err
		}
		spec := core.ToolSpec{
			Name: "chain_" + c.Spec.Name, Description: c.Spec.Description, Schema: c.ToolSchema(), Timeout: c.Timeout(),
		}
		list = append(list, agent.AsTool(spec, lookup{Room: r, name: "chain/" + src.name}, "chain/"+src.name, agent.Config{Journal: r.journal(), Sink: r.bus}))
	}
	return list, nil
}
