package agent_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/prompts"
)

// temperament is a model that does what its instructions say as far as its nature lets
// it: it looks for the sentences that bring it about, and behaves badly without them.
type temperament struct {
	t     *testing.T
	tells func(json string, again bool) string // how it writes an answer
	calls func(prompt string) []core.Call      // how it calls an expert
	asked int
}

func (*temperament) Name() string { return "temperament" }

func (m *temperament) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	m.asked++
	return func(yield func(llm.Chunk, error) bool) {
		reason, chunk := llm.ReasonStop, llm.Chunk{}
		last := req.Messages[len(req.Messages)-1]
		again := strings.Contains(last.Text, "Give the same answer again as one JSON object")
		question, found := "", false
		for _, one := range req.Messages {
			if one.Role == core.RoleUser && !strings.HasPrefix(one.Text, "Give the same answer again") {
				question = one.Text
			}
			found = found || one.Role == core.RoleTool
		}
		fits := len(req.Tools) > 0 && strings.Contains(question, "840") && strings.Contains(req.System, "Ask an expert whenever its description fits")
		switch {
		case fits && !found:
			reason, chunk.Calls = llm.ReasonCalls, m.calls("12% of 840")
		case !strings.Contains(req.System, `"status"`) && !again:
			m.t.Error("nothing tells the model how to answer")
		default:
			said := "840 is a number"
			if found {
				said = "100.8"
			}
			if !strings.Contains(question, "840") && strings.Contains(req.System, "answer from what you know") {
				said = "Fish. No expert was asked."
			}
			raw, err := json.Marshal(map[string]any{"thought": "hm", "status": "success", "data": map[string]any{}, "message": said})
			if err != nil {
				m.t.Error(err)
			}
			chunk.Text = m.tells(string(raw), again)
		}
		if yield(chunk, nil) {
			yield(llm.Chunk{Done: &llm.Done{Reason: reason}}, nil)
		}
	}
}

func TestThePromptBringsModelsOfThreeTemperamentsToAnAnswer(t *testing.T) {
	right := func(prompt string) []core.Call { return []core.Call{call("c1", "calc", prompt)} }
	for name, test := range map[string]struct {
		tells  func(json string, again bool) string
		reAsks int
	}{
		"obedient": {func(json string, _ bool) string { return json }, 0},
		"chatty": {func(json string, _ bool) string {
			return "Sure! Here you are:\n\n```json\n" + json + "\n```\nHope that helps!"
		}, 0},
		"weak": {func(json string, again bool) string {
			if again {
				return json
			}
			return strings.Replace(strings.TrimSuffix(json, "}"), `"status":"success"`, `"status":,,`, 1)
		}, 1},
	} {
		for question, want := range map[string]string{"what is 12% of 840?": "100.8", "what do herons eat?": "Fish. No expert was asked."} {
			m := &temperament{t: t, tells: test.tells, calls: right}
			called := 0
			calc := tool{core.ToolSpec{Name: "calc", Owner: "calc", Description: "Does arithmetic."}, func(context.Context, core.Call) (core.ToolResult, error) {
				called++
				return core.ToolResult{Status: core.ToolSuccess, Text: "100.8"}, nil
			}}
			s := newStage(t, m, calc)
			s.cfg.Prompt = prompts.Orchestrator()
			result, err := agent.New(s.cfg).Run(t.Context(), s.input(question))
			if err != nil || result.Reply.Status != core.StatusSuccess || result.Reply.Message != want {
				t.Errorf("%s, %s: %+v, %v", name, question, result.Reply, err)
			}
			again := 0
			for _, e := range s.events() {
				if _, ok := e.Body.(core.Retry); ok {
					again++
				}
			}
			fits := map[bool]int{true: 1}[want == "100.8"]
			t.Logf("%-8s %-20s %d requests, %d experts asked, %d re-asks", name, question, m.asked, called, again)
			if again > test.reAsks || called != fits {
				t.Errorf("%s, %s: asked again %d times, %d calls", name, question, again, called)
			}
		}
	}
}
