package web_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/web"
)

func TestOnlySchemasThatSayAllAreStrict(t *testing.T) {
	const closed = `"required":["a"],"additionalProperties":false}`
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{"a":{"type":"string","enum":["x"],"description":"An a."}},` + closed:                                    true,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{},"additionalProperties":false}}},` + closed: true,
		`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}},` + closed:                                           true,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"string"}},` + closed:                                    true,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`:                                                               false,
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},` + closed:                                                 false,
		`{"type":"object","properties":{"a":{"type":"string","minLength":1}},` + closed:                                                         false,
		`{"type":"object","properties":{"a":{"type":["object","null"]}},` + closed:                                                              false,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}},` + closed:                                              false,
		`{"type":"object","properties":{"a":{"anyOf":[{"type":"object"}]}},` + closed:                                                           false,
		`{"type":"object","properties":{"a":{}},` + closed:                                                                                      false,
		`{"type":"object","properties":{"a":true},` + closed:                                                                                    false,
		`{"type":"string"}`: false, `{}`: false, `7`: false, `{`: false, ``: false,
	} {
		if got := web.Strict([]byte(schema)); got != want {
			t.Errorf("Strict(%s) = %v", schema, got)
		}
	}
}

func TestTheSchemaOfAToolIsAlwaysAnObject(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object","properties":{"z":{},"a":{}}}`: `{"type":"object","properties":{"z":{},"a":{}}}`,
		`{"type":"object"}`: `{"properties":{},"type":"object"}`,
		`{"type":"object","properties":{},"oneOf":[{"required":["a"]}]}`: `{"properties":{},"type":"object"}`,
		`null`: `{"properties":{},"type":"object"}`,
		`[1,`:  `{"properties":{},"type":"object"}`,
		`{"$schema":"x","properties":{"z":{},"a":{}},"type":["object","null"]}`: `{"$schema":"x","properties":{"z":{},"a":{}},"type":"object"}`,
		``: string(core.PromptSchema()),
	} {
		if got := string(web.Schema(core.ToolSpec{Schema: []byte(schema)})); got != want {
			t.Errorf("Schema(%s) = %s, want %s", schema, got, want)
		}
	}
}
