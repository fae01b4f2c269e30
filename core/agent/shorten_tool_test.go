package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

// shortOf is how a model is told of a tool in a room of many.
func shortOf(t *testing.T, description, schema string) core.ToolSpec {
	t.Helper()
	model := llmtest.New(t, llmtest.Turn{Text: reply("done")})
	s := newStage(t, model, library(30)...)
	one := says("aaa", "x")
	one.spec.Description, one.spec.Schema = description, json.RawMessage(schema)
	s.cfg.Tools.(*box).add(one)
	s.cfg.Rank = byWord
	if _, err := s.run("@aaa please"); err != nil {
		t.Fatal(err)
	}
	return model.Requests()[0].Tools[0]
}

func TestALongSchemaLosesWhatMattersLeast(t *testing.T) {
	long := strings.Repeat("told at length ", 100)
	field := `{"type":"string","description":"` + long + `"}`
	many := `"x":{"type":"string"}`
	for range 60 {
		many += `,"x` + strings.Repeat("x", strings.Count(many, ":")) + `":{"type":"string"}`
	}
	for name, c := range map[string]struct{ schema, has, lacks string }{
		"short":                         {`{"type":"object","title":"T","properties":{"a":{"type":"string","default":"b"}}}`, `"title":"T"`, ""},
		"hints are cut":                 {`{"$schema":"s","type":"object","properties":{"path":` + field + `},"required":["path"]}`, `told at length…"`, "$schema"},
		"a parameter may be a title":    {`{"title":"T","properties":{"title":` + field + `,"default":` + field + `,"description":` + field + `}}`, `"title":{`, `"title":"T"`},
		"what is inside stays":          {`{"properties":{"files":{"type":"array","items":{"type":"object","title":"` + long + `","properties":{"path":{"type":"string"}}}}}}`, `"path":{"type":"string"}`, "length"},
		"a value is no keyword":         {`{"properties":{"a":{"enum":["title"],"description":"` + long + `","const":{"title":1}}}}`, `{"title":1}`, "told at length told at length told at length told at length told at length told"},
		"what is required comes first":  {`{"properties":{` + many + `,"z":{"type":"integer"}},"required":["z"]}`, `"z":{"type":"integer"}`, strings.Repeat("x", 50)},
		"what cannot be cut is dropped": {`{"properties":{"` + strings.Repeat("x", 999) + `":{}}}`, `{"type":"object"}`, "xxx"},
		"what is no schema is dropped":  {`[` + strings.Repeat(`"x",`, 300) + `1]`, `{"type":"object"}`, "x"},
	} {
		got := string(shortOf(t, "Does it.", c.schema).Schema)
		if len(got) > 560 || !json.Valid([]byte(got)) || !strings.Contains(got, c.has) || c.lacks != "" && strings.Contains(got, c.lacks) {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func TestALongDescriptionIsCutAtAWord(t *testing.T) {
	got := shortOf(t, strings.Repeat("Reads  naïve words.\n", 60), "")
	if n := len(got.Description); n > 240 || n < 200 || !strings.HasSuffix(got.Description, "words.…") && !strings.HasSuffix(got.Description, "naïve…") && !strings.HasSuffix(got.Description, "Reads…") {
		t.Errorf("got %d bytes, %q", n, got.Description)
	}
}
