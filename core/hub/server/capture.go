package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/yaap-chat/yaap/core/safe"
)

// captured wraps next so that requests and answers are captured where somebody looks.
func (s *Server) captured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		look := r.Header.Get(ReadOnlyHeader) == ALook
		if s.cfg.Tap == nil || look || !s.cfg.Tap.On() && r.Method != http.MethodGet { // a GET is a stream, which lasts
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body) // it has arrived already
		if err != nil {
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.cfg.Tap.Serve(next, w, r, s.caller(r, body), body)
	})
}

// caller is what people call the one who sent body: a peer by its name, any other
// client by its program and its port.
func (s *Server) caller(r *http.Request, body []byte) string {
	var m struct {
		Params struct {
			Arguments struct {
				Name  string `json:"name"`
				Lease string `json:"lease"`
			} `json:"arguments"`
		} `json:"params"`
	}
	_ = json.Unmarshal(body, &m) // else it is nobody known
	said := m.Params.Arguments
	if r.URL.Path == "/yaap" {
		if l, err := s.lease(said.Lease); err == nil {
			return l.peer.in.Name
		}
		return cmp.Or(safe.Cut(safe.Line(said.Name), 40), "a peer")
	}
	program, _, _ := strings.Cut(r.UserAgent(), "/")
	return safe.Cut(safe.Line(cmp.Or(program, "client")), 24) + r.RemoteAddr[strings.LastIndexByte(r.RemoteAddr, ':'):]
}
