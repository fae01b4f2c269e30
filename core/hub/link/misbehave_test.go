package link_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

// misbehave is a child that speaks MCP by hand, and badly.
func misbehave(how string, args []string) {
	say := func(text string) { fmt.Println(text) }
	notify := func(method string) { say(`{"jsonrpc":"2.0","method":"` + method + `"}`) }
	switch how {
	case "conform":
		conformOrExit(context.Background(), args[0])
	case "closes-output": // and lives on
		scripted(func(method string, _ json.RawMessage) (any, bool) {
			return tools(`{"type":"object"}`), method != "tools/list"
		})
		_ = os.Stdout.Close()
		waitForever("")
	case "closes-input": // and lives on
		scripted(func(method string, _ json.RawMessage) (any, bool) {
			return tools(`{"type":"object"}`), method != "tools/list"
		})
		_ = os.Stdin.Close()
		waitForever("")
	case "farewell": // many changes, a goodbye with what is given, and a crash at once
		scripted(func(method string, _ json.RawMessage) (any, bool) {
			if method == "tools/call" {
				for range 20 {
					notify("notifications/tools/list_changed")
				}
				say(`{"jsonrpc":"2.0","method":"notifications/yaap/goodbye","params":` + args[0] + `}`)
				os.Exit(1)
			}
			return tools(`{"type":"object"}`), true
		})
	case "sleeper": // idle, until it is killed
		scripted(func(method string, _ json.RawMessage) (any, bool) {
			if method == "tools/list" {
				note(args[0])
			}
			return tools(`{"type":"object"}`), true
		})
	case "shapes": // answers a call with what it is told to
		shapes()
	case "chatty": // logs to standard output at each step, JSON among it
		fmt.Println("✅ ready")
		scripted(func(method string, params json.RawMessage) (any, bool) {
			if method != "tools/call" {
				return tools(`{"type":"object"}`), true
			}
			fmt.Println("\n[INFO] called with\n{\n  \"hours\": [\n    1\n  ]\n}\n" + string(params))
			fmt.Print(strings.Repeat("[INFO] working\n", 200))
			return text("right"), true
		})
	case "flood":
		scripted(func(method string, params json.RawMessage) (any, bool) {
			if method != "tools/call" {
				return tools(`{"type":"object"}`), true
			}
			for i := range 5000 { // of three kinds
				say(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"call-1","progress":%d,"message":"x"}}`, i))
				notify("notifications/tools/list_changed")
				notify("notifications/message")
			}
			return text(string(params)), true
		})
	case "logs": // to standard output, more than a thousand blank lines among it
		fmt.Print(strings.Repeat("\n", 2000), strings.Repeat("[INFO] starting\n", 10))
		scripted(func(method string, params json.RawMessage) (any, bool) {
			if method == "tools/call" {
				return text(string(params)), true
			}
			return tools(`{"type":"object"}`), true
		})
	case "asks": // the room for what it does not give, and answers with what it got
		asks()
	case "tasks": // has a tool that runs as a task
		tasks()
	case "library": // lets things be read
		library()
	case "requests": // asks the room what its question says, and answers with what it got
		requests()
	case "brood": // has descendants of all kinds that nothing polite ends; the first argument marks them
		brood(args[0])
		heronUntilKilled(args)
	case "helped": // has started a helper that went into the background
		descendant(args[0], "marked")
		serve(context.Background(), heron()) // this is a program of its own
	case "brooded":
		descend(args)
	case "together": // answers when five calls are waiting
		var waiting []json.RawMessage
		each(func(id json.RawMessage, method string, _ json.RawMessage) {
			if method != "tools/call" {
				respond(id, tools(`{"type":"object"}`))
				return
			}
			if waiting = append(waiting, id); len(waiting) == 5 {
				for _, id := range waiting {
					respond(id, text("together"))
				}
			}
		})
	default:
		listBadly(how)
	}
}

// listBadly is a child whose list of tools is not as it should be.
func listBadly(how string) {
	switch how {
	case "misshapen": // answers the handshake with a text where an object belongs
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // what is answered before it was asked counts for nothing
		fmt.Println(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":"all","serverInfo":{"name":"x","version":"1"}}}`)
		waitForever("")
	case "later": // speaks MCP of a year to come
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			var m struct {
				ID     json.RawMessage
				Method string
			}
			answer := `"error":{"code":-32601,"message":"unknown"}`
			if json.Unmarshal(in.Bytes(), &m) == nil && m.Method == "initialize" {
				answer = `"result":{"protocolVersion":"2099-01-01","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`
			}
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer)
		}
	case "sloppy": // annotates its tools with what is no boolean
		sloppy()
	case "pages": // a list of tools without end
		n := 0
		scripted(func(method string, _ json.RawMessage) (any, bool) {
			if n++; method == "tools/list" {
				name := fmt.Sprint("t", n)
				return map[string]any{"nextCursor": name, "tools": []any{map[string]any{"name": name, "inputSchema": map[string]any{"type": "object"}}}}, true
			}
			return nil, true
		})
	case "unread": // has one tool that can be read
		scripted(func(string, json.RawMessage) (any, bool) {
			return map[string]any{"tools": json.RawMessage(`[
				{"name":"text","inputSchema":"x"}, {"name":"list","inputSchema":[]}, {"name":"truth","inputSchema":true}, {"name":"null","inputSchema":null},
				{"name":"cased","InputSchema":{"type":"object"}}, {"name":"described","description":5,"inputSchema":{"type":"object"}},
				{"name":5,"inputSchema":{"type":"object"}}, "x", {"inputSchema":{"type":"object"}},
				{"name":"well","inputSchema":{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}}
			]`)}, true
		})
	case "task": // has a tool that can only be called as a task
		scripted(func(string, json.RawMessage) (any, bool) {
			tool := func(name, support string) any {
				return map[string]any{"name": name, "inputSchema": map[string]any{"type": "object"}, "execution": map[string]any{"taskSupport": support}}
			}
			return map[string]any{"tools": []any{tool("must", "required"), tool("may", "optional")}}, true
		})
	}
}

// note adds the id of this process to the file at path.
func note(path string) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		os.Exit(1)
	}
	if _, err := fmt.Fprintln(f, os.Getpid()); err != nil || f.Close() != nil {
		os.Exit(1)
	}
}

func text(s string) any {
	return map[string]any{"content": []any{map[string]any{"type": "text", "text": s}}}
}

// each hands on every request but the handshake, and what the room answers.
func each(handle func(id json.RawMessage, method string, params json.RawMessage), answered ...func(json.RawMessage)) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
			Result json.RawMessage `json:"result"`
			Error  struct{ Message string }
		}
		switch {
		case json.Unmarshal(lines.Bytes(), &m) != nil || len(m.ID) == 0:
		case m.Method == "":
			for _, hear := range answered {
				if m.Result == nil {
					m.Result = json.RawMessage(m.Error.Message)
				}
				hear(m.Result)
			}
		case m.Method == "initialize":
			respond(m.ID, hello("echo"))
		default:
			handle(m.ID, m.Method, m.Params)
		}
	}
}

func shapes() {
	each(func(id json.RawMessage, method string, params json.RawMessage) {
		if method != "tools/call" {
			respond(id, tools(`{"type":"object"}`))
			return
		}
		var call struct{ Arguments struct{ Prompt string } }
		if json.Unmarshal(params, &call) != nil {
			os.Exit(2)
		}
		line := strings.ReplaceAll(call.Arguments.Prompt, "ID", string(id))
		line = strings.ReplaceAll(line, "DEEP", strings.Repeat("[", 100_000))
		line = strings.ReplaceAll(line, "LONG", strings.Repeat("x", 20<<20))
		line = strings.ReplaceAll(line, "BYTE", "caf\xe9")
		line = strings.ReplaceAll(line, "HUGE", strings.Repeat("x", 1<<20+1))
		fmt.Println(line)
	})
}

func asks() {
	var call json.RawMessage
	var heard []string
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Error  *struct{ Code int }
		}
		if json.Unmarshal(lines.Bytes(), &m) != nil || len(m.ID) == 0 {
			continue
		}
		switch m.Method {
		case "initialize":
			respond(m.ID, map[string]any{
				"protocolVersion": "2025-11-25", "capabilities": map[string]any{"tools": map[string]any{}},
				"serverInfo": map[string]any{"name": "echo", "version": "1"}, "instructions": "Echoes.",
			})
		case "tools/list":
			respond(m.ID, tools(`{"type":"object"}`))
		case "tools/call":
			call = m.ID
			for i, method := range []string{"sampling/createMessage", "roots/list", "elicitation/create", "no/such", "ping"} {
				fmt.Printf(`{"jsonrpc":"2.0","id":"q%d","method":"%s","params":{}}`+"\n", i, method)
			}
		default:
			if heard = append(heard, fmt.Sprint(string(m.ID), " refused=", m.Error != nil)); len(heard) == 5 {
				respond(call, text(strings.Join(heard, ",")))
			}
		}
	}
}

func TestAChildThatClosesAPipeAndLivesOnIsGone(t *testing.T) {
	for how, says := range map[string]string{
		"closes-output": "it closed its standard output", "closes-input": "it closed its standard input",
	} {
		t.Run(how, func(t *testing.T) {
			r := with(t, "echo", how)
			if left := r.left("echo"); left.Reason != core.LeftExited || left.Detail != says {
				t.Errorf("got %+v", left)
			}
		})
	}
}

func TestAnIdleChildThatIsKilledIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pid")
	r := with(t, "echo", "sleeper", path)
	pid := readPIDs(t, path, 1)[0]
	must.Do(t, must.Get(os.FindProcess(pid))(t).Kill())
	if left := r.left("echo"); left.Reason != core.LeftExited || left.Detail != "killed by signal 9 (killed)" {
		t.Errorf("got %+v", left)
	}
}

func TestAGoodbyeCountsWhateverComesWithIt(t *testing.T) {
	for params, detail := range map[string]string{`{"reason":"off \u001b[31mhome"}`: "off home", `{}`: ""} {
		r := with(t, "echo", "farewell", params)
		if got := r.call(t.Context(), "echo", "hi"); got.Code != core.ToolCodeExpertLeft {
			t.Errorf("got %+v", got)
		}
		if left := r.left("echo"); left.Reason != core.LeftGoodbye || left.Detail != detail {
			t.Errorf("got %+v, want %q", left, detail)
		}
		r.state("echo", core.ExpertGone)
	}
}

func TestAnAnswerOfAnyShapeIsAResult(t *testing.T) {
	r := with(t, "echo", "shapes")
	result := func(s string) string { return `{"jsonrpc":"2.0","id":ID,"result":` + s + `}` }
	right := result(`{"content":[{"type":"text","text":"right"}]}`)
	for _, c := range []struct {
		name, answer string
		code         core.ToolCode
		says         string
	}{
		{"right", right, "", "right"},
		{"a null", result(`null`), core.ToolCodeMalformedResponse, "content is missing"},
		{"a string", result(`"x"`), core.ToolCodeMalformedResponse, "its answer cannot be read: it is a text, not an object"},
		{"a list", result(`[]`), core.ToolCodeMalformedResponse, "it is a list, not an object"},
		{"no content", result(`{}`), core.ToolCodeMalformedResponse, "content is missing"},
		{"content that is no list", result(`{"content":"x"}`), core.ToolCodeMalformedResponse, "content is a text, not a list"},
		{"content that is a list of words", result(`{"content":["x"]}`), core.ToolCodeMalformedResponse, "content[0] is a text, not an object"},
		{"a text that is none", result(`{"content":[{"type":"text","text":5}]}`), core.ToolCodeMalformedResponse, "content[0].text is a number, not a text"},
		{"a text that is missing", result(`{"content":[{"type":"text"}]}`), core.ToolCodeMalformedResponse, "content[0].text is missing"},
		{"a resource that is none", result(`{"content":[{"type":"resource","resource":[]}]}`), core.ToolCodeMalformedResponse, "content[0].resource is a list, not an object"},
		{"a resource", result(`{"content":[{"type":"resource","resource":{"uri":"a:b","text":"fish"}}]}`), "", "fish"},
		{"a program", result(`{"content":[{"type":"resource","resource":{"uri":"a:b","mimeType":"text/x-python; charset=utf-8","text":"if 1:\n  f()\n"}}]}`), "", "```python\nif 1:\n  f()\n```"},
		{"a resource of bytes", result(`{"content":[{"type":"resource","resource":{"uri":"a:b","blob":"AAAA"}}]}`), "", "[a file, 3 bytes]"},
		{"a link", result(`{"content":[{"type":"resource_link","uri":"a:b","name":"fish"}]}`), "", "[fish: a:b]"},
		{"an error that is a word", result(`{"content":[],"isError":"true"}`), core.ToolCodeMalformedResponse, "isError is a text, not true or false"},
		{"an error in capitals", result(`{"content":[{"type":"text","text":"right"}],"ISERROR":true,"iserror":true}`), "", "right"},
		{"an error beside one in small letters", result(`{"content":[],"isError":true,"iserror":false}`), core.ToolCodeExecutionFailed, ""},
		{"content in capitals", result(`{"Content":[{"type":"text","text":"wrong"}]}`), core.ToolCodeMalformedResponse, "content is missing"},
		{"structure in capitals", result(`{"content":[],"StructuredContent":{"a":1}}`), "", ""},
		{"content of an unknown type", result(`{"content":[{"type":"hologram"}]}`), core.ToolCodeMalformedResponse, "hologram"},
		{"no result and no error", `{"jsonrpc":"2.0","id":ID}`, core.ToolCodeMalformedResponse, ""},
		{"empty content", result(`{"content":[]}`), "", ""},
		{"an image", result(`{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}`), "", "[an image, image/png, 3 bytes]"},
		{"structure only", result(`{"content":[],"structuredContent":{"a":1}}`), "", `{"a":1}`},
		{"an error without words", result(`{"content":[],"isError":true}`), core.ToolCodeExecutionFailed, "it failed and did not say why"},
		{"an error with words", result(`{"content":[{"type":"text","text":"no fish"}],"isError":true}`), core.ToolCodeExecutionFailed, "no fish"},
		{"an error of the protocol", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"no fish"}}`, core.ToolCodeExecutionFailed, "no fish"},
		{"an error that an SDK has wrapped", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"MCP error -32603: no fish"}}`, core.ToolCodeExecutionFailed, "no fish"},
		{"an error without a message", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":""}}`, core.ToolCodeExecutionFailed, "internal error"},
		{"an error that is null", `{"jsonrpc":"2.0","id":ID,"error":null,"result":{"content":[{"type":"text","text":"right"}]}}`, "", "right"},
		{"for a call before first", strings.Replace(right, "ID", "1", 1) + "\n" + right, "", "right"},
		{"twice", right + "\n" + right, "", "right"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			got := r.call(ctx, "echo", c.answer)
			if ctx.Err() != nil {
				t.Fatal("there was no answer")
			}
			if strings.Contains(got.Text, "json:") || strings.Contains(got.Text, "error: ") || strings.Contains(got.Text, "32603") || strings.Contains(c.name, "capitals") && got.Data != nil {
				t.Errorf("got %+v", got)
			}
			if got.Code != c.code || !strings.Contains(got.Text, c.says) || got.OK() != (c.code == "") {
				t.Errorf("got %+v", got)
			}
		})
	}
	unreadable(t, r, right)
	huge := r.call(t.Context(), "echo", result(`{"content":[{"type":"text","text":"HUGE"}],"structuredContent":{"a":"HUGE"}}`))
	if !huge.OK() || len(huge.Text) < 1<<20+1 || !strings.HasPrefix(huge.Text, "[its structured data is left out: it has 1.0 MiB") || huge.Data != nil {
		t.Errorf("got a text of %d bytes and %d keys", len(huge.Text), len(huge.Data))
	}
}

// unreadable checks that every line that is no message fails its call at once,
// and that the child lives on.
func unreadable(t *testing.T, r *room, right string) {
	result := func(s string) string { return `{"jsonrpc":"2.0","id":ID,"result":` + s + `}` }
	for name, answer := range map[string]string{
		"NaN":                    "NaN",
		"NaN in the result":      result(`{"content":[],"structuredContent":{"a":NaN}}`),
		"the id after NaN":       `{"jsonrpc":"2.0","result":{"a":NaN},"id":ID}`,
		"100000 levels":          result("DEEP"),
		"nothing but levels":     "DEEP",
		"bytes that are no text": result(`{"content":[{"type":"text","text":"` + "BYTE" + `"}]}`),
		"without an id":          strings.Replace(right, `"id":ID,`, "", 1),
		"for nobody":             strings.Replace(right, "ID", "null", 1),
		"an id of another type":  strings.Replace(right, "ID", `"ID"`, 1),
		"an id that is none":     strings.Replace(right, "ID", `{}`, 1),
		"the id of no call":      strings.Replace(right, "ID", "99999", 1),
		"a version of 2":         strings.Replace(right, `"2.0"`, "2", 1),
		"a batch":                "[" + right + "]",
		"half of it":             right[:30],
		"a number":               "42",
		"a string":               `"fish"`,
		"only a bracket":         "{",
		"prose":                  "Herons eat \x1b[31mfish.",
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			got := r.call(ctx, "echo", answer)
			if got.Code != core.ToolCodeMalformedResponse || !strings.Contains(got.Text, "it begins with") || strings.Contains(got.Text, "\x1b") || len(got.Text) > 300 {
				t.Errorf("got %+v", got)
			}
			if got := r.call(ctx, "echo", right); got.Text != "right" {
				t.Errorf("it did not live on: %+v", got)
			}
		})
	}
}

func TestAnUnreadableAnswerFailsItsOwnCallOnly(t *testing.T) {
	r := with(t, "echo", "shapes")
	var calls sync.WaitGroup
	waiting, stop := context.WithCancel(t.Context())
	calls.Go(func() {
		if got := r.call(waiting, "echo", ""); got.Code == core.ToolCodeMalformedResponse {
			t.Errorf("got %+v", got)
		}
	})
	eventually(t, "the call runs", func() bool { return r.Experts()[0].State == core.ExpertBusy })
	if got := r.call(t.Context(), "echo", `{"jsonrpc":"2.0","id":ID,"result":NaN}`); got.Code != core.ToolCodeMalformedResponse {
		t.Errorf("got %+v", got)
	}
	if r.Experts()[0].State != core.ExpertBusy {
		t.Error("the other call has ended, too")
	}
	stop()
	calls.Wait()
}

func TestALineThatIsTooLongFailsItsCallAndNothingElse(t *testing.T) {
	r := with(t, "echo", "shapes")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 3 {
		got := r.call(t.Context(), "echo", `{"jsonrpc":"2.0","id":ID,"result":"LONG"}`)
		if got.Code != core.ToolCodeTooLarge || !strings.Contains(got.Text, "20.0 MiB in one line, and at most 8 MiB") {
			t.Errorf("got %.300q", got.Text)
		}
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 40<<20 {
		t.Errorf("the heap has grown by %d MiB", grown>>20)
	}
	if got := r.call(t.Context(), "echo", `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"right"}]}}`); got.Text != "right" {
		t.Errorf("it did not live on: %+v", got)
	}
}

func TestAFloodOfNotificationsIsHarmless(t *testing.T) {
	r := with(t, "echo", "flood")
	var mu sync.Mutex
	heard := 0
	got := r.call(t.Context(), "echo", "hi", func(c *core.Call) {
		c.Progress = func(core.ToolProgress) { mu.Lock(); defer mu.Unlock(); heard++ }
	})
	mu.Lock()
	defer mu.Unlock()
	if !got.OK() || heard == 0 || heard > 1000 {
		t.Errorf("got %+v after %d reports", got, heard)
	}
}

func TestAListOfToolsWithoutEndIsCutShort(t *testing.T) {
	r := with(t, "echo", "pages")
	if got := len(r.Tools().Tools); got == 0 || got > 128 {
		t.Errorf("got %d tools", got)
	}
}

func TestAServerThatLogsToStandardOutputCanBeCalledOverAndOver(t *testing.T) {
	r := with(t, "echo", "chatty")
	for n := range 100 {
		if got := r.call(t.Context(), "echo", "hi"); got.Text != "right" {
			t.Fatalf("call %d: got %+v", n, got)
		}
	}
}

func TestALogLineInACallFailsTheFirstCallOnlyUnlessTheExpertSaidHello(t *testing.T) {
	const answer = "Fishing\n[INFO] fishing\n" + `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"right"}]}}`
	for how, again := range map[string]string{"adopted": "right", "aware": "an expert should log to standard error"} {
		r := with(t, "echo", "shapes", how)
		for _, says := range []string{`an expert should log to standard error (stderr); it begins with "Fishing"`, again} {
			if got := r.call(t.Context(), "echo", answer); !strings.Contains(got.Text, says) {
				t.Errorf("%s: got %+v, want %q", how, got, says)
			}
			r.call(t.Context(), "echo", `{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`) // what follows the line is read
		}
	}
}

func TestLogLinesAmongTheMessagesAreDropped(t *testing.T) {
	r := with(t, "echo", "logs")
	if got := r.call(t.Context(), "echo", "hi"); !got.OK() {
		t.Errorf("got %+v", got)
	}
}

func TestAToolThatCannotBeReadCostsNoOther(t *testing.T) {
	r := with(t, "echo", "unread")
	if specs := r.Tools().Specs(); len(specs) != 1 || specs[0].Name != "echo__well" || !strings.Contains(string(specs[0].Schema), "anyOf") {
		t.Errorf("got %+v", specs)
	}
	got := strings.Join(r.Experts()[0].Omitted, "\n")
	for _, want := range []string{
		"text: its inputSchema is a text, not an object", "list: its inputSchema is a list, not an object", "truth: its inputSchema is true or false, not an object",
		"null: it has no inputSchema", "cased: it has no inputSchema", "described: description is a number, not a text",
		"tools[6]: name is a number, not a text", "tools[7]: it is a text, not an object", "tools[8]: it has no name",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %q:\n%s", want, got)
		}
	}
}

func TestAChildThatAsksTheRoomIsRefusedAndAnsweredAPing(t *testing.T) {
	r := with(t, "echo", "asks")
	got := r.call(t.Context(), "echo", "hi").Text
	for _, want := range []string{`"q0" refused=true`, `"q1" refused=true`, `"q2" refused=true`, `"q3" refused=true`, `"q4" refused=false`} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestCallsToOneChildRunInParallel(t *testing.T) {
	r := with(t, "echo", "together")
	var calls sync.WaitGroup
	for range 5 {
		calls.Go(func() {
			if got := r.call(t.Context(), "echo", "hi"); got.Text != "together" {
				t.Errorf("got %+v", got)
			}
		})
	}
	calls.Wait()
}

func sloppy() {
	scripted(func(method string, params json.RawMessage) (any, bool) {
		if method == "tools/call" {
			return map[string]any{"content": []any{map[string]any{"type": "text", "text": string(params)}}}, true
		}
		var list []any
		for name, hints := range map[string]string{
			"text": `{"readOnlyHint":"true"}`, "number": `{"readOnlyHint":1}`, "list": `{"readOnlyHint":[true]}`, "none": `[]`,
			"half": `{"readOnlyHint":true,"destructiveHint":"no"}`, "cased": `{"readOnlyHint":false,"READONLYHINT":true,"readonlyhint":true}`, "loud": `{"ReadOnlyHint":true}`,
			"misnamed": ``, "reads": `{"readOnlyHint":true}`, "writes": `{"readOnlyHint":false}`,
		} {
			tool := map[string]any{"name": name, "inputSchema": map[string]any{"type": "object"}, "annotations": json.RawMessage(hints)}
			if hints == "" {
				delete(tool, "annotations")
				tool["Annotations"] = map[string]any{"readOnlyHint": true}
			}
			list = append(list, tool)
		}
		return map[string]any{"tools": list}, true
	})
}
