package diagram

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

func diamond() Graph {
	return Graph{
		Nodes: []Node{{ID: "classify", Kind: "agent"}, {ID: "code", Kind: "agent"}, {ID: "text", Kind: "agent"}},
		Edges: []Edge{
			{From: "classify", To: "code", Label: `data.kind == "code"`},
			{From: "classify", To: "text", Label: "default"},
			{From: "code", To: "end"},
			{From: "text", To: "end"},
		},
	}
}

func fanOut() Graph {
	return Graph{
		Nodes: []Node{{ID: "split", Kind: "function"}, {ID: "a", Kind: "agent"}, {ID: "b", Kind: "agent"}, {ID: "c", Kind: "agent"}, {ID: "join", Kind: "aggregate"}},
		Edges: []Edge{
			{From: "split", To: "a"},
			{From: "split", To: "b"},
			{From: "split", To: "c"},
			{From: "a", To: "join"},
			{From: "b", To: "join"},
			{From: "c", To: "join"},
		},
	}
}

func reviewLoop() Graph {
	return Graph{
		Name: "review-loop",
		Nodes: []Node{
			{ID: "start", State: core.NodeCompleted},
			{ID: "collect", Kind: "expert", Label: "files", State: core.NodeCompleted, MS: 204, Visits: 1},
			{ID: "write", Kind: "agent", State: core.NodeCompleted, MS: 1400, Visits: 2},
			{ID: "review", Kind: "agent", State: core.NodeCompleted, MS: 900, Visits: 2},
			{ID: "approve", Kind: "condition", State: core.NodePaused, Note: "waits for you"},
			{ID: "publish", Kind: "function"},
			{ID: "give up", Kind: "agent", State: core.NodeSkipped},
		},
		Edges: []Edge{
			{From: "start", To: "collect", Taken: true},
			{From: "collect", To: "write", Taken: true},
			{From: "collect", To: "give up", Label: "on_error"},
			{From: "write", To: "review", Label: "success", Taken: true},
			{From: "write", To: "give up", Label: "on_error"},
			{From: "review", To: "approve", Label: "data.score > 0.8", Taken: true},
			{From: "review", To: "write", Label: "default", Taken: true, Back: true},
			{From: "approve", To: "publish", Label: `data.answer == "yes"`},
			{From: "approve", To: "give up", Label: "default"},
			{From: "publish", To: "end"},
			{From: "give up", To: "end"},
		},
	}
}

// drawings are graphs, and how they are drawn.
var drawings = []struct {
	name  string
	graph Graph
	width int
	want  string
}{
	{"a loop, with a way for errors, of a run", reviewLoop(), 80, `
review-loop

✓   start
│
✓   collect  expert files     204 ms
├─╮   on_error → give up
✓ │ write    agent          ×2 1.4 s
│ │ ▸ success
├─┤   on_error → give up
✓ │ review   agent         ×2 900 ms
│ │ ▸ data.score > 0.8
├─│ ▸ default ↻ back to write
? │ approve  condition        paused  waits for you
│ │   data.answer == "yes"
├─┤   default → give up
· │ publish  function
│ – give up  agent           skipped
├─╯
·   end
`},
	{"the same, narrow", reviewLoop(), 30, `
review-loop

✓   start
│
✓   collect  expert     204 ms
├─╮   on_error → give up
✓ │ write    agent    ×2 1.4 s
│ │ ▸ success
├─┤   on_error → give up
✓ │ review   agent   ×2 900 ms
│ │ ▸ data.score > 0.8
├─│ ▸ default ↻ back to write
? │ approve  condi…     paused
│ │   data.answer == "yes"
├─┤   default → give up
· │ publish  funct…
│ – give up  agent     skipped
├─╯
·   end
`},
	{"a cycle that nobody marked, and a node that follows itself", Graph{Edges: []Edge{
		{From: "a", To: "b"},
		{From: "b", To: "a", Label: "again"},
		{From: "b", To: "b"},
		{From: "b", To: "c", Label: "default"},
	}}, 80, `
○ a
│
○ b
├─  again ↻ back to a
├─  ↻ back to b
│   default
○ c
`},
	{"a line that is crossed stays whole", Graph{Edges: []Edge{
		{From: "a", To: "b", Label: "x"},
		{From: "a", To: "c", Label: "y"},
		{From: "a", To: "d", Label: "z"},
	}}, 80, `
○     a
│       x
├─╮     y → c
├─│─╮   z → d
○ │ │ b
  ○ │ c
    ○ d
`},
	{"components stand apart", Graph{
		Nodes: []Node{{ID: "a"}, {ID: "b"}, {ID: "c"}},
		Edges: []Edge{{From: "b", To: "b", Label: "more"}},
	}, 80, `
○ a

○ b
╰─  more ↻ back to b

○ c
`},
	{"more branches than fit beside each other", wide(5), 22, `
○   n0
├─╮
├─│   → n3
├─│   → n4
├─│   → n5
○ │ n1
  ○ n2

○   n3

○   n4

○   n5
`},
}

func TestDrawing(t *testing.T) {
	for _, tc := range drawings {
		t.Run(tc.name, func(t *testing.T) {
			must.Equal(t, strings.TrimPrefix(tc.want, "\n"), listed(tc.graph, tc.width))
		})
	}
}

func wide(n int) Graph {
	var g Graph
	for i := range n {
		g.Edges = append(g.Edges, Edge{From: "n0", To: "n" + strconv.Itoa(i+1)})
	}
	return g
}

func TestADrawingWithASCIIAloneHasTheSameRows(t *testing.T) {
	got, want := drawn(Rows(reviewLoop(), 60, true)), drawn(Rows(reviewLoop(), 60, false))
	if strings.Count(got, "\n") != strings.Count(want, "\n") || strings.ContainsFunc(got, func(r rune) bool { return r > '~' }) || !strings.Contains(got, "|-|") {
		t.Error(got)
	}
}

func TestSpansSayWhatTheyBelongTo(t *testing.T) {
	g := diamond()
	g.Nodes[0].State, g.Nodes[1].State = core.NodeCompleted, core.NodeRunning
	g.Edges[0].Taken = true
	rows := Rows(g, 80, false)
	want := []Row{
		{Spans: []Span{
			{Text: "✓", Node: "classify", State: "completed"},
			{Text: "   "},
			{Text: "classify", Node: "classify", State: "completed"},
			{Text: "  "},
			{Text: "agent", Node: "classify", State: "completed", Dim: true},
		}},
		{Spans: []Span{
			{Text: "│", Edge: true, Taken: true},
			{Text: "   "},
			{Text: "▸ data.kind == \"code\"", Node: "classify", State: "completed", Edge: true, Taken: true},
		}},
		{Spans: []Span{
			{Text: "├", Edge: true, Taken: true},
			{Text: "─╮", Edge: true},
			{Text: "   "},
			{Text: "default → text", Node: "classify", State: "completed", Edge: true},
		}},
	}
	must.Equal(t, want, rows[:3])
}

func TestALineIsTakenWhenOneOfItsEdgesIs(t *testing.T) {
	g := fanOut()
	g.Edges = append(g.Edges, Edge{From: "b", To: "join", Taken: true}) // it is there already
	var got []string
	for _, r := range Rows(g, 80, false) {
		line := ""
		for _, s := range r.Spans {
			if s.Edge && s.Taken {
				line += s.Text
			}
		}
		got = append(got, line)
	}
	want := []string{"", "", "", "", "├─╯", "│", "├", ""}
	must.Equal(t, want, got)
}

func TestUntrustedTextIsOneCleanLine(t *testing.T) {
	g := Graph{
		Nodes: []Node{{ID: "a\x1b[31m\n\u202eb", Kind: "x\r\ty\u3164\u2800", Note: "\u200bz\u0301\u0301\u0301\u0301\u0301\u0301"}},
		Edges: []Edge{{From: "a\x1b[31m\n\u202eb", To: "\u0301\x00", Label: "\u009b2J\nc"}},
	}
	got := listed(g, 80)
	want := "○ a[31m b    x y  z\u0301\u0301\u0301\u0301\n│   2J c\n○ (no name)\n"
	must.Equal(t, want, got)
}

func TestWideCharactersAreCutByWhatTheyShow(t *testing.T) {
	g := Graph{Nodes: []Node{{ID: "日本語日本語日本語"}}}
	must.Equal(t, "○ 日本語日…\n", listed(g, 12))
}

func TestOnlyTheBeginningOfALongTextIsLookedAt(t *testing.T) {
	if got := len(clean(strings.Repeat("日", 1<<16))); got < 1000 || got > maxText+3 {
		t.Errorf("%d bytes were kept", got)
	}
}

// random makes any graph: with cycles, several components, edges of a node to
// itself, edges twice, ids that nobody declared.
func random(r *rand.Rand) Graph {
	labels := []string{"", "", "default", "on_error", "data.x > 1", "日本語の条件", "a\x1b[2Jb", strings.Repeat("long ", 30)}
	states := []core.NodeState{"", core.NodeRunning, core.NodeCompleted, core.NodePaused, "odd"}
	var g Graph
	n := 1 + r.IntN(60)
	for i := range n {
		if r.IntN(10) == 0 {
			continue
		}
		g.Nodes = append(g.Nodes, Node{
			ID: "n" + strconv.Itoa(i), Kind: labels[r.IntN(len(labels))], Label: labels[r.IntN(len(labels))],
			State: states[r.IntN(len(states))], Visits: r.IntN(3), MS: int64(r.IntN(3)) << r.IntN(40),
			Note: labels[r.IntN(len(labels))],
		})
	}
	for range r.IntN(3 * n) {
		g.Edges = append(g.Edges, Edge{
			From: "n" + strconv.Itoa(r.IntN(n)), To: "n" + strconv.Itoa(r.IntN(n)),
			Label: labels[r.IntN(len(labels))], Taken: r.IntN(2) == 0, Back: r.IntN(10) == 0,
		})
	}
	return g
}

func ids(g Graph) []string {
	var ids []string
	for _, n := range g.Nodes {
		ids = append(ids, n.ID)
	}
	for _, e := range g.Edges {
		ids = append(ids, e.From, e.To)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func TestEveryGraphIsDrawnWithEachNodeOnceAndNoLineTooWide(t *testing.T) {
	for seed := range uint64(50) {
		g := random(rand.New(rand.NewPCG(seed, 1)))
		for _, w := range []int{1, 3, 7, 12, 38, 120} {
			checkRows(t, g, w, seed%2 == 0)
		}
		if t.Failed() {
			t.Fatalf("seed %d: %+v", seed, g)
		}
	}
}

func checkRows(t *testing.T, g Graph, w int, ascii bool) {
	t.Helper()
	var drawn []string
	rows := Rows(g, w, ascii)
	for _, r := range rows {
		if s := r.text(); ansi.StringWidth(s) > w || s != strings.TrimRight(s, " ") {
			t.Errorf("a row of width %d: %q", w, s)
		}
		i := slices.IndexFunc(r.Spans, func(s Span) bool { return s.Node != "" && !s.Edge })
		if i >= 0 {
			drawn = append(drawn, r.Spans[i].Node)
		}
	}
	slices.Sort(drawn)
	if diff := cmp.Diff(ids(g), drawn); diff != "" {
		t.Errorf("nodes at width %d: %s", w, diff)
	}
	if !reflect.DeepEqual(rows, Rows(g, w, ascii)) {
		t.Errorf("the second drawing of width %d is another", w)
	}
}

// A lane that begins must be seen to begin, and to end at a node or in another.
func TestNoLineEndsInNothing(t *testing.T) {
	for seed := range uint64(50) {
		p := newPlan(random(rand.New(rand.NewPCG(seed, 2))))
		for _, w := range []int{4, 20, 38, 120} {
			if err := checkLines(p, layOut(p, w)); err != nil {
				t.Fatalf("seed %d, width %d: %v", seed, w, err)
			}
		}
	}
}

func checkLines(p *plan, lines []line) error {
	above := make([]bool, len(lines[0].cells)) // the cell above is left downwards
	for y, l := range lines {
		for x, c := range l.cells {
			node := l.node >= 0 && x == 2*l.lane
			if above[x] && c.ways&up == 0 && !node {
				return fmt.Errorf("row %d: the line in cell %d stops", y, x)
			}
			if !above[x] && c.ways&up != 0 {
				return fmt.Errorf("row %d: the line in cell %d comes from nowhere", y, x)
			}
			above[x] = c.ways&down != 0 || node && leadsOn(p, l.node, lines[y+1:], x)
		}
	}
	if slices.Contains(above, true) {
		return fmt.Errorf("a line goes on below the last row")
	}
	return nil
}

// leadsOn reports whether a line leaves the node n downwards; only a node that
// edges leave may have one.
func leadsOn(p *plan, n int, below []line, x int) bool {
	return len(p.out[n]) > 0 && len(below) > 0 && below[0].cells[x].ways&up != 0
}

func TestEveryEdgeIsALineOrWords(t *testing.T) {
	for seed := range uint64(50) {
		p := newPlan(random(rand.New(rand.NewPCG(seed, 3))))
		lines := layOut(p, 38)
		told := map[int]bool{}
		for _, l := range lines {
			if l.edge >= 0 {
				told[l.edge] = true
			}
		}
		reached := map[int]bool{} // by a line
		for y, l := range lines {
			if y > 0 && l.node >= 0 && lines[y-1].cells[2*l.lane].ways&down != 0 {
				reached[l.node] = true
			}
		}
		for i, e := range p.edges {
			if !told[i] && (e.back || e.label != "" || !reached[e.to]) {
				t.Fatalf("seed %d: edge %d, %+v, is nowhere", seed, i, e)
			}
		}
	}
}

func BenchmarkRows1000(b *testing.B) {
	g := Graph{}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 1000 {
		g.Nodes = append(g.Nodes, Node{ID: "node" + strconv.Itoa(i), Kind: "agent", State: core.NodeCompleted, MS: 12})
		for range 3 {
			to := min(i+1+r.IntN(8), 999)
			g.Edges = append(g.Edges, Edge{From: "node" + strconv.Itoa(i), To: "node" + strconv.Itoa(to), Label: "data.x > 1"})
		}
	}
	for b.Loop() {
		Rows(g, 120, false)
	}
}

// listed is g as rows, under its name.
func listed(g Graph, w int) string {
	name := cut(clean(g.Name), w, "…")
	if name != "" {
		name += "\n\n"
	}
	return name + drawn(Rows(g, w, false))
}
