package room

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/config"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/offline"
	"github.com/yaap-chat/yaap/core/llm/ollama"
	"github.com/yaap-chat/yaap/core/wire"
)

// models holds the model in use. A run keeps the one it began with.
type models struct {
	env       func(string) string
	dir       string      // where paths that the user writes begin
	fallbacks []llm.Model // in order, when the model in use fails
	embedded  *offline.Model
	web       *http.Client // to models

	mu    sync.Mutex
	model llm.Model
}

func newModels(cfg config.Config, env func(string) string, tap *wire.Tap) (*models, error) {
	m := &models{env: env, dir: cfg.Dir, web: ollama.NewHTTP(tap)}
	m.embedded = &offline.Model{Exists: m.exists}
	var err error
	if m.model, err = m.named(cfg.Model.V, cfg.Model.From); err != nil {
		return nil, err
	}
	for _, name := range cfg.Fallback.V {
		model, err := m.named(name, cfg.Fallback.From)
		if err != nil {
			return nil, err
		}
		m.fallbacks = append(m.fallbacks, model)
	}
	return m, nil
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
	model, err := m.named(name, "/model")
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.model = model
	return nil
}

// provider has models whose names begin with its own: ollama/qwen3.5:4b.
type provider struct {
	name, example string
	open          func(m *models, model string) (llm.Model, error)
	list          func(ctx context.Context, m *models) []string // that can be used now
}

// providers are all that there are. A new one has its row here.
func providers() []provider {
	return []provider{
		{name: "offline", example: "offline", open: openOffline, list: func(context.Context, *models) []string { return []string{"offline"} }},
		{name: "ollama", example: "ollama/NAME such as ollama/qwen3.5:4b", open: openOllama, list: listOllama},
	}
}

// named returns the model of a name that was said somewhere: in a file, by a flag.
func (m *models) named(name, from string) (llm.Model, error) {
	prefix, model, _ := strings.Cut(name, "/")
	var examples []string
	for _, p := range providers() {
		if p.name == prefix && (model == "") == (p.name == p.example) {
			return p.open(m, model)
		}
		examples = append(examples, p.example)
	}
	return nil, &core.Error{
		Code: core.CodeInvalid, Op: "model", Message: fmt.Sprintf("there is no model %q (%s)", name, from), Hint: "use " + strings.Join(examples, ", or "),
	}
}

// available lists the models that can be used now.
func (m *models) available(ctx context.Context) (names []string) {
	for _, p := range providers() {
		names = append(names, p.list(ctx, m)...)
	}
	return names
}

func openOffline(m *models, _ string) (llm.Model, error) { return m.embedded, nil }

func openOllama(m *models, model string) (llm.Model, error) {
	url, err := ollama.BaseURL(m.env)
	if err != nil {
		return nil, err
	}
	return ollama.New(ollama.Config{BaseURL: url, Model: model, HTTP: m.web}), nil
}

// listOllama lists what an Ollama on this machine has, and nothing where there is none.
func listOllama(ctx context.Context, m *models) (names []string) {
	url, err := ollama.BaseURL(m.env)
	if err != nil {
		return nil
	}
	infos, err := ollama.Models(ctx, url)
	if err != nil {
		return nil
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
