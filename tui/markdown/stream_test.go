package markdown

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// stream writes src in pieces of 1 to most bytes and looks at the rows after
// each.
func stream(t *testing.T, rnd *rand.Rand, src string, width, most int) *Stream {
	t.Helper()
	s := NewStream(width, dark)
	for rest := src; rest != ""; {
		n := min(len(rest), 1+rnd.IntN(most))
		s.Write(rest[:n])
		rest = rest[n:]
		if len(src) < 2_000 {
			checkRows(t, src[:len(src)-len(rest)], s.Lines(), width)
		}
	}
	return s
}

func TestAStreamShowsWhatTheWholeTextShows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for name, src := range constructs {
		t.Run(name, func(t *testing.T) {
			s := stream(t, rnd, src, 50, 12)
			if diff := cmp.Diff(texts(Render(src, 50, dark)), texts(s.Lines())); diff != "" {
				t.Errorf("while open (-whole +streamed):\n%s", diff)
			}
			if diff := cmp.Diff(Render(src, 50, dark), s.Close()); diff != "" {
				t.Errorf("closed (-whole +streamed):\n%s", diff)
			}
		})
	}
	for name, src := range linked { // shows all links when it is closed
		s := stream(t, rnd, src, 50, 12)
		if diff := cmp.Diff(Render(src, 50, dark), s.Close()); diff != "" {
			t.Errorf("%s, closed (-whole +streamed):\n%s", name, diff)
		}
	}
}

func TestAStreamOfManyConstructsShowsWhatTheWholeTextShows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 40 {
		src := randomDocument(rnd)
		s := stream(t, rnd, src, 50, 12)
		if diff := cmp.Diff(texts(Render(src, 50, dark)), texts(s.Lines())); diff != "" {
			t.Fatalf("%q while open (-whole +streamed):\n%s", src, diff)
		}
		if diff := cmp.Diff(Render(src, 50, dark), s.Close()); diff != "" {
			t.Fatalf("%q closed (-whole +streamed):\n%s", src, diff)
		}
	}
}

func TestAnOpenFenceIsPlainUntilItCloses(t *testing.T) {
	s := NewStream(40, dark)
	s.Write("text\n\n```go\nfunc f() {\n\n  ret")
	want := []string{"text", "", "  func f() {", "", "    ret"}
	if diff := cmp.Diff(want, s.Lines()); diff != "" {
		t.Errorf("open (-want +got):\n%s", diff)
	}
	s.Write("urn\n}\n``")
	want = append(want[:4], "    return", "  }")
	if diff := cmp.Diff(want, s.Lines()); diff != "" {
		t.Errorf("before its last mark (-want +got):\n%s", diff)
	}
	s.Write("`\n")
	if diff := cmp.Diff(want, texts(s.Lines())); diff != "" {
		t.Errorf("closed (-want +got):\n%s", diff)
	}
	if rows := s.Lines(); !strings.Contains(rows[2], "\x1b[38;2;") {
		t.Errorf("closed, %q is not coloured", rows[2])
	}
}

func TestAMarkerThatHasJustBegunChangesNothing(t *testing.T) {
	s := NewStream(40, dark)
	s.Write("Here are:\n")
	before := s.Lines()
	s.Write("-")
	if diff := cmp.Diff(before, s.Lines()); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
	s.Write(" one")
	if diff := cmp.Diff([]string{"Here are:", "", "• one"}, texts(s.Lines())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRowsThatWereHandedOutStayAsTheyAre(t *testing.T) {
	s := NewStream(40, dark)
	var rows [][]string
	var want []string
	for i := range 40 {
		s.Write(fmt.Sprintf("word%d\n\n```\ncode%d", i, i))
		got := s.Lines()
		rows, want = append(rows, got), append(want, strings.Join(got, "\n"))
		s.Write("\n```\n")
	}
	for i := range rows {
		if diff := cmp.Diff(want[i], strings.Join(rows[i], "\n")); diff != "" {
			t.Fatalf("rows %d changed (-then +now):\n%s", i, diff)
		}
	}
}

func TestALargeBlockIsShownWholeWhileItIsOpen(t *testing.T) {
	s := NewStream(40, dark)
	for i := range 1_000 {
		s.Write(fmt.Sprintf("- item number %d\n", i))
		if i%97 == 0 {
			rows := texts(s.Lines())
			if last := rows[len(rows)-1]; !strings.Contains(last, fmt.Sprintf("item number %d", i)) {
				t.Fatalf("after item %d the last row is %q", i, last)
			}
		}
	}
}

func FuzzStream(f *testing.F) {
	for _, src := range everything() {
		f.Add(src, uint64(1), 60)
	}
	f.Add("&#27;]52;c;eA==&#7; \x1b[31m \u202e", uint64(7), 20)
	f.Fuzz(func(t *testing.T, src string, seed uint64, width int) {
		if width < 1 || width > 300 || len(src) > 4_000 {
			return
		}
		want := Render(src, width, dark)
		checkRows(t, src, want, width)
		s := stream(t, rand.New(rand.NewPCG(seed, 0)), src, width, 12)
		settled := strings.HasSuffix(src, "\n") && len(src) < eager && len(s.cut.refs) == 0
		if open := s.Lines(); settled {
			if diff := cmp.Diff(texts(want), texts(open)); diff != "" {
				t.Errorf("%q while open (-whole +streamed):\n%s", src, diff)
			}
		}
		if diff := cmp.Diff(texts(want), texts(s.Close())); diff != "" {
			t.Errorf("%q closed (-whole +streamed):\n%s", src, diff)
		}
	})
}

// answer is a text of about n bytes as a model writes it.
func answer(n int) string {
	const part = "## Part\n\nSome prose with **bold** words, `code`, and a [link](https://example.org/docs) that goes on for a while, " +
		"long enough to be wrapped at eighty cells and once more.\n\n- first point\n- second point with *emphasis*\n  - a detail\n\n" +
		"```go\nfunc add(a, b int) int {\n\treturn a + b // the sum\n}\n```\n\n| name | value |\n|------|------:|\n| one | 1 |\n| two | 2 |\n\n" +
		"> A remark to end with.\n\nMore prose. It has several sentences, as prose has. They are short.\n\n"
	return strings.Repeat(part, n/len(part)+1)[:n]
}

// BenchmarkStream100KB writes an answer in pieces of 4 bytes and looks at it
// after each 16, as often as a 33 ms frame of a fast model would.
func BenchmarkStream100KB(b *testing.B) {
	const size = 100 << 10
	for name, src := range map[string]string{
		"mixed": answer(size),
		"prose": strings.Repeat(strings.Repeat("The quick brown fox jumps over the lazy dog. ", 12)+"\n\n", 200)[:size],
		"code":  "```go\n" + strings.Repeat("\tfunc add(a, b int) int { return a + b }\n", 3000)[:size],
		"list":  strings.Repeat("- a point that is made with *some* words and `code`\n", 2100)[:size],
		"line":  strings.Repeat("word ", size/5),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s := NewStream(80, dark)
				for i := 0; i < len(src); i += 4 {
					s.Write(src[i:min(i+4, len(src))])
					if i%64 == 0 {
						s.Lines()
					}
				}
				s.Close()
			}
		})
	}
}
