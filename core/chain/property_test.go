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

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/chain"
	"github.com/yaap-chat/yaap/core/must"
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
			node.Attempts = chain.Attempts{Retries: 1, Backoff: 1}
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

// history checks what a run reported: nothing begins before an edge leads to
// it, everything that begins ends, and no edge leaves what has not ended.
type history struct {
	led  map[string]int // edges that were followed to a node and not yet begun with
	open map[string]bool
	last map[string]core.NodeState
}

func newHistory() *history {
	return &history{led: map[string]int{}, open: map[string]bool{}, last: map[string]core.NodeState{chain.Start: core.NodeCompleted}}
}

func (h *history) check(t *testing.T, name string, events []core.Event) {
	t.Helper()
	for _, e := range events {
		switch b := e.Body.(type) {
		case core.EdgeTaken:
			if h.last[b.From] == "" {
				t.Errorf("%s: an edge of %s was followed before it ended", name, b.From)
			}
			if b.Taken {
				h.led[b.To]++
			}
		case core.NodeStart:
			if h.led[b.Node] == 0 {
				t.Errorf("%s: %s began and no edge had led to it", name, b.Node)
			}
			if h.open[b.Node] {
				t.Errorf("%s: %s began twice at once", name, b.Node)
			}
			h.open[b.Node] = true
		case core.NodeEnd:
			if !h.open[b.Node] {
				t.Errorf("%s: %s ended and had not begun", name, b.Node)
			}
			h.open[b.Node], h.last[b.Node] = false, b.State
			if b.State == core.NodeRunning || b.State == core.NodePending {
				t.Errorf("%s: %s ended and is %s", name, b.Node, b.State)
			}
		}
	}
	for node, open := range h.open {
		if open {
			t.Errorf("%s: %s began and did not end", name, node)
		}
	}
}

func TestAnyChainEndsWithEveryNodeInOneState(t *testing.T) {
	for seed := range uint64(400) {
		spec := randomSpec(rand.New(rand.NewPCG(seed, 1)), 4)
		if seed%3 == 0 {
			spec.OnError = spec.Nodes[len(spec.Nodes)-1].ID
		}
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
		newHistory().check(t, fmt.Sprint("seed ", seed), s.feed.Pending())
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

// killedAnywhere kills a chain after each of its Puts, goes on with it, and
// compares what it comes to with what the whole run did. inOrder says that nothing
// runs at the same time: then all of the reply is the same, and at most the one call
// that was cut off is made again.
func killedAnywhere(t *testing.T, name string, c *chain.Chain, inOrder bool, play func(context.Context, core.Input) (core.Result, error)) {
	t.Helper()
	whole := stageOf(t, c)
	whole.play = play
	want := must.Get(whole.run("go", nil))(t)
	for puts := 0; ; puts++ {
		s := stageOf(t, c)
		s.play = play
		in := s.begin("go", nil)
		s.cfg.Journal = &killed{Journal: s.journal, left: puts}
		if _, err := c.Runner(s.cfg).Run(t.Context(), in); err == nil {
			return // it was not killed
		}
		s.cfg.Journal = s.journal
		before := len(s.calls)
		got, err := s.again()
		if err != nil {
			t.Fatalf("%s, killed after %d puts: %v", name, puts, err)
		}
		diff := cmp.Diff(asJSON(want.Reply.Data), asJSON(got.Reply.Data))
		if inOrder {
			diff = cmp.Diff(asJSON(want.Reply), asJSON(got.Reply))
		}
		if diff != "" {
			t.Errorf("%s, killed after %d puts: (-want +got)\n%s", name, puts, diff)
		}
		if again := len(s.calls) - len(whole.calls); inOrder && (again < 0 || again > 1) {
			t.Errorf("%s, killed after %d puts: %d calls instead of %d\n%q\n%q", name, puts, len(s.calls), len(whole.calls), s.calls[:before], s.calls[before:])
		}
		if diff := cmp.Diff(unique(whole.calls), unique(s.calls)); diff != "" {
			t.Errorf("%s, killed after %d puts: calls (-want +got)\n%s", name, puts, diff)
		}
	}
}

func TestARunThatIsKilledAnywhereComesToTheSame(t *testing.T) {
	for seed := range uint64(60) {
		spec := randomSpec(rand.New(rand.NewPCG(seed, 2)), 1)
		for i := range spec.Nodes {
			if each := spec.Nodes[i].Each; each != nil {
				each.Parallel = 1
			}
		}
		killedAnywhere(t, fmt.Sprint("seed ", seed), must.Get(chain.Compile(spec, ""))(t), true, random(seed))
	}
}

func unique(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// onlyAll makes all joins of a chain wait for all, also that of its end, and
// lists collect: what it comes to then does not depend on the order of time.
func onlyAll(spec chain.Spec) chain.Spec {
	at := map[string]int{chain.Start: -1, chain.End: len(spec.Nodes)}
	for i := range spec.Nodes {
		n := &spec.Nodes[i]
		at[n.ID] = i
		n.Join, n.MaxVisits = chain.Join{}, 0
		if n.Each != nil {
			n.Each.Failure = chain.Collect
		}
	}
	spec.Edges = slices.DeleteFunc(spec.Edges, func(e chain.Edge) bool { return at[e.To] <= at[e.From] })
	for i := range spec.Edges {
		if spec.Edges[i].To == chain.End {
			spec.Edges[i].To = "last"
		}
	}
	spec.Output.Data = map[string]any{}
	for _, n := range spec.Nodes {
		spec.Edges = append(spec.Edges, chain.Edge{From: n.ID, To: "last", OnError: true}, chain.Edge{From: n.ID, To: "last", Default: true})
		spec.Output.Data[n.ID] = "{{" + n.ID + ".data | default: 0}}"
	}
	spec.Nodes = append(spec.Nodes, chain.Node{ID: "last", Kind: chain.KindCondition})
	spec.Edges = append(spec.Edges, chain.Edge{From: "last", To: chain.End})
	return spec
}

// calm plays as random does and never ends the chain.
func calm(seed uint64) func(context.Context, core.Input) (core.Result, error) {
	play := random(seed)
	return func(ctx context.Context, in core.Input) (core.Result, error) {
		result, err := play(ctx, in)
		if result.Reply.Status == core.StatusCompleted {
			result.Reply = good("enough", nil)
		}
		return result, err
	}
}

func TestAParallelRunThatIsKilledAnywhereComesToTheSame(t *testing.T) {
	for seed := range uint64(40) {
		c := must.Get(chain.Compile(onlyAll(randomSpec(rand.New(rand.NewPCG(seed, 3)), 4)), ""))(t)
		killedAnywhere(t, fmt.Sprint("seed ", seed), c, false, calm(seed))
	}
}

// asking plays as calm does, and asks the user now and then.
func asking(seed uint64) func(context.Context, core.Input) (core.Result, error) {
	play := calm(seed)
	return func(ctx context.Context, in core.Input) (core.Result, error) {
		if chance(seed, in.Run, "asks") < 30 {
			return core.Result{Reply: core.Reply{Status: core.StatusClarification, Message: in.Run + "?", Data: map[string]any{}}}, nil
		}
		return play(ctx, in)
	}
}

// TestQuestionsAreAnsweredOneAfterTheOther answers every question, and kills
// the run after each of its Puts on the way.
func TestQuestionsAreAnsweredOneAfterTheOther(t *testing.T) {
	asked := 0
	for seed := range uint64(30) {
		c, err := chain.Compile(onlyAll(randomSpec(rand.New(rand.NewPCG(seed, 4)), 4)), "")
		must.Do(t, err)
		var want string
		for puts := -1; puts < 12; puts++ {
			s := stageOf(t, c)
			s.play = asking(seed)
			s.begin("go", nil)
			h, name := newHistory(), fmt.Sprintf("seed %d, killed after %d puts", seed, puts)
			var result core.Result
			for round := 0; ; round++ {
				if puts >= 0 {
					s.cfg.Journal = &killed{Journal: s.journal, left: puts}
					result, err = s.again()
					s.cfg.Journal = s.journal
				}
				if puts < 0 || err != nil || len(result.Pauses) > 0 {
					result, err = s.again()
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if puts < 0 {
					h.check(t, name, s.feed.Pending())
				}
				if len(result.Pauses) == 0 {
					break
				}
				asked++
				s.answer(result.Pauses[chance(seed, round)%len(result.Pauses)].ID, "yes")
				if round > 100 {
					t.Fatalf("%s: it asks and asks", name)
				}
			}
			if puts < 0 {
				want = asJSON(result.Reply.Data)
			}
			if diff := cmp.Diff(want, asJSON(result.Reply.Data)); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", name, diff)
			}
		}
	}
	if asked < 100 {
		t.Errorf("only %d questions were asked", asked)
	}
}
