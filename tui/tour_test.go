package tui

import (
	"context"
	"strings"
	"testing"
	"time"
)

// tour starts a terminal with a tour in it.
func tour(t *testing.T, steps bool) (*terminal, *Tour, *fake) {
	t.Helper()
	f := newFake()
	tour := NewTour(3, 1, steps)
	x := start(t, setup{w: 80, h: 24, o: Options{Tour: tour}}, f)
	x.see("ask the room")
	return x, tour, f
}

// told is what a call comes to that waits.
func told[T any](f func() T) <-chan T {
	done := make(chan T, 1)
	go func() { done <- f() }()
	return done
}

func TestATourTypesForTheUserAndSaysWhatGoesOn(t *testing.T) {
	x, tour, f := tour(t, false)
	tour.Hurry(true)
	tour.Say(2, "We ask.")
	x.see(" 2/3  We ask.")
	x.see("q leave")
	if err := tour.Type(t.Context(), "what is 12 % of 840?"); err != nil {
		t.Fatal(err)
	}
	if err := tour.Press(t.Context(), "enter"); err != nil {
		t.Fatal(err)
	}
	if err := tour.WaitFor(t.Context(), `is 100\.8`); err != nil {
		t.Fatal(err)
	}
	x.press("x") // the keys are the tour's
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.prompts) != 1 || f.prompts[0] != "what is 12 % of 840?" {
		t.Errorf("asked: %q", f.prompts)
	}
}

func TestATourWaitsForAKeyAfterEachStep(t *testing.T) {
	x, tour, _ := tour(t, true)
	x.see("paused 1×")
	first := told(func() error { return tour.Linger(t.Context(), time.Nanosecond) })
	if err := tour.until(t.Context(), func(s tourState) bool { return !s.stepping }); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-first:
		t.Fatalf("it does not wait: %v", err)
	default:
	}
	x.press("n")
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	if err := tour.Wait(t.Context(), time.Nanosecond); err != nil { // within the step it goes on
		t.Fatal(err)
	}
	second := told(func() error { return tour.Linger(t.Context(), time.Nanosecond) })
	x.press(" ")
	x.see("playing 1×")
	if err := <-second; err != nil {
		t.Fatal(err)
	}
	x.press("+", "+")
	x.see("playing 4×")
	x.press("-")
	x.see("playing 2×")
}

func TestAKeyIsTheUsersWhereATourSaysSo(t *testing.T) {
	x, tour, _ := tour(t, false)
	pressed := told(func() bool { pressed, _ := tour.WaitForUser(t.Context(), time.Hour, "1", "f2"); return pressed })
	x.press("z") // is nobody's
	if err := tour.until(t.Context(), func(s tourState) bool { return len(s.yours) > 0 }); err != nil {
		t.Fatal(err)
	}
	x.press("f2")
	if !<-pressed {
		t.Error("it was not told of the key")
	}
	x.see("EXPERTS")
}

func TestATourIsLeftAtOnceAndOpenedAgain(t *testing.T) {
	for name, key := range map[string]string{"q": "q", "ctrl+c": "ctrl+c"} {
		t.Run(name, func(t *testing.T) {
			x, tour, _ := tour(t, false)
			tour.Say(1, "It goes on.")
			if err := tour.Type(t.Context(), "half a "); err != nil {
				t.Fatal(err)
			}
			x.press(key)
			x.left()
			if tour.IsReopening() {
				t.Error("it would be opened again")
			}
		})
	}
	x, tour, _ := tour(t, false)
	tour.Hurry(true)
	again := told(func() error { return tour.Reopen(t.Context()) })
	if err := <-x.done; err != nil || !tour.IsReopening() {
		t.Errorf("closed with %v, to be opened again: %t", err, tour.IsReopening())
	}
	x.done <- nil
	start(t, setup{w: 80, h: 24, o: Options{Tour: tour}}, newFake())
	if err := <-again; err != nil || tour.IsReopening() {
		t.Errorf("opened with %v, to be opened again: %t", err, tour.IsReopening())
	}
}

func TestWhatATourDoesNotSeeItTells(t *testing.T) {
	_, tour, _ := tour(t, false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tour.WaitFor(ctx, "a heron"); err == nil {
		t.Error("it saw a heron")
	}
	if err := tour.WaitFor(t.Context(), "("); err == nil || !strings.Contains(err.Error(), "(") {
		t.Errorf("a pattern that is none: %v", err)
	}
}
