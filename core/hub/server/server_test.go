package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/event"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/link"
	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/wire"
	"github.com/yaap-chat/yaap/core/yaap"
)

// The test binary is also an expert that joins from a process of its own.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "room" {
		if err := roomUntilKilled(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		syscall.Exit(1)
	}
	if len(os.Args) > 1 && os.Args[1] == "suite" {
		if err := suiteExpert(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		syscall.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == "guard" {
		if err := link.ServeGuard(os.Stdin); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		syscall.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == "peer" {
		if err := newt(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		syscall.Exit(0) // os.Exit stays for a second where races are looked for
	}
	os.Exit(m.Run())
}

// room is a hub with its server, and one expert-less chat that asks the first
// tool there is.
type room struct {
	*hub.Hub
	t    testing.TB
	dir  string
	tap  wire.Tap
	bus  *event.Bus
	feed *event.Feed
}

func open(t testing.TB) *room {
	t.Helper()
	return openWith(t, nil)
}

func openWith(t testing.TB, log *slog.Logger) *room {
	t.Helper()
	bus := new(event.Bus)
	r := &room{Hub: hub.New(bus, nil, nil), t: t, dir: t.TempDir(), bus: bus, feed: bus.Feed()}
	s := server.New(server.Config{
		Hub: r.Hub, Dir: r.dir, RunDirs: []string{r.dir}, Log: log, Tap: &r.tap, Version: "test", Thread: func() string { return "thread-1" },
		Chat: func(ctx context.Context, _, text string, depth int) (core.Result, error) {
			if depth > 3 {
				return core.Result{}, &core.Error{Code: core.CodeRefused, Message: "too deep", Hint: "ask less deeply"}
			}
			tools := r.Tools().Tools
			if len(tools) == 0 {
				return core.Result{Reply: core.Reply{Thought: "SECRET", Status: core.StatusClarification, Message: "nobody is here"}}, nil
			}
			args, err := json.Marshal(map[string]string{"prompt": text})
			if err != nil {
				return core.Result{}, err
			}
			result, err := tools[0].Call(ctx, core.Call{ID: "1", Tool: tools[0].Spec().Name, Args: args})
			return core.Result{Reply: core.Reply{Status: core.StatusSuccess, Message: result.Text}}, err
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- r.Run(ctx) }()
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		for range 2 {
			must.Report(t, <-ended)
		}
	})
	return r
}

func (r *room) address() server.Address {
	r.t.Helper()
	return addressIn(r.t, r.dir)
}

// addressIn waits for hub.json.
func addressIn(t testing.TB, dir string) server.Address {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if a, err := readAddress(dir); err == nil {
			return a
		}
		if t.Context().Err() != nil {
			break
		}
	}
	t.Fatal("there is no hub.json")
	return server.Address{}
}

func readAddress(dir string) (a server.Address, err error) {
	raw, err := os.ReadFile(filepath.Join(dir, "hub.json"))
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(raw, &a)
}

func (r *room) left(name string) core.ExpertLeft {
	r.t.Helper()
	for {
		events := must.Get(r.feed.Next(r.t.Context()))(r.t)
		for _, e := range events {
			if b, ok := e.Body.(core.ExpertLeft); ok && b.Name == name {
				return b
			}
		}
	}
}

// caller calls tools of the server as a stranger would: JSON over HTTP.
type caller struct {
	server.Address
	path string
}

func (c caller) call(ctx context.Context, tool string, args, answer any) (*yaap.Refusal, error) {
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args},
	})
	if err != nil {
		return nil, err
	}
	response, err := c.post(ctx, body)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", response.Status, raw)
	}
	var message struct {
		Error  any
		Result struct {
			IsError           bool
			StructuredContent json.RawMessage
		}
	}
	if err := json.Unmarshal(payload(raw), &message); err != nil {
		return nil, fmt.Errorf("%w in %q", err, raw)
	}
	if message.Error != nil {
		return nil, fmt.Errorf("%v", message.Error)
	}
	if message.Result.IsError {
		var refusal yaap.Refusal
		return &refusal, json.Unmarshal(message.Result.StructuredContent, &refusal)
	}
	return nil, json.Unmarshal(message.Result.StructuredContent, answer)
}

// payload takes the message out of an event stream, if it came in one.
func payload(raw []byte) []byte {
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		if data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: ")); ok {
			return data
		}
	}
	return raw
}

func (c caller) post(ctx context.Context, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+c.path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.Token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	return http.DefaultClient.Do(request)
}

// newt is an expert in a process of its own: hello, then a poll that is always
// open while it works, and goodbye when its input ends.
func newt(dir string) error {
	a, err := readAddress(dir)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background()) // a program of its own
	defer cancel()
	room := caller{a, "/yaap"}
	var welcome yaap.Welcome
	refusal, err := room.call(ctx, yaap.ToolHello, hello("newt", ""), &welcome)
	if err != nil {
		return err
	}
	if refusal != nil {
		return refusal
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_, _ = room.call(ctx, yaap.ToolGoodbye, yaap.Goodbye{Lease: welcome.Lease, Reason: "the pond is full"}, new(yaap.OK))
		cancel()
	}()
	for ctx.Err() == nil {
		var events yaap.Events
		if _, err := room.call(ctx, yaap.ToolNext, yaap.Next{Lease: welcome.Lease}, &events); err != nil {
			return nil //nolint:nilerr // the room or we are gone
		}
		for _, e := range events.Events {
			if e.Type == yaap.EventCall {
				if len(os.Args) > 3 { // it never answers
					fmt.Println(e.CallID)
					continue
				}
				go func() {
					_, _ = room.call(ctx, yaap.ToolReply, yaap.Reply{Lease: welcome.Lease, CallID: e.CallID, OK: true, Text: "newts say " + string(e.Arguments)}, new(yaap.Accepted))
				}()
			}
		}
	}
	return nil
}

func TestWhoAsksTheRoomIsNotToldWhatItsAgentThought(t *testing.T) {
	r := open(t)
	var got map[string]any
	if refusal, err := (caller{r.address(), "/mcp"}).call(t.Context(), yaap.ToolChat, map[string]any{"prompt": "hi"}, &got); err != nil || refusal != nil {
		t.Fatal(err, refusal)
	}
	if got["message"] != "nobody is here" || got["thought"] != "" {
		t.Errorf("got %v", got)
	}
}

func TestAnExpertInAnotherProcessJoinsAndIsCalledThroughTheChat(t *testing.T) {
	r := open(t)
	a := r.address()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "peer", r.dir)
	cmd.Stderr = os.Stderr
	stdin := must.Get(cmd.StdinPipe())(t)
	must.Do(t, cmd.Start())
	r.joined("newt")
	var got struct{ Message, Thread string }
	if refusal, err := (caller{a, "/mcp"}).call(t.Context(), yaap.ToolChat, map[string]any{"prompt": "hi"}, &got); err != nil || refusal != nil {
		t.Fatal(err, refusal)
	}
	if got.Message != `newts say {"prompt":"hi"}` || got.Thread != "mcp-thread-1" {
		t.Errorf("got %+v", got)
	}
	must.Do(t, stdin.Close())
	if left := r.left("newt"); left.Reason != core.LeftGoodbye || left.Detail != "the pond is full" {
		t.Errorf("got %+v", left)
	}
	must.Report(t, cmd.Wait())
}

func (r *room) joined(name string) {
	r.t.Helper()
	for {
		events := must.Get(r.feed.Next(r.t.Context()))(r.t)
		for _, e := range events {
			if b, ok := e.Body.(core.ExpertJoined); ok && b.Name == name {
				return
			}
		}
	}
}

func hello(name, instance string) yaap.Hello {
	return yaap.Hello{YAAP: 1, Introduction: yaap.Introduction{Name: name, Description: "Knows " + name + "s."}, Instance: instance}
}

func TestHelloIsRefusedWithTheRuleThatItBreaks(t *testing.T) {
	r := open(t)
	c := caller{r.address(), "/yaap"}
	first, again := hello("newt", "one"), hello("new-t", "")
	again.Name = "newt"
	if refusal, err := c.call(t.Context(), yaap.ToolHello, first, new(yaap.Welcome)); err != nil || refusal != nil {
		t.Fatal(err, refusal)
	}
	for _, test := range []struct {
		hello yaap.Hello
		code  string
	}{
		{yaap.Hello{YAAP: 2, Introduction: yaap.Introduction{Name: "toad", Description: "x"}}, yaap.BadVersion},
		{hello("Toad", ""), yaap.BadName},
		{hello("chat", ""), yaap.BadName},
		{again, yaap.NameTaken},
		{hello("newt", "two"), yaap.NameTaken},
	} {
		c.refused(t, yaap.ToolHello, test.hello, test.code)
	}
}

func TestTheSameInstanceResumesAndItsOldLeaseEnds(t *testing.T) {
	r := open(t)
	c := caller{r.address(), "/yaap"}
	var old, fresh yaap.Welcome
	if refusal, err := c.call(t.Context(), yaap.ToolHello, hello("newt", "one"), &old); err != nil || refusal != nil {
		t.Fatal(err, refusal)
	}
	if refusal, err := c.call(t.Context(), yaap.ToolHello, hello("newt", "one"), &fresh); err != nil || refusal != nil {
		t.Fatal(err, refusal)
	}
	if old.Lease == fresh.Lease {
		t.Error("the lease is the same")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var events yaap.Events
	refusal, err := c.call(ctx, yaap.ToolNext, yaap.Next{Lease: old.Lease}, &events)
	if err != nil || refusal == nil && (len(events.Events) != 1 || events.Events[0].Type != yaap.EventBye) {
		t.Errorf("the old lease still works: %+v, %+v, %v", refusal, events, err)
	}
	if refusal, err := c.call(ctx, yaap.ToolNext, yaap.Next{Lease: fresh.Lease, WaitMS: 1}, &events); err != nil || refusal != nil {
		t.Errorf("the new lease does not work: %+v, %v", refusal, err)
	}
	if tools := r.Tools().Tools; len(tools) != 1 {
		t.Errorf("got %d tools, want 1", len(tools))
	}
}

func TestNothingButTheLeaseSpeaksForAnExpert(t *testing.T) {
	r := open(t)
	c := caller{r.address(), "/yaap"}
	var welcome yaap.Welcome
	if refusal, err := c.call(t.Context(), yaap.ToolHello, hello("newt", ""), &welcome); err != nil || refusal != nil {
		t.Fatal(err, refusal)
	}
	for tool, args := range map[string]any{
		yaap.ToolGoodbye: yaap.Goodbye{Lease: "newt"},
		yaap.ToolNext:    yaap.Next{Lease: strings.Repeat("0", 32)},
		yaap.ToolReply:   yaap.Reply{Lease: "", CallID: "c1"},
	} {
		c.refused(t, tool, args, yaap.UnknownLease)
	}
	var accepted yaap.Accepted
	if refusal, err := c.call(t.Context(), yaap.ToolReply, yaap.Reply{Lease: welcome.Lease, CallID: "c1", OK: true}, &accepted); err != nil || refusal != nil || accepted.Accepted {
		t.Errorf("an answer to no call: got %+v, %+v, %v", accepted, refusal, err)
	}
}

func TestAPeerThatStopsPollingIsLost(t *testing.T) {
	t.Parallel()
	r := open(t)
	c := caller{r.address(), "/yaap"}
	if refusal, err := c.call(t.Context(), yaap.ToolHello, hello("newt", ""), new(yaap.Welcome)); err != nil || refusal != nil {
		t.Fatal(err, refusal)
	}
	if left := r.left("newt"); left.Reason != core.LeftLost || left.Detail != "its connection ended" {
		t.Errorf("got %+v", left)
	}
}

func TestTheDoorIsShutToStrangers(t *testing.T) {
	r := open(t)
	a := r.address()
	post := func(edit func(*http.Request), body string) int {
		t.Helper()
		request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, a.URL+"/yaap", strings.NewReader(body)))(t)
		request.Header.Set("Authorization", "Bearer "+a.Token)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		edit(request)
		response, err := http.DefaultClient.Do(request)
		must.Do(t, err)
		must.Do(t, response.Body.Close())
		return response.StatusCode
	}
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for name, c := range map[string]struct {
		edit func(*http.Request)
		body string
		want int
	}{
		"the right token":       {func(*http.Request) {}, list, 200},
		"no token":              {func(r *http.Request) { r.Header.Del("Authorization") }, list, 401},
		"a wrong token":         {func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, list, 401},
		"a page on the web":     {func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, list, 403},
		"a page on this host":   {func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1") }, list, 403},
		"another name for it":   {func(r *http.Request) { r.Host = "evil.example" }, list, 403},
		"a body that is huge":   {func(*http.Request) {}, strings.Repeat(" ", 5<<20), 413},
		"somebody else's calls": {func(*http.Request) {}, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, 202},
	} {
		if got := post(c.edit, c.body); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
	info, err := os.Stat(filepath.Join(r.dir, "hub.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("hub.json: %v, %v", info, err)
	}
}

func TestAnExpertCannotAskTheRoomForEver(t *testing.T) {
	r := open(t)
	refusal, err := (caller{r.address(), "/mcp"}).call(t.Context(), yaap.ToolChat, map[string]any{"prompt": "hi", "depth": 4}, new(any))
	if err != nil || refusal == nil || *refusal != (yaap.Refusal{Code: string(core.CodeRefused), Message: "too deep", Hint: "ask less deeply"}) {
		t.Errorf("got %+v, %v", refusal, err)
	}
}
