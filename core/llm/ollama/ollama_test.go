package ollama_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/llm/ollama"
	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
	"github.com/yaap-chat/yaap/core/llm/web/webtest"
)

// client returns an HTTP client whose connections close with the test.
func client(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func model(t *testing.T, s *ollamatest.Server) *ollama.Model {
	t.Helper()
	return ollama.New(ollama.Config{BaseURL: s.URL, Model: ollamatest.Name, HTTP: client(t)})
}

func TestOllamaKeepsTheContractOfModels(t *testing.T) {
	llmtest.Suite(t, func(t *testing.T, turn llmtest.Turn) (llm.Model, func() int) {
		r := ollamatest.From(turn)
		r.Forever = true
		s := ollamatest.New(t, r)
		return model(t, s), func() int { return len(s.Requests()) }
	})
}

func TestARequestCarriesTheWholeConversation(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Reply{Text: "fine"})
	if _, err := llmtest.Read(t, model(t, s).Stream(t.Context(), llmtest.Question())); err != nil {
		t.Fatal(err)
	}
	const want = `{
  "model": "scripted:1b",
  "messages": [
    {"role": "system", "content": "You are helpful."},
    {"role": "user", "content": "What is the weather in Kraków?"},
    {"role": "assistant", "content": "Let me look.", "thinking": "The weather expert knows.",
     "tool_calls": [{"id": "call_1", "function": {"index": 0, "name": "weather", "arguments": {"city": "Kraków"}}}]},
    {"role": "tool", "content": "18 °C, rain", "tool_name": "weather", "tool_call_id": "call_1"},
    {"role": "assistant", "content": "18 °C and rain."},
    {"role": "user", "content": "And in Oslo, and what is 2+2?"}
  ],
  "tools": [
    {"type": "function", "function": {"name": "weather", "description": "Tells the weather.", "parameters": {
      "type": "object", "required": ["city"], "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "description": "(minimum: 1)"}}}}},
    {"type": "function", "function": {"name": "calc", "description": "Computes.\nExamples: 12% of 840", "parameters": {
      "type": "object", "required": ["prompt"], "properties": {
        "prompt": {"type": "string", "description": "What to ask, in plain language and complete in itself."}}}}}
  ],
  "options": {"num_ctx": 16384, "repeat_penalty": 1},
  "keep_alive": "10m0s",
  "truncate": false,
  "shift": false
}`
	if d := cmp.Diff(plain(t, []byte(want)), plain(t, s.Requests()[0].Raw)); d != "" {
		t.Errorf("request (-want +got):\n%s", d)
	}
}

func plain(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return v
}

func TestASchemaIsSentInTheOrderItWasWritten(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Reply{Text: "{}"})
	const schema = `{"type":"object","properties":{"thought":{"type":"string"},"data":{"type":"object"}}}`
	if _, err := llmtest.Read(t, model(t, s).Stream(t.Context(), llm.Request{Schema: json.RawMessage(schema)})); err != nil {
		t.Fatal(err)
	}
	r := s.Requests()[0]
	if string(r.Format) != schema {
		t.Errorf("format %s", r.Format)
	}
}

func TestToolsAreNotSentWhenCallsAreForbidden(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Reply{Text: "fine", Calls: []core.Call{{Tool: "weather"}}})
	req := llmtest.Question()
	req.NoCalls = true
	a, err := llmtest.Read(t, model(t, s).Stream(t.Context(), req))
	if err != nil || len(a.Calls) > 0 || len(s.Requests()[0].Tools) > 0 {
		t.Errorf("answer %+v, error %v, tools sent %v", a, err, s.Requests()[0].Tools)
	}
}

func TestEveryRequestLoadsTheModelTheSameWay(t *testing.T) {
	for _, test := range []struct{ asked, can, want int }{
		{0, 32768, 16384},
		{0, 8192, 8192},
		{0, 0, 16384},
		{4096, 32768, 4096},
	} {
		t.Run(fmt.Sprintf("asked %d, can %d", test.asked, test.can), func(t *testing.T) {
			s := ollamatest.New(t, ollamatest.Reply{Text: "fine", Forever: true})
			s.SetModels(ollamatest.Model{Name: "m", Capabilities: []string{"completion", "tools"}, Context: test.can})
			m := ollama.New(ollama.Config{BaseURL: s.URL, Model: "m", NumCtx: test.asked, HTTP: client(t)})
			for _, req := range []llm.Request{{}, llmtest.Question(), {Schema: json.RawMessage(`{}`)}} {
				if _, err := llmtest.Read(t, m.Stream(t.Context(), req)); err != nil {
					t.Fatal(err)
				}
			}
			for _, r := range s.Requests() {
				if got := r.Options["num_ctx"]; got != float64(test.want) {
					t.Errorf("num_ctx %v, want %d", got, test.want)
				}
			}
		})
	}
}

func TestCallsAreMadeCanonical(t *testing.T) {
	call := func(id, args string) core.Call {
		return core.Call{ID: id, Tool: "weather", Args: json.RawMessage(args)}
	}
	s := ollamatest.New(t, ollamatest.Reply{Calls: []core.Call{
		call("srv_1", `{"days":3,"city":"Paris","at":{"y":1.50,"x":12345678901234567890}}`),
		call("call_1", `{"city":"<b>"}`), // taken in the conversation
		call("srv_1", `"{\"b\":1,\"a\":2}"`),
		call("", `null`),
		call("", `""`),
	}})
	a, err := llmtest.Read(t, model(t, s).Stream(t.Context(), llmtest.Question()))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range a.Calls {
		got = append(got, c.ID+" "+string(c.Args))
	}
	want := []string{
		`srv_1 {"at":{"x":12345678901234567890,"y":1.50},"city":"Paris","days":3}`,
		`call_3 {"city":"<b>"}`,
		`call_4 {"a":2,"b":1}`,
		`call_5 {}`,
		`call_6 {}`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
}

func TestUsageIsEstimatedWhereTheServerIsSilent(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Reply{Text: "fine, thanks", Prompt: -1, Completion: -1})
	a, err := llmtest.Read(t, model(t, s).Stream(t.Context(), llmtest.Question()))
	if err != nil || !a.Done.Usage.Estimated || a.Done.Usage.Prompt < 10 || a.Done.Usage.Completion < 3 {
		t.Errorf("usage %+v, error %v", a.Done.Usage, err)
	}
}

func TestFailuresAreToldInWords(t *testing.T) {
	status := func(code int, text string) ollamatest.Reply { return ollamatest.Reply{Status: code, Error: text} }
	call := func(args string) ollamatest.Reply {
		return ollamatest.Reply{Calls: []core.Call{{Tool: "weather", Args: json.RawMessage(args)}}}
	}
	for _, test := range []struct {
		name    string
		reply   ollamatest.Reply
		code    core.Code
		message string
		hint    string
	}{
		{"model not pulled", status(404, "model 'scripted:1b' not found"), core.CodeNoModel, "no model scripted:1b", "ollama pull scripted:1b"},
		{"model without tools", status(400, "scripted:1b does not support tools"), core.CodeNoModel, "scripted:1b cannot call tools", "ollama pull"},
		{"model without chat", status(400, `"scripted:1b" does not support chat`), core.CodeNoModel, "cannot be used", "/model"},
		{"conversation too long", status(400, "the input length exceeds the context length"), core.CodeContextFull, "longer than scripted:1b", "/new"},
		{"bad request", status(400, "json: cannot unmarshal"), core.CodeInvalid, "refused", "/model"},
		{"bad schema", status(500, "invalid JSON schema in format"), core.CodeInternal, "form", ""},
		{"not signed in", status(401, "unauthorized"), core.CodeRefused, "does not let you", "ollama signin"},
		{"too many requests", status(503, "server busy, please try again.  maximum pending requests exceeded"), core.CodeRateLimited, "too much to do", "again"},
		{"too little memory", status(500, "model requires more system memory (9 GiB) than is available"), core.CodeNoModel, "cannot be loaded", "smaller"},
		{"server failed", status(500, "llama runner process has terminated: exit status 2"), core.CodeUnreachable, "failed while it ran scripted:1b", "ollama serve"},
		{"runner died", ollamatest.Reply{Text: "I", Error: "an error was encountered while running the model: unexpected EOF"}, core.CodeUnreachable, "failed while it ran", "again"},
		{"error as an object", ollamatest.Reply{Raw: `{"error":{"message":"server busy"}}` + "\n"}, core.CodeRateLimited, "too much", "again"},
		{"malformed call", ollamatest.Reply{Error: "error parsing tool call: raw='{', err=EOF"}, core.CodeModelBehavior, "cannot be read", "/model"},
		{"model going in circles", ollamatest.Reply{Text: "na na na", End: webtest.EndQuiet}, core.CodeModelBehavior, "went in circles", "/model"},
		{"connection lost", ollamatest.Reply{Text: "I am", End: webtest.EndCut}, core.CodeUnreachable, "connection to Ollama was lost", "ollama serve"},
		{"rubbish", ollamatest.Reply{Raw: "<html>\n"}, core.CodeUnreachable, "does not speak like Ollama", "OLLAMA_HOST"},
		{"arguments that are an array", call(`[1]`), core.CodeModelBehavior, `"weather"`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := ollamatest.New(t, test.reply)
			_, err := llmtest.Read(t, model(t, s).Stream(t.Context(), llmtest.Question()))
			var e *core.Error
			if !errors.As(err, &e) || e.Code != test.code {
				t.Fatalf("error %v with code %q, want %q", err, core.CodeOf(err), test.code)
			}
			if !strings.Contains(e.Message, test.message) || !strings.Contains(e.Hint, test.hint) {
				t.Errorf("message %q, hint %q; want %q, %q", e.Message, e.Hint, test.message, test.hint)
			}
			if len(e.Error()) > 1000 {
				t.Errorf("the error has %d bytes", len(e.Error()))
			}
		})
	}
}

func TestAnEmptyAnswerIsOneWhereNoToolIsOffered(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Reply{})
	a, err := llmtest.Read(t, model(t, s).Stream(t.Context(), llm.Request{Messages: llmtest.Question().Messages}))
	if err != nil || a.Text != "" {
		t.Errorf("text %q, error %v", a.Text, err)
	}
}

func TestAThoughtCutOffIsNotTakenForNothing(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Reply{Thinking: "So many things…", Reason: "length"})
	a, err := llmtest.Read(t, model(t, s).Stream(t.Context(), llmtest.Question()))
	if err != nil || a.Done.Reason != llm.ReasonLength {
		t.Errorf("answer %+v, error %v", a, err)
	}
}

func TestAServerThatIsDownIsNamed(t *testing.T) {
	s := ollamatest.New(t)
	s.SetModels()
	gone := "http://127.0.0.1:1"
	for _, test := range []struct {
		url  string
		code core.Code
		hint string
	}{
		{gone, core.CodeUnreachable, "ollama serve"},
		{s.URL, core.CodeNoModel, "ollama pull nobody"},
		{s.URL + "/elsewhere", core.CodeNoModel, "OLLAMA_HOST"},
		{"http://bad host", core.CodeInvalid, "OLLAMA_HOST"},
	} {
		m := ollama.New(ollama.Config{BaseURL: test.url, Model: "nobody", HTTP: client(t)})
		_, err := llmtest.Read(t, m.Stream(t.Context(), llm.Request{}))
		if core.CodeOf(err) != test.code || !strings.Contains(core.HintOf(err), test.hint) {
			t.Errorf("at %s: error %v with code %q and hint %q", test.url, err, core.CodeOf(err), core.HintOf(err))
		}
	}
}

func TestAFailureToAskAboutTheModelIsNotRemembered(t *testing.T) {
	s := ollamatest.New(t, ollamatest.Reply{Text: "fine"})
	m := model(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := llmtest.Read(t, m.Stream(ctx, llm.Request{})); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if a, err := llmtest.Read(t, m.Stream(t.Context(), llm.Request{})); err != nil || a.Text != "fine" {
		t.Errorf("text %q, error %v", a.Text, err)
	}
}
