package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

func TestAModelKeepsAListOfWhatItHasToDo(t *testing.T) {
	list := func(id, args string) llmtest.Turn {
		return llmtest.Turn{Calls: []core.Call{{ID: id, Tool: "update_todo", Args: json.RawMessage(args)}}}
	}
	model := llmtest.New(t,
		list("c1", `{"items":[{"text":"look","status":"in_progress"},{"text":"tell\u001b[31m","status":"pending"}]}`),
		list("c2", `{"items":[{"text":"look","status":"maybe"}]}`),
		list("c3", `{"items":[{"text":"look","status":"done"},{"text":"tell","status":"done"}]}`),
		llmtest.Turn{Text: reply("done")})
	s := newStage(t, model)
	s.cfg.Todo = true
	if _, err := s.run("look and tell"); err != nil {
		t.Fatal(err)
	}
	var got []core.TodoChanged
	for _, e := range s.events() {
		if b, ok := e.Body.(core.TodoChanged); ok {
			got = append(got, b)
		}
	}
	want := []core.TodoChanged{
		{Items: []core.TodoItem{{Text: "look", Status: core.TodoBegun}, {Text: "tell", Status: core.TodoPending}}},
		{Items: []core.TodoItem{{Text: "look", Status: core.TodoDone}, {Text: "tell", Status: core.TodoDone}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	shown := model.Requests()[2].Messages
	if text := shown[len(shown)-1].Text; !strings.Contains(text, "VALIDATION_ERROR") && !strings.Contains(text, "do not fit") {
		t.Error(text)
	}
}
