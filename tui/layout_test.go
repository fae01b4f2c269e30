package tui

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestATerminalHasAsMuchBesideTheChatAsItHasRoomFor(t *testing.T) {
	for _, c := range []struct {
		w, h int
		want size
	}{{19, 30, sizeTiny}, {20, 6, sizeBare}, {200, 9, sizeBare}, {40, 12, sizeSmall}, {200, 29, sizeSmall}, {100, 30, sizeMedium}, {160, 30, sizeLarge}} {
		if got := classify(c.w, c.h); got != c.want {
			t.Errorf("%dx%d is of the size %d, want %d", c.w, c.h, got, c.want)
		}
	}
	if sc := arrange(320, 60, shape{}); sc.chat.w > maxText+gutterWide+4 {
		t.Errorf("the chat of a very wide terminal has %d cells", sc.chat.w)
	}
}

func TestNoRectangleLeavesTheScreenOrMeetsAnother(t *testing.T) {
	for w := 0; w <= 220; w += 3 {
		for h := 0; h <= 70; h++ {
			for _, s := range []shape{{}, {input: 8}, {full: true, input: 3}} {
				sc := arrange(w, h, s)
				seen := make([]bool, max(w*h, 0))
				for _, r := range []rect{sc.header, sc.top, sc.sidebar, sc.chat, sc.inspector, sc.bottom, sc.input, sc.hint} {
					if r.w < 0 || r.h < 0 || r.x < 0 || r.y < 0 || r.right() > w || r.bottom() > h {
						t.Fatalf("%dx%d %+v: %+v is not on the screen", w, h, s, r)
					}
					for y := r.y; y < r.bottom(); y++ {
						for x := r.x; x < r.right(); x++ {
							if seen[y*w+x] {
								t.Fatalf("%dx%d %+v: two parts at %d, %d", w, h, s, x, y)
							}
							seen[y*w+x] = true
						}
					}
				}
			}
		}
	}
}

func TestTheRailTellsHowMuchTheMemoryHasTaken(t *testing.T) {
	f := settled()
	x := start(t, setup{w: 120, h: 40}, f)
	if s := x.see("calc, clock, files are in the room"); strings.Contains(s, "MEMORY") {
		t.Errorf("it tells of nothing:\n%s", s)
	}
	for _, prompt := range []string{"I live in Leeds", "what is 12% of 840?"} {
		x.press(prompt, "enter")
		x.see("100.8")
	}
	record := func(runs ...string) core.MemoryOperation {
		return core.MemoryOperation{Operation: core.MemoryRecord, Status: "end", Messages: 2, Noted: runs}
	}
	f.emit(core.Scope{Thread: "another"}, record("run9"))
	f.emit(core.Scope{Thread: "t1"}, record("run1"), record())
	x.see("MEMORY  f5", "took 1  I live in Leeds")
}
