package tui

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
)

// paper is a chat that is drawn without a program around it.
type paper struct {
	chat
	f *fake
}

func newPaper(w int) *paper {
	p := newPen(func(string) string { return "" })
	c := newChat(&p, "t1", "", time.Now())
	c.h, c.said = 200, true
	c.resize(rect{w: w, h: 200}, sizeMedium)
	return &paper{chat: c, f: newFake()}
}

// play applies events.
func (p *paper) play(s core.Scope, bodies ...core.Body) {
	if s.Thread == "" {
		s.Thread, s.Run, s.Trace = "t1", "r1", "r1"
	}
	p.f.emit(s, bodies...)
	for _, e := range p.f.events {
		p.apply(e)
	}
	p.f.events = nil
}

// lines are the rows as text.
func (p *paper) lines() []string {
	rows, _ := p.rows(&p.canvas, nil, nil)
	var out []string
	for _, row := range rows {
		out = append(out, strings.TrimRight(ansi.Strip(row), " "))
	}
	return strings.Split(strings.Trim(strings.Join(out, "\n"), "\n"), "\n")
}

func (p *paper) text() string { return strings.Join(p.lines(), "\n") }

func turn(n int) core.Scope {
	return core.Scope{Thread: "t1", Run: "r1", Trace: "r1", Agent: "yaap", Turn: n}
}

func TestTheFinalScreenIsThatOfAFullRender(t *testing.T) {
	message := "Not **quite**:\n\n1. one\n2. two `x`\n\n```go\nfunc f() {}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nDone, with [a link](https://example.com)."
	thought := strings.Repeat("I weigh it up, word by word. ", 12)
	whole, streamed := newPaper(90), newPaper(90)
	for _, p := range []*paper{whole, streamed} {
		p.play(core.Scope{}, core.RunStart{Prompt: "q"})
		p.play(turn(1), turnBegins(1)...)
		if p == streamed {
			for _, body := range append(pieces("m1", core.FieldThought, thought), pieces("m1", core.FieldMessage, message)...) {
				p.play(turn(1), body)
				p.text()
			}
		}
		p.play(turn(1), core.LLMCallEnd{Call: "m1"}, core.AssistantMessage{Text: message},
			core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Thought: thought, Message: message}}, core.TurnEnd{})
		p.play(core.Scope{}, core.RunEnd{Outcome: "completed", Turns: 1, MS: 5})
	}
	if diff := gocmp.Diff(whole.lines(), streamed.lines()); diff != "" {
		t.Errorf("-whole +streamed\n%s", diff)
	}
	if !strings.Contains(whole.text(), "Done, with") {
		t.Errorf("the answer is not shown:\n%s", whole.text())
	}
}

func TestTextBesideCallsIsReasoningAndNotTheAnswer(t *testing.T) {
	p := newPaper(80)
	p.play(core.Scope{}, core.RunStart{Prompt: "q"})
	p.play(turn(1), turnBegins(1)...)
	p.play(turn(1), pieces("m1", core.FieldText, "Let me ask calc.")...)
	if !strings.Contains(p.text(), "Let me ask calc.▌") {
		t.Errorf("while it streams it is the draft:\n%s", p.text())
	}
	p.play(turn(1), core.AssistantMessage{Text: "Let me ask calc.", Calls: 1},
		core.ToolRequests{Calls: []core.Call{{ID: "c1", Tool: "calc", Args: []byte(`{"prompt":"1+1"}`)}}})
	got := p.text()
	if !strings.Contains(got, "◐ calc · 0.0 s\n          Let me ask calc.") || strings.Contains(got, "▌") {
		t.Errorf("with a call it is reasoning:\n%s", got)
	}
}

func TestARetryVoidsWhatTheFirstTryStreamed(t *testing.T) {
	p := newPaper(80)
	p.play(core.Scope{}, core.RunStart{Prompt: "q"})
	p.play(turn(1), turnBegins(1)...)
	p.play(turn(1), pieces("m1", core.FieldThought, "first thought")...)
	p.play(turn(1), pieces("m1", core.FieldMessage, "half an ans")...)
	p.play(turn(1), core.Retry{Operation: "llm_call", Attempt: 2, Reason: "the stream broke"},
		core.LLMCallStart{Call: "m1b", Model: "offline"})
	p.play(turn(1), core.Delta{Stream: "m1", Field: core.FieldMessage, Text: "late"})
	p.play(turn(1), pieces("m1b", core.FieldMessage, "whole answer")...)
	got := p.text()
	if strings.Contains(got, "half") || strings.Contains(got, "first") || strings.Contains(got, "late") || !strings.Contains(got, "whole answer") {
		t.Errorf("got:\n%s", got)
	}
}

func TestAMessageThatIsStreamedAnewReplacesTheFirst(t *testing.T) {
	p := newPaper(80)
	p.play(core.Scope{}, core.RunStart{Prompt: "q"})
	p.play(turn(1), turnBegins(1)...)
	p.play(turn(1), pieces("m1", core.FieldMessage, "a draft")...)
	p.play(turn(1), core.Delta{Stream: "m1", Field: core.FieldMessage, Text: "the answer", Reset: true})
	if got := p.text(); strings.Contains(got, "draft") || !strings.Contains(got, "the answer") {
		t.Errorf("got:\n%s", got)
	}
}

func TestAThoughtThatWasStreamedBeforeTheCallsIsNotShownTwice(t *testing.T) {
	p := newPaper(80)
	p.canvas.detail = detailTurns
	p.play(core.Scope{}, core.RunStart{Prompt: "q"})
	p.play(turn(1), turnBegins(1)...)
	p.play(turn(1), pieces("m1", core.FieldThought, "calc fits.")...)
	p.play(turn(1), core.ToolRequests{Calls: []core.Call{{ID: "c1", Tool: "calc"}}})
	p.play(turn(2), turnBegins(2)...)
	p.play(turn(2), core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Thought: "calc fits. It answered.", Message: "2"}})
	if got := p.text(); strings.Count(got, "calc fits.") != 1 || strings.Index(got, "calc fits. It answered.") > strings.Index(got, "└") {
		t.Errorf("got:\n%s", got)
	}
}

func TestARunBelowACallIsIndentedUnderIt(t *testing.T) {
	p := newPaper(80)
	p.canvas.detail = detailTurns
	p.play(core.Scope{}, core.RunStart{Prompt: "q"})
	p.play(turn(1), core.ToolRequests{Calls: []core.Call{{ID: "c1", Tool: "scout"}}}, core.ToolCallStart{Call: "c1", Tool: "scout", Expert: "scout"})
	child := turn(1).Child("c1")
	p.play(child, core.RunStart{Prompt: "sub"}, core.ToolRequests{Calls: []core.Call{{ID: "k", Tool: "files", Args: []byte(`{"path":"a.md","n":3}`)}}},
		core.ToolCallEnd{Call: "k", Tool: "files", Expert: "files", Status: core.ToolSuccess, MS: 4},
		core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Message: "not for the chat"}}, core.RunEnd{Outcome: "completed"})
	got := p.text()
	if !strings.Contains(got, "└ ◐ scout") || !strings.Contains(got, "    └ ✓ files  path: a.md, n: 3") {
		t.Errorf("got:\n%s", got)
	}
	if strings.Contains(got, "not for the chat") || p.active() == nil {
		t.Errorf("the end of the run below ended the run:\n%s", got)
	}
}

func TestHowARunEndedIsSaidWithWhatToDoNext(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(p *paper)
		want []string
	}{
		{"error", func(p *paper) {
			p.play(core.Scope{}, core.RunEnd{Outcome: "error", Code: core.CodeUnreachable, Error: "the model does not answer", Hint: "start it with: ollama serve"})
		}, []string{"✗ the model does not answer", "  start it with: ollama serve"}},
		{"stopped", func(p *paper) {
			p.play(core.Scope{}, core.RunEnd{Outcome: "interrupted", Code: core.CodeStopped, Error: "stopped by you", Hint: "/continue goes on"})
		}, []string{"– stopped by you", "/continue goes on"}},
		{"asked back", func(p *paper) {
			p.play(turn(1), core.FinalOutput{Reply: core.Reply{Status: core.StatusClarification, Message: "Which town?"}})
		}, []string{"? Which town?"}},
		{"failure", func(p *paper) {
			p.play(turn(1), core.FinalOutput{Reply: core.Reply{Status: core.StatusFailure, Message: "No such file."}})
		}, []string{"✗ No such file."}},
		{"a call failed", func(p *paper) {
			p.play(turn(1), core.ToolCallEnd{Call: "c", Tool: "data__query", Expert: "data", Status: core.ToolError, Text: "no such table: sales", MS: 1200})
		}, []string{"└ ✗ data query", "1.2 s", "no such table: sales"}},
		{"a call was not answered", func(p *paper) {
			p.play(turn(1), core.ToolCallStart{Call: "c", Tool: "git", Expert: "git"})
			p.play(core.Scope{}, core.RunEnd{Outcome: "error", Error: "cancelled"})
		}, []string{"✗ git", "not answered", "✗ cancelled"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPaper(80)
			p.canvas.detail = detailTurns
			p.play(core.Scope{}, core.RunStart{Prompt: "q"})
			c.play(p)
			for _, want := range c.want {
				if got := p.text(); !strings.Contains(got, want) {
					t.Errorf("no %q in:\n%s", want, got)
				}
			}
		})
	}
}

func TestAChainOfAFileIsCalledByTheFilesName(t *testing.T) {
	for name, want := range map[string]string{"trip": "trip", "deploy.v2": "deploy.v2", "/tmp/x/paint.yaml": "paint", "a/b.v2.yml": "b.v2"} {
		if got := chainName(name); got != want {
			t.Errorf("%s is called %s, want %s", name, got, want)
		}
	}
}

func TestWhatWasAnsweredBeforeTheUserStoppedARunStands(t *testing.T) {
	p := newPaper(80)
	p.play(core.Scope{}, core.RunStart{Prompt: "q"})
	p.play(turn(1), core.ToolCallStart{Call: "c", Tool: "calc", Expert: "calc"}, core.ToolCallStart{Call: "d", Tool: "sloth", Expert: "sloth"},
		core.ToolCallEnd{Call: "c", Tool: "calc", Expert: "calc", Status: core.ToolSuccess, Text: "56 = 7 × 8"})
	p.play(core.Scope{}, core.RunEnd{Outcome: "error", Code: core.CodeCancelled, Error: "cancelled", MS: 3200})
	want := " you      q\n          calc, – sloth · 3.2 s\n yaap   – Stopped by you. What was there so far:\n          calc: 56 = 7 × 8\n          /continue goes on with it"
	if got := p.text(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	p.ask("another", "r2", time.Now())
	if got := p.text(); strings.Contains(got, "/continue") {
		t.Errorf("what is gone on with by then is another one:\n%s", got)
	}
}

func TestTheResultOfAnAnswerIsBoldWhereNoModelWroteIt(t *testing.T) {
	for model, bold := range map[string]bool{"offline": true, "": true, "ollama/llama": false} {
		p := newPaper(80)
		p.play(core.Scope{}, core.RunStart{Prompt: "q"})
		p.play(turn(1), core.LLMCallStart{Call: "m", Model: model},
			core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Message: "1200 kg of grapes were harvested."}})
		p.play(core.Scope{}, core.RunEnd{Outcome: "completed", Turns: 1})
		rows, _ := p.rows(&p.canvas, nil, nil)
		if drawn := strings.Join(rows, "\n"); strings.Contains(drawn, "\x1b[1m1200\x1b[m kg") != bold {
			t.Errorf("%q: %q", model, drawn)
		}
	}
}

func TestAPromptThatFailsBeforeItsRunStartsSaysWhy(t *testing.T) {
	p := newPaper(80)
	a := p.ask("q", "r1", time.Now())
	p.refused(a, &core.Error{Code: core.CodeBusy, Message: "another window answers here", Hint: "wait, or /new"})
	p.ask("next", "r2", time.Now())
	p.play(core.Scope{Thread: "t1", Run: "r2", Trace: "r2"}, core.RunStart{Prompt: "next"})
	got := p.text()
	if !strings.Contains(got, "✗ another window answers here") || !strings.Contains(got, "wait, or /new") || p.active() == nil || p.active().run.Prompt != "next" {
		t.Errorf("got:\n%s", got)
	}
}

func TestAnAnswerThatIsGoneOnWithIsOpenedAgain(t *testing.T) {
	p := newPaper(80)
	p.canvas.detail = detailTurns
	p.ask("q", "r1", time.Now())
	p.play(core.Scope{}, core.RunStart{Prompt: "q"})
	p.play(turn(1), turnBegins(1)...)
	p.play(turn(1), core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Message: "as far as I got"}})
	p.play(core.Scope{}, core.RunEnd{Outcome: "interrupted", Code: core.CodeTurnLimit, Error: "out of turns", Hint: "/continue", Turns: 1})
	p.play(core.Scope{}, core.RunStart{Prompt: "q", Resumed: true})
	if got := p.text(); p.active() == nil || strings.Contains(got, "out of turns") || strings.Contains(got, "as far") {
		t.Errorf("while it goes on:\n%s", got)
	}
	p.play(turn(2), core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Message: "all of it"}})
	p.play(core.Scope{}, core.RunEnd{Outcome: "completed", Turns: 2})
	got := p.text()
	if p.active() != nil || !strings.Contains(got, "all of it") || strings.Count(got, "you") != 1 || !strings.Contains(got, "2 turns") {
		t.Errorf("got:\n%s", got)
	}
}

func TestExpertsThatAreHereAtTheStartShareALine(t *testing.T) {
	p := newPaper(90)
	p.said = false
	p.canvas.now = time.Now().UnixNano()
	for i, name := range []string{"git", "calc", "clock"} {
		p.play(core.Scope{Agent: "room", Thread: "-"}, core.ExpertJoined{Name: name, Count: i + 1})
	}
	if got := p.text(); got != " → calc, clock, git are in the room" {
		t.Errorf("got %q", got)
	}
	p.said = true
	p.play(core.Scope{Thread: "-"}, core.ExpertJoined{Name: "weather", Description: "weather: Forecasts.", Count: 4},
		core.ExpertLeft{Name: "git", Reason: core.LeftGoodbye, Count: 3},
		core.ExpertLeft{Name: "clock", Reason: core.LeftGoodbye, Detail: "it is late", Count: 3}, core.ExpertLeft{Name: "calc", Reason: core.LeftExited, Detail: "exited 1: no memory", Count: 2})
	got := p.text()
	for _, want := range []string{"→ weather joined  Forecasts.", "3 → 4 in the room", "← git left  said goodbye", "← clock left  said goodbye: it is late", "← calc left  exited 1: no memory", "3 → 2 in the room"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func TestAnExpertThatComesBackSoonAfterTheStartIsSaidToHaveJoined(t *testing.T) {
	p := newPaper(90)
	p.said = false
	p.canvas.now = time.Now().UnixNano()
	p.play(core.Scope{Thread: "-"},
		core.ExpertStatus{Name: "calc", State: core.ExpertJoining}, core.ExpertJoined{Name: "calc", Description: "Sums.", Count: 1},
		core.ExpertLeft{Name: "calc", Reason: core.LeftExited, Detail: "exited with status 3"},
		core.ExpertStatus{Name: "calc", State: core.ExpertJoining}, core.ExpertJoined{Name: "calc", Description: "Sums.", Count: 1})
	got := p.text()
	left, again := strings.Index(got, "calc left"), strings.Index(got, "calc joined")
	if !strings.Contains(got, "calc is in the room") || left < 0 || again < left {
		t.Errorf("got:\n%s", got)
	}
}

func TestAnAnswerWithoutAMessageShowsWhatThereIs(t *testing.T) {
	for _, c := range []struct {
		reply      core.Reply
		want, lack string
	}{
		{core.Reply{Data: map[string]any{"sum": 4.0}}, `"sum": 4`, "{}"},
		{core.Reply{}, "There is no message.", "{"},
		{core.Reply{Message: "four", Data: map[string]any{"sum": 4.0}}, "four", "sum"},
		{core.Reply{Message: "\x01\u200b"}, "There is no message.", "\u200b"},
		{core.Reply{Message: "&#27;"}, "There is nothing to see in the message.", "&"},
		{core.Reply{Message: "[a]: https://example.org"}, "There is nothing to see in the message.", "[a]"},
		{core.Reply{Status: core.StatusFailure, Message: "It has an invalid format.", Data: map[string]any{"raw_output": "It is two."}}, "It is two.", "raw_output"},
	} {
		p := newPaper(80)
		c.reply.Status = cmp.Or(c.reply.Status, core.StatusSuccess)
		p.play(core.Scope{}, core.RunStart{Prompt: "q"}, core.FinalOutput{Reply: c.reply}, core.RunEnd{Outcome: "completed", Status: c.reply.Status})
		if got := p.text(); !strings.Contains(got, c.want) || strings.Contains(got, c.lack) || !strings.Contains(got, c.reply.Message) && c.reply.Status == core.StatusFailure {
			t.Errorf("want %q, not %q:\n%s", c.want, c.lack, got)
		}
	}
}

func TestAThoughtFoldsWhenTheAnswerIsThere(t *testing.T) {
	p := newPaper(80)
	p.play(core.Scope{}, core.RunStart{Prompt: "q"})
	p.play(turn(1), turnBegins(1)...)
	p.play(turn(1), append(pieces("m1", core.FieldThought, "calc fits."), core.LLMCallEnd{Call: "m1"}, core.AssistantMessage{Calls: 1},
		core.ToolCallStart{Call: "c", Tool: "calc"}, core.ToolCallEnd{Call: "c", Tool: "calc", Status: core.ToolSuccess}, core.TurnEnd{})...)
	p.play(turn(2), turnBegins(2)...)
	p.play(turn(2), pieces("m2", core.FieldThought, "I pass it on.")...)
	if got := p.text(); !strings.Contains(got, "I pass it on.") {
		t.Errorf("the thought does not show while it is written:\n%s", got)
	}
	p.play(turn(2), core.LLMCallEnd{Call: "m2"}, core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Thought: "I pass it on.", Message: "2"}}, core.TurnEnd{})
	p.play(core.Scope{}, core.RunEnd{Outcome: "completed", Turns: 2})
	got := p.text()
	if got != " you      q\n          calc\n yaap     2" {
		t.Errorf("got\n%s", got)
	}
	p.canvas.detail = detailThoughts
	if got := p.text(); got != " you      q\n          calc\n          calc fits.\n          I pass it on.\n yaap     2" {
		t.Errorf("with thoughts\n%s", got)
	}
}

func TestExpertsThatWereOnTheirWayShareALineAfterAnEarlyQuestionToo(t *testing.T) {
	p := newPaper(90)
	p.said = false
	room := core.Scope{Thread: "-"}
	p.play(room, core.ExpertStatus{Name: "calc", State: core.ExpertJoining}, core.ExpertStatus{Name: "git", State: core.ExpertJoining})
	p.ask("2+2?", "r1", time.Now())
	p.play(room, core.ExpertJoined{Name: "calc", Count: 1}, core.ExpertJoined{Name: "git", Count: 2})
	p.play(room, core.ExpertStatus{Name: "heron", State: core.ExpertJoining}, core.ExpertJoined{Name: "heron", Description: "Fish.", Count: 3})
	got := p.text()
	if !strings.Contains(got, "→ calc, git are in the room") || !strings.Contains(got, "→ heron joined") {
		t.Errorf("got\n%s", got)
	}
}

func TestAnExpertThatWasAskedByNameIsNamedAboveItsAnswer(t *testing.T) {
	p := newPaper(80)
	s := core.Scope{Thread: "t1", Run: "r1", Trace: "r1", Agent: "git"}
	p.play(s, core.RunStart{Runner: "expert/git", Prompt: "@git who"}, core.ToolCallStart{Call: "c", Tool: "git", Expert: "git"},
		core.ToolCallEnd{Call: "c", Tool: "git", Expert: "git", Status: core.ToolError, Text: "No commit fits.", MS: 32},
		core.FinalOutput{Reply: core.Reply{Status: core.StatusFailure, Message: "No commit fits."}}, core.RunEnd{Outcome: "completed", MS: 35})
	got := p.text()
	if !strings.Contains(got, "          ✗ git · 35 ms\n yaap   ✗ No commit fits.") || strings.Count(got, "No commit fits.") != 1 {
		t.Errorf("got:\n%s", got)
	}
}

func TestAnExpertThatIsGivenUpIsToldWithWhatToDo(t *testing.T) {
	p := newPaper(80)
	p.play(core.Scope{Thread: "-"}, core.ExpertStatus{Name: "tides", State: core.ExpertJoining},
		core.ExpertStatus{Name: "tides", State: core.ExpertQuarantined, Message: "cannot run tides.py: no such file"})
	want := []string{" ✗ tides does not work  cannot run tides.py: no such file", "   /experts restart tides tries again, f2 shows what it printed"}
	if diff := gocmp.Diff(want, p.lines()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestTheEventLogIsBounded(t *testing.T) {
	l := newEventsPane(host{}).(*eventsPane)
	for i := range 3 * maxRecords {
		l.Event(core.Event{Seq: uint64(i), Body: core.TurnStart{}})
	}
	if n := len(l.all); n > maxRecords*11/10 {
		t.Errorf("%d records are kept", n)
	}
	for i := range 100 {
		l.Event(core.Event{Seq: uint64(i), Body: core.AssistantMessage{Text: strings.Repeat("x", 1<<20)}})
	}
	if l.size > maxLog || len(l.all) < 5 {
		t.Errorf("%d bytes in %d records are kept", l.size, len(l.all))
	}
}

func TestOnlySoManyItemsAreKept(t *testing.T) {
	p := newPaper(80)
	for i := range 3 * resident {
		p.push(newSpoken(fmt.Sprint("message ", i), false))
	}
	if n := len(p.items); n > resident*5/4 || !p.earlier {
		t.Errorf("%d items are kept, earlier %v", n, p.earlier)
	}
	if !strings.Contains(p.text(), fmt.Sprint("message ", 3*resident-1)) {
		t.Error("the newest is not among them")
	}
}

func TestOlderMessagesCanBeReadAgain(t *testing.T) {
	page := func(from int) (p core.Page) {
		for i := from; i < from+20; i++ {
			run, at := fmt.Sprint("r", i), time.Unix(int64(i), 0)
			p.Messages = append(p.Messages, core.Message{Run: run, Role: core.RoleUser, Text: fmt.Sprint("question ", i), Time: at})
			p.Events = append(p.Events, reported(run, at, 1, core.RunStart{}, core.FinalOutput{Reply: core.Reply{Message: "answer"}}, core.RunEnd{Outcome: "completed"})...)
		}
		p.Earlier = from > 0
		return p
	}
	p := newPaper(80)
	p.restore(page(20))
	if len(p.items) != 40 || !p.earlier || p.firstRun() != "r20" {
		t.Fatalf("%d items, earlier %v, first %s", len(p.items), p.earlier, p.firstRun())
	}
	p.h = 10
	p.follow, p.top, p.off = false, 0, 0
	before := p.lines()[0]
	older := page(0)
	p.prepend(p.replayPage(older), older.Earlier)
	if got := p.lines()[0]; got != before {
		t.Errorf("the window moved from %q to %q", before, got)
	}
	if first, ok := p.items[0].(*spoken); !ok || first.text != "question 0" || len(p.items) != 80 || p.earlier {
		t.Errorf("%d items, earlier %v, first %+v", len(p.items), p.earlier, p.items[0])
	}
}

func TestRowsThatComeBelowWhoHasScrolledUpAreCounted(t *testing.T) {
	p := newPaper(80)
	r := rect{w: 80, h: 10}
	p.resize(r, sizeMedium)
	p.play(core.Scope{}, core.RunStart{Prompt: "q"})
	write := func(lines int) {
		p.play(turn(1), core.Delta{Stream: "s", Field: core.FieldMessage, Text: strings.Repeat("a line\n\n", lines)})
	}
	write(20)
	p.draw(r, false)
	p.scroll(&p.canvas, -5)
	if got := strings.Join(p.draw(r, false), "\n"); !strings.Contains(got, p.canvas.down+" end") {
		t.Errorf("nothing is new yet:\n%s", got)
	}
	write(3)
	if got := strings.Join(p.draw(r, false), "\n"); !strings.Contains(got, p.canvas.down+" 6 new") {
		t.Errorf("six rows are new:\n%s", got)
	}
	p.toEnd()
	p.draw(r, false)
	p.scroll(&p.canvas, -5)
	if got := strings.Join(p.draw(r, false), "\n"); !strings.Contains(got, p.canvas.down+" end") {
		t.Errorf("all was seen:\n%s", got)
	}
}
