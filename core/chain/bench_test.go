package chain_test

import (
	"fmt"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/chain"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/must"
)

// line is a chain of n functions that answer at once.
func line(n int) chain.Spec {
	spec := chain.Spec{Name: "line", Limits: chain.Limits{Steps: n + 1}}
	from := chain.Start
	for i := range n {
		id := fmt.Sprint("n", i)
		spec.Nodes = append(spec.Nodes, chain.Node{ID: id, Kind: chain.KindFunction, Name: "set"})
		spec.Edges = append(spec.Edges, chain.Edge{From: from, To: id})
		from = id
	}
	spec.Edges = append(spec.Edges, chain.Edge{From: from, To: chain.End})
	return spec
}

func benchmark(b *testing.B, spec chain.Spec, per int) {
	c := must.Get(chain.Compile(spec, ""))(b)
	runner := c.Runner(chain.Config{Journal: core.DiscardJournal{}, Sink: new(event.Bus)})
	b.ReportAllocs()
	for b.Loop() {
		result, err := runner.Run(b.Context(), core.Input{Scope: core.Scope{Run: "run", Trace: "run"}})
		if err != nil || result.Reply.Status != core.StatusSuccess {
			b.Fatal(result.Reply.Message, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*per), "ns/node")
}

// The cost of an item must not grow with the list.
func BenchmarkForEach(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			items := make([]any, n)
			for i := range items {
				items[i] = i
			}
			benchmark(b, chain.Spec{
				Name: "each", Vars: map[string]any{"items": items},
				Nodes: []chain.Node{{
					ID: "each", Kind: chain.KindFunction, Name: "set", Input: map[string]any{"x": "{{item}}"},
					Each: &chain.Each{Over: "{{vars.items}}", Parallel: 8, MaxItems: n},
				}},
				Edges: []chain.Edge{{From: chain.Start, To: "each"}, {From: "each", To: chain.End}},
			}, n)
		})
	}
}

// A fan-out over n branches and their join.
func BenchmarkFanOut(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			spec := fan(n)
			for i := range n {
				id := fmt.Sprint("b", i)
				spec.Nodes = append(spec.Nodes, chain.Node{ID: id, Kind: chain.KindFunction, Name: "set"})
				spec.Edges = append(spec.Edges, chain.Edge{From: "split", To: id}, chain.Edge{From: id, To: "join"})
			}
			benchmark(b, spec, n)
		})
	}
}

// A fan-out over n diamonds: n joins wait at the same time.
func BenchmarkDiamonds(b *testing.B) {
	for _, n := range []int{10, 100, 500} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			spec := fan(n)
			for i := range n {
				left, right, end := fmt.Sprint("l", i), fmt.Sprint("r", i), fmt.Sprint("e", i)
				for _, id := range []string{left, right, end} {
					spec.Nodes = append(spec.Nodes, chain.Node{ID: id, Kind: chain.KindFunction, Name: "set"})
				}
				spec.Edges = append(
					spec.Edges, chain.Edge{From: "split", To: left}, chain.Edge{From: "split", To: right},
					chain.Edge{From: left, To: end}, chain.Edge{From: right, To: end}, chain.Edge{From: end, To: "join"},
				)
			}
			benchmark(b, spec, 3*n)
		})
	}
}

func fan(n int) chain.Spec {
	return chain.Spec{
		Name: "fan", Limits: chain.Limits{Steps: 4*n + 2, Parallel: 8},
		Nodes: []chain.Node{{ID: "split", Kind: chain.KindCondition, Fanout: true}, {ID: "join", Kind: chain.KindAggregate, Name: "merge"}},
		Edges: []chain.Edge{{From: chain.Start, To: "split"}, {From: "join", To: chain.End}},
	}
}
