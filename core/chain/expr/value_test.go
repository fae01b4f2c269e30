package expr_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core/chain/expr"
	"github.com/yaap-chat/yaap/core/must"
)

func TestAValueIsResolvedAtAnyDepth(t *testing.T) {
	src := map[string]any{
		"names": "{{e-mail.data.names}}",
		"items": []any{1, true, nil, map[string]any{"text": "n is {{e-mail.data.n}}", "{{input}}": `\{{`}},
		"none":  []any{}, "empty": map[string]any{}, "n": 3, "f": json.Number("1.50"),
	}
	v := must.Get(expr.ParseValue(src))(t)
	got := must.Get(v.Resolve(roots(t, mapped)))(t)
	want := map[string]any{
		"names": []any{"Ann", "<Bob>"},
		"items": []any{1, true, nil, map[string]any{"text": "n is 3", "{{input}}": "{{"}},
		"none":  []any{}, "empty": map[string]any{}, "n": 3, "f": json.Number("1.50"),
	}
	must.Equal(t, any(want), got)
	got.(map[string]any)["items"].([]any)[0] = "changed"
	if again, _ := v.Resolve(roots(t, mapped)); !cmp.Equal(any(want), again) {
		t.Error("what is done to a resolved value is seen in the next")
	}
}

func TestWhatAReferenceStandsForIsNeverATemplate(t *testing.T) {
	l := of(map[string]any{"evil": `{{secret}} \{{ {{evil}}`, "list": []any{"{{secret}}"}, "secret": "s3cret"})
	for _, c := range []struct{ src, want any }{
		{`{{evil}}`, `{{secret}} \{{ {{evil}}`},
		{`say {{evil}}`, `say {{secret}} \{{ {{evil}}`},
		{`{{list}}`, []any{"{{secret}}"}},
		{`{{list}}!`, `["{{secret}}"]!`},
		{`{{gone | default: "{{secret}}"}}`, `{{secret}}`},
		{[]any{`\{{{{evil}}`}, []any{`{{{{secret}} \{{ {{evil}}`}},
	} {
		v := must.Get(expr.ParseValue(c.src))(t)
		got, err := v.Resolve(l)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%v: %v (-want +got)\n%s", c.src, err, diff)
		}
	}
}

func TestAValueNamesItsReferences(t *testing.T) {
	v, err := expr.ParseValue(map[string]any{
		"b": []any{"x", map[string]any{"two words": "{{n.data.a}}{{o}}"}},
		"a": "{{input | default: null}}",
	})
	must.Do(t, err)
	var got []string
	for _, ref := range v.Refs() {
		got = append(got, ref.String())
	}
	must.Equal(t, []string{"input", "n.data.a", "o"}, got)
}

func TestAFaultInAValueNamesItsPlace(t *testing.T) {
	endless := []any{nil}
	endless[0] = endless
	wide := any("x")
	for range 30 {
		wide = []any{wide, wide}
	}
	for want, src := range map[string]any{
		`items[2].name: the {{ that stands here is not closed (at byte 2)`: map[string]any{"items": []any{1, "x", map[string]any{"name": "a {{b"}}},
		`["a b"]: a []string cannot stand here (at byte 0)`:                map[string]any{"a b": []string{"x"}},
		`a chan int cannot stand here (at byte 0)`:                         make(chan int),
	} {
		_, err := expr.ParseValue(src)
		var se *expr.SyntaxError
		if !errors.As(err, &se) || err.Error() != want {
			t.Errorf("%v instead of %s", err, want)
		}
	}
	for _, src := range []any{endless, wide} {
		if _, err := expr.ParseValue(src); err == nil {
			t.Error("a value without an end was read")
		}
	}
	v, err := expr.ParseValue(map[string]any{"items": []any{"{{gone.x}}"}})
	must.Do(t, err)
	_, err = v.Resolve(roots(t, mapped))
	var missing *expr.MissingError
	if !errors.As(err, &missing) || err.Error() != "items[0]: {{gone.x}} is missing" {
		t.Errorf("%v", err)
	}
}
