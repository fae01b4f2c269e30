package room

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/llm/ollama"
	"github.com/yaap-chat/yaap/core/memory"
)

// newSemanticSearch returns the searches of a memory, that also go by meaning where
// Ollama has a model for it: the one that the configuration names; else the
// first that there is, while a model of Ollama answers. Otherwise Ollama is
// left in peace.
func newSemanticSearch(s maskedStore, memoryID string, cfg config.Config, model func() string, env func(string) string, web *http.Client) *memory.SemanticSearch {
	return memory.NewSemanticSearch(s, s, memoryID, func(ctx context.Context) (memory.Embedder, error) {
		name := cfg.Embeddings.V
		if name == config.NoEmbeddings || name == "" && !strings.HasPrefix(model(), "ollama/") {
			return nil, core.Fail(core.CodeNoModel, "no model is to make vectors of what is remembered", "name one with memory_embeddings in "+cfg.File).Because(memory.ErrNoEmbedder)
		}
		e, err := embedder(ctx, name, env, web)
		if err != nil && name == "" { // it was only looked whether there is one
			err = errors.Join(err, memory.ErrNoEmbedder)
		}
		return e, err
	})
}

// Embedder returns the model of Ollama of that name that makes vectors of texts.
func Embedder(ctx context.Context, name string, env func(string) string) (memory.Embedder, error) {
	return embedder(ctx, name, env, ollama.NewHTTP(nil))
}

func embedder(ctx context.Context, name string, env func(string) string, web *http.Client) (memory.Embedder, error) {
	url, err := ollama.BaseURL(env)
	if err != nil {
		return nil, err
	}
	return ollama.NewEmbedder(ctx, web, url, name)
}
