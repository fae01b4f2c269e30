package link

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/yaap-chat/yaap/core"
	"github.com/yaap-chat/yaap/core/hub"
	"github.com/yaap-chat/yaap/core/safe"
	"github.com/yaap-chat/yaap/core/wire"
	"github.com/yaap-chat/yaap/core/yaap"
)

const (
	maxMessage = 8 << 20 // bytes of an answer, or of an event of a stream
	dialTime   = 10 * time.Second
)

// remote is the way to a server that runs elsewhere, over HTTP. It ends with the first
// request that does not reach the server; the hub opens another one then.
type remote struct {
	transport.Interface
	spec hub.Spec
	once sync.Once
	gone chan struct{}
	why  error // set before gone is closed
	said tail  // what it has logged
}

var _ way = (*remote)(nil)

// SendRequest implements [transport.Interface]. It puts the result where [withRaw] has
// it.
func (r *remote) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	response, err := r.Interface.SendRequest(ctx, request)
	if err != nil && ctx.Err() == nil && isLost(err) {
		r.end(httpFault(err))
	}
	if raw, ok := ctx.Value(rawKey{}).(*json.RawMessage); ok && err == nil && response.Error == nil {
		*raw = response.Result
	}
	return response, err
}

// SetProtocolVersion implements [transport.HTTPConnection].
func (r *remote) SetProtocolVersion(version string) {
	if c, ok := r.Interface.(transport.HTTPConnection); ok {
		c.SetProtocolVersion(version)
	}
}

// SetRequestHandler implements [transport.BidirectionalInterface]: a server may ask the
// room, over the transport of today. The library gives an answer 30 seconds. A person
// may need longer: only the end of the stream or of the server ends the question.
func (r *remote) SetRequestHandler(answer transport.RequestHandler) {
	c, ok := r.Interface.(transport.BidirectionalInterface)
	if !ok {
		return
	}
	c.SetRequestHandler(func(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
		if err := unserved(r.spec, request.Method); err != nil {
			return nil, err
		}
		asking, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		defer context.AfterFunc(ctx, func() {
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				select {
				case <-r.gone:
				case <-asking.Done():
				}
			}
			cancel()
		})()
		return answer(asking, request)
	})
}

// late sends the answer to a question of a server although the time is over that the
// library gives it. A request whose time is over is not sent.
type late struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (l late) RoundTrip(r *http.Request) (*http.Response, error) {
	if !errors.Is(r.Context().Err(), context.DeadlineExceeded) || !isAnswer(r) {
		return l.RoundTripper.RoundTrip(r)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), dialTime)
	defer cancel() // nothing is read of what it is answered
	return l.RoundTripper.RoundTrip(r.WithContext(ctx))
}

func isAnswer(r *http.Request) bool {
	if r.GetBody == nil {
		return false
	}
	body, err := r.GetBody()
	if err != nil {
		return false
	}
	defer func() { _ = body.Close() }()
	var said struct {
		ID     json.RawMessage `json:"id"`
		Method *string         `json:"method"`
	}
	return json.NewDecoder(body).Decode(&said) == nil && said.Method == nil && len(said.ID) > 0
}

// isLost reports whether a request failed because nobody is there, or nobody who knows
// the session or the user.
func isLost(err error) bool {
	return errors.As(err, new(*url.Error)) || errors.As(err, new(net.Error)) || isStranger(err) ||
		errors.Is(err, transport.ErrSessionTerminated) || errors.Is(err, transport.ErrTransportClosed) || errors.Is(err, io.ErrUnexpectedEOF)
}

// errStranger says that a server does not know the user, or no longer.
var errStranger = errors.New("it wants to know who you are (401): /experts login signs in")

// isStranger reports whether a request failed because of that.
func isStranger(err error) bool {
	return errors.Is(err, errStranger) || errors.Is(err, transport.ErrAuthorizationRequired) || errors.Is(err, transport.ErrOAuthAuthorizationRequired)
}

// httpFault says in the user's words why a server was not reached.
func httpFault(err error) error {
	if isStranger(err) {
		return errStranger
	}
	return errors.New(safe.Line(httpWords(err)))
}

func httpWords(err error) string {
	var dns *net.DNSError
	var at *url.Error
	switch {
	case errors.As(err, &dns):
		return "there is no host " + dns.Name
	case errors.Is(err, transport.ErrSessionTerminated):
		return "it has ended the session"
	case errors.As(err, &at):
		return "it does not answer: " + at.Err.Error()
	}
	if _, kind, ok := strings.Cut(err.Error(), "unexpected content type: "); ok {
		return "no MCP server answers there: it sends " + kind
	}
	return yaap.ExplainDecodeError(err)
}

func (r *remote) end(why error) {
	r.once.Do(func() {
		r.why = why
		close(r.gone)
	})
}

func (r *remote) done() <-chan struct{} { return r.gone }
func (r *remote) printed() []string     { return r.said.lines() }
func (r *remote) last() string          { return r.said.last() }
func (r *remote) note(line string)      { _, _ = r.said.Write([]byte(line + "\n")) }
func (r *remote) close()                { r.end(nil) }

func (r *remote) ended() error {
	select {
	case <-r.gone:
		return r.why
	default:
		return nil
	}
}

// openRemote shakes hands with a server that runs elsewhere: by the transport of today
// or, where it does not know that one, by that of 2024.
func (o *Opener) openRemote(ctx, life context.Context, spec hub.Spec) (hub.Link, yaap.Introduction, error) {
	if at, err := url.Parse(spec.URL); err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
		return nil, yaap.Introduction{}, core.Fail(core.CodeInvalid, safe.Line(spec.URL)+" is no http address", "write it as https://HOST/PATH")
	}
	l, in, err := o.reach(ctx, life, spec, spec.SSE)
	if isStranger(err) && o.renews(spec) {
		l, in, err = o.reach(ctx, life, spec, spec.SSE)
	}
	if errors.Is(err, transport.ErrLegacySSEServer) && !spec.SSE {
		if l, in, err = o.reach(ctx, life, spec, true); err != nil {
			err = errors.New("no MCP server answers there")
		}
	}
	var refusal *yaap.Refusal
	switch {
	case errors.As(err, &refusal), errors.As(err, new(*core.Error)):
		return nil, in, err
	case ctx.Err() != nil:
		return nil, in, errors.New("it did not say hello in time")
	case isStranger(err) && spec.HasKey():
		return nil, in, errors.New("it does not take the Authorization header that it is given (401)")
	case isStranger(err) && o.Logins != nil:
		return nil, in, hub.ErrSignIn
	case err != nil:
		return nil, in, httpFault(err)
	}
	return l, in, nil
}

func (o *Opener) reach(ctx, life context.Context, spec hub.Spec, sse bool) (hub.Link, yaap.Introduction, error) {
	carry, err := o.signed(spec, bounding{webTransport()})
	if err != nil {
		return nil, yaap.Introduction{}, err
	}
	line := o.Tap.Line(spec.Name, "http")
	seen := &wire.Transport{Next: carry, Tap: o.Tap, Line: func() *wire.Line { return line }}
	web := &http.Client{Transport: late{seen}, CheckRedirect: sameHost}
	var carrier transport.Interface
	quiet := slog.New(slog.DiscardHandler) // else it writes to the user's terminal
	if sse {
		carrier, err = transport.NewSSE(spec.URL, transport.WithHTTPClient(web), transport.WithHeaders(spec.Headers), transport.WithSSELogger(quiet), transport.WithEndpointTimeout(dialTime))
	} else {
		carrier, err = transport.NewStreamableHTTP(spec.URL, transport.WithHTTPBasicClient(web), transport.WithHTTPHeaders(spec.Headers), transport.WithHTTPLogger(quiet),
			transport.WithContinuousListening()) //nolint:staticcheck // the servers of today tell in that stream that their tools have changed
	}
	if err != nil {
		return nil, yaap.Introduction{}, err
	}
	r := &remote{Interface: carrier, spec: spec, gone: make(chan struct{})}
	if lost, ok := carrier.(*transport.SSE); ok {
		lost.SetConnectionLostHandler(func(err error) { r.end(fmt.Errorf("its stream ended: %w", err)) })
	}
	l := newLink(life, r)
	in, err := o.handshake(ctx, life, l, spec, r)
	if err != nil {
		if r.ended() != nil {
			err = r.ended()
		}
		_ = l.Close()
		return nil, in, err
	}
	return l, in, nil
}

// signed has requests carry the user's token, where the user has signed in to the
// server and has given it no key.
func (o *Opener) signed(spec hub.Spec, carry http.RoundTripper) (http.RoundTripper, error) {
	if o.Logins == nil || spec.HasKey() {
		return carry, nil
	}
	return o.Logins.Sign(spec.URL, carry)
}

// renews reports whether a server that no longer takes the user's token may take a
// fresh one.
func (o *Opener) renews(spec hub.Spec) bool {
	return o.Logins != nil && !spec.HasKey() && o.Logins.Expire(spec.URL)
}

func webTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // of the standard library; it honours proxies
	t.DialContext = (&net.Dialer{Timeout: dialTime}).DialContext
	t.ResponseHeaderTimeout = 0 // an answer may take its time; the call has its own limit
	return t
}

// sameHost keeps headers, which may hold keys, from other hosts.
func sameHost(request *http.Request, via []*http.Request) error {
	switch {
	case len(via) > 5:
		return errors.New("it leads in a circle")
	case request.URL.Host != via[0].URL.Host || request.URL.Scheme != via[0].URL.Scheme:
		return fmt.Errorf("it leads to another address, %s", request.URL.Host)
	}
	return nil
}

// bounding fails answers that are too long, instead of reading them.
type bounding struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (b bounding) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(request)
	if err == nil {
		stream := strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream")
		response.Body = &boundedBody{ReadCloser: response.Body, stream: stream}
	}
	return response, err
}

// boundedBody counts the bytes of an answer or, in a stream, those since the last
// empty line.
type boundedBody struct {
	io.ReadCloser
	stream bool
	size   int
}

// Read implements [io.Reader].
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.size += n
	if i := bytes.LastIndex(p[:n], []byte("\n\n")); b.stream && i >= 0 {
		b.size = n - i
	} else if i := bytes.LastIndex(p[:n], []byte("\r\n\r\n")); b.stream && i >= 0 {
		b.size = n - i
	}
	if b.size > maxMessage {
		return 0, fmt.Errorf("its answer has more than %d MiB", maxMessage>>20)
	}
	return n, err
}
