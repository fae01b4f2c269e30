package tui

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestWhatIsTypedDuringATurnWaitsItsTurn(t *testing.T) {
	f := settled()
	started, release := make(chan string, 8), make(chan struct{})
	f.prompt = func(ctx context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		started <- text
		select {
		case <-release:
		case <-ctx.Done():
			return core.Result{}, ctx.Err()
		}
		return arithmetic(ctx, f, s, text)
	}
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("first", "enter")
	<-started
	x.press("second", "enter")
	x.see("queued   second")
	x.press("third", "enter")
	x.see("queued   third")
	x.press("alt+up")
	x.gone("queued   third")
	x.see("❯ third")
	x.press("ctrl+c")
	release <- struct{}{}
	if got := <-started; got != "second" {
		t.Fatalf("%q was asked, not the second", got)
	}
	x.gone("queued   second")
	close(release)
}

func TestACommandThatOpensASessionWaitsUntilTheTurnIsOverAndThePromptBehindItWithIt(t *testing.T) {
	f := settled()
	started, release := make(chan string, 8), make(chan struct{})
	f.prompt = func(ctx context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		started <- s.Thread + " " + text
		select {
		case <-release:
		case <-ctx.Done():
			return core.Result{}, ctx.Err()
		}
		return arithmetic(ctx, f, s, text)
	}
	f.do = func([]string) (core.Doc, error) { return core.Doc{Thread: "t2"}, nil }
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("first", "enter")
	<-started
	x.press("/new", "enter")
	x.see("queued   /new")
	x.press("second", "enter")
	x.see("queued   second")
	close(release)
	if got := <-started; got != "t2 second" {
		t.Errorf("%q was asked", got)
	}
}

func TestWhatIsTypedWhileAnotherSessionIsOpenedIsSaidThere(t *testing.T) {
	f := settled()
	asked, release := make(chan string, 8), make(chan struct{})
	f.prompt = func(ctx context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		asked <- s.Thread + " " + text
		return arithmetic(ctx, f, s, text)
	}
	f.do = func([]string) (core.Doc, error) {
		<-release
		return core.Doc{Thread: "t2"}, nil
	}
	x := start(t, setup{w: 120, h: 40}, f)
	free := sync.OnceFunc(func() { close(release) })
	t.Cleanup(free)
	x.press("/new", "enter")
	x.press("what is 12% of 840?", "enter")
	x.see("queued   what is 12% of 840?")
	free()
	if got := <-asked; got != "t2 what is 12% of 840?" {
		t.Errorf("%q was asked", got)
	}
}

func TestAfterAStopTheQueueComesBackToTheInput(t *testing.T) {
	x, _ := inProgress(t, 120, 40)
	x.press("second", "enter")
	x.see("queued   second")
	x.press("ctrl+c")
	x.see("❯ second")
}

func TestAfterAStopTheQueueDoesNotGetIntoWhatIsBeingTyped(t *testing.T) {
	x, _ := inProgress(t, 120, 40, calling)
	x.see("calc · ")
	x.press("second", "enter")
	x.see("queued   second")
	x.press("something else")
	x.see("❯ something else")
	x.press("esc")
	x.see("esc again to stop now")
	x.press("esc")
	x.see("– stopped by you")
	x.see("❯ something else")
	x.see("what was queued is in the history: press up")
}

func TestWhatWasPastedAndQueuedIsInTheHistoryAfterAStop(t *testing.T) {
	x, _ := inProgress(t, 120, 40, calling)
	x.see("calc · ")
	x.press("\x1b[200~" + strings.Repeat("a heron\n", 20) + "\x1b[201~")
	x.see("[pasted 20 lines #1]")
	x.press("enter")
	x.see("queued   a heron")
	x.press("else", "esc")
	x.see("esc again to stop now")
	x.press("esc")
	x.see("what was queued is in the history: press up")
	x.press("\x15", "up")
	x.see("❯ a heron")
}

func TestTheQueueIsListedAndOneOfItTakenBack(t *testing.T) {
	started := make(chan string, 8)
	f := settled()
	f.prompt = waiting(started)
	x := start(t, setup{w: 80, h: 24}, f)
	x.press("first", "enter")
	<-started
	for _, q := range []string{"second", "third", "fourth", "fifth"} {
		x.press(q, "enter")
		x.see("queued   " + q)
	}
	x.press("/queue", "enter")
	x.see("Queued", "enter takes one back", "second")
	x.press("thi", "enter")
	x.gone("Queued")
	x.see("❯ third", "queued   second", "queued   fifth")
	x.gone("queued   third")
}
