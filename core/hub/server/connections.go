package server

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
)

const (
	maxStrangers = 256 // connections over which nobody has shown the token
	perExpert    = 2   // connections that one may hold
	maxOthers    = 64  // connections of those who have shown the token and are no experts
)

// connections counts who is connected. Those that have shown the token stay;
// of the others the oldest goes when there are too many, so that whoever holds
// the token always gets in.
type connections struct {
	mu        sync.Mutex
	strangers []net.Conn // oldest first
	callers   map[net.Conn]bool
	most      int // callers
}

// caller is the key under which a request's connection travels.
type caller struct{}

// arrive takes note of a new connection. It is an [http.Server]'s ConnContext.
func (c *connections) arrive(ctx context.Context, conn net.Conn) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.strangers = append(c.strangers, conn); len(c.strangers) > maxStrangers {
		_ = c.strangers[0].Close() // it may have gone
		c.strangers = slices.Delete(c.strangers, 0, 1)
	}
	return context.WithValue(ctx, caller{}, conn)
}

// admit makes a caller of the connection that r came over. It reports false when
// there are too many.
func (c *connections) admit(r *http.Request) bool {
	conn, ok := r.Context().Value(caller{}).(net.Conn)
	if !ok {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.strangers, conn); i >= 0 && len(c.callers) < c.most {
		c.strangers = slices.Delete(c.strangers, i, i+1)
		c.callers[conn] = true
	}
	return c.callers[conn]
}

// changed forgets connections that have ended. It is an [http.Server]'s ConnState.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	if state != http.StateClosed {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.callers, conn)
	if i := slices.Index(c.strangers, conn); i >= 0 {
		c.strangers = slices.Delete(c.strangers, i, i+1)
	}
}
