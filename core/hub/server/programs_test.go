package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/yaap"
)

// programs is a room whose experts other programs may call. chat answers its tool.
func programs(t *testing.T, chat func(ctx context.Context, say func(core.Body)) (core.Result, error)) *room {
	t.Helper()
	bus := new(event.Bus)
	r := &room{Hub: hub.New(bus, nil, nil), t: t, dir: t.TempDir(), bus: bus, feed: bus.Feed()}
	s := server.New(server.Config{
		Hub: r.Hub, Dir: r.dir, RunDirs: []string{r.dir}, Version: "test", Thread: func() string { return "t" },
		Experts: func() []core.Tool { return r.Tools().Tools },
		Chat: func(ctx context.Context, thread, _ string, _ int) (core.Result, error) {
			return chat(ctx, func(b core.Body) { bus.Emit(core.Scope{Thread: thread}, b) })
		},
		Follow: func(thread string, hear func(core.Event)) func() {
			feed, done := bus.Feed(), make(chan struct{})
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				defer close(done)
				for {
					events, err := feed.Next(ctx)
					if err != nil {
						return
					}
					for _, e := range events {
						if e.Thread == thread {
							hear(e)
						}
					}
				}
			}()
			return func() { cancel(); <-done }
		},
		Resources: []server.Resource{
			{URI: "yaap://experts", Name: "experts", Type: "application/json", Read: func(context.Context, string) (string, error) { return `["newt"]`, nil }},
			{URI: "yaap://runs/{id}", Name: "run", Type: "application/json", Read: func(_ context.Context, uri string) (string, error) {
				if uri != "yaap://runs/7" {
					return "", errors.New("there is no such run")
				}
				return `{"id":7}`, nil
			}},
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- r.Run(ctx) }()
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		must.Report(t, errors.Join(<-ended, <-ended))
	})
	return r
}

// streaming is told when the room has begun to answer a GET: it tells from then on.
type streaming chan bool

// RoundTrip implements [http.RoundTripper].
func (s streaming) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && r.Method == http.MethodGet {
		select {
		case s <- true:
		default:
		}
	}
	return response, err
}

// program is an MCP client of a room, in one era of the protocol, which hears what the room tells.
func program(t *testing.T, r *room, version string) (*client.Client, <-chan mcp.JSONRPCNotification) {
	t.Helper()
	a, listens := r.address(), make(streaming, 1)
	options := []transport.StreamableHTTPCOption{
		transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + a.Token}), transport.WithHTTPBasicClient(&http.Client{Transport: listens}),
	}
	if !mcp.IsModernProtocol(version) {
		options = append(options, transport.WithContinuousListening()) //nolint:staticcheck // it tells in that stream
	}
	c := client.NewClient(must.Get(transport.NewStreamableHTTP(a.URL+"/mcp", options...))(t))
	heard := make(chan mcp.JSONRPCNotification, 100)
	c.OnNotification(func(n mcp.JSONRPCNotification) { heard <- n })
	must.Do(t, c.Start(t.Context()))
	t.Cleanup(func() { _ = c.Close() })
	request := mcp.InitializeRequest{}
	request.Params.ProtocolVersion, request.Params.ClientInfo = version, mcp.Implementation{Name: "editor", Version: "1"}
	must.Get(c.Initialize(t.Context(), request))(t)
	if !mcp.IsModernProtocol(version) {
		<-listens
		return c, heard
	}
	listen(t, c, heard, mcp.SubscriptionFilter{ToolsListChanged: true})
	return c, heard
}

func toolNames(t *testing.T, c *client.Client) []string {
	t.Helper()
	got := must.Get(c.ListTools(t.Context(), mcp.ListToolsRequest{}))(t)
	var names []string
	for _, tool := range got.Tools {
		names = append(names, tool.Name)
		if tool.Annotations.Title == "" || tool.Annotations.ReadOnlyHint == nil {
			t.Errorf("%s says nothing of its effects: %+v", tool.Name, tool.Annotations)
		}
	}
	slices.Sort(names)
	return names
}

func eras() []string { return []string{"2025-06-18", mcp.LATEST_PROTOCOL_VERSION} }

func TestProgramsSeeExpertsComeAndGo(t *testing.T) {
	for _, version := range eras() {
		t.Run(version, func(t *testing.T) {
			r := programs(t, nil)
			c, heard := program(t, r, version)
			until := func(want ...string) {
				t.Helper()
				for !slices.Equal(toolNames(t, c), want) {
					for n := range heard {
						if n.Method == mcp.MethodNotificationToolsListChanged {
							break
						}
					}
				}
			}
			until("chat")
			newt := r.guest(hello("newt", "one"))
			until("chat", "newt")
			newt.must(yaap.ToolGoodbye, yaap.Goodbye{Lease: newt.lease}, new(yaap.OK))
			until("chat")
		})
	}
}

func TestAProgramIsToldWhichPartOfACallIsDone(t *testing.T) {
	r := programs(t, nil)
	newt := r.guest(hello("newt", "one"))
	c, heard := program(t, r, eras()[0])
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = "newt", map[string]any{"prompt": "what do newts do?"}
	request.Params.Meta = &mcp.Meta{ProgressToken: "p"}
	answered := make(chan error, 1)
	go func() {
		_, err := c.CallTool(t.Context(), request)
		answered <- err
	}()
	e := newt.next()
	last := -1.0
	for _, said := range []struct {
		fraction *float64
		message  string
		want     float64
	}{{new(0.25), "", 0.25}, {nil, "halfway", 0.25}, {new(0.75), "nearly", 0.75}} {
		newt.must(yaap.ToolProgress, yaap.Progress{Lease: newt.lease, CallID: e.CallID, Message: said.message, Fraction: said.fraction}, new(yaap.Accepted))
		n := <-heard
		for n.Method != "notifications/progress" {
			n = <-heard
		}
		told := n.Params.AdditionalFields
		done, _ := told["progress"].(float64)
		message, named := told["message"].(string)
		if math.Abs(done-said.want) > 1e-9 || done <= last || told["total"] != 1.0 || message != said.message || named != (message != "") {
			t.Errorf("it is told %v, want %v and %q, after %v", told, said.want, said.message, last)
		}
		last = done
	}
	newt.reply(e.CallID, "They swim.")
	must.Do(t, <-answered)
}

func TestAProgramIsToldHowFarChatIs(t *testing.T) {
	for _, version := range eras() {
		t.Run(version, func(t *testing.T) {
			goOn := make(chan struct{})
			r := programs(t, func(ctx context.Context, say func(core.Body)) (core.Result, error) {
				say(core.ToolCallStart{Tool: "newt"})
				say(core.Delta{Field: core.FieldThought, Text: "SECRET"})
				say(core.Delta{Field: core.FieldMessage, Text: "Newts "})
				select {
				case <-goOn:
				case <-ctx.Done():
				}
				return core.Result{Reply: core.Reply{Status: core.StatusSuccess, Message: "Newts swim.", Data: map[string]any{}}}, nil
			})
			c, heard := program(t, r, version)
			request := mcp.CallToolRequest{}
			request.Params.Name, request.Params.Arguments = "chat", map[string]any{"prompt": "what do newts do?"}
			request.Params.Meta = &mcp.Meta{ProgressToken: "p"}
			answered := make(chan *mcp.CallToolResult, 1)
			go func() {
				got, err := c.CallTool(t.Context(), request)
				if err != nil {
					t.Error(err)
				}
				answered <- got
			}()
			var told []string
			for n := range heard {
				if text, ok := n.Params.AdditionalFields["message"].(string); ok {
					told = append(told, text)
				}
				if len(told) == 2 {
					break
				}
			}
			close(goOn)
			got := <-answered
			slices.Sort(told) // a client that listens, too, is told over two connections
			if !slices.Equal(told, []string{"Newts ", "newt is asked"}) {
				t.Errorf("it is told %q", told)
			}
			raw, err := json.Marshal(got.StructuredContent)
			if err != nil || !strings.Contains(string(raw), `"message":"Newts swim."`) || !strings.Contains(string(raw), `"status":"success"`) {
				t.Errorf("it gets %s, %v", raw, err)
			}
		})
	}
}

func TestAProgramCancelsItsOwnCallAndNoOther(t *testing.T) {
	began, ended := make(chan struct{}, 2), make(chan struct{}, 2)
	r := programs(t, func(ctx context.Context, _ func(core.Body)) (core.Result, error) {
		began <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return core.Result{}, ctx.Err()
	})
	a := r.address()
	mine, others := named(t, a), named(t, a)
	send := func(name, body string) {
		response, err := request(t, a, name, body)
		if err == nil {
			_, _ = io.Copy(io.Discard, response.Body) // who closes it before gives the call up
			_ = response.Body.Close()
		}
	}
	call := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"chat","arguments":{"prompt":"wait"}}}`
	go send(mine, call)
	<-began
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
	send(others, cancel)
	send("", cancel)
	select {
	case <-ended:
		t.Fatal("somebody else cancelled it")
	default:
	}
	send(mine, cancel)
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("it goes on")
	}
}

func TestProgramsReadWhatTheRoomShows(t *testing.T) {
	c, _ := program(t, programs(t, nil), mcp.LATEST_PROTOCOL_VERSION)
	read := func(uri string) (string, error) {
		request := mcp.ReadResourceRequest{}
		request.Params.URI = uri
		got, err := c.ReadResource(t.Context(), request)
		if err != nil {
			return "", err
		}
		text, _ := got.Contents[0].(mcp.TextResourceContents)
		return text.Text, nil
	}
	if got, err := read("yaap://experts"); got != `["newt"]` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err := read("yaap://runs/7"); got != `{"id":7}` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	if _, err := read("yaap://runs/8"); err == nil {
		t.Error("a run that is not there was read")
	}
	list, err := c.ListResources(t.Context(), mcp.ListResourcesRequest{})
	if err != nil || len(list.Resources) != 1 {
		t.Errorf("got %+v, %v", list, err)
	}
}

// named is the name that a room gives a client.
func named(t *testing.T, a server.Address) string {
	t.Helper()
	response, err := request(t, a, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"e","version":"1"}}}`)
	must.Do(t, err)
	_ = response.Body.Close()
	name := response.Header.Get("Mcp-Session-Id")
	if name == "" {
		t.Fatal("it is given no name")
	}
	return name
}

func request(t *testing.T, a server.Address, name, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+a.Token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if name != "" {
		req.Header.Set("Mcp-Session-Id", name)
	}
	return server.Client(a).Do(req)
}

// In the newer era a call has no name that another program could not use: its own
// connection takes it back.
func TestAProgramOfTheNewerEraCancelsByHangingUp(t *testing.T) {
	began, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	r := programs(t, func(ctx context.Context, _ func(core.Body)) (core.Result, error) {
		began <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return core.Result{}, ctx.Err()
	})
	a := r.address()
	web := must.Get(transport.NewStreamableHTTP(a.URL+"/mcp", transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + a.Token})))(t)
	c := client.NewClient(web)
	defer c.Close() //nolint:errcheck // of a test
	must.Do(t, c.Start(t.Context()))
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	if _, err := c.Initialize(t.Context(), hello); err != nil || !mcp.IsModernProtocol(c.ProtocolVersion()) {
		t.Fatalf("it speaks %s, %v", c.ProtocolVersion(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	answered := make(chan error, 1)
	go func() {
		var call mcp.CallToolRequest
		call.Params.Name, call.Params.Arguments = "chat", map[string]any{"prompt": "wait"}
		_, err := c.CallTool(ctx, call)
		answered <- err
	}()
	<-began
	cancel()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("it goes on")
	}
	if err := <-answered; err == nil {
		t.Error("it was answered")
	}
}
