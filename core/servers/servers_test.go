package servers_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/servers"
)

func place(t *testing.T) servers.Place {
	t.Helper()
	vars := map[string]string{"TOKEN": "t0k", "EMPTY": "", "HOST": "example.org"}
	return servers.Place{
		File: ".mcp.json", Dir: "/work/shop", Home: "/home/ada",
		Lookup: func(name string) (string, bool) { value, ok := vars[name]; return value, ok },
	}
}

func read(t *testing.T, text string) servers.List {
	t.Helper()
	list := must.Get(servers.Read(place(t), []byte(text)))(t)
	return list
}

// Entries as the documents of the programs show them.
func TestAnEntryIsReadAsTheProgramThatItWasWrittenForReadsIt(t *testing.T) {
	for program, c := range map[string]struct {
		text string
		want servers.Server
	}{
		"Claude Desktop": {
			`{"mcpServers": {"filesystem": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"]}}}`,
			servers.Server{Name: "filesystem", Command: []string{"npx", "-y", "@modelcontextprotocol/server-filesystem", "/tmp"}},
		},
		"Claude Code, local": {
			`{"mcpServers": {"db": {"type": "stdio", "command": "${HOME_BIN:-/usr/bin}/db", "args": ["--host=${HOST}"], "env": {"KEY": "${TOKEN}", "PORT": 8080}}}}`,
			servers.Server{Name: "db", Command: []string{"/usr/bin/db", "--host=example.org"}, Env: map[string]string{"KEY": "t0k", "PORT": "8080"}},
		},
		"Claude Code, remote": {
			`{"mcpServers": {"api": {"type": "http", "url": "https://${HOST:-x}/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}}}`,
			servers.Server{Name: "api", URL: "https://example.org/mcp", Headers: map[string]string{"Authorization": "Bearer t0k"}},
		},
		"Claude Code, SSE": {
			`{"mcpServers": {"asana": {"type": "sse", "url": "https://mcp.asana.com/sse"}}}`,
			servers.Server{Name: "asana", URL: "https://mcp.asana.com/sse", SSE: true},
		},
		"Cursor": {
			`{"mcpServers": {"GitHub": {"command": "python", "args": ["${workspaceFolder}/tools/mcp.py"], "env": {"API_KEY": "${env:TOKEN}"}}}}`,
			servers.Server{Name: "github", Written: "GitHub", Command: []string{"python", "/work/shop/tools/mcp.py"}, Env: map[string]string{"API_KEY": "t0k"}},
		},
		"Windsurf": {
			`{"mcpServers": {"figma": {"serverUrl": "https://mcp.figma.com/mcp", "disabledTools": ["delete"], "headers": {"API_KEY": "Bearer ${env:TOKEN}"}}}}`,
			servers.Server{Name: "figma", URL: "https://mcp.figma.com/mcp", Headers: map[string]string{"API_KEY": "Bearer t0k"}, Without: []string{"delete"}},
		},
		"Gemini CLI": {
			`{"mcpServers": {"pythonTools": {"command": "python", "args": ["-m", "my_mcp"], "cwd": "./mcp", "timeout": 15000, "includeTools": ["safe"], "excludeTools": ["rm"], "trust": true}}}`,
			servers.Server{Name: "pythontools", Written: "pythonTools", Command: []string{"python", "-m", "my_mcp"}, Dir: "/work/shop/mcp", Timeout: 15 * time.Second, Only: []string{"safe"}, Without: []string{"rm"}},
		},
		"mcp-remote, which fills in its own variable": {
			`{"mcpServers": {"remote": {"command": "npx", "args": ["mcp-remote", "https://x.example/sse", "--header", "Authorization: Bearer ${AUTH_TOKEN}"], "env": {"AUTH_TOKEN": "..."}}}}`,
			servers.Server{Name: "remote", Command: []string{"npx", "mcp-remote", "https://x.example/sse", "--header", "Authorization: Bearer ${AUTH_TOKEN}"}, Env: map[string]string{"AUTH_TOKEN": "..."}},
		},
		"Gemini CLI, HTTP": {
			`{"mcpServers": {"h": {"httpUrl": "http://localhost:3000/mcp", "timeout": 5000}}, "theme": "dark"}`,
			servers.Server{Name: "h-mcp", Written: "h", URL: "http://localhost:3000/mcp", Timeout: 5 * time.Second},
		},
		"VS Code, with comments": {
			"{\n // servers\n \"servers\": {\"playwright\": {\"type\": \"stdio\", \"command\": \"npx\", \"args\": [\"-y\", \"@microsoft/mcp-server-playwright\",],},},\n}",
			servers.Server{Name: "playwright", Command: []string{"npx", "-y", "@microsoft/mcp-server-playwright"}},
		},
		"VS Code, which asks for a key": {
			`{"inputs": [{"id": "token", "type": "promptString", "password": true}], "servers": {"api": {"command": "x", "env": {"KEY": "${input:token}"}}}}`,
			servers.Server{Name: "api", Command: []string{"x"}, Env: map[string]string{"KEY": "t0k"}},
		},
		"opencode, local": {
			`{"$schema": "https://opencode.ai/config.json", "mcp": {"everything": {"type": "local", "command": ["npx", "-y", "@modelcontextprotocol/server-everything"], "environment": {"K": "{env:TOKEN}"}, "enabled": true, "timeout": 5000}}}`,
			servers.Server{Name: "everything", Command: []string{"npx", "-y", "@modelcontextprotocol/server-everything"}, Env: map[string]string{"K": "t0k"}, Timeout: 5 * time.Second},
		},
		"opencode, remote": {
			`{"mcp": {"context7": {"type": "remote", "url": "https://mcp.context7.com/mcp", "headers": {"X": "{env:TOKEN}"}}}}`,
			servers.Server{Name: "context7", URL: "https://mcp.context7.com/mcp", Headers: map[string]string{"X": "t0k"}},
		},
		"crush": {
			`{"mcp": {"fs": {"type": "stdio", "command": "node", "args": ["~/mcp.js"], "timeout": 120, "disabled": false, "disabled_tools": ["x"], "env": {"NODE_ENV": "$TOKEN"}}}}`,
			servers.Server{Name: "fs", Command: []string{"node", "/home/ada/mcp.js"}, Env: map[string]string{"NODE_ENV": "t0k"}, Timeout: 2 * time.Minute, Without: []string{"x"}},
		},
		"a list of variables": {
			`{"mcpServers": {"x1": {"command": "x", "env": ["K=v", "TOKEN"]}}}`,
			servers.Server{Name: "x1", Command: []string{"x"}, Env: map[string]string{"K": "v", "TOKEN": "t0k"}},
		},
	} {
		c.want.File = ".mcp.json"
		if c.want.Written == "" {
			c.want.Written = c.want.Name
		}
		list := read(t, c.text)
		if len(list.Servers) != 1 || len(list.Faults) > 0 {
			t.Errorf("%s: got %+v", program, list)
			continue
		}
		got := list.Servers[0]
		for _, empty := range []*map[string]string{&got.Env, &got.Headers} {
			if len(*empty) == 0 {
				*empty = nil
			}
		}
		if got.Raw == nil || !strings.Contains(c.text, `"`+got.List+`"`) {
			t.Errorf("%s: of the list %q it has %s", program, got.List, got.Raw)
		}
		got.List, got.Raw = "", nil
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", program, diff)
		}
	}
}

func TestAnEntryMaySayAsWhatYaapWasRegistered(t *testing.T) {
	for program, c := range map[string]struct {
		text string
		want core.OAuthClient
	}{
		"Claude Code": {
			`{"mcpServers": {"crm": {"type": "http", "url": "https://crm.example/mcp", "oauth": {"clientId": "yaap-1", "callbackPort": 8080, "scopes": "read write"}}}}`,
			core.OAuthClient{ID: "yaap-1", Scopes: []string{"read", "write"}, Redirect: "http://localhost:8080/callback"},
		},
		"VS Code and opencode": {
			`{"servers": {"crm": {"type": "http", "url": "https://crm.example/mcp", "oauth": {"clientId": "yaap-1", "clientSecret": "${env:TOKEN}", "scope": "read"}}}}`,
			core.OAuthClient{ID: "yaap-1", Secret: "t0k", Scopes: []string{"read"}},
		},
		"Gemini CLI": {
			`{"mcpServers": {"crm": {"httpUrl": "https://crm.example/mcp", "oauth": {"enabled": true, "clientId": "yaap-1", "clientSecret": "s", "scopes": ["read"], "redirectUri": "http://localhost:7777/oauth/callback"}}}}`,
			core.OAuthClient{ID: "yaap-1", Secret: "s", Scopes: []string{"read"}, Redirect: "http://localhost:7777/oauth/callback"},
		},
		"Cursor": {
			`{"mcpServers": {"crm": {"url": "https://crm.example/mcp", "auth": {"CLIENT_ID": "yaap-1", "CLIENT_SECRET": "${env:TOKEN}", "scopes": ["read"]}}}}`,
			core.OAuthClient{ID: "yaap-1", Secret: "t0k", Scopes: []string{"read"}},
		},
		"opencode, not signed in to": {
			`{"mcp": {"crm": {"type": "remote", "url": "https://crm.example/mcp", "oauth": false}}}`,
			core.OAuthClient{},
		},
	} {
		list := read(t, c.text)
		if len(list.Servers) != 1 || len(list.Faults) > 0 {
			t.Errorf("%s: got %+v", program, list)
			continue
		}
		if diff := cmp.Diff(c.want, list.Servers[0].OAuth); diff != "" {
			t.Errorf("%s (-want +got)\n%s", program, diff)
		}
	}
}

func TestTheListsWithinOtherSettingsAreRead(t *testing.T) {
	for text, want := range map[string]string{
		`{"editor.fontSize": 12, "mcp": {"inputs": [], "servers": {"one": {"command": "x"}}}}`:                                                                                                   "one",
		`{"numStartups": 3, "mcpServers": {"all": {"command": "x"}}, "projects": {"/work/shop": {"mcpServers": {"own": {"command": "y"}}}, "/other": {"mcpServers": {"no": {"command": "z"}}}}}`: "all own",
		`{"projects": {"/work/shop": {"mcpServers": {"own": {"command": "y"}}}}}`:                                                                                                                "own",
	} {
		var names []string
		for _, s := range read(t, text).Servers {
			names = append(names, s.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s\nlists %s, want %s", text, got, want)
		}
	}
}

func TestAFaultOfAnEntryCostsThatEntry(t *testing.T) {
	list := read(t, `{"mcpServers": {
		"ok": {"command": "x"},
		"off": {"command": "x", "disabled": true},
		"lost": {"command": "x", "env": {"K": "${NOWHERE}"}},
		"input": {"command": "x", "args": ["${input:api-key}"]},
		"command": {"command": "x", "args": ["${command:pick}"]},
		"empty": {},
		"odd": {"command": {"a": 1}},
		"file": {"url": "file:///etc/passwd"},
		"!!!": {"command": "x"},
		"list": ["x"]
	}, "mcp": {"shell": {"command": "echo", "args": ["$(rm -rf /)"]}}}`)
	if len(list.Servers) != 1 || list.Servers[0].Name != "ok" || !cmp.Equal(list.Off, []string{"off"}) {
		t.Errorf("got %+v", list)
	}
	var why []string
	for _, f := range list.Faults {
		why = append(why, f.Written+": "+f.Err.Error())
	}
	all := strings.Join(why, "\n")
	for _, want := range []string{"lost: it needs the variable NOWHERE", "input: it needs the variable API_KEY", "command: ${command:pick} cannot be filled in", "empty: it has neither", "odd: it is not written", "file: it has neither", "!!!: no name", "list: it is not written", "shell: "} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if len(list.Faults) != 9 || core.HintOf(list.Faults[4].Err) == "" && core.HintOf(list.Faults[3].Err) == "" {
		t.Errorf("%d faults:\n%s", len(list.Faults), all)
	}
}

func TestTwoEntriesWithOneNameHaveTwo(t *testing.T) {
	list := read(t, `{"mcpServers": {"git hub": {"command": "a"}, "git-hub": {"command": "b"}}}`)
	if len(list.Servers) != 2 || list.Servers[0].Name != "git-hub" || list.Servers[1].Name != "git-hub-mcp" {
		t.Errorf("got %+v", list)
	}
}

func TestAFileThatListsNothingIsRefused(t *testing.T) {
	for _, text := range []string{"", "[]", "{", `{"theme": "dark"}`, `{"mcpServers": []}`, `"x"`} {
		if _, err := servers.Read(place(t), []byte(text)); core.CodeOf(err) != core.CodeInvalid {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestAFileOfVariablesIsReadBelowThoseOfTheEntry(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, ".env"), []byte("# keys\nexport A=1\nB=\"two\"\nC=3\n"), 0o600))
	p := place(t)
	p.Dir = dir
	list, err := servers.Read(p, []byte(`{"servers": {"sv": {"command": "x", "envFile": "${workspaceFolder}/.env", "env": {"C": "4"}}, "no": {"command": "x", "envFile": "nowhere"}}}`))
	if err != nil || len(list.Servers) != 1 || len(list.Faults) != 1 {
		t.Fatal(list, err)
	}
	must.Equal(t, map[string]string{"A": "1", "B": "two", "C": "4"}, list.Servers[0].Env)
}
