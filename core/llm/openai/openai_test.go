package openai_test

import (
	"net/http"
	"testing"

	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/llm/openai"
	"github.com/yaap-chat/yaap/core/llm/openai/openaitest"
	"github.com/yaap-chat/yaap/core/llm/web/webtest"
)

// config is that of the model of a server, with connections that close with the test.
func config(t *testing.T, s *webtest.Server) openai.Config {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return openai.Config{Name: "acme", BaseURL: s.URL, Model: webtest.Name, HTTP: &http.Client{Transport: transport}}
}

func TestOpenAIKeepsTheContractOfModels(t *testing.T) {
	llmtest.Suite(t, func(t *testing.T, turn llmtest.Turn) (llm.Model, func() int) {
		r := webtest.From(turn)
		r.Forever = true
		s := openaitest.New(t, r)
		return openai.New(config(t, s)), func() int { return len(s.Requests()) }
	})
}
