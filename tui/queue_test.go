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

// steered is what the terminal gives a run to take in, which answers with an error or none.
type steered struct {
	text  string
	taken chan<- error
}

// taking is a room in which "first" is being answered until it is let go, and what is given
// to its run is said.
func taking(t *testing.T) (x *terminal, f *fake, said <-chan steered, asked <-chan string, free func()) {
	t.Helper()
	tells, asks, release := make(chan steered, 4), make(chan string, 4), make(chan struct{})
	f = settled()
	f.prompt = func(ctx context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		asks <- text
		if text != "first" {
			return arithmetic(ctx, f, s, text)
		}
		f.emit(s, core.RunStart{Prompt: text}, core.TurnStart{}, calling)
		select {
		case <-release:
			f.emit(s, core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Message: "the answer"}}, core.RunEnd{Outcome: "completed", Turns: 1})
			return core.Result{Turns: 1}, nil
		case <-ctx.Done():
			return core.Result{}, ctx.Err()
		}
	}
	f.say = func(ctx context.Context, text string) error {
		taken := make(chan error, 1)
		tells <- steered{text, taken}
		select {
		case err := <-taken:
			return err
		case <-ctx.Done():
			return core.Cancelled(ctx)
		}
	}
	x = start(t, setup{w: 120, h: 40}, f)
	x.press("first", "enter")
	<-asks
	x.see("calc · ")
	return x, f, tells, asks, sync.OnceFunc(func() { close(release) })
}

func TestEnterOnceMoreGivesWhatIsQueuedToTheRunThatGoesOn(t *testing.T) {
	x, f, said, _, free := taking(t)
	x.press("in euros", "enter")
	x.see("queued   in euros", "enter give it to this turn")
	x.press("enter")
	x.see("steers   in euros")
	one := <-said
	f.emit(core.Scope{Thread: "t1", Run: "run1", Trace: "run1", Turn: 2}, core.Steered{ID: "m", Text: one.text})
	one.taken <- nil
	x.gone("steers   in euros")
	x.see("❯ in euros")
	free()
	x.see("the answer", "❯ in euros")
	f.mu.Lock()
	defer f.mu.Unlock()
	if got := f.prompts; len(got) != 1 {
		t.Errorf("asked is %q", got)
	}
}

func TestWhatTheRunTookNoMoreRequestForIsAskedWhenItIsOver(t *testing.T) {
	x, _, said, asked, free := taking(t)
	x.press("/steer don't round it", "enter")
	x.see("steers   don't round it")
	one := <-said
	x.press("and then this", "enter")
	x.see("queued   and then this")
	free()
	x.see("the answer")
	one.taken <- core.Fail(core.CodeNotFound, "no run", "")
	for _, want := range []string{"don't round it", "and then this"} {
		if got := <-asked; got != want {
			t.Errorf("%q was asked, not %q", got, want)
		}
	}
	x.gone("steers   ")
	x.gone("queued   ")
}

func TestWhatIsGivenToTheRunCanBeTakenBackUntilItIsTakenIn(t *testing.T) {
	x, _, said, _, free := taking(t)
	defer free()
	x.press("/steer in euros", "enter")
	one := <-said
	if one.text != "in euros" {
		t.Errorf("given is %q", one.text)
	}
	x.press("alt+up")
	x.see("❯ in euros")
	x.gone("steers")
}

func TestWhereNothingGoesOnSteerIsAPrompt(t *testing.T) {
	f := settled()
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("/steer what is 12% of 840?", "enter")
	x.see("you      what is 12% of 840?", "100.8")
}

func TestWhatWasSaidToARunStandsAtItsAnswerWhenItIsOpenedAgain(t *testing.T) {
	f := settled()
	at := f.now
	scope := core.Scope{Thread: "t1", Run: "r", Trace: "r", Turn: 2}
	f.messages["t1"] = []core.Message{
		{ID: "1", Run: "r", Role: core.RoleUser, Text: "the price?", Time: at},
		{ID: "2", Run: "r", Role: core.RoleUser, Name: core.Steer, Text: "in euros", Time: at.Add(3)},
	}
	f.told = map[string][]core.Event{"t1": {
		{Time: at.Add(1), Scope: scope, Body: core.RunStart{Prompt: "the price?"}},
		{Time: at.Add(2), Scope: scope, Body: core.Steered{ID: "2", Text: "in euros"}},
		{Time: at.Add(4), Scope: scope, Body: core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Message: "12"}}},
		{Time: at.Add(5), Scope: scope, Body: core.RunEnd{Outcome: "completed", Turns: 2}},
	}}
	x := start(t, setup{w: 120, h: 40}, f)
	x.see("you      the price?", "❯ in euros", "yaap     12")
	x.gone("you      in euros")
}

func (f *fake) Say(ctx context.Context, _, text string) error {
	f.mu.Lock()
	say := f.say
	f.mu.Unlock()
	return say(ctx, text)
}

func (f *fake) Steer(_ string, s core.RunControl) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.steers = append(f.steers, s)
}

func (f *fake) Continue(_ context.Context, thread string) (core.Result, error) {
	if f.goOn == nil {
		return core.Result{}, &core.Error{Code: core.CodeNotFound, Message: "there is nothing to go on with", Hint: "ask something"}
	}
	return f.goOn(f, thread)
}
