package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

// settled is a fake room whose experts have been here for a while.
func settled() *fake {
	f := newFake()
	f.join("calc", "Exact arithmetic: fractions, percent, powers, units.", "12% of 840", "17/4 as a decimal")
	f.join("clock", "Times and dates: now in a place, between zones.", "what time is it in Tokyo?")
	f.join("files", "Lists, reads and searches the files of this folder.", "find “lease” in README.md", "what files are here?")
	return f
}

func TestTheScreenAtItsThreeWidths(t *testing.T) {
	for _, c := range []struct{ w, h int }{{80, 24}, {120, 40}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", c.w, c.h), func(t *testing.T) {
			f := settled()
			x := start(t, setup{w: c.w, h: c.h, o: Options{Title: "infra-notes", Model: "offline"}}, f)
			x.press("What is 12 % of 840, and what time is it in Tokyo?", "enter")
			x.see("on Saturday")
			x.gone("esc stop")
			f.join("weather", "Forecasts for places in the UK.", "will it rain in Leeds?")
			x.see("weather joined")
			f.kill("files", "exited 1: no such folder")
			x.golden("files left")
		})
	}
}

func TestTheEventsInspector(t *testing.T) {
	for _, c := range []struct{ w, h int }{{80, 24}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", c.w, c.h), func(t *testing.T) {
			x := start(t, setup{w: c.w, h: c.h, o: Options{Title: "infra-notes", Model: "offline"}}, settled())
			x.press("What is 12 % of 840?", "enter")
			x.see("on Saturday")
			x.gone("esc stop")
			x.press("f6", "/", "tool_call", "enter")
			x.see("/tool_call")
			x.press("g", "j", "j", "j", "enter")
			x.golden(`"status": "success"`)
			x.press("esc")
			x.gone("j k choose")
		})
	}
}

func TestTheExpertsInspector(t *testing.T) {
	f := settled()
	x := start(t, setup{w: 120, h: 40, o: Options{Title: "infra-notes"}}, f)
	f.mu.Lock()
	f.experts[2].State, f.experts[2].Message = core.ExpertQuarantined, "exited 1 three times: FOLDER is not set"
	f.experts[2].Calls, f.experts[2].Errors, f.experts[2].Latency = 4, 2, 754*time.Millisecond
	f.experts[2].Stderr = []string{"Traceback (most recent call last):", "  File \"files.py\", line 3", "KeyError: 'FOLDER'"}
	f.mu.Unlock()
	f.emit(core.Scope{}, core.ExpertStatus{Name: "files", State: core.ExpertQuarantined})
	x.see("✗ files")
	x.press("f2", "j", "j")
	x.golden("KeyError")
	x.press("f2")
	x.gone("KeyError")
	x.press("f2", "a")
	x.see("❯ /experts add")
}

func TestTheExpertsInspectorShowsWhatBidsHaveComeToWithoutScrolling(t *testing.T) {
	f := settled()
	f.experts[0].Description = strings.Repeat("It does arithmetic. ", 15)
	x := start(t, setup{w: 80, h: 24}, f)
	x.press("f2")
	x.see("12% of 840")
	x.gone("credit")
	f.mu.Lock()
	f.experts[0].Bidding = core.BidRecord{Bids: 41, Awards: 12, Credit: 0.934, Learned: []string{"first question", "second question", "third question", "fourth question", "fifth question"}}
	f.mu.Unlock()
	f.emit(core.Scope{}, core.ExpertStatus{Name: "calc", State: core.ExpertReady})
	s := x.see("bid on 41 questions · was awarded 12 calls · credit 0.93")
	for text, want := range map[string]bool{"fifth question": true, "third question": true, "second question": false, "and 2 more": true} {
		if strings.Contains(s, text) != want {
			t.Errorf("%q is there: %v, want %v, in:\n%s", text, !want, want, s)
		}
	}
}

func TestRunsAreFoldedInTheEventsInspector(t *testing.T) {
	x := start(t, setup{w: 120, h: 40}, settled())
	x.press("What is 12 % of 840?", "enter")
	x.see("on Saturday")
	x.press("f6")
	x.see("tool_results_to_llm")
	x.press("k", "k", " ")
	x.gone("tool_results_to_llm")
	x.see("▸ run_start")
	x.press(" ")
	x.see("tool_results_to_llm")
}

func TestTheWelcomeShowsThreeThingsThatWorkNow(t *testing.T) {
	x := start(t, setup{w: 80, h: 24, o: Options{Version: "0.1", Dir: "~/src"}}, settled())
	x.see("yaap 0.1", "~/src", "12% of 840", "what time is it in Tokyo?", "what files are here?", "calc, clock, files are in the room")
	x.press("up")
	x.see("❯ 12% of 840")
}

func TestTheWelcomeOffersOnlyWhatCanBeAnsweredHere(t *testing.T) {
	r := roster{exists: func(path string) bool { return path == "orders.csv" }}
	data := core.Expert{Name: "data", State: core.ExpertReady, Examples: []string{"how many rows are in sales.csv?", "average amount in orders.csv"}}
	tides := core.Expert{Name: "tides", State: core.ExpertJoining, Examples: []string{"high tide in Dover"}}
	offered := func(experts ...core.Expert) (list []string) {
		r.set(experts, time.Now())
		for _, c := range r.offered {
			list = append(list, c.text)
		}
		return list
	}
	must.Equal(t, []string{"average amount in orders.csv"}, offered(data, tides))
	tides.State = core.ExpertReady
	calc := core.Expert{Name: "calc", State: core.ExpertReady, Examples: []string{"12% of 840", "17/4", "1/3"}}
	must.Equal(t, []string{"average amount in orders.csv", "high tide in Dover"}, offered(data, tides))
	must.Equal(t, []string{"average amount in orders.csv", "high tide in Dover", "12% of 840"}, offered(data, tides, calc))
	must.Equal(t, []string{"high tide in Dover", "12% of 840", "17/4"}, offered(tides, calc))
}

func TestTheWelcomeStaysWhenAnExpertFailsAtTheStart(t *testing.T) {
	f := settled()
	f.emit(core.Scope{}, core.ExpertLeft{Name: "tides", Reason: core.LeftExited, Detail: "exited 1: no key", Count: 3},
		core.Notice{Level: "info", Text: "An Ollama is running here.", Command: "/model ollama/qwen3:8b"})
	x := start(t, setup{w: 120, h: 40}, f)
	x.see("12% of 840", "← tides left  exited 1: no key", "An Ollama is running here.", "/model ollama/qwen3:8b")
	x.press("hello", "enter")
	x.gone("takes one")
}

func TestSmallTerminalsShowWhatFits(t *testing.T) {
	for _, c := range []struct {
		w, h int
		want string
	}{
		{40, 12, "❯ ask the room"}, {20, 6, "❯ ask the room"}, {19, 6, "yaap: too small"}, {1, 1, "y"},
	} {
		t.Run(fmt.Sprintf("%dx%d", c.w, c.h), func(t *testing.T) {
			start(t, setup{w: c.w, h: c.h}, settled()).see(c.want)
		})
	}
}

func TestAResizeStormHarmsNothing(t *testing.T) {
	m := newModel(t.Context(), Options{Thread: "t1"}, newFake(), &jobs{})
	p := &paper{f: newFake()}
	p.f.join("calc", "Exact arithmetic.", "1+1")
	if _, err := arithmetic(t.Context(), p.f, core.Scope{Thread: "t1", Run: "r", Trace: "r"}, "q"); err != nil {
		t.Fatal(err)
	}
	m.chat.ask("q", "r1", time.Now())
	player{p.f, core.Scope{Thread: "t1", Run: "c", Trace: "c"}, "review-loop"}.toApprove(runIt)
	m.Update(batch{events: p.f.events, experts: p.f.experts})
	m.graphed(graphed{"review-loop": reviewLoop()}, nil)
	of[*auditPane](m).set(audited{rows: withAudit().audit, report: &core.AuditReport{Rows: 3}}, nil)
	keys := []tea.Msg{
		tea.KeyPressMsg{Code: tea.KeyF6},
		tea.KeyPressMsg{Code: tea.KeyEnter},
		tea.KeyPressMsg{Code: 'o', Text: "o"},
		tea.KeyPressMsg{Code: tea.KeyF2},
		tea.KeyPressMsg{Code: tea.KeyF4},
		tea.KeyPressMsg{Code: 'j', Text: "j"},
		tea.KeyPressMsg{Code: tea.KeyLeft},
		tea.KeyPressMsg{Code: tea.KeyF7},
		tea.KeyPressMsg{Code: tea.KeyEscape},
		tea.KeyPressMsg{Code: tea.KeyTab},
		tea.KeyPressMsg{Code: 'k', Text: "k"},
		tea.KeyPressMsg{Code: tea.KeyPgUp},
		tea.KeyPressMsg{Code: tea.KeyF1},
		tea.KeyPressMsg{Code: tea.KeyDown},
		tea.KeyPressMsg{Code: tea.KeyEscape},
		tea.KeyPressMsg{Code: 'p', Mod: tea.ModCtrl},
		tea.KeyPressMsg{Code: 'e', Text: "e"},
		tea.KeyPressMsg{Code: tea.KeyEscape},
		tea.KeyPressMsg{Code: 'x', Mod: tea.ModCtrl},
		tea.KeyPressMsg{Code: 't', Text: "t"},
		tea.PasteMsg{Content: strings.Repeat("long line ", 40) + "\n\n\n\n\n\n\n\n\n\n"},
		tea.KeyPressMsg{Code: '/', Text: "/"},
		tea.MouseWheelMsg{X: 3, Y: 3, Button: tea.MouseWheelUp},
		tea.MouseClickMsg{X: 5, Y: 5, Button: tea.MouseLeft},
	}
	i := 0
	for w := 0; w < 210; w += 7 {
		for _, h := range []int{0, 1, 2, 4, 5, 9, 10, 11, 29, 30, 61} {
			m.Update(tea.WindowSizeMsg{Width: w, Height: h})
			m.Update(keys[i%len(keys)])
			i++
			fits(t, "a frame", m.compose(), w, h)
		}
	}
}

// waiting is a prompt that goes on until it is cancelled.
func waiting(started chan<- string, before ...core.Body) func(context.Context, *fake, core.Scope, string) (core.Result, error) {
	return func(ctx context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		f.emit(s, append([]core.Body{core.RunStart{Prompt: text}}, before...)...)
		started <- text
		<-ctx.Done()
		err := &core.Error{Code: core.CodeCancelled, Message: "stopped by you", Hint: "the answer so far is kept", Err: nil}
		f.emit(s, core.RunEnd{Outcome: "error", Code: err.Code, Error: err.Message, Hint: err.Hint})
		return core.Result{}, err
	}
}

// inProgress is a terminal in which "hello" is being answered, with what was reported of it.
func inProgress(t *testing.T, w, h int, before ...core.Body) (*terminal, *fake) {
	t.Helper()
	f, started := settled(), make(chan string, 4)
	f.prompt = waiting(started, before...)
	x := start(t, setup{w: w, h: h}, f)
	x.press("hello", "enter")
	<-started
	return x, f
}

// calling is a call in progress.
var calling = core.ToolCallStart{Call: "c1", Tool: "calc", Expert: "calc"}

func TestEscStopsAtOnceWhereNoCallRuns(t *testing.T) {
	x, _ := inProgress(t, 120, 40)
	x.see("starting · ")
	x.press("esc")
	x.see("– stopped by you")
}

func TestEscStopsAfterTheCallsAndTwiceAtOnce(t *testing.T) {
	x, f := inProgress(t, 120, 40, calling)
	x.see("calc · ")
	x.press("esc")
	x.see("stopping after the running calls; esc again to stop now")
	f.mu.Lock()
	steers := len(f.steers)
	f.mu.Unlock()
	if steers != 1 || !f.steers[0].Stop {
		t.Fatalf("steers %+v", f.steers)
	}
	x.press("esc")
	x.see("– stopped by you")
	x.see("/continue goes on with it")
}

func TestTwoEscapesThatComeAsOneKeyStopAtOnce(t *testing.T) {
	x, _ := inProgress(t, 80, 24)
	x.press("\x1b\x1b") // in one write
	x.see("– stopped by you")
}

func TestCtrlCStopsAtOnceWhatEscLetsFinish(t *testing.T) {
	x, _ := inProgress(t, 80, 24, calling)
	x.see("calc · ")
	x.press("esc")
	x.see("esc again to stop now")
	x.press("ctrl+c")
	x.see("– stopped by you")
}

func TestAPasteThatIsTooLongIsRefusedWithAWayOut(t *testing.T) {
	m := newModel(t.Context(), Options{}, newFake(), &jobs{})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	m.Update(tea.PasteMsg{Content: strings.Repeat("x", maxPaste+1)})
	if !m.input.empty() || !strings.Contains(m.panes.note.text, "put it into a file") {
		t.Errorf("the input holds %d characters; note %q", m.input.area.Length(), m.panes.note.text)
	}
}

func TestCtrlCClearsThenStopsThenLeaves(t *testing.T) {
	x, _ := inProgress(t, 120, 40)
	x.press("half a thou")
	x.see("❯ half a thou")
	x.press("ctrl+c")
	x.gone("half a thou")
	x.press("ctrl+c")
	x.see("stopped by you")
	x.press("ctrl+c")
	x.see("ctrl+c again to leave")
	x.press("ctrl+c")
	x.left()
}

func TestCtrlDLeavesWhenTheInputIsEmpty(t *testing.T) {
	x := start(t, setup{w: 80, h: 24}, settled())
	x.press("ab")
	x.see("❯ ab")
	x.press("ctrl+d", "backspace", "backspace")
	x.see("❯ ask the room")
	x.press("ctrl+d")
	x.left()
}

func TestLeavingWaitsForThePromptInProgress(t *testing.T) {
	f := settled()
	started, ended := make(chan string, 1), make(chan struct{})
	f.prompt = func(ctx context.Context, _ *fake, _ core.Scope, text string) (core.Result, error) {
		started <- text
		<-ctx.Done()
		close(ended)
		return core.Result{}, ctx.Err()
	}
	x := start(t, setup{w: 80, h: 24}, f)
	x.press("hello", "enter")
	<-started
	x.press("ctrl+d")
	x.left()
	select {
	case <-ended:
	default:
		t.Error("Run returned before the prompt did")
	}
}

func TestEscStopsAnExpertThatWasAskedByNameAtOnce(t *testing.T) {
	f := settled()
	started := make(chan string, 4)
	f.prompt = waiting(started)
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("@calc 1+1", "enter")
	<-started
	x.press("esc")
	x.see("– stopped by you")
}

func TestSlashCommands(t *testing.T) {
	f := settled()
	f.messages["t2"] = []core.Message{{Run: "r", Role: core.RoleUser, Text: "an old question"}}
	f.threads = []core.Thread{{ID: "t1", Title: "this"}, {ID: "t2", Title: "an old talk", Count: 1}}
	f.do = func(args []string) (core.Doc, error) {
		switch strings.Join(args, " ") {
		case "status":
			return core.Say(core.Markdown, "all **well**"), nil
		case "model ollama/x":
			return core.Doc{Model: "ollama/x"}, nil
		case "new":
			return core.Doc{Thread: "t3"}, nil
		}
		return core.Doc{}, &core.Error{Code: core.CodeInvalid, Message: "cannot " + args[0], Hint: "try again", Err: errors.New("no")}
	}
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("/status", "enter")
	x.see("all well")
	x.press("/experts add x=y", "enter")
	x.see("✗ cannot experts: no")
	x.see("try again")
	x.press("/nope", "enter")
	x.see("there is no command /nope")
	x.press("/model ollama/x", "enter")
	x.see("·  ollama/x")
	x.press("/resume", "enter")
	x.see("an old talk")
	x.press("old", "enter")
	x.see("an old question")
	x.press("/clear", "enter")
	x.gone("an old question")
	x.press("/events", "enter")
	x.see("─ EVENTS ─")
	x.press("esc")
	x.gone("enter detail")
	x.press("/help", "enter")
	x.see("Keys and commands")
	x.press("esc")
	x.gone("Keys and commands")
	x.press("/quit", "enter")
	x.left()
}

func TestKeysThatOpenAndClose(t *testing.T) {
	x := start(t, setup{w: 120, h: 40}, settled())
	x.press("?")
	x.see("Keys and commands")
	x.press("esc")
	x.gone("Keys and commands")
	x.press("what?")
	x.see("❯ what?")
	x.press("ctrl+c", "ctrl+p", "stat", "enter")
	x.see("did status")
	x.press("ctrl+x")
	x.see("─ ctrl+x ─")
	x.press("e")
	x.see("─ EXPERTS ─")
	x.press("f2")
	x.gone("─ EXPERTS ─")
	x.press("ctrl+t")
	x.see("with what was thought")
}

func TestALongInputGrowsAndALongPasteBecomesAChip(t *testing.T) {
	f := settled()
	said := make(chan string, 1)
	f.prompt = func(ctx context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		said <- text
		return arithmetic(ctx, f, s, text)
	}
	x := start(t, setup{w: 80, h: 30}, f)
	x.press("one", "ctrl+j", "two", "alt+enter", "three")
	x.wait("three rows", func(s string) bool {
		return strings.Contains(s, "❯ one\n   two\n   three\n enter send")
	})
	x.press("ctrl+c", "\x1b[200~"+strings.Repeat("a line of a log\n", 400)+"\x1b[201~")
	x.see("[pasted 400 lines #1]")
	x.press("enter")
	x.see("390 more lines")
	if got := <-said; strings.Count(got, "a line of a log") != 400 {
		t.Errorf("the prompt has %d bytes", len(got))
	}
}

func TestHistoryIsWalkedAndSearched(t *testing.T) {
	x := start(t, setup{w: 80, h: 24}, settled())
	x.ask("first thing", "on Saturday")
	x.ask("second thing", "on Saturday")
	x.press("up", "up")
	x.see("❯ first thing")
	x.press("down")
	x.see("❯ second thing")
	x.press("ctrl+c", "ctrl+r", "first")
	x.see("What you typed")
	x.press("enter")
	x.see("❯ first thing")
}

func TestScrollingUpShowsAChipThatLeadsBack(t *testing.T) {
	f := settled()
	x := start(t, setup{w: 80, h: 24}, f)
	for i := range 6 {
		x.ask(fmt.Sprint("question ", i), "on Saturday")
	}
	x.press("pgup")
	x.see("↓ end")
	f.join("weather", "Forecasts.")
	x.see("↓ 1 new")
	x.press("esc")
	x.gone("↓")
	x.see("weather joined")
}

func TestTheChatCanBeWalkedFoundInAndFolded(t *testing.T) {
	x := start(t, setup{w: 120, h: 40}, settled())
	x.ask("first", "on Saturday")
	x.press("tab", "k", "j")
	x.see("▌")
	x.press(" ")
	x.see("▾ calc, clock · 11 ms · ")
	x.see("└ ✓ clock")
	x.press(" ")
	x.gone("└ ✓ clock")
	x.press("/", "first", "enter", "y")
	x.see("5 characters given to the terminal's clipboard")
}

func TestWhatIsCopiedIsGivenToAProgramTooAndWhichIsSaid(t *testing.T) {
	for note, err := range map[string]error{
		"4 characters put into the clipboard with wl-copy":                     nil,
		"4 characters given to the terminal's clipboard; wl-copy: exit status": errors.New("wl-copy: exit status"),
	} {
		var copied string
		clip := func(_ context.Context, text string) (string, error) { copied = text; return "wl-copy", err }
		m := newModel(t.Context(), Options{Thread: "t1", Clip: clip}, newFake(), &jobs{})
		d := &desk{model: m, t: t}
		m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.once = true
		d.carry(m.clip("five"))
		d.sees(note)
		if copied != "five" {
			t.Errorf("copied is %q", copied)
		}
	}
}

func TestAClickOnTheFactsOpensAnAnswerAndClosesIt(t *testing.T) {
	m := newModel(t.Context(), Options{Thread: "t1", Env: func(string) string { return "" }}, newFake(), &jobs{})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	s := core.Scope{Thread: "t1", Run: "r1", Trace: "r1", Turn: 1}
	m.Update(batch{events: []core.Event{
		{Scope: s, Body: core.RunStart{Prompt: "2+2"}},
		{Scope: s, Body: core.ToolCallStart{Call: "c", Tool: "calc", Expert: "calc"}},
		{Scope: s, Body: core.ToolCallEnd{Call: "c", Tool: "calc", Expert: "calc", Status: core.ToolSuccess}},
		{Scope: s, Body: core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Message: "4"}}},
		{Scope: s, Body: core.RunEnd{Outcome: "completed", MS: 3}},
	}})
	rows := func() string { m.frame.stale = true; return ansi.Strip(m.View().Content) }
	y := strings.Count(rows()[:strings.Index(rows(), "calc · 3 ms")], "\n")
	for _, opened := range []bool{true, false} {
		m.Update(tea.MouseClickMsg{X: 12, Y: y, Button: tea.MouseLeft})
		m.Update(tea.MouseReleaseMsg{X: 12, Y: y, Button: tea.MouseLeft})
		if got := strings.Contains(rows(), "└ ✓ calc"); got != opened {
			t.Errorf("opened %v, want %v:\n%s", got, opened, rows())
		}
	}
	m.Update(tea.MouseClickMsg{X: 12, Y: y + 1, Button: tea.MouseLeft})
	m.Update(tea.MouseReleaseMsg{X: 12, Y: y + 1, Button: tea.MouseLeft})
	if strings.Contains(rows(), "└ ✓ calc") {
		t.Errorf("a click on the answer opens it:\n%s", rows())
	}
}

func TestTheHeaderSaysThatNothingIsKept(t *testing.T) {
	for _, w := range []int{80, 120, 200} {
		x := start(t, setup{w: w, h: 24, o: Options{Title: "infra-notes", Ephemeral: true}}, settled())
		x.see("yaap  ·  nothing is kept  ·  infra-notes")
	}
}

func TestADoubtWithItsBidsAndOptionsAtThreeWidths(t *testing.T) {
	for _, c := range []struct{ w, h int }{{80, 24}, {120, 40}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", c.w, c.h), func(t *testing.T) {
			f := settled()
			f.prompt = func(_ context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
				reply := core.Reply{
					Status: core.StatusClarification, Message: "12 = 3 × 4.\nIs “on 3/4/2026” for calc, or for clock (a date)?",
					Data: map[string]any{"options": []any{"@calc on 3/4/2026", "@clock on 3/4/2026"}},
				}
				f.emit(s, core.RunStart{Runner: "agent/yaap", Prompt: text})
				s.Turn = 1
				f.emit(s, append(turnBegins(1), auctioned())...)
				f.emit(s, pieces("m1", core.FieldThought, "calc reads 3 × 4")...)
				f.emit(s, core.LLMCallEnd{Call: "m1", Reason: "stop", MS: 1}, core.FinalOutput{Reply: reply}, core.IterationSummary{Text: "asked back"}, core.TurnEnd{})
				s.Turn = 0
				f.emit(s, core.RunEnd{Outcome: "completed", Status: reply.Status, Turns: 1, MS: 7})
				return core.Result{Reply: reply, Turns: 1}, nil
			}
			x := start(t, setup{w: c.w, h: c.h, o: Options{Title: "infra-notes", Model: "offline"}}, f)
			x.press("what is 3*4, and what is on 3/4/2026?", "enter")
			x.see("1-2 chooses")
			x.press("tab", " ")
			x.see("git declined")
			x.press("esc")
			if c.w >= 160 {
				x.see("run_end")
			}
			x.golden("1-2 chooses")
		})
	}
}
