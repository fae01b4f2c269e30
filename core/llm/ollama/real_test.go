package ollama_test

import (
	"context"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/llmtest"
	"github.com/yaap-chat/yaap/core/llm/ollama"
	"github.com/yaap-chat/yaap/core/llm/ollama/ollamatest"
	"github.com/yaap-chat/yaap/core/llm/web/webtest"
)

func TestTheRealServerKeepsTheContractOfModels(t *testing.T) {
	s := ollamatest.NewReal(t)
	s.Suite(t, func(name string, web *http.Client) llm.Model {
		return ollama.New(ollama.Config{BaseURL: s.URL, Model: name, HTTP: web})
	})
}

// What the real server tells of in its own way, and through /api only.
func TestTheRealServerIsUnderstood(t *testing.T) {
	s := ollamatest.NewReal(t)
	web, _ := s.Client(t, false)
	ask := func(t *testing.T, req llm.Request, reply ollamatest.Reply) (llmtest.Answer, error) {
		t.Helper()
		return llmtest.Read(t, ollama.New(ollama.Config{BaseURL: s.URL, Model: s.Model(reply), HTTP: web}).Stream(t.Context(), req))
	}
	t.Run("when a model goes in circles", func(t *testing.T) {
		_, err := ask(t, llmtest.Question(), ollamatest.Reply{Text: "round", End: webtest.EndQuiet})
		if core.CodeOf(err) != core.CodeModelBehavior || !strings.Contains(err.Error(), "went in circles") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("when a question is longer than the model reads", func(t *testing.T) {
		req := llmtest.Question()
		req.Messages[0].Text = strings.Repeat("ź", ollamatest.Reads)
		if _, err := ask(t, req, ollamatest.Reply{Text: "fine"}); core.CodeOf(err) != core.CodeContextFull {
			t.Errorf("error %v, want code %s", err, core.CodeContextFull)
		}
	})
	t.Run("when an answer is longer than the model holds", func(t *testing.T) {
		a, err := ask(t, llmtest.Question(), ollamatest.Reply{End: webtest.EndHang})
		if err != nil || a.Done.Reason != llm.ReasonLength || a.Done.Usage.Total() < ollamatest.Reads || a.Done.Usage.Total() > ollamatest.Reads+1 { // one at the end counts or does not
			t.Errorf("done %+v, error %v", a.Done, err)
		}
	})
	t.Run("when it lists its models", func(t *testing.T) {
		name := s.Model(ollamatest.Reply{Text: "fine"})
		infos, err := ollama.Models(t.Context(), s.URL)
		i := 0
		for i < len(infos) && infos[i].Name != name {
			i++
		}
		if err != nil || i == len(infos) || !infos[i].Tools || infos[i].Context != ollamatest.Reads {
			t.Errorf("%s in %+v, error %v", name, infos, err)
		}
	})
	t.Run("when it makes vectors", func(t *testing.T) {
		e, err := ollama.NewEmbedder(t.Context(), web, s.URL, s.Embedder())
		if err != nil {
			t.Fatal(err)
		}
		v, err := e.Embed(t.Context(), []string{"rain in Oslo", "in Oslo rain", "12345"})
		if err != nil || len(v) != 3 || near(v[0], v[1]) < 0.9 || near(v[0], v[2]) > 0.5 {
			t.Errorf("%d vectors, error %v", len(v), err)
		}
	})
	t.Run("when it is killed in the middle of an answer", func(t *testing.T) {
		own := ollamatest.NewReal(t)
		model := ollama.New(ollama.Config{BaseURL: own.URL, Model: own.Model(ollamatest.Reply{Text: "Once upon", End: webtest.EndHang}), HTTP: web})
		answer := func(yield func(llm.Chunk, error) bool) {
			for c, err := range model.Stream(context.WithoutCancel(t.Context()), llmtest.Question()) {
				own.Kill()
				if !yield(c, err) {
					return
				}
			}
		}
		if _, err := llmtest.Read(t, answer); core.CodeOf(err) != core.CodeUnreachable || !core.Retryable(err) {
			t.Errorf("error %v, want code %s", err, core.CodeUnreachable)
		}
	})
}

// near is the cosine between two vectors.
func near(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+float64(a[i]*b[i]), aa+float64(a[i]*a[i]), bb+float64(b[i]*b[i])
	}
	return ab / math.Sqrt(aa*bb)
}
