package bidding_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
)

func TestToolsAreRankedByBidsAndThenByWords(t *testing.T) {
	r, _ := newRoom(t)
	tools := []core.ToolSpec{
		{Name: "atlas", Owner: "atlas", Description: "Maps of rivers and mountains."},
		{Name: "calc", Owner: "calc", Description: "Arithmetic."},
		{Name: "poet", Owner: "poet", Description: "Writes verses."},
		{Name: "rivers", Owner: "rivers", Description: "The length of rivers."},
	}
	for text, want := range map[string][]string{
		"calc please":                                {"calc"},
		"how long are the rivers of Asia?":           {"rivers", "atlas"},
		"the length of the rivers, and then calc it": {"calc", "rivers"},
		"": nil,
	} {
		var got []string
		for _, spec := range r.Rank(t.Context(), core.Scope{}, text, tools, nil) {
			if spec.Name != "liar" && spec.Name != "half" {
				got = append(got, spec.Name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
}
