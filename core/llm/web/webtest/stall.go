package webtest

import (
	"context"
	"io"
	"net/http"
	"strings"
)

// Stalling is the way to a server that says body and then nothing, without closing the
// connection. With [testing/synctest] waiting for it takes no time.
type Stalling string

// RoundTrip implements [http.RoundTripper]. Of an empty body not even the headers come.
func (s Stalling) RoundTrip(r *http.Request) (*http.Response, error) {
	if s == "" {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: &stalled{strings.NewReader(string(s)), r.Context()}}, nil
}

type stalled struct {
	io.Reader
	ctx context.Context
}

func (s *stalled) Read(p []byte) (int, error) {
	if n, err := s.Reader.Read(p); err == nil {
		return n, nil
	}
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

func (s *stalled) Close() error { return nil }
