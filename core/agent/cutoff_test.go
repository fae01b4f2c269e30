package agent_test

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

// limited is a turn that reached the limit of 12 tokens.
func limited(text string) llmtest.Turn {
	return llmtest.Turn{Text: text, Reason: llm.ReasonLength, Usage: core.Usage{Prompt: 9, Completion: 12}}
}

const (
	half   = `{"thought":"","status":"success","data":{"items":["a","b"`
	reason = "cut off: the model's reply reached its limit of 12 tokens; ask for less at once"
)

func TestAReplyThatReachedItsLimitIsAFailureThatSaysWhy(t *testing.T) {
	for name, text := range map[string]string{
		"in a list":         half,
		"in the message":    `{"thought":"","status":"success","data":{},"message":"It is f`,
		"in a question":     `{"thought":"","status":"clarification_needed","data":{},"message":"Which of`,
		"completed":         `{"thought":"","status":"completed","data":{},"message":"All of`,
		"after the object":  reply("It is four.") + " And now",
		"with the object":   reply("It is four."),
		"JSON in a string":  `"{\"thought\":\"\",\"status\":\"success\",\"message\":\"It is f`,
		"in a code block":   "```json\n" + `{"status":"success","data":{"a":1},"message":"It is f`,
		"without a message": `{"status":"success","data":{"a":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, llmtest.New(t, limited(text), limited(text))) // it is asked once more
			result, err := s.run("2+2?")
			if err != nil || result.Reply.Status != core.StatusFailure || !result.Reply.CutOff() || !strings.Contains(result.Reply.Message, reason) {
				t.Errorf("got %+v, %v", result.Reply, err)
			}
			s.events()
		})
	}
}

func TestAReplyWithoutItsEndIsAFailureWhateverTheModelSays(t *testing.T) {
	for _, text := range []string{half, `{"thought":"","status":"success","data":{},"message":"It is f`} {
		s := newStage(t, llmtest.New(t, llmtest.Turn{Text: text}))
		result, err := s.run("2+2?")
		if err != nil || result.Reply.Status != core.StatusFailure || !strings.Contains(result.Reply.Message, "cut off: the model did not finish") {
			t.Errorf("%s: got %+v, %v", text, result.Reply, err)
		}
		s.events()
	}
}

func TestProseThatReachedItsLimitIsShownAsHalfAnAnswer(t *testing.T) {
	s := newStage(t, llmtest.New(t, limited("<think>a list</think>One, two"), limited("One, two, three")))
	result, err := s.run("count")
	if err != nil || result.Reply.Status != core.StatusFailure || !strings.HasPrefix(result.Reply.Message, "One, two, three\n\n("+reason) {
		t.Errorf("got %+v, %v", result.Reply, err)
	}
	s.events()
}

func TestAReplyThatReachedItsLimitIsAskedForOnceMoreAndMoreBriefly(t *testing.T) {
	for _, text := range []string{half, reply("It is four.") + " And now", `{"thought":"","status":"success","data":{},"message":"It is f`, "One, two"} {
		model := llmtest.New(t, limited(text), llmtest.Turn{Text: reply("4")})
		s := newStage(t, model)
		result, err := s.run("2+2?")
		if err != nil || result.Reply.Status != core.StatusSuccess || result.Reply.Message != "4" {
			t.Errorf("%s: got %+v, %v", text, result.Reply, err)
		}
		again := model.Requests()[1].Messages
		if said := again[len(again)-1].Text; !strings.Contains(said, "more briefly") {
			t.Errorf("%s: it is asked again with %q", text, said)
		}
		s.events()
	}
}

func TestAModelThatOnlyThoughtUpToItsLimitIsAskedOnceMore(t *testing.T) {
	turn := limited("")
	turn.Thinking = "Let me see"
	model := llmtest.New(t, turn, llmtest.Turn{Text: reply("4")})
	s := newStage(t, model)
	if result, err := s.run("2+2?"); err != nil || result.Reply.Message != "4" || !strings.Contains(model.Requests()[1].Now, "think little") {
		t.Errorf("got %+v, %v", result.Reply, err)
	}
	s.events()

	s = newStage(t, llmtest.New(t, turn, turn))
	_, err := s.run("count")
	if core.CodeOf(err) != core.CodeCutOff || !strings.Contains(err.Error(), "limit of 12 tokens before it said anything") || core.HintOf(err) == "" {
		t.Errorf("got %v", err)
	}
	s.events()
}

func TestAReplyThatReachedItsLimitFailsTheCallOfWhoeverAsked(t *testing.T) {
	expert := says("expert", half)
	expert.spec.SACP = true
	for name, make := range map[string]func(*stage) core.Tool{
		"lister": func(s *stage) core.Tool {
			cfg := s.cfg
			cfg.Name, cfg.Model = "lister", llmtest.New(t, limited(half), limited(half))
			return agent.AsTool(core.ToolSpec{Name: "lister"}, agent.New(cfg), "agent/lister", cfg)
		},
		"expert":     func(*stage) core.Tool { return expert },
		"undeclared": func(*stage) core.Tool { return says("undeclared", half) },
	} {
		t.Run(name, func(t *testing.T) {
			model := llmtest.New(t, llmtest.Turn{Calls: []core.Call{call("a", name, "list")}}, llmtest.Turn{Text: reply("done")})
			s := newStage(t, model)
			s.cfg.Tools = &box{tools: []core.Tool{make(s)}}
			if _, err := s.run("go"); err != nil {
				t.Fatal(err)
			}
			messages := model.Requests()[1].Messages
			if r := messages[len(messages)-1].Result; r.OK() || !strings.Contains(r.Text, "cut off: ") {
				t.Errorf("got %+v", r)
			}
		})
	}
}
