package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
)

// openWithModel is openScreen for a room without experts, whose model says the messages one
// after the other. more is for its configuration.
func openWithModel(t *testing.T, width, height int, more string, messages ...string) (*screen, *ollamatest.Server) {
	t.Helper()
	var replies []ollamatest.Reply
	for _, text := range messages {
		replies = append(replies, ollamatest.Reply{Text: fmt.Sprintf(`{"thought": "", "status": "success", "data": {}, "message": %q}`, text)})
	}
	model, home := ollamatest.New(t, replies...), t.TempDir()
	write(t, filepath.Join(home, "XDG_CONFIG_HOME", "yaap", "config.yaml"),
		"builtin: []\nmemory: false\nmodel: ollama/scripted:1b\nproviders: {ollama: {url: "+model.URL+"}}\n"+more)
	return openScreenIn(t, home, width, height, options{}), model
}

func TestASummaryStandsForWhatWasSaidBefore(t *testing.T) {
	s, model := openWithModel(t, 100, 40, "", "Fish, mostly.", "- The user asked about herons: they eat fish.", "At dawn.")
	s.see(`ask the room`)
	s.enter("/compact")
	s.see("nothing has been said yet")
	s.enter("what do herons eat?")
	s.see(`Fish, mostly\.`)
	s.enter("/compact the food")
	s.see(`they eat fish\.`)
	s.enter("and when?")
	s.see(`At dawn\.`)

	requests := model.Requests()
	if len(requests) != 3 {
		t.Fatal(len(requests))
	}
	if body := string(requests[1].Raw); !strings.Contains(body, "/compact the food") || !strings.Contains(body, "Fish, mostly.") || !strings.Contains(body, "You sum up") {
		t.Error(body)
	}
	if body := string(requests[2].Raw); strings.Contains(body, "Fish, mostly.") || !strings.Contains(body, "they eat fish.") || strings.Contains(body, "You sum up") {
		t.Error(body)
	}
}

func TestTheOfflineModelSumsNothingUp(t *testing.T) {
	s := openScreen(t, 100, 40)
	s.enter("/compact")
	s.see("the offline model reads only what was said last")
}

func TestAConversationThatIsLongerThanTheModelReadsIsSummedUpUnasked(t *testing.T) {
	s, model := openWithModel(t, 100, 60, "models:\n  ollama/scripted:1b: {context: 2048}\n", "Noted one.", "Noted two.", "- The user told of herons.", "Noted three.", "Noted four.")
	s.see(`ask the room`)
	for i, number := range []string{"one", "two", "three"} {
		s.enter(fmt.Sprint(i, " ", strings.Repeat("herons eat fish ", 30)))
		s.see("Noted " + number)
	}
	s.see(`what was said first, 1 question, is summed up for`)
	s.enter("and then?")
	s.see("Noted four")

	requests := model.Requests()
	if len(requests) != 5 {
		t.Fatal(len(requests))
	}
	if body := string(requests[2].Raw); !strings.Contains(body, "You sum up") || !strings.Contains(body, "0 herons eat fish") {
		t.Error(body)
	}
	for _, request := range requests[3:] {
		if body := string(request.Raw); strings.Contains(body, "0 herons eat fish") || !strings.Contains(body, "The user told of herons.") || strings.Contains(body, "You sum up") {
			t.Error(body)
		}
	}
}
