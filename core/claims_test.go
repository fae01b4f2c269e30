package core_test

import (
	"fmt"
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestEveryChangeOfAToolIsShownAndMakesItAnother(t *testing.T) {
	schemas := []string{
		"", `{}`, `null`, `no JSON`, `{"type":"object"}`,
		`{"properties":{"a":{"description":"x"},"b":{"description":"y"}}}`,
		`{"properties":{"a":{"description":"y"},"b":{"description":"x"}}}`, // swapped
		`{"properties":{"a":{"description":"x"}},"b":{"description":"y"}}`, // elsewhere
		`{"properties":{"a.description":"x","b":{"description":"y"}}}`,     // a key like a path
		`{"properties.a.description":"x","properties":{"b":{"description":"y"}}}`,
		`{"properties":{"a":{"description":"x: \\"y"}}}`, `{"properties":{"a":{"description: \\"x":"y"}}}`,
		`{"enum":["a","b"]}`, `{"enum":["b","a"]}`, `{"enum":{"[0]":"a","[1]":"b"}}`, `{"enum":"[a b]"}`,
		`{"a":{}}`, `{"a":[]}`, `{"a":"{}"}`, `{"a":null}`, `{"a":1}`, `{"a":"1"}`, `{"a":true}`,
	}
	var tools []core.ToolSpec
	for _, schema := range schemas {
		tools = append(tools, core.ToolSpec{Name: "look", Schema: []byte(schema)})
	}
	tools = append(tools,
		core.ToolSpec{Name: "look", Description: "Looks."}, core.ToolSpec{Name: "look", Examples: []string{"a", "b"}},
		core.ToolSpec{Name: "look", Examples: []string{"a b"}}, core.ToolSpec{Name: "look", Acts: true},
		core.ToolSpec{Name: "look", Claims: core.Claims{ReadOnly: new(true)}}, core.ToolSpec{Name: "look", Claims: core.Claims{ReadOnly: new(false)}},
	)
	for i, was := range tools {
		for j, now := range tools {
			differences := fmt.Sprint(core.ToolChange{Was: was, Now: now}.Differences())
			if same := was.SameDefinition(now); same != (i == j) || (was.Fingerprint() == now.Fingerprint()) != same || (differences == "[]") != same {
				t.Errorf("%s → %s: same %v, differences %s", was.Schema, now.Schema, same, differences)
			}
		}
	}
}
