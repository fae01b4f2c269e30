package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
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
			f.emit(s, core.RunStart{Runner: "agent/yaap", Prompt: text}, core.ClarificationRequested{ID: "p", Question: "Which wire?", Options: options},
				core.FinalOutput{Reply: reply}, core.RunEnd{Outcome: "interrupted", Status: reply.Status, Turns: 1})
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
	x.see("2 the red one")
	x.see("1-2 chooses")
	x.press("green", "enter")
	x.see("answer with one of")
	x.see("❯ answers the question")
	x.press("2")
	s := x.see("Cut it is.", "Which wire?")
	if strings.Count(s, "Which wire?") != 1 || strings.Count(s, "Cut it is.") != 1 {
		t.Errorf("question and answer should both stay, once:\n%s", s)
	}
	x.see("❯ ask the room")
}

func TestTheSignOfAFailureStandsBeforeThePartThatFailed(t *testing.T) {
	for status, sign := range map[core.Status]string{core.StatusFailure: "✗", core.StatusClarification: "?"} {
		p := newPaper(80)
		rest := "git did not answer within 60 s."
		reply := core.Reply{Status: status, Message: "It is 42.\n\n" + rest, Data: map[string]any{core.DataUnanswered: rest}}
		p.play(core.Scope{}, core.RunStart{Prompt: "q"}, core.FinalOutput{Reply: reply}, core.RunEnd{Outcome: "completed", Status: status})
		lines := strings.Split(strings.TrimRight(p.text(), "\n "), "\n")
		last, before := strings.TrimSpace(lines[len(lines)-1]), strings.TrimSpace(lines[len(lines)-2])
		if last != sign+" "+rest || !strings.HasSuffix(before, "It is 42.") || strings.Contains(before, sign) {
			t.Errorf("got:\n%s", p.text())
		}
	}
}

// doubt answers a prompt with a question and what may be sent next, and tells
// what else it was asked.
func doubt(options ...any) *fake {
	f := settled()
	f.prompt = func(_ context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		reply := core.Reply{Status: core.StatusSuccess, Message: "You sent: " + text}
		if text == "3/4/2026" {
			reply = core.Reply{Status: core.StatusClarification, Message: "Is that for calc, or for clock?", Data: map[string]any{"options": options}}
		}
		f.emit(s, core.RunStart{Prompt: text}, core.FinalOutput{Reply: reply}, core.RunEnd{Outcome: "completed", Status: reply.Status, Turns: 1})
		return core.Result{Reply: reply, Turns: 1}, nil
	}
	return f
}

func TestADigitSendsTheOptionOfThatNumber(t *testing.T) {
	f := doubt("@calc 3/4/2026", "@clock 3/4/2026")
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("3/4/2026", "enter")
	x.see("2 @clock 3/4/2026")
	x.see("1-2 chooses")
	x.press("2")
	x.see("You sent: @clock 3/4/2026")
	x.gone("chooses")
	x.press("1")
	x.see("❯ 1")
	x.press("backspace", "up")
	x.see("❯ @clock 3/4/2026")
	if len(f.prompts) != 2 {
		t.Errorf("options of an earlier answer were sent, too: %q", f.prompts)
	}
}

func TestADigitIsTypedWhereThereIsNoSuchOptionOrADraft(t *testing.T) {
	f := doubt("@calc 3/4/2026", "@clock 3/4/2026")
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("3/4/2026", "enter")
	x.see("1-2 chooses")
	x.press("3")
	x.see("❯ 3")
	x.press("1")
	x.see("❯ 31")
	if len(f.prompts) != 1 {
		t.Errorf("sent %q", f.prompts)
	}
}

func TestAnOptionIsNoCommandAndIsSentAsItIsShown(t *testing.T) {
	f := doubt("/trust x", "  /chain run asks", "\x1b[2J/trust y", "", "twice", "twice", 7, strings.Repeat("long", 60), "!ls \x1b]52;c;AAAA\x07-l")
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("3/4/2026", "enter")
	x.see("1 twice")
	x.see("2 !ls -l")
	x.see("1-2 chooses")
	x.press("2")
	x.see("You sent: !ls -l")
	if len(f.done) != 0 {
		t.Errorf("commands were run: %q", f.done)
	}
}

func TestNoMoreThanNineOptionsAreOffered(t *testing.T) {
	var many []any
	for i := range 300 {
		many = append(many, "option "+itoa(i+1))
	}
	x := start(t, setup{w: 120, h: 40}, doubt(many...))
	x.press("3/4/2026", "enter")
	if s := x.see("1-9 chooses"); !strings.Contains(s, "9 option 9") || strings.Contains(s, "option 10") {
		t.Errorf("got:\n%s", s)
	}
}

func TestAnOptionOfAConversationThatIsOpenedAgainCanBeSent(t *testing.T) {
	f := doubt()
	reply := core.Reply{Status: core.StatusClarification, Message: "Which Newport?", Data: map[string]any{"options": []any{"Wales", "Rhode Island"}}}
	f.messages["t1"] = []core.Message{{ID: "m1", Run: "old", Role: core.RoleUser, Text: "tide in Newport", Time: f.now}}
	f.told = map[string][]core.Event{"t1": reported("old", f.now, 1, core.RunStart{Prompt: "tide in Newport"},
		core.FinalOutput{Reply: reply}, core.RunEnd{Outcome: "completed", Status: reply.Status})}
	x := start(t, setup{w: 120, h: 40}, f)
	x.see("2 Rhode Island")
	x.see("1-2 chooses")
	x.press("2")
	x.see("You sent: Rhode Island")
}

func TestAModelIsNamedOnceInAnAnswerThatIsOpened(t *testing.T) {
	for _, level := range []detail{detailCalm, detailTurns} {
		p := newPaper(100)
		p.detail = level
		p.resize(rect{w: 100, h: 200}, sizeMedium)
		p.play(core.Scope{}, core.RunStart{Prompt: "q"})
		p.play(turn(1), core.AgentProcessing{Model: "openai/fake", Tools: []string{"t"}}, core.TurnStart{}, core.LLMCallStart{Call: "l", Model: "openai/fake"},
			core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Message: "fine"}})
		p.play(core.Scope{}, core.RunEnd{Outcome: "completed", MS: 503, Turns: 1})
		if got := p.text(); strings.Count(got, "openai/fake") != 1 {
			t.Errorf("at %v:\n%s", level, got)
		}
	}
}

func TestWhatIsRefusedIsNotOfferedToBeTriedAgain(t *testing.T) {
	p := newPaper(80)
	p.canvas.again, p.detail = "r", detailTurns
	p.resize(rect{w: 80, h: 200}, sizeMedium)
	a := p.ask("/compact", "r1", time.Now())
	p.refused(a, core.Fail(core.CodeInvalid, "nothing has to be summed up", "choose another model with /model"))
	want := " you      /compact\n yaap   ✗ nothing has to be summed up\n          choose another model with /model"
	if got := p.text(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
