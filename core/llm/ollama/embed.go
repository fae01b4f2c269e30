package ollama

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"

	"github.com/ollama/ollama/api"

	"github.com/yaap-chat/yaap/core"
)

// Embedder makes vectors of texts with a model of a server.
type Embedder struct{ client client }

// NewEmbedder returns an embedder of a model, or of the first that the server
// has for this where none is named. It fails with [core.CodeNoModel] when there
// is none, and takes ten seconds at most.
func NewEmbedder(ctx context.Context, web *http.Client, baseURL, name string) (*Embedder, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, listLimit, errSilent)
	defer cancel()
	c := client{base: baseURL, model: name, http: web}
	if name != "" {
		if _, err := c.show(ctx); err != nil {
			return nil, c.server().TimeoutError(ctx, err)
		}
		return &Embedder{c}, nil
	}
	var list api.ListResponse
	if err := c.server().Get(ctx, "/api/tags", nil, &list); err != nil {
		return nil, c.server().TimeoutError(ctx, err)
	}
	for _, m := range list.Models[:min(maxModels, len(list.Models))] {
		if m.Name == "" || m.RemoteHost != "" { // it runs somewhere else
			continue
		}
		c.model = m.Name
		if d, err := c.show(ctx); err == nil && d.embedding {
			return &Embedder{c}, nil
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, core.Fail(core.CodeNoModel, "Ollama has no model that makes vectors of texts", "get one with `ollama pull nomic-embed-text`")
}

// Model returns the name of the model.
func (e *Embedder) Model() string { return e.client.model }

// Embed returns a vector of length 1 for each text. What is longer than the
// model can read is cut.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	question := map[string]any{"model": e.client.model, "input": texts, "truncate": true}
	var answer api.EmbedResponse
	if err := e.client.server().Get(ctx, "/api/embed", question, &answer); err != nil {
		return nil, err
	}
	if len(answer.Embeddings) != len(texts) {
		return nil, e.client.server().DecodeError(fmt.Errorf("%d vectors of %d texts", len(answer.Embeddings), len(texts)))
	}
	for _, v := range answer.Embeddings {
		if len(v) != len(answer.Embeddings[0]) || len(v) > core.MaxVector || !normalize(v) {
			return nil, e.client.server().DecodeError(errors.New("vectors that cannot be compared"))
		}
	}
	return answer.Embeddings, nil
}

// normalize makes a vector one of length 1, and reports whether it can.
func normalize(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if !(length > 1e-9) || math.IsInf(length, 0) { // NaN is not
		return false
	}
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
	return true
}
