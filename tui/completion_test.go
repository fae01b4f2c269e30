package tui

import "testing"

func TestTheCompletionOffersExpertsAndCommands(t *testing.T) {
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
}

func TestTheCompletionOffersWhatAnExpertSays(t *testing.T) {
	x := start(t, setup{w: 120, h: 40}, settled())
	x.press("read @notes:")
	x.see("Herons")
	x.press("tab", "now")
	x.see("❯ read @notes:notes://herons now")
}

func TestTheCompletionOffersFilesBelowExperts(t *testing.T) {
	x := start(t, setup{w: 120, h: 40}, settled())
	x.press("sum up @cl")
	x.see("Times and dates")
	x.see("@docs/clear.md")
	x.press("down", "tab", "please")
	x.see("❯ sum up @docs/clear.md please")
}
