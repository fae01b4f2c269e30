package tui

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestEverySizeHasItsLayout(t *testing.T) {
	for _, c := range []struct {
		name                  string
		w, h                  int
		shape                 shape
		size                  size
		chat, rail, inspector rect
		input                 rect
		headerRows, hintRows  int
	}{
		{name: "nothing", w: 1, h: 1, size: sizeTiny},
		{name: "too small", w: 19, h: 30, size: sizeTiny},
		{name: "chat and input", w: 20, h: 6, size: sizeBare, chat: rect{0, 0, 20, 5}, input: rect{0, 5, 20, 1}},
		{name: "low", w: 200, h: 9, size: sizeBare, chat: rect{0, 0, 200, 8}, input: rect{0, 8, 200, 1}},
		{name: "smallest with all rows", w: 40, h: 12, size: sizeSmall, chat: rect{0, 2, 40, 7}, input: rect{0, 10, 40, 1}, headerRows: 1, hintRows: 1},
		{name: "small", w: 80, h: 24, size: sizeSmall, chat: rect{0, 2, 80, 19}, input: rect{0, 22, 80, 1}, headerRows: 1, hintRows: 1},
		{name: "wide but low", w: 200, h: 29, size: sizeSmall, chat: rect{0, 2, 200, 24}, input: rect{0, 27, 200, 1}, headerRows: 1, hintRows: 1},
		{name: "medium", w: 120, h: 40, size: sizeMedium, chat: rect{0, 2, 87, 35}, rail: rect{88, 2, 32, 35}, input: rect{0, 38, 120, 1}, headerRows: 1, hintRows: 1},
		{name: "medium with a long input", w: 120, h: 40, shape: shape{input: 20}, size: sizeMedium, chat: rect{0, 2, 87, 28}, rail: rect{88, 2, 32, 28}, input: rect{0, 31, 120, 8}, headerRows: 1, hintRows: 1},
		{name: "medium with an inspector", w: 120, h: 40, shape: shape{full: true}, size: sizeMedium, inspector: rect{0, 2, 120, 35}, input: rect{0, 38, 120, 1}, headerRows: 1, hintRows: 1},
		{name: "first large", w: 160, h: 40, size: sizeLarge, chat: rect{28, 2, 67, 35}, rail: rect{0, 2, 27, 35}, inspector: rect{96, 2, 64, 35}, input: rect{0, 38, 160, 1}, headerRows: 1, hintRows: 1},
		{name: "large", w: 200, h: 60, size: sizeLarge, chat: rect{28, 2, 91, 55}, rail: rect{0, 2, 27, 55}, inspector: rect{120, 2, 80, 55}, input: rect{0, 58, 200, 1}, headerRows: 1, hintRows: 1},
		{name: "very wide: the text stays narrow", w: 320, h: 60, size: sizeLarge, chat: rect{28, 2, 113, 55}, rail: rect{0, 2, 27, 55}, inspector: rect{142, 2, 178, 55}, input: rect{0, 58, 320, 1}, headerRows: 1, hintRows: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := arrange(c.w, c.h, c.shape)
			if got.size != c.size || got.chat != c.chat || got.sidebar != c.rail || got.inspector != c.inspector || got.input != c.input {
				t.Errorf("arrange(%d, %d, %+v) =\n%+v", c.w, c.h, c.shape, got)
			}
			if got.header.h != c.headerRows || got.hint.h != c.hintRows {
				t.Errorf("header %+v, hint %+v; want %d and %d rows", got.header, got.hint, c.headerRows, c.hintRows)
			}
		})
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
