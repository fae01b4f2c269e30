package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/orchestrator"
	"github.com/yaap-chat/yaap/core/room"
)

// listedByReadmes are the servers of other people whose README says what to write into
// a list of servers: the package, the entry, and what its text holds, where the README
// has several of that name.
var listedByReadmes = []struct{ from, entry, with string }{
	{"@modelcontextprotocol/server-everything", "everything", ""},
	{"@modelcontextprotocol/server-filesystem", "filesystem", ""},
	{"@modelcontextprotocol/server-memory", "memory", "MEMORY_FILE_PATH"},
	{"@modelcontextprotocol/server-sequential-thinking", "sequential-thinking", ""},
	{"@modelcontextprotocol/server-github", "github", ""},                     // SDK 1.0
	{"mcp-sequentialthinking-tools", "mcp-sequentialthinking-tools", ""},      // SDK 1.15
	{"@modelcontextprotocol/server-map", "map", ""},                           // SDK 2.0
	{"@modelcontextprotocol/server-budget-allocator", "budget-allocator", ""}, // SDK 2.0
	{"@cyanheads/git-mcp-server", "git-mcp-server", ""},                       // a framework of its own
	{"@notionhq/notion-mcp-server", "notionApi", ""},                          // tools made of an OpenAPI document
	{"@antv/mcp-server-chart", "AntV Map", ""},
	{"mcp-server-code-runner", "mcp-server-code-runner", ""},
	{"@playwright/mcp", "playwright", ""},
	{"chrome-devtools-mcp", "chrome-devtools", ""},
	{"mcp-remote", "remote-example", "AUTH_TOKEN"}, // carries the SDK's own example of a remote server
}

// listedElsewhere is what the documents of others say to write into .vscode/mcp.json:
// those of ESLint, and two examples of the TypeScript SDK.
const listedElsewhere = `{"servers": {
	"ESLint": {"type": "stdio", "command": "npx", "args": ["@eslint/mcp@latest"]},
	"weather": {"command": "node", "args": ["$SDK/mcpServerOutputSchema.js"]},
	"streamable": {"type": "http", "url": "$REMOTE"},
}}`

// The README lists the server as npx starts it: that would ask the registry. Another
// npx stands before it, which starts what is installed.
const npxThatAsksNobody = `#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
name=${1%%@latest}; shift
exec node '%s'/"$name" "$@"
`

// entryOf returns an entry of a list of servers in the words of a README.
func entryOf(t *testing.T, readme, name, with string) string {
	t.Helper()
	for _, at := range regexp.MustCompile(strconv.Quote(name)+`:\s*\{`).FindAllStringIndex(readme, -1) {
		depth := 0
		end := strings.IndexFunc(readme[at[0]:], func(c rune) bool {
			depth += map[rune]int{'{': 1, '}': -1}[c]
			return c == '}' && depth == 0
		})
		entry := readme[at[0] : at[0]+end+1]
		if strings.Contains(entry, `"command": "npx"`) && strings.Contains(entry, with) {
			return entry
		}
	}
	t.Fatalf("the README lists no %s", name)
	return ""
}

// remoteExample starts the SDK's example of a server on Streamable HTTP, and returns its
// address.
func remoteExample(t *testing.T, sdk string) string {
	t.Helper()
	free := must.Get(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	_, port, _ := net.SplitHostPort(free.Addr().String())
	must.Do(t, free.Close())
	example := exec.CommandContext(t.Context(), "node", filepath.Join(sdk, "simpleStreamableHttp.js"))
	example.Env = append(os.Environ(), "MCP_PORT="+port)
	example.Stderr = os.Stderr
	out, err := example.StdoutPipe()
	if err == nil {
		err = example.Start()
	}
	must.Do(t, err)
	t.Cleanup(func() { _ = example.Wait() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if strings.Contains(lines.Text(), "listening on port") {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return "http://localhost:" + port + "/mcp"
		}
	}
	t.Fatal("the SDK's example does not start")
	return ""
}

// adopted writes the lists of a project in a directory, as the READMEs have them, and
// puts the npx before all others.
func adopted(t *testing.T, npm, dir string) {
	t.Helper()
	modules := filepath.Join(npm, "node_modules")
	sdk := filepath.Join(modules, "@modelcontextprotocol", "sdk", "dist", "esm", "examples", "server")
	bin := t.TempDir()
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	remote := remoteExample(t, sdk)
	fill := strings.NewReplacer( // what a README leaves to its reader
		"/Users/username/Desktop", dir, "/path/to/other/allowed/dir", dir, "/path/to/custom/memory.jsonl", filepath.Join(dir, "memory.jsonl"),
		`"GIT_SIGN_COMMITS": "true"`, `"GIT_SIGN_COMMITS": "false"`, "https://remote.mcp.server/sse", remote, "$REMOTE", remote, "$SDK", sdk)
	install := func(name string) {
		var manifest struct{ Bin json.RawMessage }
		raw, err := os.ReadFile(filepath.Join(modules, name, "package.json"))
		if err == nil {
			err = json.Unmarshal(raw, &manifest)
		}
		var start string
		if json.Unmarshal(manifest.Bin, &start) != nil {
			var named map[string]string
			err = cmp.Or(err, json.Unmarshal(manifest.Bin, &named))
			start = named[filepath.Base(name)]
			for _, only := range named {
				start = cmp.Or(start, only)
			}
		}
		at := filepath.Join(bin, "installed", name)
		if err = cmp.Or(err, os.MkdirAll(filepath.Dir(at), 0o700)); err == nil {
			err = os.Symlink(filepath.Join(modules, name, start), at)
		}
		must.Do(t, err)
	}
	write := func(path, text string, mode os.FileMode) {
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, []byte(text), mode))
	}
	var entries []string
	for _, s := range listedByReadmes {
		install(s.from)
		readme := must.Get(os.ReadFile(filepath.Join(modules, s.from, "README.md")))(t)
		entries = append(entries, entryOf(t, string(readme), s.entry, s.with))
	}
	install("@eslint/mcp")
	write(filepath.Join(bin, "npx"), fmt.Sprintf(npxThatAsksNobody, filepath.Join(bin, "installed")), 0o700)
	for name, text := range map[string]string{
		"dot.png": "\x89PNG\r\n\x1a\n", "lint.js": "var heron;\n", "eslint.config.js": `module.exports = [{rules: {"no-unused-vars": "error"}}]`,
	} {
		write(filepath.Join(dir, name), text, 0o600)
	}
	write(filepath.Join(dir, ".mcp.json"), fill.Replace(`{"mcpServers": {`+strings.Join(entries, ",\n")+`}}`), 0o600)
	write(filepath.Join(dir, ".vscode", "mcp.json"), fill.Replace(listedElsewhere), 0o600)
}

// once is a tool of a server, and what it is called with; or why it is not.
type once struct{ server, tool, args, answers, not string }

// tableOfCalls reads testdata/servers.txt.
func tableOfCalls(t *testing.T) []once {
	t.Helper()
	var calls []once
	for _, line := range tableLines(t, "servers.txt") {
		server, rest, _ := strings.Cut(line, " ")
		if why, tools, ok := strings.Cut(rest, ": "); ok && strings.HasPrefix(why, "not called, ") {
			for tool := range strings.FieldsSeq(tools) {
				calls = append(calls, once{server: server, tool: tool, not: why})
			}
			continue
		}
		tool, rest, _ := strings.Cut(rest, " ")
		args, answers, ok := strings.Cut(rest, " => ")
		if !ok {
			t.Fatalf("testdata/servers.txt: %s", line)
		}
		calls = append(calls, once{server: server, tool: tool, args: args, answers: answers})
	}
	return calls
}

// It needs the packages that .ci/npm installs.
func TestEveryServerThatAReadmeListsJoinsAndItsToolsAnswer(t *testing.T) {
	npm := os.Getenv("YAAP_NPM")
	if npm == "" {
		t.Skip("NOT RUN: it needs node and MCP servers from npm; YAAP_NPM=$(.ci/npm) installs them")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must.Do(t, err)
	adopted(t, npm, dir)
	calls := tableOfCalls(t)
	var names []string
	for _, c := range calls {
		if !slices.Contains(names, c.server) {
			names = append(names, c.server)
		}
	}
	t.Setenv("YAAP_BUILTIN", "none")
	t.Setenv("TMPDIR", t.TempDir()) // they leave files there
	t.Setenv("HOME", t.TempDir())   // of those servers
	a := roomWith(t, dir, nil, names...)
	home := filepath.Dir(a.Config.StateDir)                       // of the room
	must.Do(t, os.Mkdir(filepath.Join(home, "Developer"), 0o700)) // where a README says that work lies
	feed := a.Feed()
	defer feed.Close()
	place := strings.NewReplacer("$DIR", dir, "$HOME", home)
	err = a.Run(t.Context(), func(ctx context.Context) error {
		if err := a.Settle(ctx); err != nil {
			return err
		}
		onTheWay := func(e core.Expert) bool { return e.State == core.ExpertJoining || e.State == core.ExpertRestarting }
		for slices.ContainsFunc(a.Hub().Experts(), onTheWay) { // on a busy machine 18 take long
			if _, err := feed.Next(ctx); err != nil {
				return err
			}
		}
		everyToolIsNamed(t, a, calls)
		for _, c := range calls {
			if c.not != "" {
				continue
			}
			result, err := a.Ask(ctx, orchestrator.NewThread(), "@"+c.server+"__"+c.tool+" "+place.Replace(c.args))
			if got := result.Reply; err != nil || got.Status != core.StatusSuccess || !strings.Contains(got.Message, place.Replace(c.answers)) {
				t.Errorf("%s %s %s\n%s %v\n%s", c.server, c.tool, c.args, got.Status, err, got.Message)
			}
		}
		return nil
	})
	must.Do(t, err)
}

// everyToolIsNamed fails the test for a server that is not in the room, and for a tool
// that the table does not name.
func everyToolIsNamed(t *testing.T, a *room.Room, calls []once) {
	t.Helper()
	named := map[string]bool{}
	for _, c := range calls {
		named[c.server+" "+c.tool] = true
	}
	there := map[string]bool{}
	for _, e := range a.Hub().Experts() {
		if !e.Present() {
			t.Errorf("%s is not in the room: %s", e.Name, e.Message)
		}
		tools := e.Omitted
		for _, tool := range e.Tools {
			tools = append(tools, strings.TrimPrefix(tool.Name, e.Name+"__"))
		}
		for _, tool := range tools {
			tool, _, _ = strings.Cut(tool, ":")
			if there[e.Name+" "+tool] = true; !named[e.Name+" "+tool] {
				t.Errorf("testdata/servers.txt does not say what becomes of %s %s", e.Name, tool)
			}
		}
	}
	for tool := range named {
		if !there[tool] {
			t.Errorf("there is no %s", tool)
		}
	}
	t.Logf("%d servers with %d tools are in the room", len(a.Hub().Experts()), len(there))
}
