package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

// small is a model that reads a few tokens.
type small struct {
	llm.Model
	reads int
}

func (s small) ContextWindow(context.Context) int { return s.reads }

// talk is a conversation of n questions, each with a call and a long result.
func talk(n int) (list []core.Message) {
	for i := range n {
		run, id := fmt.Sprint("old", i), func(part string) string { return fmt.Sprint(part, i) }
		list = append(list,
			core.Message{ID: id("q"), Run: run, Role: core.RoleUser, Text: fmt.Sprintf("question %d of herons, which is as long as most are", i)},
			core.Message{ID: id("c"), Run: run, Role: core.RoleAssistant, Calls: []core.Call{call(id("call"), "calc", "1")}},
			core.Message{ID: id("r"), Run: run, Role: core.RoleTool, Name: "calc", CallID: id("call"), Text: strings.Repeat("result ", 200)},
			core.Message{ID: id("a"), Run: run, Role: core.RoleAssistant, Text: "answer", Reply: &core.Reply{Status: core.StatusSuccess, Message: fmt.Sprintf("answer %d", i)}})
	}
	return list
}

// after asks a model that reads so many tokens after a conversation.
func after(t testing.TB, before []core.Message, reads int, turns ...llmtest.Turn) (s *stage, model *llmtest.Script) {
	t.Helper()
	model = llmtest.New(t, turns...)
	s = newStage(t.(*testing.T), model)
	s.cfg.Model = small{model, reads}
	in := s.input("and now?")
	in.Messages = append(before, in.Messages...)
	if _, err := agent.New(s.cfg).Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	return s, model
}

// takes estimates the tokens of a request as the agent does.
func takes(req llm.Request) int {
	n := len(req.System) + len(req.Now)
	for _, m := range req.Messages {
		n += len(m.Text) + 24
	}
	return n / 3
}

func TestALongConversationFitsIntoWhatTheModelReads(t *testing.T) {
	const reads = 8192
	s, model := after(t, talk(1000), reads, llmtest.Turn{Text: reply("fine")})
	req := model.Requests()[0]
	if takes(req) > reads*3/4+10 {
		t.Errorf("the request takes %d tokens", takes(req))
	}
	first, last := req.Messages[0], req.Messages[len(req.Messages)-1]
	if !strings.Contains(first.Text, "questions at the beginning of this conversation") || !strings.Contains(first.Text, " → answer 9") {
		t.Errorf("it begins with\n%s", first.Text)
	}
	if last.Text != "and now?" || len(req.Messages) < 20 {
		t.Errorf("%d messages, the last is %q", len(req.Messages), last.Text)
	}
	for i, m := range req.Messages {
		if len(m.Calls) > 0 && req.Messages[i+1].CallID != m.Calls[0].ID || m.Role == core.RoleTool && len(req.Messages[i-1].Calls) == 0 {
			t.Errorf("message %d has lost its call or its result", i)
		}
		if m.Role == core.RoleTool && !strings.Contains(m.Text, "[shortened: 1 KiB more, with earlier_result by the mark \"r") {
			t.Errorf("a result has %d bytes", len(m.Text))
		}
	}
	for _, e := range s.events() {
		if b, ok := e.Body.(core.ContextFitted); ok {
			if b.LeftOut%8 != 0 || b.LeftOut < 900 || b.Shortened == 0 {
				t.Errorf("reported as %+v", b)
			}
			return
		}
	}
	t.Error("it was not reported")
}

func TestRequestsBeginAlikeFromPromptToPromptWhenQuestionsAreLeftOut(t *testing.T) {
	begins := map[string]bool{}
	for n := 100; n < 124; n++ {
		_, model := after(t, talk(n), 8192, llmtest.Turn{Text: reply("fine")})
		begins[model.Requests()[0].Messages[0].Text] = true
	}
	if len(begins) > 4 {
		t.Errorf("24 prompts begin in %d ways", len(begins))
	}
}

func TestWhatARunItselfFindsIsShortenedWhenItIsTooMuch(t *testing.T) {
	big := says("calc", strings.Repeat("figures ", 7000))
	model := llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{call("a", "calc", "1")}},
		llmtest.Turn{Calls: []core.Call{call("b", "calc", "2"), call("c", "calc", "3")}},
		llmtest.Turn{Text: reply("fine")})
	s := newStage(t, model, big)
	s.cfg.Model = small{model, 8192}
	if _, err := s.run("how much?"); err != nil {
		t.Fatal(err)
	}
	last := model.Requests()[2]
	if takes(last) > 8192*3/4+10 {
		t.Errorf("the last request takes %d tokens", takes(last))
	}
	sizes := map[string]int{}
	for _, m := range last.Messages {
		if m.Role == core.RoleTool {
			sizes[m.CallID] = len(m.Text)
		}
	}
	if sizes["a"] > 500 || sizes["b"] < 3000 || sizes["b"] != sizes["c"] {
		t.Errorf("the results have %v bytes", sizes)
	}
	messages, err := s.journal.Messages(t.Context(), thread)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range messages {
		if m.CallID != "" && len(m.Text) < 50_000 {
			t.Errorf("what is stored has %d bytes", len(m.Text))
		}
	}
}

func TestAModelThatReadsLessThanWasThoughtIsAskedWithLess(t *testing.T) {
	full := llmtest.Turn{Err: &core.Error{Code: core.CodeContextFull, Message: "too long"}}
	_, model := after(t, talk(200), 0, full, full, llmtest.Turn{Text: reply("fine")})
	requests := model.Requests()
	if a, b, c := takes(requests[0]), takes(requests[1]), takes(requests[2]); b > a*2/3 || c > b*2/3 {
		t.Errorf("the requests take %d, %d and %d tokens", a, b, c)
	}
}
