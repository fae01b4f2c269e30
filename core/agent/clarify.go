package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	clarifyName = "request_user_clarification" // no expert may be called so
	maxQuestion = 2 << 10                      // bytes of a question to the user
	maxChoices  = 9                            // each has a digit
	maxChoice   = 200                          // bytes of one
)

// clarify is the tool by which a model asks the user while its run goes on. The run waits
// with the question for as long as it takes, over restarts.
type clarify struct{ run *run }

// Spec implements [core.Tool].
func (clarify) Spec() core.ToolSpec { return clarifySpec() }

//nolint:gochecknoglobals // never changes
var clarifySpec = sync.OnceValue(func() core.ToolSpec {
	return core.ToolSpec{
		Name: clarifyName,
		Description: "Asks the user one question, and waits for the answer. Only for what you cannot go on without and what only the user can tell; " +
			"what experts can tell, ask them. Give options where there are a few good answers.",
		Schema: json.RawMessage(fmt.Sprintf(`{"type":"object","required":["question"],"properties":{"question":{"type":"string","minLength":1,"maxLength":%d},`+
			`"options":{"type":"array","maxItems":%d,"items":{"type":"string","minLength":1,"maxLength":%d}}}}`, maxQuestion, maxChoices, maxChoice)),
		Sequential: true,
	}
})

// Call implements [core.Tool].
func (t clarify) Call(_ context.Context, c core.Call) (core.ToolResult, error) {
	r := t.run
	id := r.Scope.Run + "#" + c.ID
	if answer, ok := r.answers[id]; ok {
		r.emit(c.Scope, core.ClarificationProvided{ID: id, Selected: answer.Text, Option: answer.ID})
		return core.ToolResult{Status: core.ToolSuccess, Text: "The user answers: " + answer.Text, Data: map[string]any{"answer": answer.Text}}, nil
	}
	var args struct {
		Question string
		Options  []string
	}
	if err := json.Unmarshal(c.Args, &args); err != nil || strings.TrimSpace(args.Question) == "" {
		return core.ToolFailure(core.ToolValidationError, core.ToolCodeInvalidInput, "question must say what you want to know"), nil
	}
	p := core.Pause{
		ID: id, Run: r.Scope.Run, Root: r.Scope.Trace, Thread: r.Scope.Thread, Kind: core.PauseClarification, From: r.Scope.Agent,
		Question: safe.Prefix(args.Question, maxQuestion), Time: r.cfg.Now(),
	}
	if len(args.Options) > 1 { // one is no choice
		for i, label := range args.Options[:min(len(args.Options), maxChoices)] {
			p.Options = append(p.Options, core.Option{ID: fmt.Sprint(i + 1), Label: safe.Prefix(label, maxChoice)})
		}
	}
	r.emit(c.Scope, core.ClarificationRequested{ID: p.ID, Question: p.Question, Options: p.Options})
	return core.ToolResult{Status: core.ToolWaiting, Text: "waits for the user's answer", Pauses: []core.Pause{p}}, nil
}
