package agent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

func asksUser(args string) llmtest.Turn {
	return llmtest.Turn{Calls: []core.Call{{ID: "q", Tool: "request_user_clarification", Args: []byte(args)}}}
}

func TestAModelAsksTheUserAndItsRunGoesOnWithTheAnswer(t *testing.T) {
	var calls []string
	model := llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{call("a", "calc", "1")}},
		asksUser(`{"question":"Which pond?","options":["north","south"]}`),
		llmtest.Turn{Text: reply("The south pond it is.")})
	s := newStage(t, model, counting("calc", &calls))
	s.cfg.Clarify = true
	in := s.input("look at the pond")
	result, err := agent.New(s.cfg).Run(t.Context(), in)
	if err != nil || len(result.Pauses) != 1 || result.Reply.Status != core.StatusClarification || result.Reply.Message != "Which pond?" {
		t.Fatalf("got %+v, %v", result, err)
	}
	p := result.Pauses[0]
	if p.Kind != core.PauseClarification || p.From != "yaap" || cmp.Diff([]core.Option{{ID: "1", Label: "north"}, {ID: "2", Label: "south"}}, p.Options) != "" {
		t.Errorf("it waits with %+v", p)
	}
	// The program ends here, and another one goes on.
	result, err = s.again(in, core.Answer{Pause: p.ID, Text: "south", ID: "2"})
	if err != nil || result.Reply.Message != "The south pond it is." {
		t.Fatalf("got %+v, %v", result, err)
	}
	last := model.Requests()[2].Messages
	if text := last[len(last)-1].Text; !strings.Contains(text, "The user answers: south") {
		t.Errorf("the model is told %s", text)
	}
	if len(calls) != 1 {
		t.Errorf("calc was called %d times", len(calls))
	}
}

func TestAQuestionToTheUserHasWords(t *testing.T) {
	model := llmtest.New(t, asksUser(`{"question":" "}`), asksUser(`{"question":"Which?","options":["only one"]}`))
	s := newStage(t, model)
	s.cfg.Clarify = true
	result, err := s.run("look")
	if err != nil || len(result.Pauses) != 1 || len(result.Pauses[0].Options) > 0 {
		t.Errorf("got %+v, %v", result, err)
	}
}
