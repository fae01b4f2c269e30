package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/llm/openai"
	"github.com/yaap-chat/yaap/core/llm/openai/openaitest"
	"github.com/yaap-chat/yaap/core/llm/web"
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

// ask puts the question of the contract to a model.
func ask(t *testing.T, cfg openai.Config) (llmtest.Answer, error) {
	t.Helper()
	return llmtest.Read(t, openai.New(cfg).Stream(t.Context(), llmtest.Question()))
}

// events is a stream of events with that data.
func events(data ...string) webtest.Reply {
	var b strings.Builder
	for _, d := range data {
		b.WriteString("data: " + d + "\n\n")
	}
	return webtest.Reply{Raw: b.String(), End: webtest.EndQuiet}
}

// delta is an event with that delta.
func delta(fields string) string { return `{"choices":[{"index":0,"delta":{` + fields + `}}]}` }

// finish is the event that ends an answer.
func finish(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}],"usage":{"prompt_tokens":9,"completion_tokens":4}}`
}

func plain(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return v
}

func TestARequestCarriesTheWholeConversation(t *testing.T) {
	s := openaitest.New(t, webtest.Reply{Text: "fine"})
	cfg := config(t, s)
	warm := 0.5
	cfg.Options = web.Options{Temperature: &warm, MaxTokens: 900, Effort: "low", Header: map[string]string{"X-Title": "yaap"}}
	cfg.Key = func(context.Context) (string, error) { return " sk-secret\n", nil }
	if _, err := ask(t, cfg); err != nil {
		t.Fatal(err)
	}
	const want = `{
  "model": "scripted-1",
  "messages": [
    {"role": "system", "content": "You are helpful."},
    {"role": "user", "content": "What is the weather in Kraków?"},
    {"role": "assistant", "content": "Let me look.",
     "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\":\"Kraków\"}"}}]},
    {"role": "tool", "content": "18 °C, rain", "tool_call_id": "call_1"},
    {"role": "assistant", "content": "18 °C and rain."},
    {"role": "user", "content": "And in Oslo, and what is 2+2?"}
  ],
  "tools": [
    {"type": "function", "function": {"name": "weather", "description": "Tells the weather.", "parameters":
      {"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","minimum":1}},"required":["city"]}}},
    {"type": "function", "function": {"name": "calc", "description": "Computes.\nExamples: 12% of 840", "parameters": {
      "type": "object", "required": ["prompt"], "properties": {
        "prompt": {"type": "string", "description": "What to ask, in plain language and complete in itself."}}}}}
  ],
  "stream": true, "stream_options": {"include_usage": true},
  "temperature": 0.5, "max_tokens": 900, "reasoning_effort": "low"
}`
	r := s.Requests()[0]
	if d := cmp.Diff(plain(t, []byte(want)), plain(t, r.Raw)); d != "" {
		t.Errorf("request (-want +got):\n%s", d)
	}
	if r.Header.Get("Authorization") != "Bearer sk-secret" || r.Header.Get("X-Title") != "yaap" {
		t.Errorf("headers %v", r.Header)
	}
}

func TestToolsAreStrictWhereTheirSchemaAllowsIt(t *testing.T) {
	s := openaitest.New(t, webtest.Reply{Text: "fine"})
	req := llm.Request{Tools: []core.ToolSpec{
		{Name: "closed", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`)},
		{Name: "open", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`)},
		{Name: "bare", Schema: json.RawMessage(`{}`)},
	}}
	if _, err := llmtest.Read(t, openai.New(config(t, s)).Stream(t.Context(), req)); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tool := range s.Requests()[0].Body()["tools"].([]any) {
		f := tool.(map[string]any)["function"].(map[string]any)
		got = append(got, fmt.Sprintf("%v %v %v", f["name"], f["strict"], has(f, "parameters", "properties")))
	}
	if d := cmp.Diff([]string{"closed true true", "open <nil> true", "bare <nil> true"}, got); d != "" {
		t.Errorf("tools (-want +got):\n%s", d)
	}
}

func TestToolsStayListedWhenCallsAreForbidden(t *testing.T) {
	s := openaitest.New(t, webtest.Reply{Text: "fine"})
	req := llmtest.Question()
	req.NoCalls = true
	if _, err := llmtest.Read(t, openai.New(config(t, s)).Stream(t.Context(), req)); err != nil {
		t.Fatal(err)
	}
	if body := s.Requests()[0].Body(); body["tool_choice"] != "none" || len(body["tools"].([]any)) != 2 {
		t.Errorf("request %v", body)
	}
}

func TestAServerThatCallsThoughItMayNotIsAskedWithoutTools(t *testing.T) {
	call := webtest.Reply{Calls: []core.Call{{Tool: "calc", Args: json.RawMessage(`{}`)}}}
	s := openaitest.New(t, call, webtest.Reply{Text: "fine"}, webtest.Reply{Text: "again"})
	m := openai.New(config(t, s))
	req := llmtest.Question()
	req.NoCalls = true
	for _, want := range []string{"fine", "again"} {
		if a, err := llmtest.Read(t, m.Stream(t.Context(), req)); err != nil || a.Text != want {
			t.Errorf("text %q, error %v", a.Text, err)
		}
	}
	if r := s.Requests(); len(r) != 3 || r[1].Body()["tools"] != nil || r[2].Body()["tool_choice"] != nil {
		t.Errorf("requests %v", r)
	}
}

// has reports whether a part of a question is there.
func has(body map[string]any, path ...string) bool {
	for i, key := range path {
		if body[key] == nil || i == len(path)-1 {
			return body[key] != nil
		}
		body, _ = body[key].(map[string]any)
	}
	return false
}

func TestWhatAServerDoesNotTakeIsLeftOutFromThenOn(t *testing.T) {
	schema := llm.Request{System: "Be brief.", Schema: json.RawMessage(`{"type":"object"}`)}
	closed := llm.Request{Tools: []core.ToolSpec{{Name: "t", Schema: json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)}}}
	silent := llmtest.Question()
	silent.NoCalls = true
	used := llmtest.Question()
	used.Messages[1].Opaque = json.RawMessage(`{"field":"reasoning_content"}`)
	format := func(b map[string]any) any { f, _ := b["response_format"].(map[string]any); return f["type"] }
	for _, test := range []struct {
		name   string
		req    llm.Request
		refuse func(body map[string]any) (int, string)
		asked  int // requests for the first answer
	}{
		{"usage", schema, func(b map[string]any) (int, string) {
			return when(has(b, "stream_options"), 422), "stream_options: Extra inputs are not permitted"
		}, 2},
		{"max_tokens", schema, func(b map[string]any) (int, string) {
			return when(has(b, "max_tokens"), 400), "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
		}, 2},
		{"a schema", schema, func(b map[string]any) (int, string) {
			return when(format(b) == "json_schema", 400), "This model does not support response format `json_schema`"
		}, 2},
		{"JSON", schema, func(b map[string]any) (int, string) {
			return when(has(b, "response_format"), 400), "response_format is not supported"
		}, 3},
		{"a grammar", schema, func(b map[string]any) (int, string) {
			return when(format(b) == "json_schema", 500), "failed to parse grammar"
		}, 2},
		{"strict tools", closed, func(b map[string]any) (int, string) {
			f := b["tools"].([]any)[0].(map[string]any)["function"].(map[string]any)
			return when(f["strict"] != nil, 400), "tools[0].function.strict is unknown"
		}, 2},
		{"a choice", silent, func(b map[string]any) (int, string) {
			return when(has(b, "tool_choice"), 400), "tool_choice is not supported"
		}, 2},
		{"thinking", used, func(b map[string]any) (int, string) {
			m := b["messages"].([]any)[2].(map[string]any)
			return when(has(m, "reasoning_content"), 400), "property 'reasoning_content' is unsupported"
		}, 2},
		{"long ids", used, func(b map[string]any) (int, string) {
			id := b["messages"].([]any)[3].(map[string]any)["tool_call_id"].(string)
			return when(len(id) != 9, 400), "Tool call id was " + id + " but must be a-z, A-Z, 0-9, with a length of 9."
		}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := openaitest.New(t, webtest.Reply{Text: "fine", Forever: true})
			s.Refuse(test.refuse)
			cfg := config(t, s)
			cfg.Options.MaxTokens = 100
			m := openai.New(cfg)
			for range 2 {
				if a, err := llmtest.Read(t, m.Stream(t.Context(), test.req)); err != nil || a.Text != "fine" {
					t.Fatalf("text %q, error %v", a.Text, err)
				}
			}
			if n := len(s.Requests()); n != test.asked+1 {
				t.Errorf("%d requests, want %d", n, test.asked+1)
			}
			last := s.Requests()[test.asked].Body()
			if f := format(last); len(test.req.Schema) > 0 && f != "json_schema" && !strings.Contains(fmt.Sprint(last["messages"]), `JSON Schema:`) {
				t.Errorf("the schema is neither sent nor said: %v", last)
			}
		})
	}
}

func when(yes bool, status int) int {
	if yes {
		return status
	}
	return 0
}

func TestASchemaIsSentInTheOrderItWasWritten(t *testing.T) {
	s := openaitest.New(t, webtest.Reply{Text: "{}"})
	const schema = `{"type":"object","properties":{"thought":{"type":"string"},"data":{"type":"object"}}}`
	if _, err := llmtest.Read(t, openai.New(config(t, s)).Stream(t.Context(), llm.Request{Schema: json.RawMessage(schema)})); err != nil {
		t.Fatal(err)
	}
	if raw := string(s.Requests()[0].Raw); !strings.Contains(raw, `"schema":`+schema) || !strings.Contains(raw, `"strict":false`) {
		t.Errorf("request %s", raw)
	}
}

func TestCallsInPiecesArePutTogether(t *testing.T) {
	call := func(fields string) string { return delta(`"tool_calls":[` + fields + `]`) }
	both := []string{`weather {"city":"Oslo"}`, `calc {"prompt":"2+2"}`}
	for _, test := range []struct {
		name string
		data []string
		want []string
	}{
		{"in order", []string{
			call(`{"index":0,"id":"a","function":{"name":"weather","arguments":""}}`), call(`{"index":0,"function":{"arguments":"{\"city\""}}`),
			call(`{"index":0,"function":{"arguments":":\"Oslo\"}"}}`), call(`{"index":1,"id":"b","function":{"name":"calc","arguments":"{\"prompt\":\"2+2\"}"}}`),
		}, both},
		{"interleaved", []string{
			call(`{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\":"}},{"index":1,"id":"b","function":{"name":"calc","arguments":"{\"prompt\":"}}`),
			call(`{"index":1,"function":{"arguments":"\"2+2\"}"}},{"index":0,"function":{"arguments":"\"Oslo\"}"}}`),
		}, both},
		{"without index", []string{
			call(`{"id":"a","function":{"name":"weather","arguments":"{\"city\":"}}`), call(`{"function":{"arguments":"\"Oslo\"}"}}`),
			call(`{"id":"b","function":{"name":"calc","arguments":"{\"prompt\":\"2+2\"}"}}`),
		}, both},
		{"without ids", []string{
			call(`{"index":0,"function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}`), call(`{"index":1,"function":{"name":"calc","arguments":"{\"prompt\":\"2+2\"}"}}`),
		}, both},
		{"without index and ids", []string{
			call(`{"function":{"name":"weather","arguments":"{\"city\":"}}`), call(`{"function":{"arguments":"\"Oslo\"}"}}`), call(`{"function":{"name":"calc","arguments":"{\"prompt\":\"2+2\"}"}}`),
		}, both},
		{"all with index 0", []string{
			call(`{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}`), call(`{"index":0,"id":"b","function":{"name":"calc","arguments":"{\"prompt\":\"2+2\"}"}}`),
		}, both},
		{"all with one id", []string{
			call(`{"id":"a","function":{"name":"calc","arguments":"{\"prompt\":\"1\"}"}}`), call(`{"id":"a","function":{"name":"calc","arguments":"{\"prompt\":\"2\"}"}}`),
		}, []string{`calc {"prompt":"1"}`, `calc {"prompt":"2"}`}},
		{"with one id and an index", []string{
			call(`{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}`), call(`{"index":1,"id":"a","function":{"name":"calc","arguments":"{\"prompt\":\"2+2\"}"}}`),
		}, both},
		{"with the name in every piece", []string{
			call(`{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\":"}}`), call(`{"index":0,"id":"a","function":{"name":"weather","arguments":"\"Oslo\"}"}}`),
			call(`{"index":0,"id":"a","function":{"name":"weather","arguments":""}}`),
		}, both[:1]},
		{"with the arguments twice", []string{
			call(`{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\":"}}`), call(`{"index":0,"function":{"arguments":"\"Oslo\"}"}}`),
			call(`{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}`),
		}, both[:1]},
		{"with nothing in place of what comes", []string{
			call(`{"index":0,"id":"a","function":{"name":"weather","arguments":"{}"}}`), call(`{"index":0,"function":{"arguments":"{\"city\":\"Oslo\"}"}}`),
		}, both[:1]},
		{"with nothing in place of what comes with the name again", []string{
			call(`{"index":0,"id":"a","function":{"name":"weather","arguments":"{}"}}`), call(`{"index":0,"id":"a","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}`),
		}, both[:1]},
		{"with arguments as an object", []string{call(`{"index":0,"id":"a","function":{"name":"weather","arguments":{"city":"Oslo"}}}`)}, both[:1]},
		{"without arguments", []string{call(`{"index":0,"id":"a","function":{"name":"calc","arguments":null}}`)}, []string{"calc {}"}},
		{"with a piece that looks like the first", []string{
			call(`{"index":0,"id":"a","function":{"name":"calc","arguments":"{\"a\":"}}`), call(`{"index":0,"function":{"arguments":"{\"a\":"}}`), call(`{"index":0,"function":{"arguments":"1}}"}}`),
		}, []string{`calc {"a":{"a":1}}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, err := ask(t, config(t, openaitest.New(t, events(append(test.data, finish("tool_calls"), "[DONE]")...))))
			var got []string
			for _, c := range a.Calls {
				got = append(got, c.Tool+" "+string(c.Args))
			}
			if d := cmp.Diff(test.want, got); err != nil || d != "" {
				t.Errorf("error %v, calls (-want +got):\n%s", err, d)
			}
		})
	}
}

func TestWhatServersSayInWaysOfTheirOwnIsUnderstood(t *testing.T) {
	for _, test := range []struct {
		name  string
		reply webtest.Reply
		want  llmtest.Answer
	}{
		{"reasoning", events(delta(`"reasoning":"Hm."`), delta(`"content":"Yes."`), finish("stop")), llmtest.Answer{Thinking: "Hm.", Text: "Yes."}},
		{"both kinds of reasoning", events(delta(`"reasoning":"Hm.","reasoning_content":"Hm."`), delta(`"content":"Yes."`), finish("stop")), llmtest.Answer{Thinking: "Hm.", Text: "Yes."}},
		{"parts", events(delta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"text","text":"Yes."}]`), finish("stop")), llmtest.Answer{Thinking: "Hm.", Text: "Yes."}},
		{"a refusal", events(delta(`"content":null,"refusal":"No."`), finish("stop")), llmtest.Answer{Text: "No."}},
		{"no last word", events(delta(`"content":"Yes."`), finish("stop")), llmtest.Answer{Text: "Yes."}},
		{"no reason", events(delta(`"content":"Yes."`), "[DONE]"), llmtest.Answer{Text: "Yes."}},
		{"a reason of its own", events(delta(`"content":"Yes."`), finish("eos")), llmtest.Answer{Text: "Yes."}},
		{"an empty reason before the end", events(`{"choices":[{"delta":{"content":"Yes"},"finish_reason":""}]}`, delta(`"content":"."`), finish("stop")), llmtest.Answer{Text: "Yes."}},
		{"comments and other fields", webtest.Reply{Raw: ": OPENROUTER PROCESSING\n\nevent: x\nid: 7\nretry: 9\r\ndata:" + delta(`"content":"Yes."`) + "\r\n\r\ndata: \n\ndata: " + finish("stop") + "\n\n", End: webtest.EndQuiet}, llmtest.Answer{Text: "Yes."}},
		{"no stream", webtest.Reply{Raw: "{\n \"choices\": [{\"message\": {\"content\": \"Yes.\"},\n \"finish_reason\": \"stop\"}]\n}\n", Header: http.Header{"Content-Type": {"application/json"}}, End: webtest.EndQuiet}, llmtest.Answer{Text: "Yes."}},
		{"two ends", events(delta(`"content":"Yes."`), `{"choices":[{"delta":{},"finish_reason":"stop"}]}`, delta(`"content":"No."`), finish("stop"), "[DONE]"), llmtest.Answer{Text: "Yes."}},
		{"two answers", events(`{"choices":[{"index":1,"delta":{"content":"No."}},{"index":0,"delta":{"content":"Yes."}}]}`, finish("stop")), llmtest.Answer{Text: "Yes."}},
		{"another model", events(`{"model":"other-9","choices":[{"delta":{"content":"Yes."}}]}`, finish("stop")), llmtest.Answer{Text: "Yes."}},
		{"a connection lost after the end", webtest.Reply{Raw: events(delta(`"content":"Yes."`), `{"choices":[{"delta":{},"finish_reason":"stop"}]}`).Raw + "data: {", End: webtest.EndCut}, llmtest.Answer{Text: "Yes."}},
		{"a fault after the end", events(delta(`"content":"Yes."`), `{"choices":[{"delta":{},"finish_reason":"stop"}]}`, `{"error":{"message":"late"}}`), llmtest.Answer{Text: "Yes."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := config(t, openaitest.New(t, test.reply))
			a, err := ask(t, cfg)
			if err != nil || a.Thinking != test.want.Thinking || a.Text != test.want.Text || a.Done.Reason != llm.ReasonStop {
				t.Errorf("thinking %q, text %q, reason %q, error %v", a.Thinking, a.Text, a.Done.Reason, err)
			}
			if name := openai.New(cfg).Name(); name != "acme/scripted-1" {
				t.Errorf("name %q", name)
			}
		})
	}
}

func TestUsageTellsWhatWasCached(t *testing.T) {
	for _, usage := range []string{
		`{"prompt_tokens":100,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":64}}`,
		`{"prompt_tokens":100,"completion_tokens":4,"prompt_cache_hit_tokens":64}`,
	} {
		a, err := ask(t, config(t, openaitest.New(t, events(delta(`"content":"Yes."`), `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":`+usage+`}`))))
		if want := (core.Usage{Prompt: 100, Cached: 64, Completion: 4}); err != nil || a.Done.Usage != want {
			t.Errorf("usage %+v, error %v", a.Done.Usage, err)
		}
	}
}

func TestACallThatWasCutOffIsLeftOut(t *testing.T) {
	a, err := ask(t, config(t, openaitest.New(t, events(
		delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"calc","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"calc","arguments":"{\"prompt\":"}}]`), finish("length")))))
	if err != nil || a.Done.Reason != llm.ReasonLength || len(a.Calls) != 1 {
		t.Errorf("answer %+v, error %v", a, err)
	}
}
