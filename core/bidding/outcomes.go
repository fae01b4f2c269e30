package bidding

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/sacp"
)

// RecordOutcomes returns the tools of box; how a call of them ends that takes one text
// settles the bid that it was awarded on, and may teach the ledger a question of
// its expert. Tools is as cheap as that of box while the toolset is the same.
func RecordOutcomes(box core.Toolbox, l *Ledger) core.Toolbox {
	return &outcomeRecorder{box: box, ledger: l}
}

type outcomeRecorder struct {
	box    core.Toolbox
	ledger *Ledger

	mu   sync.Mutex
	seen bool
	set  core.Toolset
}

// Tools implements [core.Toolbox].
func (w *outcomeRecorder) Tools() core.Toolset {
	set := w.box.Tools()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen && set.Rev == w.set.Rev {
		return w.set
	}
	tools := make([]core.Tool, len(set.Tools))
	for i, tool := range set.Tools {
		tools[i] = RecordToolOutcomes(tool, w.ledger)
	}
	w.seen, w.set = true, core.Toolset{Rev: set.Rev, Tools: tools}
	return w.set
}

// RecordToolOutcomes is [RecordOutcomes] for a single tool, such as that of an expert whom the user
// asked by name: without a bid only what is learned from it counts.
func RecordToolOutcomes(tool core.Tool, l *Ledger) core.Tool {
	spec := tool.Spec()
	if spec.Owner == "" || !takesPrompt(spec) {
		return tool
	}
	return outcomeRecorderTool{Tool: tool, spec: spec, ledger: l}
}

const prompt = "prompt" // the argument that is a question

type outcomeRecorderTool struct {
	core.Tool
	spec   core.ToolSpec
	ledger *Ledger
}

// Spec implements [core.Tool].
func (t outcomeRecorderTool) Spec() core.ToolSpec { return t.spec }

// Call implements [core.Tool].
func (t outcomeRecorderTool) Call(ctx context.Context, c core.Call) (core.ToolResult, error) {
	result, err := t.Tool.Call(ctx, c)
	var args map[string]any
	if err != nil || json.Unmarshal(c.Args, &args) != nil {
		return result, err
	}
	question, _ := args[prompt].(string)
	t.ledger.Settle(ctx, Award{
		Scope: c.Scope, Call: c.ID, Expert: t.spec.Owner, Origin: t.spec.Origin, Question: question, Bid: c.Bid,
	}, outcome(t.spec, result))
	return result, nil
}

// outcome says what a result was worth to the user.
func outcome(spec core.ToolSpec, r core.ToolResult) Outcome {
	switch {
	case len(r.Pauses) > 0, r.Status == core.ToolWaiting, r.Status == core.ToolPermissionDenied:
		return Unclear
	case r.Code == core.ToolCodeExpertLeft, r.Code == core.ToolCodeCancelled, r.Code == core.ToolCodePermissionDenied:
		return Unclear
	case !r.OK():
		return Failed
	}
	if r.Reply == nil && (spec.SACP || sacp.IsReply(r.Text)) {
		read, err := sacp.Parse(r.Text)
		if err != nil {
			return Failed
		}
		r.Reply = &read.Reply
	}
	switch {
	case r.Succeeded():
		return Answered
	case r.AsksBack():
		return AskedBack
	}
	return Failed
}

// takesPrompt reports whether all that a tool has to be given is a question.
func takesPrompt(spec core.ToolSpec) bool {
	found := false
	for _, p := range spec.Parameters() {
		found = found || p.Name == prompt
		if p.Required && p.Name != prompt {
			return false
		}
	}
	return found
}
