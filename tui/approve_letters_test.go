package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/yaap-chat/yaap/core"
)

func TestALetterThatBeginsASentenceDecidesNothing(t *testing.T) {
	for _, sentence := range []string{"wait, not that one", "stop", "and in Osaka?", "what is 2+2?", "do not", "1 or 2?"} {
		synctest.Test(t, func(t *testing.T) {
			m := newModel(t.Context(), Options{Thread: "t1"}, newFake(), &jobs{})
			m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
			tell(m, core.Scope{}, core.ApprovalRequested{Pause: "p", Tool: "memory_create", Reason: "a client asks"})
			time.Sleep(time.Minute)
			var settles tea.Cmd
			for i, r := range sentence {
				_, cmd := m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
				if i == 0 {
					settles = cmd
				}
				time.Sleep(settleFor / 2)
			}
			m.Update(settles())
			m.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
			if m.asks.first() == nil || m.input.value() != sentence || !strings.HasPrefix(m.panes.note.text, "decide first") {
				t.Errorf("%q decided, or is %q in the input, and %q is said", sentence, m.input.value(), m.panes.note.text)
			}
			if m.Update(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}); !m.input.empty() || m.panes.quit {
				t.Errorf("ctrl+c leaves %q in the input", m.input.value())
			}
		})
	}
}

func TestTheNumberOfAnAnswerDecidesAndEscTakesALetterBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := askedAt(t, 120, 40)
		m.once = false
		_, settles := m.Update(tea.KeyPressMsg{Code: 'a', Text: "a"})
		m.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
		m.Update(settles())
		if m.asks.first() == nil {
			t.Fatal("what was taken back decided")
		}
		m.Update(tea.KeyPressMsg{Code: '3', Text: "3"}) // once, here, deny
		m.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
		if m.asks.first() != nil {
			t.Error("the number of an answer does not decide")
		}
	})
}
