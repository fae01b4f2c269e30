package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/yaap-chat/yaap/core/bridge"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/must"
)

// filler fills in what it is asked for.
type filler struct{ asked chan mcp.ElicitationParams }

func (e filler) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	e.asked <- r.Params
	result := &mcp.ElicitationResult{}
	result.Action, result.Content = mcp.ElicitationResponseActionAccept, map[string]any{"username": "ada"}
	return result, nil
}

const older = "2025-06-18"

// suiteRoom is a room with the expert suite in it, and a program that is connected to it as an editor is, by yaap mcp.
func suiteRoom(t *testing.T, version string, more ...client.ClientOption) (*server.Server, *client.Client, <-chan mcp.JSONRPCNotification) {
	t.Helper()
	dir := t.TempDir()
	h, s := roomOfSuite(t, dir)
	in, toBridge := io.Pipe()
	fromBridge, out := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 3)
	go func() { ended <- h.Run(ctx) }()
	go func() { ended <- s.Run(ctx) }()
	must.Do(t, h.Add(t.Context(), hub.Spec{Name: "suite", Command: []string{os.Args[0], "suite"}}))
	for changed := h.Changed(); len(h.Tools().Tools) == 0; changed = h.Changed() {
		<-changed
	}
	addressIn(t, dir)
	go func() {
		b := &bridge.Bridge{Dirs: []string{dir}, Out: out}
		ended <- b.Run(ctx, in)
	}()
	c := client.NewClient(transport.NewIO(fromBridge, toBridge, io.NopCloser(new(bytes.Buffer))), more...)
	heard := make(chan mcp.JSONRPCNotification, 100)
	c.OnNotification(func(n mcp.JSONRPCNotification) { heard <- n })
	t.Cleanup(func() {
		_ = toBridge.Close()
		cancel()
		_ = fromBridge.Close()
		must.Report(t, errors.Join(<-ended, <-ended, <-ended))
	})
	must.Do(t, c.Start(t.Context()))
	var r mcp.InitializeRequest
	r.Params.ProtocolVersion, r.Params.ClientInfo = version, mcp.Implementation{Name: "editor", Version: "1"}
	must.Get(c.Initialize(t.Context(), r))(t)
	return s, c, heard
}

// listen has a client of the newer era told what the filter names, from now on.
func listen(t *testing.T, c *client.Client, heard <-chan mcp.JSONRPCNotification, filter mcp.SubscriptionFilter) {
	go func() { _ = c.Listen(t.Context(), filter) }()
	for n := range heard {
		if n.Method == mcp.MethodNotificationSubscriptionsAcknowledged {
			return
		}
	}
}

func suiteCall(t *testing.T, c *client.Client, tool string) string {
	t.Helper()
	var r mcp.CallToolRequest
	r.Params.Name, r.Params.Arguments = tool, map[string]any{}
	got := must.Get(c.CallTool(t.Context(), r))(t)
	text, _ := got.Content[0].(mcp.TextContent)
	return text.Text
}

func TestWhatAnExpertAsksGoesToTheEditorThatCalledIt(t *testing.T) {
	asked := make(chan mcp.ElicitationParams, 1)
	_, c, _ := suiteRoom(t, older, client.WithElicitationHandler(filler{asked}))
	must.Equal(t, `User response: action=accept, content={"username":"ada"}`, suiteCall(t, c, "suite__test_elicitation"))
	got := <-asked
	schema, err := json.Marshal(got.RequestedSchema)
	if got.Message != "suite asks: Please say more." || err != nil || !bytes.Contains(schema, []byte(`"username"`)) {
		t.Errorf("the editor is asked %q, %s, %v", got.Message, schema, err)
	}
}

func TestWhatAnExpertAsksIsNotForAnEditorThatCannotAsk(t *testing.T) {
	_, c, _ := suiteRoom(t, older)
	must.Equal(t, `User response: action=cancel, content=null`, suiteCall(t, c, "suite__test_elicitation"))
}

func TestAnEditorHearsOfWhatItFollowsAndOfNothingElse(t *testing.T) {
	s, c, heard := suiteRoom(t, older)
	var follow mcp.SubscribeRequest
	follow.Params.URI = "yaap://experts"
	must.Do(t, c.Subscribe(t.Context(), follow)) //nolint:staticcheck // it is of the older era
	var level mcp.SetLevelRequest
	level.Params.Level = mcp.LoggingLevelWarning
	must.Do(t, c.SetLevel(t.Context(), level))     //nolint:staticcheck // it is of the older era
	again := time.NewTicker(50 * time.Millisecond) // the stream of notices may not be open yet
	defer again.Stop()
	got := map[any]bool{}
	for len(got) < 2 {
		select {
		case <-again.C:
			s.Updated("yaap://runs")
			s.Updated("yaap://experts")
			s.Say("info", "newt joined")
			s.Say("warning", "newt left")
		case n := <-heard:
			switch n.Method {
			case "notifications/resources/updated":
				got[n.Params.AdditionalFields["uri"]] = true
			case "notifications/message":
				got[n.Params.AdditionalFields["data"]] = true
			}
		}
	}
	if !got["yaap://experts"] || !got["newt left"] {
		t.Errorf("it hears %v", got)
	}
}

func TestAnEditorOfTheNewerEraHearsOfWhatItFollows(t *testing.T) {
	s, c, heard := suiteRoom(t, mcp.LATEST_PROTOCOL_VERSION)
	listen(t, c, heard, mcp.SubscriptionFilter{ResourceSubscriptions: []string{"yaap://experts"}})
	s.Updated("yaap://runs")
	s.Updated("yaap://experts")
	for n := range heard {
		if n.Method == "notifications/resources/updated" {
			must.Equal(t, "yaap://experts", n.Params.AdditionalFields["uri"])
			return
		}
	}
}

func TestAPromptOfAnExpertKeepsItsArgumentsAndItsPicture(t *testing.T) {
	_, c, _ := suiteRoom(t, older)
	var r mcp.GetPromptRequest
	r.Params.Name, r.Params.Arguments = "suite__test_prompt_with_arguments", map[string]string{"arg1": "a", "arg2": "b"}
	got, err := c.GetPrompt(t.Context(), r)
	if err != nil || len(got.Messages) != 2 || got.Messages[1].Content.(mcp.TextContent).Text != "arg2=b" { //nolint:forcetypeassert // it fails then, too
		t.Errorf("got %+v, %v", got, err)
	}
	r.Params.Name, r.Params.Arguments = "suite__test_prompt_with_image", nil
	got, err = c.GetPrompt(t.Context(), r)
	must.Do(t, err)
	if picture, ok := got.Messages[0].Content.(mcp.ImageContent); !ok || picture.Data != dot {
		t.Errorf("got %+v", got.Messages)
	}
}

func TestTheNamesInAnAddressAreCompleted(t *testing.T) {
	_, c, _ := suiteRoom(t, older)
	var r mcp.CompleteRequest
	r.Params.Ref = mcp.ResourceReference{Type: "ref/resource", URI: "test://template/{id}/data"}
	r.Params.Argument = mcp.CompleteArgument{Name: "id", Value: "12"}
	got, err := c.Complete(t.Context(), r)
	if err != nil || len(got.Completion.Values) != 1 || got.Completion.Values[0] != "123" {
		t.Errorf("got %+v, %v", got, err)
	}
}
