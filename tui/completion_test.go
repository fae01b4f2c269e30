package tui

import "testing"

func TestTheCompletionOffersWhatMayFollow(t *testing.T) {
	x := start(t, setup{w: 120, h: 40}, settled())
	x.press("@cl")
	x.see("Times and dates")
	x.press("tab")
	x.see("❯ @clock")
	x.press("now?")
	x.see("❯ @clock now?")
	x.press("ctrl+c", "/sta")
	x.see("what status does")
	x.press("enter")
	x.see("did status")
	x.press("read @notes:") // what an expert has
	x.see("Herons")
	x.press("tab", "now")
	x.see("❯ read @notes:notes://herons now")
	x.press("ctrl+c", "sum up @cl") // files below experts
	x.see("Times and dates", "@docs/clear.md")
	x.press("down", "tab", "please")
	x.see("❯ sum up @docs/clear.md please")
}
