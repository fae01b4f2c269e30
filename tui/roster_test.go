package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

func TestHowLongAnExpertHasBeenJoiningIsToldWhileItDoes(t *testing.T) {
	for _, c := range []struct {
		w, h int
		says string
	}{{80, 24, "sleep joining 90 min"}, {120, 40, "joining   90 min"}, {200, 60, "90 min"}} {
		d := answering(t, c.w, c.h, "fine")
		d.once = false
		d.experts.set([]core.Expert{{Name: "sleep", State: core.ExpertJoining, Since: time.Now().Add(-90 * time.Minute)}}, time.Now())
		if d.happened(batch{}); !d.run.ticking {
			t.Errorf("%dx%d: the clock stands still", c.w, c.h)
		}
		d.press("esc")
		d.sees(c.says)
		d.happened(batch{experts: []core.Expert{{Name: "sleep", State: core.ExpertStopped, Message: "stopped by you"}}})
		d.press("esc")
		d.seesNo("joining")
		if d.ticked(); d.run.ticking {
			t.Errorf("%dx%d: the clock goes on", c.w, c.h)
		}
	}
}

func TestWhatAnExpertSaysOfItselfIsReadToItsEnd(t *testing.T) {
	does := strings.Repeat("Does one more thing. ", 20) + "That is all."
	d := answering(t, 120, 40, "fine")
	d.experts.set([]core.Expert{{Name: "heron", Description: does, State: core.ExpertReady}}, time.Now())
	d.press("esc", "f2")
	d.sees("That is all.", "since        calls  errors  latency")
}

func TestTheRailSaysInAClauseWhatItHasNoRoomFor(t *testing.T) {
	d := answering(t, 200, 60, "fine")
	d.experts.set([]core.Expert{{Name: "heron", Description: "Answers in many ways: the first of them, the second of them, and a third that takes many more words.", State: core.ExpertReady}}, time.Now())
	d.press("esc")
	d.sees("1 in the room", "Answers in many ways ")
	d.seesNo("the first of them")
	for words, want := range map[string]string{"Note: it is one. It does more.": "Note: it is one", "Wading birds.": "Wading birds.", "": "", "Counts 1.5 ways; adds": "Counts 1.5 ways"} {
		must.Equal(t, want, clause(words))
	}
}

func TestTheRailOfALargeTerminalEndsWithWhatHappened(t *testing.T) {
	d := answering(t, 200, 60, "fine")
	tell(d.model, at(1), core.EdgeTaken{From: "write", To: "review", Taken: true}, core.ToolCallEnd{Call: "x", Tool: "git", Expert: "git", Status: core.ToolError})
	var rail []string
	for _, row := range d.sidebar(27, 40) {
		rail = append(rail, strings.Join(strings.Fields(ansi.Strip(row)), " "))
	}
	text := strings.Join(rail[34:], "\n")
	for _, want := range []string{"EVENTS f6", "✓ data", "✓ answered", "write → review", "✗ git"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q at the end of the rail:\n%s", want, text)
		}
	}
	if d.Update(tea.WindowSizeMsg{Width: 120, Height: 40}); strings.Contains(strings.Join(d.sidebar(32, 36), "\n"), "EVENTS") {
		t.Error("events are in the rail of a smaller terminal")
	}
}
