package chain

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

const maxLines = 10_000

// call calls a function: the caller's own come first. Those may do what they
// like: their input is theirs, and what they answer is made what JSON would make
// of it.
func (c *Config) call(ctx context.Context, name string, in map[string]any) (reply core.Reply, err error) {
	f, ok := c.Functions[name]
	if !ok {
		if f, ok = builtin()[name]; !ok {
			return reply, fmt.Errorf("there is no function %q", name)
		}
		return f(ctx, in)
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s failed: %v", name, p)
		}
		if err != nil {
			reply = core.Reply{}
		}
	}()
	own, _ := clone(in).(map[string]any) // never nil
	if reply, err = f(ctx, own); err == nil {
		reply.Data, err = likeJSON(reply.Data)
	}
	return reply, err
}

// callInTime is call, and leaves a function behind that goes on when ctx has
// ended.
func (c *Config) callInTime(ctx context.Context, name string, in map[string]any) (core.Reply, error) {
	type answer struct {
		reply core.Reply
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		reply, err := c.call(ctx, name, in)
		answered <- answer{reply, err}
	}()
	select {
	case a := <-answered:
		return a.reply, a.err
	case <-ctx.Done():
		return core.Reply{}, context.Cause(ctx)
	}
}

// clone copies lists and objects at all levels.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := make(map[string]any, len(v))
		for key, item := range v {
			c[key] = clone(item)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, item := range v {
			c[i] = clone(item)
		}
		return c
	}
	return v
}

// likeJSON returns data as it would be read again from a file.
func likeJSON(data map[string]any) (map[string]any, error) {
	if ofJSON(data) {
		return data, nil
	}
	raw, err := json.Marshal(data)
	if err == nil {
		data = nil
		err = core.DecodeJSON(raw, &data)
	}
	if err != nil {
		return nil, fmt.Errorf("its answer cannot be stored: %w", err)
	}
	return data, nil
}

func ofJSON(v any) bool {
	switch v := v.(type) {
	case nil, bool, string, int, json.Number:
		return true
	case map[string]any:
		for _, item := range v {
			if !ofJSON(item) {
				return false
			}
		}
		return true
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !ofJSON(item) })
	}
	return false
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

// neededKey is the text that a built-in function cannot do without, by its name in the
// input.
func neededKey(function string) string {
	return map[string]string{"lines": "text", "json": "text", "ask": "question", "retry": "instruction"}[function]
}

// neededText returns that text.
func neededText(function string, in map[string]any) (string, error) {
	key := neededKey(function)
	s, ok := in[key].(string)
	if !ok || s == "" && key != "text" {
		return "", fmt.Errorf("%s wants an input named %s", function, key)
	}
	return s, nil
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
	s, err := neededText("lines", in)
	if err != nil {
		return core.Reply{}, err
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
	s, err := neededText("json", in)
	if err != nil {
		return core.Reply{}, err
	}
	var v any
	if err := core.DecodeJSON([]byte(s), &v); err != nil {
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
	instruction, err := neededText("retry", in)
	if err != nil {
		return core.Reply{}, err
	}
	reply := core.Reply{Status: core.StatusFailure, Message: instruction, Data: map[string]any{"instruction": instruction}}
	reply.MarkRetry("retry_with_instruction")
	return reply, nil
}

// askUser asks the user the input named question, with the list named options
// to choose from, or the JSON Schema named schema of what may be answered. The
// answer is the next reply's data.answer.
func askUser(_ context.Context, in map[string]any) (core.Reply, error) {
	question, err := neededText("ask", in)
	if err != nil {
		return core.Reply{}, err
	}
	if answer, ok := in["answer"]; ok {
		return success(text(answer), map[string]any{"answer": answer}), nil
	}
	data := map[string]any{}
	for _, key := range []string{"options", "schema"} {
		if v, ok := in[key]; ok {
			data[key] = v
		}
	}
	return core.Reply{Status: core.StatusClarification, Message: question, Data: data}, nil
}
