// Package ollama speaks with models that run in an Ollama server, through its
// native API.
//
// The requests and answers are written and read here rather than with Ollama's
// client package: that one takes a lost connection for the end of an answer,
// rounds large numbers in arguments, and allocates 8 MB for every stream. The
// tests hold both sides against its types.
package ollama

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/llm/web"
	"github.com/yaap-chat/yaap/core/wire"
)

const keepAlive = 10 * time.Minute // that the model stays loaded after a request

// Config says which model to use and how.
type Config struct {
	Name      string // of the provider; "ollama" where it is empty
	BaseURL   string // as from [BaseURL]
	Model     string // as Ollama calls it: "qwen3.5:4b"
	NumCtx    int    // tokens the model may read; 0 = as many as it can, and the machine has memory for
	MaxTokens int    // of an answer; 0 = as many as there is room for
	// Temperature is that of the choice of words; nil: the model's own.
	Temperature *float64
	// Effort is that of the reasoning: none, or low, medium or high for models that know
	// them. Empty: as the server has it.
	Effort string
	HTTP   *http.Client // nil = an own one; a Timeout in it would limit whole answers
}

// Model is a [llm.Model] in an Ollama server. Every request goes out with the
// same options for loading the model, so that it is not loaded again. It may be
// used from several goroutines; whether the server answers at the same time is
// up to the server.
type Model struct {
	cfg    Config
	client client

	mu    sync.Mutex
	known *details // nil: the server was not asked yet
}

// New returns the model that cfg names. It does not reach for the server.
func New(cfg Config) *Model {
	if cfg.HTTP == nil {
		cfg.HTTP = NewHTTP(nil)
	}
	cfg.Name = cmp.Or(cfg.Name, "ollama")
	return &Model{cfg: cfg, client: client{base: cfg.BaseURL, model: cfg.Model, http: cfg.HTTP}}
}

// NewHTTP is a client for models. What they are asked and answer is seen at tap; nil:
// nowhere.
func NewHTTP(tap *wire.Tap) *http.Client { return web.NewHTTP(tap, "ollama", joined) }

// Name returns the provider's name and the model's.
func (m *Model) Name() string { return m.cfg.Name + "/" + m.cfg.Model }

// ContextWindow implements [llm.Sized]. It asks the server once.
func (m *Model) ContextWindow(ctx context.Context) int {
	d, err := m.details(ctx)
	if err != nil {
		return 0
	}
	return m.options(d).NumCtx
}

// AcceptsImages implements [llm.ImageModel]. It asks the server once; what cannot be asked now says what
// is wrong when it is to answer.
func (m *Model) AcceptsImages(ctx context.Context) bool {
	d, err := m.shown(ctx)
	return err != nil || d.sees
}

// Stream asks the model. It fails with
//   - unreachable: there is no server, or the connection was lost,
//   - no_model: the server has no such model, or it cannot do what is asked,
//   - context_full: the conversation is longer than the model can read,
//   - rate_limited: the server has too much to do,
//   - timeout: the server said nothing for too long,
//   - model_behavior: the model went in circles, or answered nothing,
//   - the context's error when ctx ended.
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		server := m.client.server()
		server.Ask(ctx, req, yield, func(ctx context.Context, a *web.Answer) error { return m.chat(ctx, server, a) })
	}
}

// chat makes one request and hands the lines of the answer to a.
func (m *Model) chat(ctx context.Context, server *web.Server, a *web.Answer) error {
	d, err := m.details(ctx)
	if err != nil {
		return err
	}
	resp, err := server.Do(ctx, "/api/chat", m.request(a.Req, d))
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	end, err := a.Lines(resp.Body, func(line []byte) (bool, error) {
		var r response
		if err := json.Unmarshal(line, &r); err != nil {
			return true, server.DecodeError(err)
		}
		return take(server, a, r)
	})
	if end || err != nil {
		return err
	}
	// The server ends the stream in order but without a last word when the
	// model repeats one token over and over.
	return a.RepetitionError()
}

// take handles one line and reports whether it was the last.
func take(server *web.Server, a *web.Answer, r response) (end bool, err error) {
	if r.Error.Text != "" {
		return true, server.Fail(0, r.Error)
	}
	if err := a.AddText(r.Message.Thinking, r.Message.Content); err != nil {
		return true, err
	}
	var calls []core.Call
	for _, c := range r.Message.ToolCalls {
		calls = append(calls, core.Call{ID: c.ID, Tool: c.Function.Name, Args: c.Function.Arguments})
	}
	if err := a.AddCalls(calls...); err != nil || !r.Done {
		return false, err
	}
	return true, a.Done(r.DoneReason == "length", core.Usage{Prompt: r.PromptEvalCount, Completion: r.EvalCount})
}

// details are what the server knows about the model. It is asked once, where the
// configuration leaves something to it.
func (m *Model) details(ctx context.Context) (details, error) {
	if m.cfg.NumCtx > 0 && m.cfg.Effort == "" {
		return details{}, nil
	}
	return m.shown(ctx)
}

// shown are the details, of which the server is asked once.
func (m *Model) shown(ctx context.Context) (details, error) {
	m.mu.Lock()
	known := m.known
	m.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	d, err := m.client.show(ctx)
	if err != nil {
		return details{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = &d
	return d, nil
}

// options are how the model is loaded, the same for every request.
func (m *Model) options(d details) options {
	return options{
		NumCtx: cmp.Or(m.cfg.NumCtx, d.fits(memoryFor(m.cfg.BaseURL))), NumPredict: m.cfg.MaxTokens, Temperature: m.cfg.Temperature,
		RepeatPenalty: 1, // one above punishes the braces and quotes of JSON
	}
}

// think is what a request says of the reasoning; nil: nothing.
func (m *Model) think(d details) any {
	switch {
	case m.cfg.Effort == "" || !d.thinks:
		return nil
	case m.cfg.Effort == "none":
		return false
	case d.levels:
		return m.cfg.Effort
	}
	return true
}
