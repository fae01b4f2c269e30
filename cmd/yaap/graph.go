package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"yaap/core"
	"yaap/core/chain"
	"yaap/core/diagram"
	"yaap/core/store"
)

func (p *program) chainShow() *cobra.Command {
	var mermaid, dot, ascii, sequence bool
	var run string
	width := 80
	cmd := &cobra.Command{
		Use: "show NAME", Short: "Draw a chain", Args: misuse(cobra.MaximumNArgs(1)),
		Long: "Draw a chain, or with --run what a run of one has done: as text (--ascii, the default),\n" +
			"as --mermaid, as Graphviz --dot, or as a --sequence diagram of the run.",
		RunE: func(cmd *cobra.Command, args []string) error {
			g, events, err := p.graph(cmd.Context(), args, run)
			if err != nil {
				return err
			}
			formats := slices.DeleteFunc([]bool{mermaid, dot, ascii, sequence}, func(on bool) bool { return !on })
			if len(formats) > 1 {
				return usage(errors.New("choose one of --ascii, --mermaid, --dot and --sequence"))
			}
			switch {
			case sequence && run == "":
				return usage(errors.New("a sequence diagram is of a run: --run RUN"))
			case sequence:
				return p.write(strings.TrimRight(diagram.Sequence(events), "\n"))
			case mermaid:
				return p.write(strings.TrimRight(diagram.Mermaid(g), "\n"))
			case dot:
				return p.write(strings.TrimRight(diagram.DOT(g), "\n"))
			}
			return p.write(strings.TrimRight(diagram.ASCII(g, width), "\n"))
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&mermaid, "mermaid", false, "as Mermaid")
	flags.BoolVar(&dot, "dot", false, "as Graphviz DOT")
	flags.BoolVar(&ascii, "ascii", false, "as text")
	flags.BoolVar(&sequence, "sequence", false, "the run as a Mermaid sequence diagram")
	flags.StringVar(&run, "run", "", "a run, as yaap chain runs lists them")
	flags.IntVar(&width, "width", width, "columns of the text")
	return cmd
}

// graph is the graph of a chain, with what a run has done where one is named.
func (p *program) graph(ctx context.Context, args []string, run string) (g diagram.Graph, events []core.Event, err error) {
	cfg, err := p.config()
	if err != nil {
		return g, nil, err
	}
	if run == "" {
		if len(args) == 0 {
			return g, nil, usage(errors.New("name a chain, or a run with --run"))
		}
		c, _, _, err := readChain(cfg, args[0])
		if err != nil {
			return g, nil, err
		}
		return graphOf(c.Spec), nil, nil
	}
	err = p.withStore(ctx, func(ctx context.Context, s *store.Store) error {
		row, err := s.FindRun(ctx, run)
		if err != nil {
			return err
		}
		events, err = s.RunEvents(ctx, row.ID, 0)
		if err != nil {
			return err
		}
		c, _, _, err := readChain(cfg, strings.TrimPrefix(row.Runner, "chain/"))
		if err != nil {
			return err
		}
		g = graphOf(c.Spec)
		for _, e := range events {
			if e.Run == row.ID {
				g.Apply(e)
			}
		}
		return nil
	})
	return g, events, err
}

// graphOf is a chain as a graph.
func graphOf(spec chain.Spec) diagram.Graph {
	g := diagram.Graph{Name: spec.Name}
	g.Nodes = append(g.Nodes, diagram.Node{ID: chain.Start, Kind: chain.Start})
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
	g.Nodes = append(g.Nodes, diagram.Node{ID: chain.End, Kind: chain.End})
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
