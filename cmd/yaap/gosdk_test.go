package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/must"
)

// What is written with the Go SDK of MCP uses the room, and is an expert of it over
// each transport. The SDK comes from the Go proxy, so that it is tried where the
// packages of npm are.
func TestProgramsOfTheGoSDKUseTheRoomAndJoinIt(t *testing.T) {
	if os.Getenv("YAAP_NPM") == "" {
		t.Skip("NOT RUN: it needs the Go SDK of MCP; it is run where YAAP_NPM=$(.ci/npm) is set")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "gosdk")
	source := must.Get(filepath.Abs("testdata/gosdk"))(t)
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Dir = source
	build.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	editor := exec.CommandContext(t.Context(), program, "edit", dir)
	editor.Env = append(os.Environ(), "HOME="+dir)
	out, err := editor.CombinedOutput()
	if want := "calc: **100.8** = 12% × 840\nchat: success calc is asked\nexperts: calc, clock\n"; err != nil || string(out) != want {
		t.Errorf("it says %v\n%s", err, out)
	}

	web := exec.CommandContext(t.Context(), program, "web")
	input := must.Get(web.StdinPipe())(t)
	said := must.Get(web.StdoutPipe())(t)
	must.Do(t, web.Start())
	defer web.Wait()    //nolint:errcheck // it ends with its input
	defer input.Close() //nolint:errcheck // of a test
	address := must.Get(bufio.NewReader(said).ReadString('\n'))(t)
	address = strings.TrimSpace(address)
	list := fmt.Sprintf(`{"mcpServers": {"today": {"type": "http", "url": "%s/mcp"}, "older": {"type": "sse", "url": "%s/sse"}, "child": {"command": %q, "args": ["stdio"]}}}`, address, address, program)
	must.Do(t, os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(list), 0o600))
	for _, name := range []string{"today", "older", "child"} {
		asked := exec.CommandContext(t.Context(), "yaap", "run", "-q", "--dir", dir, "--builtin", "none", "--allow", "today", "--allow", "older", "--allow", "child", "@"+name+" count species=heron limit=2")
		asked.Env = append(os.Environ(), "HOME="+dir)
		if out, err := asked.CombinedOutput(); err != nil || string(out) != "{\"birds\":7}\n" {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
