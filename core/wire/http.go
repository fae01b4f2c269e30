package wire

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
)

// maxBody is how many bytes of a body or of an event of a stream are read to know
// what it is.
const maxBody = 8 << 20

// Body collects a body of HTTP, piece by piece: JSON is a frame, in a stream of
// events each event is one.
type Body struct {
	Each   func(raw []byte, size int) // takes a frame
	Stream bool                       // it is a stream of events

	mu   sync.Mutex // a body may be closed while it is read
	text []byte
	size int
}

// IsStream reports whether a body is a stream of events.
func IsStream(h http.Header) bool {
	return strings.HasPrefix(h.Get("Content-Type"), "text/event-stream")
}

// Write implements [io.Writer]. It never fails.
func (b *Body) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(p)
	for b.Stream {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			break
		}
		b.add(p[:i])
		b.end()
		p = p[i+1:]
	}
	b.add(p)
	return n, nil
}

func (b *Body) add(p []byte) {
	b.size += len(p)
	b.text = append(b.text, p[:min(len(p), maxBody-len(b.text))]...)
}

// Close ends the body.
func (b *Body) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.end()
	return nil
}

// end hands on the collected frame: of a stream, the lines with data.
func (b *Body) end() {
	text, size := bytes.TrimRight(b.text, "\r"), b.size
	if b.Stream {
		var ok bool
		if text, ok = bytes.CutPrefix(text, []byte("data:")); !ok {
			text = nil
		}
		size = max(size-len("data: "), 0)
		text = bytes.TrimLeft(text, " ")
	}
	if len(text) > 0 {
		b.Each(text, max(size, len(text)))
	}
	b.text, b.size = b.text[:0], 0
}

// Transport records the exchanges of an HTTP client. With Method they are not JSON-RPC, and
// it names each.
type Transport struct {
	Next   http.RoundTripper
	Tap    *Tap
	Line   func() *Line // of the next exchange
	Method func(*http.Request) string
	Join   func(stream []byte) []byte // makes one text of an answer; nil: as it is
}

// RoundTrip implements [http.RoundTripper]. Of a stream that begins before the tap is on the
// later events are recorded.
func (w *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if w.Tap == nil {
		return w.Next.RoundTrip(request)
	}
	on, line, method := w.Tap.On(), w.Line(), ""
	if w.Method != nil {
		method = w.Method(request)
	}
	if body, err := bodyOf(request, on); err == nil && (len(body) > 0 || method != "") {
		if method == "" {
			line.RecordRPC(Out, body, len(body))
		} else {
			line.RecordHTTP(Out, Request, method, body, len(body))
		}
	}
	response, err := w.Next.RoundTrip(request)
	if err != nil {
		line.RecordHTTP(In, Failure, method, []byte(err.Error()), len(err.Error()))
		return response, err
	}
	if !on && !IsStream(response.Header) {
		return response, nil
	}
	failed := response.StatusCode >= http.StatusBadRequest
	collected := &Body{Stream: IsStream(response.Header) && w.Join == nil}
	collected.Each = func(raw []byte, size int) {
		kind := Answer
		if failed {
			kind = Failure
		}
		switch {
		case method == "" && !failed:
			line.RecordRPC(In, raw, size)
		case w.Join != nil && !failed:
			line.RecordHTTP(In, kind, method, w.Join(raw), size)
		default:
			line.RecordHTTP(In, kind, method, raw, size)
		}
	}
	response.Body = &seen{ReadCloser: response.Body, line: line, copy: collected}
	return response, nil
}

// bodyOf reads the body of a request that is to be sent, which stays whole, if the tap
// is on.
func bodyOf(request *http.Request, on bool) ([]byte, error) {
	if !on || request.GetBody == nil {
		return nil, nil
	}
	body, err := request.GetBody()
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	return io.ReadAll(body)
}

// seen copies a body while it is read and the tap is on.
type seen struct {
	io.ReadCloser
	line *Line
	copy *Body
}

// Read implements [io.Reader].
func (s *seen) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if s.line.On() {
		_, _ = s.copy.Write(p[:n])
	}
	if err != nil {
		_ = s.copy.Close()
	}
	return n, err
}

// Close implements [io.Closer].
func (s *seen) Close() error {
	_ = s.copy.Close()
	return s.ReadCloser.Close()
}

// Serve records a request to a server of the room, whose body was read already, and its
// answer. A stream is recorded from when the tap is on.
func (t *Tap) Serve(next http.Handler, w http.ResponseWriter, r *http.Request, who string, body []byte) {
	line := t.Line(who, "http")
	line.RecordRPC(In, body, len(body))
	answer := &answering{ResponseWriter: w, line: line, body: &Body{Each: func(raw []byte, size int) { line.RecordRPC(Out, raw, size) }}}
	next.ServeHTTP(answer, r)
	_ = answer.body.Close()
}

// answering copies the answer of a server.
type answering struct {
	http.ResponseWriter
	line *Line
	body *Body
}

// Write implements [io.Writer].
func (a *answering) Write(p []byte) (int, error) {
	a.body.Stream = IsStream(a.Header())
	n, err := a.ResponseWriter.Write(p)
	if a.line.On() {
		_, _ = a.body.Write(p[:n])
	}
	return n, err
}

// Flush implements [http.Flusher], which the MCP library asks for.
func (a *answering) Flush() { _ = http.NewResponseController(a.ResponseWriter).Flush() }

// Unwrap is for [http.ResponseController].
func (a *answering) Unwrap() http.ResponseWriter { return a.ResponseWriter }
