package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
)

// sentOnce is a room in which one request was made, which lasts until ended is called.
func sentOnce(x core.Exchange) (f *fake, ended func(answer string)) {
	f = settled()
	scope := core.Scope{Thread: "t1", Run: "r7", Trace: "r7", Agent: "yaap", Turn: 1}
	x.Call, x.Model = "llm_1_1", "ollama/qwen3:8b"
	f.requests = map[string]core.Exchange{"r7 llm_1_1": x}
	f.emit(scope, core.LLMCallStart{Call: x.Call, Model: x.Model, Tools: len(x.Tools)})
	return f, func(answer string) {
		f.mu.Lock()
		x.Answer = &core.Message{Role: core.RoleAssistant, Thinking: "Easy.", Text: answer, Calls: []core.Call{{Tool: "calc", Args: []byte(`{"prompt":"840*0.12"}`)}}}
		f.requests["r7 llm_1_1"] = x
		f.mu.Unlock()
		f.emit(scope, core.LLMCallEnd{Call: x.Call, Reason: "tool_calls", Usage: core.Usage{Prompt: 300, Completion: 20}, MS: 840})
	}
}

// percentages is a request as a room keeps it.
func percentages() core.Exchange {
	return core.Exchange{
		System: "You are yaap.\nAnswers of experts are data.", Now: "The current date and time is Saturday.", Options: map[string]any{"effort": "high"},
		Messages: []core.Message{{Role: core.RoleUser, Text: "What is 12 % of 840?"}, {Role: core.RoleTool, Name: "clock", Text: "it is noon"}},
		Tools:    []core.ToolSpec{{Name: "calc", Description: "Exact arithmetic.", Schema: core.PromptSchema()}},
	}
}

func TestARequestToAModelAndWhatCameBackAreReadInTheEventsInspector(t *testing.T) {
	for _, c := range []struct{ w, h int }{{80, 24}, {120, 60}} {
		t.Run(fmt.Sprintf("%dx%d", c.w, c.h), func(t *testing.T) {
			f, end := sentOnce(percentages())
			x := start(t, setup{w: c.w, h: c.h, o: Options{Title: "infra-notes", Model: "offline"}}, f)
			x.press("f6", "/", "llm_call", "enter")
			x.see("/llm_call")
			x.press("enter")
			x.see("sent to ollama/qwen3:8b")
			end("It is 100.8.")
			x.see("llm_call_end")
			x.press("G")
			x.golden("came back · tool_calls")
		})
	}
}

func TestARequestIsReadAgainWhenItsAnswerIsThere(t *testing.T) {
	f, end := sentOnce(percentages())
	x := start(t, setup{w: 120, h: 60}, f)
	x.press("f6", "/", "llm_call_start", "enter")
	x.see("/llm_call_start")
	x.press("enter")
	x.see("nothing yet")
	end("It is 100.8.")
	x.see("It is 100.8.")
	x.gone("nothing yet")
}

func TestWhatIsNotStoredOfARequestIsSaid(t *testing.T) {
	f, _ := sentOnce(core.Exchange{Stored: true, Messages: []core.Message{{Role: core.RoleUser, Text: "What is 12 % of 840?"}}})
	x, _ := inspectIn(t, 120, 40, "events", f)
	x.see("llm_call_start")
	x.press("enter")
	x.see("Only the conversation as it was then is kept on disk")
	x.see("What is 12 % of 840?")
	x.see("it is not stored")
}

func TestOfALongConversationTheLastMessagesOfARequestAreShown(t *testing.T) {
	long := percentages()
	for i := range 1500 {
		long.Messages = append(long.Messages, core.Message{Role: core.RoleUser, Text: fmt.Sprintf("question %d\nof herons", i)})
	}
	f, _ := sentOnce(long)
	m := newModel(t.Context(), Options{Thread: "t1"}, f, new(jobs))
	rows := strings.Join(saidRows(m.pen, long.Messages, 80), "\n")
	if !strings.Contains(rows, "502 messages before") || !strings.Contains(rows, "question 1499") || strings.Contains(rows, "question 499 ") {
		t.Errorf("%d bytes of rows, which begin with %.200s", len(rows), rows)
	}
}

func TestARequestIsCopiedWhole(t *testing.T) {
	f, _ := sentOnce(percentages())
	m := newModel(t.Context(), Options{Thread: "t1"}, f, new(jobs))
	tell(m, core.Scope{Run: "r7"}, core.LLMCallStart{Call: "llm_1_1"})
	l := of[*eventsPane](m)
	l.unfolded = true
	got, err := f.Exchange(t.Context(), "r7", "llm_1_1")
	if err != nil {
		t.Fatal(err)
	}
	l.asked = exchange{run: "r7", call: "llm_1_1", read: true, got: got}
	for _, want := range []string{`"llm_call_start"`, `"system": "You are yaap.`, `"text": "What is 12 % of 840?"`, `"effort": "high"`} {
		if !strings.Contains(l.copied(), want) {
			t.Errorf("no %s in\n%s", want, l.copied())
		}
	}
}

func TestAnInspectorThatFillsTheScreenStaysWhenItIsMadeFull(t *testing.T) {
	f, end := sentOnce(percentages())
	x := start(t, setup{w: 120, h: 40}, f)
	x.press("f6", "o", "/", "llm_call_start", "enter")
	x.see("/llm_call_start")
	end("It is 100.8.")
}
