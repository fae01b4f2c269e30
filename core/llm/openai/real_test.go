//go:build ollama

package openai_test

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/llm/openai"
)

// TestARealServerKeepsTheContract runs against the server whose address YAAP_OPENAI
// names, with YAAP_OPENAI_MODEL or else the first model there:
//
//	YAAP_OPENAI=http://127.0.0.1:11434/v1 go test -tags ollama ./core/llm/openai
func TestARealServerKeepsTheContract(t *testing.T) {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	cfg := openai.Config{Name: "real", BaseURL: os.Getenv("YAAP_OPENAI"), Model: os.Getenv("YAAP_OPENAI_MODEL"), HTTP: &http.Client{Transport: transport}}
	if cfg.BaseURL == "" {
		t.Fatal("set YAAP_OPENAI to the address of a server, such as http://127.0.0.1:11434/v1")
	}
	infos, err := openai.Models(t.Context(), cfg)
	if err != nil || len(infos) == 0 {
		t.Fatalf("models %v, error %v", infos, err)
	}
	if cfg.Model == "" {
		cfg.Model = infos[0].Name
	}
	t.Logf("%s, model %s", cfg.BaseURL, cfg.Model)
	m := openai.New(cfg)
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
