package chain_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/chain"
)

// A reference that Check lets pass is never missing when the chain runs,
// whatever way the work takes.
func TestAReferenceThatPassesIsNeverMissing(t *testing.T) {
	read, refused := 0, 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		spec := randomSpec(r, 4)
		if r.IntN(4) == 0 {
			spec.OnError = spec.Nodes[r.IntN(len(spec.Nodes))].ID
		}
		for i := range spec.Nodes {
			if n := &spec.Nodes[i]; n.Kind == chain.KindAgent {
				n.Prompt = fmt.Sprintf("{{%s.message}}", spec.Nodes[r.IntN(len(spec.Nodes))].ID)
				read++
			}
		}
		for _, f := range chain.Check(spec, chain.Known{}) {
			for i := range spec.Nodes {
				if n := &spec.Nodes[i]; strings.HasPrefix(f.Message, "the prompt of "+n.ID+" reads ") {
					n.Prompt = n.ID
					refused++
				}
			}
		}
		c, err := chain.Compile(spec, "")
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for play := range uint64(3) {
			s := stageOf(t, c)
			s.play = random(seed*10 + play)
			if _, err := s.run("go", nil); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for _, e := range s.feed.Pending() {
				if b, ok := e.Body.(core.NodeEnd); ok && strings.Contains(fmt.Sprintf("%+v", b), "is missing") {
					t.Fatalf("seed %d: %+v\nnodes %+v\nedges %+v", seed, b, spec.Nodes, spec.Edges)
				}
			}
		}
	}
	if passed := read - refused; passed < read/10 {
		t.Errorf("only %d of %d references passed", passed, read)
	}
	t.Logf("%d references, %d refused", read, refused)
}
