// Package anthropic speaks with Anthropic's models through their own Messages API, so
// that signed reasoning is sent back as it was and long beginnings are cached.
package anthropic

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/web"
	"github.com/yaap-chat/yaap/core/wire"
)

const (
	defaultURL = "https://api.anthropic.com"
	version    = "2023-06-01"

	defaultMax = 8192  // tokens of an answer, where the server does not say how many there may be
	mostMax    = 32000 // tokens of an answer, where nobody says how many there shall be
)

// Config says which model to use and how. Without an address it is Anthropic's own.
type Config = web.Config

// Model is a [llm.Model] of Anthropic. It may be used from several goroutines.
type Model struct {
	cfg Config

	mu        sync.Mutex
	form      form
	maxTokens int // 0 = not known yet
}

// New returns the model that cfg names. It does not reach for the server.
func New(cfg Config) *Model {
	if cfg.HTTP == nil {
		cfg.HTTP = NewHTTP(nil, cfg.Name)
	}
	return &Model{cfg: cfg, maxTokens: cfg.Options.MaxTokens}
}

// NewHTTP is a client for Anthropic's models. What they are asked and answer is seen at
// tap; nil: nowhere.
func NewHTTP(tap *wire.Tap, name string) *http.Client {
	return web.NewHTTP(tap, name, func(stream []byte) []byte { return web.Join(stream, read) })
}

// Name returns the provider's name and the model's.
func (m *Model) Name() string { return m.cfg.Name + "/" + m.cfg.Model }

// AcceptsImages implements [llm.ImageModel]: all of them do.
func (m *Model) AcceptsImages(context.Context) bool { return true }

// Stream asks the model. It fails as a model of package openai does.
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		server(m.cfg).Ask(ctx, req, yield, func(ctx context.Context, a *web.Answer) error {
			limit, err := m.limit(ctx, a.Server())
			if err != nil {
				return err
			}
			for {
				m.mu.Lock()
				f := m.form
				m.mu.Unlock()
				err := m.chat(ctx, a, f, limit)
				if err == nil || !f.adapt(err, a) {
					return err
				}
				m.mu.Lock()
				m.form = f
				m.mu.Unlock()
			}
		})
	}
}

func (m *Model) chat(ctx context.Context, a *web.Answer, f form, limit int) error {
	resp, err := a.Server().Do(ctx, "/v1/messages", m.request(a.Req, f, limit))
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	return read(a, resp.Body)
}

// limit is how many tokens an answer may have, which has to be said. The server is asked
// once how many the model can write.
func (m *Model) limit(ctx context.Context, s *web.Server) (int, error) {
	m.mu.Lock()
	n := m.maxTokens
	m.mu.Unlock()
	if n > 0 {
		return n, nil
	}
	var v listed
	err := s.WithListTimeout(ctx, func(ctx context.Context) error {
		return s.Get(ctx, "/v1/models/"+url.PathEscape(m.cfg.Model), nil, &v)
	})
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	n = defaultMax
	if v.MaxTokens > 0 {
		n = min(v.MaxTokens, mostMax)
	}
	if !core.Retryable(err) && core.CodeOf(err) != core.CodeRefused { // then it is asked later; what is wrong shows in the answer
		m.mu.Lock()
		defer m.mu.Unlock()
		m.maxTokens = n
	}
	return n, nil
}

func server(cfg Config) *web.Server {
	cfg.BaseURL = strings.TrimSuffix(strings.TrimRight(cmp.Or(cfg.BaseURL, defaultURL), "/"), "/v1")
	s := web.NewServer(cfg)
	s.Product, s.WrongServerHint = "Anthropic's API", "check the address of "+cfg.Name+": Anthropic's is "+defaultURL
	s.NoModelHint = "see with /model which there are"
	s.SetKey = func(h http.Header, key string) {
		h.Set("Anthropic-Version", version)
		if key != "" {
			h.Set("X-Api-Key", key)
		}
	}
	return s
}

// form is what a model has turned out not to take.
type form struct {
	noFormat bool // schemas: a tool that must be called has them
	noForce  bool // tools that must be called: schemas are put into the instructions
}

// adapt takes what err tells of into account, and reports whether to ask again.
func (f *form) adapt(err error, a *web.Answer) bool {
	var e *core.Error
	if begun, _ := a.Begun(); begun || len(a.Req.Schema) == 0 || !errors.As(err, &e) || e.Code != core.CodeInvalid || e.Err == nil {
		return false
	}
	has := func(parts ...string) bool { return web.ContainsAny(e.Err.Error(), parts...) }
	before := *f
	switch forced := f.noFormat || !web.Strict(a.Req.Schema); {
	case !forced:
		f.noFormat = has("output_config", "output_format", "schema", "structured output")
	case has("tool_choice", "input_schema", "thinking"):
		f.noForce = true
	}
	return *f != before
}

// listed is a model as the server lists it.
type listed struct {
	ID        string `json:"id"`
	MaxInput  int    `json:"max_input_tokens"`
	MaxTokens int    `json:"max_tokens"`
}

// Models lists the models of the server, in its order: the newest first. It takes ten
// seconds at most.
func Models(ctx context.Context, cfg Config) ([]llm.Info, error) {
	if cfg.HTTP == nil {
		cfg.HTTP = NewHTTP(nil, cfg.Name)
		defer cfg.HTTP.CloseIdleConnections()
	}
	models, err := web.Models[listed](ctx, server(cfg), "/v1/models?limit=1000")
	if err != nil {
		return nil, err
	}
	infos := []llm.Info{}
	for _, m := range models {
		if m.ID != "" {
			infos = append(infos, llm.Info{Name: m.ID, Tools: true, Sees: true, Context: max(0, m.MaxInput)})
		}
	}
	return slices.Clip(infos), nil
}
