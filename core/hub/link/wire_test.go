package link_test

import (
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/hub/link"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/wire"
)

func TestWhatPassesBetweenTheRoomAndAChildIsSeenWhileSomebodyLooks(t *testing.T) {
	tap := new(wire.Tap)
	r := openWith(t, &link.Opener{Version: "test", Lookup: os.LookupEnv, Tap: tap})
	r.add("", "heron")
	r.joined("heron")
	if n := len(tap.Since(0)); n > 0 {
		t.Errorf("%d frames of its hello are kept, and nobody looked", n)
	}
	defer tap.Capture()()
	const key = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	r.call(t.Context(), "heron", "do you know "+key)
	request, answer := callSeen(t, tap)
	if request.Who != "heron" || request.Via != "stdio" || !strings.Contains(string(request.Text), "do you know [secret: github_token]") {
		t.Errorf("the request is seen as %+v", request)
	}
	if !strings.Contains(string(answer.Text), "Herons: ") || strings.Contains(string(answer.Text), key) || answer.ID != request.ID || answer.MS <= 0 {
		t.Errorf("the answer is seen as %+v", answer)
	}
}

func TestWhatPassesBetweenTheRoomAndARemoteServerIsSeen(t *testing.T) {
	for name, handler := range transports() {
		t.Run(name, func(t *testing.T) {
			web := httptest.NewServer(keyed(handler(herons(nil))))
			tap := new(wire.Tap)
			r := openWith(t, &link.Opener{Version: "test", Lookup: os.LookupEnv, Tap: tap})
			defer func() { r.stop(); web.Close() }()
			path := map[string]string{"streamable": "/mcp", "sse": "/sse"}[name]
			must.Do(t, r.Add(t.Context(), hub.Spec{Name: "herons", URL: web.URL + path, Headers: map[string]string{"X-Key": "hunter2"}}))
			r.joined("herons")
			defer tap.Capture()() // the stream that the answers of sse come in is open already
			r.call(t.Context(), "herons__fish", "trout")
			request, answer := callSeen(t, tap)
			if request.Who != "herons" || request.Via != "http" || request.Tool != "fish" || !strings.Contains(string(answer.Text), "herons eat trout") {
				t.Errorf("seen are %+v and %+v", request, answer)
			}
		})
	}
}

// callSeen is the last call of a tool that was seen, and its answer.
func callSeen(t *testing.T, tap *wire.Tap) (request, answer wire.Frame) {
	t.Helper()
	for _, f := range tap.Since(0) {
		switch {
		case f.Kind == wire.Request && f.Dir == wire.Out && f.Method == "tools/call":
			request = f
		case f.Kind == wire.Answer && f.Dir == wire.In && f.To == request.Seq && request.Seq > 0:
			answer = f
		}
	}
	if answer.Seq == 0 {
		t.Errorf("there is no call with its answer in %+v", tap.Since(0))
	}
	return request, answer
}
