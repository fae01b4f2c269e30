package ollama

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
)

const (
	maxBody = 8 << 20 // bytes of an answer that is not a stream

	hintServe   = "start it with `ollama serve`, or go on with /model offline"
	hintAnother = "choose another one with /model, or get one that fits with `ollama pull qwen3.5:4b`"
)

// client makes requests to one server.
type client struct {
	base  string
	model string // what the requests are about, for the words of errors; may be empty
	http  *http.Client
}

// do sends body and returns the response when its status is below 400. Errors
// are [core.Error]s.
func (c client) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	op := "ollama: " + path
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.base, "/")+path, bytes.NewReader(body))
	if err != nil {
		return nil, &core.Error{
			Code: core.CodeInvalid, Op: op, Err: err,
			Message: fmt.Sprintf("%q is not an address of Ollama", clip(c.base)), Hint: hintHost,
		}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "yaap")
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, &core.Error{
			Code: core.CodeUnreachable, Op: op, Err: err,
			Message: "Ollama does not answer at " + c.base, Hint: hintServe,
		}
	}
	if resp.StatusCode < http.StatusBadRequest {
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // the status tells enough when this fails
	var e struct {
		Error errorText `json:"error"`
	}
	if json.Unmarshal(text, &e) != nil || e.Error == "" {
		if resp.StatusCode == http.StatusNotFound {
			return nil, &core.Error{
				Code: core.CodeNoModel, Op: op, Err: errors.New(clip(string(text))),
				Message: "what answers at " + c.base + " is not Ollama, or a very old one", Hint: hintHost,
			}
		}
		e.Error = errorText(resp.Status + " " + string(text))
	}
	failure := classify(resp.StatusCode, string(e.Error), c.model)
	failure.Op = op
	if after := retryAfter(resp.Header.Get("Retry-After")); after > 0 {
		failure.Err = &llm.BusyError{After: after, Err: failure.Err}
	}
	return nil, failure
}

// get decodes the answer into v.
func (c client) get(ctx context.Context, method, path string, body []byte, v any) error {
	resp, err := c.do(ctx, method, path, body)
	if err == nil {
		defer func() { _ = resp.Body.Close() }()
		if err = json.NewDecoder(io.LimitReader(resp.Body, maxBody)).Decode(v); err != nil {
			err = c.unreadable("ollama: "+path, err)
		}
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func (c client) unreadable(op string, err error) error {
	return &core.Error{
		Code: core.CodeUnreachable, Op: op, Err: err,
		Message: "what answers at " + c.base + " does not speak like Ollama", Hint: hintHost,
	}
}

// classify makes an error of what the server says; status is 0 for an error in
// the middle of a stream.
func classify(status int, text, model string) *core.Error {
	model = cmp.Or(model, "the model")
	e := &core.Error{Op: "ollama: chat", Err: errors.New(clip(text))}
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(strings.ToLower(text), p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("does not support"): // tools, thinking, chat
		e.Code, e.Message, e.Hint = core.CodeNoModel, model+" cannot be used here", hintAnother
		if has("support tools") {
			e.Message = model + " cannot call tools, so it cannot ask the experts"
		}
	case has("context length", "context size", "context window", "exceed_context"):
		e.Code, e.Message = core.CodeContextFull, "the conversation is longer than "+model+" can read"
		e.Hint = "start a fresh one with /new, or choose a model that reads more with /model"
	case has("parsing tool call", "parse tool call"):
		e.Code, e.Message = core.CodeModelBehavior, model+" wrote a call that cannot be read"
		e.Hint = "ask in other words, or try another model with /model"
	case has("system memory", "out of memory", "unable to load model", "unable to allocate"):
		e.Code, e.Message, e.Hint = core.CodeNoModel, model+" cannot be loaded on this machine", "choose a smaller one with /model"
	case has("json schema", "invalid format"):
		e.Code, e.Message = core.CodeInternal, "Ollama does not understand the form that "+model+" is to answer in"
	case status == http.StatusNotFound, status == 0 && has("not found") && has("model"):
		e.Code, e.Message, e.Hint = core.CodeNoModel, "Ollama has no model "+model, "get it with `ollama pull "+model+"`, or choose another one with /model"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		e.Code, e.Message, e.Hint = core.CodeRefused, "Ollama does not let you use "+model, "sign in with `ollama signin`, or choose another one with /model"
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable, has("server busy", "maximum pending"):
		e.Code, e.Message, e.Hint = core.CodeRateLimited, "Ollama has too much to do", "try again in a moment"
	case status >= 500, status == 0:
		e.Code, e.Message = core.CodeUnreachable, "Ollama failed while it ran "+model
		e.Hint = "try again; when it stays so, look into the log of `ollama serve`"
	default:
		e.Code, e.Message, e.Hint = core.CodeInvalid, "Ollama refused what "+model+" was asked", "choose another model with /model"
	}
	return e
}

func retryAfter(header string) time.Duration {
	if s, err := strconv.Atoi(header); err == nil && s > 0 && s < 1<<20 {
		return time.Duration(s) * time.Second
	}
	return 0
}

// clip makes one short line of a server's words.
func clip(s string) string {
	const most = 300
	line := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return line
}
