// Package anthropictest is a server for tests that speaks as Anthropic's does.
package anthropictest

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core/llm/web/webtest"
)

// New starts a server. See [webtest.New].
func New(t testing.TB, replies ...webtest.Reply) *webtest.Server {
	t.Helper()
	return webtest.New(t, webtest.Wire{
		Path: "/v1/messages", Models: "/v1/models", Check: check, Before: before, After: after,
		Fault: func(kind, text string) any {
			return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": text}, "request_id": "req_1"}
		},
	}, replies...)
}

// Signature is that of a reply's thinking.
const Signature = "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk="

type object = map[string]any

func before(r webtest.Reply, send func(string, any)) {
	u := r.Usage
	u.Prompt = cmp.Or(u.Prompt, 26)
	send("message_start", object{"type": "message_start", "message": object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": webtest.Name + "-20260101", "content": []any{}, "stop_reason": nil,
		"usage": object{"input_tokens": u.Prompt - u.Cached, "cache_creation_input_tokens": 0, "cache_read_input_tokens": u.Cached, "output_tokens": 1},
	}})
	send("ping", object{"type": "ping"})
	n := 0
	if r.Thinking != "" {
		send("content_block_start", object{"type": "content_block_start", "index": n, "content_block": object{"type": "thinking", "thinking": "", "signature": ""}})
		for _, p := range r.Cut(r.Thinking) {
			send("content_block_delta", object{"type": "content_block_delta", "index": n, "delta": object{"type": "thinking_delta", "thinking": p}})
		}
		send("content_block_delta", object{"type": "content_block_delta", "index": n, "delta": object{"type": "signature_delta", "signature": Signature}})
		send("content_block_stop", object{"type": "content_block_stop", "index": n})
		n++
	}
	if r.Text != "" {
		send("content_block_start", object{"type": "content_block_start", "index": n, "content_block": object{"type": "text", "text": ""}})
		for _, p := range r.Cut(r.Text) {
			send("content_block_delta", object{"type": "content_block_delta", "index": n, "delta": object{"type": "text_delta", "text": p}})
		}
	}
}

func after(r webtest.Reply, send func(string, any)) {
	n := 0
	for _, text := range []string{r.Thinking, r.Text} {
		if text != "" {
			n++
		}
	}
	if r.Text != "" {
		send("content_block_stop", object{"type": "content_block_stop", "index": n - 1})
	}
	for i, c := range r.Calls {
		id := cmp.Or(c.ID, fmt.Sprintf("toolu_%d", i))
		send("content_block_start", object{"type": "content_block_start", "index": n + i, "content_block": object{"type": "tool_use", "id": id, "name": c.Tool, "input": object{}}})
		for _, p := range r.Cut(string(c.Args)) {
			send("content_block_delta", object{"type": "content_block_delta", "index": n + i, "delta": object{"type": "input_json_delta", "partial_json": p}})
		}
		send("content_block_stop", object{"type": "content_block_stop", "index": n + i})
	}
	reason := r.Reason
	switch {
	case r.Length():
		reason = "max_tokens"
	case reason == "" && len(r.Calls) > 0:
		reason = "tool_use"
	case reason == "":
		reason = "end_turn"
	}
	completion := cmp.Or(r.Usage.Completion, 7)
	send("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": completion}})
	send("message_stop", object{"type": "message_stop"})
}

var goodID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// check tells what Anthropic refuses.
func check(body object) string {
	if body["stream"] != true || body["max_tokens"] == nil {
		return "stream and max_tokens are wanted"
	}
	thinking, _ := body["thinking"].(object)
	choice, _ := body["tool_choice"].(object)
	on := thinking["type"] == "enabled" || thinking["type"] == "adaptive"
	switch {
	case on && choice["type"] == "tool":
		return "Thinking may not be enabled when tool_choice forces tool use."
	case on && body["temperature"] != nil:
		return "`temperature` may only be set to 1 when thinking is enabled."
	case choice != nil && body["tools"] == nil:
		return "tool_choice may only be specified while providing tools"
	}
	if budget, ok := thinking["budget_tokens"].(float64); ok && (budget < 1024 || budget >= body["max_tokens"].(float64)) {
		return "`max_tokens` must be greater than `thinking.budget_tokens`"
	}
	return conversation(body["messages"], thinking["type"] == "enabled", body["tools"] != nil)
}

func conversation(list any, thinking, tools bool) string {
	messages, _ := list.([]any)
	role, waiting := "", map[any]bool{}
	for i, m := range messages {
		m, _ := m.(object)
		next, _ := m["role"].(string)
		blocks, _ := m["content"].([]any)
		switch {
		case i == 0 && next != "user":
			return "first message must use the \"user\" role"
		case next == role:
			return "roles must alternate"
		case len(blocks) == 0:
			return "messages must have non-empty content"
		}
		role = next
		for j, b := range blocks {
			b, _ := b.(object)
			kind, _ := b["type"].(string)
			switch text, _ := b["text"].(string); {
			case kind == "text" && strings.TrimSpace(text) == "":
				return "text content blocks must be non-empty"
			case kind == "tool_use":
				if id, _ := b["id"].(string); !goodID.MatchString(id) || !tools {
					return "Requests which include `tool_use` blocks must define tools, and ids of letters"
				}
				first, _ := blocks[0].(object)
				if kind, _ := first["type"].(string); thinking && i == len(messages)-2 && !strings.Contains(kind, "thinking") {
					return "Expected `thinking` or `redacted_thinking`, but found `tool_use`."
				}
				waiting[b["id"]] = true
			case kind == "tool_result":
				if !waiting[b["tool_use_id"]] {
					return "unexpected `tool_use_id` found in `tool_result` blocks"
				}
				delete(waiting, b["tool_use_id"])
			case next == "user" && len(waiting) > 0:
				return fmt.Sprintf("`tool_use` ids were found without `tool_result` blocks immediately after, at %d", j)
			}
		}
		if next == "user" && len(waiting) > 0 {
			return "`tool_use` ids were found without `tool_result` blocks immediately after"
		}
	}
	if role != "user" {
		return "This model does not support assistant message prefill."
	}
	return ""
}
