package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
)

func TestAnAnswerTellsWhatHappensToIt(t *testing.T) {
	for _, c := range []struct {
		body core.Body
		want string
	}{
		{core.Fallback{From: "ollama/x", To: "offline", Reason: "ollama/x is not there"}, "! offline answers from here: ollama/x is not there"},
		{core.Fallback{From: "ollama/x", To: "offline", Reason: "refused"}, "! offline answers from here: ollama/x: refused"},
		{core.Fallback{From: "ollama/x", To: "offline"}, "! offline answers from here: ollama/x does not answer"},
		{core.ContextFitted{Model: "big", LeftOut: 8, Shortened: 2}, "· big is not shown the first 8 questions any more"},
		{core.ContextFitted{Model: "big", Summed: 1}, "· what was said first, 1 question, is summed up for big"},
		{core.Handoff{From: "yaap", To: "reviewer", Reason: "it is a draft"}, "· yaap → reviewer: it is a draft"},
		{core.Handoff{From: "reviewer", To: "yaap", Returned: true}, "· reviewer → yaap: it is done"},
		{core.GuardrailViolation{Guardrail: "secrets", Stage: core.GuardArgs, Call: "c1", Reason: "1 API key", Verdict: "redact"}, "! a secret was removed from what calc was given: 1 API key"},
		{core.GuardrailViolation{Guardrail: "personal", Stage: core.GuardInput, Reason: "2 addresses", Verdict: "redact"}, "! personal data was removed from what you said: 2 addresses"},
		{core.GuardrailViolation{Guardrail: "injection", Stage: core.GuardResult, Call: "c1", Verdict: "block"}, "! what calc answered was held back, as it holds an order to the model"},
		{core.GuardrailViolation{Guardrail: "secrets", Stage: core.GuardOutput, Verdict: "force_failure"}, "! the answer counts as failed, as it holds a secret"},
		{core.GuardrailViolation{Guardrail: "judge", Stage: core.GuardResult, Call: "c9", Verdict: "wonder"}, "! what a tool answered holds something"},
		{core.HookRan{Hook: "sh deny.sh", Event: core.HookBeforeTool, Call: "c1", Decision: core.HookDeny, Reason: "not today"}, "! calc is not called: a hook denies it (sh deny.sh): not today"},
		{core.HookRan{Hook: "sh x", Event: core.HookBeforeTool, Call: "c1", Decision: core.HookChange}, "· a hook changed what calc is given (sh x)"},
		{core.HookRan{Hook: "sh x", Event: core.HookAfterTool, Call: "c1", Decision: core.HookChange}, "· a hook changed what calc answered (sh x)"},
		{core.HookRan{Hook: "sh x", Event: core.HookAfterTool, Call: "c9", Decision: core.HookDeny}, "! what a tool answered is held back by a hook (sh x)"},
		{core.HookRan{Hook: "sh x", Event: core.HookTurnEnd, Decision: core.HookFail, Reason: "late"}, "! a hook failed (sh x): late"},
		{core.HookRan{Hook: "sh x", Event: core.HookTurnEnd, Decision: core.HookRemark, Reason: "2 files changed"}, "· 2 files changed"},
		{core.ApprovalGiven{Call: "c1", Decision: core.AllowSession, Args: []byte("{}")}, "✓ allowed in this conversation: calc with other arguments"},
		{core.ApprovalGiven{Call: "c9", Decision: core.Deny, By: "ada"}, "– denied: by ada"},
	} {
		for _, detail := range []detail{detailCalm, detailThoughts, detailTurns} {
			p := newPaper(100)
			p.canvas.detail = detail
			p.play(core.Scope{}, core.RunStart{Prompt: "q"})
			p.play(turn(1), core.TurnStart{}, core.ToolRequests{Calls: []core.Call{{ID: "c1", Tool: "calc", Args: []byte(`{"prompt":"1+1"}`)}}}, c.body)
			if got := p.text(); !strings.Contains(got, c.want+"\n") && !strings.HasSuffix(got, c.want) {
				t.Errorf("%+v at detail %d: no %q in:\n%s", c.body, detail, c.want, got)
			}
		}
	}
}

func TestWhatAGuardrailFoundInAStreamIsTakenBack(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	found := core.GuardrailViolation{Guardrail: "secrets", Stage: core.GuardOutput, Reason: "1 GitHub token", Verdict: "block"}
	p := newPaper(100)
	p.play(core.Scope{}, core.RunStart{Prompt: "q"})
	p.play(turn(1), turnBegins(1)...)
	p.play(turn(1), pieces("m1", core.FieldThought, "I have "+secret)...)
	p.play(turn(1), pieces("m1", core.FieldText, "using "+secret)...)
	p.play(turn(1), found, core.AssistantMessage{ID: "a", Calls: 1}, core.ToolRequests{Calls: []core.Call{{ID: "c1", Tool: "calc", Args: []byte(`{"prompt":"1+1"}`)}}})
	below := turn(1).Child("c1")
	p.play(below, core.RunStart{Runner: "chain/x"})
	p.play(below, pieces("b1", core.FieldThought, "below "+secret)...)
	p.play(below, found)
	p.play(core.Scope{}, core.RunEnd{Outcome: "interrupted"})
	for _, detail := range []detail{detailCalm, detailThoughts, detailTurns} {
		p.canvas.detail = detail
		if got := p.text(); strings.Contains(got, "ghp_") || !strings.Contains(got, "was held back") {
			t.Errorf("at detail %d:\n%s", detail, got)
		}
	}
}

func TestTheLogOfEventsTakesBackWhatAGuardrailFound(t *testing.T) {
	log := newEventsPane(host{}).(*eventsPane)
	add := func(turn core.Scope, bodies ...core.Body) {
		for _, b := range bodies {
			log.Event(core.Event{Scope: turn, Body: b})
		}
	}
	add(turn(1), pieces("m1", core.FieldThought, "I wonder")...)
	add(turn(2), pieces("m2", core.FieldText, "it is ghp_16C7e42F292c6912E7710c838347Ae178B4a")...)
	add(turn(2), core.GuardrailViolation{Guardrail: "secrets", Stage: core.GuardOutput, Verdict: "redact"})
	var got []string
	for _, r := range log.all {
		if d, ok := r.Body.(core.Delta); ok {
			got = append(got, r.text+": "+d.Text)
		}
	}
	if diff := cmp.Diff([]string{"thought 8 bytes: I wonder", "text taken back: "}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestAHookThatChangesNothingIsNotTold(t *testing.T) {
	p := newPaper(100)
	p.canvas.detail = detailTurns
	p.play(core.Scope{}, core.RunStart{Prompt: "q"})
	p.play(turn(1), core.TurnStart{}, core.HookRan{Hook: "sh quiet.sh", Event: core.HookBeforeTool, Call: "c1", Decision: core.HookAllow, Reason: "fine"})
	if got := p.text(); strings.Contains(got, "hook") || strings.Contains(got, "fine") {
		t.Errorf("it is told in:\n%s", got)
	}
}

func TestSomeOfItIsToldOnlyAtTheHighestDetail(t *testing.T) {
	p := newPaper(100)
	p.play(core.Scope{}, core.RunStart{Prompt: "q"})
	p.play(turn(1), core.TurnStart{}, core.HandoffDenied{From: "yaap", To: "root", Reason: "it is not in its list"},
		core.IterationSummary{Text: "asked calc and clock"}, core.GuardrailCheck{Guardrail: "secrets", Stage: core.GuardArgs, Valid: true})
	told := []string{"! yaap may not hand over to root: it is not in its list", "· asked calc and clock"}
	for _, line := range told {
		if got := p.text(); strings.Contains(got, line) {
			t.Errorf("%q is in:\n%s", line, got)
		}
	}
	p.canvas.detail = detailTurns
	got := p.text()
	for _, line := range told {
		if !strings.Contains(got, line) {
			t.Errorf("no %q in:\n%s", line, got)
		}
	}
	if strings.Contains(got, "secrets") {
		t.Errorf("a check that found nothing is told:\n%s", got)
	}
}

func TestLinesStandWhereTheyHappened(t *testing.T) {
	p := newPaper(100)
	p.canvas.detail = detailTurns
	p.play(core.Scope{}, core.RunStart{Prompt: "q"})
	p.play(turn(1), turnBegins(1)...)
	p.play(turn(1), core.Fallback{From: "ollama/x", To: "offline"})
	p.play(turn(1), pieces("m1", core.FieldThought, "calc can tell")...)
	p.play(turn(1), core.ToolRequests{Calls: []core.Call{{ID: "c1", Tool: "calc", Args: []byte(`{"prompt":"1+1"}`)}}},
		core.GuardrailViolation{Guardrail: "secrets", Stage: core.GuardArgs, Call: "c1", Verdict: "redact"})
	var got []string
	for _, line := range p.lines() {
		for _, word := range []string{"answers from here", "calc can tell", "1+1", "was removed"} {
			if strings.Contains(line, word) {
				got = append(got, word)
			}
		}
	}
	if diff := cmp.Diff([]string{"answers from here", "calc can tell", "1+1", "was removed"}, got); diff != "" {
		t.Errorf("-want +got\n%s\n%s", diff, p.text())
	}
}

func TestTheChainsLineHasWhatHappensBelowIt(t *testing.T) {
	p := newPaper(100)
	x := player{p.f, core.Scope{Thread: "t1", Run: "r1", Trace: "r1"}, "fan"}
	x.emit(core.RunStart{Runner: "chain/fan", Prompt: "q"})
	x.begin("write", 1, `{}`)
	s := x.s.Child("write#1")
	s.Node, s.Turn = "write", 1
	pause := pauseOf("r1/write#1", "c1", "files__write", noteArgs)
	pause.Root = "r1"
	p.f.emit(s, core.RunStart{Runner: "agent/yaap"})
	waitsWith(p.f, s, pause)
	p.f.emit(s, core.RunEnd{Outcome: "interrupted", Status: core.StatusClarification})
	x.end(core.NodeEnd{Node: "write", Visit: 1, State: core.NodePaused})
	x.emit(core.ChainPaused{Chain: "fan", Node: "write", Pause: pause}, core.RunEnd{Outcome: "interrupted", Status: core.StatusClarification})
	p.f.emit(s, core.ApprovalGiven{Pause: pause.ID, Call: "c1", Decision: core.AllowOnce})
	for _, e := range p.f.events {
		p.apply(e)
	}
	if got := p.text(); !strings.Contains(got, "◇ fan  write ?\n          ✓ allowed once: files write") {
		t.Errorf("got:\n%s", got)
	}
}

func TestTheHeaderNamesTheAgentThatHasIt(t *testing.T) {
	for _, w := range []int{80, 120} {
		f := settled()
		release := make(chan struct{})
		f.prompt = func(_ context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
			f.emit(s, core.RunStart{Runner: "agent/yaap", Prompt: text})
			s.Turn = 1
			f.emit(s, turnBegins(1)...)
			f.emit(s, core.Handoff{From: "yaap", To: "reviewer", Reason: "a draft"})
			<-release
			f.emit(s, core.Handoff{From: "reviewer", To: "yaap", Returned: true})
			<-release
			return core.Result{}, nil
		}
		x := start(t, setup{w: w, h: 40}, f)
		x.press("hello", "enter")
		x.see("reviewer · turn 1")
		release <- struct{}{}
		x.gone("reviewer · turn 1")
		x.see("turn 1")
		close(release)
	}
}

func TestTheEventsInspectorTellsTheNewEvents(t *testing.T) {
	l := newEventsPane(host{}).(*eventsPane)
	f := newFake()
	f.emit(turn(1), core.IterationSummary{Text: "asked calc"}, core.Fallback{From: "a", To: "b", Reason: "gone"}, core.Handoff{From: "a", To: "b", Reason: "why"},
		core.HandoffDenied{From: "a", To: "c", Reason: "no"}, core.GuardrailCheck{Guardrail: "secrets", Stage: core.GuardArgs, Valid: true},
		core.GuardrailViolation{Guardrail: "secrets", Stage: core.GuardArgs, Reason: "1 key", Verdict: "redact"},
		core.HookRan{Hook: "sh x", Event: core.HookBeforeTool, Tool: "calc", Decision: core.HookDeny, Reason: "no"}, core.HookRan{Hook: "sh x", Event: core.HookTurnEnd, Decision: core.HookAllow},
		core.ApprovalRequested{Pause: "p", Tool: "files__write", Reason: "it changes files"}, core.ApprovalGiven{Pause: "p", Decision: core.Deny, By: "user"})
	for _, e := range f.events {
		l.Event(e)
	}
	var got []string
	for _, r := range l.visible() {
		got = append(got, strings.Join([]string{r.kind, r.text, []string{"quiet", "good", "ask", "bad"}[r.tone]}, " | "))
	}
	want := []string{
		"iteration_summary | asked calc | quiet", "fallback | a > b  gone | ask", "handoff | a > b  why | quiet", "handoff_denied | a not c  no | ask",
		"guardrail_check | secrets tool_args  clean | quiet", "guardrail_violation | secrets tool_args  redact: 1 key | ask",
		"hook_ran | before_tool calc  deny by sh x: no | ask", "hook_ran | turn_end  allow by sh x | quiet",
		"approval_requested | files write  it changes files | ask", "approval_given | denied  by user | ask",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestWhatARunWaitedForIsForgottenWhenItIsOver(t *testing.T) {
	m := newModel(t.Context(), Options{Thread: "t1"}, newFake(), &jobs{})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	s := core.Scope{Thread: "t1", Run: "r1", Trace: "r1"}
	m.Update(batch{events: []core.Event{
		{Scope: s, Body: core.RunStart{Prompt: "q"}},
		{Scope: s, Body: core.ApprovalRequested{Pause: "r1#c1", Tool: "files__write"}},
		{Scope: s, Body: core.ApprovalRequested{Pause: "r1#c2", Tool: "git__commit"}},
		{Body: core.ApprovalRequested{Pause: "alone", Tool: "memory_create"}},
	}})
	m.asks.since = time.Time{}
	m.Update(tea.KeyPressMsg{Code: 'a', Text: "a"})
	m.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	if len(m.asks.ready) != 1 || len(m.asks.list) != 2 {
		t.Fatalf("%d decided, %d wait", len(m.asks.ready), len(m.asks.list))
	}
	m.Update(batch{events: []core.Event{{Scope: s, Body: core.RunEnd{Outcome: "error", Code: core.CodeCancelled, Error: "cancelled"}}}})
	if len(m.asks.ready) != 0 || len(m.asks.list) != 1 || m.asks.first().pause != "alone" {
		t.Errorf("%d decided, %d wait", len(m.asks.ready), len(m.asks.list))
	}
}

func TestWhatWasRemovedFromAPromptIsToldBeforeItsAnswer(t *testing.T) {
	f := settled()
	f.prompt = func(_ context.Context, f *fake, s core.Scope, text string) (core.Result, error) {
		removed := core.GuardrailViolation{Guardrail: "secrets", Stage: core.GuardInput, Reason: "1 GitHub token", Verdict: "redact"}
		f.emit(core.Scope{Thread: s.Thread}, removed)
		f.emit(core.Scope{Thread: "another"}, core.GuardrailViolation{Guardrail: "personal", Stage: core.GuardInput, Verdict: "redact"})
		reply := core.Reply{Status: core.StatusSuccess, Message: "It has expired."}
		f.emit(s, core.RunStart{Runner: "agent/yaap", Prompt: "why is [secret: github_token] refused?"}, core.FinalOutput{Reply: reply}, core.RunEnd{Outcome: "completed", Status: reply.Status})
		return core.Result{Reply: reply}, nil
	}
	x := start(t, setup{w: 80, h: 24, o: Options{Model: "offline"}}, f)
	x.press("why is ghp_16C7e42F292c refused?", "enter")
	const note = "! a secret was removed from what you said: 1 GitHub token"
	x.see(note) // what a prompt returns may come before its events
	s := x.wait("the prompt, the title and the answer", func(s string) bool {
		return strings.Contains(s, "It has expired.") && strings.Count(s, "why is [secret: github_token] refused?") == 2
	})
	line := strings.Index(s, note)
	if line < strings.Index(s, "why is") || line > strings.Index(s, "It has expired.") {
		t.Errorf("it is not told between the prompt and the answer:\n%s", s)
	}
	if strings.Count(s, "you  ") != 1 || strings.Count(s, "It has expired.") != 1 {
		t.Errorf("its run is shown as another prompt:\n%s", s)
	}
	if strings.Contains(s, "ghp_") {
		t.Errorf("what was removed is on the screen:\n%s", s)
	}
	if strings.Contains(s, "personal data") {
		t.Errorf("what happened in another conversation is told:\n%s", s)
	}
}
