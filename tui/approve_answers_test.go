package tui

import (
	"context"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestTheDialogOffersTheAnswersThatThereAre(t *testing.T) {
	for _, c := range []struct {
		options []string
		key     string
		shown   string
		decided string
	}{
		{[]string{core.AllowOnce, core.AllowSession, core.AllowAlways, core.Deny}, "w", "a allow once   s this conversation   w always here   d deny   e edit", core.AllowAlways},
		{[]string{core.AllowSession, core.AllowAlways, core.Deny}, "s", "s until yaap closes   w always here   d deny", core.AllowSession},
		{[]string{core.AllowOnce, core.AllowSession, core.Deny}, "a", "a allow once   s this conversation   d deny   e edit", core.AllowOnce},
	} {
		f := settled()
		given := make(chan core.Answer, 1)
		f.answer = func(_ context.Context, _ *fake, a core.Answer) (core.Result, error) {
			given <- a
			return core.Result{}, nil
		}
		x := start(t, setup{w: 120, h: 40}, f)
		var options []core.Option
		for _, id := range c.options {
			options = append(options, core.Option{ID: id, Label: id})
		}
		f.emit(core.Scope{Thread: "t1"}, core.ApprovalRequested{
			Pause: "p1", Tool: "newt__keep", Expert: "newt", Args: []byte(`{"note":"x"}`), Reason: "it may change something",
			Claims: "changes things, may destroy", Options: options,
		})
		if s := x.armed("newt"); !strings.Contains(s, c.shown) || !strings.Contains(s, "it claims: changes things, may destroy") {
			t.Errorf("%v is shown as\n%s", c.options, s)
		}
		for _, key := range []string{"a", "s", "w"} { // what is not offered goes into the input
			if !strings.Contains(c.shown, key+" ") {
				x.press(key)
				x.see("ctrl+c clears the input")
				x.press("backspace")
				x.gone("ctrl+c clears the input")
				x.armed("newt")
			}
		}
		x.press(c.key)
		x.gone("it claims")
		if got := <-given; got.ID != c.decided {
			t.Errorf("%v: the answer is %+v", c.options, got)
		}
	}
}

func TestAnAnswerForTheConversationAnswersTheCallsBesideIt(t *testing.T) {
	x := start(t, setup{w: 120, h: 40}, guardedRoom("files__write", "files__write", "git__commit"))
	x.press("write it down", "enter")
	x.see("1 of 3")
	x.armed("wants to")
	x.press("s")
	if s := x.wait("the next tool", func(s string) bool {
		return strings.Contains(s, "git wants to use commit")
	}); strings.Contains(s, "files wants to use write") {
		t.Errorf("it is asked about again:\n%s", s)
	}
}
