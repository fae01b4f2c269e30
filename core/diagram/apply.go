package diagram

import "yaap/core"

// Apply shows what an event of a chain's run tells: the states of its nodes and
// the edges that were followed. Events of other runs are for the caller to keep
// away.
func (g *Graph) Apply(e core.Event) {
	switch b := e.Body.(type) {
	case core.NodeStart:
		if n := g.node(b.Node); n != nil {
			n.State, n.Visits = core.NodeRunning, b.Visit
		}
	case core.NodeEnd:
		if n := g.node(b.Node); n != nil {
			n.State, n.Visits, n.MS = b.State, b.Visit, n.MS+b.MS
		}
	case core.EdgeTaken:
		if b.Taken {
			g.take(b.From, b.To)
		}
	case core.RunEnd:
		if b.Outcome != "interrupted" {
			g.skip()
		}
	default:
	}
}

func (g *Graph) node(id string) *Node {
	for i := range g.Nodes {
		if g.Nodes[i].ID == id {
			return &g.Nodes[i]
		}
	}
	return nil
}

func (g *Graph) take(from, to string) {
	for i := range g.Edges {
		if e := &g.Edges[i]; e.From == from && e.To == to {
			e.Taken = true
		}
	}
	for _, id := range []string{from, to} {
		if n := g.node(id); n != nil && (n.Kind == "start" || n.Kind == "end") {
			n.State = core.NodeCompleted
		}
	}
}

// skip marks what was never come to.
func (g *Graph) skip() {
	for i := range g.Nodes {
		if g.Nodes[i].State == "" || g.Nodes[i].State == core.NodePending {
			g.Nodes[i].State = core.NodeSkipped
		}
	}
}
