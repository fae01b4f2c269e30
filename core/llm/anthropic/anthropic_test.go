package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/anthropic"
	"github.com/yaap-chat/yaap/core/llm/anthropic/anthropictest"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/llm/web"
	"github.com/yaap-chat/yaap/core/llm/web/webtest"
)

// config is that of the model of a server, with connections that close with the test.
func config(t *testing.T, s *webtest.Server) anthropic.Config {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return anthropic.Config{Name: "anthropic", BaseURL: s.URL, Model: webtest.Name, HTTP: &http.Client{Transport: transport}, KeyName: "ANTHROPIC_API_KEY"}
}

func TestAnthropicKeepsTheContractOfModels(t *testing.T) {
	llmtest.Suite(t, func(t *testing.T, turn llmtest.Turn) (llm.Model, func() int) {
		r := webtest.From(turn)
		r.Forever = true
		s := anthropictest.New(t, r)
		return anthropic.New(config(t, s)), func() int { return len(s.Requests()) }
	})
}

// put puts a request to a model.
func put(t *testing.T, cfg anthropic.Config, req llm.Request) (llmtest.Answer, error) {
	t.Helper()
	return llmtest.Read(t, anthropic.New(cfg).Stream(t.Context(), req))
}

func plain(t *testing.T, raw string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return v
}

func TestARequestCarriesTheWholeConversation(t *testing.T) {
	s := anthropictest.New(t, webtest.Reply{Text: "fine"})
	cfg := config(t, s)
	cfg.BaseURL += "/v1/"
	warm := 0.5
	cfg.Options = web.Options{Temperature: &warm, Header: map[string]string{"Anthropic-Beta": "x"}}
	cfg.Key = func(context.Context) (string, error) { return "sk-ant-secret", nil }
	if _, err := put(t, cfg, llmtest.Question()); err != nil {
		t.Fatal(err)
	}
	const want = `{
  "model": "scripted-1", "max_tokens": 8192, "stream": true, "temperature": 0.5,
  "system": [{"type": "text", "text": "You are helpful.", "cache_control": {"type": "ephemeral"}}],
  "messages": [
    {"role": "user", "content": [{"type": "text", "text": "What is the weather in Kraków?"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "Let me look."}, {"type": "tool_use", "id": "call_1", "name": "weather", "input": {"city": "Kraków"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "18 °C, rain"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "18 °C and rain.", "cache_control": {"type": "ephemeral"}}]},
    {"role": "user", "content": [{"type": "text", "text": "And in Oslo, and what is 2+2?", "cache_control": {"type": "ephemeral"}}]}
  ],
  "tools": [
    {"name": "weather", "description": "Tells the weather.", "input_schema":
      {"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","minimum":1}},"required":["city"]}},
    {"name": "calc", "description": "Computes.\nExamples: 12% of 840", "cache_control": {"type": "ephemeral"}, "input_schema": {
      "type": "object", "required": ["prompt"], "properties": {
        "prompt": {"type": "string", "description": "What to ask, in plain language and complete in itself."}}}}
  ]
}`
	r := s.Requests()[0]
	if d := cmp.Diff(plain(t, want), plain(t, string(r.Raw))); d != "" {
		t.Errorf("request (-want +got):\n%s", d)
	}
	for name, want := range map[string]string{"X-Api-Key": "sk-ant-secret", "Anthropic-Version": "2023-06-01", "Anthropic-Beta": "x", "Authorization": ""} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("header %s is %q, want %q", name, got, want)
		}
	}
}

func TestAnAnswerMayBeAsLongAsTheModelCanWrite(t *testing.T) {
	for _, test := range []struct {
		models string
		asked  int
		want   float64
	}{
		{`{"data":[{"id":"scripted-1","max_tokens":4096}]}`, 0, 4096},
		{`{"data":[{"id":"scripted-1","max_tokens":128000}]}`, 0, 32000},
		{`{"data":[{"id":"scripted-1","max_tokens":128000}]}`, 100, 100},
		{`{"data":[]}`, 0, 8192},
		{`rubbish`, 0, 8192},
	} {
		s := anthropictest.New(t, webtest.Reply{Text: "fine"})
		s.SetModels(test.models)
		cfg := config(t, s)
		cfg.Options.MaxTokens = test.asked
		if _, err := put(t, cfg, llm.Request{}); err != nil {
			t.Fatal(err)
		}
		if got := s.Requests()[0].Body()["max_tokens"]; got != test.want {
			t.Errorf("max_tokens %v, want %v", got, test.want)
		}
	}
}

func TestAnyConversationIsOneThatTheServerTakes(t *testing.T) {
	call := func(ids ...string) core.Message {
		m := core.Message{Role: core.RoleAssistant}
		for _, id := range ids {
			m.Calls = append(m.Calls, core.Call{ID: id, Tool: "calc", Args: json.RawMessage(`rubbish`)})
		}
		return m
	}
	result := func(id, text string) core.Message {
		return core.Message{Role: core.RoleTool, Name: "calc", CallID: id, Text: text}
	}
	user := func(text string) core.Message { return core.Message{Role: core.RoleUser, Text: text} }
	said := func(text string) core.Message { return core.Message{Role: core.RoleAssistant, Text: text} }
	failed := result("a", "no")
	failed.Result = &core.ToolResult{Status: core.ToolError}
	for _, test := range []struct {
		name     string
		messages []core.Message
		want     string
	}{
		{"nothing", nil, "user[Go on.]"},
		{"two of the user", []core.Message{user("one"), user(" \n"), user("two")}, "user[one two]"},
		{"the model first and last", []core.Message{said("hello"), said(""), said("there")}, "user[(The conversation goes on.)] assistant[hello there] user[Go on.]"},
		{"a call without a result", []core.Message{user("go"), call("a"), user("well?")}, "user[go] assistant[tool_use a] user[a: There is no answer. well?]"},
		{"a result without a call", []core.Message{user("go"), result("x", "7"), said("7")}, "user[go [calc] 7] assistant[7] user[Go on.]"},
		{"results in another order", []core.Message{user("go"), call("a", "b"), result("b", "2"), user("and?"), result("a", "1")}, "user[go] assistant[tool_use a tool_use b] user[a: There is no answer. b: 2 and? [calc] 1]"},
		{"an id of another provider", []core.Message{user("go"), call("functions.calc:0"), result("functions.calc:0", "2")}, "user[go] assistant[tool_use call_822bd4aa52d7fcca] user[call_822bd4aa52d7fcca: 2]"},
		{"a result that is a failure", []core.Message{user("go"), call("a"), failed}, "user[go] assistant[tool_use a] user[a failed: no]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := anthropictest.New(t, webtest.Reply{Text: "fine"})
			if _, err := put(t, config(t, s), llm.Request{Messages: test.messages}); err != nil {
				t.Fatal(err)
			}
			if got := told(s.Requests()[0].Body()); got != test.want {
				t.Errorf("told is\n%s, want\n%s", got, test.want)
			}
		})
	}
}

// told is what a request says, in short.
func told(body map[string]any) string {
	var out []string
	for _, m := range body["messages"].([]any) {
		m := m.(map[string]any)
		var parts []string
		for _, b := range m["content"].([]any) {
			switch b := b.(map[string]any); {
			case b["type"] == "text":
				parts = append(parts, b["text"].(string))
			case b["type"] == "tool_use":
				parts = append(parts, "tool_use "+b["id"].(string))
			case b["is_error"] == true:
				parts = append(parts, fmt.Sprintf("%v failed: %v", b["tool_use_id"], b["content"]))
			case b["type"] == "tool_result":
				parts = append(parts, fmt.Sprintf("%v: %v", b["tool_use_id"], b["content"]))
			default:
				parts = append(parts, b["type"].(string))
			}
		}
		out = append(out, fmt.Sprintf("%v%v", m["role"], parts))
	}
	return strings.Join(out, " ")
}

func TestTheBeginningOfARequestIsTheSameFromCallToCallAndFromTurnToTurn(t *testing.T) {
	s := anthropictest.New(t, webtest.Reply{Text: "fine", Forever: true})
	m := anthropic.New(config(t, s))
	req := llmtest.Question()
	req.Now = "It is 12:00."
	answered(t, m, req)
	req.Messages = append(req.Messages,
		core.Message{Role: core.RoleAssistant, Calls: []core.Call{{ID: "b", Tool: "calc"}}}, core.Message{Role: core.RoleTool, CallID: "b", Text: "4"})
	answered(t, m, req)
	req.Now = "It is 12:01."
	req.Messages = append(req.Messages, core.Message{Role: core.RoleAssistant, Text: "4."}, core.Message{Role: core.RoleUser, Text: "And 3+3?"})
	answered(t, m, req)
	// beginnings are those of a request that end at a mark
	beginnings := func(raw json.RawMessage) []string {
		const mark = `,"cache_control":{"type":"ephemeral"}`
		var all []string
		parts := strings.Split(string(raw)[strings.Index(string(raw), `"messages"`):], mark)
		for i := range parts {
			all = append(all, strings.Join(parts[:i+1], ""))
		}
		return all
	}
	requests := s.Requests()
	for i := range 2 {
		kept, next := beginnings(requests[i].Raw), beginnings(requests[i+1].Raw)
		if longest := kept[1-i]; len(kept) < 3 || !strings.HasPrefix(next[len(next)-1], longest) || len(longest) < 300 {
			t.Errorf("request %d does not go on where request %d was marked:\n%s\n%s", i+2, i+1, kept, next)
		}
	}
}

func TestToolsStayListedWhenCallsAreForbidden(t *testing.T) {
	s := anthropictest.New(t, webtest.Reply{Text: "fine", Forever: true})
	req := llmtest.Question()
	req.NoCalls = true
	none := req
	none.Tools = nil // the conversation has calls
	for _, req := range []llm.Request{req, none} {
		if _, err := put(t, config(t, s), req); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []int{2, 1} {
		body := s.Requests()[i].Body()
		if tools, _ := body["tools"].([]any); len(tools) != want || body["tool_choice"].(map[string]any)["type"] != "none" {
			t.Errorf("request %v", body)
		}
	}
}

func TestReasoningIsAskedForAsTheOptionsSay(t *testing.T) {
	warm := 1.5
	for _, test := range []struct {
		options web.Options
		want    string
	}{
		{web.Options{}, `{"max_tokens":8192}`},
		{web.Options{Effort: "none", Temperature: &warm}, `{"max_tokens":8192,"temperature":1.5,"thinking":{"type":"disabled"}}`},
		{web.Options{Effort: "high", Temperature: &warm}, `{"max_tokens":8192,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}}`},
		{web.Options{Budget: 10, Temperature: &warm}, `{"max_tokens":8192,"thinking":{"type":"enabled","budget_tokens":1024}}`},
		{web.Options{Budget: 16000, MaxTokens: 500}, `{"max_tokens":17024,"thinking":{"type":"enabled","budget_tokens":16000}}`},
	} {
		s := anthropictest.New(t, webtest.Reply{Text: "fine"})
		cfg := config(t, s)
		cfg.Options = test.options
		if _, err := put(t, cfg, llm.Request{}); err != nil {
			t.Fatal(err)
		}
		got := s.Requests()[0].Body()
		for _, key := range []string{"model", "messages", "stream"} {
			delete(got, key)
		}
		if d := cmp.Diff(plain(t, test.want), any(got)); d != "" {
			t.Errorf("%+v (-want +got):\n%s", test.options, d)
		}
	}
}

// answered is the message that an answer becomes.
func answered(t *testing.T, m llm.Model, req llm.Request) core.Message {
	t.Helper()
	answer := core.Message{Role: core.RoleAssistant}
	for c, err := range m.Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		answer.Text += c.Text
		answer.Thinking += c.Thinking
		answer.Calls = append(answer.Calls, c.Calls...)
		if c.Opaque != nil {
			answer.Opaque = c.Opaque
		}
	}
	return answer
}

func TestSignedReasoningIsSentBackAsItCame(t *testing.T) {
	s := anthropictest.New(t, events(
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm, <2> & "}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"2."}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"Eq+/=="}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"xyz"}}`,
		`{"type":"content_block_start","index":2,"content_block":{"type":"text","text":"Let"}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":" me."}}`,
		`{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"a","name":"calc","input":{}}}`,
		`{"type":"content_block_start","index":4,"content_block":{"type":"thinking","thinking":"","signature":"later"}}`,
		`{"type":"content_block_start","index":5,"content_block":{"type":"tool_use","id":"b","name":"calc","input":{"prompt":"2"}}}`,
		stopped("tool_use"), `{"type":"message_stop"}`,
	), webtest.Reply{Text: "fine"}, webtest.Reply{Text: "fine"})
	cfg := config(t, s)
	cfg.Options.Budget = 2000
	m := anthropic.New(cfg)
	req := llmtest.Question()
	answer := answered(t, m, req)
	next := func(answer core.Message) map[string]any {
		r := req
		r.Messages = append(slices.Clone(req.Messages), answer, core.Message{Role: core.RoleTool, CallID: "a", Text: "0"}, core.Message{Role: core.RoleTool, CallID: "b", Text: "4"})
		answered(t, m, r)
		requests := s.Requests()
		return requests[len(requests)-1].Body()
	}
	const thought = `{"type":"thinking","thinking":"Hm, <2> & 2.","signature":"Eq+/=="},{"type":"redacted_thinking","data":"xyz"}`
	const first, second, later = `{"type":"tool_use","id":"a","name":"calc","input":{}}`, `{"type":"tool_use","id":"b","name":"calc","input":{"prompt":"2"}}`, `{"type":"thinking","thinking":"","signature":"later"}`
	body := next(answer)
	want := plain(t, `[`+thought+`,{"type":"text","text":"Let me."},`+first+`,`+later+`,`+second+`]`)
	if d := cmp.Diff(want, body["messages"].([]any)[5].(map[string]any)["content"]); d != "" || body["thinking"] == nil {
		t.Errorf("thinking %v, message (-want +got):\n%s", body["thinking"], d)
	}
	answer.Text = "Let them."
	want = plain(t, `[`+thought+`,`+later+`,{"type":"text","text":"Let them."},`+first+`,`+second+`]`)
	if d := cmp.Diff(want, next(answer)["messages"].([]any)[5].(map[string]any)["content"]); d != "" {
		t.Errorf("with another text (-want +got):\n%s", d)
	}
}

func TestReasoningIsOffWhereThatBeforeTheCallsIsMissing(t *testing.T) {
	s := anthropictest.New(t, webtest.Reply{Text: "fine", Forever: true})
	cfg := config(t, s)
	cfg.Options.Budget = 2000
	m := anthropic.New(cfg)
	for _, test := range []struct {
		messages int
		opaque   string
		thinking bool
	}{{3, ``, false}, {3, `{"field":"reasoning"}`, false}, {3, `rubbish`, false}, {3, `{"blocks":[{"whole":{"type":"redacted_thinking","data":"x"}}]}`, true}, {5, ``, true}} {
		req := llmtest.Question()
		req.Messages = req.Messages[:test.messages]
		req.Messages[1].Opaque = json.RawMessage(test.opaque)
		answered(t, m, req)
		requests := s.Requests()
		if got := requests[len(requests)-1].Body()["thinking"] != nil; got != test.thinking {
			t.Errorf("%d messages with %s: thinking %v", test.messages, test.opaque, got)
		}
	}
}

func TestASchemaIsKeptInOneWayOrAnother(t *testing.T) {
	const closed = `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}},"required":["z","a"],"additionalProperties":false}`
	const open = `{"type":"object","properties":{"z":{"type":"string"},"data":{"type":"object"}}}`
	text := webtest.Reply{Text: `{"z":"1"}`}
	tool := webtest.Reply{Calls: []core.Call{{Tool: "answer", Args: json.RawMessage(`{"z":"1"}`)}}}
	at := events(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"answer","input":{"z":"1"}}}`, stopped("tool_use"))
	for _, test := range []struct {
		name, schema string
		refuse       []string
		reply        webtest.Reply
		want         string
	}{
		{"as a format", closed, nil, text, `"format":{"schema":` + closed + `,"type":"json_schema"}`},
		{"as a tool where it is open", open, nil, tool, `"tool_choice":{"name":"answer","type":"tool"}`},
		{"as a tool where formats are refused", closed, []string{"output_config"}, tool, `"tool_choice":{"name":"answer","type":"tool"}`},
		{"as a tool that comes at once", open, nil, at, `"input_schema":` + open},
		{"in words where nothing else is taken", closed, []string{"output_config", "tool_choice"}, text, `JSON Schema:\n{\"type\":\"object\"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			reply := test.reply
			reply.Forever = true
			s := anthropictest.New(t, reply)
			s.Refuse(func(body map[string]any) (int, string) {
				for _, key := range test.refuse {
					if v, _ := body[key].(map[string]any); v != nil && v["type"] != "none" {
						return 400, key + ": Extra inputs are not permitted"
					}
				}
				return 0, ""
			})
			cfg := config(t, s)
			if test.refuse == nil {
				cfg.Options.Effort = "high" // which a tool that must be called excludes
			}
			m := anthropic.New(cfg)
			req := llm.Request{System: "Be brief.", Messages: llmtest.Question().Messages, Schema: json.RawMessage(test.schema)}
			for range 2 {
				a, err := llmtest.Read(t, m.Stream(t.Context(), req))
				if err != nil || a.Text != `{"z":"1"}` || a.Done.Reason != llm.ReasonStop {
					t.Errorf("answer %+v, error %v", a, err)
				}
			}
			requests := s.Requests()
			if len(requests) != len(test.refuse)+2 || !strings.Contains(string(requests[len(requests)-1].Raw), test.want) {
				t.Errorf("%d requests, the last: %s", len(requests), requests[len(requests)-1].Raw)
			}
		})
	}
}

// events is a stream of events with that data.
func events(data ...string) webtest.Reply {
	var b strings.Builder
	for _, d := range data {
		b.WriteString("event: x\ndata: " + d + "\n\n")
	}
	return webtest.Reply{Raw: b.String(), End: webtest.EndQuiet}
}

func stopped(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `"},"usage":{"input_tokens":20,"cache_read_input_tokens":100,"cache_creation_input_tokens":3,"output_tokens":4}}`
}

// says is a block with text.
func says(text string) string {
	return `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"` + text + `"}}`
}

func TestUsageTellsWhatWasCached(t *testing.T) {
	a, err := put(t, config(t, anthropictest.New(t, events(
		`{"type":"message_start","message":{"usage":{"input_tokens":20,"cache_read_input_tokens":100,"output_tokens":1}}}`, says("Yes."), stopped("end_turn")))), llm.Request{})
	if want := (core.Usage{Prompt: 123, Cached: 100, Completion: 4}); err != nil || a.Done.Usage != want {
		t.Errorf("usage %+v, error %v", a.Done.Usage, err)
	}
}

func TestHowAnAnswerEndsIsUnderstood(t *testing.T) {
	half := `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"calc","input":{}}}`
	for _, test := range []struct {
		name   string
		reply  webtest.Reply
		reason llm.Reason
	}{
		{"cut off", events(says("Yes."), stopped("max_tokens")), llm.ReasonLength},
		{"full", events(says("Yes."), stopped("model_context_window_exceeded")), llm.ReasonLength},
		{"cut off in a call", events(says("Yes."), half, `{"type":"content_block_delta","index":1,"delta":{"partial_json":"{\"a\""}}`, stopped("max_tokens")), llm.ReasonLength},
		{"paused", events(says("Yes."), stopped("pause_turn")), llm.ReasonStop},
		{"without a reason", events(says("Yes."), `{"type":"message_stop"}`), llm.ReasonStop},
		{"two ends", events(says("Yes."), stopped("end_turn"), says("No."), `{"type":"content_block_delta","index":0,"delta":{"text":"No."}}`, stopped("max_tokens"), `{"type":"message_stop"}`), llm.ReasonStop},
		{"a fault after the end", events(says("Yes."), stopped("end_turn"), `{"type":"error","error":{"type":"api_error","message":"late"}}`), llm.ReasonStop},
		{"events of another time", events(`{"type":"new","x":1}`, says("Yes."), `{"type":"content_block_delta","index":9,"delta":{"text":"No."}}`, stopped("end_turn")), llm.ReasonStop},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, err := put(t, config(t, anthropictest.New(t, test.reply)), llmtest.Question())
			if err != nil || a.Text != "Yes." || a.Done.Reason != test.reason || len(a.Calls) > 0 {
				t.Errorf("answer %+v, error %v", a, err)
			}
		})
	}
}

func TestFailuresAreToldInWords(t *testing.T) {
	status := func(code int, kind, text string) webtest.Reply {
		return webtest.Reply{Status: code, Raw: `{"type":"error","error":{"type":"` + kind + `","message":"` + text + `"}}`}
	}
	for _, test := range []struct {
		name    string
		reply   webtest.Reply
		code    core.Code
		message string
		hint    string
	}{
		{"no such model", status(404, "not_found_error", "model: claude-x"), core.CodeNoModel, "anthropic has no model scripted-1", "/model"},
		{"another place", webtest.Reply{Status: 404, Raw: "nothing"}, core.CodeNoModel, "is not Anthropic's API", "https://api.anthropic.com"},
		{"a long conversation", status(400, "invalid_request_error", "prompt is too long: 208000 tokens > 200000 maximum"), core.CodeContextFull, "longer than scripted-1", "/new"},
		{"a large request", status(413, "request_too_large", "Request exceeds the maximum size"), core.CodeContextFull, "longer", "/new"},
		{"no key", status(401, "authentication_error", "x-api-key header is required"), core.CodeInvalid, "wants a key", "set ANTHROPIC_API_KEY"},
		{"no credit", status(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."), core.CodeRefused, "no credit", "/model"},
		{"too many requests", status(429, "rate_limit_error", "This request would exceed your organization's rate limit"), core.CodeRateLimited, "for now", "again"},
		{"too much to do", status(529, "overloaded_error", "Overloaded"), core.CodeRateLimited, "too much to do", "again"},
		{"too much to do, in the stream", events(says("I"), `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), core.CodeRateLimited, "too much to do", "again"},
		{"a refusal", events(says("I"), stopped("refusal")), core.CodeRefused, "does not let scripted-1 answer", "other words"},
		{"no end", events(says("I am")), core.CodeUnreachable, "connection to anthropic was lost", "/model"},
		{"a page", webtest.Reply{Raw: "<html>\n", End: webtest.EndQuiet}, core.CodeUnreachable, "does not speak like Anthropic's API", "address"},
		{"a block that is none", events(`{"type":"content_block_start"}`), core.CodeUnreachable, "does not speak like", "address"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := put(t, config(t, anthropictest.New(t, test.reply)), llmtest.Question())
			var e *core.Error
			if !errors.As(err, &e) || e.Code != test.code {
				t.Fatalf("error %v with code %q, want %q", err, core.CodeOf(err), test.code)
			}
			if !strings.Contains(e.Message, test.message) || !strings.Contains(e.Hint, test.hint) || len(e.Error()) > 1000 {
				t.Errorf("message %q, hint %q; want %q, %q", e.Message, e.Hint, test.message, test.hint)
			}
		})
	}
}

func TestAServerThatStallsAfterTheEndHasAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		body := events(says("Yes."), stopped("end_turn"), `{"type":"ping"}`).Raw
		cfg := anthropic.Config{Name: "anthropic", Model: "m", Options: web.Options{MaxTokens: 1}, HTTP: &http.Client{Transport: webtest.Stalling(body)}}
		if _, err := put(t, cfg, llmtest.Question()); err != nil || time.Since(start) != 5*time.Second {
			t.Errorf("after %v error %v", time.Since(start), err)
		}
	})
}

func TestAServerThatDoesNotTellHowLongAnAnswerMayBeIsAskedAllTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		cfg := anthropic.Config{Name: "anthropic", Model: "m", HTTP: &http.Client{Transport: webtest.Stalling("")}, IdleTimeout: time.Minute}
		if _, err := put(t, cfg, llmtest.Question()); core.CodeOf(err) != core.CodeTimedOut || time.Since(start) != time.Minute {
			t.Errorf("after %v error %v", time.Since(start), err)
		}
	})
}

func TestModelsAreListedWithWhatTheyRead(t *testing.T) {
	s := anthropictest.New(t)
	s.SetModels(`{"data":[{"type":"model","id":"claude-b","max_input_tokens":200000,"max_tokens":64000},{"id":"claude-a"},{"id":""}],"has_more":false}`)
	got, err := anthropic.Models(t.Context(), config(t, s))
	want := []llm.Info{{Name: "claude-b", Tools: true, Sees: true, Context: 200000}, {Name: "claude-a", Tools: true, Sees: true}}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Errorf("error %v, models (-want +got):\n%s", err, d)
	}
}

// canned answers every request with the same body.
type canned string

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(c)))}, nil
}

func FuzzEveryStreamEndsInOrder(f *testing.F) {
	f.Add(events(says("Hi"), stopped("end_turn"), `{"type":"message_stop"}`).Raw)
	f.Add(events(`{"type":"content_block_start","content_block":{"type":"tool_use","name":"calc","input":{}}}`, `{"type":"content_block_delta","delta":{"partial_json":"{"}}`, stopped("max_tokens")).Raw)
	f.Add(events(`{"type":"content_block_start","index":-1,"content_block":{"type":"thinking","thinking":"\ud800"}}`, `{"type":"error","error":{"type":7}}`).Raw)
	f.Fuzz(func(t *testing.T, body string) {
		a, err := put(t, anthropic.Config{Name: "anthropic", Model: "m", Options: web.Options{MaxTokens: 1}, HTTP: &http.Client{Transport: canned(body)}}, llmtest.Question())
		if err == nil && a.Text == "" && len(a.Calls) == 0 && a.Done.Reason != llm.ReasonLength {
			t.Errorf("an answer with nothing in it: %q", body)
		}
	})
}
