// Package openai speaks with models behind any server that answers
// /v1/chat/completions as OpenAI's does: OpenAI itself, OpenRouter, vLLM, llama.cpp, LM
// Studio, Groq, Mistral and others. What a server does not take is left out from then on.
package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/web"
	"github.com/yaap-chat/yaap/core/wire"
)

// Config says which model to use and how.
type Config = web.Config

// Model is a [llm.Model] behind a server. It may be used from several goroutines.
type Model struct {
	cfg Config

	mu   sync.Mutex
	form form
}

// New returns the model that cfg names. It does not reach for the server.
func New(cfg Config) *Model {
	if cfg.HTTP == nil {
		cfg.HTTP = NewHTTP(nil, cfg.Name)
	}
	return &Model{cfg: cfg}
}

// NewHTTP is a client for the models of a provider. What they are asked and answer is
// seen at tap; nil: nowhere.
func NewHTTP(tap *wire.Tap, name string) *http.Client {
	return web.NewHTTP(tap, name, func(stream []byte) []byte { return web.Join(stream, read) })
}

// Name returns the provider's name and the model's.
func (m *Model) Name() string { return m.cfg.Name + "/" + m.cfg.Model }

// Stream asks the model. It fails with
//   - unreachable: there is no server, or the connection was lost,
//   - refused: the key is missing or not accepted, there is no credit left, or the
//     provider does not let the model answer,
//   - no_model: the server has no such model, or it cannot do what is asked,
//   - context_full: the conversation is longer than the model can read,
//   - rate_limited: the server has too much to do, or was asked too much,
//   - timeout: the server said nothing for too long,
//   - model_behavior: the answer has no end, cannot be read, or says nothing,
//   - the context's error when ctx ended.
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		s := server(m.cfg)
		s.Ask(ctx, req, yield, func(ctx context.Context, a *web.Answer) error {
			for {
				m.mu.Lock()
				f := m.form
				m.mu.Unlock()
				err := m.chat(ctx, a, f)
				if err == nil {
					return nil
				}
				again := f.adapt(err, a)
				m.mu.Lock()
				m.form = f
				m.mu.Unlock()
				if !again {
					return err
				}
			}
		})
	}
}

func (m *Model) chat(ctx context.Context, a *web.Answer, f form) error {
	resp, err := a.Server().Do(ctx, "/chat/completions", m.request(a.Req, f))
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	return read(a, resp.Body)
}

func server(cfg Config) *web.Server {
	s := web.NewServer(cfg)
	s.Product, s.WrongServerHint = "an OpenAI-compatible server", "check the address of "+cfg.Name+": most end in /v1"
	s.NoModelHint = "see with /model which there are"
	s.Classify = func(status int, kind, text string) *core.Error {
		e := s.StatusError(status, kind, text)
		if status < http.StatusInternalServerError && web.ContainsAny(text, "support tool", "tool choice requires", "tools param requires", "tool calling is not supported") {
			e.Code, e.Message = core.CodeNoModel, cfg.Model+" cannot call tools here, so it cannot ask the experts"
			e.Hint = "start the server with tool calling turned on, or choose another model with /model"
		}
		if status < http.StatusInternalServerError && blind(text) {
			e.Code, e.Message = core.CodeNoModel, cfg.Model+" cannot see pictures"
			e.Hint = "choose a model that can with /model, or ask without the picture"
		}
		return e
	}
	return s
}

// blind reports whether a server says that its model takes no pictures.
func blind(text string) bool {
	return web.ContainsAny(text, "image", "vision", "multimodal", "mmproj") && web.ContainsAny(text, "support", "not allowed", "only text", "text-only", "mmproj", "unknown variant", "expected a string")
}

// AcceptsImages implements [llm.ImageModel]: models are taken to see until their server says that they do not.
func (m *Model) AcceptsImages(context.Context) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.form.blind
}

// form is what a server has turned out not to take.
type form struct {
	noUsage    bool // stream_options
	newMax     bool // max_tokens, but max_completion_tokens
	noStrict   bool // strict tools
	noChoice   bool // tool_choice: the tools are left out where none may be called
	noThoughts bool // its own reasoning
	shortIDs   bool // ids of calls other than nine letters and digits
	inWords    bool // schemas: they are put into the instructions
	noSchema   bool // schemas, but JSON
	blind      bool // pictures
}

var errCalled = errors.New("a tool was called though none may be")

// adapt takes what err tells of into account, and reports whether to ask again.
func (f *form) adapt(err error, a *web.Answer) bool {
	begun, spoken := a.Begun()
	if errors.Is(err, errCalled) && !spoken {
		return set(&f.noChoice)
	}
	var e *core.Error
	if begun || !errors.As(err, &e) || e.Err == nil ||
		!slices.Contains([]core.Code{core.CodeInvalid, core.CodeNoModel, core.CodeUnreachable}, e.Code) {
		return false
	}
	has := func(parts ...string) bool { return web.ContainsAny(e.Err.Error(), parts...) }
	switch {
	case blind(e.Err.Error()) && slices.ContainsFunc(a.Req.Messages, func(m core.Message) bool { return len(m.Files) > 0 }):
		f.blind = true
		return false // the user is told that it was not seen
	case has("stream_options", "include_usage"):
		return set(&f.noUsage)
	case has("max_completion_tokens"):
		return set(&f.newMax)
	case len(a.Req.Schema) > 0 && has("response_format", "response format", "schema", "json_object", "structured output", "grammar"):
		return set(&f.noSchema) || set(&f.inWords)
	case len(a.Req.Tools) > 0 && has("strict"):
		return set(&f.noStrict)
	case a.Req.NoCalls && has("tool_choice", "tool choice"):
		return set(&f.noChoice)
	case has("tool call id", "tool_call_id") && has("length"):
		return set(&f.shortIDs)
	case has("reasoning", "extra_content") && slices.ContainsFunc(a.Req.Messages, func(m core.Message) bool { return m.Opaque != nil }):
		return set(&f.noThoughts)
	}
	return false
}

// set sets b and reports whether that is new.
func set(b *bool) bool {
	before := *b
	*b = true
	return !before
}

// Models lists the models of a server that can chat, by name, as far as it tells. It
// takes ten seconds at most.
func Models(ctx context.Context, cfg Config) ([]llm.Info, error) {
	if cfg.HTTP == nil {
		cfg.HTTP = NewHTTP(nil, cfg.Name)
		defer cfg.HTTP.CloseIdleConnections()
	}
	models, err := web.Models[listed](ctx, server(cfg), "/models")
	if err != nil {
		return nil, err
	}
	infos := []llm.Info{}
	for _, m := range models {
		m.ID = strings.TrimPrefix(m.ID, "models/") // Gemini's
		if m.ID != "" && m.chats() {
			infos = append(infos, llm.Info{Name: m.ID, Tools: m.calls(), Sees: m.sees(), Context: m.context()})
		}
	}
	slices.SortFunc(infos, func(a, b llm.Info) int { return cmp.Compare(a.Name, b.Name) })
	return infos, nil
}

// listed is a model as servers list it: each has its own words for what it can do.
type listed struct {
	ID            string   `json:"id"`
	Type          string   `json:"type"`                 // LM Studio, Together
	ContextLength int      `json:"context_length"`       // OpenRouter, Together
	ContextWindow int      `json:"context_window"`       // Groq
	MaxModelLen   int      `json:"max_model_len"`        // vLLM
	MaxContext    int      `json:"max_context_length"`   // Mistral, LM Studio
	Parameters    []string `json:"supported_parameters"` // OpenRouter
	Architecture  struct {
		Inputs []string `json:"input_modalities"` // OpenRouter
	} `json:"architecture"`
	Meta struct {
		Trained int `json:"n_ctx_train"` // llama.cpp
	} `json:"meta"`
	Can json.RawMessage `json:"capabilities"` // Mistral: an object of its own
}

func (m listed) context() int {
	return max(0, cmp.Or(m.ContextLength, m.ContextWindow, m.MaxModelLen, m.MaxContext, m.Meta.Trained))
}

// sees reports whether the server says that the model sees pictures.
func (m listed) sees() bool {
	return m.Type == "vlm" || m.can().Sees || slices.Contains(m.Architecture.Inputs, "image")
}

type abilities struct {
	Chat  *bool `json:"completion_chat"`
	Calls *bool `json:"function_calling"`
	Sees  bool  `json:"vision"`
}

func (m listed) can() abilities {
	var c abilities
	_ = json.Unmarshal(m.Can, &c) // what is something else says nothing
	return c
}

// chats reports whether the model answers in text, judged by its name where the server
// does not tell.
func (m listed) chats() bool {
	if c := m.can().Chat; c != nil {
		return *c
	}
	id := strings.ToLower(m.ID + " " + m.Type)
	return !slices.ContainsFunc([]string{
		"embed", "whisper", "tts", "dall-e", "moderation", "transcribe", "rerank", "realtime", "-image", "image-", "sora", "davinci", "babbage", "imagen", "veo-",
	}, func(part string) bool { return strings.Contains(id, part) })
}

// calls reports whether the model can call tools; who does not tell can.
func (m listed) calls() bool {
	if c := m.can().Calls; c != nil {
		return *c
	}
	return m.Parameters == nil || slices.Contains(m.Parameters, "tools")
}
