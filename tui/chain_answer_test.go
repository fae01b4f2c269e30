package tui

import (
	"context"
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestAChainIsAnsweredInItsPicture(t *testing.T) {
	for name, keys := range map[string][]string{
		"with a number":             {"2"},
		"with enter and the arrows": {"enter", "down", "right", "up", "enter"},
	} {
		t.Run(name, func(t *testing.T) {
			f := withChain()
			play, said := f.prompt, make(chan string, 4)
			f.prompt = func(ctx context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
				said <- text
				return play(ctx, f, s, text)
			}
			x := start(t, setup{w: 120, h: 40}, f)
			x.press(runIt, "enter")
			x.see("answers the question")
			x.press("f4")
			x.see("enter chooses")
			x.press("9")
			if x.press(keys[0]); len(keys) > 1 {
				x.see("❯ 1  publish", "arrows option")
			}
			x.press(keys[1:]...)
			x.see("✓ completed")
			x.press("k")
			x.see("NODE approve") // the arrows choose nodes again
			<-said
			if got := <-said; got != "send it back with the list" {
				t.Errorf("%q was answered", got)
			}
		})
	}
}
