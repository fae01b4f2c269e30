package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/hub/server"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/wire"
	"github.com/yaap-chat/yaap/core/yaap"
)

func TestALookOfYaapItselfIsNotSeen(t *testing.T) {
	r := open(t)
	defer r.tap.Capture()()
	for header, want := range map[string]int{server.ALook: 0, "yes": 2} {
		before := len(r.tap.Since(0))
		ask := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, r.address().URL+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`)))(t)
		ask.Header = http.Header{"Authorization": {"Bearer " + r.address().Token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, server.ReadOnlyHeader: {header}}
		resp, err := http.DefaultClient.Do(ask)
		if err != nil {
			t.Fatal(err)
		}
		must.Do(t, resp.Body.Close())
		if got := len(r.tap.Since(0)) - before; got != want {
			t.Errorf("%s: %d frames are seen, want %d", header, got, want)
		}
	}
}

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
