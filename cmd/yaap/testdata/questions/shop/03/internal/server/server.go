package server

import (
	"fmt"
	"net/http"

	"example.com/shop/internal/store"
)

// Server answers requests.
type Server struct {
	store *store.Store
}

// New makes a server over a store.
func New(s *store.Store) *Server {
	return &Server{store: s}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.handleOrders(w)
}

// FIXME: only for those who carry a Bearer token
func (s *Server) handleOrders(w http.ResponseWriter) {
	fmt.Fprintf(w, "%.2f", s.store.Total())
}
