package link_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/link"
	"github.com/yaap-chat/yaap/core/must"
)

func TestAServerThatRunsElsewhereAsksTheUserToo(t *testing.T) {
	m := server.NewMCPServer("asker", "1", server.WithElicitation())
	m.AddTool(mcp.NewToolWithRawSchema("who", "Asks who you are.", json.RawMessage(`{"type":"object"}`)), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var r mcp.ElicitationRequest
		r.Params.Message, r.Params.RequestedSchema = "Who are you?", json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)
		got, err := m.RequestElicitation(ctx, r)
		if err != nil {
			return nil, err
		}
		raw, err := json.Marshal(got.Content)
		return mcp.NewToolResultText(string(raw)), err
	})
	streamable := server.NewStreamableHTTPServer(m, server.WithStreamableHTTPProtocolVersions("2025-06-18"))
	web := httptest.NewServer(streamable)
	t.Cleanup(web.Close)
	r := openWith(t, &link.Opener{Version: "test", Ask: func(context.Context, core.Pause) (core.Answer, error) {
		return core.Answer{ID: core.Accept, Data: json.RawMessage(`{"name":"Ada"}`)}, nil
	}})
	defer r.stop()
	must.Do(t, r.Add(t.Context(), hub.Spec{Name: "asker", URL: web.URL + "/mcp"}))
	r.joined("asker")
	if got := r.call(t.Context(), "asker__who", ""); got.Text != `{"name":"Ada"}` {
		t.Errorf("it is told %+v", got)
	}
}
