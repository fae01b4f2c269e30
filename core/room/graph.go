package room

import (
	"path/filepath"
	"strings"

	"github.com/yaap-chat/yaap/core/chain"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/diagram"
)

// writtenGraph is chain/NAME as it is written, without states.
func writtenGraph(cfg config.Config, runner string) (diagram.Graph, error) {
	c, _, _, err := readChain(cfg, strings.TrimPrefix(runner, "chain/"))
	if err != nil {
		return diagram.Graph{}, err
	}
	return graphOf(c.Spec), nil
}

// graphOf is a chain as a graph.
func graphOf(spec chain.Spec) diagram.Graph {
	g := diagram.Graph{Name: spec.Name}
	g.Nodes = append(g.Nodes, diagram.Node{ID: chain.Start})
	for _, n := range spec.Nodes {
		label := n.Name
		if n.Kind == chain.KindChain {
			label = filepath.Base(label)
		}
		if n.Each != nil {
			label += " for each"
		}
		g.Nodes = append(g.Nodes, diagram.Node{ID: n.ID, Kind: string(n.Kind), Label: label})
	}
	g.Nodes = append(g.Nodes, diagram.Node{ID: chain.End})
	for _, e := range spec.Edges {
		g.Edges = append(g.Edges, diagram.Edge{From: e.From, To: e.To, Label: edgeLabel(e)})
	}
	return g
}

func edgeLabel(e chain.Edge) string {
	switch {
	case e.Label != "":
		return e.Label
	case e.When != "":
		return e.When
	case e.OnError:
		return "on error"
	case e.On != "":
		return "on " + e.On
	case e.Default:
		return "default"
	}
	return ""
}
