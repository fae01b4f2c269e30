package core_test

import (
	"encoding/json"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
)

func TestJSONKeepsItsDigitsAndSigns(t *testing.T) {
	var v any
	must.Do(t, core.DecodeJSON([]byte(`{"n":12345678901234567890.10,"s":"a < b & c"}`), &v))
	must.Equal(t, any(map[string]any{"n": json.Number("12345678901234567890.10"), "s": "a < b & c"}), v)
	must.Equal(t, `{"n":12345678901234567890.10,"s":"a < b & c"}`, string(must.Get(core.EncodeJSON(v))(t)))
	for _, raw := range []string{"", "{", "1 2", `{} x`} {
		if err := core.DecodeJSON([]byte(raw), &v); err == nil {
			t.Errorf("%q is read as %v", raw, v)
		}
	}
}

func TestAnObjectKeepsTheOrderOfItsMembers(t *testing.T) {
	const raw = `{"path":"a","content":{"z":1, "b":2},"path":"b"}`
	all, ok := core.Members(json.RawMessage(raw))
	if got := string(core.Object(all)); !ok || got != raw {
		t.Errorf("got %s, %v", got, ok)
	}
	for _, raw := range []string{"", "null", "[1]", `{"a":1`, `{} x`} {
		if all, ok := core.Members(json.RawMessage(raw)); ok {
			t.Errorf("%q has the members %v", raw, all)
		}
	}
}
