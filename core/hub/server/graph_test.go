package server_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/must"
)

// recordedGraph is what the package of that name offers and answered, in this order, to
// a client that called it on an empty graph.
type recordedGraph struct {
	Package string
	Tools   []map[string]any
	Calls   []struct {
		Tool      string
		Arguments map[string]any
		Result    map[string]any
	}
}

func recorded(t *testing.T) (r recordedGraph) {
	t.Helper()
	raw, err := os.ReadFile("testdata/server-memory.json")
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	must.Do(t, err)
	return r
}

func asMap(t *testing.T, v any) (m map[string]any) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(raw, &m)
	}
	must.Do(t, err)
	return m
}

func TestAClientOfServerMemoryFindsTheSameToolsAndAnswers(t *testing.T) {
	e := openMemoryAt(t, server.GraphPath)
	theirs := recorded(t)
	offered := must.Get(e.c.ListTools(t.Context(), mcp.ListToolsRequest{}))(t)
	ours := map[string]map[string]any{}
	for _, tool := range offered.Tools {
		m := asMap(t, tool)
		delete(m["annotations"].(map[string]any), "title")
		if in := m["inputSchema"].(map[string]any); len(in["properties"].(map[string]any)) == 0 {
			delete(in, "required") // the client of this test adds it
		}
		ours[tool.Name] = m
	}
	if len(ours) != len(theirs.Tools) {
		t.Errorf("there are %d tools, and %d of theirs", len(ours), len(theirs.Tools))
	}
	for _, tool := range theirs.Tools {
		delete(tool, "title")
		if diff := cmp.Diff(tool, ours[tool["name"].(string)]); diff != "" {
			t.Errorf("%s (-theirs +ours)\n%s", tool["name"], diff)
		}
	}
	for i, call := range theirs.Calls {
		request := mcp.CallToolRequest{}
		request.Params.Name, request.Params.Arguments = call.Tool, call.Arguments
		got := must.Get(e.c.CallTool(t.Context(), request))(t)
		m := asMap(t, got)
		if text := at(call.Result, "content", 0, "text").(string); strings.HasPrefix(text, "MCP error") { // what follows is their validator's
			begin, _, _ := strings.Cut(text, ": Invalid input")
			if ourText, _ := at(m, "content", 0, "text").(string); !got.IsError || !strings.HasPrefix(ourText, begin) {
				t.Errorf("call %d, %s: got %v", i, call.Tool, m)
			}
			continue
		}
		if diff := cmp.Diff(call.Result, m); diff != "" {
			t.Errorf("call %d, %s %v (-theirs +ours)\n%s", i, call.Tool, call.Arguments, diff)
		}
	}
}

func TestWhatAClientOfServerMemoryKeepsIsFoundInTheMemory(t *testing.T) {
	e := openMemoryAt(t, server.GraphPath)
	e.plain("create_entities", args{"entities": []any{args{"name": "Ada", "entityType": "person", "observations": []any{"keeps herons", strings.Repeat("long and longer ", 1000), "password: hunter2-is-it"}}}})
	room := e.beside(t, "/mcp")
	found := room.call("search_memories", args{"query": "herons"})
	id := at(found, "entries", 0, "entry_id")
	if at(found, "entries", 0, "raw_entry") != "keeps herons" || at(found, "entries", 0, "tags", "name") != "Ada" {
		t.Fatalf("got %v", found)
	}
	room.call("correct_entry", args{"entry_id": id, "text": "keeps toads"})
	got := e.plain("open_nodes", args{"names": []any{"Ada"}})
	if at(got, "entities", 0, "observations", 0) != "keeps toads" || at(got, "entities", 0, "observations", 1) != strings.Repeat("long and longer ", 1000) || at(got, "entities", 0, "observations", 3) != nil {
		t.Errorf("got %.300v", got)
	}
	if strings.Contains(at(got, "entities", 0, "observations", 2).(string), "hunter2") {
		t.Error("a secret was kept")
	}
	e.plain("delete_entities", args{"entityNames": []any{"Ada"}})
	if at(room.call("search_memories", args{"query": "toads"}), "entries", 0) != nil {
		t.Error("it is still found")
	}
}

func TestAProgramThatOnlyReadsIsOfferedNothingElse(t *testing.T) {
	for path, want := range map[string]string{
		server.GraphPath: "open_nodes read_graph search_nodes",
		"/mcp":           "await_consistency get_context get_default_prompts get_entry get_memory list_contexts list_entries list_memories list_vaults search_memories",
	} {
		e := openMemory(t)
		reader := e.beside(t, path, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + e.at.Token, server.ReadOnlyHeader: "yes"}))
		all := must.Get(reader.c.ListTools(t.Context(), mcp.ListToolsRequest{}))(t)
		var names []string
		for _, tool := range all.Tools {
			names = append(names, tool.Name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s offers %s", path, got)
		}
		request := mcp.CallToolRequest{}
		request.Params.Name, request.Params.Arguments = map[string]string{"/mcp": "add_entry", server.GraphPath: "create_entities"}[path], args{"raw_entry": "x", "entities": []any{}}
		if got, err := reader.c.CallTool(t.Context(), request); err == nil && !got.IsError {
			t.Errorf("%s was called: %+v", request.Params.Name, got)
		}
	}
}

// plain calls a tool of the graph, whose failures are words.
func (e *editor) plain(tool string, a any) map[string]any {
	e.t.Helper()
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = tool, a
	got, err := e.c.CallTool(e.t.Context(), request)
	if err != nil || got.IsError {
		e.t.Fatalf("%s: %+v %v", tool, got, err)
	}
	return asMap(e.t, got.StructuredContent)
}

// beside is another program at a door of the same room.
func (e *editor) beside(t *testing.T, path string, more ...transport.StreamableHTTPCOption) *editor {
	t.Helper()
	other := *e
	other.c = dial(t, e.at, path, more)
	return &other
}
