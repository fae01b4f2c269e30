package chain

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
)

var update = flag.Bool("update", false, "write what is found into the files of testdata/check")

// Each file ends with what is wrong with it: a line "#! " for every fault, with
// its place, what it says, and after a | the hint.
func TestEveryFaultIsFoundAtItsPlace(t *testing.T) {
	files, err := filepath.Glob("testdata/check/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			src := must.Get(os.ReadFile(file))(t)
			body, want, _ := strings.Cut(string(src), "#! ")
			spec, faults := Parse(file, []byte(body))
			faults = append(faults, Check(spec, testKnown())...)
			sortFaults(faults)
			var got []string
			for _, f := range faults {
				line := fmt.Sprintf("#! %d:%d %s", f.Pos.Line, f.Pos.Col, f.Message)
				if f.Warning {
					line = fmt.Sprintf("#! %d:%d warning: %s", f.Pos.Line, f.Pos.Col, f.Message)
				}
				if f.Hint != "" {
					line += " | " + f.Hint
				}
				got = append(got, line+"\n")
			}
			if want != "" {
				want = "#! " + want
			}
			all := strings.Join(got, "")
			if *update {
				must.Do(t, os.WriteFile(file, []byte(body+all), 0o600))
				return
			}
			must.Equal(t, strings.SplitAfter(want, "\n"), strings.SplitAfter(all, "\n"))
		})
	}
}

func testKnown() Known {
	return Known{
		Agents:  map[string]bool{"yaap": true},
		Experts: map[string]bool{"calc": true},
		Self:    "self",
		Chain: func(name string) (Spec, bool) {
			calls := map[string][]string{"other": nil, "back": {"other", "self"}, "far": {"other", "back"}, "round": {"about"}, "about": {"round"}, "needs": nil}
			chains, ok := calls[name]
			spec := Spec{Name: name}
			if name == "needs" {
				spec.Inputs = json.RawMessage(`{"properties":{"length":{"type":"string"},"unit":{"default":"km"}},"required":["length"]}`)
			}
			for _, c := range chains {
				spec.Nodes = append(spec.Nodes, Node{Kind: KindChain, Name: c})
			}
			return spec, ok
		},
	}
}

func TestFaultsArePrintedWithTheirLineAndNothingATerminalActsOn(t *testing.T) {
	src := "chain: 1\r\n\tname: \"日本\x1b[31m x\"\r\n"
	got := Faults("a\x1b.yaml", []Fault{
		{Pos: Pos{2, 12}, Message: "bad \x1b[2J\nthing", Hint: "do\u202e it"},
		{Message: "no place", Warning: true},
		{Pos: Pos{9, 1}, Message: "beyond"},
		{Pos: Pos{1, 99}, Message: "right"},
	}, []byte(src))
	want := "a\uFFFD.yaml:2:12: bad \uFFFD[2J thing\n" +
		"      name: \"日本\uFFFD[31m x\"\n" +
		"                  ^\n" +
		"    do\uFFFD it\n" +
		"a\uFFFD.yaml: warning: no place\n" +
		"a\uFFFD.yaml:9:1: beyond\n" +
		"a\uFFFD.yaml:1:99: right\n" +
		"    chain: 1\n" +
		"            ^\n"
	must.Equal(t, want, got)
	many := Faults("x", make([]Fault, 1000), nil)
	if lines := strings.Count(many, "\n"); lines != maxShown+1 || !strings.HasSuffix(many, "and 900 more\n") {
		t.Errorf("%d lines", lines)
	}
	long := Faults("x", []Fault{{Pos: Pos{1, 500_000}, Message: "m"}}, []byte(strings.Repeat("x", 1<<20)))
	if len(long) > 4*maxWidth {
		t.Errorf("%d bytes", len(long))
	}
}

// ladder is a chain of n nodes that splits and joins all the way, with
// references back to the last split.
func ladder(n int) Spec {
	s := Spec{Name: "ladder", Nodes: make([]Node, 0, n)}
	last := Start
	for i := 0; len(s.Nodes)+4 <= n; i++ {
		id := func(part string) string { return fmt.Sprintf("%s%d", part, i) }
		s.Nodes = append(
			s.Nodes,
			Node{ID: id("split"), Kind: KindAgent, Name: "yaap", Prompt: "x", Fanout: true},
			Node{ID: id("left"), Kind: KindAgent, Name: "yaap", Prompt: "{{" + id("split") + ".data.x}}"},
			Node{ID: id("right"), Kind: KindAgent, Name: "yaap", Prompt: "{{" + id("split") + ".data.y | default: 1}} {{split0.message}}"},
			Node{ID: id("join"), Kind: KindFunction, Name: "set", Input: map[string]any{"l": "{{" + id("left") + ".data}}", "r": "{{" + id("right") + ".data}}"}},
		)
		s.Edges = append(
			s.Edges, Edge{From: last, To: id("split")},
			Edge{From: id("split"), To: id("left")}, Edge{From: id("split"), To: id("right")},
			Edge{From: id("left"), To: id("join")}, Edge{From: id("right"), To: id("join")},
			Edge{From: id("join"), To: End, When: "response.data.x > 1 and split0.message == 'x'"},
		)
		last = id("join")
	}
	s.Edges = append(s.Edges, Edge{From: last, To: End, Default: true})
	return s
}

// Without a fanout, what is certain is what every path passes: nothing else can
// be come to when it is taken away.
func TestWhatIsCertainIsWhatNoPathGoesAround(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 2 + r.IntN(8)
		s := Spec{Name: "random", Edges: []Edge{{From: Start, To: "n0"}}}
		index := map[string]int{}
		for i := range n {
			s.Nodes = append(s.Nodes, Node{ID: fmt.Sprintf("n%d", i), Join: Join{Kind: []JoinKind{"", JoinAll, JoinAny, JoinFirst}[r.IntN(4)]}})
			index[s.Nodes[i].ID] = i
		}
		for range n * 2 {
			e := Edge{From: fmt.Sprintf("n%d", r.IntN(n)), To: fmt.Sprintf("n%d", r.IntN(n)), When: "x"}
			switch r.IntN(4) {
			case 0:
				e.To = End
			case 1:
				e.When, e.OnError = "", true
			case 2:
				e.When = ""
			}
			s.Edges = append(s.Edges, e)
		}
		if r.IntN(3) == 0 {
			s.OnError = fmt.Sprintf("n%d", r.IntN(n))
		}
		g := newGraph(&s, index)
		p := newPaths(&s, g)
		all := g.after(g.start)
		for first := range n {
			around := without(g, first).after(g.start)
			for then := range g.end + 1 {
				if then == g.start || then == first || !all.has(then) {
					continue
				}
				if got, want := p.always(first, then), !around.has(then); got != want {
					t.Fatalf("seed %d: always(%d, %d) is %v, but a way around it: %v\n%+v", seed, first, then, got, !want, s.Edges)
				}
				if !p.maybe(first, then) && p.always(first, then) {
					t.Fatalf("seed %d: %d always but never runs before %d", seed, first, then)
				}
			}
		}
	}
}

func without(g *graph, node int) *graph {
	cut := &graph{start: g.start, end: g.end, out: slices.Clone(g.out), in: g.in}
	cut.out[node] = nil
	return cut
}

func TestAThousandNodesAreCheckedWithoutFault(t *testing.T) {
	if faults := Check(ladder(1000), testKnown()); len(faults) > 0 {
		t.Errorf("%d faults, the first: %+v", len(faults), faults[0])
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{100, 1000, 2000} {
		b.Run(fmt.Sprintf("%d nodes", n), func(b *testing.B) {
			s := ladder(n)
			b.ReportAllocs()
			for b.Loop() {
				Check(s, testKnown())
			}
		})
	}
}

func FuzzCheck(f *testing.F) {
	files, err := filepath.Glob("testdata/check/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Add([]byte(everything))
	f.Fuzz(func(t *testing.T, src []byte) {
		spec, faults := Parse("t.yaml", src)
		faults = append(faults, Check(spec, testKnown())...)
		if len(faults) == 0 && (len(spec.Nodes) == 0 || len(spec.Edges) == 0) {
			t.Error("a chain of nothing has no fault")
		}
		Faults("t.yaml", faults, src)
	})
}
