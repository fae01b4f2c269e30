package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	"yaap/core"
)

func TestAQuestionOfARunThatIsOverIsNoPlaceForAnAnswer(t *testing.T) {
	f := settled()
	f.prompt = func(_ context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		reply := core.Reply{Status: core.StatusClarification, Message: "Nobody can tell that."}
		f.emit(s, core.RunStart{Prompt: text}, core.FinalOutput{Reply: reply}, core.RunEnd{Outcome: "completed", Status: reply.Status})
		return core.Result{Reply: reply}, nil
	}
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("who knows?", "enter")
	x.see("Nobody can tell that.")
	x.see("ask the room, or @name")
	x.gone("answers the question")
}

func TestASingleAgentThatWaitsIsAnsweredLikeAChain(t *testing.T) {
	f := settled()
	options := []core.Option{{ID: "a", Label: "the blue one"}, {ID: "b", Label: "the red one"}}
	n := 0
	f.prompt = func(_ context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		n++
		if n == 1 {
			reply := core.Reply{Status: core.StatusClarification, Message: "Which wire?", Data: map[string]any{"pause": "p"}}
			f.emit(s, core.RunStart{Runner: "agent/yaap", Prompt: text}, core.FinalOutput{Reply: reply}, core.RunEnd{Outcome: "interrupted", Status: reply.Status, Turns: 1})
			return core.Result{Reply: reply, Turns: 1, Pauses: []core.Pause{{ID: "p", Question: "Which wire?", Options: options}}}, nil
		}
		if n == 2 {
			return core.Result{}, &core.Error{Code: core.CodeInvalid, Message: `"green" is not one of the answers`, Hint: "answer with one of: the blue one, the red one"}
		}
		s.Run, s.Trace = "run1", "run1"
		reply := core.Reply{Status: core.StatusSuccess, Message: "Cut it is."}
		f.emit(s, core.RunStart{Runner: "agent/yaap", Prompt: text, Resumed: true}, core.FinalOutput{Reply: reply}, core.RunEnd{Outcome: "completed", Status: reply.Status, Turns: 2})
		return core.Result{Reply: reply, Turns: 2}, nil
	}
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("defuse it", "enter")
	x.see("2  the red one")
	x.see("1-2 chooses")
	x.press("green", "enter")
	x.see("answer with one of")
	x.see("❯ answers the question")
	x.press("2", "enter")
	s := x.see("Cut it is.")
	if strings.Count(s, "Which wire?") != 1 || strings.Count(s, "Cut it is.") != 1 {
		t.Errorf("question and answer should both stay, once:\n%s", s)
	}
	x.see("❯ ask the room")
}

func TestWhatMayBeChosenIsShownWhicheverWayItIsTold(t *testing.T) {
	options := []core.Option{{ID: "a", Label: "the blue one"}, {ID: "b", Label: "the red one"}}
	for name, eventsFirst := range map[string]bool{"the run returned first": false, "its events came first": true} {
		t.Run(name, func(t *testing.T) {
			p := newPaper(80)
			a := p.ask("q", time.Now())
			reply := core.Reply{Status: core.StatusClarification, Message: "Which wire?"}
			tell := func() {
				p.play(core.Scope{}, core.RunStart{Prompt: "q"}, core.FinalOutput{Reply: reply}, core.RunEnd{Outcome: "interrupted", Status: reply.Status})
			}
			if eventsFirst {
				tell()
			}
			p.ended(a, core.Result{Reply: reply, Pauses: []core.Pause{{Options: options}}}, nil)
			if !eventsFirst {
				tell()
			}
			if got := p.text(); !strings.Contains(got, "2  the red one") || p.asking() != a {
				t.Errorf("got:\n%s", got)
			}
		})
	}
}

func TestAnAnswerThatShowsNothingHasEnded(t *testing.T) {
	for message, want := range map[string]string{
		"\x01\u200b": "There is no message.", "&#27;": "There is nothing to see in the message.", "[a]: https://example.org": "There is nothing to see in the message.",
	} {
		p := newPaper(80)
		p.play(core.Scope{}, core.RunStart{Prompt: "q"}, core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Message: message}},
			core.RunEnd{Outcome: "completed", Status: core.StatusSuccess})
		if got := p.text(); !strings.Contains(got, want) {
			t.Errorf("%q:\n%s", message, got)
		}
	}
}
