package core_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestARequestToAModelIsPutTogetherFromWhatIsStored(t *testing.T) {
	said := []core.Message{
		{ID: "old", Run: "before", Role: core.RoleUser, Text: "hello"},
		{ID: "q", Run: "r", Role: core.RoleUser, Text: "12% of 840?"},
		{ID: "c", Run: "r", Role: core.RoleAssistant, Calls: []core.Call{{ID: "1", Tool: "calc"}}},
		{ID: "t", Run: "r", Role: core.RoleTool, Text: "100.8"},
		{ID: "a", Run: "r", Role: core.RoleAssistant, Text: "It is 100.8."},
	}
	var events []core.Event
	for _, b := range []core.Body{
		core.LLMCallStart{Call: "first", Model: "m"},
		core.LLMCallEnd{Call: "first", Error: "lost", Text: "It i"},
		core.LLMCallStart{Call: "second", Model: "m"},
		core.LLMCallEnd{Call: "second"},
		core.AssistantMessage{ID: "c"},
		core.LLMCallStart{Call: "third", Model: "m"},
		core.LLMCallEnd{Call: "third"}, // which could not be read
		core.LLMCallStart{Call: "fourth", Model: "m"},
		core.LLMCallEnd{Call: "fourth"},
		core.AssistantMessage{ID: "a"},
		core.LLMCallStart{Call: "fifth", Model: "m"},
	} {
		events = append(events, core.Event{Scope: core.Scope{Run: "r"}, Body: b}, core.Event{Scope: core.Scope{Run: "r/below"}, Body: core.AssistantMessage{ID: "old"}})
	}
	for call, want := range map[string]struct {
		sent          int
		answer, error string
	}{
		"first": {2, "It i", "lost"}, "second": {2, "", ""}, "third": {4, "none", ""}, "fourth": {4, "It is 100.8.", ""}, "fifth": {5, "none", ""},
	} {
		x, ok := core.ExchangeOf("r", call, events, said)
		answer := "none"
		if x.Answer != nil {
			answer = x.Answer.Text
		}
		if !ok || !x.Stored || x.Model != "m" || len(x.Messages) != want.sent || answer != want.answer || x.Error != want.error {
			t.Errorf("%s: %v, %d messages, answered %q, error %q", call, ok, len(x.Messages), answer, x.Error)
		}
	}
	if x, _ := core.ExchangeOf("r", "second", events, said); len(x.Answer.Calls) != 1 {
		t.Error("the call that the model asked for is not there")
	}
	if _, ok := core.ExchangeOf("r", "sixth", events, said); ok {
		t.Error("a request that nobody made is there")
	}
}
