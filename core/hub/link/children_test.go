package link_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub/link"
	"github.com/yaap-chat/yaap/experts"
)

// The test binary is also every child that the tests start: its first argument
// says how it behaves.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "child" {
		behave(os.Args[2], os.Args[3:])
		syscall.Exit(0) // os.Exit stays for a second where races are looked for
	}
	os.Exit(m.Run())
}

func behave(how string, args []string) {
	ctx := context.Background() // this is a program of its own
	switch how {
	case "heron":
		serve(ctx, heron())
	case "bidder":
		serve(ctx, bidder())
	case "goodbye": // leaves after the first answer
		ctx, cancel := context.WithCancel(ctx)
		e := heron()
		e.Answer = func(context.Context, experts.Question) (core.Reply, error) {
			go cancel()
			return experts.Success("bye", nil), nil
		}
		serve(ctx, e)
	case "crash": // dies on a call
		e := heron()
		e.Answer = func(context.Context, experts.Question) (core.Reply, error) {
			fmt.Fprintln(os.Stderr, "heron: \x1b[31mout of fish\x1b[0m")
			os.Exit(3)
			return core.Reply{}, nil
		}
		serve(ctx, e)
	case "slow": // never answers; says on stderr when it was cancelled
		e := heron()
		e.Answer = func(ctx context.Context, q experts.Question) (core.Reply, error) {
			q.Progress("thinking about "+q.Prompt, 0.5)
			<-ctx.Done()
			fmt.Fprintln(os.Stderr, "cancelled")
			return core.Reply{}, ctx.Err()
		}
		serve(ctx, e)
	case "env":
		e := heron()
		e.Answer = func(context.Context, experts.Question) (core.Reply, error) {
			return experts.Success(strings.Join(os.Environ(), "\n"), nil), nil
		}
		serve(ctx, e)
	case "exit", "node":
		failing(how)
	case "mute":
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "endless": // one line that never ends
		line := []byte(`{"jsonrpc":"2.0","method":"` + strings.Repeat("x", 64<<10))
		for {
			if _, err := os.Stdout.Write(line); err != nil {
				os.Exit(1)
			}
		}
	case "noisy": // talks to people beside its messages, and a lot to stderr
		_, _ = os.Stderr.WriteString(strings.Repeat(strings.Repeat("e", 99)+"\n", 30_000))
		fmt.Println("starting up…")
		serve(ctx, heron())
	case "immortal": // ignores the end of input and TERM, and has a child that does so, too
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
		if len(args) > 1 {
			waitForever(args[0])
		}
		cmd := exec.CommandContext(ctx, os.Args[0], append(os.Args[1:], "grandchild")...)
		cmd.Stdout = os.Stdout
		if cmd.Start() != nil {
			os.Exit(1)
		}
		go serve(ctx, heron())
		waitForever(args[0])
	case "rubbish":
		rubbish()
	case "deaf": // shakes hands and then reads nothing more
		scripted(func(method string, _ json.RawMessage) (any, bool) {
			if method == "tools/list" {
				return tools(`{"type":"object"}`), false
			}
			return nil, true
		})
		waitForever("")
	case "strict": // refuses arguments that are null, as the TypeScript servers do
		scripted(func(method string, params json.RawMessage) (any, bool) {
			switch method {
			case "tools/list":
				return tools(`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Bad Header\n"}}}`), true
			case "tools/call":
				return map[string]any{"content": []any{map[string]any{"type": "text", "text": string(params)}}}, true
			}
			return nil, true
		})
	case "boast": // says the hello that it is given
		scripted(func(string, json.RawMessage) (any, bool) { return tools(`{"type":"object"}`), true })
	case "crooked": // lists tools in what is no list
		scripted(func(string, json.RawMessage) (any, bool) { return map[string]any{"tools": map[string]any{}}, true })
	case "modern": // knows the newer era only
		modern()
	case "guarded": // a room that starts an immortal child and is then killed
		guarded(ctx, args)
	case "guard":
		if link.ServeGuard(os.Stdin) != nil {
			os.Exit(1)
		}
	default:
		misbehave(how, args)
	}
}

// bidder bids on herons, and panics on newts.
func bidder() experts.Expert {
	e := heron()
	e.Bid = func(_ context.Context, text string, said []core.Message) core.Bid {
		switch {
		case strings.Contains(text, "newt"):
			panic("no newts")
		case strings.Contains(text, "heron"):
			return core.Bid{Score: 2, Reads: fmt.Sprintf("herons, after %d messages", len(said)), Needs: []string{"which heron?"}}
		}
		return core.Bid{}
	}
	return e
}

func rubbish() {
	for {
		if _, err := fmt.Println("Welcome to my server! \x1b]0;owned\a"); err != nil {
			os.Exit(1)
		}
	}
}

func heron() experts.Expert {
	return experts.Expert{
		Name: "heron", Description: "Knows herons.", Examples: []string{"what do herons eat?"}, Context: true,
		Answer: func(_ context.Context, q experts.Question) (core.Reply, error) {
			if q.Prompt == "panic" {
				panic("no fish")
			}
			data := map[string]any{"heard": len(q.Context)}
			return experts.Success("Herons: "+q.Prompt, data), nil
		},
	}
}

func serve(ctx context.Context, e experts.Expert) {
	if err := experts.Serve(ctx, e); err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// waitForever blocks; its process id is in path, if there is one.
func waitForever(path string) {
	if path != "" {
		note(path)
	}
	for {
		time.Sleep(time.Hour)
	}
}

func tools(schema string) any {
	return map[string]any{"tools": []any{map[string]any{"name": "echo", "description": "Echoes.", "inputSchema": json.RawMessage(schema)}}}
}

// scripted is a hand-written server of the older era.
func scripted(answer func(method string, params json.RawMessage) (result any, more bool)) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var request struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if json.Unmarshal(lines.Bytes(), &request) != nil || len(request.ID) == 0 {
			continue
		}
		var result any
		more := true
		if request.Method == "initialize" {
			result = hello("mcp-servers/Echo")
		} else {
			result, more = answer(request.Method, request.Params)
		}
		respond(request.ID, result)
		if !more {
			return
		}
	}
}

// hello answers initialize, as a YAAP expert when the arguments of this program say so.
func hello(name string) any {
	capabilities := map[string]any{"tools": map[string]any{}}
	if os.Args[2] == "tasks" {
		capabilities["tasks"] = json.RawMessage(`{"cancel":{},"requests":{"tools":{"call":{}}}}`)
	}
	if os.Args[2] == "library" {
		for _, name := range []string{"resources", "prompts", "completions", "logging"} {
			capabilities[name] = map[string]any{"subscribe": true}
		}
	}
	if os.Args[2] == "boast" {
		capabilities["experimental"] = map[string]any{"yaap": json.RawMessage(os.Args[3])}
	} else if len(os.Args) > 3 && os.Args[3] == "aware" {
		capabilities["experimental"] = map[string]any{"yaap": map[string]any{"v": 1, "name": "echo", "description": "Echoes."}}
	}
	return map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": capabilities,
		"serverInfo":   map[string]any{"name": name, "version": "1"},
		"instructions": "Echoes what it is told.",
	}
}

func respond(id json.RawMessage, result any) {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
	if err == nil {
		fmt.Println(string(line))
	}
}

func modern() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var request struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(lines.Bytes(), &request) != nil || len(request.ID) == 0 {
			continue
		}
		switch request.Method {
		case "server/discover":
			respond(request.ID, map[string]any{
				"resultType": "complete", "supportedVersions": []string{"2026-07-28"}, "ttlMs": 0, "cacheScope": "private",
				"capabilities": map[string]any{"tools": map[string]any{"listChanged": true}, "experimental": map[string]any{
					"yaap": map[string]any{"v": 1, "name": "newt", "description": "Knows newts."},
				}},
				"serverInfo": map[string]any{"name": "newt", "version": "1"},
			})
		case "tools/list":
			respond(request.ID, map[string]any{"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": []any{map[string]any{
				"name": "newt", "description": "x", "inputSchema": json.RawMessage(`{"type":"object"}`),
			}}})
		case "tools/call":
			respond(request.ID, map[string]any{"resultType": "complete", "content": []any{map[string]any{"type": "text", "text": "newts"}}})
		default:
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`+"\n", request.ID)
		}
	}
}

// failing is a child that cannot start, and says why; node as it does with an error
// that nobody caught.
func failing(how string) {
	if how == "node" {
		fmt.Fprint(os.Stderr, "node:internal/fetch:14976\n      Error.captureStackTrace(err);\n            ^\n\nTypeError: fetch failed\n"+
			strings.Repeat("    at async sections (file:///svelte.mjs:1386:19)\n", 30)+"  [cause]: Error: getaddrinfo ENOTFOUND svelte.dev\n}\n\nNode.js v20.20.2\n")
	} else {
		fmt.Fprintln(os.Stderr, "JIRA_URL is not set")
	}
	os.Exit(1)
}
