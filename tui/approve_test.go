package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
)

const noteArgs = `{"path":"notes/2026.md","text":"Ask Sam about the \u202elease\u202c.","tags":["ops"]}`

// pauseOf is what a call waits with.
func pauseOf(run, id, tool, args string) core.Pause {
	return core.Pause{
		ID: run + "#" + id, Run: run, Root: run, Thread: "t1", Kind: core.PauseApproval, From: "yaap",
		Question: "files says that this changes files", Call: &core.Call{ID: id, Tool: tool, Args: []byte(args)},
	}
}

// waitsWith emits that a call waits, and what comes before.
func waitsWith(f *fake, s core.Scope, p core.Pause) {
	s.Turn = 1
	owner, _, _ := strings.Cut(p.Call.Tool, "__")
	f.emit(s, core.ToolRequests{Calls: []core.Call{*p.Call}},
		core.ToolCallStart{Call: p.Call.ID, Tool: p.Call.Tool, Expert: owner, Args: p.Call.Args},
		core.ApprovalRequested{Pause: p.ID, Call: p.Call.ID, Tool: p.Call.Tool, Expert: owner, Args: p.Call.Args, Reason: p.Question},
		core.ToolCallEnd{Call: p.Call.ID, Tool: p.Call.Tool, Expert: owner, Status: core.ToolWaiting})
}

// suspend ends a run that waits.
func suspend(f *fake, s core.Scope, pauses ...core.Pause) (core.Result, error) {
	reply := core.Reply{Status: core.StatusClarification, Message: pauses[0].Question, Data: map[string]any{"pause": pauses[0].ID}}
	f.emit(s, core.FinalOutput{Reply: reply}, core.RunEnd{Outcome: "interrupted", Status: reply.Status, Turns: 1})
	return core.Result{Reply: reply, Turns: 1, Pauses: pauses}, nil
}

// guardedRoom is a room where a prompt leads to calls that have to be allowed.
func guardedRoom(tools ...string) *fake {
	f := settled()
	var pauses []core.Pause
	f.prompt = func(_ context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		f.emit(s, core.RunStart{Runner: "agent/yaap", Prompt: text})
		for i, tool := range tools {
			args := noteArgs
			if i > 0 {
				args = `{"message":"notes"}`
			}
			p := pauseOf(s.Run, fmt.Sprint("c", i+1), tool, args)
			pauses = append(pauses, p)
			waitsWith(f, s, p)
		}
		return suspend(f, s, pauses...)
	}
	f.answer = func(_ context.Context, f *fake, a core.Answer) (core.Result, error) {
		p := pauses[0]
		s := core.Scope{Thread: "t1", Run: p.Run, Trace: p.Run, Agent: "yaap"}
		f.emit(s, core.ApprovalGiven{Pause: p.ID, Call: p.Call.ID, Decision: a.ID, Args: a.Data, By: a.By}, core.RunStart{Runner: "agent/yaap", Resumed: true})
		if pauses = pauses[1:]; len(pauses) > 0 {
			return suspend(f, s, pauses...)
		}
		reply := core.Reply{Status: core.StatusSuccess, Message: "It is written."}
		s.Turn = 2
		f.emit(s, core.FinalOutput{Reply: reply}, core.RunEnd{Outcome: "completed", Status: reply.Status, Turns: 2})
		return core.Result{Reply: reply, Turns: 2}, nil
	}
	return f
}

// toldToWrite is a terminal in which a prompt has led to a call that has to be allowed.
func toldToWrite(t *testing.T, f *fake) *terminal {
	t.Helper()
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("write it down", "enter")
	x.armed("wants to")
	return x
}

// armed waits until keys decide.
func (x *terminal) armed(title string) string {
	x.t.Helper()
	return x.wait("armed dialog", func(s string) bool {
		return strings.Contains(s, title) && !strings.Contains(s, "in a moment")
	})
}

func (f *fake) answered() []core.Answer {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]core.Answer(nil), f.answers...)
}

func TestTheDialogOfAnApproval(t *testing.T) {
	for _, c := range []struct{ w, h int }{{80, 24}, {120, 40}, {200, 60}, {40, 10}, {24, 6}} {
		t.Run(fmt.Sprintf("%dx%d", c.w, c.h), func(t *testing.T) {
			x := start(t, setup{w: c.w, h: c.h, o: Options{Title: "infra-notes", Model: "offline"}}, guardedRoom("files__write", "git__commit"))
			x.press("write it down", "enter")
			x.see("1 of 2")
			if c.w >= 160 {
				x.see("interrupte")
			}
			x.armed("1 of 2")
			x.golden()
		})
	}
}

func TestTheDialogInASCII(t *testing.T) {
	x := start(t, setup{w: 80, h: 24, env: map[string]string{"LANG": "C", "NO_COLOR": "1"}}, guardedRoom("files__write", "git__commit"))
	x.press("write it down", "enter")
	x.armed("wants to")
	shown := x.see(`"notes/2026.md"`)
	x.press("e")
	x.see("enter takes it")
	x.press("[", "enter")
	s := shown + x.see("line 7")
	for _, r := range s {
		if r > 0x7e {
			t.Fatalf("%q is not ASCII in:\n%s", r, s)
		}
	}
	x.golden()
}

func TestWhatBecomesOfARunIsToldAtThreeWidths(t *testing.T) {
	for _, c := range []struct{ w, h int }{{80, 24}, {120, 40}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", c.w, c.h), func(t *testing.T) {
			f := guardedRoom("files__write")
			begin := f.prompt
			f.prompt = func(ctx context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
				one := s
				one.Turn = 1
				f.emit(s, core.RunStart{Runner: "agent/yaap", Prompt: text})
				f.emit(one, core.AgentProcessing{Tools: []string{"files"}, Model: "ollama/qwen3:8b", MaxTurns: 10}, core.TurnStart{},
					core.LLMCallStart{Call: "m1", Model: "ollama/qwen3:8b", Tools: 1}, core.Fallback{From: "ollama/qwen3:8b", To: "offline", Reason: "connection refused"},
					core.LLMCallStart{Call: "m2", Model: "offline", Tools: 1}, core.Delta{Stream: "m2", Field: core.FieldThought, Text: "The note goes into the file of this year, which changes it."})
				return begin(ctx, f, s, text)
			}
			f.answer = func(_ context.Context, f *fake, a core.Answer) (core.Result, error) {
				s := core.Scope{Thread: "t1", Run: "run1", Trace: "run1", Agent: "yaap", Turn: 1}
				reply := core.Reply{Status: core.StatusSuccess, Message: "It is written."}
				f.emit(s, core.ApprovalGiven{Pause: a.Pause, Call: "c1", Decision: a.ID, By: a.By}, core.RunStart{Runner: "agent/yaap", Resumed: true},
					core.GuardrailViolation{Guardrail: "secrets", Stage: core.GuardArgs, Call: "c1", Reason: "1 API key", Verdict: "redact"},
					core.ToolCallStart{Call: "c1", Tool: "files__write", Expert: "files"}, core.ToolCallEnd{Call: "c1", Tool: "files__write", Expert: "files", Status: core.ToolSuccess, Text: "done", MS: 7},
					core.IterationSummary{Text: "asked files"}, core.Handoff{From: "yaap", To: "reviewer", Reason: "somebody else should read what was written"},
					core.FinalOutput{Reply: reply}, core.RunEnd{Outcome: "completed", Status: reply.Status, Turns: 1, MS: 2400})
				return core.Result{Reply: reply, Turns: 1}, nil
			}
			x := start(t, setup{w: c.w, h: c.h, o: Options{Title: "infra-notes", Model: "ollama/qwen3:8b"}}, f)
			x.press("write it down", "enter")
			x.armed("wants to")
			x.press("a")
			x.see("allowed once")
			x.see("It is written.")
			x.gone("esc stop")
			if c.w >= 160 {
				x.wait("end of the run", func(s string) bool { return strings.Contains(s, "completed") })
			}
			x.golden("❯ ask the room")
		})
	}
}

func TestAnApprovalTakesNoKeyBeforeItIsArmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newModel(t.Context(), Options{Thread: "t1"}, newFake(), &jobs{})
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
		tell(m, core.Scope{}, core.ApprovalRequested{Pause: "p", Tool: "memory_create", Reason: "a client asks"})
		press := func(key tea.KeyPressMsg) { m.Update(key) }
		a := tea.KeyPressMsg{Code: 'a', Text: "a"}
		shows := func(text string) bool { return strings.Contains(strings.Join(m.compose(), "\n"), text) }
		if !shows("the keys work in a moment") {
			t.Error("it is not said that keys do nothing yet")
		}
		time.Sleep(armAfter - time.Millisecond)
		press(a)
		if m.asks.first() == nil || !shows("ctrl+c clears the input") {
			t.Fatal("a key decided before the dialog was armed, or nothing was said")
		}
		time.Sleep(armAgain - time.Millisecond) // the key before was not meant for it, nor is this one
		press(a)
		if m.asks.first() == nil {
			t.Fatal("a key decided while somebody was typing")
		}
		for _, other := range []tea.KeyPressMsg{{Code: tea.KeySpace, Text: " "}, {Code: tea.KeyEnter}, {Code: 'y', Text: "y"}, {Code: tea.KeyTab}, {Code: 'A', Text: "A"}} {
			time.Sleep(armAgain)
			press(other)
			if press(a); m.asks.first() == nil {
				t.Fatalf("a decided right after %s", other)
			}
		}
		if !shows("aa aayaaAa") {
			t.Errorf("what was typed is not in the input:\n%s", strings.Join(m.compose(), "\n"))
		}
		time.Sleep(time.Hour)
		if press(a); m.asks.first() == nil || !shows("ctrl+c clears the input") {
			t.Error("a letter decides behind others in the input")
		}
		m.input.clear()
		time.Sleep(armAgain)
		_, settles := m.Update(a)
		m.Update(settles())
		if m.asks.first() != nil {
			t.Error("a does not allow")
		}
	})
}

func TestWhatIsDecidedReachesTheRunAndIsToldInTheChat(t *testing.T) {
	for _, c := range []struct{ key, id, line string }{
		{"a", core.AllowOnce, "files write allowed once"},
		{"s", core.AllowSession, "files write allowed in this conversation"},
		{"d", core.Deny, "files write denied"},
		{"esc", core.Deny, "files write denied"},
	} {
		t.Run(c.key, func(t *testing.T) {
			f := guardedRoom("files__write")
			x := toldToWrite(t, f)
			x.press(c.key)
			s := x.see("It is written.", c.line)
			if strings.Contains(s, "wants to") || strings.Count(s, "It is written.") != 1 {
				t.Errorf("it is told twice, or asked again:\n%s", s)
			}
			want := []core.Answer{{Pause: "run1#c1", ID: c.id, Text: decisionWords(c.id, false), By: "user"}}
			if diff := cmp.Diff(want, f.answered()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestSeveralThatWaitComeOneAfterTheOther(t *testing.T) {
	f := guardedRoom("files__write", "git__commit")
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("write it down", "enter")
	x.armed("files wants to use write · 1 of 2")
	x.press("a")
	s := x.armed("git wants to use commit · 2 of 2")
	if !strings.Contains(s, `message  “notes”`) {
		t.Errorf("got:\n%s", s)
	}
	x.press("d")
	x.see("git commit denied")
	x.see("It is written.")
	x.see("files write allowed once")
}

func TestADecisionIsToldWhenTheRunHasComeToItsEnd(t *testing.T) {
	f := guardedRoom("files__write")
	release := make(chan struct{})
	f.prompt = func(ctx context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		f.emit(s, core.RunStart{Runner: "agent/yaap", Prompt: text})
		p := pauseOf(s.Run, "c1", "files__write", noteArgs)
		waitsWith(f, s, p)
		select {
		case <-release:
		case <-ctx.Done():
		}
		return suspend(f, s, p)
	}
	f.answer = func(_ context.Context, f *fake, a core.Answer) (core.Result, error) {
		f.emit(core.Scope{Thread: "t1", Run: "run1", Trace: "run1"}, core.ApprovalGiven{Pause: a.Pause, Decision: a.ID})
		return core.Result{Turns: 1}, nil
	}
	x := toldToWrite(t, f)
	x.press("a")
	x.see("it takes effect when what runs now is over")
	if got := f.answered(); len(got) > 0 {
		t.Fatalf("the run was told %v while it went on", got)
	}
	close(release)
	x.see("files write allowed once")
}

func TestWhatNoRunWaitsForIsAnsweredWhileOneGoesOn(t *testing.T) {
	f := settled()
	started := make(chan string, 1)
	f.prompt = waiting(started)
	f.answer = func(_ context.Context, f *fake, a core.Answer) (core.Result, error) {
		f.emit(core.Scope{}, core.ApprovalGiven{Pause: a.Pause, Decision: a.ID, By: a.By})
		return core.Result{}, nil
	}
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("hello", "enter")
	<-started
	f.emit(core.Scope{}, core.ApprovalRequested{Pause: "0199", Tool: "memory_create", Args: []byte(`{"name":"trips"}`), Reason: "a client of the room wants a memory"})
	x.armed("Allow memory_create?")
	f.join("weather", "Forecasts for places in the UK.")
	x.see("● weather") // the room goes on behind the dialog
	x.press("s")
	x.see("✓ allowed in this conversation: memory_create")
	x.see("esc stop")
}

func TestADialogClosesWhenSomebodyElseDecides(t *testing.T) {
	f := settled()
	x := start(t, setup{w: 120, h: 40}, f)
	for _, id := range []string{"p1", "p2"} {
		f.emit(core.Scope{}, core.ApprovalRequested{Pause: id, Tool: "memory_" + id})
	}
	x.see("1 of 2")
	f.emit(core.Scope{}, core.ApprovalGiven{Pause: "p1", Decision: core.Deny, By: "the time limit"})
	x.see("Allow memory_p2?")
	f.emit(core.Scope{}, core.ApprovalGiven{Pause: "p2", Decision: core.AllowOnce, By: "ada\x1b[31m"})
	x.gone("Allow memory")
	x.press("hello", "enter")
	x.see("allowed once: memory_p2 by ada", "denied: memory_p1 by the time limit")
}

func TestWhatWaitsIsAskedAgainAfterARestart(t *testing.T) {
	f := guardedRoom("files__write")
	p := pauseOf("old", "c1", "files__write", noteArgs)
	f.waits = []core.Pause{{ID: "old#c2", Root: "old", Kind: core.PauseClarification, Question: "Which?"}, p}
	f.messages["t1"] = []core.Message{{ID: "m1", Run: "old", Role: core.RoleUser, Text: "write it down", Time: f.now}}
	f.told = map[string][]core.Event{"t1": reported("old", f.now, 1, core.RunStart{Runner: "agent/yaap", Prompt: "write it down"}, core.ToolRequests{Calls: []core.Call{*p.Call}})}
	f.answer = func(_ context.Context, f *fake, a core.Answer) (core.Result, error) {
		s := core.Scope{Thread: "t1", Run: "old", Trace: "old"}
		f.emit(s, core.RunStart{Runner: "agent/yaap", Resumed: true}, core.ApprovalGiven{Pause: a.Pause, Call: "c1", Decision: a.ID},
			core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Message: "It is written."}}, core.RunEnd{Outcome: "completed", Turns: 2})
		return core.Result{Turns: 2}, nil
	}
	x := start(t, setup{w: 120, h: 40}, f)
	s := x.armed("wants to")
	for _, want := range []string{"files wants to use write", "? files write waits for you", "? waits until"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q in:\n%s", want, s)
		}
	}
	if strings.Contains(s, "was interrupted") || strings.Contains(s, "answers the question") {
		t.Errorf("it is shown as if it were cut off, or asked in the chat:\n%s", s)
	}
	x.press("a")
	x.see("It is written.")
	x.see("files write allowed once")
}

func TestWhatLedToACallThatWaitsStays(t *testing.T) {
	p := newPaper(100)
	p.ask("q", "r1", time.Now())
	pause := pauseOf("r1", "c1", "files__write", noteArgs)
	p.play(core.Scope{}, core.RunStart{Prompt: "q"})
	p.play(turn(1), turnBegins(1)...)
	p.play(turn(1), core.Delta{Stream: "m1", Field: core.FieldThought, Text: "The note changes "})
	reply := core.Reply{Status: core.StatusClarification, Message: pause.Question, Data: map[string]any{"pause": pause.ID}}
	p.play(turn(1), core.Delta{Stream: "m1", Field: core.FieldThought, Text: "a file."})
	waitsWith(p.f, core.Scope{Thread: "t1", Run: "r1", Trace: "r1"}, pause)
	p.play(turn(1), core.FinalOutput{Reply: reply}, core.RunEnd{Outcome: "interrupted", Status: reply.Status})
	if got := p.text(); !strings.Contains(got, "The note changes a file.") || p.asking() != nil {
		t.Errorf("got:\n%s", got)
	}
}

func TestAnAnswerThatFailedIsAskedForAgain(t *testing.T) {
	f := guardedRoom("files__write")
	f.waits = []core.Pause{pauseOf("run1", "c1", "files__write", noteArgs)}
	play := f.answer
	f.answer = func(ctx context.Context, f *fake, a core.Answer) (core.Result, error) {
		if len(f.answered()) == 1 {
			return core.Result{}, &core.Error{Code: core.CodeInternal, Message: "the disk is full", Hint: "make room"}
		}
		return play(ctx, f, a)
	}
	f.messages["t1"] = nil
	x := start(t, setup{w: 120, h: 40}, f)
	x.armed("wants to")
	x.press("a")
	x.see("✗ the disk is full")
	x.armed("wants to")
}

func TestTheQueueWaitsForADecision(t *testing.T) {
	f := guardedRoom("files__write")
	release := make(chan struct{})
	play := f.prompt
	f.prompt = func(ctx context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		if text == "second" {
			return arithmetic(ctx, f, s, text)
		}
		<-release
		return play(ctx, f, s, text)
	}
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("first", "enter")
	x.see("esc stop")
	x.press("second", "enter")
	x.see("queued   second")
	close(release)
	x.armed("wants to")
	f.mu.Lock()
	asked := len(f.prompts)
	f.mu.Unlock()
	if asked != 1 {
		t.Fatalf("%v was asked while a run waited", f.prompts)
	}
	x.press("d")
	x.see("files write denied")
	x.see("on Saturday")
}

func TestTheArgumentsAreEditedAsJSON(t *testing.T) {
	f := guardedRoom("files__write")
	x := toldToWrite(t, f)
	x.press("e")
	x.see("enter takes it")
	x.press("down", "x")
	x.see(`x  "path"`)
	x.press("enter")
	x.see("line 2: invalid character 'x'")
	x.press("backspace", "  \"dry_run\": true,", "\x1b[200~\"who\":\"\u202esam\u200b\",\x1b[201~", "enter")
	s := x.see("what you changed it to")
	if !strings.Contains(s, `who      “\u202esam\u200b”`) {
		t.Errorf("what was pasted hides something:\n%s", s)
	}
	x.press("a")
	x.see("allowed once: files write with other arguments")
	want := `{"dry_run":true,"who":"\u202esam\u200b","path":"notes/2026.md","text":"Ask Sam about the \u202elease\u202c.","tags":["ops"]}`
	if got := string(f.answered()[0].Data); got != want {
		t.Errorf("given\n%s\nwant\n%s", got, want)
	}
}

func TestAnEditThatChangesNothingOrIsLeftGivesWhatCame(t *testing.T) {
	f := guardedRoom("files__write")
	x := toldToWrite(t, f)
	x.press("e")
	x.see("enter takes it")
	x.press("zzz")
	x.see("zzz{")
	x.press("esc")
	x.gone("zzz{")
	x.press("e")
	x.see("enter takes it")
	x.press("z")
	x.see("z{")
	x.press("backspace", "enter")
	x.see("a allow once")
	x.press("a")
	x.see("files write allowed once")
	if got := f.answered()[0].Data; got != nil {
		t.Errorf("given %s", got)
	}
}

func TestNothingIsHiddenInWhatIsToBeAllowed(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"exe.` + "\u202e" + `fdp"}`:               "{\n  \"a\": \"exe.\\u202efdp\"\n}",
		`{"a` + "\u200b" + `":"\u001b]52;c;x"}`:         "{\n  \"a\\u200b\": \"\\u001b]52;c;x\"\n}",
		`{"a":"` + "\U000e0041\u0085\u00a0" + `é日"}`:    "{\n  \"a\": \"\\udb40\\udc41\\u0085\\u00a0é日\"\n}",
		`{"a":"` + "\x9b" + `31m"}`:                     "{\n  \"a\": \"\ufffd31m\"\n}",
		"not JSON \x1b[2J":                              `not JSON \u001b[2J`,
		`{"e":"e` + strings.Repeat("\u0301", 10) + `"}`: "{\n  \"e\": \"e" + strings.Repeat("\u0301", 8) + `\u0301\u0301` + "\"\n}",
	} {
		if got := visibleJSON([]byte(in)); got != want {
			t.Errorf("%q\n got %q\nwant %q", in, got, want)
		}
	}
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	if got := visibleJSON([]byte(`{"a":"\"[[","b":[[]],"c":` + deep + `}`)); len(got) > 20000 {
		t.Errorf("what is nested deeply takes %d bytes", len(got))
	}
	evil := "evil\x1b]52;c;Zm9v\a\u202e\x1b[31m\n\x9b"
	m := newModel(t.Context(), Options{Thread: "t1"}, newFake(), &jobs{})
	m.Update(tea.WindowSizeMsg{Width: 150, Height: 50})
	m.Update(batch{events: []core.Event{{Scope: core.Scope{Thread: evil}, Body: core.ApprovalRequested{Pause: "p", Tool: evil, Expert: evil, Args: []byte(evil), Reason: evil}}}})
	for _, key := range []rune{'e', 'x'} {
		rows := m.compose()
		for _, row := range rows {
			if strings.ContainsRune(row, 0x9b) || strings.ContainsAny(row, "\a\u202e\n") || strings.Contains(row, "\x1b]") || strings.Contains(row, "\x1b[31m") {
				t.Fatalf("%q", row)
			}
		}
		m.asks.since = time.Time{}
		m.Update(tea.KeyPressMsg{Code: key, Text: string(key)})
	}
}

func TestLongArgumentsAreScrolledAndSaidToBeCut(t *testing.T) {
	m := newModel(t.Context(), Options{Thread: "t1"}, newFake(), &jobs{})
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	long := `{"list":[` + strings.Repeat(`"a line of it",`, 40) + `"` + strings.Repeat("x", maxShown) + `","the end"]}`
	tell(m, core.Scope{}, core.ApprovalRequested{Pause: "p", Tool: "files__write", Args: []byte(long)})
	m.asks.since = time.Time{}
	shows := func(text string) bool { return strings.Contains(strings.Join(m.compose(), "\n"), text) }
	if !shows("1 to 11 of") {
		t.Errorf("got:\n%s", strings.Join(m.compose(), "\n"))
	}
	m.Update(tea.KeyPressMsg{Code: tea.KeyDown})
	m.Update(tea.KeyPressMsg{Code: tea.KeyPgDown})
	if !shows("10 to 20 of") {
		t.Errorf("got:\n%s", strings.Join(m.compose(), "\n"))
	}
	for range 400 {
		m.Update(tea.KeyPressMsg{Code: tea.KeyPgDown})
	}
	if !shows("bytes more are not shown") {
		t.Errorf("got:\n%s", strings.Join(m.compose(), "\n"))
	}
	m.Update(tea.KeyPressMsg{Code: 'e', Text: "e"})
	m.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	if m.asks.edit != nil || !strings.Contains(m.panes.note.text, "too long to be edited") {
		t.Error("the editor opens over more than it can hold")
	}
}

func TestADialogFitsEveryTerminal(t *testing.T) {
	m := newModel(t.Context(), Options{Thread: "t1"}, newFake(), &jobs{})
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	tell(m, core.Scope{}, core.ApprovalRequested{Pause: "p", Tool: strings.Repeat("tool", 30), Expert: "e", Args: []byte(noteArgs), Reason: strings.Repeat("why not ", 50)})
	for edit := range 2 {
		for w := 0; w < 210; w += 14 {
			for h := 0; h < 62; h += 1 + h/12 {
				m.Update(tea.WindowSizeMsg{Width: w, Height: h})
				rows := m.compose()
				fits(t, "a dialog", rows, w, h)
				if all := strings.Join(rows, "\n"); edit == 0 && w >= 20 && h >= 5 && !strings.Contains(all, "d") {
					t.Fatalf("%dx%d: no keys:\n%s", w, h, all)
				}
			}
		}
		m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		m.asks.since = time.Time{}
		m.Update(tea.KeyPressMsg{Code: 'e', Text: "e"})
		m.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
		if m.asks.edit == nil {
			t.Fatal("the editor is not open")
		}
	}
}

func TestCtrlCLeavesWithoutDeciding(t *testing.T) {
	f := guardedRoom("files__write")
	x := toldToWrite(t, f)
	x.press("e")
	x.see("enter takes it")
	x.press("ctrl+c")
	x.see("a allow once")
	x.press("ctrl+c")
	x.see("ctrl+c again to leave")
	x.press("ctrl+c")
	x.left()
	if got := f.answered(); len(got) > 0 {
		t.Errorf("it was decided: %v", got)
	}
}

func TestArgumentsAreNamesAndValuesInWhichNothingIsHidden(t *testing.T) {
	p := newPen(func(string) string { return "" })
	for in, want := range map[string]string{
		``:                                   "it is given nothing",
		`{}`:                                 "it is given nothing",
		`{"path":"a.txt","keep":true,"n":3}`: "path  “a.txt”\nkeep  true\nn     3",
		`{"text":"one\ntwo\tthree\n"}`:       "text  “one\n      two    three\n      ”",
		`{"text":"x”\npath  “b”"}`:           "text  “x”\n      path  “b””", // below the values, never below the names
		`{"a":"exe.` + "\u202e" + `fdp","tags":["x","y"]}`:      "a     “exe.\\u202efdp”\ntags  [\"x\",\"y\"]",
		`{"a` + "\u200b" + `":"\u001b]52;c;x"}`:                 "a\\u200b  “\\u001b]52;c;x”",
		`{"a":1,"a":2}`:                                         "a  1\na  2",
		`{"a":"` + strings.Repeat("word ", 9) + `"}`:            "a  “word word word word word word word\n   word word ”",
		`{"of a name that is longer than its share":"x","b":1}`: "of a name that is longer than its share\n            “x”\nb           1",
		`{"list":{"a":"` + strings.Repeat("y", 60) + `"}}`:      "list  {\n        \"a\":\n      \"" + strings.Repeat("y", 33) + "\n      " + strings.Repeat("y", 27) + "\"\n      }",
		`["x"]`:             "[\n  \"x\"\n]",
		"not JSON \x1b[2J":  `not JSON \u001b[2J`,
		`{"a":1} {"b":"2"}`: `{"a":1} {"b":"2"}`,
	} {
		rows := argumentRows(&p, []byte(in), 40)
		for i, row := range rows {
			rows[i] = strings.TrimRight(ansi.Strip(row), " ")
		}
		if got := strings.Join(rows, "\n"); got != want {
			t.Errorf("%q\n got\n%s\nwant\n%s", in, got, want)
		}
	}
}
