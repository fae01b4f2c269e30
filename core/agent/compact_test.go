package agent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

// summing is a stage whose conversations are summed up by its model.
func summing(t *testing.T, model llm.Model) *stage {
	s := newStage(t, nil)
	s.cfg.Model, s.cfg.Summing = small{model, 8192}, "You sum up."
	return s
}

// contextFit are what was reported of conversations that did not fit.
func contextFit(events []core.Event) (list []core.ContextFitted) {
	for _, e := range events {
		if b, ok := e.Body.(core.ContextFitted); ok {
			list = append(list, b)
		}
	}
	return list
}

// asks asks after n questions, as the run of that id.
func (s *stage) asks(a *agent.Agent, n int, run string) {
	s.t.Helper()
	in := s.input("and now?")
	in.Run = run
	in.Messages[0].Run = run
	in.Messages = append(talk(n), in.Messages...)
	if _, err := a.Run(s.t.Context(), in); err != nil {
		s.t.Fatal(err)
	}
}

func TestTheBeginningOfAConversationThatIsTooLongIsSummedUpUnasked(t *testing.T) {
	model := llmtest.New(t,
		llmtest.Turn{Text: reply("They are about herons.")}, llmtest.Turn{Text: reply("fine")},
		llmtest.Turn{Text: reply("fine again")},
		llmtest.Turn{Text: reply("They are about herons and fish.")}, llmtest.Turn{Text: reply("still fine")})
	s := summing(t, model)
	a := agent.New(s.cfg)
	s.asks(a, 60, "first")
	requests := model.Requests()
	if len(requests) != 2 {
		t.Fatalf("%d requests", len(requests))
	}
	sums, answers := requests[0], requests[1]
	if !strings.HasPrefix(sums.System, "You sum up.") || len(sums.Tools) != 0 || sums.Messages[len(sums.Messages)-1].Text != agent.Compact || takes(sums) > 8192*3/4+10 {
		t.Errorf("it is asked to sum up with %d tokens: %.100q", takes(sums), sums.System)
	}
	first := answers.Messages[0].Text
	if !strings.Contains(first, "They are about herons.") || strings.Contains(first, "question") || takes(answers) > 8192*3/4+10 {
		t.Errorf("the answer's request has %d tokens and begins with\n%s", takes(answers), first)
	}
	for i, m := range answers.Messages {
		if len(m.Calls) > 0 && answers.Messages[i+1].CallID != m.Calls[0].ID || m.Role == core.RoleTool && len(answers.Messages[i-1].Calls) == 0 {
			t.Errorf("message %d has lost its call or its result", i)
		}
	}
	events := s.feed.Pending()
	told := contextFit(events)
	if len(told) == 0 || told[0].Summed < 30 || told[0].Summed > 59 || told[0].LeftOut != 0 {
		t.Errorf("reported as %+v", told)
	}
	summed := told[0].Summed
	for _, e := range events {
		if b, ok := e.Body.(core.Delta); ok && strings.Contains(b.Text, "herons") {
			t.Errorf("the summary is streamed: %+v", b)
		}
	}

	s.asks(a, 61, "second") // the summary is still there
	if n := len(model.Requests()); n != 3 {
		t.Fatalf("%d requests", n)
	}
	if diff := cmp.Diff(first, model.Requests()[2].Messages[0].Text); diff != "" {
		t.Errorf("the next request begins in another way:\n%s", diff)
	}
	s.asks(a, 120, "third")
	again := model.Requests()[3]
	if !strings.Contains(again.Messages[0].Text, "They are about herons.") {
		t.Errorf("the next summary knows nothing of the first: %q", again.Messages[0].Text)
	}
	most := 0
	for _, b := range contextFit(s.feed.Pending()) {
		most = max(most, b.Summed)
	}
	if most <= summed {
		t.Errorf("%d questions are said to be summed up, %d before", most, summed)
	}
}

func TestASummaryOfWhatWasForgottenIsMadeAnew(t *testing.T) {
	model := llmtest.New(t, llmtest.Turn{Text: reply("They are about herons.")}, llmtest.Turn{Text: reply("fine")},
		llmtest.Turn{Text: reply("They are about fish.")}, llmtest.Turn{Text: reply("fine")})
	s := summing(t, model)
	a := agent.New(s.cfg)
	s.asks(a, 60, "first")
	in := s.input("and now?")
	in.Run, in.Messages[0].Run = "second", "second"
	in.Messages = append(talk(60)[4:], in.Messages...) // the first question is gone
	if _, err := a.Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	requests := model.Requests()
	if first := requests[3].Messages[0].Text; len(requests) != 4 || !strings.Contains(first, "They are about fish.") || strings.Contains(first, "herons") {
		t.Errorf("the last of %d requests begins with\n%s", len(requests), first)
	}
}

func TestWhereNoSummaryCanBeMadeQuestionsAreToldOfInLines(t *testing.T) {
	down := llmtest.Turn{Err: &core.Error{Code: core.CodeRefused, Message: "no"}}
	for name, turns := range map[string][]llmtest.Turn{
		"it fails":   {down, {Text: reply("fine")}},
		"no summary": {{Text: `{"thought":"","status":"success","data":{},"message":" "}`}, {Text: reply("fine")}},
	} {
		model := llmtest.New(t, turns...)
		s := summing(t, model)
		s.asks(agent.New(s.cfg), 60, runID)
		if first := model.Requests()[1].Messages[0].Text; !strings.Contains(first, "questions at the beginning of this conversation") {
			t.Errorf("%s: the request begins with\n%s", name, first)
		}
		if told := contextFit(s.events()); len(told) != 1 || told[0].LeftOut == 0 || told[0].Summed != 0 {
			t.Errorf("%s: reported as %+v", name, told)
		}
	}
}

func TestASummaryStaysWholeWhenMoreIsLeftOut(t *testing.T) {
	model := llmtest.New(t, llmtest.Turn{Text: reply("fine")})
	s := newStage(t, nil)
	s.cfg.Model = small{model, 8192}
	in := s.input("and now?")
	long := strings.Repeat("herons eat fish. ", 100)
	summary := core.Message{ID: "sum", Run: "sum", Role: core.RoleAssistant, Name: agent.Compact, Reply: &core.Reply{Status: core.StatusSuccess, Message: long}}
	in.Messages = append(append([]core.Message{summary}, talk(60)...), in.Messages...)
	if _, err := agent.New(s.cfg).Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	req := model.Requests()[0]
	if first := req.Messages[0].Text; !strings.Contains(first, strings.TrimSpace(long)) || !strings.Contains(first, "does not show") || takes(req) > 8192*3/4+10 {
		t.Errorf("the request has %d tokens and begins with\n%s", takes(req), first)
	}
	if told := contextFit(s.events()); len(told) != 1 || told[0].LeftOut < 8 {
		t.Errorf("reported as %+v", told)
	}
}
