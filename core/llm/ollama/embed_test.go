package ollama_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm/ollama"
	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
)

func TestTheFirstModelThatMakesVectorsIsTaken(t *testing.T) {
	s := ollamatest.New(t)
	if _, err := ollama.NewEmbedder(t.Context(), ollama.NewHTTP(nil), s.URL, ""); core.CodeOf(err) != core.CodeNoModel || core.HintOf(err) == "" {
		t.Errorf("without one: %v", err)
	}
	s.SetModels(
		ollamatest.Model{Name: "chat:1b", Capabilities: []string{"completion", "tools"}},
		ollamatest.Model{Name: "far:1b", Capabilities: []string{"embedding"}, RemoteHost: "https://ollama.com"},
		ollamatest.Model{Name: "near:1b", Capabilities: []string{"embedding"}}, ollamatest.Model{Name: "other:1b", Capabilities: []string{"embedding"}})
	for name, want := range map[string]string{"": "near:1b", "other:1b": "other:1b"} {
		e, err := ollama.NewEmbedder(t.Context(), ollama.NewHTTP(nil), s.URL, name)
		if err != nil {
			t.Fatal(err)
		}
		if e.Model() != want {
			t.Errorf("%q is %s, want %s", name, e.Model(), want)
		}
	}
	if _, err := ollama.NewEmbedder(t.Context(), ollama.NewHTTP(nil), s.URL, "missing:1b"); core.CodeOf(err) != core.CodeNoModel {
		t.Errorf("a model that is not there: %v", err)
	}
}

func TestVectorsAreMadeOneForEachTextAndOfLengthOne(t *testing.T) {
	s := ollamatest.New(t)
	s.SetModels(ollamatest.Model{Name: "near:1b", Capabilities: []string{"embedding"}})
	e, err := ollama.NewEmbedder(t.Context(), ollama.NewHTTP(nil), s.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	s.SetVectors(func(text string) []float32 { return []float32{3, float32(len(text))} })
	got, err := e.Embed(t.Context(), []string{"four", ""})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float32{{0.6, 0.8}, {1, 0}}, got); diff != "" {
		t.Error(diff)
	}
	for name, vector := range map[string]func(string) []float32{
		"none":              nil,
		"nothing":           func(string) []float32 { return nil },
		"a length of zero":  func(string) []float32 { return []float32{0, 0} },
		"different lengths": func(text string) []float32 { return append(make([]float32, len(text)), 1) },
		"far too many":      func(string) []float32 { return append(make([]float32, core.MaxVector), 1) },
	} {
		s.SetVectors(vector)
		if got, err := e.Embed(t.Context(), []string{"four", "words"}); core.CodeOf(err) != core.CodeUnreachable {
			t.Errorf("%s: %d vectors, %v", name, len(got), err)
		}
	}
}
