package markdown

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core/safe"
)

var short = Style{Color: true, Dark: true, Short: Short{Rows: 8, Open: "o", Copy: "y"}}

// sales is a table of so many rows and columns.
func sales(rows, columns int) string {
	var b strings.Builder
	for i := range rows + 1 {
		for c := range columns {
			switch {
			case i == 0:
				fmt.Fprintf(&b, "| head %d ", c)
			case c == 0:
				fmt.Fprintf(&b, "| region %d ", i)
			default:
				fmt.Fprintf(&b, "| %d ", i*100+c)
			}
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", columns) + "|\n")
		}
	}
	return b.String()
}

// lines is code of so many lines.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\tline(%d)\n", i+1)
	}
	return b.String()
}

func TestALongTableIsDrawnShortAndSaysWhatIsNotDrawn(t *testing.T) {
	for name, c := range map[string]struct {
		table string
		width int
		rows  int // without the header
		last  string
	}{
		"as many rows as there may be": {sales(8, 3), 68, 8, "region 8      801      802"},
		"one row more":                 {sales(9, 3), 68, 9, "… 1 more row   o opens the table   y copies CSV"},
		"many rows":                    {sales(17, 3), 68, 9, "… 9 more rows   o opens the table   y copies CSV"},
		"columns without room":         {sales(2, 12), 68, 3, "… 5 more columns   o opens the table   y copies CSV"},
		"both":                         {sales(17, 10), 68, 9, "… 9 more rows, 3 more columns   o opens the table   y copies CSV"},
		"a narrow terminal":            {sales(17, 10), 40, 9, "… 9 more rows, 6 more columns   o opens"},
		"a very narrow one":            {sales(17, 10), 15, 9, "… 9 more rows,…"},
		"a cell that is cut":           {"|a|b|\n|-|-|\n|one|" + strings.Repeat("word ", 30) + "|", 68, 2, "… o opens the table   y copies CSV"},
	} {
		rows := texts(Render(c.table, c.width, short))
		if len(rows) != c.rows+1 || rows[len(rows)-1] != c.last {
			t.Errorf("%s:\n%s\nwant %d rows, the last %q", name, strings.Join(rows, "\n"), c.rows+1, c.last)
		}
	}
}

func TestShortCellsOfATableAreWholeAndWordsGiveWay(t *testing.T) {
	src := "|date|region|product|customer|orders|revenue|share|note|\n|-|-|-|-|-|-|-|-|\n"
	for range 3 {
		src += "|2026-10-18|south|toaster|Long Customer Name Incorporated of Somewhere|1237|63135|0.626|note 0, with comma|\n"
	}
	for width, want := range map[int]string{
		40: "2026-10-18   south    toaster   Long Cu…",
		68: "2026-10-18   south    toaster   Long Cus…     1237     63135   0.626",
		74: "2026-10-18   south    toaster   Long Customer …     1237     63135   0.626",
		82: "2026-10-18   south    toaster   Long Cust…     1237     63135   0.626   note 0, w…",
	} {
		if rows := texts(Render(src, width, short)); rows[1] != want {
			t.Errorf("at %d cells the row is %q, want %q", width, rows[1], want)
		}
	}
}

func TestNoRowOfAShortTableIsBrokenAndNoneIsTooWide(t *testing.T) {
	src := "| name | what it says |\n|--|--|\n| a | " + strings.Repeat("long ", 40) + "|\n| b | short |\n| 日本語日本語日本語 | " + strings.Repeat("語", 50) + "|\n"
	for width := 1; width < 90; width++ {
		rows := Render(src, width, short)
		checkRows(t, src, rows, width)
		if len(rows) != 5 {
			t.Errorf("at %d cells there are %d rows:\n%s", width, len(rows), strings.Join(texts(rows), "\n"))
		}
	}
}

func TestPartsHoldAllOfATableAndOfCode(t *testing.T) {
	src := "Two:\n\n" + sales(20, 2) + "\n```go\n" + lines(61) + "```\n\n- in a list\n\n      indented\n\n| `a` | **b** |\n|--|--:|\n| [x](https://example.org/) &#27;[2J | 1\\|2 |\n"
	_, parts := RenderParts(src, 60, short)
	if len(parts) != 4 {
		t.Fatalf("there are %d parts: %+v", len(parts), parts)
	}
	if table := parts[0].Table; table == nil || !parts[0].Cut || len(table.Rows) != 20 || table.Rows[19][1] != "2001" || !table.Right[1] || table.Right[0] {
		t.Errorf("the table is %+v", parts[0].Table)
	}
	if code := parts[1]; code.Lang != "go" || !code.Cut || strings.Count(code.Code, "\n") != 60 || !strings.HasSuffix(code.Code, "line(61)") {
		t.Errorf("the code is %+v", code)
	}
	if code := parts[2]; code.Code != "indented" || code.Cut || code.Lang != "" {
		t.Errorf("what is indented is %+v", code)
	}
	want := &Table{Head: []string{"a", "b"}, Rows: [][]string{{"x https://example.org/ [2J", "1|2"}}, Right: []bool{false, true}}
	if diff := cmp.Diff(want, parts[3].Table); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCodeStandsBelowItsLabelWithoutAnIndent(t *testing.T) {
	rows := texts(Render("Reverse it:\n\n```go\nfunc f() {\n\n}\n```\nand so on", 30, short))
	want := []string{"Reverse it:", "              go · 3 lines · y", "func f() {", "", "}", "", "and so on"}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLongCodeIsCutAndSaysHowMuchThereIs(t *testing.T) {
	for n, want := range map[int]int{1: 2, 30: 31, 31: 22, 61: 22} {
		rows := texts(Render("```go\n"+lines(n)+"```", 40, short))
		if len(rows) != want {
			t.Errorf("%d lines are %d rows:\n%s", n, len(rows), strings.Join(rows, "\n"))
		}
		if n == 61 && rows[21] != "… 41 more lines   o opens" {
			t.Errorf("the last row is %q", rows[21])
		}
	}
	if rows := texts(Render("```\n"+strings.Repeat("x", 100)+"\n```", 30, short)); len(rows) != 2 || rows[1] != strings.Repeat("x", 29)+"…" {
		t.Errorf("a long line is %q", rows)
	}
}

func TestNothingThatIsDrawnShortJumpsWhileItStreams(t *testing.T) {
	src := "First:\n\n" + sales(40, 4) + "\nThen:\n\n```go\n" + lines(61) + "```\n\nand:\n\n```\n" + lines(3) + "```\nthe end"
	s := NewStream(60, short)
	n := 0
	var before []string
	for i := range len(src) {
		s.Write(src[i : i+1])
		rows := texts(s.Lines())
		if len(rows) < n {
			t.Fatalf("after %q there are %d rows, %d before:\n%s\nbefore:\n%s", src[max(0, i-40):i+1], len(rows), n, strings.Join(rows, "\n"), strings.Join(before, "\n"))
		}
		n, before = len(rows), rows
	}
	if diff := cmp.Diff(Render(src, 60, short), s.Close()); diff != "" {
		t.Errorf("closed (-whole +streamed):\n%s", diff)
	}
}

func TestAStreamThatIsDrawnShortEndsAsTheWholeText(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 40 {
		src := randomDocument(rnd)
		s := NewStream(50, short)
		for rest := src; rest != ""; {
			n := min(len(rest), 1+rnd.IntN(12))
			s.Write(rest[:n])
			rest = rest[n:]
			if len(src) < 2_000 {
				checkRows(t, src[:len(src)-len(rest)], s.Lines(), 50)
			}
		}
		if diff := cmp.Diff(Render(src, 50, short), s.Close()); diff != "" {
			t.Fatalf("%q (-whole +streamed):\n%s", src, diff)
		}
	}
}

func FuzzShort(f *testing.F) {
	for _, src := range everything() {
		f.Add(src, 60)
	}
	f.Add(sales(20, 12), 40)
	f.Add("~~~go\n"+lines(40)+"\x1b[31m\n", 20)
	f.Fuzz(func(t *testing.T, src string, width int) {
		if width < 1 || width > 300 || len(src) > 4_000 {
			return
		}
		rows, parts := RenderParts(src, width, short)
		checkRows(t, src, rows, width)
		for _, p := range parts {
			if p.Table == nil {
				checkRows(t, src, p.Lines(short), 1<<20)
				continue
			}
			for _, cells := range append(p.Table.Rows, p.Table.Head) {
				if len(cells) != len(p.Table.Head) || len(p.Table.Right) != len(p.Table.Head) {
					t.Errorf("%q has a row of %d cells", src, len(cells))
				}
				for _, cell := range cells {
					if safe.Line(cell) != cell {
						t.Errorf("%q has the cell %q", src, cell)
					}
				}
			}
		}
		s := NewStream(width, short)
		for i := 0; i < len(src); i += 7 {
			s.Write(src[i:min(i+7, len(src))])
			checkRows(t, src[:min(i+7, len(src))], s.Lines(), width)
		}
		if diff := cmp.Diff(rows, s.Close()); diff != "" {
			t.Errorf("%q closed (-whole +streamed):\n%s", src, diff)
		}
	})
}

func TestATableOfManyRowsStaysOneTable(t *testing.T) {
	src := sales(5_000, 4) + "\nthe end"
	rows, parts := RenderParts(src, 60, short)
	if len(parts) != 1 || len(parts[0].Table.Rows) != 5_000 || len(rows) != 12 {
		t.Fatalf("there are %d parts, %d rows", len(parts), len(rows))
	}
	s := NewStream(60, short)
	for rest := src; rest != ""; {
		n := min(len(rest), 40)
		s.Write(rest[:n])
		rest = rest[n:]
		if rows := s.Lines(); len(rows) > 12 {
			t.Fatalf("with %d bytes to come there are %d rows", len(rest), len(rows))
		}
	}
}

func BenchmarkATableOfManyRowsThatStreams(b *testing.B) {
	src := sales(5_000, 4)
	for b.Loop() {
		s := NewStream(60, short)
		for i := 0; i < len(src); i += 100 {
			s.Write(src[i:min(i+100, len(src))])
			s.Lines()
		}
	}
	b.SetBytes(int64(len(src)))
}
