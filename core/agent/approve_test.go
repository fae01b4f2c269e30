package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

// careful asks for some tools until they are allowed.
type careful struct {
	mu    sync.Mutex
	tools []string
}

func (c *careful) NeedsApproval(_ string, tool core.ToolSpec) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.tools, tool.Name)
}

func (c *careful) Options(core.ToolSpec) []core.Option {
	return []core.Option{{ID: core.AllowOnce}, {ID: core.AllowSession}, {ID: core.Deny}}
}

func (c *careful) Allow(_ string, tool core.ToolSpec, decision string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if decision == core.AllowSession {
		c.tools = slices.DeleteFunc(c.tools, func(name string) bool { return name == tool.Name })
	}
	return nil
}

// counting is a tool that keeps the arguments of its calls.
func counting(name string, calls *[]string) tool {
	var mu sync.Mutex
	return tool{core.ToolSpec{Name: name, Owner: name}, func(_ context.Context, c core.Call) (core.ToolResult, error) {
		mu.Lock()
		defer mu.Unlock()
		*calls = append(*calls, name+" "+string(c.Args))
		return core.ToolResult{Status: core.ToolSuccess, Text: "done"}, nil
	}}
}

// again goes on with a run whose question is answered.
func (s *stage) again(in core.Input, answers ...core.Answer) (core.Result, error) {
	s.t.Helper()
	for _, a := range answers {
		a.By, a.Time = "user", time.Now()
		if err := s.journal.Put(s.t.Context(), a); err != nil {
			s.t.Fatal(err)
		}
	}
	return agent.New(s.cfg).Run(s.t.Context(), in)
}

func TestACallThatMustBeAllowedWaitsAndTheOthersDoNot(t *testing.T) {
	var calls []string
	s := newStage(t, llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{call("a", "calc", "1"), call("b", "shell", "rm -r /")}},
		llmtest.Turn{Text: reply("Done.")},
	), counting("calc", &calls), counting("shell", &calls))
	s.cfg.Approvals = &careful{tools: []string{"shell"}}
	in := s.input("do it")
	result, err := agent.New(s.cfg).Run(t.Context(), in)
	if err != nil || len(result.Pauses) != 1 || result.Reply.Status != core.StatusClarification {
		t.Fatalf("got %+v, %v", result, err)
	}
	p := result.Pauses[0]
	want := core.Pause{
		ID: "run#b", Run: runID, Root: runID, Thread: thread, Kind: core.PauseApproval, From: "yaap",
		Question: `May shell be called with {"prompt":"rm -r /"}?`, Options: p.Options,
		Call: &core.Call{ID: "b", Tool: "shell", Args: json.RawMessage(`{"prompt":"rm -r /"}`)}, Tool: core.ToolSpec{Name: "shell", Owner: "shell"}, Time: p.Time,
		Fingerprint: core.ToolSpec{Name: "shell", Owner: "shell"}.Fingerprint(),
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("the pause (-want +got)\n%s", diff)
	}
	stored, err := s.journal.Pauses(t.Context(), thread)
	if err != nil || len(stored) != 1 || stored[0].ID != p.ID {
		t.Errorf("stored are %+v, %v", stored, err)
	}
	if diff := cmp.Diff([]string{`calc {"prompt":"1"}`}, calls); diff != "" {
		t.Errorf("calls before the answer (-want +got)\n%s", diff)
	}

	result, err = s.again(in, core.Answer{Pause: p.ID, ID: core.AllowOnce, Text: "Allow once", Data: json.RawMessage(`{"prompt":"ls"}`)})
	if err != nil || result.Reply.Message != "Done." {
		t.Fatalf("got %+v, %v", result, err)
	}
	if diff := cmp.Diff([]string{`calc {"prompt":"1"}`, `shell {"prompt":"ls"}`}, calls); diff != "" {
		t.Errorf("calls (-want +got)\n%s", diff)
	}
	var asked, given int
	for _, e := range s.events() {
		switch b := e.Body.(type) {
		case core.ApprovalRequested:
			asked++
		case core.ApprovalGiven:
			given++
			if b.Decision != core.AllowOnce || string(b.Args) != `{"prompt":"ls"}` || b.By != "user" {
				t.Errorf("got %+v", b)
			}
		}
	}
	if asked != 1 || given != 1 {
		t.Errorf("asked %d times and told %d times", asked, given)
	}
}

func TestACallThatIsDeniedIsNotMadeAndTheModelIsTold(t *testing.T) {
	var calls []string
	script := llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "shell", "rm -r /")}}, llmtest.Turn{Text: reply("Then not.")})
	s := newStage(t, script, counting("shell", &calls))
	s.cfg.Approvals = &careful{tools: []string{"shell"}}
	in := s.input("do it")
	if _, err := agent.New(s.cfg).Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	result, err := s.again(in, core.Answer{Pause: "run#a", ID: core.Deny, Text: "Deny"})
	if err != nil || result.Reply.Message != "Then not." || len(calls) != 0 {
		t.Errorf("got %+v, %v after %q", result, err, calls)
	}
	messages, err := s.journal.Messages(t.Context(), thread)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		if m.Result != nil && m.Result.Status == core.ToolPermissionDenied && m.Result.Code == core.ToolCodePermissionDenied {
			return
		}
	}
	t.Error("nothing in the conversation says that it was denied")
}

func TestAToolThatIsAllowedForTheSessionIsNotAskedForAgain(t *testing.T) {
	var calls []string
	s := newStage(t, llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{call("a", "shell", "ls")}},
		llmtest.Turn{Calls: []core.Call{call("b", "shell", "pwd")}},
		llmtest.Turn{Text: reply("Done.")},
	), counting("shell", &calls))
	s.cfg.Approvals = &careful{tools: []string{"shell"}}
	in := s.input("do it")
	if _, err := agent.New(s.cfg).Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	result, err := s.again(in, core.Answer{Pause: "run#a", ID: core.AllowSession, Text: "Allow in this conversation"})
	if err != nil || result.Reply.Message != "Done." || len(calls) != 2 {
		t.Errorf("got %+v, %v after %q", result, err, calls)
	}
}

func TestArgumentsThatTheUserWroteAreCheckedToo(t *testing.T) {
	var calls []string
	s := newStage(t, llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "shell", "ls")}}, llmtest.Turn{Text: reply("Done.")}), counting("shell", &calls))
	s.cfg.Approvals = &careful{tools: []string{"shell"}}
	in := s.input("do it")
	if _, err := agent.New(s.cfg).Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if _, err := s.again(in, core.Answer{Pause: "run#a", ID: core.AllowOnce, Data: json.RawMessage(`{"promt":"ls"}`)}); err != nil || len(calls) != 0 {
		t.Errorf("got %v after %q", err, calls)
	}
	s.events()
}

// What is answered first is the first that was stored: to be asked about
// another one then would allow what the user has not seen.
func TestCallsThatWaitAreAskedAboutInTheirOrderEveryTime(t *testing.T) {
	var calls []string
	wanted := []core.Call{call("a", "shell", "1"), call("b", "shell", "2"), call("c", "shell", "3"), call("d", "shell", "4")}
	s := newStage(t, llmtest.New(t, llmtest.Turn{Calls: wanted}, llmtest.Turn{Text: reply("Done.")}), counting("shell", &calls))
	s.cfg.Approvals = &careful{tools: []string{"shell"}}
	in := s.input("do it")
	result, err := agent.New(s.cfg).Run(t.Context(), in)
	for len(result.Pauses) > 0 {
		stored, failed := s.journal.Pauses(t.Context(), thread)
		if err != nil || failed != nil || len(stored) != len(result.Pauses) {
			t.Fatalf("got %+v, %v; stored are %+v, %v", result, err, stored, failed)
		}
		for i, p := range stored {
			if result.Pauses[i].ID != p.ID {
				t.Errorf("asked about %s where %s is stored", result.Pauses[i].ID, p.ID)
			}
		}
		result, err = s.again(in, core.Answer{Pause: stored[0].ID, ID: core.AllowOnce})
	}
	want := []string{`shell {"prompt":"1"}`, `shell {"prompt":"2"}`, `shell {"prompt":"3"}`, `shell {"prompt":"4"}`}
	if diff := cmp.Diff(want, calls); err != nil || diff != "" {
		t.Errorf("calls (-want +got)\n%s%v", diff, err)
	}
}

// cautious asks for every tool.
type cautious struct{ careful }

func (*cautious) NeedsApproval(string, core.ToolSpec) bool { return true }

func TestTheAnswerOfAnAgentNeedsNotBeAllowed(t *testing.T) {
	s := newStage(t, llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{handTo("a", "reviewer", "look at it")}},
		llmtest.Turn{Text: reply("Merge it.")},
		llmtest.Turn{Text: reply("The reviewer says: merge it.")},
	))
	s.cfg.Peers, s.cfg.Approvals = team(), &cautious{}
	in := s.input("may I merge this?")
	if result, err := agent.New(s.cfg).Run(t.Context(), in); err != nil || len(result.Pauses) != 1 || result.Pauses[0].Call.Tool != "handoff_to_agent" {
		t.Fatalf("got %+v, %v", result, err)
	}
	result, err := s.again(in, core.Answer{Pause: "run#a", ID: core.AllowOnce})
	if err != nil || len(result.Pauses) > 0 || result.Reply.Message != "The reviewer says: merge it." {
		t.Errorf("got %+v, %v", result, err)
	}
}

func TestWhatWasAllowedIsNotCalledWhenItIsAnotherByThen(t *testing.T) {
	for what, edit := range map[string]func(*core.ToolSpec){
		"description": func(s *core.ToolSpec) { s.Description = "Removes everything." },
		"owner":       func(s *core.ToolSpec) { s.Owner = "other" },
		"command":     func(s *core.ToolSpec) { s.Origin = "npx evil" },
		"acts":        func(s *core.ToolSpec) { s.Acts = true },
	} {
		var calls []string
		s := newStage(t, llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "shell", "ls")}}, llmtest.Turn{Text: reply("Then not.")}), counting("shell", &calls))
		s.cfg.Approvals = &careful{tools: []string{"shell"}}
		in := s.input("do it")
		if _, err := agent.New(s.cfg).Run(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		other := counting("shell", &calls)
		edit(&other.spec)
		s.cfg.Tools = &box{tools: []core.Tool{other}}
		result, err := s.again(in, core.Answer{Pause: "run#a", ID: core.AllowOnce, Text: "Allow once"})
		if err != nil || len(calls) != 0 || result.Reply.Message != "Then not." {
			t.Errorf("another %s: got %+v, %v after %q", what, result, err, calls)
		}
		s.events()
	}
}

func TestWhatWasDeniedIsToldAsDeniedWhenItsExpertHasLeft(t *testing.T) {
	var calls []string
	s := newStage(t, llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "shell", "ls")}}, llmtest.Turn{Text: reply("Then not.")}), counting("shell", &calls))
	s.cfg.Approvals = &careful{tools: []string{"shell"}}
	in := s.input("do it")
	if _, err := agent.New(s.cfg).Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	s.cfg.Tools = &box{}
	if _, err := s.again(in, core.Answer{Pause: "run#a", ID: core.Deny, Text: "Deny"}); err != nil {
		t.Fatal(err)
	}
	var given, ended bool
	for _, e := range s.events() {
		switch b := e.Body.(type) {
		case core.ApprovalGiven:
			given = b.Decision == core.Deny
		case core.ToolCallEnd:
			ended = b.Code == core.ToolCodePermissionDenied
		default:
		}
	}
	if !given || !ended {
		t.Errorf("told as given: %t, as denied: %t", given, ended)
	}
}

func TestAnAnswerForTheConversationHoldsForCallsThatWaitBesideIt(t *testing.T) {
	for range 20 { // they are made at the same time
		var calls []string
		s := newStage(t, llmtest.New(t,
			llmtest.Turn{Calls: []core.Call{call("a", "shell", "1"), call("b", "shell", "2"), call("c", "shell", "3")}}, llmtest.Turn{Text: reply("Done.")},
		), counting("shell", &calls))
		s.cfg.Approvals = &careful{tools: []string{"shell"}}
		in := s.input("do it")
		if result, err := agent.New(s.cfg).Run(t.Context(), in); err != nil || len(result.Pauses) != 3 {
			t.Fatalf("got %+v, %v", result, err)
		}
		result, err := s.again(in, core.Answer{Pause: "run#b", ID: core.AllowSession})
		if err != nil || len(result.Pauses) != 0 || len(calls) != 3 || result.Reply.Message != "Done." {
			t.Fatalf("got %+v, %v after %q", result, err, calls)
		}
		s.events()
	}
}

func TestWhatActsIsNotCalledAgainForAnAnswerThatCanBeRead(t *testing.T) {
	for what, spec := range map[string]core.ToolSpec{
		"it acts":            {Name: "shell", Owner: "shell", SACP: true, Acts: true},
		"it was asked about": {Name: "shell", Owner: "shell", SACP: true},
	} {
		calls := 0
		s := newStage(t, llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", "shell", "ls")}}, llmtest.Turn{Text: reply("Done.")}),
			tool{spec, func(context.Context, core.Call) (core.ToolResult, error) {
				calls++
				return core.ToolResult{Status: core.ToolSuccess, Text: `{"status":`}, nil
			}})
		s.cfg.Approvals = &careful{tools: []string{"shell"}}
		in := s.input("do it")
		if _, err := agent.New(s.cfg).Run(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		if _, err := s.again(in, core.Answer{Pause: "run#a", ID: core.AllowOnce}); err != nil || calls != 1 {
			t.Errorf("%s: it is called %d times, %v", what, calls, err)
		}
		s.events()
	}
}
