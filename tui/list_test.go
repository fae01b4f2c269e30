package tui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/runlog"
)

// lot is an item of n rows.
type lot struct {
	name    string
	n       int
	arrived int // times it was asked for its rows
}

func (l *lot) arrange(*canvas) int { l.arrived++; return l.n }

func (l *lot) row(i int) string { return fmt.Sprintf("%s%d", l.name, i) }

func lots(heights ...int) list {
	l := newList()
	l.h = 4
	for i, n := range heights {
		l.add(&lot{name: string(rune('a' + i)), n: n})
	}
	return l
}

func (l *list) shown(t *testing.T) string {
	t.Helper()
	rows, owner := l.rows(&canvas{}, nil, nil)
	if len(rows) != l.h || len(owner) != l.h {
		t.Fatalf("%d rows and %d owners for a window of %d", len(rows), len(owner), l.h)
	}
	return strings.TrimSpace(strings.Join(rows, " "))
}

func TestAListFollowsItsEndUntilItIsScrolled(t *testing.T) {
	c := &canvas{}
	l := lots(2, 3, 2)
	for _, step := range []struct {
		name string
		do   func()
		want string
	}{
		{"follows", func() {}, "b1 b2 c0 c1"},
		{"one up", func() { l.scroll(c, -1) }, "b0 b1 b2 c0"},
		{"new items do not move it", func() { l.add(&lot{name: "x", n: 3}) }, "b0 b1 b2 c0"},
		{"up to the start", func() { l.scroll(c, -100) }, "a0 a1 b0 b1"},
		{"down within an item", func() { l.scroll(c, 3) }, "b1 b2 c0 c1"},
		{"down to the end", func() { l.scroll(c, 100) }, "c1 x0 x1 x2"},
		{"follows again", func() { l.add(&lot{name: "y", n: 1}) }, "x0 x1 x2 y0"},
		{"to the top", func() { l.follow, l.top, l.off = false, 0, 0 }, "a0 a1 b0 b1"},
		{"to the end", func() { l.toEnd() }, "x0 x1 x2 y0"},
	} {
		step.do()
		if got := l.shown(t); got != step.want {
			t.Fatalf("%s: %s, want %s", step.name, got, step.want)
		}
	}
}

func TestAListCountsWhatCameWhileItWasScrolledUp(t *testing.T) {
	l := lots(4, 4)
	l.scroll(&canvas{}, -1)
	l.add(&lot{name: "x", n: 1})
	l.add(&lot{name: "y", n: 1})
	if l.follow || l.unseen != 2 {
		t.Fatalf("follow %v, unseen %d; want 2 unseen", l.follow, l.unseen)
	}
	l.scroll(&canvas{}, 100)
	if !l.follow || l.unseen != 0 {
		t.Fatalf("follow %v, unseen %d at the end", l.follow, l.unseen)
	}
}

func TestAFewItemsStandAtTheTop(t *testing.T) {
	l := lots(1, 2)
	for range 3 {
		l.scroll(&canvas{}, -5)
		if got := l.shown(t); got != "a0 b0 b1" {
			t.Fatalf("got %s", got)
		}
	}
}

func TestChoosingScrollsThroughWhatIsLongerThanTheWindow(t *testing.T) {
	c := &canvas{}
	l := lots(2, 9, 2)
	l.choose(c, -1)
	if l.sel != 2 {
		t.Fatalf("the last item is chosen first, not %d", l.sel)
	}
	l.choose(c, -1)
	for range 20 {
		l.choose(c, -1)
		if l.sel == 0 {
			break
		}
	}
	if got := l.shown(t); l.sel != 0 || !strings.HasPrefix(got, "a0 a1") {
		t.Fatalf("item %d is chosen, the window shows %s", l.sel, got)
	}
}

func TestAListNeverLosesItsWindow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	c := &canvas{}
	for range 200 {
		l := newList()
		for range 500 {
			switch rnd.IntN(8) {
			case 0, 1:
				l.add(&lot{name: "r", n: rnd.IntN(9)})
			case 2:
				l.h = rnd.IntN(12)
			case 3:
				l.scroll(c, rnd.IntN(41)-20)
			case 4:
				l.choose(c, rnd.IntN(3)-1)
			case 5:
				if n := len(l.items); n > 3 {
					l.drop(rnd.IntN(n - 1))
				}
			case 6:
				l.follow, l.top, l.off = false, 0, 0
			case 7:
				if rnd.IntN(4) == 0 {
					l.toEnd()
				}
			}
			l.shown(t)
			if n := len(l.items); n > 0 && (l.top < 0 || l.top >= n || l.off < 0 || l.sel >= n) {
				t.Fatalf("top %d, off %d, sel %d of %d items", l.top, l.off, l.sel, n)
			}
		}
	}
}

func TestAFrameAsksOnlyTheItemsInTheWindow(t *testing.T) {
	l := newList()
	l.h = 10
	for range 10_000 {
		l.add(&lot{name: "r", n: 2})
	}
	l.scroll(&canvas{}, -5000)
	asked := 0
	for _, it := range l.items {
		it.(*lot).arrived = 0
	}
	l.shown(t)
	for _, it := range l.items {
		if it.(*lot).arrived > 0 {
			asked++
		}
	}
	if asked > 12 {
		t.Errorf("%d items were asked for a window of 10 rows", asked)
	}
}

func TestARowOfANarrowMenuSaysThatItsTextIsCut(t *testing.T) {
	p := newPen(func(string) string { return "" })
	m := menu{choices: []choice{{text: "remember that the release is on Friday", right: "2 minutes ago"}}}
	if got := ansi.Strip(m.rows(&p, 36, 4)[0]); !strings.Contains(got, p.ellipsis+"  2 minutes ago") {
		t.Errorf("got %q", got)
	}
}

func BenchmarkFrame10kMessages(b *testing.B) {
	m := newModel(b.Context(), Options{Env: func(string) string { return "" }}, newFake(), &jobs{})
	m.screen.w, m.screen.h = 200, 60
	m.input.resize(200)
	m.fit()
	for i := range 5000 {
		m.chat.items = append(m.chat.items, newSpoken(fmt.Sprintf("question %d, which is about as long as questions are", i), false))
		run := fmt.Sprint("r", i)
		reply := core.Reply{Message: fmt.Sprintf("Answer %d with **bold** words, `code` and\n\n- a list\n- of two", i)}
		a := newAnswer(runlog.Read(reported(run, m.chat.started, 1, core.RunStart{}, core.FinalOutput{Reply: reply}, core.RunEnd{}), nil).Run(run))
		m.chat.items = append(m.chat.items, a)
	}
	m.chat.scroll(&m.chat.canvas, -7)
	b.ReportAllocs()
	for b.Loop() {
		m.frame.stale = true
		_ = m.View()
	}
}

func TestALongDocumentIsShownFromItsBeginning(t *testing.T) {
	f := settled()
	f.do = func(args []string) (core.Doc, error) {
		text := "# Title\n\n" + strings.Repeat("a line\n\n", 60) + "the last line"
		if len(args) == 1 {
			text = "short"
		}
		return core.Say(core.Markdown, text), nil
	}
	x := start(t, setup{w: 80, h: 24}, f)
	x.press("/help chains", "enter")
	x.see("Title")
	x.see("↓ end")
	x.press("pgdown", "pgdown")
	x.gone("Title")
	x.press("/status", "enter")
	x.see("short", "the last line")
}
