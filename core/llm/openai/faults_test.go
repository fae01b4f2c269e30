package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/llm/openai"
	"github.com/yaap-chat/yaap/core/llm/openai/openaitest"
	"github.com/yaap-chat/yaap/core/llm/web"
	"github.com/yaap-chat/yaap/core/llm/web/webtest"
	"github.com/yaap-chat/yaap/core/wire"
)

func manyCalls(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"id":"c%d","function":{"name":"calc","arguments":"{}"}}`, i))
	}
	return strings.Join(list, ",")
}

func TestFailuresAreToldInWords(t *testing.T) {
	status := func(code int, body string) webtest.Reply { return webtest.Reply{Status: code, Raw: body} }
	call := func(fields string) webtest.Reply {
		return events(delta(`"tool_calls":[`+fields+`]`), finish("tool_calls"))
	}
	for _, test := range []struct {
		name    string
		reply   webtest.Reply
		code    core.Code
		message string
		hint    string
	}{
		{"no such model", status(404, `{"error":{"message":"The model x does not exist","code":"model_not_found"}}`), core.CodeNoModel, "acme has no model scripted-1", "/model"},
		{"no such model, at vLLM", status(404, `{"object":"error","message":"The model x does not exist.","type":"NotFoundError","code":404}`), core.CodeNoModel, "has no model", "/model"},
		{"no such model, at OpenRouter", status(400, `{"error":{"message":"x is not a valid model ID","code":400}}`), core.CodeNoModel, "has no model", "/model"},
		{"another place", status(404, `{"detail":"Not Found"}`), core.CodeNoModel, "is not an OpenAI-compatible server", "/v1"},
		{"a page that is not there", status(404, `<html>Not Found</html>`), core.CodeNoModel, "is not an OpenAI-compatible server", "/v1"},
		{"no tools", status(400, `{"message":"\"auto\" tool choice requires --enable-auto-tool-choice"}`), core.CodeNoModel, "cannot call tools", "tool calling"},
		{"no tools at OpenRouter", status(404, `{"error":{"message":"No endpoints found that support tool use"}}`), core.CodeNoModel, "cannot call tools", "/model"},
		{"a call that cannot be read", status(400, `{"error":{"message":"Failed to call a function. Please adjust your prompt.","code":"tool_use_failed"}}`), core.CodeModelBehavior, "cannot be read", "other words"},
		{"a long conversation", status(400, `{"error":{"message":"Too many.","code":"context_length_exceeded"}}`), core.CodeContextFull, "longer than scripted-1", "/new"},
		{"a long conversation, at llama.cpp", status(400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`), core.CodeContextFull, "longer", "/new"},
		{"no key", status(401, `{"error":{"message":"You didn't provide an API key."}}`), core.CodeInvalid, "acme wants a key", "set ACME_API_KEY"},
		{"no permission", status(403, `{"error":{"message":"Country not supported"}}`), core.CodeRefused, "does not let you use scripted-1", "check ACME_API_KEY"},
		{"no credit", status(402, `{"error":{"message":"Insufficient credits"}}`), core.CodeRefused, "no credit", "/model"},
		{"no quota", status(429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota"}}`), core.CodeRefused, "no credit", "/model"},
		{"too many requests", status(429, `{"error":{"message":"Rate limit reached"}}`), core.CodeRateLimited, "ask no more for now", "again"},
		{"too much to do", status(503, `{"error":{"code":503,"message":"Loading model"}}`), core.CodeRateLimited, "too much to do", "again"},
		{"a fault", status(500, `{"error":"boom"}`), core.CodeUnreachable, "failed while it ran scripted-1", "again"},
		{"a gateway's page", status(502, "<html>Bad Gateway</html>"), core.CodeUnreachable, "failed", "again"},
		{"a list of faults", status(400, `[{"error":{"code":400,"message":"Please pass a valid API key. API key not valid."}}]`), core.CodeInvalid, "wants a key", "ACME_API_KEY"},
		{"a bad question", status(400, `{"error":{"message":"Unsupported value: 'temperature'"}}`), core.CodeInvalid, "refused what scripted-1", "/model"},
		{"a move", webtest.Reply{Status: 300, Header: http.Header{"Location": {"https://me:pass@else.example"}}}, core.CodeUnreachable, "moved to https://…@else.example", "address"},
		{"a fault in the stream", events(delta(`"content":"I"`), `{"error":{"message":"Provider disconnected","code":502},"choices":[{"delta":{},"finish_reason":"error"}]}`), core.CodeUnreachable, "failed while it ran", "again"},
		{"a limit in the stream", events(`{"error":{"message":"Slow down","code":429}}`), core.CodeRateLimited, "for now", "again"},
		{"a fault as an answer", webtest.Reply{Raw: `{"error":{"message":"overloaded"}}`, End: webtest.EndQuiet}, core.CodeRateLimited, "too much", "again"},
		{"an error for a reason", events(finish("error")), core.CodeUnreachable, "failed", "again"},
		{"a filter", events(delta(`"content":"I"`), finish("content_filter")), core.CodeRefused, "does not let scripted-1 answer", "other words"},
		{"no end", events(delta(`"content":"I am"`)), core.CodeUnreachable, "connection to acme was lost", "/model"},
		{"no answer", webtest.Reply{End: webtest.EndQuiet}, core.CodeUnreachable, "connection to acme was lost", "/model"},
		{"connection lost", webtest.Reply{Text: "I am", End: webtest.EndCut}, core.CodeUnreachable, "connection to acme was lost", "/model"},
		{"connection lost in an event", webtest.Reply{Raw: `data: {"choices":[{"del`, End: webtest.EndCut}, core.CodeUnreachable, "connection to acme was lost", "/model"},
		{"connection lost at once", webtest.Reply{End: webtest.EndCut}, core.CodeUnreachable, "acme", "/model"},
		{"half an answer that is no stream", webtest.Reply{Raw: `{"choices":[{"message"`, End: webtest.EndQuiet}, core.CodeUnreachable, "connection to acme was lost", "/model"},
		{"a page", webtest.Reply{Raw: "<!doctype html>\n<html>Welcome</html>\n", Header: http.Header{"Content-Type": {"text/html"}}, End: webtest.EndQuiet}, core.CodeUnreachable, "does not speak like an OpenAI-compatible server", "/v1"},
		{"rubbish", events("rubbish"), core.CodeUnreachable, "does not speak like", "/v1"},
		{"numbers for words", events(`{"choices":[{"delta":{"tool_calls":[{"id":7}]}}]}`), core.CodeUnreachable, "does not speak like", "/v1"},
		{"a line of 5 MB", webtest.Reply{Raw: strings.Repeat("x", 5<<20), End: webtest.EndHang}, core.CodeModelBehavior, "no end", "/model"},
		{"a line of 5 MB in a stream", webtest.Reply{Raw: "data: " + strings.Repeat("x", 5<<20), End: webtest.EndHang}, core.CodeModelBehavior, "no end", "/model"},
		{"arguments that are an array", call(`{"function":{"name":"weather","arguments":"[1]"}}`), core.CodeModelBehavior, `"weather"`, ""},
		{"arguments that are half an object", call(`{"function":{"name":"weather","arguments":"{\"a\":"}}`), core.CodeModelBehavior, `"weather"`, ""},
		{"a call of nobody", call(`{"function":{"arguments":"{}"}}`), core.CodeModelBehavior, `""`, ""},
		{"too many calls", call(manyCalls(65)), core.CodeModelBehavior, "more than 64 calls", ""},
		{"nothing", webtest.Reply{Text: " \n"}, core.CodeModelBehavior, "there are: weather, calc", ""},
		{"nothing but thoughts", webtest.Reply{Thinking: "Hm."}, core.CodeModelBehavior, "there are: weather, calc", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := config(t, openaitest.New(t, test.reply))
			cfg.KeyName = "ACME_API_KEY"
			_, err := ask(t, cfg)
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

// serve answers every request with f until the test ends.
func serve(t *testing.T, f http.HandlerFunc) openai.Config {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return openai.Config{Name: "acme", BaseURL: s.URL, Model: "m", HTTP: &http.Client{Transport: transport}}
}

func TestAnAnswerWithoutEndIsLeftAfterAFewMegabytes(t *testing.T) {
	for name, piece := range map[string]string{
		"bytes":     strings.Repeat("x", 1<<16),
		"words":     "data: " + delta(`"content":"`+strings.Repeat("na ", 10000)+`"`) + "\n\n",
		"comments":  ": " + strings.Repeat("x", 1<<10) + "\n",
		"reasoning": "data: " + delta(`"reasoning_details":[{"type":"reasoning.text","index":0,"text":"`+strings.Repeat("na ", 10000)+`"}]`) + "\n\n",
		"pieces":    "data: " + delta(`"tool_calls":[{"index":0,"function":{"name":"calc","arguments":"`+strings.Repeat("{},", 10000)+`"}}]`) + "\n\n",
		"an object": strings.Repeat("{", 1000) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			sent := make(chan int, 1)
			cfg := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				n := 0
				for block := strings.Repeat(piece, 1+(1<<16)/len(piece)); n < 1<<30; n += len(block) {
					if _, err := io.WriteString(w, block); err != nil {
						break
					}
				}
				sent <- n
			})
			_, err := ask(t, cfg)
			if code := core.CodeOf(err); code != core.CodeModelBehavior && code != core.CodeUnreachable {
				t.Errorf("error %v", err)
			}
			if n := <-sent; n > 64<<20 {
				t.Errorf("%d bytes were read", n)
			}
		})
	}
}

// stalling is the model of a server that says that and then nothing.
func stalling(body string) openai.Config {
	return openai.Config{Name: "acme", BaseURL: "https://acme", Model: "scripted-1", HTTP: &http.Client{Transport: webtest.Stalling(body)}}
}

func TestAServerThatSaysNothingIsGivenUp(t *testing.T) {
	for name, body := range map[string]string{
		"before the headers": "",
		"after the headers":  "\n",
		"within an event":    `data: {"choices":[{"del`,
		"within the answer":  events(delta(`"content":"Well"`)).Raw,
		"within a call":      events(delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"calc","arguments":"{"}}]`)).Raw,
		"within its thought": events(delta(`"reasoning":"Hm"`)).Raw,
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			_, err := ask(t, stalling(body))
			if core.CodeOf(err) != core.CodeTimedOut || !strings.Contains(err.Error(), "scripted-1 has said nothing for 5m0s") || time.Since(start) != 5*time.Minute {
				t.Errorf("%s: after %v error %v", name, time.Since(start), err)
			}
		})
	}
}

func TestAServerThatStallsAfterTheEndHasAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		a, err := ask(t, stalling(events(delta(`"content":"Yes."`), `{"choices":[{"delta":{},"finish_reason":"stop"}]}`).Raw+": ping\n"))
		if err != nil || a.Text != "Yes." || !a.Done.Usage.Estimated || time.Since(start) != 5*time.Second {
			t.Errorf("after %v answer %+v, error %v", time.Since(start), a, err)
		}
	})
}

func TestAModelIsLetGoOfAtOnceWhereverItStalls(t *testing.T) {
	for _, body := range []string{"", "\n", events(delta(`"content":"Well"`)).Raw} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			start := time.Now()
			_, err := llmtest.Read(t, openai.New(stalling(body)).Stream(ctx, llmtest.Question()))
			if core.CodeOf(err) != core.CodeCancelled || time.Since(start) != time.Second {
				t.Errorf("after %v error %v", time.Since(start), err)
			}
		})
	}
}

func TestABusyServerIsAskedAgainWhenItSays(t *testing.T) {
	for _, test := range []struct {
		header http.Header
		want   time.Duration
	}{
		{http.Header{"Retry-After": {"7"}}, 7 * time.Second},
		{http.Header{"Retry-After": {"1.5"}}, 1500 * time.Millisecond},
		{http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"1"}}, 250 * time.Millisecond},
		{http.Header{"Retry-After": {"Wed, 21 Oct 2026 07:28:09 GMT"}, "Date": {"Wed, 21 Oct 2026 07:28:00 GMT"}}, 9 * time.Second},
	} {
		_, err := ask(t, config(t, openaitest.New(t, webtest.Reply{Status: 429, Header: test.header, Raw: `{"error":"busy"}`})))
		if d, again := (llm.Backoff{}).Next(1, err); d != test.want || !again {
			t.Errorf("%v: next try %v after %v, error %v", test.header, again, d, err)
		}
	}
	_, err := ask(t, config(t, openaitest.New(t, webtest.Reply{Status: 429, Header: http.Header{"Retry-After": {"3600"}}, Raw: `{"error":"busy"}`})))
	if _, again := (llm.Backoff{}).Next(1, err); again || core.CodeOf(err) != core.CodeRateLimited {
		t.Errorf("an hour is waited, error %v", err)
	}
}

func TestTheKeyIsAskedForEveryTimeAndNeverTold(t *testing.T) {
	const key = "sk-proj-abcdefghijklmnop"
	s := openaitest.New(t, webtest.Reply{Text: "fine", Forever: true})
	s.SetKey(key)
	tap := new(wire.Tap)
	defer tap.Capture()()
	cfg := config(t, s)
	cfg.HTTP, cfg.KeyName = openai.NewHTTP(tap, "acme"), "ACME_API_KEY"
	defer cfg.HTTP.CloseIdleConnections()
	given := ""
	cfg.Key = func(context.Context) (string, error) { return given, nil }
	m := openai.New(cfg)
	var told []string
	for _, given = range []string{"", "sk-wrong-0123456789", key} {
		_, err := llmtest.Read(t, m.Stream(t.Context(), llmtest.Question()))
		if (err == nil) != (given == key) {
			t.Errorf("with key %q: error %v", given, err)
		}
		if err != nil {
			told = append(told, err.Error()+" "+core.HintOf(err))
		}
	}
	for _, f := range tap.Since(0) {
		told = append(told, string(f.Text))
	}
	if text := strings.Join(told, "\n"); strings.Contains(text, key) || strings.Contains(told[1], "wrong") || !strings.Contains(told[1], "does not accept the key") || !strings.Contains(told[1], "check ACME_API_KEY") {
		t.Errorf("told is %s", text)
	}
}

func TestAKeyThatCannotBeHadOrIsNoneIsNotSent(t *testing.T) {
	for name, key := range map[string]func(context.Context) (string, error){
		"fails": func(context.Context) (string, error) { return "", errors.New("exit status 1") },
		"lines": func(context.Context) (string, error) { return "sk-1\nX-Evil: yes", nil },
		"words": func(context.Context) (string, error) { return "no key found", nil },
	} {
		s := openaitest.New(t)
		cfg := config(t, s)
		cfg.Key, cfg.KeyName = key, "ACME_API_KEY"
		if _, err := ask(t, cfg); core.CodeOf(err) != core.CodeRefused || !strings.Contains(core.HintOf(err), "ACME_API_KEY") || strings.Contains(err.Error(), "sk-1") || len(s.Requests()) > 0 {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// carrier notes where requests go, and answers none.
type carrier struct{ hosts []string }

func (c *carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	c.hosts = append(c.hosts, r.URL.Host)
	return nil, errors.New("no way")
}

func TestNothingGoesUnencryptedToAnotherMachineUnlessItMay(t *testing.T) {
	for _, test := range []struct {
		url     string
		allowed bool
		sent    bool
	}{
		{"https://gpu.example/v1", false, true},
		{"http://127.0.0.1:8080/v1", false, true},
		{"http://[::1]:8080/v1", false, true},
		{"http://localhost/v1", false, true},
		{"http://gpu.example/v1", false, false},
		{"http://192.168.1.7/v1", false, false},
		{"http://localhost.example/v1", false, false},
		{"http://gpu.example/v1", true, true},
	} {
		for _, cfg := range []openai.Config{
			{Key: func(context.Context) (string, error) { return "sk-1", nil }},
			{Options: web.Options{Header: map[string]string{"X-Token": "t"}}},
			{}, // what is said is nobody's either
		} {
			c := new(carrier)
			cfg.Name, cfg.BaseURL, cfg.Model, cfg.HTTP = "acme", test.url, "m", &http.Client{Transport: c}
			cfg.AllowPlainHTTP = func(context.Context) bool { return test.allowed }
			_, err := ask(t, cfg)
			if sent := len(c.hosts) > 0; sent != test.sent || !sent && (core.CodeOf(err) != core.CodeRefused || !strings.Contains(core.HintOf(err), "insecure")) {
				t.Errorf("%s: sent %v, error %v", test.url, sent, err)
			}
		}
	}
}

func TestAKeyDoesNotFollowAServerThatMoves(t *testing.T) {
	reached := false
	other := serve(t, func(http.ResponseWriter, *http.Request) { reached = true })
	cfg := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.BaseURL, http.StatusTemporaryRedirect)
	})
	cfg.Key = func(context.Context) (string, error) { return "sk-1", nil }
	if _, err := ask(t, cfg); reached || !strings.Contains(err.Error(), "moved to "+other.BaseURL) {
		t.Errorf("reached %v, error %v", reached, err)
	}
}

func TestAnAddressThatIsNoneIsRefusedWithoutItsPassword(t *testing.T) {
	for _, url := range []string{"", "gpu", "http://bad host", "https://me:secret@gpu/v1", "https://gpu/v1?key=x", "http://me:secret@bad host"} {
		_, err := ask(t, openai.Config{Name: "acme", BaseURL: url, Model: "m"})
		if core.CodeOf(err) != core.CodeInvalid || !strings.Contains(core.HintOf(err), "address") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: error %v", url, err)
		}
	}
}

func TestAServerThatIsDownIsNamed(t *testing.T) {
	_, err := ask(t, openai.Config{Name: "acme", BaseURL: "http://127.0.0.1:1/v1", Model: "m"})
	if core.CodeOf(err) != core.CodeUnreachable || !strings.Contains(err.Error(), "acme does not answer at http://127.0.0.1:1/v1") || core.HintOf(err) == "" {
		t.Errorf("error %v", err)
	}
}

func TestWhatAServerWantsBackItGetsBack(t *testing.T) {
	call := `"tool_calls":[{"index":0,"id":"a","extra_content":{"google":{"thought_signature":"sig=="}},"function":{"name":"calc","arguments":"{}"}},{"index":1,"id":"b","function":{"name":"calc","arguments":"{\"prompt\":\"2\"}"}}]`
	s := openaitest.New(t, events(
		delta(`"reasoning":"Let ","reasoning_details":[{"type":"reasoning.text","text":"Let ","index":0,"signature":null}]`),
		delta(`"reasoning":"me.","reasoning_details":[{"type":"reasoning.text","text":"me.","index":0,"signature":"abc"}]`),
		delta(`"reasoning_details":[{"type":"reasoning.encrypted","data":"x1","index":1},{"type":"reasoning.encrypted","data":"x2","index":1}]`),
		delta(call), finish("tool_calls")), webtest.Reply{Text: "fine"})
	m := openai.New(config(t, s))
	req := llmtest.Question()
	answer := core.Message{Role: core.RoleAssistant}
	for c, err := range m.Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		answer.Thinking += c.Thinking
		answer.Calls = append(answer.Calls, c.Calls...)
		if c.Opaque != nil {
			answer.Opaque = c.Opaque
		}
	}
	req.Messages = append(req.Messages, answer, core.Message{Role: core.RoleTool, CallID: "b", Text: "4"}, core.Message{Role: core.RoleTool, CallID: "a", Text: "0"})
	if _, err := llmtest.Read(t, m.Stream(t.Context(), req)); err != nil {
		t.Fatal(err)
	}
	const want = `{"role":"assistant","content":"","reasoning":"Let me.",
	  "reasoning_details":[{"type":"reasoning.text","text":"Let me.","index":0,"signature":"abc"},
	    {"type":"reasoning.encrypted","data":"x1","index":1},{"type":"reasoning.encrypted","data":"x2","index":1}],
	  "tool_calls":[{"id":"a","type":"function","function":{"name":"calc","arguments":"{}"},"extra_content":{"google":{"thought_signature":"sig=="}}},
	    {"id":"b","type":"function","function":{"name":"calc","arguments":"{\"prompt\":\"2\"}"}}]}`
	if d := cmp.Diff(plain(t, []byte(want)), s.Requests()[1].Body()["messages"].([]any)[6]); d != "" {
		t.Errorf("message (-want +got):\n%s", d)
	}
}

func TestCallsAndResultsThatDoNotBelongTogetherAreMadeTo(t *testing.T) {
	s := openaitest.New(t, webtest.Reply{Text: "fine"})
	req := llm.Request{Messages: []core.Message{
		{Role: core.RoleTool, Name: "calc", CallID: "lost", Text: "7"},
		{Role: core.RoleAssistant, Calls: []core.Call{{ID: "a", Tool: "calc"}, {ID: "b", Tool: "calc", Args: json.RawMessage(`rubbish`)}}},
		{Role: core.RoleTool, Name: "calc", CallID: "b", Text: "4"},
		{Role: core.RoleTool, Name: "calc", CallID: "c", Text: "5"},
		{Role: core.RoleUser, Text: "Well?"},
	}}
	if _, err := llmtest.Read(t, openai.New(config(t, s)).Stream(t.Context(), req)); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range s.Requests()[0].Body()["messages"].([]any) {
		m := m.(map[string]any)
		got = append(got, m["role"].(string)+": "+m["content"].(string))
	}
	if d := cmp.Diff([]string{"user: [calc] 7", "assistant: ", "tool: There is no answer.", "tool: 4", "user: [calc] 5", "user: Well?"}, got); d != "" {
		t.Errorf("messages (-want +got):\n%s", d)
	}
}

func TestModelsListsWhatCanChat(t *testing.T) {
	s := openaitest.New(t)
	s.SetModels(`{"object":"list","data":[
	  {"id":"text-embedding-3-small"},{"id":"whisper-1"},{"id":"gpt-z"},{"id":""},
	  {"id":"router","context_length":200000,"architecture":{"input_modalities":["text","image"]},"supported_parameters":["tools"]},{"id":"deaf","supported_parameters":["stop"]},
	  {"id":"vllm","max_model_len":8192},{"id":"groq","context_window":131072},{"id":"llama","meta":{"n_ctx_train":4096}},
	  {"id":"mistral","max_context_length":32768,"capabilities":{"completion_chat":true,"function_calling":false,"vision":true}},
	  {"id":"models/gem"},{"id":"ocr","capabilities":{"completion_chat":false}},{"id":"studio","type":"vlm","capabilities":["tool_use"]}]}`)
	got, err := openai.Models(t.Context(), config(t, s))
	if err != nil {
		t.Fatal(err)
	}
	want := []llm.Info{
		{Name: "deaf"},
		{Name: "gem", Tools: true},
		{Name: "gpt-z", Tools: true},
		{Name: "groq", Tools: true, Context: 131072},
		{Name: "llama", Tools: true, Context: 4096},
		{Name: "mistral", Sees: true, Context: 32768},
		{Name: "router", Tools: true, Sees: true, Context: 200000},
		{Name: "studio", Tools: true, Sees: true},
		{Name: "vllm", Tools: true, Context: 8192},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("models (-want +got):\n%s", d)
	}
}

func TestAServerThatDoesNotTellItsModelsIsUnreachable(t *testing.T) {
	for name, answer := range map[string]string{"page": "<html>", "number": `{"data":7}`, "endless": strings.Repeat(" ", 9<<20)} {
		cfg := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) })
		if got, err := openai.Models(t.Context(), cfg); core.CodeOf(err) != core.CodeUnreachable || core.HintOf(err) == "" {
			t.Errorf("%s: Models = %v, %v", name, got, err)
		}
	}
}

func TestASecretThatAModelStreamsInPiecesIsNotSeenOnTheWire(t *testing.T) {
	s := openaitest.New(t, webtest.Reply{Thinking: "a key", Text: "it is ghp_16C7e42F292c6912E7710c838347Ae178B4a", Pieces: 5})
	tap := new(wire.Tap)
	defer tap.Capture()()
	cfg := config(t, s)
	cfg.HTTP = openai.NewHTTP(tap, "acme")
	defer cfg.HTTP.CloseIdleConnections()
	if _, err := ask(t, cfg); err != nil {
		t.Fatal(err)
	}
	seen := tap.Since(0)
	if len(seen) != 2 || seen[0].Who != "acme" || seen[0].Method != "POST /v1/chat/completions" || seen[1].To != 1 {
		t.Fatalf("seen is %+v", seen)
	}
	if text := string(seen[1].Text); !strings.Contains(text, `it is [secret: github_token]`) || strings.Contains(text, "6912E") || !strings.Contains(text, `"thinking":"a key"`) {
		t.Errorf("the answer is seen as %s", text)
	}
}

// canned answers every request with the same body.
type canned string

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(c)))}, nil
}

func FuzzEveryStreamEndsInOrder(f *testing.F) {
	for _, data := range [][]string{
		{delta(`"content":"Hi"`), finish("stop"), "[DONE]"},
		{delta(`"tool_calls":[{"id":"call_1","function":{"name":"calc","arguments":"{}"}},{}]`), finish("length")},
		{delta(`"reasoning_details":[{"type":1,"text":"\ud800"},{"text":"b"},{"text":7}],"tool_calls":[{"index":-1,"function":{"name":"calc"}}]`), "[DONE]"},
		{`{"error":{"code":7}}`},
		{`{"usage":{"prompt_tokens":-5,"completion_tokens":9}}`, finish("x")},
	} {
		f.Add(events(data...).Raw)
	}
	f.Add(`{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		a, err := ask(t, openai.Config{Name: "acme", BaseURL: "http://acme", Model: "m", HTTP: &http.Client{Transport: canned(body)}})
		if err == nil && a.Text == "" && len(a.Calls) == 0 && a.Done.Reason != llm.ReasonLength {
			t.Errorf("an answer with nothing in it: %q", body)
		}
	})
}
