package tui

import (
	"context"
	"fmt"
	"image/color"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/diagram"
)

func TestTextCanBeReadOnBothBackgrounds(t *testing.T) {
	for _, light := range []bool{false, true} {
		t.Run(fmt.Sprintf("light %v", light), func(t *testing.T) {
			f := withAudit()
			f.graphs = map[string]diagram.Graph{"chain/review-loop": reviewLoop()}
			f.prompt = func(ctx context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
				if strings.HasPrefix(text, "/chain run") {
					return core.Result{Reply: player{f, s, "review-loop"}.toApprove(text)}, nil
				}
				if strings.Contains(text, "fail") {
					f.emit(s, core.RunStart{Prompt: text}, core.ToolCallEnd{Call: "c", Tool: "calc", Status: core.ToolError, Text: "cannot"})
					f.emit(s, core.FinalOutput{Reply: core.Reply{Status: core.StatusClarification, Message: "Which one?"}}, core.RunEnd{Outcome: "error", Error: "broken", Hint: "mend it"})
					return core.Result{}, nil
				}
				return arithmetic(ctx, f, s, text)
			}
			x := start(t, setup{w: 200, h: 60, light: light, o: Options{Title: "notes", Model: "offline"}}, f)
			readable := func(when string) {
				t.Helper()
				for _, fault := range x.unreadable(light) {
					t.Errorf("%s: %s", when, fault)
				}
			}
			x.see("12% of 840")
			x.wait("the colours for this background", func(string) bool {
				cell := x.emu.CellAt(1, 0)
				return cell.Style.Fg != nil && light == (contrast(cell.Style.Fg, color.White) > 4.5)
			})
			readable("welcome")
			x.press("What is 12 % of 840?", "enter")
			x.see("on Saturday")
			x.gone("esc stop")
			x.press("fail", "enter")
			x.see("mend it")
			x.press(runIt, "enter")
			x.see("3 give up")
			f.kill("files", "exited 1")
			x.see("files left")
			readable("chat")
			x.press("f6", "k", "enter")
			x.see(`"outcome"`)
			readable("events")
			x.press("f2")
			x.see("runs as")
			readable("experts")
			x.press("f4")
			x.see("review-loop")
			x.see("give_up")
			readable("chain")
			x.press("f7")
			x.see("intact")
			x.see("A claim lacks a commit.")
			readable("audit")
			x.press("ctrl+p")
			x.see("keys and commands")
			readable("palette")
			x.press("ctrl+c")
			x.gone("keys and commands")
			x.press("f1")
			x.see("Keys and commands")
			readable("help")
			x.press("esc")
			x.gone("Keys and commands")
			for _, id := range []string{"p1", "p2"} {
				f.emit(core.Scope{}, core.ApprovalRequested{Pause: id, Tool: "memory_create", Expert: "memory", Args: []byte(noteArgs), Reason: "a client asks"})
			}
			x.see("1 of 2")
			readable("approval")
			x.armed("1 of 2")
			readable("armed approval")
			x.press("e")
			x.see("enter takes it")
			x.press("x", "enter")
			x.see("line 1")
			readable("editor")
		})
	}
}

// unreadable tells which colours on the screen stand out too little from what is
// behind them.
func (x *terminal) unreadable(light bool) []string {
	back := color.Color(color.RGBA{13, 17, 23, 255})
	if light {
		back = color.White
	}
	bad := map[string]bool{}
	x.cells(func(_, _ int, cell *uv.Cell) {
		fg, bg := cell.Style.Fg, cell.Style.Bg
		if fg == nil || strings.TrimSpace(cell.Content) == "" || strings.ContainsAny(cell.Content, "─│┬┴├┤┼└╭╮╰╯░█▌") { // nil: the terminal's own
			return
		}
		if bg == nil {
			bg = back
		}
		if r := contrast(fg, bg); r < 4.5 {
			bad[fmt.Sprintf("%v on %v: %.1f (%q)", fg, bg, r, cell.Content)] = true
		}
	})
	return slices.Sorted(maps.Keys(bad))
}

func TestWithoutColoursNothingIsColoured(t *testing.T) {
	x := start(t, setup{w: 120, h: 40, env: map[string]string{"NO_COLOR": "1", "CLICOLOR_FORCE": ""}}, settled())
	x.press("What is 12 % of 840?", "enter")
	x.see("100.8")
	x.cells(func(col, row int, cell *uv.Cell) {
		if cell.Style.Fg != nil || cell.Style.Bg != nil {
			t.Errorf("cell %d, %d (%q) is coloured", col, row, cell.Content)
		}
	})
}

func TestTheRailSaysHowAStoppedExpertIsStartedAgain(t *testing.T) {
	p := newPen(func(string) string { return "" })
	var r roster
	r.set([]core.Expert{{Name: "clock", State: core.ExpertStopped, Message: "stopped by you; /experts restart clock starts it again"}}, time.Now())
	rail := ansi.Strip(strings.Join(r.sidebar(&p, 31, 12, false), "\n"))
	if got := strings.Join(strings.Fields(rail), " "); !strings.Contains(got, "/experts restart clock starts it again") {
		t.Errorf("the rail is:\n%s", rail)
	}
}

func TestTheChosenExpertStaysChosenWhenOthersComeAndGo(t *testing.T) {
	f := settled()
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("f2")
	x.see("─ calc ─")
	f.join("abacus", "beads")
	x.see("abacus", "─ calc ─")
	x.press("j", "j")
	x.see("─ files ─")
	x.press("/", "beads", "enter")
	x.see("─ abacus ─")
}

func TestTheMouseCanBeLeftToTheTerminal(t *testing.T) {
	x := start(t, setup{w: 100, h: 30}, newFake())
	x.see("ask the room")
	x.press("/mouse", "enter")
	x.see("dragging selects")
	x.press("/mouse", "enter")
	x.see("the mouse scrolls")
}

func TestAThemeOfTheUserGoesBeforeTheTerminals(t *testing.T) {
	light := paletteOf("light").theme(false).text
	for _, c := range []struct {
		theme string
		dark  bool
		want  style
	}{
		{"", true, paletteOf("dark").theme(true).text}, {"", false, light}, {"auto", false, light}, {"light", true, light}, {"dark", false, paletteOf("dark").theme(true).text},
	} {
		p := newPen(func(string) string { return "" })
		if p.wear(c.theme, c.dark); p.text != c.want {
			t.Errorf("%q on a terminal that is dark (%v): %q", c.theme, c.dark, p.text)
		}
	}
	p := newPen(func(name string) string { return map[string]string{"NO_COLOR": "1"}[name] })
	if p.wear("dark", true); p.text != "" {
		t.Error("NO_COLOR has colours")
	}
}

func TestTheThemeAutoIsThatOfTheTerminalAgain(t *testing.T) {
	x := start(t, setup{w: 120, h: 40, light: true}, settled())
	var light color.Color // of the header
	x.wait("light colours", func(string) bool {
		cell := x.emu.CellAt(1, 0)
		if cell == nil || cell.Style.Fg == nil {
			return false
		}
		r, g, b, _ := cell.Style.Fg.RGBA()
		light = cell.Style.Fg
		return r+g+b < 3*0x8000 // dark on light
	})
	x.press("/theme dark", "enter")
	x.see("dark until yaap closes")
	x.press("/theme auto", "enter")
	x.see("auto until yaap closes")
	x.wait("light colours again", func(string) bool { return x.emu.CellAt(1, 0).Style.Fg == light })
}

func TestATerminalOf16ColoursIsSentNoOthers(t *testing.T) {
	for _, light := range []bool{false, true} {
		f := withChain()
		x := start(t, setup{w: 120, h: 40, light: light, env: map[string]string{"TERM": "xterm-16color", "COLORTERM": ""}}, f)
		coloured := 0
		only := func(screen string) {
			t.Helper()
			x.see(screen)
			x.cells(func(_, _ int, cell *uv.Cell) {
				for _, c := range []color.Color{cell.Style.Fg, cell.Style.Bg} {
					if _, basic := c.(ansi.BasicColor); c != nil && !basic {
						t.Fatalf("%q has the colour %T %v", cell.Content, c, c)
					}
					if c != nil {
						coloured++
					}
				}
			})
		}
		only("12% of 840")
		x.press(runIt, "enter")
		only("3 give up")
		x.press("f4")
		only("review-loop")
		x.press("ctrl+p")
		only("keys and commands")
		if coloured == 0 {
			t.Error("nothing is coloured")
		}
	}
}
