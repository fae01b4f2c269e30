package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/schema"
)

func TestCheckSaysWhatIsWrongAndWhere(t *testing.T) {
	s := must.Get(schema.Compile(json.RawMessage(`{"type":"object","required":["city"],"properties":{"city":{"type":"string"},"days":{"type":"array","items":{"type":"integer","maximum":7}}}}`)))(t)
	for _, c := range []struct {
		value string
		want  []string
	}{
		{`{"city":"Leeds","days":[1,7],"extra":true}`, nil},
		{`{}`, []string{"missing property 'city'"}},
		{`{"city":3}`, []string{"city: got number, want string"}},
		{`{"city":"Leeds","days":[1,9]}`, []string{"days.1: maximum: got 9, want 7"}},
		{`[]`, []string{"got array, want object"}},
	} {
		if diff := cmp.Diff(c.want, s.Check(json.RawMessage(c.value))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.value, diff)
		}
	}
	if got := s.Check(json.RawMessage(`{"city":`)); len(got) != 1 || !strings.Contains(got[0], "not valid JSON") {
		t.Errorf("half a value: got %q", got)
	}
}

func TestASchemaOfTextsIsCheckedAsAnyOther(t *testing.T) {
	const words = `"type":"object","title":"t","required":["prompt"],"properties":{"prompt":{"type":"string","description":"What."},"tone":{"type":"string"}}`
	texts := must.Get(schema.Compile(json.RawMessage(`{` + words + `}`)))(t)
	other := must.Get(schema.Compile(json.RawMessage(`{` + words + `,"minProperties":0}`)))(t)
	for _, value := range []string{
		`{"prompt":"1"}`, ` {"prompt":"","tone":"kind"} `, `{"prompt":"null"}`, `{"prompt":"1","more":"2"}`, `{"prompt":"1","more":2}`, `{"prompt":"1","prompt":2}`, `{"prompt":1,"prompt":"2"}`,
		`{}`, `{"tone":"kind"}`, `{"prompt":null}`, `{"prompt":"1","tone":null}`, `{"prompt":1}`, `{"Prompt":"1"}`, `{"prompt":["1"]}`, `{"prompt":"\ud800"}`, `{"prompt":"1"}{}`, `{"prompt":"1"`, `[]`, `"prompt"`, `null`, ``,
	} {
		if diff := cmp.Diff(other.Check(json.RawMessage(value)), texts.Check(json.RawMessage(value))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", value, diff)
		}
	}
}

func TestASchemaReachesNothingOutsideItself(t *testing.T) {
	for _, ref := range []string{"http://127.0.0.1:1/x", "file:///etc/passwd", "other.json"} {
		raw, _ := json.Marshal(map[string]string{"$ref": ref})
		if _, err := schema.Compile(raw); err == nil {
			t.Errorf("%s was loaded", ref)
		}
	}
}

func TestRubbishIsNotASchema(t *testing.T) {
	for _, raw := range []string{``, `{`, `3`, `{"type":3}`, `{"pattern":"("}`} {
		if _, err := schema.Compile(json.RawMessage(raw)); err == nil {
			t.Errorf("%q compiled", raw)
		}
	}
}
