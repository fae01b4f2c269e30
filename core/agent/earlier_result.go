package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/safe"
)

const (
	earlierName = "earlier_result" // no expert may be called so
	maxEarlier  = 16 << 10         // bytes of a result that are read at once
	markLetters = 12               // of the id of a result, by which a model names it
)

// mark is how a model names a result that it is shown the beginning of.
func mark(m core.Message) string { return m.ID[max(len(m.ID)-markLetters, 0):] }

// earlier is the tool by which a model reads a whole result of which it is shown only the
// beginning. It is there from the first such result on.
type earlier struct{ run *run }

// Spec implements [core.Tool].
func (earlier) Spec() core.ToolSpec {
	return core.ToolSpec{
		Name:        earlierName,
		Description: "Reads a result of this conversation that is shown shortened, by the mark that stands there, from a byte on. Nobody is asked again.",
		Schema:      json.RawMessage(`{"type":"object","required":["mark"],"properties":{"mark":{"type":"string","minLength":1,"maxLength":64},"from":{"type":"integer","minimum":0}}}`),
	}
}

// Call implements [core.Tool].
func (e earlier) Call(_ context.Context, c core.Call) (core.ToolResult, error) {
	var args struct {
		Mark string
		From int
	}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return core.ToolFailure(core.ToolValidationError, core.ToolCodeInvalidInput, "mark must be a text, from a number"), nil
	}
	i := slices.IndexFunc(e.run.messages, func(m core.Message) bool { return m.Role == core.RoleTool && mark(m) == args.Mark })
	if i < 0 {
		return core.ToolFailure(core.ToolNotFound, core.ToolCodeNotFound, "there is no result with that mark in this conversation"), nil
	}
	text := e.run.messages[i].Text
	rest := strings.ToValidUTF8(text[min(args.From, len(text)):], "")
	part := safe.Prefix(rest, maxEarlier)
	if more := len(rest) - len(part); more > 0 {
		part += fmt.Sprintf("\n[%s more: from %d on]", size(more), len(text)-more)
	}
	return core.ToolResult{Status: core.ToolSuccess, Text: part}, nil
}
