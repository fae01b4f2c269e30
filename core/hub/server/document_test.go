package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/must"
	"github.com/yaap-chat/yaap/core/yaap"
)

// documented are the frames of that kind in the wire contract.
func documented(t *testing.T, kind string) (frames []map[string]any) {
	t.Helper()
	document := must.Get(os.ReadFile("../../../docs/yaap.md"))(t)
	for _, m := range regexp.MustCompile("(?s)```json "+kind+"\n(.*?)```").FindAllSubmatch(document, -1) {
		var frame map[string]any
		if err := json.Unmarshal(m[1], &frame); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		frames = append(frames, frame)
	}
	return frames
}

// shape are the keys of a value as JSON, all the way down.
func shape(t *testing.T, value any) (keys []string) {
	t.Helper()
	raw := must.Get(json.Marshal(value))(t)
	var node any
	must.Do(t, json.Unmarshal(raw, &node))
	var walk func(path string, node any)
	walk = func(path string, node any) {
		switch node := node.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(node)) {
				keys = append(keys, path+key)
				walk(path+key+".", node[key])
			}
		case []any:
			for i, item := range node {
				walk(fmt.Sprint(path, i, "."), item)
			}
		}
	}
	walk("", node)
	return keys
}

func TestTheFramesOfTheDocumentPassBetweenAPeerAndTheRoom(t *testing.T) {
	r := open(t)
	g := &guest{caller: caller{r.address(), "/yaap"}, t: t}
	var welcome, bye map[string]any
	var accepted yaap.Accepted
	g.must(yaap.ToolHello, documented(t, "hello")[0], &welcome)
	same := func(what string, want, got any) {
		t.Helper()
		if diff := cmp.Diff(shape(t, want), shape(t, got)); diff != "" {
			t.Errorf("%s (-document +room)\n%s", what, diff)
		}
	}
	same("welcome", documented(t, "welcome")[0], welcome)
	told := func(frame map[string]any, call string) map[string]any {
		if frame["lease"] = welcome["lease"]; call != "" {
			frame["call_id"] = call
		}
		return frame
	}
	g.lease, _ = welcome["lease"].(string)
	next := func() (events yaap.Events) {
		t.Helper()
		g.must(yaap.ToolNext, told(documented(t, "next")[0], ""), &events)
		if len(events.Events) != 1 {
			t.Fatalf("got %+v", events)
		}
		return events
	}

	result := r.ask(t.Context(), "heron", func(c *core.Call) { c.Scope.Depth = 1 })
	called := next()
	same("call", documented(t, "events")[0], called)
	id := called.Events[0].CallID
	g.must(yaap.ToolProgress, told(documented(t, "progress")[0], id), &accepted)
	g.must(yaap.ToolReply, told(documented(t, "reply")[0], id), &accepted)
	if got := <-result; !got.OK() || got.Text != "**Fish and frogs.**" || got.Data["food"] == nil || !accepted.Accepted {
		t.Errorf("its answer is %+v", got)
	}

	bids := make(chan []core.Bids, 1)
	request := documented(t, "bid-request")[0]
	var texts []string
	for _, text := range request["texts"].([]any) { //nolint:forcetypeassert // it is what the document has
		texts = append(texts, fmt.Sprint(text))
	}
	go func() { bids <- r.Bids(t.Context(), texts, nil, "", time.Minute) }()
	asked := next()
	same("bid", documented(t, "events")[1], asked)
	g.must(yaap.ToolReply, told(documented(t, "reply")[1], asked.Events[0].CallID), &accepted)
	want := []core.Bid{{Score: 0.5, Reads: "what herons eat"}, {Score: 0.9, Reads: "what herons eat"}, {}}
	if got := <-bids; len(got) != 1 || !cmp.Equal(got[0].Bids, want) {
		t.Errorf("its bids are %+v", got)
	}

	refusal, err := g.call(t.Context(), yaap.ToolHello, map[string]any{"yaap": 1, "name": "Heron", "description": "Knows herons."}, nil)
	if err != nil || refusal == nil {
		t.Fatal(refusal, err)
	}
	if diff := cmp.Diff(documented(t, "refusal")[0], map[string]any{"code": refusal.Code, "message": refusal.Message}); diff != "" {
		t.Errorf("refusal (-document +room)\n%s", diff)
	}
	g.must(yaap.ToolGoodbye, told(documented(t, "goodbye")[0], ""), &bye)
	if left := r.left("heron"); left.Reason != core.LeftGoodbye || left.Detail != "the tide is out" {
		t.Errorf("it left as %+v", left)
	}
}
