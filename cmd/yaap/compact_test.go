package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
)

func TestASummaryStandsForWhatWasSaidBefore(t *testing.T) {
	says := func(text string) ollamatest.Reply {
		return ollamatest.Reply{Text: fmt.Sprintf(`{"thought": "", "status": "success", "data": {}, "message": %q}`, text)}
	}
	model := ollamatest.New(t, says("Fish, mostly."), says("- The user asked about herons: they eat fish."), says("At dawn."))
	home := t.TempDir()
	write(t, filepath.Join(home, "XDG_CONFIG_HOME", "yaap", "config.yaml"), "builtin: []\nmemory: false\nmodel: ollama/scripted:1b\nproviders: {ollama: {url: "+model.URL+"}}\n")
	s := openScreenIn(t, home, 100, 40, options{})
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
	says := func(text string) ollamatest.Reply {
		return ollamatest.Reply{Text: fmt.Sprintf(`{"thought": "", "status": "success", "data": {}, "message": %q}`, text)}
	}
	model := ollamatest.New(t, says("Noted one."), says("Noted two."), says("- The user told of herons."), says("Noted three."), says("Noted four."))
	home := t.TempDir()
	write(t, filepath.Join(home, "XDG_CONFIG_HOME", "yaap", "config.yaml"),
		"builtin: []\nmemory: false\nmodel: ollama/scripted:1b\nproviders: {ollama: {url: "+model.URL+"}}\nmodels:\n  ollama/scripted:1b: {context: 2048}\n")
	s := openScreenIn(t, home, 100, 60, options{})
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
