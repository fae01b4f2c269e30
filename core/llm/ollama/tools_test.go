package ollama

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/web"
)

// exampleRequest has one tool with that schema.
func exampleRequest(schema json.RawMessage) llm.Request {
	return llm.Request{
		Messages: []core.Message{
			{Role: core.RoleUser, Text: "Go."},
			{Role: core.RoleAssistant, Thinking: "Hm.", Calls: []core.Call{{ID: "c", Tool: "t", Args: json.RawMessage("rubbish")}}},
			{Role: core.RoleTool, Name: "t", CallID: "c", Text: "Gone."},
		},
		Tools: []core.ToolSpec{{Name: "t", Description: "Does it.", Schema: schema}},
	}
}

func TestSchemasKeepWhatTheServerHasRoomFor(t *testing.T) {
	for _, test := range []struct{ name, schema, want string }{
		{
			"order of properties",
			`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"number"}},"required":["z"]}`,
			`{"type":"object","required":["z"],"properties":{"z":{"type":"string"},"a":{"type":"number"}}}`,
		},
		{
			"limits go into the description",
			`{"properties":{"n":{"type":"integer","description":"How many.","minimum":1,"maximum":9,"default":3},"d":{"type":"string","format":"date","pattern":"^2"}}}`,
			`{"type":"object","properties":{"n":{"type":"integer","description":"How many. (default: 3; minimum: 1; maximum: 9)"},"d":{"type":"string","description":"(format: date; pattern: ^2)"}}}`,
		},
		{
			"nested objects say what they require",
			`{"properties":{"at":{"type":"object","properties":{"lat":{"type":"number"}},"required":["lat"]},"ids":{"type":"array","items":{"type":"string"},"maxItems":5}}}`,
			`{"type":"object","properties":{"at":{"type":"object","description":"(required: lat)","properties":{"lat":{"type":"number"}}},"ids":{"type":"array","items":{"type":"string"},"description":"(maxItems: 5)"}}}`,
		},
		{
			"references are resolved",
			`{"$defs":{"U":{"enum":["c","f"],"description":"The unit."},"a/b":{"type":"boolean"}},"properties":{"u":{"$ref":"#/$defs/U"},"v":{"description":"Mine.","allOf":[{"$ref":"#/$defs/U"}]},"w":{"$ref":"#/$defs/a~1b"}}}`,
			`{"type":"object","properties":{"u":{"type":"string","description":"The unit.","enum":["c","f"]},"v":{"type":"string","description":"Mine.","enum":["c","f"]},"w":{"type":"boolean"}}}`,
		},
		{
			"alternatives and lists of types",
			`{"properties":{"x":{"oneOf":[{"type":"string"},{"type":"null"}]},"y":{"type":["integer","null"]},"z":{"const":7}}}`,
			`{"type":"object","properties":{"x":{"anyOf":[{"type":"string"},{"type":"null"}]},"y":{"type":["integer","null"]},"z":{"enum":[7]}}}`,
		},
		{
			"what the server would refuse is left out",
			`{"type":["object"],"required":[1,"x"],"properties":{"x":true,"y":{"type":7,"enum":"no","description":[],"anyOf":{},"items":false,"properties":[]},"z":{"$ref":"http://elsewhere"}}}`,
			`{"type":"object","required":["x"],"properties":{"x":{},"y":{},"z":{}}}`,
		},
		{"no properties", `{"type":"object"}`, `{"type":"object","properties":{}}`},
		{"no schema at all", `[1,`, `{"type":"object","properties":{}}`},
		{
			"the prompt", ``,
			`{"type":"object","required":["prompt"],"properties":{"prompt":{"type":"string","description":"What to ask, in plain language and complete in itself."}}}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := json.Marshal(describe(core.ToolSpec{Name: "t", Schema: json.RawMessage(test.schema)}).Function.Parameters)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, string(got)); d != "" {
				t.Errorf("parameters (-want +got):\n%s", d)
			}
		})
	}
}

func TestSchemasThatReferToThemselvesAreCut(t *testing.T) {
	var defs []string
	for i := range 30 { // each refers to all: 30^8 nodes when written out
		var refs []string
		for j := range 30 {
			refs = append(refs, fmt.Sprintf(`"p%d":{"$ref":"#/$defs/d%d"}`, j, j))
		}
		defs = append(defs, fmt.Sprintf(`"d%d":{"properties":{%s}}`, i, strings.Join(refs, ",")))
	}
	for _, schema := range []string{
		`{"$defs":{` + strings.Join(defs, ",") + `},"properties":{"x":{"$ref":"#/$defs/d0"}}}`,
		`{"properties":{"x":{"$ref":"#"},"y":{"$ref":"#/properties/y"}}}`,
		`{"$ref":"#/allOf/0","allOf":[{"$ref":"#/allOf/0"}]}`,
	} {
		got, err := json.Marshal(describe(core.ToolSpec{Name: "t", Schema: json.RawMessage(schema)}))
		if err != nil || len(got) > 32<<10 {
			t.Errorf("%d bytes, error %v", len(got), err)
		}
	}
}

func TestTheClientOfOllamaReadsOurRequests(t *testing.T) {
	m := New(Config{Model: "m"})
	raw, err := json.Marshal(m.request(exampleRequest(nil), details{}))
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	var r api.ChatRequest
	if err := dec.Decode(&r); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	if r.Truncate == nil || *r.Truncate || r.Shift == nil || *r.Shift || r.Think != nil || r.KeepAlive == nil || r.KeepAlive.Duration != keepAlive {
		t.Errorf("request %s", raw)
	}
	if len(r.Tools) != 1 || r.Tools[0].Function.Name != "t" || len(r.Messages) != 3 || r.Messages[1].ToolCalls[0].ID != "c" {
		t.Errorf("request %s", raw)
	}
}

func FuzzEverySchemaIsOneThatTheServerTakes(f *testing.F) {
	for _, s := range []string{
		`{"type":"object","properties":{"a":{"type":["string","null"],"enum":[1,"x",null]}},"required":["a"]}`,
		`{"$defs":{"x":{"$ref":"#/$defs/x"}},"properties":{"a":{"$ref":"#/$defs/x"},"b":{"anyOf":[true,{"items":[{}]}]}}}`,
		`{"properties":{"":{"const":{},"default":"\"x\""}}}`,
		`{"properties":{"a":{"allOf":[{"items":{"type":[]}}]}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		m := New(Config{Model: "m"})
		raw, err := json.Marshal(m.request(exampleRequest(schema), details{}))
		if err != nil {
			t.Fatalf("%v for %q", err, schema)
		}
		var r api.ChatRequest
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatalf("%v for %q as %s", err, schema, raw)
		}
		if len(r.Tools) != 1 || r.Tools[0].Function.Parameters.Type != "object" {
			t.Fatalf("tools %v", r.Tools)
		}
	})
}

func FuzzArgumentsAreCanonicalOrRefused(f *testing.F) {
	for _, s := range []string{`{"b":1,"a":[1e400,{"d":1,"c":2}]}`, `"{\"a\":1}"`, `null`, ``, `[]`, `{} {}`, `{}}`, `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, ok := web.Canonical(raw)
		if !ok {
			return
		}
		if !json.Valid(got) || got[0] != '{' {
			t.Fatalf("%q became %q", raw, got)
		}
		again, ok := web.Canonical(got)
		if !ok || !bytes.Equal(got, again) {
			t.Fatalf("%q became %q, then %q", raw, got, again)
		}
	})
}
