package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"github.com/yaap-chat/yaap/core"
)

// whole is what the terminal's scrollback and the screen hold.
func (x *terminal) whole() string {
	var b strings.Builder
	for y := range x.emu.ScrollbackLen() {
		for c := range x.emu.Width() {
			if cell := x.emu.ScrollbackCellAt(c, y); cell != nil {
				b.WriteString(cell.Content)
			}
		}
		b.WriteByte('\n')
	}
	return b.String() + x.read()
}

// holdsOnce blocks until the terminal holds each text once, none of them on another screen.
func (x *terminal) holdsOnce(texts ...string) {
	x.t.Helper()
	x.wait(fmt.Sprintf("conversation that holds %q once", texts), func(string) bool {
		all := x.whole()
		for _, text := range texts {
			if strings.Count(all, text) != 1 {
				return false
			}
		}
		return !x.emu.IsAltScreen()
	})
}

func TestInlineWhatWasSaidIsLeftToTheTerminal(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {30, 8}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			x := start(t, setup{w: size[0], h: size[1], o: Options{Inline: true}}, settled())
			var asked []string
			for i := range 12 {
				asked = append(asked, fmt.Sprintf("question %d!", i))
				x.press(asked[i], "enter")
				x.holdsOnce(asked...)
			}
			x.wait("scrollback", func(s string) bool { return !strings.Contains(s, asked[0]) && strings.Contains(s, placeAsk[:5]) })
		})
	}
}

func TestInlineWhatElseIsLookedAtHasTheScreenAndGivesItBack(t *testing.T) {
	x := start(t, setup{w: 80, h: 24, o: Options{Inline: true}}, settled())
	x.press("first!", "enter")
	x.holdsOnce("first!")
	for _, opens := range []string{"f2", "f1", "ctrl+p", "pgup", "shift+tab"} {
		x.press(opens)
		x.wait("whole screen for "+opens, func(string) bool { return x.emu.IsAltScreen() })
		x.press("esc")
		x.holdsOnce("first!", placeAsk[:5])
	}
	x.press("second!", "enter")
	x.holdsOnce("first!", "second!")
}

func TestInlineWhatWaitsToBeAllowedHasTheScreenUntilItIsDecided(t *testing.T) {
	x := start(t, setup{w: 80, h: 24, o: Options{Inline: true}}, guardedRoom("files__write"))
	x.press("note it!", "enter")
	x.armed("wants to")
	x.wait("screen of its own", func(string) bool { return x.emu.IsAltScreen() })
	x.press("a")
	x.holdsOnce("note it!", "It is written.", placeAsk[:5])
}

func TestInlineACompletionTakesRoomWhileItIsOpen(t *testing.T) {
	x := start(t, setup{w: 80, h: 24, o: Options{Inline: true}}, settled())
	x.press("first!", "enter")
	x.holdsOnce("first!")
	x.press("/")
	x.see("tab accepts")
	x.press("backspace")
	x.gone("tab accepts")
	x.holdsOnce("first!")
}

func TestInlineNothingIsLeftBelowWhatWasSaid(t *testing.T) {
	for _, leaving := range [][]string{{"/quit", "enter"}, {"ctrl+d"}, {"ctrl+c", "ctrl+c"}} {
		x := start(t, setup{w: 80, h: 24, o: Options{Inline: true}}, settled())
		x.ask("first!", "on Saturday")
		x.press(leaving...)
		x.left()
		_, _ = x.Write([]byte("$ ls")) // of the shell
		if s := x.whole(); strings.Contains(s, placeAsk[:5]) || strings.Count(s, "first!") != 1 || strings.Count(s, "on Saturday") != 1 {
			t.Errorf("after %q the terminal holds:\n%s", leaving, s)
		}
	}
}

func TestInlineTextHasTheColoursOfTheTerminal(t *testing.T) {
	for profile, want := range map[colorprofile.Profile]string{colorprofile.TrueColor: "\x1b[38;2;255;0;0ma\x1b[m", colorprofile.ANSI: "\x1b[91ma\x1b[m", colorprofile.NoTTY: "a"} {
		m := model{above: inlined{profile: profile}}
		if got := m.inProfile("\x1b[38;2;255;0;0ma\x1b[m"); got != want {
			t.Errorf("%v: %q, want %q", profile, got, want)
		}
	}
}

func TestInlineTheEndOfAnotherConversationIsWrittenBelowItsTitle(t *testing.T) {
	f := settled()
	for i := range 60 {
		f.messages["t2"] = append(f.messages["t2"], core.Message{Run: fmt.Sprint("o", i), Role: core.RoleUser, Text: fmt.Sprintf("old %d!", i)},
			core.Message{Run: fmt.Sprint("o", i), Role: core.RoleAssistant, Text: "yes"})
	}
	f.do = func([]string) (core.Doc, error) { return core.Doc{Thread: "t2", Title: "the other one"}, nil }
	x := start(t, setup{w: 80, h: 24, o: Options{Inline: true}}, f)
	x.press("first!", "enter")
	x.holdsOnce("first!")
	x.press("/new", "enter")
	x.holdsOnce("the other one", "old 59!")
	if s := x.whole(); strings.Contains(s, "old 0!") {
		t.Errorf("all of it is written:\n%s", s)
	}
}
