package link_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/link"
	"github.com/yaap-chat/yaap/core/must"
)

// TestServersOfOtherPeopleAreExperts needs the packages that .ci/npm installs.
func TestServersOfOtherPeopleAreExperts(t *testing.T) {
	bin := os.Getenv("YAAP_NPM")
	if bin == "" {
		t.Skip("NOT RUN: it needs node and MCP servers from npm; YAAP_NPM=$(.ci/npm) installs them")
	}
	bin = filepath.Join(bin, "node_modules", ".bin")
	dir := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	memory := filepath.Join(dir, "memory.json")
	readme := filepath.Join(dir, "readme.txt")
	must.Do(t, os.WriteFile(readme, []byte("herons eat fish"), 0o600))
	r := openWith(t, &link.Opener{Version: "test", Lookup: func(name string) (string, bool) {
		if name == "MEMORY_FILE_PATH" {
			return memory, true
		}
		return os.LookupEnv(name)
	}})
	call := func(tool, args string) core.ToolResult {
		t.Helper()
		found, ok := r.Tools().Find(tool)
		if !ok {
			t.Fatalf("there is no tool %s", tool)
		}
		result := must.Get(found.Call(t.Context(), core.Call{ID: "1", Tool: tool, Args: json.RawMessage(args)}))(t)
		return result
	}
	quoted := func(s string) string {
		raw := must.Get(json.Marshal(s))(t)
		return string(raw)
	}
	for _, c := range []struct {
		name  string
		spec  hub.Spec
		tools []string
	}{
		{"everything", hub.Spec{Command: []string{filepath.Join(bin, "mcp-server-everything")}}, []string{"echo", "get-sum"}},
		{"memory", hub.Spec{Command: []string{filepath.Join(bin, "mcp-server-memory")}, Env: []string{"MEMORY_FILE_PATH"}}, []string{"create_entities", "read_graph"}},
		{"filesystem", hub.Spec{Name: "filesystem", Command: []string{filepath.Join(bin, "mcp-server-filesystem"), dir}}, []string{"read_text_file"}},
	} {
		start := time.Now()
		must.Do(t, r.Add(t.Context(), c.spec))
		e := r.joinedSomeone()
		t.Logf("%s joined %s after its start with %d tools: %s", e.Name, time.Since(start).Round(time.Millisecond), len(e.Tools), e.Description)
		if e.Name != c.name || strings.TrimSpace(e.Description) == "" {
			t.Errorf("got %+v, want it to be called %s", e, c.name)
		}
		for _, tool := range c.tools {
			if !slices.Contains(e.Tools, c.name+"__"+tool) {
				t.Errorf("it has no tool %s: %v", tool, e.Tools)
			}
		}
	}
	if got := call("everything__echo", `{"message":"hi"}`); !got.OK() || got.Text != "Echo: hi" {
		t.Errorf("echo: got %+v", got)
	}
	if got := call("everything__echo", ``); got.OK() || got.Text == "" {
		t.Errorf("echo without arguments: got %+v", got)
	}
	if got := call("memory__create_entities", `{"entities":[{"name":"Ada","entityType":"heron","observations":["eats fish"]}]}`); !got.OK() {
		t.Errorf("create_entities: got %+v", got)
	}
	if got := call("memory__read_graph", `{}`); !got.OK() || !strings.Contains(got.Text, "eats fish") {
		t.Errorf("read_graph: got %+v", got)
	}
	if raw, err := os.ReadFile(memory); err != nil || !strings.Contains(string(raw), "Ada") {
		t.Errorf("the allowed variable did not reach it: %s, %v", raw, err)
	}
	if got := call("filesystem__read_text_file", `{"path":`+quoted(readme)+`}`); !got.OK() || got.Text != "herons eat fish" {
		t.Errorf("read_text_file: got %+v", got)
	}
	if got := call("filesystem__read_text_file", `{"path":"/etc/hostname"}`); got.OK() || !strings.Contains(got.Text, "Access denied") {
		t.Errorf("outside of its root: got %+v", got)
	}
}
