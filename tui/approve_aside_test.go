package tui

import (
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
)

// askedAt is a terminal in which a call waits to be allowed since a minute.
func askedAt(t *testing.T, w, h int) *desk {
	t.Helper()
	m := newModel(t.Context(), Options{Thread: "t1"}, newFake(), &jobs{})
	d := &desk{model: m, t: t}
	m.once = true
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	tell(m, core.Scope{}, core.ApprovalRequested{Pause: "p", Tool: "fs__write_file", Expert: "fs", Reason: "it says nothing of its effects"})
	time.Sleep(time.Minute)
	return d
}

func TestOneMayLookElsewhereBeforeOneDecides(t *testing.T) {
	for _, c := range []struct{ w, h int }{{80, 24}, {120, 40}, {200, 60}} {
		for key, sees := range map[string]string{"f2": "experts", "f7": "Nothing has been answered yet", "f1": "Keys and commands", "ctrl+p": "/wire"} {
			synctest.Test(t, func(t *testing.T) {
				d := askedAt(t, c.w, c.h)
				d.sees("fs wants to use write_file", "esc deny")
				d.press(key)
				d.sees(sees)
				if c.w < 160 {
					d.seesNo("fs wants to use write_file")
				}
				d.press("j", "esc")
				if d.asks.first() == nil {
					t.Fatal("looking elsewhere denied it")
				}
				d.sees("fs wants to use write_file", "in a moment")
				time.Sleep(time.Minute)
				d.press("esc")
				if d.asks.first() != nil {
					t.Error("it is not denied")
				}
			})
		}
	}
}

func TestWhatBeginsToWaitMeanwhileIsAskedAbout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := askedAt(t, 80, 24)
		d.press("f2")
		tell(d.model, core.Scope{}, core.ApprovalGiven{Pause: "p", Decision: core.Deny, By: "user"})
		tell(d.model, core.Scope{}, core.ApprovalRequested{Pause: "q", Tool: "fs__read_file", Expert: "fs"})
		d.sees("fs wants to use read_file")
	})
}

func TestWhatBeginsToWaitDoesNotTakeTheKeysOfAList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModel(t.Context(), Options{Thread: "t1"}, newFake(), &jobs{})
		d := &desk{model: m, t: t}
		m.once = true
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		d.press("ctrl+p")
		tell(m, core.Scope{}, core.ApprovalRequested{Pause: "p", Tool: "fs__write_file", Expert: "fs"})
		time.Sleep(time.Minute)
		d.press("d", "h")
		d.sees("/ dh", "waiting for you")
		d.seesNo("fs wants to use write_file")
		d.press("esc")
		if d.asks.first() == nil {
			t.Fatal("closing the list denied it")
		}
		d.sees("fs wants to use write_file", "in a moment")
	})
}

func TestTheAnswersHaveTheirWordsWhereverTheyHaveRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := askedAt(t, 40, 12)
		d.asks.first().may = []string{core.AllowOnce, core.AllowSession, core.AllowAlways, core.Deny}
		d.frame.stale = true
		d.sees("a allow  s here  w always", "d deny  e edit")
	})
}

func TestEscDeniesAtOnceWhateverWasTypedBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := askedAt(t, 80, 24)
		d.press("x", "esc")
		if d.asks.first() != nil {
			t.Error("esc behind a letter does nothing")
		}
	})
}
