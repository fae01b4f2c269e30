package main

import (
	"path/filepath"
	"testing"

	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
)

func TestWhatAConversationTookAndCostIsToldWithWhatIsLeft(t *testing.T) {
	says := func(text string) ollamatest.Reply {
		return ollamatest.Reply{Text: `{"thought": "", "status": "success", "data": {}, "message": "` + text + `"}`}
	}
	model := ollamatest.New(t, says("Fish, mostly."), says("At dawn."))
	home := t.TempDir()
	write(t, filepath.Join(home, "XDG_CONFIG_HOME", "yaap", "config.yaml"),
		"builtin: []\nmemory: false\nmodel: ollama/scripted:1b\nproviders: {ollama: {url: "+model.URL+"}}\n"+
			"models:\n  ollama/scripted:1b: {context: 4096, price: {input: 1000, output: 2000}}\n")
	s := openScreenIn(t, home, 120, 60, options{})
	s.see(`ask the room`)
	s.enter("/usage")
	s.see(`No model has been asked`)
	s.enter("what do herons eat?")
	s.see(`Fish, mostly\.`)
	s.enter("and when?") // what the first one took is on disk when this one begins
	s.see(`At dawn\.`)
	s.enter("/usage")
	s.see(`ollama/scripted:1b +[12] +\d+ +0 +\d+ +\$0\.\d\d`)
	s.see(`the last request took \d+ of the 4096 tokens that`)
	s.enter("/model")
	s.see(`reads 4 k tokens, \$ 1000 / 2000, in use`)
}
