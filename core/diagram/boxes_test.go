package diagram

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core/must"
)

func drawn(rows []Row) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r.text() + "\n")
	}
	return b.String()
}

func TestBoxesShowALoopWithItsCountAndWhatAConditionSaw(t *testing.T) {
	g := reviewLoop()
	for i := range g.Edges {
		if g.Edges[i].Back {
			g.Edges[i].Times = 1
		}
		if g.Edges[i].Label == "data.score > 0.8" {
			g.Edges[i].Saw = "(0.92)"
		}
	}
	want := `             ╭─────────╮
             │ ✓ start │
             ╰────┬────╯
                  ▼
       ╭─────────────────────╮
       │ ✓ collect           │
       │ expert files 204 ms │
       ╰──────────┬──────────╯
               ╭──┴──╮
           on_error  │
            ╭──╯     ╰──╮
            │           ▼
            │  ╭────────────────╮
            │  │ ✓ write        │
            │  │ agent ×2 1.4 s │
            │  ╰────────┬───────╯
            │           │      ▲
        ╭───╯           │   ╭──╯
        │      ╭────────┴───│───────────╮
        │  ▸ success  ↻ default ×1  on_error
      ╭─╯      ╰──╮       ╭─╯           │
      │           ▼       │             │
      │  ╭────────────────┴╮            │
      │  │ ✓ review        │            │
      │  │ agent ×2 900 ms │            │
      │  ╰────────┬────────╯            │
    ╭─╯           ╰╮                    │
    │  ▸ data.score > 0.8 (0.92)        │
   ╭╯              │                    │
   │               ▼                    │
   │  ╭─────────────────────────╮       │
   │  │ ? approve               │       │
   │  │ condition waits for you │       │
   │  ╰────────────┬────────────╯       │
╭──╯         ╭─────┴────────╮           │
│  data.answer == "yes"  default        │
│        ╭───╯              │           │
╰────────│────────────────┬─┴───────────╯
         ▼                ▼
   ╭───────────╮  ╭───────────────╮
   │ · publish │  │ – give up     │
   │ function  │  │ agent skipped │
   ╰─────┬─────╯  ╰───────┬───────╯
         ╰───────┬────────╯
                 ▼
             ╭───────╮
             │ · end │
             ╰───────╯
`
	must.Equal(t, want, drawn(Boxes(g, 76, false)))
}

func TestTheLabelOfALongConditionIsCutAndNotWhatItSaw(t *testing.T) {
	g := Graph{
		Nodes: []Node{{ID: "judge", Kind: "agent"}, {ID: "publish", Kind: "function"}},
		Edges: []Edge{
			{From: "judge", To: "publish", Label: `response.data.score > 0.8 and response.status == "success"`, Saw: "(0.92)", Taken: true, Times: 1},
			{From: "publish", To: "judge", Label: `response.data.score <= 0.8 and response.status == "failure"`, Back: true, Taken: true, Times: 2},
		},
	}
	got := drawn(Boxes(g, 100, false))
	for _, want := range []string{"▸ response.data.score > 0.8 … (0.92)", "↻ response.data.score <= 0.8 and… ×2"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestBoxesNeverOverlapAndEveryLineLeadsWhereItsEdgeDoes(t *testing.T) {
	fits := 0
	for seed := range uint64(80) {
		g := random(rand.New(rand.NewPCG(seed, 4)))
		if seed%2 == 0 { // as a chain is: few edges for its nodes
			g.Nodes = g.Nodes[:min(len(g.Nodes), 20)]
			g.Edges = g.Edges[:min(len(g.Edges), len(g.Nodes)+3)]
		}
		for _, w := range []int{1, 20, 54, 120, 200} {
			if checkBoxes(t, g, w, seed%2 == 0); t.Failed() {
				t.Fatalf("seed %d, width %d: %+v", seed, w, g)
			}
			if Boxes(g, w, false) != nil {
				fits++
			}
		}
	}
	if fits < 50 {
		t.Errorf("only %d drawings are boxes", fits)
	}
}

func checkBoxes(t *testing.T, g Graph, w int, ascii bool) {
	t.Helper()
	rows := Boxes(g, w, ascii)
	for _, r := range rows {
		if s := r.text(); ansi.StringWidth(s) > w {
			t.Errorf("a row is wider than %d: %q", w, s)
		}
	}
	if rows == nil {
		return
	}
	if diff := cmp.Diff(rows, Boxes(g, w, ascii)); diff != "" {
		t.Error("the second drawing is another: " + diff)
	}
	d := boxes{plan: newPlan(g), glyphs: newGlyphs(false)}
	for _, d.most = range []int{60, 32, 22, 14} {
		if d.layers = newLayers(d.plan, d.words, d.label); d.place(w) {
			break
		}
	}
	d.draw(w)
	for _, row := range d.rows {
		for i, n := range row[1:] {
			if a := d.items[row[i]]; a.x+a.w > d.items[n].x {
				t.Errorf("%v and %v overlap", a.text, d.items[n].text)
			}
		}
	}
	for n := range d.nodes {
		for _, loop := range []bool{false, true} {
			want := []string{}
			for _, e := range d.edges {
				if from, to := e.ends(); from == n && e.back == loop && e.from != e.to {
					want = append(want, d.nodes[to].ID)
				}
			}
			slices.Sort(want)
			if diff := cmp.Diff(slices.Compact(want), d.reached(n, loop)); diff != "" {
				t.Errorf("what the lines of %s lead to, loops %v: %s", d.nodes[n].ID, loop, diff)
			}
		}
	}
}

// reached follows the lines that leave a node downwards.
func (d *boxes) reached(n int, loop bool) []string {
	x, y := d.port(n, loop), 0
	id := d.nodes[n].ID
	for i := range d.cells {
		if c := d.cells[i][x]; c.span.Node == id && !c.span.Edge {
			y = i + 1
		}
	}
	ids, seen := []string{}, map[[2]int]bool{}
	var walk func(x, y int)
	walk = func(x, y int) {
		if y >= len(d.cells) || seen[[2]int{x, y}] {
			return
		}
		c := d.cells[y][x]
		if c.span.Node != "" && !c.span.Edge {
			ids = append(ids, c.span.Node)
			return
		}
		seen[[2]int{x, y}] = true
		if c.ways&down != 0 {
			walk(x, y+1)
		}
		if c.ways&left != 0 {
			d.aside(x, y, -1, walk)
		}
		if c.ways&right != 0 {
			d.aside(x, y, 1, walk)
		}
	}
	if y < len(d.cells) && d.cells[y][x].ways&up != 0 {
		walk(x, y)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// aside goes on to the next cell of a line across, under those that cross it.
func (d *boxes) aside(x, y, by int, walk func(x, y int)) {
	for x += by; d.cells[y][x].ways&(left|right) == 0; {
		x += by
	}
	walk(x, y)
}

func aChain(n int) Graph {
	var g Graph
	for i := range n {
		g.Nodes = append(g.Nodes, Node{ID: "node" + strconv.Itoa(i), Kind: "agent"})
		if i > 0 {
			g.Edges = append(g.Edges, Edge{From: fmt.Sprint("node", (i-1)/2), To: fmt.Sprint("node", i)})
		}
		if i%5 == 4 {
			g.Edges = append(g.Edges, Edge{From: fmt.Sprint("node", i), To: fmt.Sprint("node", i/4), Label: "again", Back: true})
		}
	}
	return g
}

func BenchmarkBoxes(b *testing.B) {
	for _, n := range []int{6, 40} {
		g := aChain(n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if Boxes(g, 250, false) == nil {
					b.Fatal("no room")
				}
			}
		})
	}
}
