package anthropic_test

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/anthropic/anthropictest"
	"github.com/yaap-chat/yaap/core/llm/web/webtest"
)

func TestAPictureIsSentBeforeTheQuestion(t *testing.T) {
	s := anthropictest.New(t, webtest.Reply{Text: "a heron"})
	picture := core.File{Type: "image/png", Data: []byte("heron")}
	req := llm.Request{Messages: []core.Message{{Role: core.RoleUser, Text: "what is it?", Files: []core.File{picture}}}}
	if _, err := put(t, config(t, s), req); err != nil {
		t.Fatal(err)
	}
	const want = `"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGVyb24="}},{"type":"text","text":"what is it?"`
	if raw := string(s.Requests()[0].Raw); !strings.Contains(raw, want) {
		t.Errorf("asked %s", raw)
	}
}
