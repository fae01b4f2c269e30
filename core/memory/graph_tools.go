package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/guard"
)

// Parts of the schemas of a knowledge graph.
const (
	entitiesSchema = `{"type":"array","items":{"type":"object","properties":{
		"name":{"type":"string","description":"The name of the entity"},"entityType":{"type":"string","description":"The type of the entity"},
		"observations":{"type":"array","items":{"type":"string"},"description":"An array of observation contents associated with the entity"}},
		"required":["name","entityType","observations"]`
	relationItems = `"type":"array","items":{"type":"object","properties":{
		"from":{"type":"string","description":"The name of the entity where the relation starts"},"to":{"type":"string","description":"The name of the entity where the relation ends"},
		"relationType":{"type":"string","description":"The type of the relation"}},"required":["from","to","relationType"]`
	closed       = `,"additionalProperties":false`
	graphSchema  = `"properties":{"entities":` + entitiesSchema + closed + `}},"relations":{` + relationItems + closed + `}}},"required":["entities","relations"]`
	doneSchema   = `"properties":{"success":{"type":"boolean"},"message":{"type":"string"}},"required":["success","message"]`
	addedSchema  = `"properties":{"results":{"type":"array","items":{"type":"object","properties":{"entityName":{"type":"string"},"addedObservations":{"type":"array","items":{"type":"string"}}},"required":["entityName","addedObservations"]` + closed + `}}},"required":["results"]`
	namesSchema  = `{"type":"array","items":{"type":"string"},"description":`
	invalidBegin = "MCP error -32602: Input validation error: Invalid arguments for tool "
)

// GraphTools are the tools of @modelcontextprotocol/server-memory, with its
// names, schemas, answers and errors: a knowledge graph of entries of the
// room's memory. What is deleted is over at once, as an entry that has expired.
func GraphTools(cfg ToolsConfig) []core.Tool {
	g := graphs{newOpen(cfg), new(sync.Mutex)}
	const adds, deletes, reads = "false false false", "false true true", "true false true"
	return []core.Tool{
		graphTool("create_entities", "Create multiple new entities in the knowledge graph", adds,
			`"properties":{"entities":`+entitiesSchema+`}}},"required":["entities"]`, `"properties":{"entities":`+entitiesSchema+closed+`}}},"required":["entities"]`, g.createEntities),
		graphTool("create_relations", "Create multiple new relations between entities in the knowledge graph. Relations should be in active voice", adds,
			`"properties":{"relations":{`+relationItems+`}}},"required":["relations"]`, `"properties":{"relations":{`+relationItems+closed+`}}},"required":["relations"]`, g.createRelations),
		graphTool("add_observations", "Add new observations to existing entities in the knowledge graph", adds,
			`"properties":{"observations":{"type":"array","items":{"type":"object","properties":{"entityName":{"type":"string","description":"The name of the entity to add the observations to"},
			"contents":`+namesSchema+`"An array of observation contents to add"}},"required":["entityName","contents"]}}},"required":["observations"]`, addedSchema, g.addObservations),
		graphTool("delete_entities", "Delete multiple entities and their associated relations from the knowledge graph", deletes,
			`"properties":{"entityNames":`+namesSchema+`"An array of entity names to delete"}},"required":["entityNames"]`, doneSchema, g.deleteEntities),
		graphTool("delete_observations", "Delete specific observations from entities in the knowledge graph", deletes,
			`"properties":{"deletions":{"type":"array","items":{"type":"object","properties":{"entityName":{"type":"string","description":"The name of the entity containing the observations"},
			"observations":`+namesSchema+`"An array of observations to delete"}},"required":["entityName","observations"]}}},"required":["deletions"]`, doneSchema, g.deleteObservations),
		graphTool("delete_relations", "Delete multiple relations from the knowledge graph", deletes,
			`"properties":{"relations":{"description":"An array of relations to delete",`+relationItems+`}}},"required":["relations"]`, doneSchema, g.deleteRelations),
		graphTool("read_graph", "Read the entire knowledge graph", reads, `"properties":{}`, graphSchema, g.readGraph),
		graphTool("search_nodes", "Search for nodes in the knowledge graph based on a query", reads,
			`"properties":{"query":{"type":"string","description":"The search query to match against entity names, types, and observation content"}},"required":["query"]`, graphSchema, g.searchNodes),
		graphTool("open_nodes", "Open specific nodes in the knowledge graph by their names", reads,
			`"properties":{"names":`+namesSchema+`"An array of entity names to retrieve"}},"required":["names"]`, graphSchema, g.openNodes),
	}
}

// Graph is the knowledge graph of a memory as JSON.
func Graph(ctx context.Context, cfg ToolsConfig) (string, error) {
	s, err := graphs{newOpen(cfg), new(sync.Mutex)}.read(ctx)
	if err != nil {
		return "", err
	}
	return stringified(s.graph)
}

// ofGraph is a tool of a knowledge graph.
type ofGraph struct {
	spec   core.ToolSpec
	handle func(ctx context.Context, args json.RawMessage) (any, map[string]any, error)
}

// graphTool makes a tool of a function that returns what its text is and what it
// answers as structured content. claims are readOnly, destructive and idempotent.
func graphTool[A any](name, description, claims, takes, gives string, do func(context.Context, A) (any, map[string]any, error)) ofGraph {
	is := strings.Fields(claims)
	claim := func(i int) *bool { return new(is[i] == "true") }
	spec := core.ToolSpec{
		Name: name, Description: description, Claims: core.Claims{ReadOnly: claim(0), Destructive: claim(1), Idempotent: claim(2), OpenWorld: new(false)},
		Schema: json.RawMessage(`{"type":"object",` + takes + `}`), Output: json.RawMessage(`{"type":"object",` + gives + closed + `}`),
	}
	read := argsReader[A](spec.Schema)
	return ofGraph{spec, func(ctx context.Context, raw json.RawMessage) (any, map[string]any, error) {
		args, issues, err := read(raw)
		switch {
		case err != nil:
			return nil, nil, err
		case issues != "":
			return nil, nil, core.Fail(core.CodeInvalid, invalidBegin+name+": "+issues, "")
		}
		args, _ = guard.Clean(args) // names are compared as they are stored
		return do(ctx, args)
	}}
}

// Spec implements [core.Tool].
func (t ofGraph) Spec() core.ToolSpec { return t.spec }

// Call implements [core.Tool]. A failure is told in words alone.
func (t ofGraph) Call(ctx context.Context, c core.Call) (core.ToolResult, error) {
	said, data, err := t.handle(ctx, c.Args)
	text, plain := said.(string)
	if err == nil && !plain {
		text, err = stringified(said)
	}
	if err != nil {
		words := err.Error()
		if hint := core.HintOf(err); hint != "" && core.CodeOf(err) != core.CodeNotFound {
			words += "; " + hint
		}
		return core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, words), ctx.Err()
	}
	return core.ToolResult{Status: core.ToolSuccess, Text: text, Data: data}, nil
}

// stringified is JSON as JSON.stringify(v, null, 2) writes it.
func stringified(v any) (string, error) {
	var b bytes.Buffer
	w := json.NewEncoder(&b)
	w.SetEscapeHTML(false)
	w.SetIndent("", "  ")
	err := w.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}
