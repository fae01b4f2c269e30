package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
)

func TestEveryTurnIsSummedUpInOneLine(t *testing.T) {
	s := newStage(t, llmtest.New(t,
		llmtest.Turn{Calls: []core.Call{call("a", "calc", "1"), call("b", "calc", "2"), call("c", "clock", "now")}},
		llmtest.Turn{Calls: []core.Call{call("d", "nobody", "x"), call("e", "calc", "1"), call("f", "clock", "1"), call("g", "other", "1")}},
		llmtest.Turn{Text: reply("It is 2.")},
	), says("calc", "2"), says("clock", "noon"))
	if _, err := s.run("1+1?"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range s.events() {
		if b, ok := e.Body.(core.IterationSummary); ok {
			got = append(got, b.Text)
		}
	}
	want := []string{"asked calc, clock", "asked nobody, calc, clock and 1 more; no answer from nobody, other", "answered with success"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("summaries (-want +got)\n%s", diff)
	}
}
