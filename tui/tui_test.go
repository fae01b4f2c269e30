package tui

import "testing"

func TestAQuestionIsAnsweredBeforeTheUsersEyes(t *testing.T) {
	f := newFake()
	f.join("calc", "Exact arithmetic.", "12% of 840")
	f.join("clock", "Times and dates.", "what time is it in Tokyo?")
	x := start(t, setup{w: 120, h: 40}, f)
	x.see("calc, clock are in the room")
	x.see("12% of 840")
	x.press("What is 12 % of 840?", "enter")
	x.see("100.8")
	x.see("          calc, clock · 11 ms")
}
