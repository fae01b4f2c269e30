package link_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/link"
	"github.com/yaap-chat/yaap/core/must"
)

// herons is an MCP server that knows nothing of yaap. Where it is asked to be slow it
// tells of its progress, and answers when that was heard.
func herons(heard <-chan struct{}) *server.MCPServer {
	s := server.NewMCPServer("herons", "1", server.WithToolCapabilities(true), server.WithInstructions("Knows grey herons."))
	prompted := mcp.WithString("prompt", mcp.Required())
	s.AddTool(mcp.NewTool("fish", prompted), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		prompt := r.GetString("prompt", "")
		switch prompt {
		case "flood":
			return mcp.NewToolResultText(strings.Repeat("fish ", 2<<20)), nil
		case "nest":
			s.AddTool(mcp.NewTool("nest", prompted), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return mcp.NewToolResultText("in trees"), nil
			})
		case "slowly":
			_ = s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
				"progressToken": r.Params.Meta.ProgressToken, "progress": 1, "total": 2, "message": "thinking",
			})
			select {
			case <-heard:
			case <-ctx.Done():
			}
		}
		return mcp.NewToolResultText("herons eat " + prompt), nil
	})
	return s
}

// transports are the ways by which a server is reached over HTTP.
func transports() map[string]func(*server.MCPServer) http.Handler {
	return map[string]func(*server.MCPServer) http.Handler{
		"streamable": func(s *server.MCPServer) http.Handler { return server.NewStreamableHTTPServer(s) },
		"sse":        func(s *server.MCPServer) http.Handler { return server.NewSSEServer(s) },
	}
}

// keyed lets those in that have the key.
func keyed(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "hunter2" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}

func TestAServerThatRunsElsewhereJoinsAndIsCalled(t *testing.T) {
	for name, handler := range transports() {
		t.Run(name, func(t *testing.T) {
			heard := make(chan struct{})
			web := httptest.NewServer(keyed(handler(herons(heard))))
			r := open(t)
			defer func() { r.stop(); web.Close() }()
			path := map[string]string{"streamable": "/mcp", "sse": "/sse"}[name] // the transport is found out
			must.Do(t, r.Add(t.Context(), hub.Spec{Name: "herons", URL: web.URL + path, Headers: map[string]string{"X-Key": "hunter2"}}))
			r.joined("herons")
			if e := r.Experts()[0]; e.Transport != hub.Remote || e.Command[0] != web.URL+path {
				t.Errorf("it is shown as %+v", e)
			}
			if got := r.call(t.Context(), "herons__fish", "trout"); got.Text != "herons eat trout" {
				t.Errorf("got %+v", got)
			}
			r.call(t.Context(), "herons__fish", "slowly", func(c *core.Call) {
				c.Progress = func(p core.ToolProgress) {
					if p.Message != "thinking" || p.Fraction != 0.5 {
						t.Errorf("its progress is %+v", p)
					}
					close(heard)
				}
			})
			r.call(t.Context(), "herons__fish", "nest")
			r.wait("its new tool", func(e core.Event) bool { b, ok := e.Body.(core.ExpertChanged); return ok && b.Name == "herons" })
			if got := r.call(t.Context(), "herons__fish", "flood"); got.OK() {
				t.Errorf("an answer of 10 MiB was read: %d bytes", len(got.Text))
			}
			if name == "sse" { // all answers come in one stream, which ended
				r.left("herons")
				r.joined("herons")
			}
			if got := r.call(t.Context(), "herons__fish", "frogs"); got.Text != "herons eat frogs" {
				t.Errorf("after that: %+v", got)
			}
		})
	}
}

func TestAServerThatRunsElsewhereAsksTheUser(t *testing.T) {
	s := server.NewMCPServer("shop", "1", server.WithToolCapabilities(true), server.WithElicitation())
	s.AddTool(mcp.NewTool("order"), func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		got, err := s.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{
			Message: "Which size?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"size": map[string]any{"type": "string"}}},
		}})
		if err != nil {
			return nil, err
		}
		return mcp.NewToolResultText(fmt.Sprint(got.Action, " ", got.Content)), nil
	})
	web := httptest.NewServer(server.NewStreamableHTTPServer(s))
	defer func() { web.CloseClientConnections(); web.Close() }()
	r := openWith(t, &link.Opener{Version: "test", Lookup: os.LookupEnv, Ask: func(_ context.Context, p core.Pause) (core.Answer, error) {
		if p.From != "shop" || p.Question != "Which size?" {
			t.Errorf("the user is asked %+v", p)
		}
		return core.Answer{ID: core.Accept, Data: json.RawMessage(`{"size":"XL"}`)}, nil
	}})
	must.Do(t, r.Add(t.Context(), hub.Spec{Name: "shop", URL: web.URL + "/mcp"}))
	r.joined("shop")
	if got := r.call(t.Context(), "shop__order", ""); got.Text != "accept map[size:XL]" {
		t.Errorf("got %+v", got)
	}
}

func TestAServerThatIsGoneLeavesAndComesBackWithItsSession(t *testing.T) {
	for name, handler := range transports() {
		t.Run(name, func(t *testing.T) {
			web := httptest.NewServer(handler(herons(nil)))
			r := open(t)
			defer r.stop()
			must.Do(t, r.Add(t.Context(), hub.Spec{Name: "herons", URL: web.URL + "/" + map[string]string{"streamable": "mcp", "sse": "sse"}[name]}))
			r.joined("herons")
			address := web.Listener.Addr().String()
			web.CloseClientConnections()
			web.Close()
			if name == "streamable" { // no stream has ended with it
				r.call(t.Context(), "herons__fish", "trout")
			}
			if left := r.left("herons"); left.Reason != core.LeftLost {
				t.Errorf("it left as %+v", left)
			}
			again := httptest.NewUnstartedServer(handler(herons(nil)))
			listener := must.Get(listenAgain(t.Context(), address))(t)
			again.Listener = listener
			again.Start()
			defer func() { r.stop(); again.Close() }()
			r.joined("herons")
			if got := r.call(t.Context(), "herons__fish", "trout"); got.Text != "herons eat trout" {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestAnAddressWhereNoServerAnswersIsToldSo(t *testing.T) {
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	defer elsewhere.Close()
	for says, handler := range map[string]http.HandlerFunc{
		"no MCP server answers there":  http.NotFound,
		"it wants to know who you are": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"it leads to another address": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		},
		"no MCP server answers there: it sends text/plain": func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "hello") },
	} {
		web := httptest.NewServer(handler)
		r := open(t)
		must.Do(t, r.Add(t.Context(), hub.Spec{Name: "herons", URL: web.URL}))
		if got := r.state("herons", core.ExpertRestarting); !strings.Contains(got.Message, says) {
			t.Errorf("it says %q, not %q", got.Message, says)
		}
		r.stop()
		web.Close()
	}
}

func TestAServerElsewhereThatSpeaksAnotherVersionIsRefusedOnce(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		answer := `"error":{"code":-32601,"message":"unknown"}`
		if json.NewDecoder(r.Body).Decode(&m) == nil && m.Method == "initialize" {
			answer = `"result":{"protocolVersion":"2099-01-01","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer)
	}))
	defer web.Close()
	r := open(t)
	defer r.stop()
	must.Do(t, r.Add(t.Context(), hub.Spec{Name: "herons", URL: web.URL}))
	if got := r.state("herons", core.ExpertQuarantined); !strings.Contains(got.Message, `"2099-01-01"`) {
		t.Errorf("it says %q", got.Message)
	}
}

func listenAgain(ctx context.Context, address string) (net.Listener, error) {
	return new(net.ListenConfig).Listen(ctx, "tcp", address)
}

func TestAServerWhoseCertificateNobodyVouchesForIsNotTalkedTo(t *testing.T) {
	web := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it is told something") }))
	web.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	web.StartTLS()
	defer web.Close()
	r := openWith(t, &link.Opener{Version: "test"})
	defer r.stop()
	must.Do(t, r.Add(t.Context(), hub.Spec{Name: "herons", URL: web.URL}))
	if got := r.state("herons", core.ExpertRestarting); !strings.Contains(got.Message, "certificate") {
		t.Errorf("it says %q", got.Message)
	}
}
