package ollama_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/llm/ollama"
)

// canned answers every request with the same body.
type canned string

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(c)))}, nil
}

func FuzzEveryStreamEndsInOrder(f *testing.F) {
	for _, body := range []string{
		`{"message":{"content":"Hi"}}` + "\n" + `{"done":true,"done_reason":"stop","eval_count":3}`,
		`{"message":{"thinking":"\ud800","tool_calls":[{"id":"call_1","function":{"name":"calc","arguments":{"b":1}}}]},"done":true}`,
		`{"done":true,"done_reason":"load"}` + "\n" + `{"message":{"content":"late"}}`,
		`{"error":{"code":7}}`,
		"\n\n",
		`{"message":{"content":"` + "\xff" + `"},"prompt_eval_count":-5,"done":true}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		m := ollama.New(ollama.Config{BaseURL: "http://ollama", Model: "m", NumCtx: 1, HTTP: &http.Client{Transport: canned(body)}})
		a, err := llmtest.Read(t, m.Stream(t.Context(), llmtest.Question()))
		if err == nil && a.Text == "" && len(a.Calls) == 0 && a.Done.Reason != "length" {
			t.Errorf("an answer with nothing in it: %q", body)
		}
		if core.CodeOf(err) == core.CodeInternal && !strings.Contains(strings.ToLower(body), "format") && !strings.Contains(strings.ToLower(body), "schema") {
			t.Errorf("error %v for %q", err, body)
		}
	})
}
