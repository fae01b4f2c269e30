package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/agent"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

// sent is a request as a provider reads it, from its beginning.
func sent(t *testing.T, req llm.Request) string {
	t.Helper()
	tools, err := json.Marshal(req.Tools)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", tools, req.System)
	for _, m := range req.SentMessages() {
		fmt.Fprintf(&b, "%s %s %v %s\n", m.Role, m.Text, m.Calls, m.CallID)
	}
	return b.String()
}

func TestEachRequestBeginsWithAllOfTheOneBeforeIt(t *testing.T) {
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	passes := says("calc", "that")
	passes.call = func(context.Context, core.Call) (core.ToolResult, error) {
		now = now.Add(time.Hour)
		return core.ToolResult{Status: core.ToolSuccess}, nil
	}
	var turns []llmtest.Turn
	for i := range 9 {
		turns = append(turns, llmtest.Turn{Calls: []core.Call{call(fmt.Sprint("c", i), "calc", fmt.Sprint(i))}})
	}
	model := llmtest.New(t, append(turns, llmtest.Turn{Text: reply("done")}, llmtest.Turn{Text: reply("also done")})...)
	s := newStage(t, model, passes)
	s.cfg.Prompt, s.cfg.Now, s.cfg.MaxTurns = "You are brief.", func() time.Time { return now }, 20
	in := s.input("hello")
	in.Context = []core.Message{{Role: core.RoleSystem, Text: "The user likes herons."}}
	if _, err := agent.New(s.cfg).Run(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	requests := model.Requests()
	for i := range requests[1:] {
		if !strings.HasPrefix(sent(t, requests[i+1]), sent(t, requests[i])) {
			t.Errorf("request %d does not begin with request %d:\n%s", i+2, i+1, sent(t, requests[i+1]))
		}
	}
	first := requests[0]
	if text := first.SentMessages()[0].Text; !strings.Contains(text, "23 November 2026, 09:00") || !strings.Contains(text, "herons") || !strings.HasSuffix(text, "</now>\n\nhello") {
		t.Errorf("the question is sent as\n%s", text)
	}

	// A later prompt of the conversation begins as the first did, up to its question.
	messages, err := s.journal.Messages(t.Context(), thread)
	if err != nil {
		t.Fatal(err)
	}
	next := s.input("and now?")
	next.Run, next.Messages[0].Run = "later", "later"
	next.Messages = append(messages, next.Messages[0])
	if _, err := agent.New(s.cfg).Run(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	requests = model.Requests()
	if last := requests[len(requests)-1]; last.System != first.System || last.SentMessages()[0].Text != "hello" {
		t.Errorf("the next prompt begins with %q", last.SentMessages()[0].Text)
	}
}
