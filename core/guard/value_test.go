package guard

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core/must"
)

// maskValue returns a copy of v in which secrets are masked, and their number.
func maskValue(v any) (any, int) {
	w := Policy{Secrets: Redact}.pass()
	v = w.value(v)
	return v, w.found
}

func TestValuesAreMaskedAtAnyDepth(t *testing.T) {
	ghp := "ghp" + "_" + body(36, alnums)
	type named string
	for _, c := range []struct {
		name     string
		in, want any
		n        int
	}{
		{"nothing", nil, nil, 0},
		{"a text", "use " + ghp, "use [secret: github_token]", 1},
		{"bytes", []byte("use " + ghp), []byte("use [secret: github_token]"), 1},
		{"a named text", named(ghp), named("[secret: github_token]"), 1},
		{"what is under a key", map[string]any{"password": "two words", "name": "bob"}, map[string]any{"password": "[secret: password]", "name": "bob"}, 1},
		{"any style of key", map[string]string{"apiKey": "a", "X-Api-Key": "b", "AUTHORIZATION": "c", "client_secret": "d", "author": "e"}, map[string]string{"apiKey": "[secret: api_key]", "X-Api-Key": "[secret: api_key]", "AUTHORIZATION": "[secret: authorization]", "client_secret": "[secret: secret]", "author": "e"}, 4},
		{"a known token under a key", map[string]any{"token": ghp}, map[string]any{"token": "[secret: github_token]"}, 1},
		{"numbers under a key", map[string]any{"password": 1234.0, "max_token": 5.0, "tokens": 7.0}, map[string]any{"password": "[secret: password]", "max_token": 5.0, "tokens": 7.0}, 1},
		{"placeholders and flags", map[string]any{"password": "", "token": "${TOKEN}", "api_key": "YOUR_KEY", "secret": true, "auth": nil}, map[string]any{"password": "", "token": "${TOKEN}", "api_key": "YOUR_KEY", "secret": true, "auth": nil}, 0},
		{"lists and maps under a key", map[string]any{"credentials": map[string]any{"id": "bob"}, "passwords": []any{"a1", []string{"b2"}}}, map[string]any{"credentials": map[string]any{"id": "[secret: secret]"}, "passwords": []any{"[secret: password]", []string{"[secret: password]"}}}, 3},
		{"a schema", map[string]any{"password": map[string]any{"type": "string", "description": "of the user"}}, map[string]any{"password": map[string]any{"type": "string", "description": "of the user"}}, 0},
		{"keys", map[string]any{ghp: "x", "[secret: github_token]": "y"}, map[string]any{"[secret: github_token]": "y", "[secret: github_token] 1": "x"}, 1},
		{"maps and lists of other types", []map[string]any{{"token": "t"}}, []map[string]any{{"token": "[secret: token]"}}, 1},
		{"other values under a key", map[string]any{"n": int32(1), "pwd": uint8(7)}, map[string]any{"n": int32(1), "pwd": "[secret: password]"}, 1},
		{"JSON", json.RawMessage(`{"password":"two words","n":12345678901234567890}`), json.RawMessage(`{"n":12345678901234567890,"password":"[secret: password]"}`), 1},
		{"JSON without secrets", json.RawMessage(`{"b": 1, "a": 2}`), json.RawMessage(`{"b": 1, "a": 2}`), 0},
		{"what should be JSON", json.RawMessage(`{"password":"hunter2`), json.RawMessage(`"{\"password\":\"[secret: password]"`), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, n := maskValue(c.in)
			must.Equal(t, c.want, got)
			if n != c.n {
				t.Errorf("%d masked, want %d", n, c.n)
			}
			twice, n := maskValue(got)
			if diff := cmp.Diff(got, twice); diff != "" || n != 0 {
				t.Errorf("masked twice, %d: (-once +twice)\n%s", n, diff)
			}
		})
	}
}

func TestTheArgumentIsNotChanged(t *testing.T) {
	ghp := "ghp" + "_" + body(36, alnums)
	value := func() map[string]any {
		return map[string]any{
			"a": []any{ghp, []string{ghp}, map[string]string{ghp: ghp}}, "token": "t", "b": []byte(ghp), "j": json.RawMessage(`{"token": "t"}`),
			"same": map[string]any{"k": []any{"v"}},
		}
	}
	in := value()
	got, _ := maskValue(in)
	must.Equal(t, value(), in)
	got.(map[string]any)["same"].(map[string]any)["k"].([]any)[0] = "changed"
	if diff := cmp.Diff(value(), in); diff != "" {
		t.Errorf("the copy shares what is in it: (-before +after)\n%s", diff)
	}
}

func TestAValueThatHoldsItselfEnds(t *testing.T) {
	v := map[string]any{}
	v["v"] = v
	got, n := maskValue(v)
	if n != 1 {
		t.Errorf("%d masked", n)
	}
	depth := 0
	for {
		m, ok := got.(map[string]any)
		if !ok {
			break
		}
		got = m["v"]
		depth++
	}
	if got != "[secret: unread]" || depth != maxDepth+1 {
		t.Errorf("at depth %d there is %v", depth, got)
	}
}
