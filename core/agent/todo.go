package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	todoName = "update_todo" // no expert may be called so
	maxTodo  = 50            // items
	maxItem  = 300           // bytes of one
)

// todo is the tool by which a model keeps a list of what it has to do in a run. It
// plans nothing by itself.
type todo struct{ run *run }

// Spec implements [core.Tool].
func (todo) Spec() core.ToolSpec { return todoSpec() }

//nolint:gochecknoglobals // never changes
var todoSpec = sync.OnceValue(func() core.ToolSpec {
	return core.ToolSpec{
		Name: todoName,
		Description: "Keeps the list of what you have to do, which the user sees. For work of three steps or more: write the list first, all of it, " +
			"and again whenever an item is begun or done. One item is in_progress at a time.",
		Schema: json.RawMessage(fmt.Sprintf(`{"type":"object","required":["items"],"properties":{"items":{"type":"array","minItems":1,"maxItems":%d,"items":{`+
			`"type":"object","required":["text","status"],"properties":{"text":{"type":"string","minLength":1,"maxLength":%d},"status":{"enum":[%q,%q,%q]}}}}}}`, maxTodo, maxItem, core.TodoPending, core.TodoBegun, core.TodoDone)),
		Sequential: true,
	}
})

// Call implements [core.Tool].
func (t todo) Call(_ context.Context, c core.Call) (core.ToolResult, error) {
	var args struct{ Items []core.TodoItem }
	if err := json.Unmarshal(c.Args, &args); err != nil { // it fits the schema
		return core.ToolFailure(core.ToolValidationError, core.ToolCodeInvalidInput, "items must be a list"), nil
	}
	left := 0
	for i, item := range args.Items {
		args.Items[i].Text = safe.Cut(safe.Line(item.Text), maxItem)
		if item.Status != core.TodoDone {
			left++
		}
	}
	t.run.emit(c.Scope, core.TodoChanged{Items: args.Items})
	return core.ToolResult{Status: core.ToolSuccess, Text: fmt.Sprintf("%d of %d are left to do", left, len(args.Items))}, nil
}
