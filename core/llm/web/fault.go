package web

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/yaap-chat/yaap/core"
)

// Fault is the error in a body: a string, or an object with a message.
type Fault struct {
	Kind string // its type and code, for programs
	Text string
}

// UnmarshalJSON reads whatever there is.
func (f *Fault) UnmarshalJSON(b []byte) error {
	var o struct {
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Type    any             `json:"type"`
		Code    any             `json:"code"`
	}
	switch {
	case json.Unmarshal(b, &f.Text) == nil:
	case json.Unmarshal(b, &o) == nil && (o.Message != "" || o.Detail != nil):
		f.Text = cmp.Or(o.Message, string(o.Detail))
		for _, v := range []any{o.Type, o.Code} {
			if v != nil {
				f.Kind = strings.TrimSpace(f.Kind + " " + fmt.Sprint(v))
			}
		}
	default:
		f.Text = string(b)
	}
	return nil
}

// readFault reads the body of a failure: {"error": …}, or what would be in there.
func readFault(body []byte) (Fault, bool) {
	var outer struct {
		Error Fault `json:"error"`
	}
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("[")) { // some send a list of one
		var list []json.RawMessage
		if json.Unmarshal(body, &list) == nil && len(list) > 0 {
			body = list[0]
		}
	}
	if json.Unmarshal(body, &outer) == nil && outer.Error.Text != "" {
		return outer.Error, true
	}
	var f Fault
	if !bytes.HasPrefix(body, []byte("{")) || json.Unmarshal(body, &f) != nil || f.Text == string(body) {
		return Fault{}, false
	}
	return f, true
}

// Fail makes an error of a fault; status is 0 for a fault in the middle of a
// stream.
func (s *Server) Fail(status int, f Fault) *core.Error {
	if code, err := strconv.Atoi(f.Kind[strings.LastIndexByte(f.Kind, ' ')+1:]); err == nil && status == 0 {
		status = code
	}
	if s.Classify != nil {
		return s.Classify(status, f.Kind, s.clean(f.Text))
	}
	return s.StatusError(status, f.Kind, s.clean(f.Text))
}

// ContainsAny reports whether text has one of the parts, which are in lower case.
func ContainsAny(text string, parts ...string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
}

// StatusError makes an error of a status and the text that came with it.
func (s *Server) StatusError(status int, kind, text string) *core.Error {
	model := cmp.Or(s.Model, "the model")
	e := &core.Error{Err: errors.New(text)}
	has := func(parts ...string) bool { return ContainsAny(kind+" "+text, parts...) }
	switch {
	case has(
		"context length", "context size", "context window", "context limit", "context_length", "exceed_context",
		"prompt is too long", "input is too long", "maximum number of tokens", "reduce the length", "request_too_large",
	):
		e.Code, e.Message = core.CodeContextFull, "the conversation is longer than "+model+" can read"
		e.Hint = "start a fresh one with /new, or choose a model that reads more with /model"
	case status == http.StatusPaymentRequired, has("insufficient_quota", "credit balance", "insufficient balance", "billing"):
		e.Code, e.Message = core.CodeRefused, "your account at "+s.Name+" has no credit left"
		e.Hint = "add some there, or choose another model with /model"
	case status == http.StatusUnauthorized, has("invalid_api_key", "invalid api key", "api key not valid", "authentication_error"):
		e.Code, e.Message, e.Hint = core.CodeRefused, s.Name+" does not accept the key", s.hintKey("check")
		if s.key == "" {
			e.Message, e.Hint = s.Name+" wants a key", s.hintKey("set")
			if s.KeyName != "" {
				e.Code, e.Message = core.CodeInvalid, e.Message+", and "+s.KeyName+" is not set"
			}
		}
	case status == http.StatusForbidden, has("permission_error"):
		e.Code, e.Message, e.Hint = core.CodeRefused, s.Name+" does not let you use "+model, s.hintKey("check")
	case status == http.StatusNotFound, (status == 0 || status == http.StatusBadRequest) && has("model") &&
		has("not found", "not exist", "not a valid model", "invalid model", "unknown model", "model_not_found"):
		e.Code, e.Message, e.Hint = core.CodeNoModel, s.Name+" has no model "+model, s.NoModelHint
	case has("parsing tool call", "parse tool call", "tool_use_failed", "failed_generation", "failed to call a function"):
		e.Code, e.Message = core.CodeModelBehavior, model+" wrote a call that cannot be read"
		e.Hint = "ask in other words, or try another model with /model"
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable, status == statusOverloaded,
		has("server busy", "maximum pending", "overloaded", "rate_limit", "rate limit"):
		e.Code, e.Message, e.Hint = core.CodeRateLimited, s.Name+" has too much to do", "try again in a moment"
		if status == http.StatusTooManyRequests || has("rate_limit", "rate limit") {
			e.Message = s.Name + " lets you ask no more for now"
		}
	case status >= http.StatusInternalServerError, status == 0:
		e.Code, e.Message = core.CodeUnreachable, s.Name+" failed while it ran "+model
		e.Hint = "try again; when it stays so, choose another model with /model"
	default:
		e.Code, e.Message, e.Hint = core.CodeInvalid, s.Name+" refused what "+model+" was asked", "choose another model with /model"
	}
	return e
}

const statusOverloaded = 529 // Anthropic's

// retryAfter is how long a server wants to be left alone: in seconds, which may have a
// fraction, in milliseconds, or until a time of its clock.
func retryAfter(h http.Header) time.Duration {
	const most = 1 << 20 // seconds
	for _, unit := range []struct {
		header string
		factor float64
	}{{"Retry-After-Ms", 1e-3}, {"Retry-After", 1}} {
		if n, err := strconv.ParseFloat(h.Get(unit.header), 64); err == nil && n > 0 && n*unit.factor < most {
			return time.Duration(n * unit.factor * float64(time.Second))
		}
	}
	until, err := http.ParseTime(h.Get("Retry-After"))
	if now, wrong := http.ParseTime(h.Get("Date")); err == nil && wrong == nil && until.Sub(now) < most*time.Second {
		return max(0, until.Sub(now))
	}
	return 0
}

// Shorten makes one short line of a server's text.
func Shorten(s string) string {
	const most = 300
	line := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return line
}
