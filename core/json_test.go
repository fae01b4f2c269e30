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
