package server

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const (
	maxBody       = 4 << 20
	headerTimeout = 5 * time.Second
	bodyTimeout   = 5 * time.Second
	idleTimeout   = time.Minute // of a connection between two requests
	maxHeader     = 64 << 10
)

// requireToken lets in who holds the token, and from browsers nobody.
func requireToken(a Address, present *connections, next http.Handler) http.Handler {
	want := []byte("Bearer " + a.Token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Origin") != "" {
			http.Error(w, "forbidden", http.StatusForbidden)
			return
		}
		if r.URL.Path == proofPath {
			serveProof(w, r, a)
			return
		}
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			w.Header().Set("Connection", "close")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if !present.admit(r) {
			w.Header().Set("Connection", "close")
			http.Error(w, "too many connections", http.StatusServiceUnavailable)
			return
		}
		if r.Method == http.MethodPost {
			body, ok := readBody(w, r)
			if !ok {
				return
			}
			if isCancel(body) && !isNamed(r) {
				// A request id is then the only thing that such a notification
				// names: anybody could cancel another one's call.
				w.WriteHeader(http.StatusAccepted)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		next.ServeHTTP(w, r)
	})
}

// readBody takes the body within its limits of size and time.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Now().Add(bodyTimeout)); err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return nil, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		http.Error(w, "the body is larger than 4 MiB", http.StatusRequestEntityTooLarge)
		return nil, false
	case err != nil:
		http.Error(w, "the body did not arrive", http.StatusRequestTimeout)
		return nil, false
	}
	// A long poll lasts longer than a body may.
	if err := control.SetReadDeadline(time.Time{}); err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return nil, false
	}
	return body, true
}

// isCancel reads the method as the MCP library does, escapes and all.
func isCancel(body []byte) bool {
	var message struct {
		Method string `json:"method"`
	}
	return json.Unmarshal(body, &message) == nil && message.Method == "notifications/cancelled"
}

// isNamed reports whether a program says which client it is, by the secret name that
// it was given.
func isNamed(r *http.Request) bool {
	return len(r.Header.Get(server.HeaderKeySessionID)) == 2*leaseBytes
}

// connection is the key under which the own context of a request without a name
// travels: it ends when the caller's connection does, and cannot be ended by
// anybody else.
type connection struct{}

func withConnection(ctx context.Context, r *http.Request) context.Context {
	if r.Header.Get(ReadOnlyHeader) != "" {
		ctx = context.WithValue(ctx, readOnly{}, true)
	}
	if isNamed(r) {
		return ctx
	}
	return context.WithValue(ctx, connection{}, r.Context())
}

// ReadOnlyHeader leaves a program, with any value, nothing but the tools that are
// said to change nothing.
const ReadOnlyHeader = "Yaap-Read-Only"

// ALook is the value of [ReadOnlyHeader] of whoever only looks at the room, and is not
// captured: what passes is shown, and not who shows it.
const ALook = "look"

type readOnly struct{}

// wanted are the tools that a program is offered, and may call.
func wanted(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
	if ctx.Value(readOnly{}) == nil {
		return tools
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t mcp.Tool) bool {
		reads := t.Annotations.ReadOnlyHint
		return reads == nil || !*reads
	})
}

// alive returns the context that a call lasts for: until its client cancels it by its
// name, or its connection ends.
func alive(ctx context.Context) context.Context {
	if conn, ok := ctx.Value(connection{}).(context.Context); ok {
		return conn
	}
	return ctx
}
