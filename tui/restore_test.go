package tui

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
)

// retold plays turns live, and stores what a room stores of them.
type retold struct {
	*paper
	messages []core.Message
	stored   []core.Event
	run      string
}

// say is a prompt, or an answer to what the run asks: the live chat knows its
// text only.
func (x *retold) say(run, text string) {
	x.run = run
	x.f.now = x.f.now.Add(time.Second)
	x.messages = append(x.messages, core.Message{ID: fmt.Sprint("m", len(x.messages)), Run: run, Role: core.RoleUser, Text: text, Time: x.f.now})
	x.ask(text, run, x.f.now)
}

// report is what the run reports. Deltas and progress are not stored.
func (x *retold) report(turn int, bodies ...core.Body) {
	s := core.Scope{Thread: "t1", Run: x.run, Trace: x.run, Agent: "yaap", Turn: turn}
	x.f.emit(s, bodies...)
	for _, e := range x.f.events {
		x.apply(e)
		switch e.Body.(type) {
		case core.Delta, core.ToolCallProgress:
		default:
			raw, err := json.Marshal(e)
			if err != nil {
				panic(err)
			}
			var back core.Event
			if err := json.Unmarshal(raw, &back); err != nil {
				panic(err)
			}
			x.stored = append(x.stored, back)
		}
	}
	x.f.events = nil
}

// turn begins a turn in which a model thinks and asks for a call.
func (x *retold) calls(n int, thought string, c core.Call) {
	id, request := fmt.Sprint(x.run, "/said", n), fmt.Sprint("llm", n)
	x.messages = append(x.messages, core.Message{ID: id, Run: x.run, Role: core.RoleAssistant, Thinking: thought, Calls: []core.Call{c}, Time: x.f.now})
	x.report(n, core.AgentProcessing{Model: "big", MaxTurns: 4, Tools: []string{"shell"}}, core.TurnStart{},
		core.LLMCallStart{Call: request, Model: "big", Tools: 1},
		core.Delta{Stream: request, Field: core.FieldThought, Text: thought[:len(thought)/2]}, core.Delta{Stream: request, Field: core.FieldThought, Text: thought[len(thought)/2:]},
		core.LLMCallEnd{Call: request, Reason: "tool_calls", Usage: core.Usage{Prompt: 3, Completion: 4}},
		core.AssistantMessage{ID: id, Text: "Let me look.", Calls: 1}, core.ToolRequests{Calls: []core.Call{c}})
}

func (x *retold) answers(n int, text string, end core.RunEnd) {
	reply := core.Reply{Status: core.StatusSuccess, Message: text, Thought: "That is it."}
	x.report(n, core.TurnStart{}, core.LLMCallStart{Call: fmt.Sprint("llm", n), Model: "big"},
		core.Delta{Stream: fmt.Sprint("llm", n), Field: core.FieldMessage, Text: text[:len(text)/2]},
		core.FinalOutput{Reply: reply, Fallback: end.Code == core.CodeMaxTurns}, core.IterationSummary{Text: "answered"}, core.TurnEnd{})
	end.Turns, end.Status, end.MS = n, reply.Status, 1234
	x.report(0, end)
}

func start1(prompt string, resumed bool) core.RunStart {
	return core.RunStart{Runner: "agent/yaap", Prompt: prompt, Resumed: resumed}
}

// asksToAllow is a turn whose call waits for the user.
func (x *retold) asksToAllow(prompt string) core.Call {
	c := core.Call{ID: "c1", Tool: "shell", Args: []byte(`{"command":"rm x"}`)}
	x.say(prompt, prompt)
	x.report(0, start1(prompt, false))
	x.calls(1, "I have to remove it.", c)
	pause := x.run + "#c1"
	x.report(1, core.BeforeToolExecution{Call: "c1", Tool: "shell", Expert: "shell", Args: c.Args},
		core.ToolCallStart{Call: "c1", Tool: "shell", Expert: "shell", Args: c.Args},
		core.ApprovalRequested{Pause: pause, Call: "c1", Tool: "shell", Expert: "shell", Args: c.Args, Reason: "it acts"},
		core.ToolCallEnd{Call: "c1", Tool: "shell", Expert: "shell", Status: core.ToolWaiting, Text: "waits until the user allows it"},
		core.FinalOutput{Reply: core.Reply{Status: core.StatusClarification, Message: "May shell be called?", Data: map[string]any{"pause": pause}}})
	x.report(0, core.RunEnd{Outcome: "interrupted", Status: core.StatusClarification})
	return c
}

func (x *retold) decided(c core.Call, prompt string, given core.ApprovalGiven, end core.ToolCallEnd) {
	given.Pause, given.Call, given.By = x.run+"#c1", "c1", "user"
	end.Call, end.Tool, end.Expert, end.MS = "c1", "shell", "shell", 17
	x.report(0, start1(prompt, true))
	x.report(1, given, core.BeforeToolExecution{Call: "c1", Tool: "shell", Expert: "shell", Args: c.Args},
		core.ToolCallStart{Call: "c1", Tool: "shell", Expert: "shell", Args: c.Args}, end, core.TurnEnd{})
	x.answers(2, "So it is.", core.RunEnd{Outcome: "completed"})
}

// bidOn is a turn that was bid on.
func bidOn(x *retold) {
	x.say("r1", "3*4 and rock")
	x.report(0, start1("3*4 and rock", false))
	x.report(1, core.TurnStart{}, auctioned())
	x.answers(1, "That is 12.", core.RunEnd{Outcome: "completed"})
}

func givenUp(x *retold) {
	x.say("r1", "/chain run asks")
	x.report(0, core.RunStart{Runner: "chain/asks", Prompt: "/chain run asks"},
		core.FinalOutput{Reply: core.Reply{Status: core.StatusClarification, Message: "Which?"}}, core.RunEnd{Outcome: "interrupted", Status: core.StatusClarification})
	x.report(0, core.RunStart{Runner: "chain/asks", Resumed: true}, core.RunEnd{Outcome: "error", Code: core.CodeCancelled, Error: "given up"})
}

func kindsOfTurns() map[string]func(x *retold) {
	return map[string]func(x *retold){
		"calls with their times": func(x *retold) {
			x.say("r1", "look")
			x.report(0, start1("look", false))
			x.calls(1, "shell can look.", core.Call{ID: "c1", Tool: "shell", Args: []byte(`{"prompt":"ls"}`)})
			x.report(1, core.ToolCallStart{Call: "c1", Tool: "shell", Expert: "shell", Again: true, Args: []byte(`{"prompt":"ls"}`)},
				core.ToolCallProgress{Call: "c1", Message: "half", Fraction: 0.5},
				core.ToolCallEnd{Call: "c1", Tool: "shell", Expert: "shell", Status: core.ToolError, Text: "no such file", MS: 250}, core.TurnEnd{})
			x.answers(2, "There is **nothing**.", core.RunEnd{Outcome: "completed"})
		},
		"bids": bidOn,
		"allowed": func(x *retold) {
			c := x.asksToAllow("remove x")
			x.decided(c, "remove x", core.ApprovalGiven{Decision: core.AllowOnce}, core.ToolCallEnd{Status: core.ToolSuccess, Text: "gone"})
		},
		"allowed with other arguments": func(x *retold) {
			c := x.asksToAllow("remove x")
			c.Args = []byte(`{"command":"rm y"}`)
			x.decided(c, "remove x", core.ApprovalGiven{Decision: core.AllowSession, Args: c.Args}, core.ToolCallEnd{Status: core.ToolSuccess, Text: "gone"})
		},
		"denied": func(x *retold) {
			c := x.asksToAllow("remove x")
			x.decided(c, "remove x", core.ApprovalGiven{Decision: core.Deny}, core.ToolCallEnd{Status: core.ToolPermissionDenied, Text: "the user did not allow this call"})
		},
		"not decided yet": func(x *retold) { x.asksToAllow("remove x") },
		"the turn limit, and gone on with": func(x *retold) {
			x.say("r1", "think")
			x.report(0, start1("think", false))
			limit := core.RunEnd{Outcome: "interrupted", Code: core.CodeTurnLimit, Error: "answered on the last turn, with what was there", Hint: "/continue gives it more turns"}
			x.answers(1, "as far as I got", limit)
			x.report(0, start1("think", true))
			x.answers(2, "all of it", limit)
		},
		"put together from what was found": func(x *retold) {
			x.say("r1", "think")
			x.report(0, start1("think", false))
			x.answers(1, "found: nothing", core.RunEnd{Outcome: "interrupted", Code: core.CodeMaxTurns, Error: "no answer within the turn limit"})
		},
		"cancelled": func(x *retold) {
			x.say("r1", "look")
			x.report(0, start1("look", false))
			x.calls(1, "shell can look.", core.Call{ID: "c1", Tool: "shell", Args: []byte(`{"prompt":"ls"}`)})
			x.report(1, core.ToolCallStart{Call: "c1", Tool: "shell", Expert: "shell", Args: []byte(`{"prompt":"ls"}`)},
				core.ToolCallEnd{Call: "c1", Tool: "shell", Expert: "shell", Status: core.ToolError, Code: core.ToolCodeCancelled, Text: "shell was cancelled by the user", MS: 900}, core.TurnEnd{})
			x.report(0, core.RunEnd{Outcome: "error", Code: core.CodeCancelled, Error: "cancelled"})
		},
		"cancelled while it answered": func(x *retold) {
			x.say("r1", "tell")
			x.report(0, start1("tell", false))
			x.report(1, core.TurnStart{}, core.LLMCallStart{Call: "llm1", Model: "big"}, core.Delta{Stream: "llm1", Field: core.FieldThought, Text: "A tale, then."},
				core.Delta{Stream: "llm1", Field: core.FieldMessage, Text: "Once upon a **time"}, core.Delta{Stream: "llm1", Field: core.FieldMessage, Text: "** there was"},
				core.LLMCallEnd{Call: "llm1", Error: "context canceled", Thought: "A tale, then.", Text: "Once upon a **time** there was"}, core.TurnEnd{})
			x.report(0, core.RunEnd{Outcome: "error", Code: core.CodeCancelled, Error: "cancelled"})
		},
		"failed": func(x *retold) {
			x.say("r1", "look")
			x.report(0, start1("look", false), core.Fallback{From: "big", To: "small", Reason: "it does not answer"})
			x.report(0, core.RunEnd{Outcome: "error", Code: core.CodeUnreachable, Error: "no model answers", Hint: "start one"})
		},
		"cut off": func(x *retold) {
			x.say("r1", "look")
			x.report(0, start1("look", false))
			x.report(1, core.SACPRepaired{Steps: []string{core.RepairCutOff}})
			x.answers(1, "It is f", core.RunEnd{Outcome: "completed"})
		},
		"handed on, and something taken out": func(x *retold) {
			x.f.emit(core.Scope{Thread: "t1"}, core.GuardrailViolation{Guardrail: "secrets", Stage: core.GuardInput, Verdict: "redact", Reason: "1 token"})
			found := x.f.events
			x.f.events = nil
			x.say("r1", "my [secret]")
			for _, e := range found {
				x.apply(e)
			}
			x.stored = append(x.stored, found...)
			x.report(0, start1("my [secret]", false))
			x.report(1, core.Handoff{From: "yaap", To: "lawyer", Reason: "it is about law"})
			x.answers(1, "It is lawful.", core.RunEnd{Outcome: "completed"})
		},
		"a chain that asks": func(x *retold) {
			x.say("r1", "/chain run asks")
			x.report(0, core.RunStart{Runner: "chain/asks", Prompt: "/chain run asks"}, core.NodeStart{Chain: "asks", Node: "q", Visit: 1, Attempt: 1},
				core.NodeEnd{Chain: "asks", Node: "q", Visit: 1, Attempt: 1, State: core.NodePaused, MS: 3})
			options := []core.Option{{ID: "1", Label: "red"}, {ID: "2", Label: "blue"}}
			x.report(0, core.ClarificationRequested{ID: "r1#q", Question: "Which?", Options: options},
				core.FinalOutput{Reply: core.Reply{Status: core.StatusClarification, Message: "Which?", Data: map[string]any{"options": []any{"red", "blue"}}}},
				core.RunEnd{Outcome: "interrupted", Status: core.StatusClarification, Turns: 1, MS: 5})
			x.say("r1", "2")
			x.report(0, core.RunStart{Runner: "chain/asks", Prompt: "2", Resumed: true}, core.ClarificationProvided{ID: "r1#q", Selected: "blue", Option: "2"},
				core.NodeStart{Chain: "asks", Node: "q", Visit: 1, Attempt: 2}, core.NodeEnd{Chain: "asks", Node: "q", Visit: 1, Attempt: 2, State: core.NodeCompleted, MS: 1},
				core.FinalOutput{Reply: core.Reply{Status: core.StatusSuccess, Message: "blue it is"}}, core.RunEnd{Outcome: "completed", Turns: 2, MS: 6})
		},
		"a chain that was given up": givenUp,
	}
}

func TestEveryKindOfTurnIsToldTheSameWhenItIsOpenedAgain(t *testing.T) {
	for name, play := range kindsOfTurns() {
		for _, d := range []detail{detailCalm, detailThoughts, detailTurns} {
			t.Run(fmt.Sprint(name, " ", d), func(t *testing.T) {
				x := &retold{paper: newPaper(80)}
				x.canvas.detail = d
				play(x)
				x.say("r9", "and then?")
				x.report(0, start1("and then?", false))
				x.answers(1, "That was all.", core.RunEnd{Outcome: "completed"})
				again := newPaper(80)
				again.canvas.detail = d
				again.restore(core.Page{Messages: x.messages, Events: x.stored})
				if diff := cmp.Diff(x.lines(), again.lines()); diff != "" {
					t.Errorf("-live +opened again\n%s", diff)
				}
			})
		}
	}
}

func TestARunThatWasKilledIsToldAsFarAsItCame(t *testing.T) {
	x := &retold{paper: newPaper(80)}
	x.say("r1", "look")
	x.report(0, start1("look", false))
	x.calls(1, "shell can look.", core.Call{ID: "c1", Tool: "shell", Args: []byte(`{"prompt":"ls"}`)})
	x.say("r2", "Are you there?")
	again := newPaper(80)
	again.restore(core.Page{Messages: x.messages, Events: x.stored})
	want := []string{
		" you      look",
		"          – shell",
		" yaap   – this answer was interrupted",
		"",
		" you      Are you there?",
		" yaap   – this answer was interrupted",
		"          /continue goes on with it",
	}
	if diff := cmp.Diff(want, again.lines()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
