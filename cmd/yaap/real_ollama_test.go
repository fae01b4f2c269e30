package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
)

// A room on the real server of Ollama: experts are called, a chain runs, and what was
// said is remembered, in processes of their own.
func TestTheRealServerAnswersInARoom(t *testing.T) {
	server := ollamatest.NewReal(t)
	server.Reads = 32768 // a letter is a token, and the instructions have thousands
	says := func(message string) ollamatest.Reply {
		return ollamatest.Reply{Text: `{"thought": "I know it", "status": "success", "data": {}, "message": "` + message + `"}`}
	}
	call := func(tool, prompt string) core.Call {
		return core.Call{Tool: tool, Args: json.RawMessage(`{"prompt":"` + prompt + `"}`)}
	}
	model := server.Model(
		says("Herons eat fish."),
		ollamatest.Reply{Calls: []core.Call{call("calc", "12% of 840"), call("clock", "days from 2026-05-01 to 2026-05-04")}},
		says("100.8, and 3 days."),
	)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "ask.yaml"), "chain: 1\nname: ask\ninputs:\n  q: {type: string}\nnodes:\n  think:\n    agent: yaap\n    prompt: \"{{input.q}}\"\nedges:\n  - {from: start, to: think}\n  - {from: think, to: end}\n")
	sh := shellIn(t, dir)
	room := "OLLAMA_HOST=" + server.URL + " yaap run --builtin calc,clock --model ollama/" + model + " "

	if said := sh(room + "'what is 12% of 840, and how many days are from 1 to 4 May?'"); !strings.Contains(said, "100.8, and 3 days.") || !strings.Contains(said, "✓ calc") || !strings.Contains(said, "✓ clock") {
		t.Error(said)
	}
	if said := sh("OLLAMA_HOST=" + server.URL + " yaap chain run --builtin calc,clock --model ollama/" + model + " ask.yaml q='what do herons eat?'"); !strings.Contains(said, "100.8, and 3 days.") {
		t.Error(said)
	}
	if said := sh("yaap memory search 'days May'"); !strings.Contains(said, "3") || !strings.Contains(said, "100.8") {
		t.Error(said)
	}
}
