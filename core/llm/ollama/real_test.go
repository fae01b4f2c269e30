//go:build ollama

package ollama_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/llm/ollama"
)

// TestARealServerKeepsTheContract runs against the server that YAAP_OLLAMA
// names, with YAAP_OLLAMA_MODEL or else the first model there:
//
//	YAAP_OLLAMA=127.0.0.1:11434 go test -tags ollama ./core/llm/ollama
func TestARealServerKeepsTheContract(t *testing.T) {
	host := os.Getenv("YAAP_OLLAMA")
	if host == "" {
		t.Fatal("set YAAP_OLLAMA to the address of an Ollama server")
	}
	url, err := ollama.BaseURL(func(string) string { return host })
	if err != nil {
		t.Fatal(err)
	}
	name := os.Getenv("YAAP_OLLAMA_MODEL")
	if name == "" {
		infos, err := ollama.Models(t.Context(), url)
		if err != nil || len(infos) == 0 {
			t.Fatalf("models %v, error %v", infos, err)
		}
		name = infos[0].Name
	}
	t.Logf("Ollama at %s, model %s", url, name)
	m := ollama.New(ollama.Config{BaseURL: url, Model: name, NumCtx: 2048, HTTP: client(t)})
	req := llm.Request{System: "Answer in one word.", Messages: llmtest.Question().Messages[:1]}
	llmtest.Contract(t, m, req)
	t.Run("writes what the schema says", func(t *testing.T) {
		req := req
		req.Schema = json.RawMessage(`{"type":"object","properties":{"word":{"type":"string","maxLength":20}},"required":["word"]}`)
		a, err := llmtest.Read(t, m.Stream(t.Context(), req))
		if err != nil {
			t.Fatal(err)
		}
		var v struct {
			Word *string `json:"word"`
		}
		if err := json.Unmarshal([]byte(a.Text), &v); a.Done.Reason == llm.ReasonStop && (err != nil || v.Word == nil) {
			t.Errorf("text %q, error %v", a.Text, err)
		}
	})
}
