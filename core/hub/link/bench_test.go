package link_test

import (
	"testing"

	"github.com/yaap-chat/yaap/core"
)

// A call through the hub to a child that answers at once.
func BenchmarkACallToAChild(b *testing.B) {
	r := open(b)
	r.add("heron", "heron")
	r.joined("heron")
	tool, ok := r.Tools().Find("heron")
	if !ok {
		b.Fatal("it is not in the list")
	}
	for b.Loop() {
		if got, err := tool.Call(b.Context(), core.Call{ID: "1", Tool: "heron", Args: []byte(`{"prompt":"trout"}`)}); err != nil || !got.OK() {
			b.Fatal(got, err)
		}
	}
}
