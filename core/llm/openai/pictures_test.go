package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/llm/openai"
	"github.com/yaap-chat/yaap/core/llm/openai/openaitest"
	"github.com/yaap-chat/yaap/core/llm/web/webtest"
)

// heron is a question with a picture.
func heron() llm.Request {
	picture := core.File{Type: "image/png", Data: []byte("heron")}
	return llm.Request{Messages: []core.Message{{Role: core.RoleUser, Text: "what is it?", Files: []core.File{picture}}}}
}

func TestAPictureIsSentBehindTheQuestion(t *testing.T) {
	s := openaitest.New(t, webtest.Reply{Text: "a heron"})
	if _, err := llmtest.Read(t, openai.New(config(t, s)).Stream(t.Context(), heron())); err != nil {
		t.Fatal(err)
	}
	const want = `"content":[{"type":"text","text":"what is it?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aGVyb24="}}]`
	if raw := string(s.Requests()[0].Raw); !strings.Contains(raw, want) {
		t.Errorf("asked %s", raw)
	}
}

func TestAModelThatRefusesAPictureSeesNoneFromThenOn(t *testing.T) {
	for _, text := range []string{
		"image_url is only supported by certain models.", "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
		"m is not a multimodal model, which pictures are not supported by", "messages[0]: unknown variant `image_url`, expected `text`",
	} {
		s := openaitest.New(t, webtest.Reply{Text: "fine", Forever: true})
		s.Refuse(func(body map[string]any) (int, string) {
			return when(strings.Contains(fmt.Sprint(body["messages"]), "image_url"), 400), text
		})
		m := openai.New(config(t, s))
		if !llm.AcceptsImages(t.Context(), m) {
			t.Error("it is taken to be blind")
		}
		_, err := llmtest.Read(t, m.Stream(t.Context(), heron()))
		if core.CodeOf(err) != core.CodeNoModel || !strings.Contains(err.Error(), "cannot see pictures") || core.Retryable(err) {
			t.Errorf("%s: %v", text, err)
		}
		if llm.AcceptsImages(t.Context(), m) || len(s.Requests()) != 1 {
			t.Errorf("%s: it was asked %d times, and is taken to see", text, len(s.Requests()))
		}
		if _, err := llmtest.Read(t, m.Stream(t.Context(), llmtest.Question())); err != nil {
			t.Errorf("without a picture: %v", err)
		}
	}
}
