package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/wire"
	"github.com/yaap-chat/yaap/core/yaap"
)

func TestWhatPassesTheDoorIsSeenWithoutItsLease(t *testing.T) {
	r := open(t)
	defer r.tap.Capture()()
	peer := caller{r.address(), "/yaap"}
	var welcome yaap.Welcome
	if refusal, err := peer.call(t.Context(), yaap.ToolHello, hello("newt", ""), &welcome); err != nil || refusal != nil {
		t.Fatal(err, refusal)
	}
	if refusal, err := peer.call(t.Context(), yaap.ToolNext, yaap.Next{Lease: welcome.Lease, WaitMS: 1}, new(yaap.Events)); err != nil || refusal != nil {
		t.Fatal(err, refusal)
	}
	if refusal, err := (caller{peer.Address, "/mcp"}).call(t.Context(), "no_such_tool", map[string]any{}, new(any)); err == nil && refusal == nil {
		t.Fatal("what is not there was called")
	}
	var got []string
	for _, f := range r.tap.Since(0) {
		who, _, _ := strings.Cut(f.Who, ":")
		got = append(got, fmt.Sprint(who, " ", f.Dir, " ", f.Kind, " ", f.Tool))
		if strings.Contains(string(f.Text), welcome.Lease) || strings.Contains(string(f.Text), peer.Token) {
			t.Errorf("a lease is seen in %s", f.Text)
		}
	}
	want := "newt in request hello\nnewt out answer hello\nnewt in request next\nnewt out answer next\nGo-http-client in request no_such_tool\nGo-http-client out error no_such_tool"
	if s := strings.Join(got, "\n"); s != want || r.tap.Since(0)[1].To != 1 || r.tap.Since(0)[0].Via != "http" || r.tap.Since(0)[0].Dir != wire.In {
		t.Errorf("got:\n%s\nwant:\n%s", s, want)
	}
}
