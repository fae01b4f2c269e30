package tui

import (
	"context"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
)

// word presses the letters of a text.
func (d *desk) word(text string) {
	d.t.Helper()
	for _, r := range text {
		if r == ' ' {
			d.press("space")
			continue
		}
		d.press(string(r))
	}
}

func TestWhatIsTypedWhileAPaneHasTheKeysGetsIntoTheInput(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		for _, pane := range []string{"f2", "f7"} {
			d := answering(t, size[0], size[1], "an answer")
			d.press("esc", pane)
			d.word("what is 12% of 840?")
			if got := d.input.value(); got != "what is 12% of 840?" {
				t.Errorf("%s at %d cells: typed is %q", pane, size[0], got)
			}
			if d.panes.focus != inInput {
				t.Errorf("%s at %d cells: the keys go elsewhere", pane, size[0])
			}
			d.press("enter")
			d.sees("you      what is 12% of 840?")

			d = answering(t, size[0], size[1], "an answer")
			d.press("esc", pane, "tab") // to look at the pane meanwhile
			d.word("what is 12% of 840?")
			d.press("enter")
			if full := size[0] < 160; d.panes.full != full {
				t.Errorf("%s at %d cells: the pane is full %v", pane, size[0], d.panes.full)
			}
		}
	}
	d := answering(t, 120, 40, "an answer")
	d.press("f2")
	d.word("how many are here?") // h does something in another pane only
	if got := d.input.value(); got != "how many are here?" {
		t.Errorf("typed is %q", got)
	}
	d = answering(t, 120, 40, "an answer")
	d.press("f2", "j", "k", "space", "y", "g")
	if got := d.input.value(); got != "" || d.panes.focus != inInspector {
		t.Errorf("keys of the pane are typed: %q", got)
	}
}

func TestWhatIsTypedWhileTheChatHasTheKeysGetsIntoTheInput(t *testing.T) {
	d := answering(t, 120, 40, "an answer")
	d.word("what now?")
	if got := d.input.value(); got != "what now?" {
		t.Errorf("typed is %q", got)
	}
}

func TestARemarkThatIsCutIsOpenedBySpaceAndOnlyThatSaysSo(t *testing.T) {
	d := answering(t, 80, 24, "an answer")
	d.chat.said = true
	long := strings.Repeat("a long description ", 8) + "with an end"
	tell(d.model, core.Scope{}, core.ExpertJoined{Name: "heron", Description: long, Count: 1})
	tell(d.model, core.Scope{}, core.ExpertLeft{Name: "crow", Reason: core.LeftGoodbye, Count: 0})
	d.press("G", "k")
	d.seesNo("with an end")
	d.sees("space fold")
	d.press("space")
	d.sees("with an end")
	d.press("space")
	d.seesNo("with an end")
	d.press("j")
	d.seesNo("space fold")
	d.press("space")
	d.sees("there is nothing to fold or to open here")
}

func TestThemesAreChosenByTheirName(t *testing.T) {
	d := answering(t, 80, 24, "an answer")
	d.press("esc")
	for _, theme := range []string{"light", "dark", "auto"} {
		d.word("/theme " + theme)
		d.press("enter")
		d.sees(theme + " until yaap closes")
		if d.o.Theme != theme {
			t.Errorf("the theme is %q, not %s", d.o.Theme, theme)
		}
	}
	d.word("/theme")
	d.press("enter")
	d.sees("light until yaap closes")
	d.word("/theme pink")
	d.press("enter")
	d.sees("there is no theme “pink”", "auto, light or dark")
	d.word("/theme l")
	d.press("enter", "enter") // the completion, and then the command
	d.sees("light until yaap closes")
}

func TestAfterAStopTheQueueIsBackInTheInputAndSaysSoAndIsNotGluedToAnything(t *testing.T) {
	back := func(queue ...string) *desk {
		d := answering(t, 120, 40, "an answer")
		d.press("esc")
		for _, text := range queue {
			d.input.remember(text)
			d.enqueue(text)
		}
		d.run.cancel, d.run.cut = func() {}, true
		d.carry(d.answered(answered{thread: "t1", err: context.Canceled}))
		return d
	}
	d := back("second")
	d.sees("❯ second", "what was queued is back in the input; typing takes its place")
	d.word("third")
	if got := d.input.value(); got != "third" {
		t.Errorf("the input has %q", got)
	}
	d.sees("up brings back what was queued")
	d.press("enter")
	if got := d.b.(*fake).prompts; len(got) != 1 || got[0] != "third" {
		t.Errorf("asked is %q", got)
	}
	d.press("up", "up")
	if got := d.input.value(); got != "second" {
		t.Errorf("up brings %q", got)
	}

	d = back("second") // as it stands, or changed
	d.press("backspace", "backspace")
	d.word("nd, please")
	if got := d.input.value(); got != "second, please" {
		t.Errorf("the input has %q", got)
	}

	d = back("second")
	d.Update(tea.PasteMsg{Content: "pasted"})
	if got := d.input.value(); got != "pasted" {
		t.Errorf("the input has %q", got)
	}

	d = back("second", "third") // each is a prompt of its own
	if got := d.input.value(); got != "third" {
		t.Errorf("the input has %q", got)
	}
	d.sees("the last of 2 that were queued is in the input; up has the others")
	d.press("up")
	if got := d.input.value(); got != "second" {
		t.Errorf("up brings %q", got)
	}
}

func TestTheDetailThatIsChosenIsKept(t *testing.T) {
	var kept []string
	fault := error(nil)
	o := Options{Thread: "t1", Detail: "thoughts", Keep: func(key, value string) error {
		kept = append(kept, key+"="+value)
		return fault
	}}
	m := newModel(t.Context(), o, newFake(), &jobs{})
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	if m.chat.detail != detailThoughts {
		t.Errorf("it begins with %v", m.chat.detail)
	}
	d := &desk{model: m, t: t}
	d.press("ctrl+t")
	d.press("ctrl+t")
	if got := strings.Join(kept, " "); got != "detail=everything detail=calm" {
		t.Errorf("kept is %q", got)
	}
	fault = &core.Error{Code: core.CodeInvalid, Message: "nothing can be added to the file"}
	d.press("ctrl+t")
	d.sees("it is not kept: nothing can be added to the file")
}

func TestAFailedAnswerIsTriedAgainByAKeyAndSaysSo(t *testing.T) {
	failed := func(commands ...core.Command) *desk {
		m := newModel(t.Context(), Options{Thread: "t1", Commands: commands}, newFake(), &jobs{})
		d := &desk{model: m, t: t}
		m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		tell(m, at(0), core.RunStart{Prompt: "who changed hub.go?"}, core.RunEnd{Outcome: "error", Error: "git did not answer within 60 s", Hint: "f2 shows what it printed"})
		return d
	}
	retry := core.Command{Name: "retry", Does: "ask again", Idle: true}
	d := failed(retry)
	d.sees("✗ git did not answer within 60 s", "r tries again   f2 shows what it printed")
	d.press("tab", "G")
	d.sees("r try again")
	d.press("r")
	if b := d.b.(*fake); len(b.done) != 1 || b.done[0][0] != "retry" {
		t.Errorf("asked is %q", b.done)
	}

	d = failed(retry) // where the user has not left the input
	d.word("r")
	d.sees("❯ r", "enter try again")
	d.press("enter")
	if b := d.b.(*fake); len(b.done) != 1 || b.done[0][0] != "retry" || len(b.prompts) != 0 || !d.input.empty() {
		t.Errorf("asked is %q, %q", b.done, b.prompts)
	}

	d = failed(retry) // one that is not the last is asked once more
	s := core.Scope{Thread: "t1", Run: "r2", Trace: "r2", Agent: "yaap"}
	tell(d.model, s, core.RunStart{Prompt: "another"}, core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Message: "fine"}}, core.RunEnd{Outcome: "completed"})
	d.press("tab", "G")
	d.seesNo("r try again")
	d.press("r")
	d.sees("this answer did not fail")
	d.press("k", "k", "r")
	if b := d.b.(*fake); len(b.prompts) != 1 || b.prompts[0] != "who changed hub.go?" || len(b.done) != 0 {
		t.Errorf("asked is %q, %q", b.prompts, b.done)
	}

	d = failed() // where nothing can be asked again
	d.seesNo("r tries again")
	d.sees("f2 shows what it printed")

	d = failed(retry) // the user stopped it
	s.Run, s.Trace = "r3", "r3"
	tell(d.model, s, core.RunStart{Prompt: "more"}, core.RunEnd{Outcome: "error", Code: core.CodeCancelled, Error: "cancelled"})
	d.press("tab", "G")
	d.seesNo("r try again")
}

func TestAnAnswerThatSaysThatItFailedIsTriedAgainByAKey(t *testing.T) {
	m := newModel(t.Context(), Options{Thread: "t1", Commands: []core.Command{{Name: "retry", Does: "ask again", Idle: true}}}, newFake(), &jobs{})
	d := &desk{model: m, t: t}
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	tell(m, at(0), core.RunStart{Prompt: "@heron what do you eat?"})
	tell(m, at(1), core.ToolCallStart{Call: "c", Tool: "heron", Expert: "heron"}, core.ToolCallEnd{Call: "c", Tool: "heron", Expert: "heron", Status: core.ToolError})
	tell(m, at(0), core.FinalOutput{Reply: core.Reply{Status: core.StatusFailure, Message: "the pond is frozen"}}, core.RunEnd{Outcome: "completed"})
	d.sees("✗ the pond is frozen", "r tries again   f2 shows what it printed")
}

func TestTheKeyThatTriesAgainIsSaidOnce(t *testing.T) {
	for hint, want := range map[string]string{
		"try again; when it stays so, choose another model": "r tries again; when it stays so, choose another model",
		"choose another model":                              "r tries again   choose another model",
	} {
		m := newModel(t.Context(), Options{Thread: "t1", Commands: []core.Command{{Name: "retry", Does: "ask again", Idle: true}}}, newFake(), &jobs{})
		d := &desk{model: m, t: t}
		m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		tell(m, at(0), core.RunStart{Prompt: "hello"}, core.RunEnd{Outcome: "error", Code: core.CodeUnreachable, Error: "it has failed", Hint: hint})
		d.sees("✗ it has failed", want)
	}
}
