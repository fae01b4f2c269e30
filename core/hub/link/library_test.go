package link_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
)

// library lets things be read, and has a prompt ready.
func library() {
	said := map[string]string{
		"tools/list":               `{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`,
		"resources/list":           `{"resources":[{"uri":"notes://1","name":"one","title":"The first","mimeType":"text/plain"}]}`,
		"resources/templates/list": `{"resourceTemplates":[{"uriTemplate":"notes://{n}","name":"any"}]}`,
		"prompts/list":             `{"prompts":[{"name":"ask","arguments":[{"name":"bird","required":true}]}]}`,
	}
	each(func(id json.RawMessage, method string, params json.RawMessage) {
		var p struct {
			URI       string            `json:"uri"`
			Arguments map[string]string `json:"arguments"`
		}
		_ = json.Unmarshal(params, &p)
		switch {
		case method == "resources/read" && p.URI == "notes://long":
			respond(id, map[string]any{"contents": []any{map[string]any{"uri": p.URI, "text": strings.Repeat("x", 300<<10)}}})
		case method == "resources/read":
			respond(id, map[string]any{"contents": []any{map[string]any{"uri": p.URI, "text": "herons"}}})
		case method == "prompts/get":
			respond(id, map[string]any{"messages": []any{
				map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": "Tell me of " + p.Arguments["bird"]}},
				map[string]any{"role": "assistant", "content": map[string]any{"type": "text", "text": "Of course."}},
			}})
		default:
			respond(id, json.RawMessage(said[method]))
		}
	})
}

func TestWhatAnExpertLetsBeReadIsRead(t *testing.T) {
	r := open(t)
	if err := r.Add(t.Context(), hub.Spec{Name: "notes", Command: []string{os.Args[0], "child", "library"}}); err != nil {
		t.Fatal(err)
	}
	r.joined("notes")
	l, err := r.Library("notes")
	if err != nil {
		t.Fatal(err)
	}
	resources, err := l.Resources(t.Context())
	want := []core.Resource{{URI: "notes://1", Name: "The first", Type: "text/plain"}, {URI: "notes://{n}", Name: "any", Template: true}}
	if diff := cmp.Diff(want, resources); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if text, err := l.Read(t.Context(), "notes://1"); text != "herons" || err != nil {
		t.Errorf("reads %q, %v", text, err)
	}
	if text, err := l.Read(t.Context(), "notes://long"); !strings.HasSuffix(text, "[cut: these are 256 of 300 KB]") || err != nil {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	prompts, err := l.Prompts(t.Context())
	if diff := cmp.Diff([]core.PromptSpec{{Name: "ask", Args: []core.PromptArg{{Name: "bird", Required: true}}}}, prompts); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if text, err := l.Prompt(t.Context(), "ask", map[string]string{"bird": "herons"}); text != "Tell me of herons" || err != nil {
		t.Errorf("the prompt is %q, %v", text, err)
	}
	if _, err := r.Library("nobody"); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("got %v", err)
	}
}
