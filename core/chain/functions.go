package chain

import (
	"fmt"
	"maps"
	"strings"

	"github.com/yaap-chat/yaap/core"
)

const maxLines = 10_000

// builtin are the functions that chains may use. They are pure, answer at once, and
// leave their input as it is.
func builtin() map[string]func(in map[string]any) (core.Reply, error) {
	return map[string]func(in map[string]any) (core.Reply, error){
		"set":   set,
		"lines": lines,
		"json":  readJSON,
		"fail":  fail,
		"ask":   askUser,
		"retry": retry,
	}
}

func functionNames() map[string]bool {
	names := map[string]bool{}
	for name := range builtin() {
		names[name] = true
	}
	return names
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
func set(in map[string]any) (core.Reply, error) {
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
func lines(in map[string]any) (core.Reply, error) {
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
func readJSON(in map[string]any) (core.Reply, error) {
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
func fail(in map[string]any) (core.Reply, error) {
	reply, err := set(in)
	reply.Status = core.StatusFailure
	return reply, err
}

// retry sends the work back to the node before it, with the input named
// instruction.
func retry(in map[string]any) (core.Reply, error) {
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
func askUser(in map[string]any) (core.Reply, error) {
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
