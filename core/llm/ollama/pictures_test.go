package ollama_test

import (
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/llm/ollama"
	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
)

func TestAModelSeesPicturesWhereTheServerSaysSo(t *testing.T) {
	for _, sees := range []bool{true, false} {
		s := ollamatest.New(t, ollamatest.Reply{Text: "a heron"})
		abilities := []string{"completion"}
		if sees {
			abilities = append(abilities, "vision")
		}
		s.SetModels(ollamatest.Model{Name: "m", Capabilities: abilities})
		m := ollama.New(ollama.Config{BaseURL: s.URL, Model: "m", NumCtx: 4096, HTTP: client(t)})
		if got := llm.AcceptsImages(t.Context(), m); got != sees {
			t.Errorf("with %v it sees: %v", abilities, got)
		}
		if infos, err := ollama.Models(t.Context(), s.URL); err != nil || len(infos) != 1 || infos[0].Sees != sees {
			t.Errorf("with %v it is listed as %+v (%v)", abilities, infos, err)
		}
		picture := core.File{Type: "image/png", Data: []byte("heron")}
		req := llm.Request{Messages: []core.Message{{Role: core.RoleUser, Text: "what is it?", Files: []core.File{picture}}}}
		if _, err := llmtest.Read(t, m.Stream(t.Context(), req)); err != nil {
			t.Fatal(err)
		}
		if raw := string(s.Requests()[0].Raw); !strings.Contains(raw, `"images":["aGVyb24="]`) {
			t.Errorf("asked %s", raw)
		}
	}
}
