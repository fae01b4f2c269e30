package room

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"yaap/core"
	"yaap/core/config"
	"yaap/core/llm"
	"yaap/core/llm/offline"
	"yaap/core/llm/ollama"
)

// models holds the model in use. A run keeps the one it began with.
type models struct {
	env       func(string) string
	dir       string      // where paths that the user writes begin
	fallbacks []llm.Model // in order, when the model in use fails
	embedded  *offline.Model

	mu    sync.Mutex
	model llm.Model
}

func newModels(cfg config.Config, env func(string) string) (*models, error) {
	name, fallbacks := cfg.Model.V, cfg.Fallback.V
	m := &models{env: env, dir: cfg.Dir}
	m.embedded = &offline.Model{Exists: m.exists}
	for _, name := range fallbacks {
		model, err := m.named(name)
		if err != nil {
			return nil, err
		}
		m.fallbacks = append(m.fallbacks, model)
	}
	return m, m.use(name)
}

// exists reports whether a path that the user wrote is there.
func (m *models) exists(path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(m.dir, path)
	}
	_, err := os.Lstat(path)
	return err == nil
}

func (m *models) current() llm.Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.model
}

// offline reports whether the embedded model is in use.
func (m *models) offline() bool { return m.current().Name() == "offline" }

// use chooses the model of the runs to come.
func (m *models) use(name string) error {
	model, err := m.named(name)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.model = model
	return nil
}

func (m *models) named(name string) (llm.Model, error) {
	if name == "offline" {
		return m.embedded, nil
	}
	tag, ok := strings.CutPrefix(name, "ollama/")
	if !ok || tag == "" {
		return nil, &core.Error{
			Code: core.CodeInvalid, Op: "model", Message: fmt.Sprintf("there is no model %q", name),
			Hint: "use offline, or ollama/NAME such as ollama/qwen3.5:4b",
		}
	}
	url, err := ollama.BaseURL(m.env)
	if err != nil {
		return nil, err
	}
	return ollama.New(ollama.Config{BaseURL: url, Model: tag}), nil
}

// available lists the models that can be used now: offline always, and what an
// Ollama on this machine has.
func (m *models) available(ctx context.Context) []string {
	names := []string{"offline"}
	url, err := ollama.BaseURL(m.env)
	if err != nil {
		return names
	}
	infos, err := ollama.Models(ctx, url)
	if err != nil {
		return names
	}
	for _, info := range infos {
		name := "ollama/" + info.Name
		if !info.Tools {
			name += " (chat only: it cannot call experts)"
		}
		names = append(names, name)
	}
	return names
}
