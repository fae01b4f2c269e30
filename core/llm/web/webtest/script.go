package webtest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// Ending says how a reply goes on after its text.
type Ending int

// How a reply may end.
const (
	EndDone  Ending = iota // the calls, then the end
	EndHang                // nothing more comes until the client goes away; not even headers when there is no text
	EndCut                 // the connection is lost
	EndQuiet               // in order but without an end, as when a model repeats itself
)

// Script is what a server on a port of the loopback answers, a reply for each question.
// Its methods may be called from any goroutine.
type Script[R any] struct {
	t       testing.TB
	quit    chan struct{}
	forever func(R) bool

	mu      sync.Mutex
	replies []R
	used    int // how many replies have been given once
}

// NewScript makes a script of replies. The last one answers every further question where
// forever says so. The test fails when replies are left over at its end, and when more is
// asked than there are replies.
func NewScript[R any](t testing.TB, forever func(R) bool, replies []R) *Script[R] {
	t.Helper()
	s := &Script[R]{t: t, forever: forever, replies: replies, quit: make(chan struct{})}
	t.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.used < len(s.replies) && !t.Failed() {
			t.Errorf("the server was asked for %d of its %d replies", s.used, len(s.replies))
		}
	})
	return s
}

// Serve starts a server that answers by handler until the test ends, and returns its
// address. It may be called once.
func (s *Script[R]) Serve(handler http.Handler) (url string) {
	server := httptest.NewServer(handler)
	s.t.Cleanup(func() {
		close(s.quit)
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// Quit is closed when the server stops.
func (s *Script[R]) Quit() <-chan struct{} { return s.quit }

// Next is the next reply. Without one the test fails.
func (s *Script[R]) Next() (reply R, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.replies)
	switch {
	case s.used < n:
		s.used++
		return s.replies[s.used-1], true
	case n > 0 && s.forever(s.replies[n-1]):
		return s.replies[n-1], true
	}
	select {
	case <-s.quit:
	default:
		s.t.Errorf("the server was asked for more than its %d replies", n)
	}
	return reply, false
}

// Cut cuts text into pieces of at most size bytes, 4 where that is 0, without cutting a
// rune.
func Cut(text string, size int) []string {
	if size <= 0 {
		size = 4
	}
	var out []string
	var b strings.Builder
	for _, c := range text {
		if b.Len() > 0 && b.Len()+utf8.RuneLen(c) > size {
			out = append(out, b.String())
			b.Reset()
		}
		b.WriteRune(c)
	}
	if b.Len() > 0 {
		out = append(out, b.String())
	}
	return out
}

// Flush sends what was written so far.
func Flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
