package chain

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"yaap/core"
)

const maxLines = 10_000

// function finds a function: the caller's own come first.
func (c *Config) function(name string) (Function, bool) {
	if f, ok := c.Functions[name]; ok {
		return f, true
	}
	f, ok := builtin()[name]
	return f, ok
}

// FunctionNames lists the built-in functions, sorted.
func FunctionNames() []string { return slices.Sorted(maps.Keys(builtin())) }

// builtin are the functions that every chain may use. They are pure.
func builtin() map[string]Function {
	return map[string]Function{
		"set":   set,
		"lines": lines,
		"json":  readJSON,
		"fail":  fail,
		"ask":   askUser,
		"retry": retry,
	}
}

func success(message string, data map[string]any) core.Reply {
	return core.Reply{Status: core.StatusSuccess, Message: message, Data: data}
}

// set answers its input as data; an input named message is the message.
func set(_ context.Context, in map[string]any) (core.Reply, error) {
	data := maps.Clone(in)
	message, ok := data["message"].(string)
	if ok {
		delete(data, "message")
	}
	if data == nil {
		data = map[string]any{}
	}
	return success(message, data), nil
}

// lines splits the input text into the list data.lines, without empty ones.
func lines(_ context.Context, in map[string]any) (core.Reply, error) {
	s, ok := in["text"].(string)
	if !ok {
		return core.Reply{}, errors.New("lines wants an input named text")
	}
	list := []any{}
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
		if len(list) > maxLines {
			return core.Reply{}, fmt.Errorf("there are more than %d lines", maxLines)
		}
	}
	return success(fmt.Sprintf("%d lines", len(list)), map[string]any{"lines": list}), nil
}

// readJSON reads the input text as JSON into data.value.
func readJSON(_ context.Context, in map[string]any) (core.Reply, error) {
	s, ok := in["text"].(string)
	if !ok {
		return core.Reply{}, errors.New("json wants an input named text")
	}
	var v any
	if err := decode([]byte(s), &v); err != nil {
		return core.Reply{}, fmt.Errorf("the text is not JSON: %w", err)
	}
	return success("", map[string]any{"value": v}), nil
}

// fail answers a failure with the input named message.
func fail(ctx context.Context, in map[string]any) (core.Reply, error) {
	reply, err := set(ctx, in)
	reply.Status = core.StatusFailure
	return reply, err
}

// retry sends the work back to the node before it, with the input named
// instruction.
func retry(_ context.Context, in map[string]any) (core.Reply, error) {
	instruction, ok := in["instruction"].(string)
	if !ok || instruction == "" {
		return core.Reply{}, errors.New("retry wants an input named instruction")
	}
	reply := core.Reply{Status: core.StatusFailure, Message: instruction, Data: map[string]any{"instruction": instruction}}
	reply.MarkRetry("retry_with_instruction")
	return reply, nil
}

// askUser asks the user the input named question, with the list named options
// to choose from. The answer is the next reply's data.answer.
func askUser(_ context.Context, in map[string]any) (core.Reply, error) {
	question, ok := in["question"].(string)
	if !ok || question == "" {
		return core.Reply{}, errors.New("ask wants an input named question")
	}
	if answer, ok := in["answer"]; ok {
		return success(text(answer), map[string]any{"answer": answer}), nil
	}
	data := map[string]any{}
	if list, ok := in["options"]; ok {
		data["options"] = list
	}
	return core.Reply{Status: core.StatusClarification, Message: question, Data: data}, nil
}
