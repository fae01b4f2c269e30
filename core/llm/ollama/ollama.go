// Package ollama speaks with models that run in an Ollama server, through its
// native API.
//
// The requests and answers are written and read here rather than with Ollama's
// client package: that one takes a lost connection for the end of an answer,
// rounds large numbers in arguments, and allocates 8 MB for every stream. The
// tests hold both sides against its types.
package ollama

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/wire"
)

const (
	defaultNumCtx  = 16384
	keepAlive      = 10 * time.Minute // that the model stays loaded after a request
	defaultSilence = 5 * time.Minute

	maxLine   = 4 << 20  // bytes in one line of a stream
	maxStream = 32 << 20 // bytes in all lines of a stream
	maxCalls  = 64       // in one answer
)

// Config says which model to use and how.
type Config struct {
	BaseURL string        // as from [BaseURL]
	Model   string        // as Ollama calls it: "qwen3.5:4b"
	NumCtx  int           // tokens the model may read; 0 = 16384, or as many as it can where that is less
	Silence time.Duration // how long the server may say nothing, loading the model included; 0 = 5 minutes
	HTTP    *http.Client  // nil = an own one; a Timeout in it would limit whole answers
}

// Model is a [llm.Model] in an Ollama server. Every request goes out with the
// same options for loading the model, so that it is not loaded again. It may be
// used from several goroutines; whether the server answers at the same time is
// up to the server.
type Model struct {
	cfg    Config
	client client

	mu     sync.Mutex
	numCtx int // 0 = not known yet
}

// New returns the model that cfg names. It does not reach for the server.
func New(cfg Config) *Model {
	if cfg.Silence == 0 {
		cfg.Silence = defaultSilence
	}
	if cfg.HTTP == nil {
		cfg.HTTP = NewHTTP(nil)
	}
	return &Model{cfg: cfg, client: client{base: cfg.BaseURL, model: cfg.Model, http: cfg.HTTP}, numCtx: cfg.NumCtx}
}

// NewHTTP is a client for models. What they are asked and answer is seen at tap; nil:
// nowhere.
func NewHTTP(tap *wire.Tap) *http.Client {
	web := &wire.Web{Tap: tap, Line: func() *wire.Line { return tap.Line("ollama", "model") }, Join: joined}
	web.Next = &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second,
		IdleConnTimeout:     30 * time.Second,
	}
	web.Method = func(r *http.Request) string { return r.Method + " " + r.URL.Path }
	return &http.Client{Transport: web}
}

// Name returns "ollama/" and the model.
func (m *Model) Name() string { return "ollama/" + m.cfg.Model }

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
		if len(req.Tools) > 0 && len(req.Schema) > 0 {
			yield(llm.Chunk{}, &core.Error{
				Code: core.CodeInternal, Op: "ollama: chat",
				Message: "a model was given tools and a schema at once",
			})
			return
		}
		outer := ctx
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		watchdog := time.AfterFunc(m.cfg.Silence, func() { cancel(errSilent) })
		defer watchdog.Stop()

		a := &answer{model: m, req: req, yield: yield, alive: func() { watchdog.Reset(m.cfg.Silence) }}
		err := m.chat(ctx, req, a)
		if err == nil || errors.Is(err, errBroken) {
			return
		}
		switch {
		case outer.Err() != nil:
			err = outer.Err()
		case errors.Is(context.Cause(ctx), errSilent):
			err = &core.Error{
				Code: core.CodeTimedOut, Op: "ollama: chat", Err: err,
				Message: fmt.Sprintf("%s has said nothing for %v", m.cfg.Model, m.cfg.Silence),
				Hint:    "try a smaller model, or look with `ollama ps` what the server is doing",
			}
		}
		yield(llm.Chunk{}, err)
	}
}

var (
	errSilent = errors.New("the server is silent")
	errBroken = errors.New("the reader broke off")
)

// chat makes one request and hands the lines of the answer to a.
func (m *Model) chat(ctx context.Context, req llm.Request, a *answer) error {
	numCtx, err := m.contextLength(ctx)
	if err != nil {
		return err
	}
	body, err := json.Marshal(m.request(req, numCtx))
	if err != nil {
		return &core.Error{Code: core.CodeInternal, Op: "ollama: chat", Message: "the question cannot be put into JSON", Err: err}
	}
	resp, err := m.client.do(ctx, http.MethodPost, "/api/chat", body)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()

	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 0, 16<<10), maxLine)
	total := 0
	for lines.Scan() {
		a.alive()
		line := bytes.TrimSpace(lines.Bytes())
		if total += len(lines.Bytes()) + 1; total > maxStream {
			return m.endless()
		}
		if len(line) == 0 {
			continue
		}
		var r response
		if err := json.Unmarshal(line, &r); err != nil {
			if lines.Err() != nil {
				break // half a line before the connection was lost
			}
			return m.client.unreadable("ollama: chat", err)
		}
		if end, err := a.take(r); end || err != nil {
			return err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return m.endless()
	case err != nil:
		return &core.Error{
			Code: core.CodeUnreachable, Op: "ollama: chat", Err: err,
			Message: "the connection to Ollama was lost while " + m.cfg.Model + " was answering",
			Hint:    hintServe,
		}
	}
	// The server ends the stream in order but without a last word when the
	// model repeats one token over and over.
	return &core.Error{
		Code: core.CodeModelBehavior, Op: "ollama: chat",
		Message: m.cfg.Model + " went in circles and was stopped",
		Hint:    "ask in other words, or try another model with /model",
	}
}

func (m *Model) endless() error {
	return &core.Error{
		Code: core.CodeModelBehavior, Op: "ollama: chat",
		Message: "the answer of " + m.cfg.Model + " has no end",
		Hint:    "try another model with /model",
	}
}

// contextLength returns how many tokens to have the model loaded for. It asks
// the server once.
func (m *Model) contextLength(ctx context.Context) (int, error) {
	m.mu.Lock()
	n := m.numCtx
	m.mu.Unlock()
	if n > 0 {
		return n, nil
	}
	n = defaultNumCtx
	d, err := m.client.show(ctx)
	if err != nil {
		return 0, err
	}
	if d.context > 0 {
		n = min(n, d.context)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.numCtx = n
	return n, nil
}

// answer puts the lines of a stream together into chunks.
type answer struct {
	model *Model
	req   llm.Request
	yield func(llm.Chunk, error) bool
	alive func() // the server has said something

	calls  int
	text   int  // bytes of text so far
	spoken bool // some of it is not space
	ids    map[string]bool
}

// take handles one line and reports whether it was the last.
func (a *answer) take(r response) (end bool, err error) {
	if r.Error != "" {
		return true, classify(0, string(r.Error), a.model.cfg.Model)
	}
	c := llm.Chunk{Thinking: r.Message.Thinking, Text: r.Message.Content}
	a.text += len(c.Text) + len(c.Thinking)
	a.spoken = a.spoken || strings.TrimSpace(c.Text) != ""
	if a.offers() {
		if c.Calls, err = a.read(r.Message.ToolCalls); err != nil {
			return true, err
		}
	}
	a.calls += len(c.Calls)
	if c.Thinking != "" || c.Text != "" || len(c.Calls) > 0 {
		if !a.yield(c, nil) {
			return true, errBroken
		}
	}
	if !r.Done {
		return false, nil
	}
	done := &llm.Done{Reason: a.reason(r.DoneReason), Usage: a.usage(r)}
	if a.offers() && a.calls == 0 && !a.spoken && done.Reason == llm.ReasonStop {
		return true, a.swallowed()
	}
	if !a.yield(llm.Chunk{Done: done}, nil) {
		return true, errBroken
	}
	return true, nil
}

// offers reports whether the model was told about tools.
func (a *answer) offers() bool { return len(a.req.Tools) > 0 && !a.req.NoCalls }

func (a *answer) reason(done string) llm.Reason {
	switch {
	case done == "length":
		return llm.ReasonLength
	case a.calls > 0:
		return llm.ReasonCalls
	}
	return llm.ReasonStop
}

func (a *answer) usage(r response) core.Usage {
	u := core.Usage{Prompt: r.PromptEvalCount, Completion: r.EvalCount}
	if u.Prompt <= 0 { // a server that has the whole prompt in its cache may leave it out
		u.Estimated = true
		u.Prompt = 1 + len(a.req.System)/4
		for _, m := range a.req.Messages {
			u.Prompt += len(m.Text) / 4
		}
	}
	if u.Completion <= 0 {
		u.Estimated = true
		u.Completion = 1 + a.text/4
	}
	return u
}

// swallowed is the error for an answer with nothing in it. The server drops a
// call of a tool that it was not told about, without a word.
func (a *answer) swallowed() error {
	const most = 30
	var names []string
	for _, t := range a.req.Tools[:min(most, len(a.req.Tools))] {
		names = append(names, t.Name)
	}
	list := strings.Join(names, ", ")
	if len(a.req.Tools) > most {
		list += ", …"
	}
	return &core.Error{
		Code: core.CodeModelBehavior, Op: "ollama: chat",
		Message: a.model.cfg.Model + " answered nothing, or called a tool that does not exist; there are: " + list,
		Hint:    "ask in other words, or try another model with /model",
	}
}

// read turns the server's calls into ours. Every call gets an id that is new
// in the conversation, and arguments with sorted keys: their order is random
// in what the server sends.
func (a *answer) read(calls []toolCall) ([]core.Call, error) {
	if a.calls+len(calls) > maxCalls {
		return nil, &core.Error{
			Code: core.CodeModelBehavior, Op: "ollama: chat",
			Message: fmt.Sprintf("%s wants more than %d calls at once", a.model.cfg.Model, maxCalls),
		}
	}
	var out []core.Call
	for _, c := range calls {
		args, ok := canonical(c.Function.Arguments)
		if !ok || c.Function.Name == "" {
			return nil, &core.Error{
				Code: core.CodeModelBehavior, Op: "ollama: chat",
				Message: fmt.Sprintf("%s called the tool %q with arguments that are not a JSON object", a.model.cfg.Model, clip(c.Function.Name)),
			}
		}
		out = append(out, core.Call{ID: a.newID(c.ID), Tool: c.Function.Name, Args: args})
	}
	return out, nil
}

func (a *answer) newID(id string) string {
	if a.ids == nil {
		a.ids = make(map[string]bool)
		for _, m := range a.req.Messages {
			for _, c := range m.Calls {
				a.ids[c.ID] = true
			}
		}
	}
	for n := len(a.ids) + 1; id == "" || len(id) > 100 || a.ids[id]; n++ {
		id = fmt.Sprintf("call_%d", n)
	}
	a.ids[id] = true
	return id
}
