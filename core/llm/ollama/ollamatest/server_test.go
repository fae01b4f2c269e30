package ollamatest_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
)

func client(t *testing.T, s *ollamatest.Server) *api.Client {
	t.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return api.NewClient(u, &http.Client{Transport: transport})
}

func TestTheClientOfOllamaReadsTheServersAnswers(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Reply{
		Thinking: "Hm.", Text: "Grüße ☂", Pieces: 1, Prompt: 11, Completion: 5,
		Calls: []core.Call{{ID: "c1", Tool: "calc", Args: json.RawMessage(`{"prompt":"2+2"}`)}, {Tool: "clock"}},
	})
	var text, thinking strings.Builder
	var calls []api.ToolCall
	var last api.ChatResponse
	err := client(t, s).Chat(t.Context(), &api.ChatRequest{Model: ollamatest.Name}, func(r api.ChatResponse) error {
		text.WriteString(r.Message.Content)
		thinking.WriteString(r.Message.Thinking)
		calls = append(calls, r.Message.ToolCalls...)
		last = r
		return nil
	})
	if err != nil || text.String() != "Grüße ☂" || thinking.String() != "Hm." {
		t.Errorf("thinking %q, text %q, error %v", thinking.String(), text.String(), err)
	}
	if !last.Done || last.DoneReason != "stop" || last.PromptEvalCount != 11 || last.EvalCount != 5 {
		t.Errorf("last line %+v", last)
	}
	if len(calls) != 2 || calls[0].ID != "c1" || calls[0].Function.Arguments.String() != `{"prompt":"2+2"}` || calls[1].Function.Index != 1 {
		t.Errorf("calls %+v", calls)
	}
}

func TestTheServerTellsAboutItsModels(t *testing.T) {
	s := ollamatest.New(t)
	list, err := client(t, s).List(t.Context())
	if err != nil || len(list.Models) != 1 || list.Models[0].Name != ollamatest.Name {
		t.Errorf("models %+v, error %v", list, err)
	}
	show, err := client(t, s).Show(t.Context(), &api.ShowRequest{Model: ollamatest.Name})
	if err != nil || len(show.Capabilities) != 2 || show.ModelInfo["llama.context_length"] != 32768.0 {
		t.Errorf("show %+v, error %v", show, err)
	}
}

func TestTheServerRefusesWhatTheRealOneRefuses(t *testing.T) {
	s := ollamatest.New(t)
	s.SetModels(ollamatest.Model{Name: "plain", Capabilities: []string{"completion"}})
	for body, want := range map[string]int{
		`{"model":"nobody"}`: http.StatusNotFound,
		`{"model":"plain","tools":[{"type":"function","function":{"name":"t","parameters":{"type":"object","properties":{}}}}]}`: http.StatusBadRequest,
		`{"model":"plain","tools":[{"function":{"name":"t","parameters":{"type":["object"],"properties":{}}}}]}`:                 http.StatusBadRequest,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/chat", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil || resp.StatusCode != want {
			t.Errorf("%s: status %d, want %d, error %v", body, resp.StatusCode, want, err)
		}
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("%d requests recorded, want 3", n)
	}
}
