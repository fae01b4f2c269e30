package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub/login"
	"github.com/yaap-chat/yaap/core/hub/login/logintest"
	"github.com/yaap-chat/yaap/core/must"
)

// browse [FIFO] ADDRESS is the browser of a user who says yes to whatever is asked
// there or, with FIFO, writes that into it and leaves it at that.
func browse() {
	if len(os.Args) > 2 {
		diary, err := os.OpenFile(os.Args[1], os.O_WRONLY, 0)
		if err != nil {
			programFailed(err)
		}
		note(diary, "asked")
		return
	}
	if os.Getenv("NOBODY") != "" {
		return
	}
	response, err := http.Get(os.Args[1]) //nolint:noctx // of a test
	if err != nil {
		programFailed(err)
	}
	if _ = response.Body.Close(); response.StatusCode != http.StatusOK {
		programFailed(errors.New(response.Status))
	}
}

// heronsBehindALogin is an MCP server that knows grey herons, and wants its users to
// sign in.
func heronsBehindALogin(t *testing.T) *logintest.Servers {
	t.Helper()
	s := server.NewMCPServer("herons", "1", server.WithInstructions("Knows grey herons: what they eat, where they nest."), server.WithToolCapabilities(true))
	s.AddTool(mcp.NewTool("fish", mcp.WithDescription("What herons eat."), mcp.WithReadOnlyHintAnnotation(true), mcp.WithDestructiveHintAnnotation(false), mcp.WithOpenWorldHintAnnotation(false), mcp.WithString("prompt", mcp.Required())),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("Herons eat fish, mostly."), nil
		})
	return logintest.New(t, server.NewStreamableHTTPServer(s))
}

func TestTheUserSignsInInTheChatOrGivesItUp(t *testing.T) {
	web := heronsBehindALogin(t)
	s := openScreen(t, 120, 40)
	s.see(`calc, clock, data, files, git are in the room`)
	s.write("XDG_CONFIG_HOME/yaap/config.yaml", "experts:\n  herons: {url: "+web.URL+"}\n")
	s.see(`! herons +it wants you to sign in: /experts login herons`)
	s.see(`herons +signed out`) // beside the chat

	s.enter("/experts herons")
	s.see(`herons \(signed-out\)`)
	s.see(`(?s)signed-out\).*it wants you to sign in: /experts login herons`)

	t.Setenv("NOBODY", "is at the browser")
	s.enter("/experts login herons")
	s.see(`sign in to herons at`)
	s.see(`esc gives it up`)
	s.press("\x1b")
	s.see(`given up`)

	t.Setenv("NOBODY", "")
	s.enter("/experts login herons")
	s.see(`You are signed in to herons`)
	s.see(`herons +idle`)
	s.enter("@herons fish prompt=carp")
	s.see(`Herons eat fish, mostly`)
	s.enter("/experts logout herons")
	s.see(`The login at herons is forgotten`)
	s.see(`herons +signed out`)

	logins := login.New(filepath.Join(s.home, "XDG_STATE_HOME", "yaap"))
	signIn := func(address, _ string) { go func() { _, _ = web.Browse(address) }() }
	must.Do(t, logins.Login(t.Context(), web.URL, core.OAuthClient{}, signIn)) // in another terminal
	s.see(`herons +idle`)
	s.quit()
}

func TestAServerElsewhereIsReachedThroughTheProxyOfTheEnvironment(t *testing.T) {
	s := server.NewMCPServer("herons", "1", server.WithToolCapabilities(true))
	s.AddTool(mcp.NewTool("fish", mcp.WithReadOnlyHintAnnotation(true)), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("Herons eat fish."), nil
	})
	herons := server.NewStreamableHTTPServer(s)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Host != "herons.example" {
			t.Errorf("the proxy is asked for %s", r.URL)
		}
		r.Host = "localhost" // the server takes no other name here
		herons.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	defer proxy.CloseClientConnections()
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(`{"mcpServers": {"herons": {"type": "http", "url": "http://herons.example/mcp"}}}`), 0o600))
	asked := exec.CommandContext(t.Context(), "yaap", "run", "-q", "--dir", dir, "--builtin", "none", "--allow", "herons", "@herons fish")
	asked.Env = append(os.Environ(), "HOME="+dir, "HTTP_PROXY="+proxy.URL)
	if out, err := asked.CombinedOutput(); err != nil || string(out) != "Herons eat fish.\n" {
		t.Errorf("%v\n%s", err, out)
	}
}
