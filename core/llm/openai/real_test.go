package openai_test

import (
	"net/http"
	"testing"

	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
	"github.com/yaap-chat/yaap/core/llm/openai"
)

func TestTheRealServerKeepsTheContractOfModels(t *testing.T) {
	s := ollamatest.NewReal(t)
	s.Suite(t, func(name string, web *http.Client) llm.Model {
		return openai.New(openai.Config{Name: "real", BaseURL: s.URL + "/v1", Model: name, HTTP: web})
	})
}
