// Package web is what all models that are asked over HTTP share: the client, the texts of
// errors, bounded reading of streams, and the assembly of answers.
package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/llm"
	"github.com/yaap-chat/yaap/core/wire"
)

const (
	maxBody   = 8 << 20 // bytes of an answer that is not a stream
	maxFault  = 64 << 10
	listLimit = 10 * time.Second // for a server to tell about its models
	pingTime  = 15 * time.Second // that a connection may be still, and then for an answer to a ping

	// MaxModels is how many models of a server [Models] lists.
	MaxModels = 1000
)

// Config says which model of a provider to use and how.
type Config struct {
	Name           string                                // of the provider; its models are called Name/Model
	BaseURL        string                                // "https://api.openai.com/v1"
	Model          string                                // as the provider calls it
	Key            func(context.Context) (string, error) // asked before every request, ends with its context, tells no key in its error; nil or "": there is none
	KeyName        string                                // where the key comes from, for the words of errors: "OPENAI_API_KEY"
	AllowPlainHTTP func(context.Context) bool            // whether anything may go over plain HTTP to another machine; nil: nothing
	IdleTimeout    time.Duration                         // how long the server may say nothing; 0 = 5 minutes
	HTTP           *http.Client                          // nil = an own one; a Timeout in it would limit whole answers
	Options        Options
}

// Options are what a user may want of a model. What is not set is as the provider has it.
type Options struct {
	Temperature *float64
	MaxTokens   int               // of an answer
	Effort      string            // of the reasoning: "low", "medium", "high" and what the provider has
	Budget      int               // tokens of the reasoning, where a provider counts them
	Header      map[string]string // sent with every request; nobody is shown it
}

// NewHTTP is a client for models. Requests and answers are recorded at tap, unless it is
// nil, as those of who. join makes one text of a streamed answer.
func NewHTTP(tap *wire.Tap, who string, join func(stream []byte) []byte) *http.Client {
	web := &wire.Transport{Tap: tap, Line: func() *wire.Line { return tap.Line(who, "model") }, Join: join}
	web.Next = &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second,
		IdleConnTimeout:     30 * time.Second,
		ForceAttemptHTTP2:   true,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: pingTime, PingTimeout: pingTime}, // a dead connection would be used again
	}
	web.Method = func(r *http.Request) string { return r.Method + " " + r.URL.Path }
	return &http.Client{Transport: web}
}

// Server is the server of a provider, with the hints of its errors. It makes one request at
// a time.
type Server struct {
	Config
	Product         string                                          // the name of the software: "Ollama"
	WrongServerHint string                                          // what to do if the address is of another program
	UnreachableHint string                                          // what to do if it does not answer
	IdleHint        string                                          // what to do if an answer stalls
	NoModelHint     string                                          // what to do if it has no such model
	SetKey          func(h http.Header, key string)                 // adds the key, which may be empty; nil: as a bearer token
	Classify        func(status int, kind, text string) *core.Error // nil: [Server.StatusError]

	key string // of the last request
}

// NewServer fills in what a config leaves out.
func NewServer(cfg Config) *Server {
	cfg.BaseURL = strings.TrimRight(cfg.BaseURL, "/")
	return &Server{
		Config:          cfg,
		UnreachableHint: "see that it runs at " + cfg.BaseURL + " and that this machine reaches it, or choose another model with /model",
		IdleHint:        "try again, or choose another model with /model",
	}
}

// Do posts a question as JSON, or gets path if question is nil, and returns the response if
// its status is a success. Errors are [core.Error]s and never contain the key.
func (s *Server) Do(ctx context.Context, path string, question any) (*http.Response, error) {
	method, body := http.MethodGet, []byte(nil)
	if question != nil {
		var err error
		if body, err = json.Marshal(question); err != nil {
			return nil, core.Fail(core.CodeInternal, "the question cannot be put into JSON", "").Because(err)
		}
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, s.BaseURL+path, bytes.NewReader(body))
	if err != nil || req.URL.Host == "" || req.URL.User != nil || req.URL.RawQuery != "" && !strings.Contains(path, "?") {
		return nil, core.Fail(core.CodeInvalid, fmt.Sprintf("%q is not an address of %s", Shorten(withoutUser(s.BaseURL)), s.Name), s.WrongServerHint) // err would tell a password in it
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "yaap")
	if err := s.sign(ctx, req); err != nil {
		return nil, err
	}
	client := *s.HTTP
	if s.key != "" { // it is for this server only
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, core.Fail(core.CodeUnreachable, s.Name+" does not answer at "+s.BaseURL, s.UnreachableHint).Because(inWords(err))
	}
	if resp.StatusCode < http.StatusMultipleChoices {
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	return nil, s.failed(resp)
}

// said is an error with a text for people.
type said struct {
	words string
	cause error
}

func (e said) Error() string { return e.words }
func (e said) Unwrap() error { return e.cause }

// inWords says why a server was not reached, without the request, which an error of HTTP
// repeats.
func inWords(err error) error {
	if asked := new(url.Error); errors.As(err, &asked) {
		err = asked.Err
	}
	var name *net.DNSError
	var slow net.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return said{"nothing listens there", err}
	case errors.As(err, &name):
		return said{"the name " + name.Name + " leads nowhere: is this machine online?", err}
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return said{"no way leads there: is this machine online?", err}
	case errors.As(err, &slow) && slow.Timeout() && !errors.Is(err, context.DeadlineExceeded):
		return said{"it took too long to connect", err}
	}
	return err
}

func withoutUser(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if _, host, user := strings.Cut(rest, "@"); ok && user {
		return scheme + "://…@" + host
	}
	return address
}

// sign adds the key to a request.
func (s *Server) sign(ctx context.Context, req *http.Request) error {
	s.key = ""
	if s.Key != nil {
		key, err := s.Key(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return core.Fail(core.CodeRefused, "the key of "+s.Name+" cannot be had", cmp.Or(core.HintOf(err), s.hintKey("set"))).Because(err)
		}
		s.key = strings.TrimSpace(key)
	}
	if strings.ContainsFunc(s.key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return core.Fail(core.CodeRefused, "the key of "+s.Name+" has more in it than a key", s.hintKey("check"))
	}
	if Unencrypted(req.URL) && (s.AllowPlainHTTP == nil || !s.AllowPlainHTTP(ctx)) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return core.Fail(core.CodeRefused, "what is said to "+s.Name+" would go to "+req.URL.Host+" unencrypted, for everybody on the way to read",
			"use an address that begins with https://, or allow it: with --allow "+s.Name+" once, with insecure: true where "+s.Name+" is configured for good")
	}
	switch {
	case s.SetKey != nil:
		s.SetKey(req.Header, s.key)
	case s.key != "":
		req.Header.Set("Authorization", "Bearer "+s.key)
	}
	for name, value := range s.Options.Header {
		req.Header.Set(name, value)
	}
	return nil
}

// Unencrypted reports whether what goes to an address can be read on its way to another
// machine.
func Unencrypted(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	ip, err := netip.ParseAddr(host)
	loopback := err == nil && ip.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
	return u.Scheme != "https" && !loopback
}

func (s *Server) hintKey(what string) string {
	if s.KeyName == "" {
		return "give it a key where " + s.Name + " is configured, or choose another model with /model"
	}
	return what + " " + s.KeyName + ", or choose another model with /model"
}

// failed makes an error of a response whose status is no success.
func (s *Server) failed(resp *http.Response) *core.Error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxFault)) // the status tells enough when this fails
	fault, ok := readFault(text)
	lower := strings.ToLower(fault.Text)
	switch there := resp.Header.Get("Location"); {
	case resp.StatusCode < http.StatusBadRequest:
		return core.Fail(core.CodeUnreachable, s.Name+" has moved to "+Shorten(withoutUser(there)), s.WrongServerHint)
	case resp.StatusCode == http.StatusNotFound && (!ok || !strings.Contains(lower, "model") && !strings.Contains(lower, "endpoint")):
		return core.Fail(core.CodeNoModel, "what answers at "+s.BaseURL+" is not "+s.Product+", or a very old one", s.WrongServerHint).Because(errors.New(s.clean(string(text))))
	case !ok:
		fault.Text = resp.Status + " " + string(text)
	}
	e := s.Fail(resp.StatusCode, fault)
	if after := retryAfter(resp.Header); after > 0 {
		e.Err = &llm.BusyError{After: after, Err: e.Err}
	}
	return e
}

// clean makes one short line of a server's text, without the key.
func (s *Server) clean(text string) string {
	const short = 8 // what is shorter is no secret, and would hide words
	if len(s.key) >= short {
		text = strings.ReplaceAll(text, s.key, "…")
	}
	for _, v := range s.Options.Header {
		if len(v) >= short {
			text = strings.ReplaceAll(text, v, "…")
		}
	}
	return Shorten(text)
}

// Get decodes the answer to a question, or to a GET of path if question is nil, into v.
func (s *Server) Get(ctx context.Context, path string, question, v any) error {
	resp, err := s.Do(ctx, path, question)
	if err == nil {
		defer func() { _ = resp.Body.Close() }()
		if err = json.NewDecoder(io.LimitReader(resp.Body, maxBody)).Decode(v); err != nil {
			err = s.DecodeError(err)
		}
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// Models are the models that the server lists at path, [MaxModels] at most. It takes ten
// seconds at most.
func Models[T any](ctx context.Context, s *Server, path string) ([]T, error) {
	var list struct {
		Data []T `json:"data"`
	}
	err := s.WithListTimeout(ctx, func(ctx context.Context) error {
		return s.Get(ctx, path, nil, &list)
	})
	return list.Data[:min(MaxModels, len(list.Data))], err
}

// WithListTimeout runs list within the time that a server has to list its models.
func (s *Server) WithListTimeout(ctx context.Context, list func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, listLimit, ErrSilent)
	defer cancel()
	return s.TimeoutError(ctx, list(ctx))
}

// TimeoutError is the error of a request that took longer than yaap allows.
func (s *Server) TimeoutError(ctx context.Context, err error) error {
	if err == nil || !errors.Is(context.Cause(ctx), ErrSilent) {
		return err
	}
	return core.Fail(core.CodeUnreachable, s.Name+" does not answer at "+s.BaseURL, s.UnreachableHint).Because(err)
}

// DecodeError is the error of an answer that cannot be parsed.
func (s *Server) DecodeError(err error) error {
	return core.Fail(core.CodeUnreachable, "what answers at "+s.BaseURL+" does not speak like "+s.Product, s.WrongServerHint).Because(err)
}
