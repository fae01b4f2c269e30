package bidding_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/bidding"
	"github.com/yaap-chat/yaap/core/must"
)

// fixed is a tool with one answer.
type fixed struct {
	spec   core.ToolSpec
	result core.ToolResult
	err    error
}

func (f fixed) Spec() core.ToolSpec { return f.spec }

func (f fixed) Call(context.Context, core.Call) (core.ToolResult, error) { return f.result, f.err }

// box has these tools.
type box struct{ set core.Toolset }

func (b *box) Tools() core.Toolset { return b.set }

func ask(t *testing.T, tool core.Tool, prompt string, bid *core.Bid) {
	t.Helper()
	args := must.Get(json.Marshal(map[string]string{"prompt": prompt}))(t)
	_, _ = tool.Call(t.Context(), core.Call{ID: fmt.Sprint(prompt, bid != nil), Tool: tool.Spec().Name, Args: args, Bid: bid, Scope: core.Scope{Thread: "t", Run: "r"}})
}

func heron(result core.ToolResult) fixed {
	return fixed{spec: core.ToolSpec{Name: "heron", Owner: "heron", Origin: peer}, result: result}
}

func TestHowACallEndsSettlesTheBidThatItWasAwardedOn(t *testing.T) {
	replied := func(status core.Status) core.ToolResult {
		return core.ToolResult{Status: core.ToolSuccess, Reply: &core.Reply{Status: status}}
	}
	const answered, asked, failed, nothing = (2*0.9 + 0.8) / 2.8, (2*0.9 + 0.5) / 2.8, (2*0.9 + 0.4*0.8) / 2.8, 0.9
	for name, c := range map[string]struct {
		result core.ToolResult
		want   float64
	}{
		"text":               {core.ToolResult{Status: core.ToolSuccess, Text: "fish"}, answered},
		"a reply":            {replied(core.StatusSuccess), answered},
		"an early end":       {replied(core.StatusCompleted), answered},
		"a question":         {replied(core.StatusClarification), asked},
		"a failure":          {replied(core.StatusFailure), failed},
		"a question in SACP": {core.ToolResult{Status: core.ToolSuccess, Text: `{"thought":"","status":"clarification_needed","data":{},"message":"which heron?"}`}, asked},
		"JSON of its own":    {core.ToolResult{Status: core.ToolSuccess, Text: `{"status":"open","title":"newts"}`}, answered},
		"a failure in SACP":  {core.ToolResult{Status: core.ToolSuccess, Text: `{"thought":"","status":"failure","data":{},"message":"no"}`}, failed},
		"an error":           {core.ToolFailure(core.ToolError, core.ToolCodeExecutionFailed, "no"), failed},
		"no time":            {core.ToolFailure(core.ToolError, core.ToolCodeTimeout, "no"), failed},
		"it left":            {core.ToolFailure(core.ToolError, core.ToolCodeExpertLeft, "gone"), nothing},
		"a cancel":           {core.ToolFailure(core.ToolError, core.ToolCodeCancelled, "stopped"), nothing},
		"a refusal":          {core.ToolFailure(core.ToolPermissionDenied, core.ToolCodePermissionDenied, "no"), nothing},
		"it waits":           {core.ToolResult{Status: core.ToolWaiting}, nothing},
		"it asks the user":   {core.ToolResult{Status: core.ToolSuccess, Pauses: []core.Pause{{}}}, nothing},
	} {
		l := newLedger(t)
		met(l, "heron")
		tool := bidding.RecordToolOutcomes(heron(c.result), l)
		ask(t, tool, "what do herons eat?", nil)
		if got := l.Credit("heron"); got != nothing {
			t.Errorf("%s: without a bid the credit is %v", name, got)
		}
		ask(t, tool, "what do herons eat?", &core.Bid{Score: 0.8})
		if got := l.Credit("heron"); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: the credit is %v, want %v", name, got, c.want)
		}
	}
}

func TestACallThatWasCutOffSettlesNothing(t *testing.T) {
	l := newLedger(t)
	tool := heron(core.ToolResult{})
	tool.err = errors.New("cancelled")
	ask(t, bidding.RecordToolOutcomes(tool, l), "what do herons eat?", &core.Bid{Score: 0.8})
	if r := l.Record("heron", peer); r.Awards != 0 {
		t.Errorf("%+v", r)
	}
}

func TestOnlyToolsThatTakeAQuestionAreWatched(t *testing.T) {
	l := newLedger(t)
	path := fixed{spec: core.ToolSpec{Name: "heron__read", Owner: "heron", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)}}
	chain := fixed{spec: core.ToolSpec{Name: "chain_heron"}}
	for _, tool := range []core.Tool{path, chain} {
		if got, ok := bidding.RecordToolOutcomes(tool, l).(fixed); !ok {
			t.Errorf("%s is wrapped: %v", tool.Spec().Name, got)
		}
	}
}

func TestTheToolsOfARoomAreWrappedOncePerRevision(t *testing.T) {
	b := &box{set: core.Toolset{Rev: 1, Tools: []core.Tool{heron(core.ToolResult{})}}}
	w := bidding.RecordOutcomes(b, newLedger(t))
	if n := testing.AllocsPerRun(100, func() { w.Tools() }); n > 0 {
		t.Errorf("the tools are asked for with %v allocations", n)
	}
	b.set = core.Toolset{Rev: 2, Tools: append(b.set.Tools, fixed{spec: core.ToolSpec{Name: "crane", Owner: "crane"}})}
	if set := w.Tools(); set.Rev != 2 || len(set.Tools) != 2 || set.Tools[1].Spec().Name != "crane" {
		t.Errorf("after a change there are %+v", set.Specs())
	}
}
