package chain_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"yaap/core"
	"yaap/core/chain"
)

// randomSpec makes a chain of any shape: forward edges of every kind, joins of
// every kind, now and then a loop.
func randomSpec(r *rand.Rand, parallel int) chain.Spec {
	n := 2 + r.IntN(9)
	spec := chain.Spec{Name: "random", Limits: chain.Limits{Parallel: parallel}}
	id := func(i int) string { return fmt.Sprint("n", i) }
	for i := range n {
		node := chain.Node{ID: id(i), Kind: chain.KindAgent, Name: "x", Prompt: id(i), Fanout: r.IntN(3) == 0}
		switch r.IntN(8) {
		case 0:
			node.Kind = chain.KindCondition
		case 1:
			node.Kind, node.Name = chain.KindAggregate, []string{"merge", "concat", "first"}[r.IntN(3)]
		}
		switch r.IntN(8) {
		case 0:
			node.Join.Kind = chain.JoinAny
		case 1:
			node.Join.Kind = chain.JoinFirst
		case 2:
			node.Join = chain.Join{Kind: chain.JoinCount, N: 2}
		}
		if node.Kind == chain.KindAgent && r.IntN(6) == 0 {
			node.Each = &chain.Each{Over: "{{vars.items}}", Failure: []chain.OnFailure{chain.FailAll, chain.Skip, chain.Collect}[r.IntN(3)]}
		}
		if node.Kind == chain.KindAgent && r.IntN(6) == 0 {
			node.Retries = chain.Retries{Max: 1, Backoff: 1}
		}
		spec.Nodes = append(spec.Nodes, node)
	}
	spec.Vars = map[string]any{"items": []any{"p", "q", "r"}}
	spec.Edges = append(spec.Edges, chain.Edge{From: chain.Start, To: id(0)})
	for i := range n {
		for range 1 + r.IntN(3) {
			e := chain.Edge{From: id(i), To: chain.End}
			if to := i + 1 + r.IntN(n-i+1); to < n {
				e.To = id(to)
			}
			switch r.IntN(6) {
			case 0:
				e.When = fmt.Sprintf("response.data.x > %d", r.IntN(100))
			case 1:
				e.When = `response.status == "failure"`
			case 2:
				e.OnError = true
			case 3:
				e.Default = true
			}
			spec.Edges = append(spec.Edges, e)
		}
		if i > 0 && r.IntN(6) == 0 { // a loop
			to := r.IntN(i)
			spec.Edges = append(spec.Edges, chain.Edge{From: id(i), To: id(to), When: fmt.Sprintf("response.data.x > %d", 50+r.IntN(50))})
			for k := to; k <= i; k++ {
				spec.Nodes[k].MaxVisits = 1 + r.IntN(3)
			}
		}
	}
	return spec
}

// chance is the same for the same words.
func chance(seed uint64, words ...any) int {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, append([]any{seed}, words...)...)
	return int(h.Sum64() % 100)
}

// random plays an agent that is the same for the same run: it succeeds, fails
// or breaks.
func random(seed uint64) func(context.Context, core.Input) (core.Result, error) {
	return func(_ context.Context, in core.Input) (core.Result, error) {
		switch c := chance(seed, in.Run); {
		case c < 10:
			return core.Result{}, errors.New("broken")
		case c < 25:
			return core.Result{Reply: bad("no")}, nil
		case c < 27:
			return core.Result{Reply: core.Reply{Status: core.StatusCompleted, Message: "enough", Data: map[string]any{}}}, nil
		}
		return core.Result{Reply: good(in.Run, map[string]any{"x": chance(seed, in.Run, "x")})}, nil
	}
}

func TestAnyChainEndsWithEveryStartPaired(t *testing.T) {
	for seed := range uint64(400) {
		spec := randomSpec(rand.New(rand.NewPCG(seed, 1)), 4)
		c, err := chain.Compile(spec, "")
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		s := stageOf(t, c)
		s.play = random(seed)
		result, err := s.run("go", nil)
		if err != nil || result.Reply.Status != core.StatusSuccess && result.Reply.Status != core.StatusFailure {
			t.Errorf("seed %d: got %+v, %v", seed, result.Reply, err)
		}
		ended := map[string]bool{chain.Start: true}
		for _, e := range s.feed.Rest() {
			switch b := e.Body.(type) {
			case core.NodeEnd:
				ended[b.Node] = true
			case core.EdgeTaken:
				if !ended[b.From] {
					t.Errorf("seed %d: an edge of %s was followed before it ended", seed, b.From)
				}
			}
		}
	}
}

// killed is a journal of a process that dies after so many Puts.
type killed struct {
	core.Journal
	mu   sync.Mutex
	left int
}

var errKilled = errors.New("killed")

func (k *killed) Put(ctx context.Context, rows ...core.Row) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.left--; k.left < 0 {
		return errKilled
	}
	return k.Journal.Put(ctx, rows...)
}

// TestARunThatIsKilledAnywhereComesToTheSame kills every one of many chains
// after each of its Puts and goes on with it.
func TestARunThatIsKilledAnywhereComesToTheSame(t *testing.T) {
	for seed := range uint64(60) {
		spec := randomSpec(rand.New(rand.NewPCG(seed, 2)), 1)
		for i := range spec.Nodes {
			if each := spec.Nodes[i].Each; each != nil {
				each.Parallel = 1
			}
		}
		c, err := chain.Compile(spec, "")
		if err != nil {
			t.Fatal(err)
		}
		whole := stageOf(t, c)
		whole.play = random(seed)
		want, err := whole.run("go", nil)
		if err != nil {
			t.Fatal(err)
		}
		for puts := 0; ; puts++ {
			s := stageOf(t, c)
			s.play = random(seed)
			in := s.begin("go", nil)
			k := &killed{Journal: s.journal, left: puts}
			s.cfg.Journal = k
			if _, err := c.Runner(s.cfg).Run(t.Context(), in); err == nil {
				break // it was not killed
			}
			s.cfg.Journal = s.journal
			before := len(s.calls)
			got, err := s.again()
			if err != nil {
				t.Fatalf("seed %d, killed after %d puts: %v", seed, puts, err)
			}
			if diff := cmp.Diff(asJSON(want.Reply), asJSON(got.Reply)); diff != "" {
				t.Errorf("seed %d, killed after %d puts: (-want +got)\n%s", seed, puts, diff)
			}
			// At most the one call that was cut off is made again.
			if again := len(s.calls) - len(whole.calls); again < 0 || again > 1 {
				t.Errorf("seed %d, killed after %d puts: %d calls instead of %d\n%q\n%q", seed, puts, len(s.calls), len(whole.calls), s.calls[:before], s.calls[before:])
			}
			if diff := cmp.Diff(unique(whole.calls), unique(s.calls)); diff != "" {
				t.Errorf("seed %d, killed after %d puts: calls (-want +got)\n%s", seed, puts, diff)
			}
		}
	}
}

func unique(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
