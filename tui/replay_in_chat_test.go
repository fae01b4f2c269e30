package tui

import (
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestAllOfTheConversationIsShownAgainInTheChat(t *testing.T) {
	pages, err := allPages(t.Context(), herons(45), "t1")
	if err != nil || len(pages) != 3 || pages[0].Messages[0].Run != "r0" || pages[2].Messages[19].Run != "r44" {
		t.Fatalf("%d pages, %v", len(pages), err)
	}

	f := settled()
	page := twoQuestions()
	f.messages["t1"], f.told = page.Messages, map[string][]core.Event{"t1": page.Events}
	x := start(t, setup{w: 80, h: 24}, f)
	x.see("it is six")
	x.press("/replay", "enter")
	x.see("playing", "question 1 of 2", "what is 2 + 2?")
}

func TestAConversationInWhichNothingWasSaidIsNotShownAgain(t *testing.T) {
	d := answering(t, 80, 24, "fine")
	d.press("esc")
	d.word("/replay")
	d.press("enter")
	d.sees("nothing was said here yet")
}
