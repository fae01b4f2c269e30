package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

// asksAgain are n turns that ask for the same, written in two ways.
func asksAgain(n int) (turns []llmtest.Turn) {
	for i := range n {
		args := []string{`{"prompt":"1"}`, `{ "prompt": "1" }`}[i%2]
		turns = append(turns, llmtest.Turn{Calls: []core.Call{{ID: fmt.Sprint("c", i), Tool: "calc", Args: []byte(args)}}})
	}
	return turns
}

func TestAModelThatAsksForTheSameIsWarnedAndThenStopped(t *testing.T) {
	model := llmtest.New(t, asksAgain(5)...)
	s := newStage(t, model, says("calc", "one"))
	result, err := s.run("count")
	if err != nil || result.Reply.Status != core.StatusFailure || result.Turns != 5 ||
		!strings.Contains(result.Reply.Message, "I asked calc for the same thing 4 times") || !strings.Contains(result.Reply.Message, "one") {
		t.Errorf("got %+v, %v", result, err)
	}
	for i, req := range model.Requests() {
		last := req.Messages[len(req.Messages)-1].Text
		if warned := strings.Contains(last, "its answer is the same"); warned != (i >= 3) {
			t.Errorf("request %d ends with %s", i+1, last)
		}
	}
	s.events()
}

func TestCallsAreTheSameHoweverTheyAreWritten(t *testing.T) {
	for args, same := range map[string]bool{
		`{"prompt":"1"}`: true, "{\n  \"prompt\": \"1\"\n}\n": true, `{"prompt":"1 "}`: false, `{"prompt":"1\""}`: false, `{"prompt":"12"}`: false, `{"prompt":"1","x":2}`: false, `{`: false,
	} {
		model := llmtest.New(t,
			llmtest.Turn{Calls: []core.Call{call("a", "calc", "1")}}, llmtest.Turn{Calls: []core.Call{call("b", "calc", "1")}},
			llmtest.Turn{Calls: []core.Call{{ID: "c", Tool: "calc", Args: []byte(args)}}}, llmtest.Turn{Text: reply("done")})
		s := newStage(t, model, says("calc", "one"))
		if _, err := s.run("count"); err != nil {
			t.Fatal(err)
		}
		messages := model.Requests()[3].Messages
		if warned := strings.Contains(messages[len(messages)-1].Text, "its answer is the same"); warned != same {
			t.Errorf("%q is the same: %v", args, warned)
		}
	}
}

func TestACallWhoseAnswerChangesMayBeRepeated(t *testing.T) {
	n := 0
	waits := says("calc", "")
	waits.call = func(context.Context, core.Call) (core.ToolResult, error) {
		n++
		return core.ToolResult{Status: core.ToolSuccess, Text: fmt.Sprint(n, " of 8 done")}, nil
	}
	model := llmtest.New(t, append(asksAgain(8), llmtest.Turn{Text: reply("done")})...)
	s := newStage(t, model, waits)
	if result, err := s.run("wait"); err != nil || result.Reply.Message != "done" {
		t.Errorf("got %+v, %v", result, err)
	}
}
