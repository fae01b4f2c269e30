package chain_test

import (
	"context"
	"fmt"
	"testing"

	"yaap/core"
	"yaap/core/chain"
	"yaap/core/event"
)

// line is a chain of n functions that answer at once.
func line(n int) chain.Spec {
	spec := chain.Spec{Name: "line", Limits: chain.Limits{Steps: n + 1}}
	from := chain.Start
	for i := range n {
		id := fmt.Sprint("n", i)
		spec.Nodes = append(spec.Nodes, chain.Node{ID: id, Kind: chain.KindFunction, Name: "noop"})
		spec.Edges = append(spec.Edges, chain.Edge{From: from, To: id})
		from = id
	}
	spec.Edges = append(spec.Edges, chain.Edge{From: from, To: chain.End})
	return spec
}

func noop(context.Context, map[string]any) (core.Reply, error) {
	return core.Reply{Status: core.StatusSuccess, Data: map[string]any{}}, nil
}

func benchmark(b *testing.B, spec chain.Spec, per int) {
	c, err := chain.Compile(spec, "")
	if err != nil {
		b.Fatal(err)
	}
	runner := c.Runner(chain.Config{Journal: core.Forget{}, Sink: new(event.Bus), Functions: map[string]chain.Function{"noop": noop}})
	b.ReportAllocs()
	for b.Loop() {
		result, err := runner.Run(b.Context(), core.Input{Scope: core.Scope{Run: "run", Trace: "run"}})
		if err != nil || result.Reply.Status != core.StatusSuccess {
			b.Fatal(result.Reply.Message, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*per), "ns/node")
}

// The cost of a node must not grow with the chain: compare ns/node.
func BenchmarkLine(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmark(b, line(n), n) })
	}
}

func BenchmarkForEach1000(b *testing.B) {
	items := make([]any, 1000)
	for i := range items {
		items[i] = i
	}
	benchmark(b, chain.Spec{
		Name: "each", Vars: map[string]any{"items": items},
		Nodes: []chain.Node{{
			ID: "each", Kind: chain.KindFunction, Name: "noop", Input: map[string]any{"x": "{{item}}"},
			Each: &chain.Each{Over: "{{vars.items}}", Parallel: 8},
		}},
		Edges: []chain.Edge{{From: chain.Start, To: "each"}, {From: "each", To: chain.End}},
	}, 1000)
}

// A fan-out over 100 branches and their join.
func BenchmarkFanOut100(b *testing.B) {
	spec := chain.Spec{Name: "fan", Limits: chain.Limits{Steps: 200, Parallel: 8}}
	spec.Nodes = append(spec.Nodes, chain.Node{ID: "split", Kind: chain.KindCondition, Fanout: true}, chain.Node{ID: "join", Kind: chain.KindAggregate, Name: "merge"})
	spec.Edges = append(spec.Edges, chain.Edge{From: chain.Start, To: "split"}, chain.Edge{From: "join", To: chain.End})
	for i := range 100 {
		id := fmt.Sprint("b", i)
		spec.Nodes = append(spec.Nodes, chain.Node{ID: id, Kind: chain.KindFunction, Name: "noop"})
		spec.Edges = append(spec.Edges, chain.Edge{From: "split", To: id}, chain.Edge{From: id, To: "join"})
	}
	benchmark(b, spec, 100)
}
