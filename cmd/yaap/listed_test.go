package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/server"
)

func (s *screen) write(name, text string) {
	s.t.Helper()
	write(s.t, filepath.Join(s.home, filepath.FromSlash(name)), text)
}

func TestAnExpertThatAFileOfTheProjectListsComesOnceItIsLetInAndGoesWithItsEntry(t *testing.T) {
	s := openScreen(t, 120, 40)
	s.see(`calc, clock, data, files, git are in the room`)
	s.write(".mcp.json", `{"mcpServers": {"Heron": {"command": "heron"}, "lost": {"command": "heron", "env": {"K": "${NOWHERE}"}}}}`)
	s.see(`lost in \.mcp\.json cannot come: it needs the variable NOWHERE`)
	s.see(`\.mcp\.json lists it`)
	s.decide("w")
	s.see(`git, heron are in the room`)
	s.enter("what do herons eat?")
	s.see(`Herons eat fish`)

	s.write(".mcp.json", `{"mcpServers": {"Heron": {"command": "heron", "args": ["mute"]}}}`)
	s.see(`← heron left`)
	s.see(`starts +“heron mute”`) // another command is let in anew
	s.decide("d")
	s.write(".vscode/mcp.json", `{"servers": {"newt": {"type": "stdio", "command": "heron", "args": ["called", "newt"]}}}`)
	s.see(`\.vscode/mcp\.json lists it`)
	s.decide("d")
	s.write(".mcp.json", `{"mcpServers": {"Heron": {"command": "heron"}}}`) // as it was let in
	s.see(`→ heron (is back|joined)`)
	s.quit()
}

func TestAnAddressIsBroughtInAndKept(t *testing.T) {
	web := httptest.NewServer(server.NewStreamableHTTPServer(server.NewMCPServer("herons", "1", server.WithInstructions("Knows grey herons."), server.WithToolCapabilities(true))))
	defer func() { web.CloseClientConnections(); web.Close() }()
	s := openScreen(t, 120, 40)
	s.see(`calc, clock, data, files, git are in the room`)
	s.enter("/experts add " + web.URL + "/mcp --keep")
	s.see(`is listed in`)
	kept, err := os.ReadFile(filepath.Join(s.home, "XDG_CONFIG_HOME", "yaap", "config.yaml"))
	if err != nil || !strings.Contains(string(kept), "url: "+web.URL) {
		t.Errorf("%s, %v", kept, err)
	}
	s.quit()
}
