package tui

import (
	"yaap/core"
	"yaap/core/diagram"
)

// skipped are the nodes that were not come to and that nothing leads to any
// more: no edge leads there from where the work is. In a run that is over those
// are all that were not come to. A node that no edge leads to takes care of
// failures: something may fail for as long as anything is under way.
func (r *chainRun) skipped(g diagram.Graph) map[string]bool {
	open := map[string]bool{}
	if !r.over() {
		led, work := map[string]bool{}, r.underWay()
		for _, e := range g.Edges {
			led[e.To] = true
		}
		for _, n := range g.Nodes {
			if !led[n.ID] && n.ID != chainStart && r.last(n.ID) == nil {
				work = append(work, n.ID)
			}
		}
		for len(work) > 0 {
			from := work[0]
			if work = work[1:]; open[from] {
				continue
			}
			open[from] = true
			for _, e := range g.Edges {
				if e.From == from {
					work = append(work, e.To)
				}
			}
		}
	}
	skipped := map[string]bool{}
	for _, n := range g.Nodes {
		if n.State == "" && !open[n.ID] {
			skipped[n.ID] = true
		}
	}
	return skipped
}

// underWay are the nodes that run or wait for the user, and those that an edge
// was followed to and that have not begun. Before the first one, it is the start.
func (r *chainRun) underWay() []string {
	var nodes []string
	come := func(e core.EdgeTaken) {
		if e.Taken && r.last(e.To) == nil {
			nodes = append(nodes, e.To)
		}
	}
	for _, e := range r.starts {
		come(e)
	}
	for _, v := range r.visits {
		if s := v.state(); (s == core.NodeRunning || s == core.NodePaused) && r.last(v.Node) == v {
			nodes = append(nodes, v.Node)
		}
		for _, e := range v.edges {
			come(e)
		}
	}
	if len(r.starts)+len(r.visits) == 0 {
		nodes = append(nodes, chainStart)
	}
	return nodes
}
