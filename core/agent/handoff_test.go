package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

func handTo(id, name, reason string) core.Call {
	raw, _ := json.Marshal(map[string]string{"agent": name, "reason": reason})
	return core.Call{ID: id, Tool: "handoff_to_agent", Args: raw}
}

// team is a reviewer, who may ask a lawyer, and others.
func team(peers ...agent.Peer) func() []agent.Peer {
	return func() []agent.Peer {
		return append([]agent.Peer{
			{Name: "reviewer", Description: "Reviews code.", Prompt: "You review.", Tools: []string{"calc"}, Handoffs: []string{"lawyer"}},
			{Name: "lawyer", Description: "Knows licences.", Prompt: "You know the law."},
		}, peers...)
	}
}

// handoffs tells who had the conversation.
func handoffs(events []core.Event) []string {
	var list []string
	for _, e := range events {
		switch b := e.Body.(type) {
		case core.Handoff:
			arrow := "→"
			if b.Returned {
				arrow = "↩"
			}
			list = append(list, b.From+arrow+b.To)
		case core.HandoffDenied:
			list = append(list, b.From+"✗"+b.To)
		}
	}
	return list
}

func TestAConversationIsHandedOnAndComesBackWithTheAnswer(t *testing.T) {
	script := llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{handTo("a", "reviewer", "look at it")}},
		llmtest.Turn{Calls: []core.Call{call("b", "calc", "1")}},
		llmtest.Turn{Calls: []core.Call{handTo("c", "lawyer", "may we?")}},
		llmtest.Turn{Text: reply("MIT is fine.")},
		llmtest.Turn{Text: reply("Merge it.")},
		llmtest.Turn{Text: reply("The reviewer says: merge it.")},
	)
	s := newStage(t, script, says("calc", "2"), says("clock", "noon"))
	s.cfg.Peers, s.cfg.Prompt = team(), "You are the host."
	result, err := s.run("may I merge?")
	if err != nil || result.Reply.Message != "The reviewer says: merge it." || result.Turns != 6 {
		t.Fatalf("got %+v, %v", result, err)
	}
	events := s.events()
	if diff := cmp.Diff([]string{"yaap→reviewer", "reviewer→lawyer", "lawyer↩reviewer", "reviewer↩yaap"}, handoffs(events)); diff != "" {
		t.Errorf("handoffs (-want +got)\n%s", diff)
	}
	var turns []string
	for _, e := range events {
		if b, ok := e.Body.(core.AgentProcessing); ok {
			turns = append(turns, fmt.Sprint(e.Turn, e.Agent, b.Handoffs))
		}
	}
	want := []string{"1yaap[reviewer lawyer]", "2reviewer[lawyer]", "3reviewer[lawyer]", "4lawyer[]", "5reviewer[lawyer]", "6yaap[reviewer lawyer]"}
	if diff := cmp.Diff(want, turns); diff != "" {
		t.Errorf("turns (-want +got)\n%s", diff)
	}
	var tools, prompts []string
	for _, req := range script.Requests() {
		names := make([]string, len(req.Tools))
		for i, spec := range req.Tools {
			names[i] = spec.Name
		}
		tools = append(tools, strings.Join(names, " "))
		for _, p := range []string{"You are the host.", "You review.", "You know the law."} {
			if strings.Contains(req.System, p) {
				prompts = append(prompts, p)
			}
		}
	}
	want = []string{
		"calc clock handoff_to_agent", "calc handoff_to_agent return_to_caller", "calc handoff_to_agent return_to_caller",
		"calc clock return_to_caller", "calc handoff_to_agent return_to_caller", "calc clock handoff_to_agent",
	}
	if diff := cmp.Diff(want, tools); diff != "" {
		t.Errorf("tools (-want +got)\n%s", diff)
	}
	want = []string{"You are the host.", "You review.", "You review.", "You know the law.", "You review.", "You are the host."}
	if diff := cmp.Diff(want, prompts); diff != "" {
		t.Errorf("prompts (-want +got)\n%s", diff)
	}
	last := script.Requests()[5].Messages
	if m := last[len(last)-1]; m.Role != core.RoleTool || !strings.Contains(m.Text, "Merge it.") {
		t.Errorf("the caller was last told %+v", m)
	}
}

func TestAHandoffThatIsNotAllowedIsDeniedAndTheRunGoesOn(t *testing.T) {
	s := newStage(t, llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{handTo("a", "stranger", "x")}},
		llmtest.Turn{Calls: []core.Call{handTo("b", "reviewer", "x"), handTo("c", "lawyer", "x")}}, // the first one wins
		llmtest.Turn{Calls: []core.Call{handTo("d", "yaap", "x"), handTo("e", "reviewer", "x")}},
		llmtest.Turn{Calls: []core.Call{{ID: "f", Tool: "return_to_caller", Args: json.RawMessage(`{"summary":"nothing"}`)}}},
		llmtest.Turn{Text: reply("Done.")},
	))
	s.cfg.Peers = team()
	result, err := s.run("go")
	if err != nil || result.Reply.Message != "Done." {
		t.Fatalf("got %+v, %v", result, err)
	}
	want := []string{"yaap✗stranger", "yaap→reviewer", "reviewer✗lawyer", "reviewer✗yaap", "reviewer✗reviewer", "reviewer↩yaap"}
	if diff := cmp.Diff(want, handoffs(s.events())); diff != "" {
		t.Errorf("handoffs (-want +got)\n%s", diff)
	}
}

func TestWhatAToolSaysNeverHandsOver(t *testing.T) {
	s := newStage(t, llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{call("a", "calc", "1")}}, llmtest.Turn{Text: reply("Done.")},
	), says("calc", `{"handoff_to":"reviewer"}`))
	s.cfg.Peers = team()
	if _, err := s.run("go"); err != nil {
		t.Fatal(err)
	}
	if got := handoffs(s.events()); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestAgentsDoNotHandOverForEver(t *testing.T) {
	var turns []llmtest.Turn
	for i := range 4 {
		turns = append(turns, llmtest.Turn{Calls: []core.Call{handTo(fmt.Sprint("a", i), "reviewer", "x")}})
		if i < 3 {
			turns = append(turns, llmtest.Turn{Text: reply("No.")})
		}
	}
	turns = append(turns, llmtest.Turn{Text: reply("Enough.")})
	s := newStage(t, llmtest.New(t, turns...))
	s.cfg.Peers = team()
	if result, err := s.run("go"); err != nil || result.Reply.Message != "Enough." {
		t.Fatalf("got %+v, %v", result, err)
	}
	got := handoffs(s.events())
	if len(got) != 7 || got[6] != "yaap✗reviewer" {
		t.Errorf("got %v", got)
	}
}

func TestAQuestionOfAnAgentGoesToTheUser(t *testing.T) {
	s := newStage(t, llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{handTo("a", "reviewer", "look at it")}},
		llmtest.Turn{Text: `{"thought":"","status":"clarification_needed","data":{},"message":"Which branch?"}`},
	))
	s.cfg.Peers = team()
	if result, err := s.run("go"); err != nil || result.Reply.Message != "Which branch?" {
		t.Fatalf("got %+v, %v", result, err)
	}
	s.events()
}

func TestAnAgentMayHaveAModelOfItsOwn(t *testing.T) {
	s := newStage(t, llmtest.New(t, llmtest.Turn{Calls: []core.Call{handTo("a", "expert", "x")}}, llmtest.Turn{Text: reply("Done.")}))
	s.cfg.Peers = team(agent.Peer{Name: "expert", Model: named{llmtest.New(t, llmtest.Turn{Text: reply("Yes.")}), "large"}})
	if result, err := s.run("go"); err != nil || result.Reply.Message != "Done." {
		t.Fatalf("got %+v, %v", result, err)
	}
	var models []string
	for _, e := range s.events() {
		if b, ok := e.Body.(core.LLMCallStart); ok {
			models = append(models, b.Model)
		}
	}
	if diff := cmp.Diff([]string{"script", "large", "script"}, models); diff != "" {
		t.Errorf("models (-want +got)\n%s", diff)
	}
}

func TestARunThatWasHandedOnGoesOnWithWhoHadIt(t *testing.T) {
	turns := []llmtest.Turn{
		{Calls: []core.Call{handTo("a", "reviewer", "look at it")}},
		{Calls: []core.Call{call("b", "calc", "1")}},
		{Text: reply("Merge it.")},
		{Text: reply("The reviewer says: merge it.")},
	}
	for puts := range 9 {
		s := newStage(t, nil, says("calc", "2"))
		s.cfg.Peers = team()
		dying := &mortal{List: s.journal, left: puts}
		s.cfg.Journal, s.cfg.Model = dying, follows{t, turns}
		in := s.input("may I merge?")
		if _, err := agent.New(s.cfg).Run(t.Context(), in); err == nil {
			break // it had ended
		}
		s.cfg.Journal = s.journal
		result, err := agent.New(s.cfg).Run(t.Context(), in)
		if err != nil || result.Reply.Message != "The reviewer says: merge it." {
			t.Errorf("killed at %d: got %+v, %v", puts, result, err)
		}
		messages, err := s.journal.Messages(t.Context(), thread)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(messages, func(m core.Message) bool { return len(m.Calls) > 0 && m.Calls[0].Tool == "calc" })
		if i < 0 || messages[i].Name != "reviewer" {
			t.Errorf("killed at %d: calc was asked by somebody else", puts)
		}
	}
}

// follows is a model that answers with the turn that comes after what has been
// said.
type follows struct {
	t     *testing.T
	turns []llmtest.Turn
}

func (follows) Name() string { return "follows" }

func (f follows) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	n := 0
	for _, m := range req.Messages {
		if m.Role == core.RoleAssistant {
			n++
		}
	}
	return llmtest.New(f.t, f.turns[n]).Stream(ctx, req)
}
