package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
	"github.com/yaap-chat/yaap/core/llm/openai/openaitest"
)

func TestAModelIsChosenFromAListAndAnotherOneComes(t *testing.T) {
	model := ollamatest.New(t, ollamatest.Reply{Text: `{"thought": "", "status": "success", "data": {}, "message": "At dawn."}`})
	model.SetPulls(strings.Join([]string{
		`{"status":"pulling aa","digest":"aa","total":2000000000,"completed":840000000}`, `{"status":"success"}`, ``,
	}, "\n"))
	home := t.TempDir()
	file := filepath.Join(home, "XDG_CONFIG_HOME", "yaap", "config.yaml")
	write(t, file, "memory: false\nproviders: {ollama: {url: "+model.URL+"}}\n")
	s := openScreenIn(t, home, 100, 60, options{})
	s.see(`offline model`)
	s.press("\x0c") // ctrl+l
	s.see(`ollama/` + ollamatest.Name + ` +reads 32 k tokens`)
	s.see(`offline +in use`)
	s.press("\r")
	s.see(`ollama/` + ollamatest.Name + `\W+answers`)
	s.enter("when do herons hunt?")
	s.see(`At dawn\.`)

	s.enter("/model pull tiny:1b")
	s.see(`tiny:1b is here`)
	s.see(`From the next prompt on, ollama/tiny:1b`)
	s.enter("/model offline --keep")
	s.see(`whenever yaap starts, offline`)
	if kept, err := os.ReadFile(file); err != nil || !strings.Contains(string(kept), "\nmodel: offline\n") {
		t.Errorf("%s %v", kept, err)
	}
	s.enter("/model pull nothing:1b")
	s.see(`does not exist`)
}

func TestTheUserIsAskedBeforeAModelOfAnotherMachineIsReachedUnencrypted(t *testing.T) {
	model := openaitest.New(t)
	model.SetModels(`{"data":[{"id":"big"}]}`)
	home := t.TempDir()
	// The address of no machine is one of another to yaap, and leads here.
	write(t, filepath.Join(home, "XDG_CONFIG_HOME", "yaap", "config.yaml"),
		"memory: false\nproviders: {house: {url: "+strings.Replace(model.URL, "127.0.0.1", "0.0.0.0", 1)+"}}\n")
	s := openScreenIn(t, home, 100, 40, options{})
	s.see(`offline model`)
	s.enter("/model house/big")
	s.see(`(?s)Let house in.*0\.0\.0\.0.*would go there unencrypted`)
	s.decide("d")
	s.see(`would go to 0\.0\.0\.0:\d+ unencrypted`)
	if n := len(model.Requests()); n > 0 {
		t.Fatalf("%d requests went before anybody allowed it", n)
	}
	s.see(`offline model`)
}
