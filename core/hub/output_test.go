package hub_test

import (
	"context"
	"testing"

	"github.com/yaap-chat/yaap/core"
)

func TestAStructuredAnswerHasToFitWhatItsToolDeclares(t *testing.T) {
	const wings = `{"type":"object","required":["wings"],"properties":{"wings":{"type":"integer"}}}`
	for _, c := range []struct {
		output string
		data   map[string]any
		ok     bool
	}{
		{wings, map[string]any{"wings": 2}, true},
		{wings, map[string]any{"wings": "two"}, false},
		{wings, map[string]any{}, false},
		{wings, nil, true}, // it answers with text alone
		{"", map[string]any{"wings": "two"}, true},
		{`{"type":"nonsense"}`, map[string]any{"wings": "two"}, true}, // that costs its check
	} {
		e := newExpert("heron")
		e.list = func(context.Context) ([]core.ToolSpec, error) {
			return []core.ToolSpec{{Name: "heron", Schema: core.PromptSchema(), Output: []byte(c.output)}}, nil
		}
		e.answer = func(context.Context, core.Call) (core.ToolResult, error) {
			return core.ToolResult{Status: core.ToolSuccess, Text: "a heron", Data: c.data}, nil
		}
		r := open(t, nil)
		r.join(e)
		tool, ok := r.Tools().Find("heron")
		if !ok {
			t.Fatal("it is not there")
		}
		got, err := tool.Call(t.Context(), core.Call{ID: "1"})
		if err != nil || got.OK() != c.ok || !c.ok && got.Code != core.ToolCodeMalformedResponse {
			t.Errorf("%s with %v: got %+v, %v", c.output, c.data, got, err)
		}
		r.stop()
	}
}
