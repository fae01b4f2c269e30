package tui

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
)

const contactForm = `{"type":"object","required":["name","level"],"properties":{
	"name": {"type":"string","title":"Full name","description":"as it stands in your passport"},
	"email": {"type":"string","format":"email"},
	"age": {"type":"integer","minimum":0},
	"level": {"type":"string","oneOf":[{"const":"lo","title":"Low"},{"const":"hi","title":"High"}]},
	"news": {"type":"boolean","default":false},
	"tags": {"type":"array","items":{"type":"string","enum":["red","green","blue"]}}
}}`

// asking is a room in which an expert needs something of the user.
func asking(t *testing.T, w, h int, b core.ElicitationRequested) (*terminal, *fake) {
	t.Helper()
	f := settled()
	f.answer = func(_ context.Context, f *fake, a core.Answer) (core.Result, error) {
		if string(a.Data) == `{"level":"hi","name":"nobody","news":false}` {
			return core.Result{}, &core.Error{Code: core.CodeInvalid, Message: "name: nobody is called so"}
		}
		f.emit(core.Scope{}, core.ElicitationAnswered{Pause: a.Pause, Expert: "heron", Action: a.ID})
		return core.Result{}, nil
	}
	x := start(t, setup{w: w, h: h}, f)
	b.Pause, b.Expert = "p1", "heron"
	f.emit(core.Scope{}, b)
	x.see("heron asks you")
	x.gone("in a moment")
	return x, f
}

func TestAFormLooksTheSameEverywhere(t *testing.T) {
	for _, c := range []struct{ w, h int }{{80, 24}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", c.w, c.h), func(t *testing.T) {
			x, _ := asking(t, c.w, c.h, core.ElicitationRequested{Message: "Please tell me who you are, so that I can book it.", Schema: []byte(contactForm)})
			x.press("Ada Lovelace")
			x.golden("Ada Lovelace")
		})
	}
}

func TestAFormIsFilledInAndSent(t *testing.T) {
	x, f := asking(t, 120, 40, core.ElicitationRequested{Message: "Who are you?", Schema: []byte(contactForm)})
	x.press("ctrl+s")
	x.see("Full name has to be filled in")
	x.press("Ada", "enter", "ada@example.com", "enter", "abc", "enter")
	x.see("age has to be a whole number")
	x.press("backspace", "backspace", "backspace", "36", "enter", "right", "enter", "left", "enter", "right", " ", "right", " ", "enter")
	x.see("✓ sent to heron")
	x.gone("heron asks you")
	want := []core.Answer{{Pause: "p1", ID: core.Accept, By: "user", Data: []byte(`{"age":36,"email":"ada@example.com","level":"hi","name":"Ada","news":true,"tags":["green","blue"]}`)}}
	if diff := cmp.Diff(want, f.answered()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAFormThatDoesNotFitIsShownAgainWithTheReason(t *testing.T) {
	x, _ := asking(t, 80, 24, core.ElicitationRequested{Message: "Who are you?", Schema: []byte(contactForm)})
	x.press("nobody", "tab", "tab", "tab", "right", "ctrl+s")
	x.see("nobody is called so")
	x.press("shift+tab", "shift+tab", "shift+tab", " no more", "ctrl+s")
	x.see("✓ sent to heron")
}

func TestAFormIsDeclined(t *testing.T) {
	x, f := asking(t, 80, 24, core.ElicitationRequested{Message: "Who are you?", Schema: []byte(contactForm)})
	x.press("secret", "esc")
	x.see("nothing was sent to heron")
	if diff := cmp.Diff([]core.Answer{{Pause: "p1", ID: core.Decline, By: "user"}}, f.answered()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAPageIsShownByItsHostAndNotOpened(t *testing.T) {
	x, f := asking(t, 80, 24, core.ElicitationRequested{Message: "Sign in at the bank", URL: "https://bank.example@evil.example/login\u202egnp"})
	x.golden("host    evil.example")
	x.press("enter")
	x.see("✓ sent to heron")
	if got := f.answered(); len(got) != 1 || got[0].ID != core.Accept || got[0].Data != nil {
		t.Errorf("got %+v", got)
	}
}

func TestAFormThatNobodyCanFillInIsDeclined(t *testing.T) {
	f := settled()
	f.answer = func(_ context.Context, f *fake, a core.Answer) (core.Result, error) {
		f.emit(core.Scope{}, core.ElicitationAnswered{Pause: a.Pause, Expert: "heron", Action: a.ID})
		return core.Result{}, nil
	}
	x := start(t, setup{w: 80, h: 24}, f)
	f.emit(core.Scope{}, core.ElicitationRequested{Pause: "p1", Expert: "heron", Message: "x", Schema: []byte(`[]`)})
	x.see("nothing was sent to heron")
}

func TestWhatIsTypedWhileAFormComesUpGoesIntoTheInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModel(t.Context(), Options{Thread: "t1"}, newFake(), &jobs{})
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		tell(m, core.Scope{}, core.ElicitationRequested{Pause: "p", Expert: "heron", Message: "Who are you?", Schema: []byte(contactForm)})
		for _, r := range "hello" {
			m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
		time.Sleep(armAfter)
		m.Update(tea.KeyPressMsg{Code: 'A', Text: "A"})
		if got := m.input.value(); got != "hello" {
			t.Errorf("the input is %q", got)
		}
		if got := m.form().blanks[0].edit.area.Value(); got != "A" {
			t.Errorf("the form has %q", got)
		}
	})
}
