// Package openaitest is a server for tests that speaks as OpenAI's does.
package openaitest

import (
	"cmp"
	"testing"

	"github.com/yaap-chat/yaap/core/llm/web/webtest"
)

// New starts a server whose address is its URL with "/v1". See [webtest.New].
func New(t testing.TB, replies ...webtest.Reply) *webtest.Server {
	t.Helper()
	s := webtest.New(t, webtest.Wire{
		Path: "/v1/chat/completions", Models: "/v1/models", Check: check, Before: before, After: after,
		Fault: func(kind, text string) any {
			return map[string]any{"error": map[string]any{"message": text, "type": kind, "param": nil, "code": nil}}
		},
	}, replies...)
	s.URL += "/v1"
	return s
}

// Chunk is one event of a stream.
func Chunk(delta map[string]any, finish any) map[string]any {
	return map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": webtest.Name + "-2026-01-01", "usage": nil,
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
	}
}

func before(r webtest.Reply, send func(string, any)) {
	send("", Chunk(map[string]any{"role": "assistant", "content": ""}, nil))
	for _, p := range r.Cut(r.Thinking) {
		send("", Chunk(map[string]any{"reasoning_content": p}, nil))
	}
	for _, p := range r.Cut(r.Text) {
		send("", Chunk(map[string]any{"content": p}, nil))
	}
}

func after(r webtest.Reply, send func(string, any)) {
	for i, c := range r.Calls {
		id := cmp.Or(c.ID, "call_"+string(rune('a'+i)))
		args := string(c.Args)
		send("", calls(map[string]any{"index": i, "id": id, "type": "function", "function": map[string]any{"name": c.Tool, "arguments": ""}}))
		for _, p := range r.Cut(args) {
			send("", calls(map[string]any{"index": i, "function": map[string]any{"arguments": p}}))
		}
	}
	reason := r.Reason
	switch {
	case reason == "" && len(r.Calls) > 0:
		reason = "tool_calls"
	case reason == "":
		reason = "stop"
	}
	send("", Chunk(map[string]any{}, reason))
	u := r.Usage
	if u.Total() == 0 {
		u.Prompt, u.Completion = 26, 7
	}
	if u.Total() > 0 {
		send("", map[string]any{"choices": []any{}, "usage": map[string]any{
			"prompt_tokens": u.Prompt, "completion_tokens": u.Completion, "total_tokens": u.Total(),
			"prompt_tokens_details": map[string]any{"cached_tokens": u.Cached},
		}})
	}
	send("", "[DONE]")
}

func calls(call map[string]any) any {
	return Chunk(map[string]any{"tool_calls": []any{call}}, nil)
}

// check tells what OpenAI refuses.
func check(body map[string]any) string {
	if body["stream"] != true {
		return "stream is wanted"
	}
	if body["tool_choice"] != nil && body["tools"] == nil {
		return "'tool_choice' is only allowed when 'tools' are specified."
	}
	waiting := map[any]bool{}
	messages, _ := body["messages"].([]any)
	for _, m := range messages {
		m, _ := m.(map[string]any)
		if m["role"] == "tool" {
			if !waiting[m["tool_call_id"]] {
				return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
			}
			delete(waiting, m["tool_call_id"])
			continue
		}
		if len(waiting) > 0 {
			return "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
		}
		list, _ := m["tool_calls"].([]any)
		for _, c := range list {
			c, _ := c.(map[string]any)
			waiting[c["id"]] = true
		}
	}
	if len(waiting) > 0 {
		return "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
	}
	return ""
}
