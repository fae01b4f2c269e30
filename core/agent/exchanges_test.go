package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

func TestWhatAModelWasAskedAndAnsweredIsKept(t *testing.T) {
	lost := &core.Error{Code: core.CodeUnreachable, Message: "connection lost"}
	model := llmtest.New(t,
		llmtest.Turn{Text: "It i", Err: lost},
		llmtest.Turn{Thinking: "easy", Calls: []core.Call{call("a", "calc", "1")}},
		llmtest.Turn{Text: reply("fine")})
	s := newStage(t, model, says("calc", "2"))
	s.cfg.Exchanges = new(llm.Exchanges)
	if _, err := s.run("how much?"); err != nil {
		t.Fatal(err)
	}
	var requests []core.Exchange
	for _, e := range s.events() {
		if b, ok := e.Body.(core.LLMCallStart); ok {
			x, ok := s.cfg.Exchanges.Find(e.Run, b.Call)
			if !ok {
				t.Fatalf("%s is not kept", b.Call)
			}
			requests = append(requests, x)
		}
	}
	for i, req := range model.Requests() {
		got := requests[i]
		want := core.Exchange{Call: got.Call, Model: "script", System: req.System, Now: req.Now, Messages: req.Messages, Tools: req.Tools, NoCalls: req.NoCalls, Schema: req.Schema, Answer: got.Answer, Error: got.Error}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("request %d (-sent +kept):\n%s", i+1, diff)
		}
	}
	if a := requests[0]; a.Error == "" || a.Answer.Text != "It i" {
		t.Errorf("what was lost is %+v, error %q", a.Answer, a.Error)
	}
	if a := requests[1].Answer; a.Thinking != "easy" || len(a.Calls) != 1 || a.Calls[0].Tool != "calc" {
		t.Errorf("the call is %+v", a)
	}
	if a := requests[2].Answer; a.Text != reply("fine") {
		t.Errorf("the answer is %+v", a)
	}
}
